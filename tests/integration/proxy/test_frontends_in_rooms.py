"""A frontend's group chat in a room: each character's request brings what was said to all that were present."""

import pytest

from memory.accounts import rooms
from memory.accounts.access import Caller
from memory.accounts.rooms import RoomReference
from memory.proxy.reading.speakers import group_members
from memory.proxy.reading.transcript import read_transcript
from memory.proxy.taking.answer_intake import take_answer
from schemas.accounts.slugs import slug_of
from schemas.errors import NotFound
from schemas.talk.rooms import NewRoom
from store.accounts import beings
from tests.frontends import Door, assistant, user


@pytest.fixture
def group(store, user):
    """A room of three characters, each with its own requests."""
    with store.transaction() as tx:
        made = [beings.add_being(tx, user.user_id, name.lower(), name) for name in ("Mara", "Leo", "Kay")]
    room = rooms.make(store, user.user_id, NewRoom(name="Tavern", beings=[being.slug for being in made]))
    return Group(store, room, {being.slug: Door(store, being) for being in made})


class Group:
    """A group chat as its frontend knows it."""

    def __init__(self, store, room, doors) -> None:
        self.store, self.room, self.doors = store, room, doors

    def asks(self, slug, *said, answer=None, present=None, members=(), alone=False, **options):
        """Ask a character for an answer to a transcript, in which others' lines have names."""
        door = self.doors[slug]
        conversation, mates = rooms.enter(self.store, door.being, RoomReference("tavern", present, members, alone))
        taken = door.asks(*said, conversation=conversation, room=mates, **options)
        if answer is not None:
            take_answer(self.store, door.settings, door.being, taken.place, answer, room=mates)
        return taken

    def words(self):
        """The messages of each character, by its slug."""
        return {slug: door.stands() for slug, door in self.doors.items()}


def test_each_character_has_the_talk_once_with_its_own_lines_as_its_own(group):
    group.asks("mara", user("Hello, all."), answer="Good evening.")
    said = [user("Hello, all."), assistant("Good evening.", name="Mara")]
    group.asks("leo", *said, answer="Evening, Mara.")
    said += [assistant("Evening, Mara.", name="Leo"), user("Any ale?")]
    taken = group.asks("mara", *said, answer="None.")

    assert taken.taken_in == 1
    everything = ["Hello, all.", "Good evening.", "Evening, Mara.", "Any ale?", "None."]
    assert group.words() == {"mara": everything, "leo": everything, "kay": everything}
    assert group.doors["leo"].said()[1:3] == [("other", "Mara", "Good evening."), ("assistant", None, "Evening, Mara.")]
    assert group.doors["kay"].said()[2] == ("other", "Leo", "Evening, Mara.")
    with group.store.transaction() as tx:
        (row,) = tx.execute("select count(*) filter (where not follows) as led, count(*) as every from memory.messages")
    assert (row["led"], row["every"]) == (5, 15)


def test_those_that_are_absent_hear_nothing_and_an_unknown_one_is_refused(group):
    group.asks("mara", user("A word, Mara."), answer="Yes?", present=("mara",))
    group.asks(
        "mara", user("A word, Mara."), "Yes?", user("Leo may hear this."), answer="Fine.", present=("mara", "leo")
    )

    assert group.words() == {
        "mara": ["A word, Mara.", "Yes?", "Leo may hear this.", "Fine."],
        "leo": ["Leo may hear this.", "Fine."],
        "kay": [],
    }
    with pytest.raises(NotFound, match="present"):
        group.asks("mara", user("Who?"), present=("zed",))
    with pytest.raises(NotFound, match="no room"):
        rooms.enter(group.store, group.doors["mara"].being, RoomReference("cellar"))
    group.asks("kay", user("Only Kay's token."), alone=True)
    assert group.words()["leo"] == ["Leo may hear this.", "Fine."]


def test_one_that_comes_in_later_hears_nothing_of_what_its_transcript_shows(group):
    said = [user("The key is under the mat."), assistant("Which mat?", name="Mara")]
    group.asks("mara", *said[:1], answer="Which mat?", present=("mara", "leo"))
    group.asks("kay", *said, answer="Good evening.")
    said += [assistant("Good evening.", name="Kay"), user("Welcome, Kay.")]
    group.asks("kay", *said, answer="Thank you.")
    since = ["Good evening.", "Welcome, Kay.", "Thank you."]
    everything = ["The key is under the mat.", "Which mat?", *since]
    assert group.words() == {"mara": everything, "leo": everything, "kay": since}
    group.asks("mara", *said, assistant("Thank you.", name="Kay"), user("Well."), answer="Well?")
    assert group.words() == {
        "mara": [*everything, "Well.", "Well?"],
        "leo": [*everything, "Well.", "Well?"],
        "kay": [*since, "Well.", "Well?"],
    }


