"""Of what frontends send, the user's own words are the user's: wrapped, asked, named, or left without words."""

import json
from functools import partial

import httpx2
import pytest

from tests.acceptance.conftest import PATIENCE
from tests.acceptance.proxy.conftest import secret_of
from tests.acceptance.proxy.test_memory import said
from tests.fakes.upstream import Reply, completion
from tests.frontends import assistant, user
from tests.processes.recordings import BACKGROUND

RAG = "### Task:\nRespond to the user query using the provided context.\n\n<context>\n"
OWN = "My name is Ann."
WRAPPED = {
    "a document": f'{RAG}<source id="1" name="cv.md">I live in Bern. I love chess.</source>\n</context>\n\n{OWN}',
    "a document about tags": f'{RAG}<source id="1">Use <chat_history> tags.</source>\n</context>\n\n{OWN}',
    "a quoted context": f'Context:\n"""\nI live in Bern. I love chess.\n"""\n\n{OWN}',
    "web results": f"{OWN}\n\nWeb search results:\n[1] I live in Bern. I love chess. (https://x.example)",
}
CARD = "You are Mira, a pirate captain.\n\nLorebook: I live in Ossia. I love tar.\n\n"
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


# Seconds after which an answer is stored, even on a loaded machine: no worker is waited for.
SOON = 30.0


@pytest.fixture
def wait_until(wait_until):
    """Wait for what the proxy stores by itself."""
    return partial(wait_until, patience=SOON)


@pytest.fixture
def send(proxy, person):
    """Send a transcript whose answer is given; returns the headers of the answer."""
    with httpx2.Client(headers={"Authorization": f"Bearer {secret_of(person)}"}, timeout=PATIENCE) as client:

        def sent(*messages, answer="ok"):
            proxy.upstream.replies.append(Reply.document(completion(answer)))
            body = json.dumps({"model": "fake-1", "messages": list(messages)}).encode()
            headers = {"Content-Type": "application/json"}
            reply = client.post(f"{proxy.base_url}/chat/completions", content=body, headers=headers)
            assert reply.status_code == 200
            return reply.headers

        yield sent


@pytest.mark.parametrize("form", WRAPPED)
def test_what_a_frontend_wraps_around_a_line_is_not_said(send, person, wait_until, form):
    send(user(WRAPPED[form]), answer="Hello, Ann.")
    wait_until(lambda: said(person) == [("user", OWN), ("assistant", "Hello, Ann.")])
    send(user(OWN), assistant("Hello, Ann."), user("And you?"), answer="I am well.")
    told = [("user", OWN), ("assistant", "Hello, Ann."), ("user", "And you?"), ("assistant", "I am well.")]
    wait_until(lambda: said(person) == told)


def test_a_chat_in_one_message_is_a_chat(send, person, wait_until):
    send(user(f"{CARD}Ann: hi\nMira: hello\nAnn: my dog is called Rex"), answer="Nice dog!")
    told = [("user", "hi"), ("assistant", "hello"), ("user", "my dog is called Rex"), ("assistant", "Nice dog!")]
    wait_until(lambda: said(person) == told)
    send(user(f"{CARD}Ann: hi\nMira: hello\nAnn: my dog is called Rex\nMira: Nice dog!\nAnn: he barks"), answer="Woof.")
    wait_until(lambda: said(person) == [*told, ("user", "he barks"), ("assistant", "Woof.")])


def test_requests_of_frontends_leave_nothing(send, person):
    for messages in BACKGROUND.values():
        assert send(*messages)["x-memory-stored"] == "none"
    assert said(person) == []


@pytest.mark.parametrize(
    "words",
    [
        "Please generate a concise title for my novel about my sister Vera.",
        "Pause your roleplay for a moment: my mother died today.",
        "Here is my day: <summary>I live in Bern. I love chess.</summary>",
    ],
)
def test_what_a_person_says_like_an_instruction_is_said(send, person, wait_until, words):
    assert send(user("hi"), assistant("Hello!"), user(words))["x-memory-stored"] == "yes"
    wait_until(lambda: said(person)[2:] == [("user", words), ("assistant", "ok")])


