"""A model's thoughts are told from its words; words that mention a marker are words."""

from functools import partial
from time import process_time
from timeit import timeit

import pytest

from schemas.text.reasoning import opens_reasoning, spoken

SAID = "Good evening!"
FORMS = [
    "<think>{}</think>",
    "<THINKING>\n{}\n</THINKING>",
    '<thinking duration="3">{}</thinking>',
    "<thought>{}</thought>",
    "<Thoughts>{}</Thoughts>",
    "<reason>{}</reason>",
    "<reasoning>{}</reasoning>",
    "<antThinking>{}</antThinking>",
    "<mm:think>{}</mm:think>",
    "<seed:think>{}</seed:think>",
    "<think:opensource>{}</think:opensource>",
    "[THINK]{}[/THINK]",
    "[REASON]{}[/REASON]",
    "<think>{}</thinking>",
    "< think >{}</ think >",
    "<think>{}<\\/think>",
    "<|startofthink|>{}<|endofthink|>",
    "<details><summary>Click to expand thinking</summary>{}</details>",
    "<details><summary>Pensées</summary>{}</details>",
    "<think>\n<think>{}</think>\n</think>",
    "<think>{}<think>a</think>b</think>",
    "<|reasoning|>{}<|/reasoning|>",
    "::: reasoning\n{}\n:::",
    "<details><summary>View reasoning</summary>{}</details>",
    "<details>\n<summary>💭 Mira's Thoughts</summary>\n{}\n</details>",
    '<details type="tool_calls" done="true" result="3">\n<summary>Tool Executed</summary>\n{}\n</details>',
    '<code_interpreter type="code" lang="python">\n{}\n</code_interpreter>',
    "<code_interpreter>\n{}\n</code_interpreter>\n<code_interpreter_output>\n21\n</code_interpreter_output>",
    "<details class='thinking'><summary><b>Gedanken</b></summary>{}</details>",
    "◁think▷{}◁/think▷",
    "<|begin_of_thought|>{}<|end_of_thought|>",
    "<|START_THINKING|>{}<|END_THINKING|>",
    "<|inner_prefix|>{}<|inner_suffix|>",
    "<|think|>{}<|end|>",
    "<|channel>thought\n{}<channel|>",
    "<|channel|>analysis<|message|>{}<|end|>",
    "[unused16]{}[unused17]",
    "<unused94>thought\n{}<unused95>",
    "<|begin_of_think|>{}<|end_of_think|>",
    "<|begin_thinking|>{}<|end_thinking|>",
    "<|thought_start|>{}<|thought_end|>",
    "<\uff5cbegin\u2581of\u2581thinking\uff5c>{}<\uff5cend\u2581of\u2581thinking\uff5c>",
    '<details type="reasoning" done="true" duration="2">\n<summary>Thought for 2 seconds</summary>\n> {}\n</details>',
    "<details>\n<summary>Thought for 4 seconds</summary>\n{}\n</details>",
    ":::thinking\n{}\n:::",
]
CLOSED = [
    "<chain_of_thought>{}</chain_of_thought>",
    "<thinking_process>\n{}\n</thinking_process>",
    "<inner-thoughts>{}</inner-thoughts>",
    "<lobeThinking>\n{}\n</lobeThinking>",
    "<SCRATCH_PAD>{}</SCRATCH_PAD>",
    "<réflexion>{}</réflexion>",
    "<思考>{}</思考>",
    "<inner_voice>{}</inner_voice>",
    "<мысли>{}</мысли>",
    "<内心独白>{}</内心独白>",
    "&lt;think&gt;{}&lt;/think&gt;",
    "[think]{}[/think]",
    "【思考】{}【/思考】",
]
ONLY_AT_THE_BEGINNING = [
    "<analysis>{}</analysis>",
    "<plan>\n{}\n</plan>",
    "```thinking\n{}\n```",
    "Thinking...\n{}\n...done thinking.",
    "Thinking...\n> I will hide the key.\n> Then I go.\n",
    "*Thinking...*\n\n> I will hide the key.\n>\n> Then I go.\n",
    "> [!thinking]- Thought for 3s\n> I will hide the key.\n",
    "Thinking... (5s elapsed)\n\n> I will hide the key.\n",
    "### Thinking\n{}\n### Response",
    "Reasoning: {}\n\nAnswer:",
    "[Previous reasoning: {}]\n",
    "**Thinking:** {}\n\n**Answer:**",
    "Thought: {}\nFinal Answer:",
    "<!-- {} -->",
    "Here is my thought process: {} Here is my response:",
    "Here are my reasoning steps:\n{}\n[BEGIN FINAL RESPONSE]",
    "analysis {}assistantfinal",
]


@pytest.mark.parametrize("form", [*FORMS, *CLOSED, *ONLY_AT_THE_BEGINNING])
def test_reasoning_before_what_is_said_is_none_of_it(form):
    assert spoken(form.format("I will hide the key.\n\nThen I go.") + f"\n\n{SAID}").strip() == SAID


