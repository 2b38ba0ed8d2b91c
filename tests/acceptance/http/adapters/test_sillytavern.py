"""The SillyTavern extension, in a browser, on a page that emits SillyTavern's events."""

import json
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Route

from memory.intake.importers.entries import entry_id
from memory.intake.importers.sillytavern import message_id
from schemas.accounts.accounts import NewBeing
from schemas.accounts.slugs import slug_of
from schemas.settings import CHECKOUT
from tests.processes.browser import Pages, accessibility_faults

EXTENSION = CHECKOUT / "adapters" / "sillytavern"
PAGE = Path(__file__).with_name("sillytavern.html")


@pytest.fixture(scope="module")
def kept_page(chromium):
    """The page that the tests share, which keeps nothing when it is loaded anew."""
    files = {
        "": (PAGE, "text/html"),
        "index.js": (EXTENSION / "index.js", "text/javascript"),
        "style.css": (EXTENSION / "style.css", "text/css"),
    }
    with chromium.used() as browser:
        pages = Pages(browser)
        page = pages()
        for name, (path, kind) in files.items():
            page.route(f"**/tavern/{name}", partial(Route.fulfill, path=path, content_type=kind))
    yield page
    with chromium.used():
        pages.close()


@pytest.fixture
def tavern(chromium, kept_page, stack, person):
    """A page with the extension, for a character whose Being is the person's."""
    with chromium.used():
        kept_page.goto(f"{stack.url}/tavern/")
        kept_page.wait_for_selector("text=This character's Being")
        kept_page.get_by_label("URL of the API").fill(stack.url)
        token = person.with_token(["ingest", "read"]).headers["authorization"].removeprefix("Bearer ")
        kept_page.get_by_label("Token").fill(token)
        kept_page.get_by_label("Token").blur()
        yield kept_page


@pytest.fixture
def stands(person):
    """The words of the messages that stand, with their conversation, oldest first."""

    def rows():
        with person.ledger.transaction() as tx:
            found = tx.execute(
                "select conversation, content from memory.messages where being_id = %s order by created_at",
                [person.being.being_id],
            ).fetchall()
        return [(row["conversation"].rpartition("/")[2], row["content"]) for row in found]

    return rows


def does(page, name, *arguments):
    return page.evaluate("([name, given]) => does[name](...given)", [name, list(arguments)])


def test_what_is_said_stands_and_what_is_taken_back_does_not(tavern, stands):
    does(tavern, "opens", "chat one")
    does(tavern, "sends", "I grow quinces.")
    does(tavern, "receives", "How many?")
    assert stands() == [("chat one", "I grow quinces."), ("chat one", "How many?")]
    does(tavern, "swipesToANewAnswer", "Which sort?")
    assert stands() == [("chat one", "I grow quinces."), ("chat one", "Which sort?")]
    does(tavern, "swipesTo", 0)
    assert stands()[1] == ("chat one", "How many?")
    does(tavern, "edits", 0, "I grow medlars.")
    assert stands() == [("chat one", "I grow medlars."), ("chat one", "How many?")]
    does(tavern, "sends", "Seven trees.")
    does(tavern, "deletesFrom", 1)
    assert stands() == [("chat one", "I grow medlars.")]


def test_each_name_has_a_slug_of_its_own(tavern):
    names = ["黑兽", "黑狗", "黑兽 2", "黑狗 2", "Серафина", "🌙", "☀", "Shared", "x" * 80, "x" * 81, "_", "!"]
    slugs = tavern.evaluate("async (names) => names.map((await import('./index.js')).slugOf)", names)
    assert len(set(slugs)) == len(names)
    for slug in slugs:
        NewBeing.model_validate({"slug": slug, "name": "x"})
    assert slugs == [slug_of(name) for name in names]
    kept = ["Mira", "Ada Lovelace", "Zoë", "Mira 🌙", " Серафина"]
    slugs_of_kept = tavern.evaluate("async (names) => names.map((await import('./index.js')).slugOf)", kept)
    assert slugs_of_kept == ["mira", "ada-lovelace", "zo", "mira", slugs[names.index("Серафина")]]


def test_what_is_refused_is_told_and_what_is_long_stands(tavern, stands):
    does(tavern, "opens", "chat")
    does(tavern, "receives", "<think>Only a thought.</think>")
    tavern.wait_for_selector("text=Refused 1: content")
    does(tavern, "sends", "x" * 70_000)
    does(tavern, "receives", "cut \ud83d")
    assert [words[:10] for _, words in stands()] == ["x" * 10, "cut \ufffd"]


