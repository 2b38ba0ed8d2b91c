"""The OpenAPI document tells a stranger everything, and what it shows as examples is taken."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.acceptance.conftest import ALL_SCOPES
from tests.acceptance.http.operations.test_problems import NOWHERE


@pytest.fixture
def document(person):
    return person.client.get("/openapi.json").json()


def operations(document):
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def scopes(operation):
    """The scopes that a route says it asks for."""
    said = re.match(r"Scopes? `(\w+)`(?: and `(\w+)`)?", operation["description"])
    return tuple(filter(None, said.groups())) if said else ()


def test_every_operation_is_described(document):
    assert document["openapi"].startswith("3.1")
    tags = {tag["name"] for tag in document["tags"]}
    for name, operation in operations(document):
        assert set(operation["tags"]) <= tags, name
        assert operation["summary"].endswith("."), name
        assert operation["description"], name
        assert ("security" in operation) == (not name.startswith("GET /health/")), name
        if "security" in operation:
            assert scopes(operation) or "An operator's token." in operation["description"], name
    assert len({operation["operationId"] for _, operation in operations(document)}) == len(operations(document))


def test_a_route_asks_for_the_scopes_that_it_names_and_for_no_more(person, document):
    lacking = {scope: person.with_token([one for one in ALL_SCOPES if one != scope]) for scope in ALL_SCOPES}
    named = {name: scopes(operation) for name, operation in operations(document)}
    having = {asked: person.with_token(asked) for asked in {*named.values()} if asked}
    for name, operation in operations(document):
        method, path = re.sub(r"{\w+}", NOWHERE, name).split()
        forms = operation.get("requestBody", {}).get("content", {})
        body = {"headers": {"Content-Type": next(iter(forms))}, "content": b"{}"} if forms else {}
        for scope in named[name]:
            assert lacking[scope].request(method, path, **body).status_code == 403, name
        if named[name]:
            assert having[named[name]].request(method, path, **body).status_code != 403, name


def test_every_error_is_a_problem(document):
    for name, operation in operations(document):
        for status, answer in operation["responses"].items():
            if status >= "400":
                assert answer["content"] == {
                    "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
                }, name
    assert {"type", "title", "status", "detail", "instance"} <= set(
        document["components"]["schemas"]["Problem"]["required"]
    )


def integers(document, schema, place=()):
    """Every integer in what is sent, as a path of names and the schema."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if schema.get("type") == "integer":
        yield place, schema
    for name, inner in schema.get("properties", {}).items():
        yield from integers(document, inner, (*place, name))
    if "items" in schema:
        yield from integers(document, schema["items"], (*place, 0))
    for inner in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from integers(document, inner, place)


def test_each_integer_that_is_sent_has_bounds_and_beyond_them_is_refused(person, document):
    """At its bounds, and past those of each type that a column may have, an integer is no fault of the server's."""
    # A long poll, whose seconds are bounded too, ends as soon as there is a notice.
    due_at = datetime.now(UTC) + timedelta(seconds=1)
    reminder = {"type": "reminder", "content": "Water the ferns.", "due_at": due_at.isoformat()}
    assert person.ask("POST", "/notes", json=[reminder]).status_code == 202
    seen = 0
    for name, operation in operations(document):
        method, path = re.sub(r"{\w+}", NOWHERE, name.replace("{being}", "mira")).split()
        for parameter in operation.get("parameters", ()):
            for _, schema in integers(document, parameter["schema"]):
                seen += 1
                for value in edges(name, schema):
                    answer = person.client.request(method, path, params={parameter["name"]: value})
                    assert answer.status_code < 500, (name, parameter["name"], value)
                    if not schema["minimum"] <= value <= schema["maximum"]:
                        refusal = 403 if "An operator's token." in operation["description"] else 422
                        assert answer.status_code == refusal, (name, parameter["name"], value)
        for form in operation.get("requestBody", {}).get("content", {}).values():
            for place, schema in integers(document, form["schema"]):
                seen += 1
                for value in edges(name, schema):
                    answer = person.client.request(method, path, json=at(place, value))
                    assert answer.status_code < 500, (name, place, value)
    assert seen > 20


def edges(name, schema):
    assert {"minimum", "maximum"} <= schema.keys(), name
    lowest, highest = int(schema["minimum"]), int(schema["maximum"])
    # What is past a bound that refuses is refused as the next number is.
    further = {each for each in (-(2**31) - 1, 2**31, -(2**63) - 1, 2**63) if lowest <= each <= highest}
    return {lowest - 1, lowest, highest, highest + 1, 10**30} | further


def at(place, value):
    """A body that holds a value at this place, and beside it what routes with integers require."""
    for part in reversed(place):
        value = [value] if part == 0 else {"query": "x", part: value}
    return value


def test_nothing_that_is_referred_to_is_missing(document):
    def references(value):
        if isinstance(value, dict):
            yield from [value["$ref"]] if "$ref" in value else []
            for inner in value.values():
                yield from references(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from references(inner)

    assert {reference.rpartition("/")[2] for reference in references(document)} == set(
        document["components"]["schemas"]
    )


def test_the_examples_of_notes_are_taken(person, document):
    body = document["paths"]["/v1/beings/{being}/notes"]["post"]["requestBody"]["content"]["application/json"]
    for example in body["examples"].values():
        answer = person.ask("POST", "/notes", json=example["value"])
        assert answer.status_code == 202, answer.text
        assert answer.json()["rejected"] == []


def test_the_examples_of_questions_are_understood(person, document):
    asked = {"RecallRequest": ("/recall", 200), "SearchRequest": ("/search_memory", 200)}
    for schema, (path, status) in {**asked, "TopicRequest": ("/recall_memory", 404)}.items():
        for example in document["components"]["schemas"][schema]["examples"]:
            assert person.ask("POST", path, json=example).status_code == status


def test_every_list_is_an_object_with_one_array(document):
    """So that a list can grow a cursor or another field without breaking its readers."""
    bare = [
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        for answer in operation["responses"].values()
        if answer.get("content", {}).get("application/json", {}).get("schema", {}).get("type") == "array"
    ]
    assert bare == []


def test_every_list_says_where_its_next_page_begins(document):
    """A cursor, null on the last page, beside the array; what belongs to one item is no list."""
    lists, without = [], []
    for name, operation in operations(document):
        form = operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
        parts = document["components"]["schemas"].get(form.get("$ref", "").rpartition("/")[2], {}).get("properties", {})
        if name.startswith("GET") and not re.search(r"{(?!being)\w+}(/history)?$", name):
            arrays = [part for part, schema in parts.items() if "$ref" in schema.get("items", {})]
            lists += [name] * bool(arrays)
            without += [name] * (bool(arrays) and "cursor" not in parts)
            taken = {parameter["name"] for parameter in operation.get("parameters", ())}
            assert "before" not in taken, name
    assert len(lists) > 20
    # Reports, which are answered whole.
    assert without == ["GET /v1/beings/{being}/judgements", "GET /health/work"]
