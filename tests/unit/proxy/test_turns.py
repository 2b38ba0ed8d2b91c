"""Texts are compared as they were said, however a frontend writes them."""

from time import process_time

import pytest

from memory.proxy.reading.comparison import same_name
from memory.proxy.reading.transcript import Line, read_transcript
from memory.proxy.reading.turns import WireNames, last_words, turn_of, turns_of
from memory.text.same_words import comparable
from memory.wrapping.envelopes import in_envelope

NAMES = WireNames(["Jon Smith"], ["Mara", "innkeeper"])


def test_white_space_and_unicode_forms_do_not_count():
    assert comparable(" Caf\u0065\u0301\n au  lait\t") == comparable("Caf\u00e9 au lait")
    assert comparable("Tea") != comparable("tea")


def test_names_are_compared_by_their_letters():
    assert same_name("Jon Smith", "jon_smith")
    assert not same_name("Jon", "Jonas")
    assert not same_name("--", "")


def test_roles_follow_names():
    transcript = read_transcript(
        [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "name": "jon_smith", "content": "Mine."},
            {"role": "user", "name": "Otto", "content": "His."},
            {"role": "assistant", "name": "innkeeper", "content": "Hers."},
            {"role": "assistant", "name": "Cook", "content": "The cook's."},
            {"role": "user", "content": "Jon Smith: With the name before it."},
            {"role": "assistant", "content": "**Mara:** With her name in bold."},
            {"role": "assistant", "content": "Note: with no name before it."},
        ]
    )
    assert [(turn.role, turn.speaker, turn.text) for turn in turns_of(transcript, NAMES)] == [
        ("user", None, "Mine."),
        ("other", "Otto", "His."),
        ("assistant", None, "Hers."),
        ("other", "Cook", "The cook's."),
        ("user", None, "With the name before it."),
        ("assistant", None, "With her name in bold."),
        ("assistant", None, "Note: with no name before it."),
    ]


def test_what_has_no_text_is_no_turn():
    assert turn_of("user", None, " \n") is None
    assert turn_of("user", None, "\u200b\ufeff") is None
    assert turn_of("user", None, "![A cat](data:image/png;base64,iVBORw0KGgo=)") is None
    assert turn_of("assistant", None, 'My cat: <img alt="a" src="data:image/png;base64,iVBO=">').text == "My cat:"
    assert turn_of("user", None, "![my cat](data:image/png;base64,iVBO) is ill").text == "my cat is ill"
    assert turn_of("user", None, 'Why is <img src="data:..."> empty?').text == 'Why is <img src="data:..."> empty?'
    assert turn_of("user", None, "I drew ![a cat](data: it is a joke).").text == "I drew ![a cat](data: it is a joke)."
    assert turn_of("assistant", None, "<think>Only thought") is None
    assert turn_of("other", "Cook", "[THINK]Only thought[/THINK]") is None
    assert turn_of("assistant", None, "Under the mat \ue200cite\ue202turn0search1\ue201.").text == "Under the mat."


def test_what_the_request_opened_an_answer_may_only_close():
    lines = [{"role": "assistant", "content": "Who?</think>Yes."}, {"role": "user", "content": "Mind </think>, Mara."}]
    said = [turn.text for turn in turns_of(read_transcript(lines), NAMES)]
    assert said == ["Who?</think>Yes.", "Mind </think>, Mara."]
    said = [turn.text for turn in turns_of(read_transcript(lines, opened=True), NAMES)]
    assert said == ["Yes.", "Mind </think>, Mara."]
    prefilled = [*lines, {"role": "assistant", "content": "<think>\n"}]
    assert [turn.text for turn in turns_of(read_transcript(prefilled), NAMES)] == said


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("text", Line("unknown", other_parts=True)),
        ({"role": "User", "content": {"text": "Hi."}}, Line("user", "Hi.")),
        ({"role": "model", "content": ["Hi.", {"type": "file"}]}, Line("assistant", "Hi.", other_parts=True)),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}, Line("assistant", "No.")),
        ({"role": 5, "content": 7}, Line("unknown", other_parts=True)),
        ({"role": "developer", "content": "Be kind."}, Line("system", "Be kind.")),
        ({"role": "function", "name": "clock", "content": "Noon"}, Line("tool", "Noon", "clock")),
        ({"role": "assistant", "content": None, "tool_calls": [{}]}, Line("assistant", other_parts=True)),
        (
            {
                "role": "user",
                "content": [{"type": "text", "text": "a"}, {"type": "file"}, {"type": "text", "text": "b"}],
            },
            Line("user", "a\n\nb", other_parts=True),
        ),
    ],
)
def test_lines_of_any_shape_are_read(message, line):
    assert read_transcript([message]) == type(read_transcript([]))((line,))