@pytest.fixture
def heard(person):
    """The messages of each of the named Beings, oldest first."""
    person.add_being("leo")
    person.add_being("kay")

    def rows(*slugs):
        with person.ledger.transaction() as tx:
            found = tx.execute(
                "select b.slug, m.role, m.content from memory.beings as b join memory.messages as m using (being_id)"
                " where b.user_id = %s order by m.created_at, m.message_id",
                [person.user.user_id],
            ).fetchall()
        said = {slug: [row["content"] for row in found if row["slug"] == slug] for slug in slugs}
        own = {row["content"] for row in found if row["role"] == "assistant" and row["slug"] in slugs}
        return said, own

    return rows


def test_in_a_group_each_member_hears_what_is_said_while_it_is_there(tavern, person, heard):
    room = {"name": "The Tavern", "beings": ["mira", "leo", "kay"]}
    assert person.client.post("/v1/rooms", json=room).is_success
    does(tavern, "opensAGroup", "The Tavern", ["Mira", "Leo", "Kay"], "evening")
    does(tavern, "sends", "Hello, all.")
    does(tavern, "answersAs", "Leo", "Good evening.")
    does(tavern, "mutes", "Leo")
    does(tavern, "sends", "Leo is asleep.")
    does(tavern, "answersAs", "Mira", "So he is.")
    everything = ["Hello, all.", "Good evening.", "Leo is asleep.", "So he is."]
    said, own = heard("mira", "leo", "kay")
    assert said == {"mira": everything, "leo": everything[:2], "kay": everything}
    assert own == {"So he is.", "Good evening."}
    assert heard("kay")[1] == set()

    # Presence hides a line from one that was there, and shows one to another that was not.
    does(tavern, "isPresentAt", 0, "Mira", "Leo", "Kay")
    does(tavern, "isPresentAt", 0, "Mira", "Leo")
    does(tavern, "isPresentAt", 2, "Mira", "Kay")
    does(tavern, "isPresentAt", 2, "Mira", "Kay", "Leo")
    said, _ = heard("mira", "leo", "kay")
    assert said == {"mira": everything, "leo": everything[:3], "kay": everything[1:]}

    # What is retracted is so for all, but what a branch has of its chat stays.
    does(tavern, "deletesFrom", 3)
    assert heard("mira")[0] == {"mira": everything[:3]}
    does(tavern, "branchesAt", 1, "branch")
    does(tavern, "edits", 0, "Hello, Mira.")
    assert sorted(heard("mira")[0]["mira"]) == sorted([*everything[:3], "Hello, Mira."])


def test_an_edited_line_and_a_branch_are_told_to_those_that_heard_it(tavern, person, heard):
    room = {"name": "The Tavern", "beings": ["mira", "leo", "kay"]}
    assert person.client.post("/v1/rooms", json=room).is_success
    does(tavern, "opensAGroup", "The Tavern", ["Mira", "Leo", "Kay", "Zed"], "evening")
    does(tavern, "mutes", "Kay")
    does(tavern, "sends", "The key is under the mat.")
    does(tavern, "answersAs", "Leo", "Which mat?")
    # Zed's Being takes no part in the room: the others hear it, and it hears nothing.
    does(tavern, "answersAs", "Zed", "I see no mat.")
    does(tavern, "mutes")
    does(tavern, "leaves", "Leo")
    does(tavern, "edits", 0, "The key is in the jug.")
    does(tavern, "edits", 1, "Which jug?")
    everything = ["The key is in the jug.", "Which jug?", "I see no mat."]
    said, own = heard("mira", "leo", "kay")
    assert said == {"mira": everything, "leo": everything, "kay": []}
    assert own == {"Which jug?"}

    does(tavern, "branchesAt", 1, "branch")
    does(tavern, "sends", "Welcome, Kay.")
    said, _ = heard("mira", "leo", "kay")
    assert said == {"mira": [*everything, "Welcome, Kay."], "leo": everything, "kay": ["Welcome, Kay."]}


def test_what_one_member_remembers_is_in_no_quiet_request_of_another(tavern, person, heard):
    heard()
    room = {"name": "The Tavern", "beings": ["mira", "leo"]}
    assert person.client.post("/v1/rooms", json=room).is_success
    person.ask("POST", "/facts", json=[{"type": "PROFILE", "content": "Allergic to walnuts.", "pinned": True}])
    does(tavern, "opensAGroup", "The Tavern", ["Mira", "Leo"], "evening")
    does(tavern, "sends", "What should I not eat?")
    assert "Allergic to walnuts." in does(tavern, "answersAs", "Mira", "Walnuts.")["value"]
    assert does(tavern, "drafts", "Leo")["value"] == ""