def test_an_answer_that_was_swiped_away_goes_for_all_and_comes_back_for_all(group):
    first = [user("Hello, all."), assistant("Good evening."), user("Any ale?")]
    group.asks("mara", *first[:1], answer="Good evening.")
    group.asks("mara", *first, answer="None.")
    group.asks("mara", *first, answer="Plenty.")
    group.asks("mara", *first, assistant("Plenty."), user("Pour me one."))
    stays = ["Hello, all.", "Good evening.", "Any ale?", "Plenty.", "Pour me one."]
    assert group.words() == {"mara": stays, "leo": stays, "kay": stays}

    group.asks("mara", *first, assistant("None."), user("A pity."))
    back = group.words()
    assert back["leo"] == back["kay"] == back["mara"]
    assert "None." in back["leo"]


# As SillyTavern 1.19 sends a group chat: with the names on the lines, or before the words, or without them.
SILLYTAVERN = {
    "None": lambda line, _: line,
    "Completion Object": lambda line, name: line | {"name": name},
    "Message Content": lambda line, name: line | {"content": f"{name}: {line['content']}"},
}


@pytest.mark.parametrize("form", SILLYTAVERN)
def test_a_group_chat_of_sillytavern_is_told_to_all_in_it(group, form):
    begins = {"role": "system", "content": "[Start a new group chat. Group members: Mara, Leo, Kay]"}
    said, stored = [], []

    def turn(slug, asked, answer):
        said.append(SILLYTAVERN[form](user(asked), "Ada"))
        nudge = {"role": "system", "content": f"[Write the next reply only as {slug.title()}.]"}
        group.asks(slug, begins, *said, nudge, answer=f"{slug.title()}: {answer}", user_names=("Ada",))
        said.append(SILLYTAVERN[form](assistant(answer), slug.title()))
        stored.extend((asked, answer))

    turn("mara", "Hello, all.", "Good evening.")
    turn("leo", "Any ale?", "None.")
    turn("kay", "Any wine?", "Plenty.")
    assert group.words() == {"mara": stored, "leo": stored, "kay": stored}
    own = {slug: [words for role, _, words in door.said() if role == "assistant"] for slug, door in group.doors.items()}
    assert own == {"mara": ["Good evening."], "leo": ["None."], "kay": ["Plenty."]}


@pytest.mark.parametrize("named", [True, False], ids=["named", "as the one that answers"])
def test_a_group_chat_that_comes_as_one_message_is_told_to_all_in_it(group, named):
    said, stored = [], []

    def turn(slug, answer, asked=None):
        if asked:
            said.append(("Ada", asked))
        name = slug.title()
        begins = f"Write {name}'s next reply in a fictional chat between {name} and Ada.\n\n"
        begins += "[Start a new group chat. Group members: Mara, Leo, Kay]"
        lines = (f"{by if named or by == 'Ada' else name}: {words}" for by, words in said)
        group.asks(slug, user("\n\n".join([begins, *lines, f"[Write the next reply only as {name}.]"])), answer=answer)
        said.append((name, answer))
        stored.extend([asked, answer] if asked else [answer])

    turn("mara", "Good evening to all of you.", "Hello, all.")
    turn("leo", "And a good evening from me.")
    turn("kay", "There is no ale left.", "Any ale?")
    turn("mara", "There is some wine, though.")
    assert group.words() == {"mara": stored, "leo": stored, "kay": stored}
    own = {slug: [words for role, _, words in door.said() if role == "assistant"] for slug, door in group.doors.items()}
    assert own == {"mara": [stored[1], stored[5]], "leo": [stored[2]], "kay": [stored[4]]}


def test_answers_of_several_that_come_as_one_line_without_names_are_told_once(group):
    begins = {"role": "system", "content": "[Start a new group chat. Group members: Mara, Leo]"}
    first = [begins, user("Good evening to all of you.")]
    group.asks("mara", *first, answer="Hello, all.")
    group.asks("leo", *first, assistant("Hello, all."), answer="And a good evening from me.")
    first.append(assistant("Hello, all.\n\nAnd a good evening from me."))
    group.asks("mara", *first, user("Any ale?"), answer="None.")
    group.asks("leo", *first, user("Any ale?"), assistant("None."), answer="Some wine, though.")

    first += [user("Any ale?"), assistant("None.\n\nSome wine, though."), user("Pour me one.")]
    group.asks("leo", *first, answer="Here.")
    stored = ["Good evening to all of you.", "Hello, all.", "And a good evening from me.", "Any ale?", "None."]
    stored += ["Some wine, though.", "Pour me one.", "Here."]
    assert group.words() == {"mara": stored, "leo": stored, "kay": stored}
    own = {slug: [words for role, _, words in door.said() if role == "assistant"] for slug, door in group.doors.items()}
    assert own == {"mara": [stored[1], stored[4]], "leo": [stored[2], stored[5], stored[7]], "kay": []}