@pytest.mark.parametrize("form", [*FORMS, *CLOSED])
def test_a_closed_block_behind_other_words_counts_too(form):
    block = form.format("I will hide the key.")
    assert spoken(f"Come in.\n\n{block}\n\n{SAID}\n{block}").strip() == f"Come in.\n\n{SAID}"


@pytest.mark.parametrize("form", FORMS)
def test_what_broke_off_within_the_reasoning_says_nothing(form):
    begun = form.partition("{}")[0]
    assert spoken(f"  {begun}I will hide").strip() == ""
    assert spoken(f"{form.format('One.')}\n{begun}I will hide").strip() == ""


@pytest.mark.parametrize(
    "words",
    [
        SAID,
        "Write <think> first. Pilot is my cat.",
        "Cut everything up to </think> with a regex; my cat Pilot helped.",
        "Everything between <think> and </think> is hidden, Pilot.",
        "Zwischen <think> und </think> steht es.",
        "Put <think> before the thought and </think> behind it, Pilot.",
        "It begins with <think>, thinks aloud, and ends with </think>. Pilot.",
        'Say "<think>" before and "</think>" behind it, Pilot.',
        "A <reasoning> block looks like <reasoning>I add 2 and 2</reasoning> in the log, Pilot.",
        "Say “[THINK]” before and “[/THINK]” behind it, Pilot.",
        "It is `<think>plan</think>` in code, Pilot.",
        "```xml\n<think>plan</think>\n```\nPilot.",
        "- so:\n    ~~~\n    <think>plan</think>\n\n    ~~~\n  Pilot.",
        "```\n<think>it broke off",
        "1 < 2 <b>bold</b> [think] <thinking_cap>",
        "[Thinking] Hm.",
        '<details type="other">Yes.</details>',
        "<details><summary>My thoughts on Bern</summary>Yes.</details>",
        "Here is my thought process: I like Bern.",
        "My analysis is that assistantfinal is no word.",
        "<answer>Yes.</answer>",
        "A text <|end|> with a token.",
        "<analysis>I looked at it.</analysis>",
        "<start_of_thought>It stays open.",
        "```think\nIt is all.\n```",
        "Thinking... yes.",
        "<think> and </think> mark it.",
        "1. Open <think>\n2. Write\n3. Close </think>\nPilot.",
        "1. <think>\n2. </think>\nThose two, Pilot.",
        "- <think> opens it\n- </think> closes it, Pilot.",
        "A <think/> is an empty tag, Pilot.",
        "<think/> is what Pilot writes.",
        "Thought for a while about it.\n\n> Pilot\n\nYes.",
        "The <internal> tag is Pilot's.",
        "Pilot has <internal>notes</internal> too.",
        "<config>\n  <internal>Pilot</internal>\n</config>",
        "<thinking cap on> Pilot!",
        "Thought: I like Bern.",
        "### Thinking\nIt is good for you.",
        "<!-- todo --> is a comment.",
        "<think> is what Pilot's model writes first.",
        "[THINK]'s end is missing, Pilot.",
        "<reasoning> opens it and </reasoning> closes it, Pilot.",
        '"<think>" opens it, Pilot.',
        "I <s>hate</s> love <s>you</s>",
        "Close it with </think>\n\nPilot agrees.",
        "```\nplan\n</think>\n\nYes.\n```\nPilot.",
        "All that it wrote is\n</think>\n\n",
        "ChatML has <|im_start|>user\nand so on, Pilot.",
        "It looks so:\n```\n<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n```\nPilot.",
        "Turns are joined as `<|im_end|><|im_start|>user`, Pilot.",
        "I <s>hate</s>\n<user> wrote so, Pilot.",
        "<ai>Hi</ai> is how Pilot marks it.",
        "You end the block with this tag:\n\n</think>\n\nThen you write, Pilot.",
        'On the wall stood "<think>plan</think>", Pilot.',
        "re.sub(r'<think>.*?</think>', '', text) does it, Pilot.",
        "| <think> | opens |\n| </think> | closes |\n\nPilot.",
        "</think> closes it, Pilot.",
        "</think>: Pilot closes it.",
        "<details><summary>Pilot's thoughts</summary>I stay.</details>",
        "## Thoughts\n\n> I want to leave.\n\nPilot does.",
    ],
)
def test_words_that_mention_a_marker_stay(words):
    assert spoken(words) == words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<think>Close it with `</think>`, or "</think>".</think>Yes.', "Yes."),
        ("<think>a `b</think>`c` is code.", "`c` is code."),
        ("<think>one</think><think>two</think>Yes.", "Yes."),
        ("<think>```py\nx</think>Yes.", "Yes."),
        ("<think>one</think><answer>Yes.</answer>", "Yes."),
        ("<Thought>one</Thought><Output>Yes.</Output>", "Yes."),
        ("<|begin_of_thought|>a<|end_of_thought|>\n<|begin_of_solution|>Yes.<|end_of_solution|>", "Yes."),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>", "Yes."),
        (
            "<|channel|>analysis<|message|>a<|end|>\n<|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
            "Yes.",
        ),
        (
            "<|channel|>commentary to=functions.f<|message|>{}<|call|><|channel|>final<|message|>Yes.<|return|>",
            "Yes.",
        ),
        ("<|channel|>final<|message|>Yes.<|return|>", "Yes."),
        ("<|channel|>analysis<|message|>a<|end|><|channel|>final <|constrain|>text<|message|>Yes.", "Yes."),
        ("<think>a</think><response>Yes.</response><|end_of_text|>", "Yes."),
        ("<|think|>a<|end|><|begin|>assistant<|content|>Yes.<|end|>", "Yes."),
        ("<|start|>assistant<|channel|>analysis<|message|>a<|start|>assistant<|channel|>final<|message|>Yes.", "Yes."),
        ("<think></think>\n\nYes.", "Yes."),
        ("Hm.\n\n<think>\n\n</think>\n\nYes.", "Hm.\n\nYes."),
        ("<think> she is sad, i comfort her </think> come here", "come here"),
        ("<think>a</think>It ends with <|content|> here.", "It ends with <|content|> here."),
        ("Well <think>no</think>yes.", "Well yes."),
        ("Well. <think> no </think> Yes.", "Well. Yes."),
        ("Well\n<think> no </think>\nyes.", "Well\nyes."),
        ("Yes.<|im_end|>\n<|endoftext|>", "Yes."),
        ("Yes.</s>", "Yes."),
        ("Who is it?\n</think>\n\nYes.", "Yes."),
        ("Who is it?</think>\n\nYes.", "Yes."),
        ("Who is it?\r\n</think>\r\n\r\nYes.", "Yes."),
        ("</think>\n\nYes.", "Yes."),
        ("</think>Yes.", "Yes."),
        ("I use <think> as asked. <think>I will hide the key.</think>Yes.", "I use Yes."),
        ('"Hello."<think>Hm.</think>"Come in."', '"Hello.""Come in."'),
        ("1. <think>Three names.\n2. Well.</think>Ann\n2. Ben", "1. Ann\n2. Ben"),
        ("<details><summary>💭 Mira's Thoughts</summary>Hm.</details>Yes.", "Yes."),
        ("<think>a</think><|begin_of_box|>Yes.<|end_of_box|>", "Yes."),
        ("<thinking>a</thinking>\n<output>Yes.</output>", "Yes."),
        ("<analysis>a</analysis><final>Yes.</final>", "Yes."),
        ("<think/>\n\nYes.", "Yes."),
        ("<internal>I will hide the key.</internal>\nYes.", "Yes."),
        ("<details><summary>思考中...</summary>I will hide the key.</details>Yes.", "Yes."),
        ("> **Thought for 3 seconds**\n> I will hide the key.\n\nYes.", "Yes."),
        ("> 💭 **Thinking**\n> I will hide the key.\n\nYes.", "Yes."),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nYes.<|eot_id|>", "Yes."),
        ("<|assistant|>\n<think></think>\nYes.", "Yes."),
        ("Yes.<|im_end|>\n<|im_start|>user\nAnd you?<|im_end|>\n<|im_start|>assistant\nNo.", "Yes."),
        ("Yes.<end_of_turn>\n<start_of_turn>user\nAnd you?", "Yes."),
        ("Yes.</s>[INST] And you? [/INST] No.</s>", "Yes."),
    ],
)
def test_what_stands_around_the_answer_goes_with_it(text, said):
    assert spoken(text).strip() == said