def test_a_group_without_a_room_is_one_being_as_before(tavern, person, heard):
    person.add_being("group")
    does(tavern, "opensAGroup", "The Cellar", ["Mira", "Leo"], "evening")
    does(tavern, "sends", "Hello, all.")
    assert heard("group", "mira", "leo")[0] == {"group": ["Hello, all."], "mira": [], "leo": []}


def lines(name):
    """A recorded chat's lines, without its header."""
    return [json.loads(line) for line in (PAGE.parent / "sillytavern" / name).read_text("utf-8").splitlines()[1:]]


def test_what_is_hidden_from_the_model_was_said(tavern, stands):
    does(tavern, "opens", "chat", lines("hidden.jsonl"))
    kept = ["My sister Vera is allergic to walnuts.", "Noted.", "What shall we bake?"]
    assert [words for _, words in stands()] == kept
    does(tavern, "hides", 5)
    assert [words for _, words in stands()] == kept


def test_a_models_reasoning_is_not_handed_in(tavern, stands):
    does(tavern, "opens", "chat", lines("thoughts.jsonl"))
    assert [words for _, words in stands()] == ["hi", "Good evening!", "The key is gone."]


@pytest.fixture
def away(tavern, stack):
    """Lets the API be out of reach, and back."""

    def change(*, is_away):
        url = "http://127.0.0.1:1" if is_away else stack.url
        tavern.evaluate("url => { tavern.extensionSettings.memory_patrol.url = url; }", url)

    return change


def test_changes_made_while_the_api_was_away_arrive_when_the_chat_opens_again(tavern, stands, away):
    does(tavern, "opens", "chat")
    does(tavern, "sends", "I grow quinces.")
    does(tavern, "receives", "How many?")
    does(tavern, "sends", "Seven.")
    does(tavern, "receives", "So many!")
    away(is_away=True)
    does(tavern, "edits", 0, "I grow medlars.")
    does(tavern, "deletesAt", 2)
    does(tavern, "sends", "They are late.")
    does(tavern, "saves")
    does(tavern, "opens", "other")
    away(is_away=False)
    does(tavern, "opensSaved", "chat")
    assert [words for _, words in stands()] == ["I grow medlars.", "How many?", "So many!", "They are late."]


def test_a_chat_that_was_renamed_stays_the_same_chat(tavern, stands, away):
    does(tavern, "opens", "chat")
    does(tavern, "sends", "I grow quinces.")
    does(tavern, "receives", "How many?")
    away(is_away=True)
    does(tavern, "renames", "orchard")
    does(tavern, "edits", 0, "I grow medlars.")
    away(is_away=False)
    does(tavern, "sends", "Seven.")
    assert stands() == [("chat", "I grow medlars."), ("chat", "How many?"), ("chat", "Seven.")]
    does(tavern, "renames", "garden")
    does(tavern, "deletesFrom", 2)
    assert stands() == [("chat", "I grow medlars."), ("chat", "How many?")]


def test_a_copy_of_a_chat_takes_nothing_from_it(tavern, stands):
    does(tavern, "opens", "chat")
    does(tavern, "sends", "I grow quinces.")
    does(tavern, "saves")
    does(tavern, "copies", "copy")
    does(tavern, "edits", 0, "I grow medlars.")
    assert sorted(stands()) == [("chat", "I grow quinces."), ("copy", "I grow medlars.")]


def test_a_temporary_chat_leaves_nothing(tavern, stands):
    does(tavern, "opens", "chat")
    does(tavern, "sends", "I grow quinces.")
    asked = []
    tavern.on("request", lambda request: asked.append(request.url))
    does(tavern, "opensATemporaryChat")
    prompt = does(tavern, "sends", "I will quit on Monday, and nobody is to know.")
    does(tavern, "receives", "Good luck.")
    does(tavern, "edits", 1, "I will quit on Tuesday.")
    assert asked == []
    assert prompt["value"] == ""
    assert stands() == [("chat", "I grow quinces.")]
    # Back with the character, its chat goes on.
    tavern.evaluate("() => Object.assign(tavern, { characterId: 0, name2: 'Mira' })")
    chat = [{"name": "Ada", "is_user": True, "is_system": False, "send_date": "2026-03-02T11:00:00Z", "mes": "Back."}]
    does(tavern, "opens", "other", chat)
    assert stands() == [("chat", "I grow quinces."), ("other", "Back.")]


def test_talk_off_the_record_is_recalled_for_and_not_handed_in_later(tavern, stands):
    does(tavern, "opens", "chat")
    does(tavern, "sends", "I grow quinces.")
    tavern.get_by_label("Off the record").check()
    does(tavern, "sends", "I will quit on Monday.")
    does(tavern, "receives", "Good luck.")
    does(tavern, "saves")
    assert stands() == [("chat", "I grow quinces.")]
    tavern.get_by_label("Off the record").uncheck()
    does(tavern, "opensSaved", "chat")
    does(tavern, "sends", "Back to the garden.")
    assert stands() == [("chat", "I grow quinces."), ("chat", "Back to the garden.")]