UNSURE = {
    "quoted talk": [user("Name this talk.\n\nUser: My cat is called Minka.\nAssistant: A lovely name.")],
    "quoted talk behind a system line": [
        {"role": "system", "content": "You are Mira."},
        user("Who is right?\n\nHuman: Minka is a cat.\nAI: She is a dog."),
    ],
    "the beginning of a template": [
        user("You have been provided with a set of responses from various models to the latest user query: Minka.")
    ],
    "an unknown template": [
        user("My cat is called Minka."),
        assistant("A lovely name."),
        user("Generate a title of three words for this conversation about Minka. Return only the title."),
    ],
    "an unknown template in one line": [
        user(
            "You are a bot. Your task is to write a title for the message below, no quotes.\n\nMy cat is called Minka."
        )
    ],
}


@pytest.mark.parametrize("form", UNSURE)
def test_what_may_be_either_is_stored_and_nothing_is_concluded_from_it(send, person, wait_until, form):
    messages = UNSURE[form]
    said_before = [one["content"] for one in messages[:-1] if one["role"] != "system"]
    words = messages[-1]["content"]
    assert send(*messages)["x-memory-stored"] == "unsure"
    wait_until(lambda: [text for _, text in said(person)] == [*said_before, words, "ok"])
    with person.ledger.transaction() as tx:
        rows = tx.execute(
            "select message_id, judged, rolling_version, spine_version, metadata from memory.messages"
            " where being_id = %s order by created_at, message_id",
            [person.being.being_id],
        ).fetchall()
    concluded = [(row["judged"], row["rolling_version"], row["spine_version"], row["metadata"]) for row in rows[-2:]]
    assert concluded == [(True, 0, 0, {"unsure": True})] * 2
    id_ = str(rows[-2]["message_id"])

    def is_found():
        found = person.ask("POST", "/search", json={"query": words[-80:]}).json()["results"]
        return id_ in [one["id"] for one in found]

    # A worker indexes it.
    wait_until(is_found, patience=PATIENCE)


def test_a_persona_and_a_character_are_known_by_the_names_of_every_line(send, person, wait_until):
    begin = {"role": "system", "content": "[Start a new Chat]"}
    chat = [begin, assistant("Ahoy!", name="Mira"), user("hi", name="Zo_")]
    send(*chat, answer="Welcome aboard.")
    send(*chat, assistant("Welcome aboard.", name="Mira"), user("Where to?", name="Zo_"), answer="North.")
    told = [
        ("assistant", "Ahoy!"),
        ("user", "hi"),
        ("assistant", "Welcome aboard."),
        ("user", "Where to?"),
        ("assistant", "North."),
    ]
    wait_until(lambda: said(person) == told)


@pytest.mark.parametrize(
    "wordless",
    [
        user([PICTURE]),
        user(""),
        user({"kind": "sound"}),
        {"role": "tool", "tool_call_id": "1", "content": "a cat"},
    ],
    ids=["picture", "nothing", "a dict", "a tool's result"],
)
def test_a_turn_without_words_keeps_its_place(send, person, wait_until, wordless):
    send(user("hi, I have a new cat"), answer="Hello! Show me.")
    shown = [user("hi, I have a new cat"), assistant("Hello! Show me."), wordless]
    send(*shown, answer="A lovely cat!")
    told = [("user", "hi, I have a new cat"), ("assistant", "Hello! Show me."), ("assistant", "A lovely cat!")]
    wait_until(lambda: said(person) == told)
    send(*shown, assistant("A lovely cat!"), user("She is."), answer="Yes.")
    wait_until(lambda: said(person) == [*told, ("user", "She is."), ("assistant", "Yes.")])