def test_what_a_program_writes_around_a_line_is_left_out_and_names_who_speaks():
    said = (
        ("user", '<speaker name="Otto" />\nGood day.'),
        ("user", '<speaker id="7" username="jon" nickname="Jo" />\nMy dog is Rex.'),
        ("assistant", '<speaker name="Mara" />\nHello, Rex.'),
        ("assistant", '<speaker name="Otto" />\nHe is big.\n\n[Generation stopped by user]'),
        ("user", "[User Feedback Emoji: \U0001f44d]\n\nHe swims."),
        (
            "assistant",
            "[Task Result from Otto]\n\n**Task Instruction:**\nFind a lake.\n\n**Task Result:**\nThe Danube.",
        ),
    )
    transcript = read_transcript([{"role": role, "content": text} for role, text in said])
    assert [(turn.role, turn.speaker, turn.text) for turn in turns_of(transcript, NAMES)] == [
        ("other", "Otto", "Good day."),
        ("user", None, "My dog is Rex."),
        ("assistant", None, "Hello, Rex."),
        ("other", "Otto", "He is big."),
        ("user", None, "He swims."),
    ]


def test_the_last_words_are_those_of_the_last_turn():
    lines = [
        {"role": "user", "content": "Who is there?"},
        {"role": "assistant", "content": "Mara: It is <b>me</b>."},
        {"role": "assistant", "content": "<think>Hm."},
        {"role": "tool", "content": "A cat."},
    ]
    transcript = read_transcript(lines)

    assert last_words(transcript, NAMES) == turns_of(transcript, NAMES)[-1].text == "It is <b>me</b>."
    assert last_words(read_transcript(lines[3:]), NAMES) is None


GROUP = {
    "role": "system",
    "content": "Write Mara's next reply in a fictional chat between Mara, Leo, and Jon Smith.\n\n"
    "[Start a new group chat. Group members: Mara, Leo]",
}


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        (
            [("user", "Jon Smith: Hi."), ("assistant", "Leo: Hi.\n\nHow nice.\n\nMara: Hello.\n\nLeo: Bye.")],
            [
                ("user", None, "Hi."),
                ("other", "Leo", "Hi.\n\nHow nice."),
                ("assistant", None, "Hello."),
                ("other", "Leo", "Bye."),
            ],
        ),
        (
            [("assistant", "Mara: Hello."), ("user", "Leo: Hi.\n\nJon Smith: Yes.\nJon Smith: No.")],
            [("assistant", None, "Hello."), ("other", "Leo", "Hi."), ("user", None, "Yes."), ("user", None, "No.")],
        ),
        (
            [("user", "Jon Smith: Hi.\n\nMara: Hello.\n\nLeo: Bye.\n\nJon Smith: Yes.")],
            [("user", None, "Hi."), ("assistant", None, "Hello."), ("other", "Leo", "Bye."), ("user", None, "Yes.")],
        ),
    ],
)
@pytest.mark.parametrize("told", GROUP["content"].split("\n\n"))
def test_lines_of_several_in_one_are_each_ones_own(messages, said, told):
    transcript = read_transcript(
        [{**GROUP, "content": told}, *({"role": role, "content": text} for role, text in messages)]
    )
    assert [(turn.role, turn.speaker, turn.text) for turn in turns_of(transcript, NAMES)] == said


def test_names_of_no_group_are_words():
    lines = [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Mara: Hello.\n\nJon Smith: I thought so."},
    ]
    said = [turn.text for turn in turns_of(read_transcript(lines), NAMES)]
    assert said == ["Hi.", "Hello.\n\nJon Smith: I thought so."]


def test_a_persona_is_known_by_its_name_before_all_of_the_users_words():
    """SillyTavern's names in the content, with prompts of one's own that name nobody."""
    lines = [
        {"role": "assistant", "content": "Mara: Hello."},
        {"role": "user", "content": "Lady Wren: Hi."},
        {"role": "assistant", "content": "Mara: Ahoy."},
        {"role": "user", "content": "Lady Wren: I bake."},
    ]
    assert [turn.text for turn in turns_of(read_transcript(lines), NAMES)] == ["Hello.", "Hi.", "Ahoy.", "I bake."]