def test_what_is_under_way_when_another_character_is_chosen_goes_to_the_first_ones_being(tavern, stands, person):
    other = person.add_being("lou")
    does(tavern, "opens", "chat")
    lines = [
        {"name": "Ada", "is_user": True, "is_system": False, "send_date": f"2026-03-02T10:{n // 60:02}:{n % 60:02}Z"}
        | {"mes": f"Line {n}."}
        for n in range(250)
    ]
    # The character changes while the first of three requests is under way.
    tavern.evaluate(
        """async (lines) => {
            const send = globalThis.fetch;
            let chosen;
            globalThis.fetch = (...given) => {
                chosen ??= does.choosesACharacter('Lou', 'of lou');
                return send(...given);
            };
            await does.opens('long', lines);
            await chosen;
            globalThis.fetch = send;
        }""",
        lines,
    )
    assert len(stands()) == 250
    with person.ledger.transaction() as tx:
        found = tx.execute("select 1 from memory.messages where being_id = %s", [other.being_id]).fetchall()
    assert found == []


def test_a_branch_is_a_conversation_that_adds_only_what_is_new(tavern, stands):
    does(tavern, "opens", "main")
    does(tavern, "sends", "We drive to Faro.")
    does(tavern, "receives", "By night?")
    does(tavern, "sends", "By day.")
    does(tavern, "branchesAt", 1, "branch")
    does(tavern, "sends", "By train, rather.")
    kept = [("main", "We drive to Faro."), ("main", "By night?"), ("main", "By day.")]
    assert stands() == [*kept, ("branch", "By train, rather.")]
    # What the branch shares is the chat's; what it has alone is its own.
    does(tavern, "edits", 1, "In the morning?")
    does(tavern, "deletesFrom", 2)
    assert sorted(stands()) == sorted([*kept, ("branch", "In the morning?")])


def test_a_chat_that_was_interrupted_is_brought_up_to_date_when_it_opens(tavern, stands, stack):
    does(tavern, "opens", "chat")
    tavern.evaluate("() => { tavern.extensionSettings.memory_patrol.url = 'http://127.0.0.1:1'; }")
    does(tavern, "sends", "Nobody hears this yet.")
    assert (
        "Not up to date" in tavern.get_by_role("status").inner_text()
        or "without memory" in tavern.get_by_role("status").inner_text()
    )
    assert stands() == []
    tavern.evaluate("url => { tavern.extensionSettings.memory_patrol.url = url; }", stack.url)
    chat = tavern.evaluate("() => tavern.chat")
    does(tavern, "opens", "chat", chat)
    does(tavern, "opens", "chat", chat)
    assert stands() == [("chat", "Nobody hears this yet.")]


def test_what_is_recalled_goes_into_the_prompt_and_into_the_panel(tavern, person):
    person.ask("POST", "/facts", json=[{"type": "PROFILE", "content": "Allergic to walnuts.", "pinned": True}])
    does(tavern, "opens", "chat")
    with tavern.expect_request(lambda request: request.url.endswith("/context")) as asked:
        prompt = does(tavern, "sends", "What should I not eat?", "Oats are safe.\n\n")
    assert asked.value.post_data_json["message"] == "What should I not eat?"
    assert "Allergic to walnuts." in prompt["value"]
    assert "What should I not eat?" not in prompt["value"]
    assert "Allergic to walnuts." in tavern.get_by_label("What was recalled").inner_text()
    tavern.evaluate("() => { tavern.extensionSettings.memory_patrol.url = 'http://127.0.0.1:1'; }")
    assert does(tavern, "sends", "And today?")["value"] == ""
    assert tavern.get_by_label("What was recalled").inner_text() == "Nothing."
    does(tavern, "opensATemporaryChat")
    assert tavern.evaluate("() => tavern.prompts.memory_patrol.value") == ""
    does(tavern, "choosesACharacter", "Mira", "chat")
    assert accessibility_faults(tavern, ".memory-patrol") == []


def test_an_import_of_the_same_chat_knows_the_same_messages(tavern, person):
    does(tavern, "opens", "chat")
    does(tavern, "sends", "É tarde 🌙.")
    message = tavern.evaluate("() => tavern.chat[0]")
    with person.ledger.transaction() as tx:
        (row,) = tx.execute(
            "select producer_id from memory.messages where being_id = %s", [person.being.being_id]
        ).fetchall()
    own = message_id("Ada", True, message["send_date"], "É tarde 🌙.", 1)
    assert row["producer_id"] == entry_id("sillytavern", own)