@pytest.fixture
def lettered(store, user):
    """A room of characters whose names the wire does not take, two of them written alike there."""
    with store.transaction() as tx:
        names = ("黑兽", "白猫", "Серафина", "🌙")
        made = [beings.add_being(tx, user.user_id, slug_of(name), name) for name in names]
    room = rooms.make(store, user.user_id, NewRoom(name="Tavern", beings=[being.slug for being in made]))
    return Group(store, room, {being.name: Door(store, being) for being in made})


def on_the_wire(line, name):
    """A line of SillyTavern's with a name in its completion object: JavaScript makes two of a sign such as `🌙`."""
    return line | {"name": "".join(one if one.isascii() else "_" * (1 + (one > "\uffff")) for one in name)}


def test_names_that_the_wire_can_not_write_are_their_members(lettered):
    said, everything = [], []
    for name in ("黑兽", "白猫", "Серафина", "🌙", "黑兽", "白猫"):
        asked, answer = f"{name}, number {len(said)}?", f"{len(said)} for {name}."
        said.append(on_the_wire(user(asked), "Ann"))
        lettered.asks(name, *said, answer=answer, user_names=("Ann",))
        said.append(on_the_wire(assistant(answer), name))
        everything += [asked, answer]

    assert lettered.words() == dict.fromkeys(lettered.doors, everything)
    own = {
        name: [words for role, _, words in door.said() if role == "assistant"] for name, door in lettered.doors.items()
    }
    assert own == {name: [words for words in everything if words.endswith(f"for {name}.")] for name in lettered.doors}

    # An answer that was swiped away goes for all once the talk goes on with another member.
    said[-1] = on_the_wire(assistant("Another."), "白猫")
    lettered.asks("白猫", *said[:-1], answer="Another.", user_names=("Ann",))
    everything[-1] = "Another."
    said.append(on_the_wire(user("Go on."), "Ann"))
    lettered.asks("黑兽", *said, answer="I do.", user_names=("Ann",))
    said.append(on_the_wire(assistant("I do."), "黑兽"))
    assert lettered.words() == {name: [*everything, "Go on.", "I do."] for name in lettered.doors}

    # Said while nobody listened: whom the name may mean is told nothing that it did not say.
    said += [on_the_wire(assistant("Да."), "Серафина"), on_the_wire(assistant("I am either."), "白猫"), user("Who?")]
    lettered.asks("黑兽", *said, user_names=("Ann",))
    told = {name: door.said()[-3:-1] for name, door in lettered.doors.items()}
    assert told["Серафина"][0] == ("assistant", None, "Да.")
    assert told["黑兽"] == told["白猫"] == [("other", "Серафина", "Да."), ("other", "__", "I am either.")]


def test_the_user_calls_a_member_by_name(group):
    group.asks("mara", user("Leo: pass me the salt."), answer="Leo: Here.\n\nMara: Thank you.")
    group.asks("leo", user("Leo: pass me the salt."), assistant("Thank you.", name="Mara"), user("Mara: and you?"))
    assert group.doors["leo"].said()[0] == ("user", None, "Leo: pass me the salt.")
    assert group.doors["mara"].said()[-1] == ("user", None, "Mara: and you?")


@pytest.fixture
def namesakes(store, user):
    """A room of two characters of one name."""
    with store.transaction() as tx:
        made = [beings.add_being(tx, user.user_id, slug, "Mara") for slug in ("mara", "mara-2")]
    room = rooms.make(store, user.user_id, NewRoom(name="Tavern", beings=["mara", "mara-2"]))
    return Group(store, room, {being.slug: Door(store, being) for being in made})


def test_two_of_the_same_name_are_told_apart_by_what_is_known(namesakes):
    group = namesakes
    said = [user("Hello."), assistant("The first.", name="Mara"), user("And you?")]
    group.asks("mara", *said[:1], answer="The first.")
    group.asks("mara-2", *said, answer="The second.")
    group.asks("mara", *said, assistant("The second.", name="Mara"), user("Well."))
    assert (
        group.words()["mara"] == group.words()["mara-2"] == ["Hello.", "The first.", "And you?", "The second.", "Well."]
    )
    assert [words for role, _, words in group.doors["mara"].said() if role == "assistant"] == ["The first."]


@pytest.mark.parametrize(
    ("members", "hear"),
    [
        ("Mara, LEO", ["mara", "leo"]),
        ("Mara, Leo, Kay", ["mara", "leo", "kay"]),
        ("Mara, Stranger", ["mara", "leo", "kay"]),
    ],
)
def test_who_left_the_group_hears_nothing_where_the_room_knows_its_members(group, members, hear):
    begins = {"role": "system", "content": f"[Start a new group chat. Group members: {members}]"}
    told = group_members(read_transcript([begins]))
    group.asks("mara", begins, user("Kay is gone."), members=told)
    assert [slug for slug, words in group.words().items() if words] == hear


def test_a_token_for_one_being_opens_its_rooms(group, user):
    of_leo = Caller(user.user_id, group.doors["leo"].being.being_id, frozenset({"read"}))
    assert [room.slug for room in rooms.opened_by(group.store, of_leo)] == ["tavern"]