@pytest.mark.parametrize("answer", ["Ahoy.", "Leo: Ahoy."])
def test_a_word_before_the_users_lines_is_theirs_where_the_being_has_no_name_before_its_own(answer):
    words = ["Note: I bake.", "Note: I sail."]
    lines = [
        {"role": "user", "content": words[0]},
        {"role": "assistant", "content": answer},
        {"role": "user", "content": words[1]},
    ]
    assert [turn.text for turn in turns_of(read_transcript(lines), NAMES)] == [words[0], answer, words[1]]


def test_one_character_is_no_group():
    told = {"role": "system", "content": "A fictional roleplay between Nora and Jon Smith. Be kind."}
    lines = [told, {"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Nora: Hello."}]
    said = [(turn.role, turn.text) for turn in turns_of(read_transcript(lines), NAMES)]
    assert said == [("user", "Hi."), ("assistant", "Nora: Hello.")]


def test_a_first_line_that_may_begin_with_the_models_instructions_may_be_either():
    lines = [
        {"role": "user", "content": "You are Mara, a pirate.\n\nI live in Bern."},
        {"role": "assistant", "content": "Aye."},
    ]
    assert [turn.unsure for turn in turns_of(read_transcript(lines), NAMES)] == [True, True]
    lines.insert(0, {"role": "system", "content": "Be brief."})
    assert [turn.unsure for turn in turns_of(read_transcript(lines), NAMES)] == [False, False]


def test_what_a_tool_answered_in_the_users_name_is_not_said():
    lines = [{"role": "user", "content": '```json:mcp-response:fs\n{"a": "I live in Bern."}\n```'}]
    assert turns_of(read_transcript(lines), NAMES) == []


FILE = "# Report\n\nIt rained in Bern for days.\n\n## Rain\n\nMuch of it.\n\n## Snow\n\n" + "None of it fell. " * 60


def test_a_line_that_may_begin_with_a_file_may_be_either():
    def are_unsure(text):
        lines = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
        return [turn.unsure for turn in turns_of(read_transcript(lines), NAMES)]

    assert are_unsure(f"{FILE}\n\nWhat does it say?") == [True]
    assert are_unsure("My day began in Bern. " * 100 + "\n\nThen I slept.\n\nGood night.") == [False]
    assert are_unsure("It rained in Bern for days, and none of it fell as snow. " * 60 + "\n\nIs that so?") == [True]
    assert are_unsure("I walked to the sea that day, and it was a long way for me\n" * 20 + "\nIs that so?") == [True]
    assert are_unsure("*It rains in Bern.* None of it falls as snow. " * 60 + "\n\nIs that so?") == [False]
    assert are_unsure("```diary.md\nI was born in Bern.\n```") == [True]


SILLYTAVERN = "Write Mira's next reply in a fictional chat between Mira and Ann."


@pytest.mark.parametrize(("system", "unsure"), [(SILLYTAVERN, True), ("Be brief.", False)])
@pytest.mark.parametrize(
    "text",
    [
        "My name is Pip.\nI like goats.\n\n\nWhat do you think?",
        "My name is Pip.\r\nI like goats.\n\nWhat do you think?",
        "My name is Pip.\r\nI like goats.\n\nWhat do you think?\n\n[Author's note: Be brief.]",
        "My name is Pip, and my goat is old.\n\n" * 120 + "What do you think?",
    ],
)
def test_a_file_that_sillytavern_puts_before_a_line_leaves_it_unsure(text, system, unsure):
    lines = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    assert [turn.unsure for turn in turns_of(read_transcript(lines), NAMES)] == [unsure]


def test_a_file_is_told_where_sillytavern_sends_all_in_one_message():
    text = f"{SILLYTAVERN}\n\n[Start a new Chat]\n\nAnn: My name is Pip.\n\n\nWhat do you think?"
    turns = turns_of(read_transcript([{"role": "user", "content": text}]), NAMES)
    assert [(turn.role, turn.unsure) for turn in turns] == [("user", True)]


