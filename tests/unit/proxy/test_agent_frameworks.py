"""Frameworks for agents put words around the user's, and write calls of tools and their results as text."""

import pytest

from memory.proxy.reading.background import maker_of
from memory.proxy.reading.speakers import WireNames
from memory.proxy.reading.transcript import read_transcript
from memory.proxy.reading.turns import turns_of
from memory.wrapping.written_calls import without_call
from schemas.text.reasoning import spoken
from tests.frontends import SYSTEM, assistant, user, wire

NAMES = WireNames(["Ann"], ["Mira"])
SAID = "My dog is called Rex; where can he swim?"
CREW = "\n\nThis is the expected criteria for your final answer: A place\nyou MUST return the actual complete content"
SMOL = "Calling tools:\n[{'id': 'call_1', 'type': 'function', 'function': {'name': 'lakes', 'arguments': {}}}]"
REACT = 'Thought: I look for a lake.\nAction: lakes\nAction Input: {"near": "Ulm"}'
HERMES = '<tool_call>\n{"name": "lakes", "arguments": {}}\n</tool_call>'
ARGUMENTS = "You have been provided with these additional arguments, that you can access directly"
MANAGED = "You're a helpful agent named 'lakes'.\nYou have been submitted this task by your manager."
REACT_PROMPT = (
    "Answer the following questions as best you can. You have access to the following tools:\n\nlakes - Lakes"
    "\n\nUse the following format:\n\nQuestion: the input question you must answer\nThought: you should always think"
)
ROLES = "You are in a role play game. The following roles are available:\ncook: A cook."
SELECT = "Then select the next role from ['cook'] to play. Only return the role."
RETRY = "Now let's retry: take care not to repeat previous errors! If you have retried several times, try another."
BASH = "You can execute bash commands and edit files to implement the necessary changes."
BROWSER = "<browser_state>\n<user_query>A</user_query>\n</browser_state>"
SNIPPET = "Here is the user's input (remember to respond with a markdown code snippet of a json blob with"
LAKE = "<facts>\nI am a lake.\n</facts>"
FIELDS = "Respond with the corresponding output fields"
RETRIEVED = "Use the following references from the knowledge base if it helps:"
SKILL = "[/skills:create]"
PICTURES = "[Images returned by the tool calls above. They come from the tools, not from the user.]"
HISTORY = (
    "For context, here is the conversation so far between the user and the previous agent:\n<CONVERSATION HISTORY>\n"
)


def said(*messages):
    return [(turn.role, turn.text) for turn in turns_of(read_transcript([SYSTEM, *wire(*messages)]), NAMES)]


@pytest.mark.parametrize(
    "text",
    [
        f"\nCurrent Task: {SAID}{CREW}",
        f"\nCurrent Task: {SAID}{CREW}\n\nThis is the context you're working with:\nRex swims.",
        f"\nCurrent Task: {SAID}\n\nProvide your complete response:",
        f"New task:\n{SAID}",
        f"New task:\n{SAID}\n{ARGUMENTS} using the keys as variables:\n{{'map': 1}}.",
        f"{REACT_PROMPT}\n\nBegin!\n\nQuestion: {SAID}\nThought:",
        f"[[ ## question ## ]]\n{SAID}\n\n{FIELDS}, starting with the field `a`.",
        f"[[ ## facts ## ]]\nI am a lake.\n\n[[ ## question ## ]]\n{SAID}",
        f"[[ ## words ## ]]\n{SAID}\n\nRespond with a JSON object in the following order of fields: `a`, then `b`.",
        f"{LAKE}\n\n<question>\n{SAID}\n</question>\n\n{FIELDS} wrapped in XML tags `<a>`.",
        f"<user_request>\n{SAID}\n</user_request>\n\n{BROWSER}",
        f"<agent_state>\n<user_request>\n{SAID}\n</user_request>\n</agent_state>\n\n{BROWSER}",
        f"TOOLS\n------\nLakes.\n\n{SNIPPET} a single action, and NOTHING else):\n\n{SAID}",
        f"Original Task: {SAID}\n\n\nInputs from previous nodes:\n\n\nFrom w:\n\n  - Agent: I am a lake.",
        f"Handoff Message: A lake.\n\nUser Request: {SAID}\n\nPrevious agents who worked on this: w",
        f"{SAID}\n\nOther agents available for collaboration:\nAgent name: w.\n\nYou may ask w.",
        f"Please solve this issue: {SAID}\n\n{BASH}",
        f"{SAID}\n\nReturn the correct JSON response within a ```json codeblock. not the JSON_SCHEMA",
        f"{SAID}\n\nUse the following information to complete your task:\n\n- [0]: I am a lake.",
        f"{SAID}\n\nOutput should be in JSON format and conform to the following schema:\n\n```\n{{}}\n```",
        f"{SAID}\n\n# *SEARCH/REPLACE block* Rules:\n\nEvery block has a path.",
        f"{SAID}\n\n{RETRIEVED}\n{LAKE}\n\n<additional context>\nI am a lake.\n</additional context>",
        f"{SKILL} The user wants a skill.\n\nTHE REQUEST:\n{SAID}\n\nThe request is open-ended and may mix SOURCES.",
    ],
)
def test_the_users_part_of_a_form_is_told(text):
    assert said(text) == [("user", SAID)]
    assert maker_of(read_transcript([SYSTEM, *wire(text)])) == "person"


