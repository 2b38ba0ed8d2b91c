"""Elements of large JSON documents are read one at a time, and a bad one hides no other."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.intake.importers.entries import UnreadableEntry
from memory.intake.importers.reading import json_buffer, json_elements
from memory.intake.importers.reading.json_elements import Element, elements
from memory.text.errors import InvalidRequest

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=4), VALUES, max_size=3), max_size=4)


class Trickle(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def read(self, size=-1):
        return super().read(min(size, 7) if size >= 0 else 7)


def values(text, *paths, reader=io.BytesIO, keys=()):
    content = reader(text if isinstance(text, bytes) else text.encode())
    return [one.value if isinstance(one, Element) else one for one in elements(content, paths or [()], keys)]


@given(OBJECTS, st.booleans(), st.booleans())
def test_every_object_of_an_array_is_read_as_json_reads_it(objects, ascii_only, trickling):
    text = json.dumps(objects, ensure_ascii=ascii_only, indent=1 if ascii_only else None)
    assert values(text, reader=Trickle if trickling else io.BytesIO) == objects


@given(OBJECTS, VALUES)
def test_arrays_are_found_by_their_path_and_only_there(objects, other):
    text = json.dumps({"x": other, "a": {"b": objects, "c": [{"b": [{"no": 1}]}]}, "b": [{"no": 2}]})
    assert values(text, ("a", "b")) == objects


def test_an_invalid_element_is_told_with_its_text_and_hides_no_other():
    first, bad, last = values('[{"a": 1}, {"b": nope}, {"c": "]}"}]')
    assert (first, last) == ({"a": 1}, {"c": "]}"})
    assert (bad.place, bad.entry) == ("entry 2", '{"b": nope}')
    others = [one.entry for one in values('[{"a": 1}, 7, {"c": 2}, "d", null]') if isinstance(one, UnreadableEntry)]
    assert others == ["7", '"d", null']


ONE, TWO = {"id": "1", "said": [{"a": {}}]}, {"said": [], "id": "2"}


@pytest.mark.parametrize("trickling", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        json.dumps([ONE, TWO]),
        json.dumps({"info": {"n": 1}, "data": {"chats": [ONE, TWO]}, "more": []}),
        json.dumps({"first": ONE, "second": TWO}),
        f"{json.dumps(ONE)}\n{json.dumps(TWO)}\n",
        f"{json.dumps([ONE])}{json.dumps([TWO])}",
        json.dumps([[ONE], [TWO]]),
    ],
)
def test_elements_are_known_by_a_key_wherever_they_stand(text, trickling):
    assert values(text, ("none",), keys=["said"], reader=Trickle if trickling else io.BytesIO) == [ONE, TWO]


@given(OBJECTS, st.booleans())
def test_every_line_of_objects_is_read(objects, trickling):
    # Longer than the keys of what is within the objects, where it would name an element as well.
    key = "utterances"
    expected = [each | {key: [1]} for each in objects]
    text = "\n".join(map(json.dumps, expected)) or "[]"
    assert values(text, keys=[key], reader=Trickle if trickling else io.BytesIO) == expected


def test_a_single_object_is_an_element_and_another_is_told_beside_it():
    assert values(json.dumps(ONE), keys=["said"]) == [ONE]
    assert values('{"note": "\\"said\\": []", "x": {"y": "said"}}', keys=["said"]) == []
    one, other = values(f'{json.dumps(ONE)} {{"no": 1}}', keys=["said"])
    assert (one, other.reason[:20]) == (ONE, "1 of its 2 objects h")
    assert values('{"all": [{"said": []}, {"no": 1}]}', keys=["said"]) == [{"said": []}, {"no": 1}]
    assert [type(one) for one in values(f"{json.dumps(ONE)} and so on", keys=["said"])] == [dict, UnreadableEntry]


def test_a_document_that_breaks_off_is_told_after_its_whole_elements():
    *whole, bad = values('[{"a": 1}, {"b": "cut')
    assert whole == [{"a": 1}]
    assert "cut off" in bad.reason
    assert "brackets" in values('[{"a": 1}}')[-1].reason
    *whole, bad = values('{"all": [{"said": 1}, {"said": [2', keys=["said"])
    assert (whole, bad.reason[-7:]) == ([{"said": 1}], "cut off")


@pytest.mark.parametrize("trickling", [False, True])
@pytest.mark.parametrize("damaged", ['{"a": "c', '{"a": [1, 2', '{"a": 1]', "a", '{"a": 1}}', '{"a": "\\"', '"a'])
def test_a_damaged_line_of_objects_is_told_with_its_text_and_hides_no_other(damaged, trickling):
    text = f'{{"a": 1}}\n{damaged}\n{{"a": 2}}\r\n\n{damaged}\n{{"a": [3]}}'
    found = values(text, keys=["a"], reader=Trickle if trickling else io.BytesIO)
    read = [one for one in found if isinstance(one, dict) and one != {"a": 1}]
    assert read == [{"a": 2}, {"a": [3]}]
    told = [one for one in found if isinstance(one, UnreadableEntry)]
    assert [one.reason for one in told] == ["its line is no JSON"] * 2
    assert all(one.entry.strip() in damaged for one in told)


def test_brackets_that_are_nested_too_deeply_are_told():
    (bad,) = values('{"a":' * 900 + "0" + "}" * 900)
    assert "too deeply" in bad.reason
    assert len(values('{"a":' * 900 + "0" + "}" * 900, keys=["a"])) == 1, "within an element any depth is read"


@pytest.mark.parametrize("trickling", [False, True])
def test_nuls_before_a_line_hide_it_not(trickling):
    text = '{"a": 1}\n\0\0\n{"a": 2}\n{"a": 3}'
    assert values(text, keys=["a"], reader=Trickle if trickling else io.BytesIO) == [{"a": 1}, {"a": 2}, {"a": 3}]


@pytest.mark.parametrize(
    "text",
    [
        '{"said": [\n{"id": 1},\n{"id": 2}',
        '{\n"said": [\n{\n"id": 1\n}\n]\n',
        '{\n "said": [1\n}\n{\n "said": [2]\n}',
        '{"all": [\n{"said": [1]},\n{"said": [2]',
    ],
)
def test_a_document_on_several_lines_that_is_damaged_is_not_read_by_line(text):
    assert len([one for one in values(text, keys=["said", "id"]) if isinstance(one, UnreadableEntry)]) == 1


@pytest.mark.parametrize("text", ["", "  ", "hello", '"a"', "<html>[]</html>", "]"])
def test_what_is_no_json_document_is_refused(text):
    with pytest.raises(InvalidRequest, match="no JSON document"):
        values(text)


def test_an_element_takes_no_more_memory_than_its_limit(monkeypatch):
    for module in (json_elements, json_buffer):
        monkeypatch.setattr(module, "ELEMENT_BYTES", 4000)
    monkeypatch.setattr(json_buffer, "READ_BYTES", 500)
    long = {"a": [{"n": number} for number in range(900)]}
    found = values(json.dumps([{"a": 1}, long, {"b": 2}]))
    assert (found[0], found[2]) == ({"a": 1}, {"b": 2})
    assert "longer than" in found[1].reason
    with pytest.raises(InvalidRequest, match="text of more than"):
        values(json.dumps([{"a": "x" * 9000}]))


@pytest.mark.parametrize("trickling", [False, True])
def test_what_stands_around_an_element_is_known_with_it_before_and_behind(trickling):
    text = """{"user": {"id": "ann", "age": 7}, "x": [{"id": "s1", "of": [{"a": 1}]},
    {"of": [{"a": 2}, {"a": 3}], "id": "s2"}]} {"of": [{"a": 4}], "user": {"id": "bob"}}"""
    content = (Trickle if trickling else io.BytesIO)(text.encode())
    around = [[*one.around] for one in elements(content, [], ["a"], ["user", "id"])]
    ann, bob = {"user": {"id": "ann"}}, {"user": {"id": "bob"}}
    within = ("x", "[]")
    assert around == [[(within, {"id": id_}), ((), ann)] for id_ in ("s1", "s2", "s2")] + [[((), bob)]]


def test_what_stands_around_more_than_one_element_may_hold_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(json_elements, "ELEMENT_BYTES", 20)
    monkeypatch.setattr(json_elements, "READ_TAKES_BYTES", 0)
    found = elements(
        io.BytesIO(b'{"id": 1, "of": [{"a": "this one is long enough"}, {"a": 2}], "name": "n"}'),
        [],
        ["a"],
        ["id", "name"],
    )
    assert [{**one.around[0][1]} for one in found] == [{"id": 1}, {"id": 1, "name": "n"}]