def test_an_answer_to_a_picture_alone_is_taken_in_once(send, person, wait_until):
    send(user([PICTURE]), answer="A lovely cat!")
    wait_until(lambda: said(person) == [("assistant", "A lovely cat!")])
    send(user([PICTURE]), assistant("A lovely cat!"), user("She is."), answer="Yes.")
    wait_until(lambda: said(person) == [("assistant", "A lovely cat!"), ("user", "She is."), ("assistant", "Yes.")])


def answer_of(number, panel):
    block = f"```status\nHP {number}\n```\n" if panel else ""
    return f'{block}Text {number}: behind the hill lies "village" {number}.'


GERMAN = "Hinter dem Hügel liegt das Dorf {}, und die Wege sind lang."
HISTORY = {
    "translated": (
        lambda number, _: GERMAN.format(number),
        lambda number, last: (
            f"Where is the village of the {number}?" if last else f"Wo ist das hier, und wo ist die {number}?"
        ),
    ),
    "a panel is taken out": (lambda number, last: answer_of(number, panel=last), lambda number, _: f"Go on, {number}."),
    "a time before the newest line": (
        lambda number, _: answer_of(number, panel=True),
        lambda number, last: f"[12:3{number}] Go on, {number}." if last else f"Go on, {number}.",
    ),
    "a word is masked on both sides": (
        lambda number, last: answer_of(number, panel=True).replace("hill", "hill" if last else "****"),
        lambda number, last: f"Go on to the hill, {number}.".replace("hill", "hill" if last else "****"),
    ),
    "every line is masked": (
        lambda number, _: f'Text {number}: behind the **** lies "village" {number}.',
        lambda number, last: f"My {'sister Vera' if last else '████'} went on to village {number}.",
    ),
    "answers translated": (
        lambda number, last: answer_of(number, panel=True) if last else GERMAN.format(f"{number} {number}"),
        lambda number, _: f"Go on, {number}.",
    ),
    "quotation marks": (
        lambda number, last: answer_of(number, panel=True).replace('"', '"' if last else "\u201d"),
        lambda number, _: f"Go on, {number}.",
    ),
}


def test_an_edit_of_the_first_words_takes_their_place(send, person, wait_until):
    send(user("My dog is Max."), answer="Nice dog!")
    send(user("My dog is Max."), assistant("Nice dog!"), user("And my cat is Tom."), answer="Nice cat!")
    wait_until(lambda: len(said(person)) == 4)
    rest = [assistant("Nice dog!"), user("And my cat is Tom."), assistant("Nice cat!")]
    send(user("My dog is Rex."), *rest, user("Bye."))
    told = ["My dog is Rex.", "Nice dog!", "And my cat is Tom.", "Nice cat!", "Bye.", "ok"]
    wait_until(lambda: [words for _, words in said(person)] == told)


def test_an_answer_that_goes_on_keeps_its_space(send, person, wait_until):
    send(user("Who is Minka?"), answer="A cat.")
    send(user("Who is Minka?"), assistant("A cat. "), answer="She is nine.")
    wait_until(lambda: ("assistant", "A cat. She is nine.") in said(person))


@pytest.mark.parametrize("form", HISTORY)
def test_rewritten_history_is_the_same_talk(send, person, wait_until, form):
    answers, lines = HISTORY[form]
    for turn in range(1, 7):
        shown = []
        for number in range(1, turn):
            shown += [user(lines(number, False)), assistant(answers(number, number == turn - 1))]
        send(*shown, user(lines(turn, True)), answer=answer_of(turn, panel=True))
        wait_until(lambda count=2 * turn: len(said(person)) == count)
    with person.ledger.transaction() as tx:
        (row,) = tx.execute(
            "select count(*) as n from memory.retracted_messages where being_id = %s", [person.being.being_id]
        )
    assert row["n"] == 0
