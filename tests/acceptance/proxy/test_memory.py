"""The proxy's memory of a chat, and what of it comes back into prompts."""

from itertools import count

import openai
import pytest

from tests.acceptance.proxy.conftest import secret_of
from tests.fakes.upstream import Reply, completion
from tests.frontends import wire

NUMBERS = count()


def said(person, being=None):
    """A Being's talk as it stands, oldest first."""
    being = being or person.being
    with person.ledger.transaction() as tx:
        rows = tx.execute(
            "select role, content from memory.messages where being_id = %s order by created_at, message_id",
            [being.being_id],
        )
        return [(row["role"], row["content"]) for row in rows]


def asked(sdk, *messages, **options):
    """Send a transcript; returns the raw answer."""
    return sdk.chat.completions.with_raw_response.create(model="fake-1", messages=wire(*messages), **options)


def test_open_webuis_own_header_names_the_chat(sdk):
    assert asked(sdk(x_openwebui_chat_id="3f1c"), "Hello.").headers["x-memory-conversation"] == "3f1c"


def test_a_chat_is_taken_in_once_and_comes_back_in_another(proxy, sdk, person, wait_until):
    chat = sdk()
    proxy.upstream.replies.append(Reply.document(completion("How exciting! By ferry?")))
    first = asked(chat, "My sister Ingeborg is moving to Bergen in May.")
    assert first.headers["x-memory-stored"] == "yes"
    assert first.headers["x-memory-recall"] == "included"
    assert first.headers["x-memory-being"] == "mira"
    proxy.upstream.replies.append(Reply.stream("The long ", "way, then."))
    second = sdk(x_memory_conversation=first.headers["x-memory-conversation"])
    list(
        second.chat.completions.create(
            model="fake-1",
            stream=True,
            messages=wire(
                "My sister Ingeborg is moving to Bergen in May.", "How exciting! By ferry?", "No, she is afraid of it."
            ),
        )
    )
    told = [
        ("user", "My sister Ingeborg is moving to Bergen in May."),
        ("assistant", "How exciting! By ferry?"),
        ("user", "No, she is afraid of it."),
        ("assistant", "The long way, then."),
    ]
    wait_until(lambda: said(person) == told)
    # The transcript shows it, so no passage does.
    assert not any(b"<passage" in request.raw for request in proxy.upstream.requests)

    def comes_back():
        asked(chat, f"{next(NUMBERS)}: when does my sister Ingeborg move to Bergen?")
        return "moving to Bergen in May" in proxy.upstream.requests[-1].body["messages"][-1]["content"]

    wait_until(comes_back)
    system, words = proxy.upstream.requests[-1].body["messages"]
    assert (system["role"], words["role"]) == ("system", "user")
    # What varies is behind the words, so that a cache of prefixes serves all before them.
    assert "<passage" not in system["content"]
    assert words["content"].index("when does my sister") < words["content"].index("<passage")


def test_an_answer_that_was_cut_short_is_taken_in_as_far_as_it_came(proxy, sdk, person, wait_until):
    proxy.upstream.replies.append(Reply.stream("Once upon ", "a time", ending="wait"))
    with sdk().chat.completions.create(
        model="fake-1", stream=True, messages=[{"role": "user", "content": "Tell me a story."}]
    ) as stream:
        words = [next(stream).choices[0].delta.content for _ in range(3)]
    assert words == ["", "Once upon ", "a time"]
    wait_until(lambda: said(person) == [("user", "Tell me a story."), ("assistant", "Once upon a time")])


def test_a_request_of_the_frontends_own_leaves_no_word(proxy, sdk, person):
    answer = asked(sdk(x_memory_background="true"), "Write a title for this chat.")
    assert (answer.headers["x-memory-stored"], answer.headers["x-memory-recall"]) == ("none", "none")
    assert said(person) == []
    # Its prompt is not changed.
    assert proxy.upstream.requests[-1].body["messages"] == [{"role": "user", "content": "Write a title for this chat."}]


def test_a_region_that_was_written_for_one_chat_is_in_the_prompts_of_that_chat_alone(proxy, sdk, person):
    person.ask("PUT", "/profiles/chatFrontend", json={"regions": ["default"], "others": True})
    for chat in ("tab-1", "tab-2", None):
        params = {} if chat is None else {"conversation": chat}
        person.ask("PUT", "/working-memory/userNotes", params=params, json=[{"content": f"Note of {chat}."}])
    for chat in ("tab-1", "tab-2", "tab-3"):
        asked(sdk(x_memory_conversation=chat), f"Hello from {chat}.")
        prompt = proxy.upstream.requests[-1].raw.decode()
        notes = [of for of in ("tab-1", "tab-2", "tab-3", "None") if f"Note of {of}." in prompt]
        assert notes == ([chat] if chat != "tab-3" else [])
        # Another chat's last word is not the message before.
        assert "message before" not in prompt
    contexts = person.ask("GET", "/contexts").json()["contexts"]
    assert [one["conversation"] for one in contexts] == ["tab-3", "tab-2", "tab-1"]


def test_of_several_answers_none_is_taken_in(proxy, sdk, person):
    proxy.upstream.replies.append(Reply.document(completion("One of two.", choices=2)))
    asked(sdk(), "Choose.", n=2)
    assert said(person) == [("user", "Choose.")]