@pytest.mark.parametrize(
    "text",
    [
        "Validation feedback:\nSpeak of the dog.\n\nFix the errors and try again.",
        f"Error:\nNo such lake.\n{RETRY}",
        "Now proceed and carry out this plan.",
        "Validation Error found:\n1 error\nRecall the function correctly, fix the errors",
        "TOOL RESPONSE: \n---------------------\nI am a lake.",
        "You must format the previous response as structured output.",
        "For context: below is a transcript of what another agent did, quoted between <<<A>>> and <<<B>>>.",
        "[w] said:\n<<<BEGIN_QUOTED_AGENT_CONTENT>>>\nI am a lake.\n<<<END_QUOTED_AGENT_CONTENT>>>",
        "<returncode>0</returncode>\n<output>\nI am a lake.\n</output>",
        "Correct your JSON ONLY RESPONSE, based on the following errors:\n1 error",
        "No valid name was mentioned. Please select from: ['cook', 'critic'].",
        f"New task:\n{MANAGED}\n---\nTask:\nSwim.",
        "<summary>\nA dog.\n</summary>\n\nThis is your own checkpoint: you wrote it to preserve context.",
        "[SYSTEM] Maximum tool rounds reached. Provide your final answer now without calling any more tools.",
        "[Previous conversation summary]\n- A dog.\n\n- A lake.",
        "[WORKER REPORT \u2014 SUCCESS]\nFiles: none\n---\nVERIFY the step, then continue.",
        "Continue as the receiving agent using the preceding user request and context.",
        "[The assistant message above is the completed output of a previous agent. Respond now according to it.]",
        "Here are the images from the tool results above. Please analyze them.",
        user(
            [
                {"type": "text", "text": PICTURES},
                {"type": "text", "text": "Image 1, from draw call c1:"},
                {"type": "file"},
            ]
        ),
        f"{SKILL} The user tried to create a skill before this chat had any prior real content.",
    ],
)
def test_what_an_agents_program_writes_is_not_the_users(text):
    assert said(SAID, "By the lake.", text) == [("user", SAID), ("assistant", "By the lake.")]


def test_a_form_of_several_fields_may_hold_a_document():
    text = "[[ ## facts ## ]]\nI am a lake.\n\n[[ ## dog ## ]]\nRex"
    (turn,) = turns_of(read_transcript([SYSTEM, *wire(text)]), NAMES)
    assert (turn.text, turn.unsure) == (text, True)


def test_talk_in_forms_before_the_last_form_may_be_examples():
    forms = [f"[[ ## question ## ]]\n{words}" for words in ("Where may my cat swim?", SAID)]
    turns = turns_of(read_transcript([SYSTEM, *wire(forms[0], "Nowhere.", forms[1])]), NAMES)
    assert [(turn.text, turn.unsure) for turn in turns] == [
        ("Where may my cat swim?", True), ("Nowhere.", True), (SAID, False),
    ]  # fmt: skip


def test_an_answer_in_fields_says_what_is_in_them():
    answer = "[[ ## reasoning ## ]]\nHe swims.\n\n[[ ## answer ## ]]\nIn the Danube.\n\n[[ ## completed ## ]]"
    assert said(SAID, answer)[-1] == ("assistant", "In the Danube.")


