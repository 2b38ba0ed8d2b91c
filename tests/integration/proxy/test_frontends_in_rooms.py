"""A frontend's group chat in a room: each character's request brings what was said to all that were present."""

import pytest

from memory.accounts import rooms
from memory.accounts.access import Caller
from memory.accounts.rooms import AskedRoom
from memory.proxy.exchange import take_answer
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

    def asks(self, slug, *said, answer=None, present=None, alone=False, **options):
        """Ask a character for an answer to a transcript, in which others' lines have names."""
        door = self.doors[slug]
        conversation, mates = rooms.enter(self.store, door.being, AskedRoom("tavern", present, alone))
        taken = door.asks(*said, conversation=conversation, room=mates, **options)
        if answer is not None:
            take_answer(self.store, door.settings, door.being, taken.place, answer, room=mates)
        return taken

    def words(self):
        """What each character has, by its slug."""
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
        rooms.enter(group.store, group.doors["mara"].being, AskedRoom("cellar"))
    group.asks("kay", user("Only Kay's token."), alone=True)
    assert group.words()["leo"] == ["Leo may hear this.", "Fine."]


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


# As SillyTavern 1.19 sends a group chat: with the names on the lines, or before the words.
SILLYTAVERN = {
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


def test_a_token_for_one_being_opens_its_rooms(group, user):
    of_leo = Caller(user.user_id, group.doors["leo"].being.being_id, frozenset({"read"}))
    assert [room.slug for room in rooms.opened_by(group.store, of_leo)] == ["tavern"]