@pytest.mark.parametrize(
    "text",
    [
        "Context:\nI live in Bern.\n\nMy name is Ann.",
        "My name is Ann.\n\nRetrieved documents:\nI live in Bern.",
        "## Active Memory (Palaia)\n\n[t/m] I live in Bern.\n\nMy name is Ann.",
        "<documents>\nI live in Bern.\n\nMy name is Ann.",
        "[cv.md]\nI live in Bern.\n\nMy name is Ann.",
        "# cv.md\n\nI live in Bern.\n\nMy name is Ann.",
        "Attached file: cv.md\nI live in Bern.\n\nMy name is Ann.",
        "Document 1: cv.md\nI live in Bern.\n\nMy name is Ann.",
        "Relevant information:\nI live in Bern.\n\nMy name is Ann.",
        "已知信息:\n我住在伯尔尼。\n\n根据上述已知信息回答问题:我叫安。",
    ],
)
def test_what_was_retrieved_without_an_end_leaves_a_line_unsure(text):
    lines = [{"role": "user", "content": text}]
    assert [(turn.text, turn.unsure) for turn in turns_of(read_transcript(lines), NAMES)] == [(text, True)]


@pytest.mark.parametrize(
    "text",
    [
        (
            "<|im_start|>system\nI live.<|im_end|>\n<|im_start|>user\nHi.<|im_end|>\n<|im_start|>assistant\nHello."
            "<|im_end|>\n<|im_start|>user\nI bake.<|im_end|>\n<|im_start|>assistant\n"
        ),
        (
            "<|start_header_id|>user<|end_header_id|>\n\nHi.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nHello."
            "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nI bake.<|eot_id|>"
        ),
        "<start_of_turn>user\nHi.<end_of_turn>\n<start_of_turn>model\nHello.\n<start_of_turn>user\nI bake.",
        "<s>[INST] <<SYS>>\nI live in Ossia.\n<</SYS>>\n\nHi. [/INST] Hello. </s><s>[INST] I bake. [/INST]",
        "<\uff5cUser\uff5c>Hi.<\uff5cAssistant\uff5c>Hello.<\uff5cUser\uff5c>I bake.<\uff5cAssistant\uff5c>",
        (
            "<|start_of_role|>user<|end_of_role|>Hi.<|end_of_text|><|start_of_role|>assistant<|end_of_role|>Hello."
            "<|start_of_role|>user<|end_of_role|>I bake.<|start_of_role|>assistant<|end_of_role|>"
        ),
        (
            "<|im_start|>user\nJon Smith: Hi.<|im_end|>\n<|im_start|>assistant\nMara: Hello.<|im_end|>\n"
            "<|im_start|>user\nJon Smith: I bake.<|im_end|>\n<|im_start|>assistant\nMara:"
        ),
        "### Instruction:\nHi.\n\n### Response:\nHello.\n\n### Instruction:\nI bake.\n\n### Response:",
        "### Instruction:\r\nHi.\r\n### Response:\r\nHello.\r\n### Instruction:\r\nI bake.\r\n### Response:\r\n",
        (
            "Below is an instruction. Write Mara's next reply in a fictional roleplay chat between Lou and Mara.\n\n"
            "### Instruction:\nLou: Hi.\n### Response:\nMara: Hello.\n### Instruction:\nLou: I bake.\n"
            "### Response:\nMara:"
        ),
        "A chat between a human and an assistant.\n\nUSER: Hi.\nASSISTANT: Hello.</s>\nUSER: I bake.\nASSISTANT:",
        # KoboldAI Lite's, with its memory before the talk, and without one
        "I keep an inn.\n### Instruction:\nHi.\n### Response:\nHello.\n### Instruction:\nI bake.\n### Response:\n",
        (
            "I keep an inn.<|im_end|>\n<|im_start|>user\nHi.<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>\n"
            "<|im_start|>user\nI bake.<|im_end|>\n<|im_start|>assistant\n"
        ),
        (
            "[The following is an interesting chat message log between User and KoboldAI.]\n\n"
            "User: Hi.\nKoboldAI: Hello.\nUser: I bake.\nKoboldAI:"
        ),
        # Oobabooga's, and Agnai's with an example before the talk
        "The following is a conversation with an AI.\n\nYou: Hi.\nAI: Hello.\nYou: I bake.\nAI:",
        (
            "Mara's Persona: kind.\n\nThis is how Mara should talk\nMara: Ahoy.\n\nThen the roleplay chat between"
            " Jon Smith and Mara begins.\n\nJon Smith: Hi.\nMara: Hello.\nJon Smith: I bake.\nMara:"
        ),
    ],
)
def test_a_chat_in_a_models_own_format_is_divided(text):
    turns = turns_of(read_transcript([{"role": "user", "content": text}]), NAMES)
    assert [(turn.role, turn.text) for turn in turns] == [("user", "Hi."), ("assistant", "Hello."), ("user", "I bake.")]