def test_a_task_that_follows_reports_in_one_message_is_the_users():
    reports = f"Error:\nNo call was found.\n{RETRY}\n\nError:\nReached max steps.\n{RETRY}"
    assert said(SAID, "By the lake.", f"{reports}\n\nNew task:\nAnd where may I?\n{ARGUMENTS}: {{}}.")[-1] == (
        "user", "And where may I?",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Current Task: find a lake for Rex.",
        "Observation: Rex swims well.",
        "Error: I burnt the cake.",
        "Validation feedback: they liked it.",
        "I made those changes to the files.",
        "Find a lake for Rex.\n\nRespond with a JSON object in the following order of fields: `lake`.",
        "Now proceed and carry out this plan. I will bake.",
        "<summary>\nI baked.\n</summary>\n\nIs that good?",
        "Image 1, from my camera: Rex.",
        "[WORKER REPORT] Two men were ill, and I was alone on the roof.",
        "[SYSTEM] Maximum tool rounds reached. My app writes so; why?",
        "[Images returned by the tool calls above. I asked for none of them.]\nRex is on one.",
        "Here are the images from the tool results above. I like Rex.",
        "Handoff Message: my shift ends.\n\nUser Request: a new leash",
        "Original Task: walk Rex.\n\nInputs from previous nodes: none",
        "<returncode>1</returncode>\nMy script ends so; why?",
        "I did `git reset --hard HEAD~1` to discard the last edits. I walk Rex now.",
        "I added these files to the chat: rex.md\nLet me know if there are others we should add.\nRex is mine.",
    ],
)
def test_what_people_write_alike_stays(text):
    assert said(SAID, "By the lake.", text)[-1] == ("user", text)


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (SMOL, "Observation:\nThe Danube"),
        (f"I look.\n{SMOL}", f"Call id: call_1\nError:\nNo map\n{RETRY}"),
        (REACT, "Observation: The Danube"),
        (f"{REACT}\nObservation: The Danube", ""),
        (HERMES, "<tool_response>\nThe Danube\n</tool_response>"),
        ('<tool>{"name": "lakes", "parameters": {}}</tool>', '<tool_result name="lakes">\nThe Danube\n</tool_result>'),
    ],
)
def test_a_call_that_is_written_as_text_and_its_result_are_no_talk(call, result):
    spoke = [("assistant", "I look.")] if call.startswith("I look") else []
    assert said(SAID, call, result, "In the Danube.", "Observation: he did.") == [
        ("user", SAID), *spoke, ("assistant", "In the Danube."), ("user", "Observation: he did."),
    ]  # fmt: skip
    assert said(SAID, call, f"{result}\nNew task:\nAnd where may I?" if result else "And where may I?") == [
        ("user", SAID), *spoke, ("user", "And where may I?"),
    ]  # fmt: skip


def test_what_follows_a_report_of_another_agent_is_the_users():
    report = "[Task Result from Otto]\n\nThe Danube."
    assert said(SAID, report, "Error: I burnt the cake.") == [("user", SAID), ("user", "Error: I burnt the cake.")]


DEEPSEEK = (
    "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>weather"
    "<\uff5ctool\u2581calls\u2581end\uff5c>"
)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Thought: I know it.\nAnswer: In the Danube.", "In the Danube."),
        (f"{REACT}\nObservation: The Danube\nThought: I know it.\nFinal Answer: In the Danube.", "In the Danube."),
        (f"I look.\n{HERMES}\nIn the Danube.", "I look.\n\nIn the Danube."),
        ('I look.[TOOL_CALLS]weather{"city": "Ulm"}', "I look."),
        (f"I look.{DEEPSEEK}", "I look."),
        ("I look.<|tool_calls_section_begin|><|tool_call_begin|>weather<|tool_calls_section_end|>", "I look."),
        ("I look.\n<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Ulm</arg_value>\n</tool_call>", "I look."),
        ('I look.\n<minimax:tool_call>\n<invoke name="a">\n</invoke>\n</minimax:tool_call>\nRain.', "I look.\n\nRain."),
        ('<|start|>assistant to=functions.a<|channel|>commentary<|message|>{"city": "Ulm"}', ""),
        ('I look.<|python_tag|>{"name": "weather"}', "I look."),
        ('I look.\n<tool_calls>\n[{"name": "weather"}]\n</tool_calls>', "I look."),
        ("My list:\n<tool>\n<name>hammer</name>\n</tool>", "My list:\n<tool>\n<name>hammer</name>\n</tool>"),
        ("[TOOL_CALLS] is Mistral's token.", "[TOOL_CALLS] is Mistral's token."),
        ('It is `[TOOL_CALLS][{"name": "a"}]`, as I said.', 'It is `[TOOL_CALLS][{"name": "a"}]`, as I said.'),
        (f"A call looks so:\n```\n{HERMES}\n```\nTry it.", f"A call looks so:\n```\n{HERMES}\n```\nTry it."),
    ],
)
def test_what_is_said_beside_a_call_stays(text, rest):
    assert without_call(spoken(text)).strip() == rest