def test_a_lone_closing_marker_counts_where_the_request_opened_the_reasoning():
    text = "Who is it?</think>\nYes."
    assert spoken(text) == text
    assert spoken(text, opened=True).strip() == "Yes."
    assert spoken("Yes.", opened=True) == "Yes."
    assert spoken("<think>a</think>Yes.", opened=True) == "Yes."
    assert opens_reasoning("Sure.\n<think>\n")
    assert not opens_reasoning("Write <think> first.")


@pytest.mark.parametrize(
    "made",
    [
        lambda n: "a<think>" * n,
        lambda n: '"<think>" ' * n,
        lambda n: "` `` ``` " * n,
        lambda n: "<" * 8 * n,
        lambda n: "<think>" + '"</think>"' * n,
        lambda n: "a<|channel|>analysis " * n,
        lambda n: "<think>x</think>" * n,
        lambda n: "<think><think></think>" * n,
        lambda n: "x" + "</s> " * n,
        lambda n: "x<|im_end|><|im_start|" * n,
        lambda n: "<|im_start|>x " * n,
        lambda n: "<details " * n,
        lambda n: "<details type=reasoning>" * n,
        lambda n: "a\n:::thinking\n" * n,
        lambda n: "a" + "here is my thought process:" * n,
        lambda n: "\n \n" * n,
    ],
)
def test_a_text_is_read_in_time_linear_in_its_length(made):
    # Without the garbage collector, whose time grows faster than the text.
    seconds = partial(timeit, timer=process_time, number=1)
    for opened in (False, True):
        short, long = (partial(spoken, made(length), opened=opened) for length in (1_000, 16_000))
        bound = 16 * 4 * max(min(seconds(short) for _ in range(3)), 0.001)
        # Another process may take the processor's cache away.
        assert any(seconds(long) < bound for _ in range(3))