def test_a_models_format_that_a_line_quotes_stays_in_it():
    for text in (
        "What is wrong?\n<|im_start|>user\nHi.<|im_end|>\n<|im_start|>assistant",
        "What is wrong?\n### Instruction:\nHi.\n### Response:",
        "What is wrong?\n### Instruction:\nHi.\n### Response:\nMara:",
        "User: Can you help?\nAI: Sure, here they are:",
    ):
        turns = turns_of(read_transcript([{"role": "user", "content": text}]), NAMES)
        assert [(turn.text, turn.unsure) for turn in turns] == [(text, True)]
    assert [
        turn.unsure for turn in turns_of(read_transcript([{"role": "user", "content": "[INST] is odd"}]), NAMES)
    ] == [False]


@pytest.mark.parametrize(
    "talk",
    [
        "Jon: Hi.\n\nMara: Hello.\n\nJon: I bake.\n\nMara:",
        "**Jon:** Hi.\n**Mara:** Hello.\n**Jon:** I bake.",
        "### Jon:\nHi.\n### Mara:\nHello.\n### Jon:\nI bake.",
        "[Jon]: Hi.\n[Mara]: Hello.\n[Jon]: I bake.",
        "Human: Hi.\n\nAssistant: Hello.\n\nHuman: I bake.\n\nAssistant:",
    ],
)
def test_a_chat_in_one_message_is_divided_whatever_its_labels_look_like(talk):
    text = f"You are Mara, a pirate captain.\n\nLorebook: I live in Ossia.\n\n{talk}"
    transcript = read_transcript([{"role": "user", "content": text}])
    assert [turn.text for turn in turns_of(transcript, NAMES)] == ["Hi.", "Hello.", "I bake."]


def test_messages_in_an_envelope_are_lines_each_with_its_sender_where_there_are_several():
    def turns(*messages):
        written = "\n".join(f'<message sender="{name}" time="8:00">{text}</message>' for name, text in messages)
        text = f'<context timezone="UTC" />\n<messages>\n{written}\n</messages>'
        return [
            (turn.role, turn.text) for turn in turns_of(read_transcript([{"role": "user", "content": text}]), NAMES)
        ]

    quoted = "<quoted_message from='Mara'>Tea?</quoted_message>"
    assert turns(("Jonny", f"{quoted}Yes &amp; no."), ("Jonny", "Why?")) == [("user", "Yes & no."), ("user", "Why?")]
    assert turns(("Jon Smith", "Yes."), ("Otto", "No.")) == [("user", "Yes."), ("other", "No.")]
    for words in ("<message>I quit.</message>", 'He sent <message sender="Otto" time="8:00">no</message> to me.'):
        assert [turn.text for turn in turns_of(read_transcript([{"role": "user", "content": words}]), NAMES)] == [words]


def test_tags_of_a_group_say_who_speaks():
    """RisuAI writes others' lines as the user's, and knows no name of the user's own."""
    said = [
        ("user", "<Unknown Character's Message>\nHi.\n</Unknown Character's Message>"),
        ("assistant", "Hello."),
        ("user", "<Leo's Message>\nI bake.\n</Leo's Message>\n<Zoë's Message>\nI row.\n</Zoë's Message>"),
        ("assistant", "<Leo's Message>\nSo?\n</Leo's Message>"),
        ("user", "<Leo's Message>\nI bake.\n</Leo's Message>\nThat is what he wrote."),
    ]
    transcript = read_transcript([{"role": role, "content": text} for role, text in said])
    assert [(turn.role, turn.speaker, turn.text) for turn in turns_of(transcript, NAMES)] == [
        ("user", None, "Hi."),
        ("assistant", None, "Hello."),
        ("other", "Leo", "I bake."),
        ("other", "Zoë", "I row."),
        ("other", "Leo", "So?"),
        ("user", None, said[-1][1]),
    ]


