"""Of the transcripts that a frontend resends each message is stored once; what was edited or cut is retracted."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.proxy.matching import recognition
from tests.frontends import Door, assistant, user, wire


@pytest.fixture
def door(store, being):
    return Door(store, being)


@pytest.fixture
def talked(door):
    """A conversation of two exchanges."""
    door.asks("My cat is called Minka.", answer="A lovely name.")
    door.asks("My cat is called Minka.", "A lovely name.", "She is nine.", answer="Quite an age.")
    return ["My cat is called Minka.", "A lovely name.", "She is nine.", "Quite an age."]


def test_a_transcript_that_grows_stores_each_message_once(door, talked):
    taken = door.asks(*talked, "She likes tuna.", answer="Do give her some.")

    assert (taken.decision, taken.taken_in) == ("continued", 1)
    assert door.stands() == [*talked, "She likes tuna.", "Do give her some."]
    assert door.conversations() == 1


def test_an_identical_request_is_a_retry(door, talked):
    taken = door.asks(*talked[:3])

    assert (taken.decision, taken.taken_in, taken.retracted) == ("repeated", 0, 0)
    assert door.stands() == talked


MASKED = {
    "My dog Minka ran up the hill.": "My **** ***** ran up the [redacted].",
    "A dog on a hill!": "A [redacted] on a [redacted]!",
    "Then she saw a village.": "Then she saw a ████.",
    "Which village was it?": "Which ████ was it?",
    "Ulm.": "***",
    "Minka is a clever dog.": "M***a is a c****r [name].",
}


@pytest.mark.parametrize("shown", [6, 4], ids=["all", "the newest four"])
def test_a_chat_with_every_line_masked_is_the_same_chat(door, shown):
    lines = [*MASKED]
    for said in range(0, 6, 2):
        door.asks(*[MASKED[line] for line in lines[:said]][-shown:], lines[said], answer=lines[said + 1])

    assert (door.stands(), door.conversations(), door.retracted()) == (lines, 1, [])


def test_an_answer_is_stored_without_the_name_that_the_model_wrote_before_it(door):
    door.asks("Hi.", answer=f"{door.being.name}: Hello.\n\nNote: it rains.")
    door.asks("Hi.", "Hello.\n\nNote: it rains.", "Still?")

    assert door.stands() == ["Hi.", "Hello.\n\nNote: it rains.", "Still?"]


CLOTHES = {
    "escaped": lambda line: line.replace("'", "&#39;").replace('"', "&quot;"),
    "placeholders": lambda line: (
        line.replace("Vera", "{{name}}").replace("030 12345", "[PHONE]").replace("Ulm", "<CITY>")
    ),
    "names before answers": lambda line: f"Mara: {line}" if "hill" in line else line,
    "cut answers": lambda line: f"{line[:40]}…" if "hill" in line else line,
    "paragraphs": lambda line: f"<p>{line}</p>" if "hill" in line else line,
}


@pytest.mark.parametrize("form", CLOTHES)
def test_history_in_other_clothes_is_the_same(door, form):
    lines = []
    for asked in ('What\'s "Ulm", Vera?', "Isn't 030 12345 Vera's number in Ulm?", "It's late. Let's go."):
        shown = [CLOTHES[form](line) for line in lines]
        answer = f"Vera's village behind the hill number {len(lines)} is called Ulm, and I'll carry the lamp for you."
        door.asks(*shown, asked, answer=answer)
        lines += [asked, answer]

    assert (door.stands(), door.conversations(), door.retracted()) == (lines, 1, [])


@pytest.mark.parametrize(
    "shown",
    ["![A lamp](https://x.example/1.png)\n\nIt is [link] at hill {}.", "It is https://x.example/?a=1 at hill {}."],
)
def test_answers_without_their_pictures_and_addresses_are_the_same(door, shown):
    said, lines = "![A lamp](https://x.example/1.png)\n\nIt is https://x.example/?a=1 at hill {}.", []
    for number, asked in enumerate(["Ulm?", "Where?", "When?"]):
        history = [shown.format(at // 2) if at % 2 else line for at, line in enumerate(lines)]
        door.asks(*history, asked, answer=said.format(number))
        lines += [asked, said.format(number)]

    assert (door.stands(), door.conversations(), door.retracted()) == (lines, 1, [])


def test_lines_that_say_how_long_ago_they_were_said_are_the_same(door):
    said = []
    for number in range(3):
        ages = [f"[{5 * (number - at)} minutes ago] {asked}" for at, asked in enumerate(["Ulm?", "Where?", "When?"])]
        transcript = [line for pair in zip(ages[:number], said, strict=True) for line in pair]
        said.append(f"It is behind hill {number}.")
        door.asks(*transcript, ages[number], answer=said[-1])

    assert (len(door.stands()), door.conversations(), door.retracted()) == (6, 1, [])


def test_a_chat_in_which_another_thing_was_said_is_another(door, talked):
    door.asks("My dog is called Rex.", "A strong name.", "He is two.", answer="So young.")

    assert door.conversations() == 2
    assert door.stands() == [*talked, "My dog is called Rex.", "A strong name.", "He is two.", "So young."]


def test_requests_at_the_same_time_store_a_turn_once(door, talked):
    with ThreadPoolExecutor(6) as pool:
        taken = list(pool.map(lambda _: door.asks(*talked, "She likes tuna."), range(6)))

    assert sorted(one.decision for one in taken) == ["continued", *["repeated"] * 5]
    assert len({one.last.message_id for one in taken}) == 1
    assert door.stands() == [*talked, "She likes tuna."]


def test_a_transcript_is_aligned_without_the_lock_and_anew_if_the_talk_went_on_meanwhile(door, talked, monkeypatch):
    align, grown = recognition.align, [*talked, "She likes tuna."]
    meanwhile = []

    def slow(*args):
        if not meanwhile:
            meanwhile.append(None)
            meanwhile.append(door.asks(*grown))
        return align(*args)

    monkeypatch.setattr(recognition, "align", slow)
    taken = door.asks(*grown)

    assert (meanwhile[1].decision, taken.decision) == ("continued", "repeated")
    assert taken.last.message_id == meanwhile[1].last.message_id
    assert door.stands() == grown


def test_a_transcript_beyond_the_budget_begins_another_conversation(door, talked, monkeypatch):
    monkeypatch.setattr(recognition, "STEPS", 0)

    taken = door.asks(*talked[:2], "She is ten.")

    assert (taken.decision, taken.aligned, taken.retracted) == ("began", False, 0)
    assert door.conversations() == 2
    assert door.retracted() == []


def test_of_a_named_conversation_beyond_the_budget_the_newest_words_are_taken_in(door, monkeypatch):
    said = ["Hello.", "Hi.", "How are you?", "Well."]
    door.asks(*said[:3], answer=said[3], conversation="one")
    monkeypatch.setattr(recognition, "STEPS", 0)

    taken = door.asks("Hello.", "Hi.", "Is it late?", "It is.", "Then good night.", conversation="one")

    assert (taken.decision, taken.aligned, taken.retracted) == ("continued", False, 0)
    assert door.stands("one") == [*said, "Then good night."]


def test_an_answer_is_swiped_away_once_the_talk_goes_on_past_another(door, talked):
    door.asks(*talked[:3], answer="Nine is not old.")
    assert door.stands() == [*talked, "Nine is not old."]

    taken = door.asks(*talked[:3], "Nine is not old.", "True.")
    assert (taken.retracted, door.retracted()) == (1, ["Quite an age."])
    assert door.stands() == [*talked[:3], "Nine is not old.", "True."]

    taken = door.asks(*talked, "Indeed.")
    assert taken.restored == 1
    assert door.stands() == [*talked, "Indeed."]
    assert sorted(door.retracted()) == ["Nine is not old.", "True."]


def test_the_first_answer_is_swiped_away_if_nothing_was_said_to_it(door):
    door.asks("Hello, you.", answer="Hi.")
    door.asks("Hello, you.", answer="Good day.")
    door.asks("Hello, you.", "Good day.", "How are you?")

    assert door.stands() == ["Hello, you.", "Good day.", "How are you?"]


def test_going_back_retracts_the_branch_that_was_left_and_returning_restores_it(door, talked):
    door.asks(*talked[:2], "He is black.", answer="Like coal?")
    assert door.retracted() == []

    door.asks(*talked[:2], "He is black.", "Like coal?", "Yes.", answer="I see.")
    assert door.stands() == [*talked[:2], "He is black.", "Like coal?", "Yes.", "I see."]

    door.asks(*talked, "Back to her age.", answer="Gladly.")
    assert door.stands() == [*talked, "Back to her age.", "Gladly."]


def test_an_edit_in_the_middle_takes_the_place_of_the_message(door, talked):
    door.asks(*talked, "She likes tuna.", answer="Do give her some.")
    edited = [*talked[:2], "She is ten.", talked[3], "She likes tuna.", "Do give her some."]

    taken = door.asks(*edited, "And milk.")

    assert (taken.taken_in, taken.retracted) == (2, 1)
    assert door.stands() == [*edited, "And milk."]
    assert door.asks(*edited, "And milk.").taken_in == 0
    door.asks(*talked, "She likes tuna.", "Do give her some.", "And milk.", "Warm?", "Yes.")
    assert door.stands() == [*talked, "She likes tuna.", "Do give her some.", "And milk.", "Warm?", "Yes."]


def test_a_trimmed_answer_to_an_edited_message_is_the_same(door, talked):
    door.asks(*talked, "She likes tuna.", answer="Ok! And so")
    door.asks(*talked, "She likes tuna.", "Ok!", "Fresh.", answer="Yes. And so")
    # Both edited before any transcript is sent, and neither answered again.
    taken = door.asks(*talked, "She likes salmon.", "Ok!", "Cooked.", "Yes.", "Bye.")

    assert (taken.taken_in, taken.retracted) == (3, 2)
    assert door.stands() == [*talked, "She likes salmon.", "Ok! And so", "Cooked.", "Yes. And so", "Bye."]


def test_a_trimmed_answer_behind_two_edited_messages_is_the_same(door, talked):
    door.asks(*talked, "She likes tuna.", answer="Ok! And so")

    taken = door.asks(*talked[:3], "Quite old.", "She likes salmon.", "Ok!", "Bye.")

    assert (taken.taken_in, taken.retracted) == (3, 2)
    assert door.stands() == [*talked[:3], "Quite old.", "She likes salmon.", "Ok! And so", "Bye."]


def test_a_swiped_answer_to_a_message_that_was_edited_goes_when_the_talk_goes_on(door, talked):
    door.asks(*talked, "She likes tuna.", answer="I do not.")
    door.asks(*talked, "She likes tuna.", answer="Give her some.")
    edited = [*talked, "She likes salmon.", "Give her some."]

    assert door.asks(*edited, answer=" Today.").retracted == 1
    door.asks(*edited[:-1], "Give her some. Today.", "I will.")

    assert door.stands() == [*edited[:-1], "Give her some. Today.", "I will."]


def test_returning_to_a_branch_restores_what_the_frontend_cut_off_of_it(door, talked):
    branch = [*talked, "She likes tuna.", "Do give her some.", "I did, and water.", "Good for her."]
    door.asks(*branch[:5], answer=branch[5])
    door.asks(*branch[:7], answer=branch[7])
    door.asks(*talked, "She is ill.", "Poor Minka.", "Yes.")
    assert door.retracted() == branch[4:]

    taken = door.asks(*branch[6:], "Bye.")

    assert (taken.restored, taken.taken_in) == (4, 1)
    assert branch[4] in door.stands()


def test_words_that_were_said_behind_a_branch_that_nobody_knows_do_not_hide_it(door, talked):
    door.asks(*talked, "She likes tuna.", answer="Which?")
    door.asks(*talked, "She likes tuna.", "Which?", "Any.", answer="Sure.")

    # The memory was down when the person went back.
    door.asks(*talked, "She likes cod.", "Sure.", "Good.")

    assert door.stands() == [*talked, "She likes cod.", "Sure.", "Good."]


def test_a_deleted_exchange_is_not_replaced_by_what_followed_it(door, talked):
    door.asks(*talked, "Go on.", answer="Sure.")
    door.asks(*talked, "Go on.", "Sure.", "ok", answer="Sure.")

    assert door.asks(*talked, "ok", "Sure.", "ok").retracted == 0
    assert door.stands() == [*talked, "Go on.", "Sure.", "ok", "Sure.", "ok"]


def test_what_is_absent_is_not_retracted(door, talked):
    door.asks(*talked, "She likes tuna.", answer="Do give her some.")
    everything = [*talked, "She likes tuna.", "Do give her some."]

    door.asks(*everything[2:], "A")
    door.asks(*everything[:2], *everything[4:], "A", "", "B")
    door.asks(user("Summary: a cat called Minka."), assistant("Understood."), *everything[4:], "A", "", "B", "", "C")

    assert door.stands() == [*everything, "A", "B", "C"]
    assert door.conversations() == 1


def test_a_missing_answer_is_taken_from_the_transcript(door, talked):
    door.asks(*talked, "She likes tuna.")
    door.asks(*talked, "She likes tuna.", "Do give her some.", "And milk.")

    assert door.stands() == [*talked, "She likes tuna.", "Do give her some.", "And milk."]


def test_trimmed_aborted_and_reasoned_answers_are_the_same_message(door):
    door.asks("Tell me a story.", answer="<think>A short one.</think>\n\nOnce upon a time there was a cat. It")
    assert door.stands() == ["Tell me a story.", "Once upon a time there was a cat. It"]

    taken = door.asks("Tell me a story.", " Once upon a  time there was a cat. ", "Go on.", answer="<think>Hm, well")
    assert taken.taken_in == 1
    assert door.stands()[-1] == "Go on."


def test_a_trimmed_answer_at_the_beginning_of_a_cut_transcript_tells_the_conversation(door, talked):
    said = [*talked, "She likes tuna.", "Do give her as much of it as she eats.", "I will.", "Good."]
    door.asks(*said[:5], answer=said[5] + " And so")
    door.asks(*said[:7], answer=said[7])

    taken = door.asks(assistant(said[5]), user("I will."), assistant("Fine."), user("Bye."))

    assert (taken.decision, taken.taken_in) == ("continued", 2)
    assert door.conversations() == 1


def test_a_trimmed_answer_behind_a_greeting_and_a_summary_tells_the_conversation(door):
    greeting, long = assistant("Welcome back, traveller."), "Well, that is a long story, and I know it."
    door.asks(greeting, user("Hi."), answer=long)
    door.asks(greeting, user("Hi."), assistant(long), user("ok"), answer="Sure. And so")
    said = [assistant("Sure."), user("Let us go.")]
    door.asks(greeting, user("Hi."), assistant(long), user("ok"), *said, answer="Come.")
    door.asks("Are you there?", "Yes.", "ok", answer="Sure.")
    summary = [user("Summary: they met."), assistant("I remember.")]

    assert door.asks(greeting, *summary, *said, assistant("Come."), user("I come.")).taken_in == 1
    assert door.conversations() == 2


def test_a_continued_answer_takes_the_place_of_its_beginning(door, talked):
    taken = door.asks(*talked[:3], assistant("Quite an age."), answer=" Cats can live to twenty.")
    assert taken.decision == "repeated"

    door.asks(*talked[:3], "Quite an age. Cats can live to twenty.", "Really?")
    assert door.stands() == [*talked[:3], "Quite an age. Cats can live to twenty.", "Really?"]


def test_an_answer_behind_one_that_was_edited_is_another_where_the_frontend_shows_both(door, talked):
    shown = [*wire(*talked[:3]), assistant("She is old, and I will bring her a hat.")]
    door.asks(*shown, answer="And tuna.")
    door.asks(*shown, assistant("And tuna."), user("Yes."))

    assert door.stands() == [*talked[:3], "She is old, and I will bring her a hat.", "And tuna.", "Yes."]


@pytest.mark.parametrize("begins", ["*", 'She says "', "Sure, "])
def test_a_begun_answer_is_one_message(door, talked, begins):
    door.asks(*talked, "Does she nod?", assistant(begins), answer="nods* Yes.")

    assert door.stands() == [*talked, "Does she nod?", f"{begins}nods* Yes."]


def test_an_answer_that_a_program_begins_goes_on_from_there_and_tells_no_conversation(door):
    begins = "Sure, this is what I found for you about the town that you asked me for:"
    for town in ("Ulm", "Bern"):
        question = f"What is {town} known for?"
        taken = door.asks(question, assistant(begins), answer=f" {town} has a minster.")
        # What comes to mind is about the question.
        assert (taken.last.content, door.stands()[-2:]) == (question, [question, f"{begins} {town} has a minster."])
    door.asks("What is Bern known for?", f"{begins} Bern has a minster.", "And a river?")

    assert (door.conversations(), door.retracted()) == (2, [])
    assert {f"What is {town} known for?" for town in ("Ulm", "Bern")} < set(door.stands())
    assert {f"{begins} {town} has a minster." for town in ("Ulm", "Bern")} < set(door.stands())


def test_of_several_choices_a_later_transcript_shows_which(door, talked):
    assert door.asks(*talked, "Pick one.", choices=2).place is None
    door.asks(*talked, "Pick one.", "The second.", "Good.")

    assert door.stands() == [*talked, "Pick one.", "The second.", "Good."]


def test_the_same_words_again_are_another_message(door):
    door.asks("Go on.", answer="One.")
    door.asks("Go on.", "One.", "Go on.", answer="Two.")
    door.asks("Go on.", "One.", "Go on.", "Two.", "Go on.", answer="One.")

    assert door.stands() == ["Go on.", "One.", "Go on.", "Two.", "Go on.", "One."]


def test_a_sentence_tells_more_than_a_few_words_that_are_said_often(door, talked):
    otto = assistant("Shall we dance?", name="Otto")
    door.asks(*talked, user("ok"), assistant("Sure."), otto, user("ok"), choices=2)
    said = [otto, user("ok"), assistant("Sure."), assistant("Later?", name="Otto"), user("ok")]

    # The frontend cut the beginning off: the last three of it match in more messages one turn earlier.
    taken = door.asks(*said, answer="Fine.")

    assert (taken.taken_in, taken.retracted) == (3, 0)
    assert door.stands() == [*talked, "ok", "Sure.", "Shall we dance?", "ok", "Sure.", "Later?", "ok", "Fine."]


def test_a_trimmed_answer_is_not_taken_for_the_same_words_farther_on(door):
    said = ["Hi.", "Sure. And so", "Is it far?", "Sure."]
    door.asks("Hi.", answer=said[1])
    door.asks("Hi.", "Sure.", said[2], answer=said[3])
    door.asks("Hi.", "Sure.", "Is it near?", answer="Yes.")

    assert door.asks("Hi.", "Sure.", "Is it near?", "Yes.", "Good.").retracted == 2
    assert door.stands() == ["Hi.", "Sure. And so", "Is it near?", "Yes.", "Good."]


def test_a_trimmed_answer_is_not_taken_for_the_same_exchange_farther_on(door):
    door.asks("Hi.", "Yes.", "ok", answer="Sure. And so")
    said = ["Hi.", "Yes.", "ok", "Sure."]
    door.asks(*said, "Is it far?", "Yes, it is.", "ok", answer="Sure.")
    door.asks(*said, "Is it far?", "Yes, it is.", "ok", "Sure.", "Let us go.", answer="Come.")

    # Back to where that question stood.
    assert door.asks(*said, "Is it near?", answer="No.").retracted == 0
    assert door.asks(*said, "Is it near?", "No.", "Then we stay.").retracted == 6
    assert door.stands() == ["Hi.", "Yes.", "ok", "Sure. And so", "Is it near?", "No.", "Then we stay."]


def test_a_trimmed_answer_is_found_behind_words_that_stand_elsewhere(door):
    said = ["Hi.", "Yes."]
    door.asks(*said, "Ha!", answer="It was far away. And so")
    door.asks(*said, "Is it near?", answer="No.")
    door.asks(*said, "Is it near?", "No.", "Ha!", answer="What?")
    door.asks(*said, "Is it near?", "No.", "Ha!", "What?", "Go on.", answer="I will.")

    assert door.asks(*said, "Ha!", "It was far away.", "Where?").taken_in == 1
    assert door.stands() == [*said, "Ha!", "It was far away. And so", "Where?"]


def test_a_few_words_are_found_where_they_stood_though_longer_ones_stand_elsewhere(door):
    said = ["Hi.", "Yes."]
    door.asks(*said, "ok", choices=2)
    door.asks(*said, "Is it near?", answer="No.")
    door.asks(*said, "Is it near?", "No.", assistant("Shall we dance?", name="Otto"), "Go on.", answer="I will.")

    # Back to what had no answer yet.
    assert door.asks(*said, "ok", "Go on.").taken_in == 1
    assert door.stands() == [*said, "ok", "Go on."]


def test_a_trimmed_answer_is_not_taken_for_the_same_words_before_an_edit(door):
    door.asks("Hi.", "Yes.", "Is it far?", answer="Sure.")
    door.asks("Hi.", "Yes.", "Is it far?", "Sure.", "ok", answer="Sure. And so")

    assert door.asks("Hi.", "Yes.", "Is it far?", "No, it is near.", "ok", "Sure.", "Then we walk.").taken_in == 2
    assert door.stands() == ["Hi.", "Yes.", "Is it far?", "No, it is near.", "ok", "Sure. And so", "Then we walk."]
    assert door.retracted() == ["Sure."]


def test_edits_around_a_few_words_that_were_said_twice_are_told_by_their_number(door):
    said = ["ok", "Sure.", assistant("Shall we dance?", name="Otto"), user("Go on."), assistant("Sure.")]
    long = "Well, that is a long story, and I know it."
    door.asks(*said, user("Go on."), answer=long)
    edited = ["ok", "Where?", assistant("To the sea?", name="Otto"), user("Go on."), assistant("There."), user("When?")]

    assert door.asks(*edited, assistant(long), user("Good.")).taken_in == 5
    texts = [one if isinstance(one, str) else one["content"] for one in edited]
    assert door.stands() == [*texts, long, "Good."]


def test_a_trimmed_answer_behind_edits_is_not_taken_for_the_same_words_before_them(door):
    door.asks("Hi.", "Yes.", "Is it far?", answer="Sure.")
    door.asks("Hi.", "Yes.", "Is it far?", "Sure.", "ok", answer="Sure. And so")

    assert door.asks("Hi.", "Yes.", "Is it far?", "No, it is near.", "Good.", "Sure.", "Then we walk.").taken_in == 3
    assert door.stands() == ["Hi.", "Yes.", "Is it far?", "No, it is near.", "Good.", "Sure. And so", "Then we walk."]


def test_the_same_words_said_twice_before_a_deleted_answer_keep_their_places(door):
    long = "Well, that is a long story, and I know it."
    door.asks("Hi.", "Sure.", "ok", answer="Sure. And so")
    door.asks("Hi.", "Sure.", "ok", "Sure.", "ok", answer=long)
    door.asks("Hi.", "Sure.", "ok", "Sure.", "ok", long, "ok", answer="Sure.")

    assert door.asks("Hi.", "Sure.", "ok", "Sure.", "ok", "Sure.", "Bye.").taken_in == 1
    assert door.stands() == ["Hi.", "Sure.", "ok", "Sure. And so", "ok", long, "ok", "Sure.", "Bye."]


def test_words_that_were_edited_and_said_again_hide_nothing_between(door):
    door.asks("Hi.", answer="Sure.")
    otto = assistant("Shall we dance?", name="Otto")
    door.asks("Hi.", "Sure.", otto, user("ok"), choices=2)
    edited = [otto, user("Not now, thank you."), assistant("Sure."), assistant("Later?", name="Otto"), user("ok")]

    assert door.asks(user("Summary: they met."), *edited, answer="Fine.").taken_in == 4
    said = ["Shall we dance?", "Not now, thank you.", "Sure.", "Later?", "ok", "Fine."]
    door.asks("Hi.", "Sure.", *edited, assistant("Fine."), user("Yes."))

    assert door.stands() == ["Hi.", "Sure.", *said, "Yes."]
    assert door.retracted() == ["ok"]
    assert door.conversations() == 1


def test_the_same_opening_later_is_another_conversation(door, clock):
    door.asks("Good morning.", answer="Good morning!")
    clock.advance(hours=24)
    door.asks("Good morning.", answer="Good morning!")

    assert door.stands() == ["Good morning.", "Good morning!"] * 2
    assert door.conversations() == 2


def test_of_conversations_that_began_alike_the_one_goes_on_that_ends_there(door, clock):
    door.asks("Good morning.", answer="Good morning!")
    clock.advance(hours=24)
    door.asks("Good morning.", answer="Good morning!")
    door.asks("Good morning.", "Good morning!", "It rains.", answer="It does.")
    door.asks("Good morning.", "Good morning!", "The sun shines.")

    assert sorted(door.stands()) == sorted(
        ["Good morning.", "Good morning!"] * 2 + ["It rains.", "It does.", "The sun shines."]
    )
    assert door.asks("Good morning.", "Good morning!", "It rains.", "It does.", "Still.").retracted == 0
    assert door.conversations() == 2


def test_a_retry_behind_a_greeting_is_none_of_the_earlier_conversation_that_began_so(door, clock):
    greeting = assistant("Welcome back, traveller.")
    door.asks(greeting, user("Hi."), answer="Yes?")
    door.asks(greeting, user("Hi."), assistant("Yes?"), user("Shall we go?"), answer="Sure.")
    clock.advance(minutes=31)
    door.asks("Hi.")

    assert door.asks(greeting, user("Hi.")).taken_in == 0
    assert door.conversations() == 2


def test_of_conversations_that_match_as_often_the_one_with_the_longer_matches_is_meant(door, clock):
    door.asks("Hi.", answer="Good morning.")
    door.asks("Hi.", "Good morning.", "Any news?", answer="The harbour freezes.")
    clock.advance(minutes=31)
    door.asks("Hi.", answer="You come late, and the fish is gone.")
    door.asks("Hi.", "Good morning.", "Any news?", "The harbour freezes.", "Ha!", answer="It does.")

    # The memory was down for an exchange, and the first conversation ends with the same word.
    taken = door.asks(
        "Hi.", "You come late, and the fish is gone.", "What is left?", "Bread.", "Ha!", answer="Laugh, then."
    )

    assert (taken.decision, taken.taken_in, taken.retracted) == ("continued", 3, 0)
    assert door.stands(taken.conversation) == [
        *("Hi.", "You come late, and the fish is gone.", "What is left?", "Bread.", "Ha!", "Laugh, then.")
    ]
    assert door.retracted() == []


def test_of_a_few_words_those_behind_what_differs_tell_no_conversation(door, clock):
    long = "Well, that is a long story, and I know it."
    said = ["Hi.", long, "ok", "Sure.", "Is it far?", "No.", "ok"]
    for end in (1, 3, 5, 7):
        door.asks(*said[:end], answer=[*said, "Sure."][end])
    clock.advance(minutes=31)
    other = door.asks("Hi.", answer="Sure.")

    # Of the first conversation three messages match, of the other one two.
    taken = door.asks(user("Hi."), assistant("Sure."), assistant("Shall we dance?", name="Otto"), user("ok"))

    assert (taken.conversation, taken.taken_in, taken.retracted) == (other.conversation, 2, 0)


def test_of_a_few_words_those_behind_what_is_left_out_tell_no_conversation(door, clock):
    door.asks("Hi.", answer="Yes?")
    door.asks("Hi.", "Yes?", "ok", answer="Sure.")
    clock.advance(minutes=31)
    door.asks("Hi.", choices=2)

    assert door.asks("Hi.", "Sure.", "Shall we go?", answer="Yes.").taken_in == 2
    assert door.stands() == ["Hi.", "Yes?", "ok", "Sure.", "Hi.", "Sure.", "Shall we go?", "Yes."]


def test_a_few_words_far_behind_unknown_ones_are_no_known_conversation(door):
    door.asks("The harbour freezes.", answer="Since when?")
    door.asks("The harbour freezes.", "Since when?", "Since Monday.", answer="Is it thick?")
    # Of the answer only a part came.
    known = door.asks("The harbour freezes.", "Since when?", "Since Monday.", "Is it thick?", "ok", answer="Sur")
    before = door.stands()

    other = ["My cat is ill.", "What has she?", "A cold.", "Is she warm?", "ok", "Sure.", "Ha!"]
    taken = door.asks(*other, answer="Good.")

    assert (taken.decision, taken.retracted) == ("began", 0)
    assert door.stands(known.conversation) == before
    assert door.stands(taken.conversation) == [*other, "Good."]


def test_a_named_conversation_is_the_one_named(door):
    door.asks("Hello.", answer="Hi.", conversation="one")
    door.asks("Hello.", answer="Hi.", conversation="two")

    assert door.stands("one") == door.stands("two") == ["Hello.", "Hi."]


def test_others_speak_for_themselves(door, being):
    door.asks(
        user("Who is there?", name="Mira"),
        assistant("I am.", name=being.slug),
        assistant("Me too.", name="Otto"),
        user("And I.", name="Jon"),
        user("Fine.", name="mira"),
        user_names=["Mira"],
    )

    assert door.said() == [
        ("user", None, "Who is there?"),
        ("assistant", None, "I am."),
        ("other", "Otto", "Me too."),
        ("other", "Jon", "And I."),
        ("user", None, "Fine."),
    ]


def test_answers_that_agents_of_one_program_are_shown_in_each_others_names_are_the_beings(door):
    asked = user("My cat is called Minka; what does she eat?", name="user_proxy")
    door.asks(asked, answer="Tuna, I think.")
    door.asks(asked, user("Tuna, I think.", name="cook"), answer="Not only tuna.")
    door.asks(asked, user("Tuna, I think.", name="cook"), user("Not only tuna.", name="critic"), answer="And mice.")

    answers = ["Tuna, I think.", "Not only tuna.", "And mice."]
    assert door.said() == [("user", None, asked["content"]), *(("assistant", None, text) for text in answers)]


def test_tools_images_and_unknown_parts_become_no_messages(door):
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    transcript = [
        user([{"type": "text", "text": "What is this?"}, picture]),
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": {}}]},
        {"role": "tool", "tool_call_id": "1", "content": "A cat."},
        assistant("A cat."),
        user([picture]),
        {"role": "critic", "content": "?"},
        user("And this?"),
    ]
    door.asks(*transcript)
    assert door.stands() == ["What is this?", "A cat.", "And this?"]

    door.asks(*transcript, assistant([{"type": "text", "text": "A dog."}]), user("Thanks."))
    assert door.stands() == ["What is this?", "A cat.", "And this?", "A dog.", "Thanks."]


def test_a_conversation_that_is_not_meant_hides_none_that_is(door):
    door.asks("The harbour freezes.", answer="Since when?")
    door.asks("The harbour freezes.", "Since when?", "Since Monday.", "Is it thick?", "ok", answer="Sur")
    long = "Well, that is a long story, and I know all of it."
    door.asks("My cat is ill.", answer=long)

    # The frontend cut the beginning off, and the memory was down for an exchange.
    shown = ["A summary.", "I remember.", user("And a note."), assistant(long), "ok", "Sure.", "Ha!"]
    taken = door.asks(*shown, answer="Good.")

    assert (taken.decision, taken.retracted) == ("continued", 0)
    assert door.stands(taken.conversation) == ["My cat is ill.", long, "ok", "Sure.", "Ha!", "Good."]