@pytest.mark.parametrize(
    ("answer", "stands"),
    [
        ("<think>I will hide the key.</think>Good evening!", "Good evening!"),
        ("[THINK]I will hide the key.[/THINK]Good evening!", "Good evening!"),
        ("<mm:think>I will hide the key.</mm:think>Good evening!", "Good evening!"),
        ("<|channel>thought\nI will hide the key.<channel|>Good evening!", "Good evening!"),
        ("Cut everything up to </think> with a regex.", "Cut everything up to </think> with a regex."),
        ("Write <think> first. Pilot is my cat.", "Write <think> first. Pilot is my cat."),
    ],
)
def test_what_a_model_thinks_is_no_talk_and_words_about_its_tags_are(proxy, sdk, person, wait_until, answer, stands):
    proxy.upstream.replies.append(Reply.stream(answer[:9], answer[9:]))
    chat = sdk().chat.completions
    parts = chat.create(model="fake-1", stream=True, messages=wire("Hello, Mira."))
    assert "".join(part.choices[0].delta.content or "" for part in parts if part.choices) == answer
    wait_until(lambda: said(person) == [("user", "Hello, Mira."), ("assistant", stands)])
    chat.create(model="fake-1", messages=wire("Hello, Mira.", answer, "And now?"))
    assert said(person)[:3] == [("user", "Hello, Mira."), ("assistant", stands), ("user", "And now?")]


def test_an_answer_closes_the_reasoning_that_its_request_opened(proxy, sdk, person, wait_until):
    for options, lines in (
        ({"extra_body": {"chat_template_kwargs": {"enable_thinking": True}}}, []),
        ({}, [{"role": "assistant", "content": "<think>\n"}]),
    ):
        words = f"Hello {next(NUMBERS)}."
        proxy.upstream.replies.append(Reply.document(completion("I will hide it.</think>Good evening!")))
        sdk(x_memory_conversation=words).chat.completions.create(
            model="fake-1", messages=[*wire(words), *lines], **options
        )
        wait_until(lambda words=words: said(person)[-2:] == [("user", words), ("assistant", "Good evening!")])


def test_the_upstreams_failure_leaves_the_users_turn(proxy, sdk, person, wait_until):
    proxy.upstream.replies.append(Reply.document({"error": {"message": "No."}}, 500))
    with pytest.raises(openai.InternalServerError):
        asked(sdk(), "Are you there?")
    assert said(person) == [("user", "Are you there?")]
    asked(sdk(), "Are you there?")
    wait_until(lambda: said(person) == [("user", "Are you there?"), ("assistant", "ok")])


def test_beings_and_users_are_apart(proxy, sdk, person, newcomer):
    tom, other = person.add_being("tom"), newcomer()
    body = {"messages": [{"role": "user", "content": "A secret for Tom: the key is under the stone."}]}
    token = secret_of(person)
    sdk(token).chat.completions.create(model="fake-1@tom", **body)
    assert said(person, tom)
    assert said(person) == []
    with pytest.raises(openai.BadRequestError, match="which Being"):
        sdk(token).chat.completions.create(model="fake-1", **body)
    bound = secret_of(person, being_id=person.being.being_id)
    with pytest.raises(openai.NotFoundError, match="no Being"):
        sdk(bound).chat.completions.create(model="fake-1@tom", **body)
    with pytest.raises(openai.NotFoundError, match="no Being"):
        sdk(secret_of(other), x_memory_being=str(tom.being_id)).chat.completions.create(model="fake-1", **body)
    seen = len(proxy.upstream.requests)
    answer = sdk(bound).chat.completions.create(
        model="fake-1", messages=[{"role": "user", "content": "Where is the key under the stone?"}]
    )
    assert answer.choices[0].message.content == "ok"
    assert "A secret for Tom" not in proxy.upstream.requests[seen].raw.decode()
    # A model whose own name has an @, with the Being in a header.
    sdk(token, x_memory_being="mira").chat.completions.create(model="vendor@7", messages=wire("Hi."))
    assert proxy.upstream.requests[-1].body["model"] == "vendor@7"


def test_what_is_said_in_a_room_is_told_to_those_that_are_present(proxy, sdk, person, wait_until):
    leo, kay = person.add_being("leo"), person.add_being("kay")
    room = {"name": "Tavern", "beings": ["mira", "leo", "kay"]}
    assert person.client.post("/v1/rooms", json=room).is_success
    here = {"x_memory_room": "tavern", "x_memory_present": "mira,leo"}
    proxy.upstream.replies.append(Reply.document(completion("Good evening.")))
    first = asked(sdk(x_memory_being="mira", **here), "Hello, both.")
    assert first.headers["x-memory-stored"] == "yes"
    wait_until(lambda: len(said(person, leo)) == 2)
    proxy.upstream.replies.append(Reply.document(completion("Evening, Mira.")))
    lines = ["Hello, both.", {"role": "assistant", "content": "Good evening.", "name": "mira"}]
    asked(sdk(x_memory_being="leo", **here), *lines)
    told = ["Hello, both.", "Good evening.", "Evening, Mira."]
    wait_until(lambda: [words for _, words in said(person)] == told)
    assert said(person) == [("user", told[0]), ("assistant", told[1]), ("other", told[2])]
    assert said(person, leo) == [("user", told[0]), ("other", told[1]), ("assistant", told[2])]
    assert said(person, kay) == []

    # A token for one Being tells that one alone, and what names no room of the Being stores nothing.
    proxy.upstream.replies.append(Reply.document(completion("Yes?")))
    asked(sdk(secret_of(person, being_id=kay.being_id), x_memory_room="tavern"), "Kay, listen.")
    wait_until(lambda: said(person, kay) == [("user", "Kay, listen."), ("assistant", "Yes?")])
    assert len(said(person)) == len(said(person, leo)) == 3
    proxy.upstream.replies.append(Reply.document(completion("Where?")))
    unknown = asked(sdk(x_memory_being="mira", x_memory_room="cellar"), "Is anybody here?")
    assert unknown.headers["x-memory-stored"] == "no"
    assert len(said(person)) == 3