def test_talk_that_an_agent_is_told_again_is_the_talk():
    told = f'{HISTORY}1. user: {SAID}\n2. {{"name": "transfer_to_lakes"}}\n3. assistant: In\nthe Danube.\n'
    assert said(assistant(f"{told}</CONVERSATION HISTORY>"), user("Why?")) == [
        ("user", SAID), ("assistant", "In\nthe Danube."), ("user", "Why?"),
    ]  # fmt: skip


def test_lines_of_a_channel_are_each_ones_own():
    for kind, line, role, speaker in (
        ("threaded", "Ann Smith: Hello.", "user", None),
        ("threaded", "Bob: Hello.", "other", "Bob"),
        ("channel", "Bob: Hello.", "other", "Bob"),
    ):
        channel = f"You are Mira, participating in a {kind} conversation. Be concise and conversational."
        (turn,) = turns_of(read_transcript([{"role": "system", "content": channel}, *wire(line)]), NAMES)
        assert (turn.role, turn.speaker, turn.text) == (role, speaker, "Hello.")


@pytest.mark.parametrize(
    ("system", "asked"),
    [
        ("", "<role>\nContext Extraction Assistant\n</role>\n\nExtract.\n\n<messages>\nHuman: hi\n</messages>"),
        ("You are a world expert at analyzing a situation, and plan accordingly towards solving a task.\nPlan.", SAID),
        (
            "- you will generate a short title based on the first message a user begins a conversation with\n- short",
            SAID,
        ),
        (
            "",
            f"{ROLES}\nRead the following conversation. {SELECT}\n\nuser: hi\n\nRead the above conversation. {SELECT}",
        ),
    ],
)
def test_requests_of_frameworks_are_no_talk(system, asked):
    lines = [*([{"role": "system", "content": system}] if system else []), {"role": "user", "content": asked}]
    assert maker_of(read_transcript(lines)) == "frontend"


@pytest.mark.parametrize(
    "behind",
    [
        ["cook, perhaps", "No valid name was mentioned. Please select from: ['cook']."],
        [assistant("", tool_calls=[{"id": "1"}]), {"role": "tool", "tool_call_id": "1", "content": "soup"}],
        [
            assistant("", tool_calls=[{"id": "1"}]),
            {"role": "tool", "content": "soup"},
            assistant("So"),
            user("Error:\nNo name.\n" + RETRY),
        ],
    ],
)
def test_a_framework_that_asks_again_asks_what_it_asked_before(behind):
    asked = f"{ROLES}\nRead the following conversation. {SELECT}\n\nuser: hi\n\nRead the above conversation. {SELECT}"
    answered = [assistant(one) if number == 0 and isinstance(one, str) else one for number, one in enumerate(behind)]
    further = [user(one) if isinstance(one, str) else one for one in answered]
    assert maker_of(read_transcript([SYSTEM, user(asked), *further])) == "frontend"
    assert maker_of(read_transcript([SYSTEM, user(SAID), *further])) == "person"


RULES = "<system>\nYou are Mira.\n</system>"


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([RULES], []),
        ([f"{RULES}\n\n{SAID}"], [SAID]),
        ([RULES, "<system>It is noon.</system>", SAID, "<system>No call was found.</system>"], [SAID]),
        ([RULES, f"<system>It is noon.</system> {SAID}"], [f"<system>It is noon.</system> {SAID}"]),
        (["<system> is a tag, isn't it?"], ["<system> is a tag, isn't it?"]),
        ([SAID, RULES], [SAID, RULES]),
        ([SYSTEM, RULES], [RULES]),
    ],
)
def test_lines_of_the_system_are_told_where_a_program_has_no_role_for_them(messages, words):
    lines = [user(one) if isinstance(one, str) else one for one in messages]
    assert [turn.text for turn in turns_of(read_transcript(lines), NAMES)] == words


def test_titles_that_are_asked_for_below_such_a_line_are_no_talk():
    rules = "Your task: Create a 2-4 word title for this conversation.\n\nRules:\n- Short"
    lines = [user("<system>\nGenerate concise conversation titles.\n</system>"), user(rules)]
    assert maker_of(read_transcript(lines)) == "frontend"


def test_instructions_before_the_users_first_words_leave_them_unsure():
    told = [
        turns_of(read_transcript(wire(text)), NAMES)[0].unsure
        for text in (f"You are a helpful assistant. {SAID}", f"You are an angel! {SAID}")
    ]
    assert told == [True, False]