def test_lines_of_a_group_are_read_in_time_linear_in_their_length():
    made = ("<Leo's Message>\nHi.\n</Leo's Message>\n", '<message sender="Leo" time="9:00">Hi.</message>', "Hi.\n")
    for line in made:
        began = process_time()
        in_envelope(line * 50_000)
        assert process_time() - began < 1


@pytest.mark.parametrize("pair", ["Mara and Lou", "Lou and Mara"])
def test_a_prompt_names_the_persona_wherever_it_stands(pair):
    prompt = f"You will write Mara's next reply in a dialogue between {pair}. Be kind."
    told = [("system", prompt), ("user", "Lou: I bake."), ("assistant", "Mara: Hello.")]
    transcript = read_transcript([{"role": role, "content": text} for role, text in told])
    assert [(turn.role, turn.text) for turn in turns_of(transcript, NAMES)] == [
        ("user", "I bake."),
        ("assistant", "Hello."),
    ]


def test_a_prompt_as_the_users_first_line_is_none_of_their_words():
    """Agnai writes it behind another one of the system."""
    prompt = "Write Mara's next reply in a fictional roleplay chat between Lou and Mara.\n\nMara's Persona:\nA pirate"
    told = [("system", "Be kind."), ("user", prompt), ("assistant", "Mara: Hello."), ("user", "Lou: I bake.")]
    transcript = read_transcript([{"role": role, "content": text} for role, text in told])
    assert [(turn.text, turn.unsure) for turn in turns_of(transcript, NAMES)][1:] == [
        ("Hello.", True),
        ("I bake.", False),
    ]


def test_characters_that_the_users_first_line_speaks_of_are_no_names_of_theirs():
    talk = [("user", "I wrote a fictional dialogue between Romeo and Juliet."), ("user", "Juliet: I love him.")]
    transcript = read_transcript([{"role": role, "content": text} for role, text in talk])
    assert [turn.text for turn in turns_of(transcript, NAMES)] == [text for _, text in talk]


@pytest.mark.parametrize("begun", ["Mara:", "(Be brief.) Mara:", "(Be\nbrief.)\nMara: "])
def test_a_name_behind_which_the_model_is_to_write_is_no_word_of_the_beings(begun):
    told = [("user", "Continue."), ("assistant", "Mara: Hello."), ("user", "I bake."), ("assistant", begun)]
    transcript = read_transcript([{"role": role, "content": text} for role, text in told])
    assert [turn.text for turn in turns_of(transcript, NAMES)] == ["Hello.", "I bake."]


def test_a_card_behind_its_label_is_no_word_of_the_users():
    chat = "System: You are Mara, an innkeeper.\n\nUser: Hi.\nAssistant: Hello.\nUser: A room, please."
    turns = turns_of(read_transcript([{"role": "user", "content": chat}]), NAMES)
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "Hi."),
        ("assistant", "Hello."),
        ("user", "A room, please."),
    ]


@pytest.mark.parametrize(
    ("words", "turns"),
    [
        ("<context>I live in Bern.</context>", [("<context>I live in Bern.</context>", True)]),
        ("<memory>my aunt's kitchen</memory>", [("<memory>my aunt's kitchen</memory>", True)]),
        ("<story>I live in Bern.</story>", [("<story>I live in Bern.</story>", False)]),
        ("<context>Bern is a town.</context>", []),
        ("<context>\nI live in Bern.\n</context>", []),
        ("<bash-stdout>I am root.</bash-stdout>", []),
        ("[Reminder: the dentist at five]", [("[Reminder: the dentist at five]", True)]),
        ("[Style: brief]", []),
        ("[Setting: my kitchen, I am crying]", [("[Setting: my kitchen, I am crying]", True)]),
        ("User profile:\nI live in Bern.", [("User profile:\nI live in Bern.", True)]),
    ],
)
def test_what_stands_in_a_tag_or_brackets_alone_may_be_the_users(words, turns):
    read = turns_of(read_transcript([{"role": "user", "content": words}]), NAMES)
    assert [(turn.text, turn.unsure) for turn in read] == turns


def test_a_note_in_brackets_beside_a_line_of_the_users_is_a_programs():
    words, note = ({"role": "user", "content": text} for text in ("I bake.", "[Reminder: stay in character]"))
    for lines in ([words, note], [words, {"role": "system", "content": "Be kind."}, note]):
        assert [turn.text for turn in turns_of(read_transcript(lines), NAMES)] == ["I bake."]
