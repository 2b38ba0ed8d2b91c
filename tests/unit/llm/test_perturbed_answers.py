"""Answers in the forms in which real models give them keep what they say; what they do not say is dropped alone."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from memory.facts import extraction_rules
from memory.facts.confidence_rules import ShownMessage
from memory.grounding.setting import Setting
from memory.patrol import merge_rules
from memory.patrol.merge_rules import PromptBatch
from memory.talk import scene_rules
from memory.text.tokens import tokens
from providers.answers.json_text import answer_text
from providers.completion import Completion, Usage
from providers.errors import BadAnswer
from providers.thinking import Question, read
from schemas.context.asking import DraftAnswer
from schemas.facts.judgement import UNTOLD, FoldConfirmation, Judgement, Reconciliation
from schemas.patrol.model_answers import (
    Classification,
    Consolidation,
    DiaryPages,
    RepairedScene,
    Split,
    TopicName,
)
from schemas.talk.impressions import ClosedSession, ShortSessions
from schemas.talk.messages import Message
from schemas.talk.scenes import SessionsWithScenes, SessionWithScenes
from schemas.talk.summaries import RollingSummary, SessionSummary, SummarySpine
from tests.conversations import fact, todo
from tests.documents.shown import TOPIC, made_up

SAID = {
    "m1": "Yesterday I moved to “Ghent” — it\u2019s lovely 🎉 and my rent is 3.5 percent lower. "
    "I don\u2019t miss Antwerp at all!",
    "m2": "My sister Ana definately works at **Lumen** now, she\u2019s their accountant. She starts on Monday.",
    "m3": "I\u2019ll call the dentist on Friday… I promised my mother that.",
}
SUMMARY = {
    "one_liner": "Ana's move.",
    "what_mattered": ["The move to Ghent", "Ana's job"],
    "open_loops": ["The dentist"],
    "commitments": ["User: call the dentist"],
    "people": ["Ana", "the mother"],
    "tone": "glad",
}
IMPRESSIONS = {
    "user_model": [{"text": "Plans ahead.", "messages": ["u1"]}],
    "project": {"text": "The move to Ghent.", "messages": ["u1", "u2"]},
    "mood": {"text": "Glad for her.", "messages": ["u2"]},
    "topic": {"text": "The dentist.", "messages": ["u2"]},
}
SCENES = [
    {
        "messages": ["m1", "m2"],
        "action": "They spoke of the move.",
        "quote": "I don\u2019t miss Antwerp at all!",
        "actors": ["Ana"],
        "setting": None,
        "feeling": None,
        "themes": ["move"],
        "importance": 0.5,
        "realm": "real",
    },
    {
        "messages": ["m3"],
        "action": "They planned a call.",
        "quote": None,
        "actors": [],
        "setting": None,
        "feeling": "I am glad.",
        "themes": [],
        "importance": 0.25,
        "realm": "role-play",
    },
]
RIGHT: dict[str, tuple[type[BaseModel], dict[str, Any]]] = {
    "judge": (
        Judgement,
        {
            "facts": [
                fact(
                    "Yesterday I moved to “Ghent” — it\u2019s lovely 🎉 and my rent is 3.5 percent lower.",
                    "Moved to Ghent.",
                ),
                fact("I don\u2019t miss Antwerp at all!", "Does not miss Antwerp."),
                fact("Ana definately works at **Lumen** now, she\u2019s their accountant", "Ana works.", message="m2"),
                fact("accountant. She starts on Monday.", "Ana starts on Monday.", message="m2", type="PEOPLE"),
            ],
            "todos": [
                todo("I\u2019ll call the dentist on Friday", message="m3"),
                todo("I promised my mother", message="m3"),
            ],
            "confidences": [{"message": "m3", "asked_in": "m3"}],
        },
    ),
    "reconcile": (
        Reconciliation,
        {
            "comparisons": [
                {"new": "n0.1", "relation": "same", "earlier": "e0.0"},
                {"new": "n1.2", "relation": "contradicts", "earlier": "e1.0"},
                {"new": "n2.0", "relation": "adds", "earlier": None},
            ]
        },
    ),
    "rolling": (RollingSummary, {"summary": "The user moved to Ghent."}),
    "close": (ClosedSession, {**SUMMARY, **IMPRESSIONS}),
    "scenes": (SessionWithScenes, {**SUMMARY, **IMPRESSIONS, "scenes": SCENES}),
    "close_short": (
        ShortSessions,
        {"summaries": [{**SUMMARY, "conversation": "c1"}, {**SUMMARY, "conversation": "c2"}]},
    ),
    "close_short with scenes": (
        SessionsWithScenes,
        {"summaries": [{**SUMMARY, "conversation": f"c{n}", "scenes": [scene]} for n, scene in enumerate(SCENES, 1)]},
    ),
    "spine": (
        SummarySpine,
        {"PROFILE": ["Lives in Ghent"], "PROJECTS": ["Garden"], "PEOPLE": ["Ana: sister"], "OPEN_LOOPS": ["Dentist"]},
    ),
    "consolidate": (
        Consolidation,
        {
            "merges": [
                {
                    "survivor": "m1",
                    "absorbed": ["m2"],
                    "action": "Pip mended the roof on 2 March for forty pounds.",
                    "feeling": None,
                    "actors": ["Pip", "Ivor"],
                    "dialogue": ["“Never — again”, he said."],
                    "themes": ["roof"],
                },
                {
                    "survivor": "m3",
                    "absorbed": ["m4", "m5"],
                    "action": "Pip slept.",
                    "feeling": None,
                    "actors": ["Pip"],
                    "dialogue": [],
                    "themes": [],
                },
            ],
            "make_dead": ["m6"],
        },
    ),
    "split": (
        Split,
        {
            "topics": [
                {"name": "The roof", "memories": ["m1", "m2", "m3"]},
                {"name": "Garden", "memories": ["m4", "m5", "m6"]},
            ]
        },
    ),
    "name": (TopicName, {"name": "The leaking roof"}),
    "fold": (FoldConfirmation, {"same": ["p1", "p3"]}),
    "diary": (DiaryPages, {"diary": ["One.", "Two.", "Three."], "next_time": ["Ask.", "Listen.", "Tell."]}),
    "classify": (Classification, {"business": ["m1", "m3"], "private": ["m2"]}),
    "repair": (
        RepairedScene,
        {
            "action": "Pip mended it.",
            "actors": ["Pip"],
            "when": ["2026-03-02", {"date": "2026-03-03", "action": "Rain."}],
            "setting": None,
            "dialogue": ["Never."],
            "sensory": [],
            "feeling": None,
            "importance": 0.5,
            "themes": ["roof"],
            "emotion": None,
        },
    ),
}
LETTERS = {
    "message": "m",
    "asked_in": "m",
    "survivor": "m",
    "known": "t",
    "new": "n",
    "earlier": "e",
    "conversation": "c",
}
LETTERS |= dict.fromkeys(("absorbed", "make_dead", "memories", "business", "private", "messages"), "m") | {"same": "p"}
CHOICES = {"type", "fact_type", "realm", "relation", "kind"}
NUMBERS = {"importance", "confidence"}
COPIED = {"span", "quote", "dialogue"}

Perturb = Callable[[random.Random, dict[str, Any]], str]


def walked(value: Any, change: Callable[[str, Any], Any], name: str = "") -> Any:
    """Every text, number and null of an answer, changed by the name of its field."""
    if isinstance(value, dict):
        return {key: walked(inner, change, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [walked(inner, change, name) for inner in value]
    return change(name, value)


def objects(value: Any) -> list[dict[str, Any]]:
    """Every object of an answer, the whole answer first."""
    if isinstance(value, dict):
        return [value, *(one for inner in value.values() for one in objects(inner))]
    return [one for inner in value for one in objects(inner)] if isinstance(value, list) else []


def refs(rng: random.Random, answer: dict[str, Any]) -> str:
    def change(name: str, value: Any) -> Any:
        if name not in LETTERS or not isinstance(value, str):
            return value
        number = value[1:]
        forms = [value.upper(), f"[{value}]", f" {value} ", f"#{number}", number, f"ref={value}", f"{value}."]
        return rng.choice([*forms, int(number)] if number.isdigit() else forms)

    return json.dumps(walked(answer, change))


def case_of_choices(rng: random.Random, answer: dict[str, Any]) -> str:
    def change(name: str, value: Any) -> Any:
        if name not in CHOICES or not isinstance(value, str):
            return value
        return rng.choice([value.upper(), value.title(), value.lower(), value.replace("-", "_"), f" {value}"])

    return json.dumps(walked(answer, change))


def numbers(rng: random.Random, answer: dict[str, Any]) -> str:
    def change(name: str, value: Any) -> Any:
        if name not in NUMBERS or value is None:
            return value
        if isinstance(value, int):
            return rng.choice([str(value), float(value), value + 0.25, f"{value}.0"])
        return rng.choice([str(value), f"{100 * value:g}%", str(value).replace(".", ",")])

    return json.dumps(walked(answer, change))


def nulls(rng: random.Random, answer: dict[str, Any]) -> str:
    for one in objects(answer):
        for name, value in list(one.items()):
            if value is None and rng.random() < 0.5:
                del one[name]
            elif value == []:
                one[name] = rng.choice([None, [], "", [None]])
    return json.dumps(answer)


def names_of_fields(rng: random.Random, answer: dict[str, Any]) -> str:
    def written(name: str) -> str:
        first, *rest = name.split("_")
        return rng.choice([name, name.upper(), first + "".join(map(str.title, rest))])

    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            return {written(name): renamed(inner) for name, inner in value.items()}
        return [renamed(inner) for inner in value] if isinstance(value, list) else value

    return json.dumps(renamed(answer))


def further_fields(rng: random.Random, answer: dict[str, Any]) -> str:
    for one in objects(answer):
        one[rng.choice(["note", "reasoning", "id"])] = rng.choice(["none", 3, None, {"a": []}])
    return json.dumps(answer)


def around(rng: random.Random, answer: dict[str, Any]) -> str:
    text = json.dumps(answer, indent=rng.choice([None, 2]), ensure_ascii=rng.random() < 0.5)
    forms = ["```json\n%s\n```", "Here is the answer:\n%s\nI hope that helps!", "<think>{}</think>\n%s", "%s\n\n"]
    return rng.choice(forms).replace("%s", text)


def wrapped(_: random.Random, answer: dict[str, Any]) -> str:
    return json.dumps({"answer": answer})


def too_long(rng: random.Random, answer: dict[str, Any]) -> str:
    for name, value in answer.items():
        if isinstance(value, list) and value:
            answer[name] = [*value, rng.choice([None, {}, {"x": 1}, [{}]])]
    return json.dumps(answer)


def unknown_entities(rng: random.Random, answer: dict[str, Any]) -> str:
    for one in objects(answer):
        if one.keys() == {"type", "name"}:
            one["type"] = rng.choice(["drink", "PRODUCT", "", None])
    return json.dumps(answer)


def copied_loosely(rng: random.Random, answer: dict[str, Any]) -> str:
    """Other quotes, case, dashes and punctuation; markup, emoji and a word between left out; a typo corrected."""
    forms: list[Callable[[str], str]] = [
        lambda text: text.replace("“", '"').replace("”", '"').replace("\u2019", "'").replace("…", "..."),
        lambda text: text.replace("“", "").replace("”", ""),
        str.upper,
        str.lower,
        lambda text: text.replace("—", "-"),
        lambda text: text.replace(" — ", ", "),
        lambda text: text.rstrip(".!") + ".",
        lambda text: text.rstrip(".!"),
        lambda text: text.replace(". ", ", "),
        lambda text: text.replace("**", ""),
        lambda text: text.replace("🎉 ", ""),
        lambda text: text.replace("definately", "definitely"),
        lambda text: f"“{text}”",
        lambda text: f"… {text} …",
        lambda text: text.replace("it\u2019s lovely 🎉 and", "..."),
        lambda text: "  ".join(text.split(" ")),
    ]

    def change(name: str, value: Any) -> Any:
        if name not in COPIED or not isinstance(value, str):
            return value
        for form in rng.sample(forms, 2):
            value = form(value)
        return value

    return json.dumps(walked(answer, change))


def one_for_a_list(_: random.Random, answer: dict[str, Any]) -> str:
    for one in objects(answer):
        for name, value in list(one.items()):
            if isinstance(value, list) and len(value) == 1:
                one[name] = value[0]
    return json.dumps(answer)


def keyed(rng: random.Random, answer: dict[str, Any]) -> str:
    """Lists of objects as objects, by number or by the reference of each."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: changed(inner) for name, inner in value.items()}
        if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
            return value
        items = [changed(item) for item in value]
        name = next((name for name in LETTERS if name in items[0] and isinstance(items[0][name], str)), None)
        if name and len({item[name] for item in items}) == len(items) and rng.random() < 0.5:
            return {item.pop(name): item for item in items}
        return {rng.choice(["item ", "", "#"]) + str(number): item for number, item in enumerate(items, 1)}

    return json.dumps(changed(answer))


def under_their_kind(rng: random.Random, answer: dict[str, Any]) -> str:
    """Items in objects of their own, and lists that are counted."""
    for name, value in answer.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            item = [{name.removesuffix("s"): each} for each in value]
            answer[name] = rng.choice([item, {"total": len(value), "items": value}, [*value, "..."]])
    return json.dumps(answer)


def nested(rng: random.Random, answer: dict[str, Any]) -> str:
    whole = json.dumps(answer)
    return rng.choice(
        [
            json.dumps({"result": {"data": answer}}),
            json.dumps({"reasoning": "I looked at each message.", "answer": answer}),
            json.dumps({"answer": whole}),
            json.dumps(whole),
            json.dumps([answer]),
            json.dumps({"type": "object", "title": "Answer", "properties": answer}),
            json.dumps({"name": "answer", "arguments": answer}),
            json.dumps({"function": {"name": "answer", "arguments": whole}}),
            json.dumps([{"type": "text", "text": whole}]),
        ]
    )


def words_for_nothing(rng: random.Random, answer: dict[str, Any]) -> str:
    for one in objects(answer):
        for name, value in list(one.items()):
            if value is None or value == []:
                word = rng.choice(["null", "none", "N/A", "None.", "not mentioned", "-"])
                one[name] = rng.choice([word, [word]]) if value == [] else word
    return json.dumps(answer)


def spelled_refs(rng: random.Random, answer: dict[str, Any]) -> str:
    def change(name: str, value: Any) -> Any:
        if name not in LETTERS or not isinstance(value, str):
            return value
        letter, number = value[0], value[1:]
        of = {
            "m": "message",
            "u": "message",
            "p": "pair",
            "c": "conversation",
            "t": "todo",
            "n": "statement",
            "e": "statement",
        }[letter]
        forms = [
            f"{of} {value}",
            f"[{value}]",
            f"<{value}>",
            f"({value})",
            f"{value}: what it says",
            f"{of}_id: {value}",
            f"the {of} {value}",
            f"{letter}0{number}",
        ]
        forms += [f"{letter}-{number}", f"{letter} {number}", f"{of.title()} #{number}"] if letter not in "ne" else []
        return rng.choice(forms)

    return json.dumps(walked(answer, change))


def refs_in_one_text(rng: random.Random, answer: dict[str, Any]) -> str:
    for one in objects(answer):
        for name, value in list(one.items()):
            if name in LETTERS and isinstance(value, list) and value:
                one[name] = rng.choice([", ".join(value), " and ".join(value), "; ".join(value), "\n".join(value)])
    return json.dumps(answer)


def degrees(rng: random.Random, answer: dict[str, Any]) -> str:
    def change(name: str, value: Any) -> Any:
        if name == "confidence":
            return rng.choice(["high", "High", "very high", "90 %", "9/10", "0.9 (clearly said)", "~0.9", ".9"])
        if name == "importance" and isinstance(value, int):
            return rng.choice(["normal", "medium", "1 - usual", "1/3", "Usual"])[:9].replace("1/3", "1")
        return value

    return json.dumps(walked(answer, change))


def not_quite_json(rng: random.Random, answer: dict[str, Any]) -> str:
    text = json.dumps(answer, indent=2, ensure_ascii=False)
    forms: list[Callable[[str], str]] = [
        lambda said: re.sub(r"(?<=[\"\]}\d])\n", ",\n", said),
        lambda said: re.sub(r",\n", ", // next\n", said),
        lambda said: said.replace("{\n", "{ /* an object */\n"),
        lambda said: re.sub(r'^(\s*)"(\w+)":', r"\1\2:", said, flags=re.MULTILINE),
        lambda said: said.replace(",\n", "\n"),
        lambda said: said.replace("\\n", "\n"),
        lambda said: said.rstrip("}\n") + "\n",
    ]
    return rng.choice([str(answer), *(form(text) for form in forms)])


def curly_delimiters(_: random.Random, answer: dict[str, Any]) -> str:
    return re.sub(r'"(\w+)":', "\u201c\\1\u201d:", json.dumps(answer, ensure_ascii=False))


def one_after_the_other(rng: random.Random, answer: dict[str, Any]) -> str:
    parts = [json.dumps({name: value}) for name, value in answer.items()]
    return rng.choice(["\n", "\n\nAnd:\n", " , "]).join(parts)


def given_twice(_: random.Random, answer: dict[str, Any]) -> str:
    """Each list in two parts under the same name."""
    fields = []
    for name, value in answer.items():
        if isinstance(value, list) and len(value) > 1:
            fields += [(name, value[:1]), (name, value[1:])]
        else:
            fields.append((name, value))
    return "{" + ", ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in fields) + "}"


def thoughts_before(rng: random.Random, answer: dict[str, Any]) -> str:
    text = json.dumps(answer)
    tag = rng.choice(["think", "thinking", "reasoning", "analysis"])
    forms = [
        f"<{tag}>First {{a}} guess: {text[: len(text) // 2]}</{tag}>\n{text}",
        f"<|channel|>analysis<|message|>Maybe {{}}.<|end|><|channel|>final<|message|>{text}",
        f"[THINK]Which [1]?[/THINK]{text}",
        f"<|channel|>analysis<|message|>{{}}<|end|><|channel|>final <|constrain|>json<|message|>{text}",
        f"<|channel|>commentary to=functions.answer <|constrain|>json<|message|>{text}<|call|>",
        f"<answer>{text}</answer>",
        f"The schema wants {{facts}}; so:\n```json\n{text}\n```\n",
    ]
    return rng.choice(forms)


def escaped(rng: random.Random, answer: dict[str, Any]) -> str:
    text = json.dumps(answer)
    forms = [
        lambda: re.sub(r"\\ud83c\\udf89", r"\\u{1F389}", text),
        lambda: re.sub(r"\\ud83c\\udf89", r"\\U0001F389", text),
        lambda: text.replace("'", "\\'"),
        lambda: text.replace("**", "\\*\\*"),
        lambda: text.replace("\\ud83c\\udf89", "\\ud83c"),
    ]
    return rng.choice(forms)()


def bare_items(_: random.Random, answer: dict[str, Any]) -> str:
    """The objects of all lists without their fields."""
    items = [item for value in answer.values() if isinstance(value, list) for item in value]
    are_all = all(isinstance(value, list) for value in answer.values()) and all(
        isinstance(item, dict) for item in items
    )
    return json.dumps(items if are_all else answer)


def in_a_table(_: random.Random, answer: dict[str, Any]) -> str:
    """Objects of texts and numbers alone as rows of a table."""
    lists = [value for value in answer.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
    cells = [cell for item in lists[0] for cell in item.values()] if len(lists) == len(answer) else []
    if not cells or any(isinstance(cell, dict | list) for cell in cells):
        return json.dumps(answer)
    rows = [" | ".join("-" if cell is None else str(cell) for cell in item.values()) for item in lists[0]]
    head = list(lists[0][0])
    lines = [" | ".join(name.replace("_", " ").title() for name in head), " | ".join("---" for _ in head), *rows]
    return "Here is the table:\n\n" + "\n".join(f"| {line} |" for line in lines)


def entities_as_texts(rng: random.Random, answer: dict[str, Any]) -> str:
    for one in objects(answer):
        if isinstance(one.get("entities"), list):
            one["entities"] = [
                rng.choice([f"{each['type']}: {each['name']}", {"type": each["type"], "entity": each["name"]}])
                for each in one["entities"]
            ]
    return json.dumps(answer)


def names_of_their_own(rng: random.Random, answer: dict[str, Any]) -> str:
    """One field under another name, which the kind of its value tells."""
    others = {
        "message": "msg_ref",
        "asked_in": "asked_in_message",
        "realm": "reality",
        "survivor": "keep",
        "absorbed": "absorbed_ids",
        "make_dead": "dead",
        "memories": "members",
        "conversation": "id",
        "new": "new_id",
        "relation": "verdict",
        "earlier": "old",
        "messages": "evidence",
        "open_loops": "open_items",
        "PEOPLE": "PERSONS",
        "business": "work",
        "next_time": "notes",
        "kind": "todo_type",
    }
    name = rng.choice(sorted({each for one in objects(answer) for each in one} & others.keys()) or [""])

    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            return {others[each] if each == name else each: renamed(inner) for each, inner in value.items()}
        return [renamed(inner) for inner in value] if isinstance(value, list) else value

    return json.dumps(renamed(answer))


def objects_of_one(rng: random.Random, answer: dict[str, Any]) -> str:
    key = rng.choice(["ref", "value", "id", "text"])
    alone = {*LETTERS, "confidence", "importance", "statement", "span", "realm", "action", "summary", "name"}
    return json.dumps(
        walked(answer, lambda name, value: {key: value} if name in alone and value is not None else value)
    )


def objects_for_texts(_: random.Random, answer: dict[str, Any]) -> str:
    """People with their relation, and what somebody promised in two fields."""

    def change(name: str, value: Any) -> Any:
        if name in {"people", "actors"}:
            return {"name": value, "relation": "a friend"}
        who, colon, what = value.partition(": ") if isinstance(value, str) else ("", "", "")
        return {"who": who, "what": what} if name == "commitments" and colon else value

    return json.dumps(walked(answer, change))


def ranges(rng: random.Random, answer: dict[str, Any]) -> str:
    between = rng.choice(["-", "\u2013", " to ", ".."])
    for one in objects(answer):
        for name, value in list(one.items()):
            if name in LETTERS and isinstance(value, list) and len(value) > 2:
                one[name] = rng.choice([f"{value[0]}{between}{value[-1]}", [f"{value[0]}{between}{value[-1]}"]])
    return json.dumps(answer)


def of_another_keyboard(rng: random.Random, answer: dict[str, Any]) -> str:
    text = json.dumps(answer, ensure_ascii=False)
    forms = [text.replace('": ', '"\uff1a'), text.replace('", "', '"\uff0c "'), text.replace('"', '\\"')]
    for opening, closing in ("\u201d\u201d", "\u00ab\u00bb", "\u300c\u300d"):
        forms.append(re.sub(r'(?<!\\)"([^"]*)(?<!\\)"', f"{opening}\\1{closing}", text))
    return rng.choice(forms)


def other_words(rng: random.Random, answer: dict[str, Any]) -> str:
    words = {
        "real": ["reality", "Real life", "true", "wirklich"],
        "PROFILE": ["User profile", "USER", "Profil"],
        "PEOPLE": ["PERSON", "RELATIONSHIP"],
        "commitment": ["task", "TODO"],
        "same": ["identical", "duplicate"],
        "contradicts": ["conflict", "Contradictory"],
        "adds": ["new", "additional"],
        "user": ["Human", "The user", "user (me)", "You"],
    }

    def change(name: str, value: Any) -> Any:
        return rng.choice(words[value]) if name in {*CHOICES, "speaker", "subject"} and value in words else value

    return json.dumps(walked(answer, change))


def labelled(rng: random.Random, answer: dict[str, Any]) -> str:
    """Quotations behind a speaker, a time or a reference, or encoded once too often."""
    forms = [lambda text: f"User: {text}", lambda text: f"[2026-03-02 18:10] {text}", lambda text: f"m1: {text}"]
    forms.append(lambda text: text.replace("\u2019", "\\u2019"))
    form = rng.choice(forms)
    return json.dumps(walked(answer, lambda name, value: form(value) if name == "span" else value))


def like_its_schema(rng: random.Random, answer: dict[str, Any]) -> str:
    """Behind the schema, which it repeats, or with lists and fields in the places where the schema describes them."""
    schema = {
        name: {"type": "array", "items": {"type": "object"}} if isinstance(value, list) else {"type": "string"}
        for name, value in answer.items()
    }
    repeated = {"type": "object", "properties": schema, "$defs": {"Item": {"properties": {"message": {}}}}}
    lists = {name: {"type": "array", "items": each} for name, each in answer.items() if isinstance(each, list)}
    return rng.choice(
        (
            f"{json.dumps(repeated)}\n\n{json.dumps(answer)}",
            json.dumps(repeated | {"properties": answer}),
            json.dumps(answer | lists),
        )
    )


def words_of_their_own(rng: random.Random, answer: dict[str, Any]) -> str:
    """Words of enumerations in other languages, and types that there are not."""
    for one in objects(answer):
        if one.get("realm") == "real":
            one["realm"] = rng.choice(
                ["real_life", "real_world", "Realit\u00e4t", "ger\u00e7ek", "реальность", "现实", "現実", "현실"]
            )
        if one.get("type") == "PROFILE":
            one["type"] = rng.choice(["PREFERENCE", "个人资料", "PROFILE|PEOPLE", "", None])
        if one.get("relation") == "contradicts":
            one["relation"] = rng.choice(["updates", "矛盾", "противоречит"])
    return json.dumps(answer)


SAME: list[Perturb] = [
    refs,
    case_of_choices,
    numbers,
    nulls,
    names_of_fields,
    further_fields,
    around,
    wrapped,
    too_long,
    unknown_entities,
    copied_loosely,
    one_for_a_list,
    keyed,
    under_their_kind,
    nested,
    words_for_nothing,
    spelled_refs,
    refs_in_one_text,
    degrees,
    not_quite_json,
    curly_delimiters,
    one_after_the_other,
    given_twice,
    thoughts_before,
    escaped,
    bare_items,
    in_a_table,
    entities_as_texts,
    names_of_their_own,
    objects_of_one,
    objects_for_texts,
    ranges,
    of_another_keyboard,
    other_words,
    labelled,
    like_its_schema,
    words_of_their_own,
]


def answered(form: type[BaseModel], text: str) -> BaseModel:
    found = answer_text(text)
    assert found is not None, text
    return read_as(form, found)


def read_as(form: type[BaseModel], found: str) -> BaseModel:
    question = Question("any", "small", "", "", "", form, 100)
    return read(question, Completion(found, "m", Usage())).answer


# What the rules let through of an answer; many forms of an answer are read as the same one.
KEPT: dict[tuple[type[BaseModel], str], list[str]] = {}


def kept(answer: BaseModel) -> list[str]:
    """The items of an answer that its rules let through, in one form each."""
    key = (type(answer), answer.model_dump_json())
    if key not in KEPT:
        KEPT[key] = _kept(answer)
    return KEPT[key]


def _kept(answer: BaseModel) -> list[str]:
    if isinstance(answer, Judgement):
        return _judged(answer)
    if isinstance(answer, Consolidation):
        return _merged(answer)
    dumped = answer.model_dump()
    scenes = [scene for one in objects(dumped) for scene in one.pop("scenes", [])]
    drawn = [scene for each in scenes if (scene := _drawn(each))]
    return [
        *drawn,
        *(
            " ".join(token.form for token in tokens(f"{name}: {json.dumps(item, sort_keys=True)}"))
            for name, value in dumped.items()
            for item in (value if isinstance(value, list) else [value])
        ),
    ]


def _messages() -> dict[str, Message]:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    return {
        ref: Message(
            message_id=UUID(int=number),
            producer_id=None,
            session_id=UUID(int=9),
            conversation=None,
            role="user",
            speaker=None,
            content=text,
            metadata={},
            created_at=at + timedelta(minutes=number),
            received_at=at,
            judged=False,
        )
        for number, (ref, text) in enumerate(SAID.items(), 1)
    }


def _judged(answer: Judgement) -> list[str]:
    messages = _messages()
    shown = {ref: ShownMessage(message, message.content) for ref, message in messages.items()}
    found = extraction_rules.check(answer, shown, {one.message_id for one in messages.values()}, {})
    assert all(one.span in one.message.content for one in [*found.facts, *found.todos])
    return [
        *(f"{one.message.message_id} {one.type} {one.content} {one.refs} {one.importance}" for one in found.facts),
        *(f"{one.message.message_id} {one.kind} {one.content}" for one in found.todos),
        *(f"{one.message_id} {one.asked_in}" for one in found.confidences),
    ]


def _drawn(scene: dict[str, Any]) -> str | None:
    messages = _messages()
    own = {message.message_id: message.content for message in messages.values()}
    found = SessionWithScenes.model_validate({**SUMMARY, **IMPRESSIONS, "scenes": [scene]}).scenes[0]
    try:
        resting = scene_rules.check(found, messages, own, "\n".join(SAID.values()), UTC, Setting())
    except scene_rules.SceneRuleBroken:
        return None
    quoted = len(resting.scene.dialogue or [])
    return f"{resting.scene.action} {resting.message_ids} {resting.scene.realm} {resting.scene.importance} {quoted}"


def _merged(answer: Consolidation) -> list[str]:
    nodes = [
        made_up(1, "Pip mended the roof for 40 pounds.", themes=["Roof"], actors=["Pip", "Ivor"]),
        made_up(2, "The roof of Pip leaked.", dialogue=["“Never — again”, he said."], when=["2026-03-02"]),
        *(made_up(number, "Pip slept well.") for number in (3, 4, 5)),
        made_up(6, "Pip bought a nail.", status="dying", may_die=True),
    ]
    batch = PromptBatch(TOPIC, nodes, frozenset())
    try:
        merge_rules.check(batch, answer)
    except BadAnswer as bad:
        if not isinstance(bad.valid, Consolidation):
            return []
        answer = bad.valid
    scenes = [merge_rules.survivor_of(batch.by_reference, merge) for merge in answer.merges]
    return [*(scene.model_dump_json() for scene in scenes), *answer.make_dead]


@pytest.mark.parametrize("perturb", SAME, ids=lambda perturb: perturb.__name__)
@pytest.mark.parametrize("purpose", RIGHT)
def test_what_an_answer_says_in_another_form_is_kept(purpose, perturb):
    form, right = RIGHT[purpose]
    wanted = kept(answered(form, json.dumps(right)))
    assert len(wanted) >= len(right)
    if perturb is unknown_entities:
        wanted = [one.replace("person:", "thing:") for one in wanted]
    found = lost = 0
    # Some perturbations have few forms, which come again and again.
    for text, times in Counter(perturb(random.Random(seed), deepcopy(right)) for seed in range(25)).items():
        answer = kept(answered(form, text))
        found += times * sum(one in answer for one in wanted)
        lost += times * sum(one not in answer for one in wanted)
    assert found >= 0.95 * (found + lost), f"{lost} lost"


@pytest.mark.parametrize("purpose", [each for each in RIGHT if each not in {"rolling", "name"}])
def test_of_an_answer_whose_end_is_cut_off_the_whole_items_are_kept(purpose):
    form, right = RIGHT[purpose]
    text = json.dumps(right)
    ends = {
        name: [_end(text, right, name, place) for place in range(len(value))]
        for name, value in right.items()
        if isinstance(value, list)
    }
    for cut in range(len(text) // 3, len(text)):
        # Of the places within words some are enough.
        if cut % 7 and text[cut - 1].isalpha() and text[cut].isalpha():
            continue
        found = answer_text(text[:cut])
        whole = {name: sum(end <= cut for end in ends[name]) for name in ends}
        if found is None:
            assert not any(whole.values())
            continue
        try:
            answer = read_as(form, found)
        except BadAnswer:
            assert not any(whole.values()) or not isinstance(next(iter(right.values())), list)
            continue
        got = {name: len(getattr(answer, name)) for name in ends}
        if purpose == "judge":
            # What is cut off may have named messages that stay in confidence.
            assert UNTOLD in [one.model_dump() for one in answer.confidences]
            got["confidences"] -= 1
        assert got == whole


def test_what_is_thought_or_noted_beside_an_answer_is_none():
    assert answer_text('<think>Perhaps {"same": ["p1"]}, or') is None
    noted = answered(FoldConfirmation, '{"same": ["p1"]}\n\nNote: [p2] and {p3} differ in their dates.')
    assert noted == FoldConfirmation(same=["p1"])


def test_a_word_of_an_enumeration_is_no_other_one():
    _, right = RIGHT["judge"]
    for word in (
        "same?",
        "same (unsure)",
        "probably same",
        "same: no",
        "same (no)",
        "same \u2717",
        "contradicts not",
        "same topic",
        "contradicts nothing",
    ):
        with pytest.raises(BadAnswer):
            answered(Reconciliation, json.dumps({"comparisons": [{"new": "n0", "relation": word, "earlier": "e0"}]}))
    for word in (
        "same, different wording",
        "same; nothing new",
        "adds (unrelated)",
        "adds, no conflict",
        "contradicts - new",
        "adds: refines it",
    ):
        found = answered(
            Reconciliation, json.dumps({"comparisons": [{"new": "n0", "relation": word, "earlier": "e0"}]})
        )
        assert word.startswith(found.comparisons[0].relation)
    for word in (
        "not real",
        "real, imagined",
        "real or hypothetical",
        "unreal",
        "fiction",
        "real: no",
        "real (no)",
        "~~real~~",
    ):
        told = deepcopy(right)
        told["facts"][0]["realm"] = word
        assert len(kept(answered(Judgement, json.dumps(told)))) == len(kept(answered(Judgement, json.dumps(right)))) - 1


@pytest.mark.parametrize("said", [None, "left out", ["m3"], [{"message": "m3"}], [{"msg": "m3"}], [["m3", "m3"]], "m3"])
def test_a_confidence_is_never_lost(said):
    _, right = RIGHT["judge"]
    answer = {name: value for name, value in right.items() if name != "confidences"}
    if said != "left out":
        answer["confidences"] = said
    found = [one.model_dump() for one in answered(Judgement, json.dumps(answer)).confidences]
    assert bool(found) == (said is not None)
    # What names no message puts all in confidence.
    assert all(one["message"] == "m3" or one["message"] not in SAID for one in found)


# What beside a reference says that it is not meant, under the field's name or another; and what says that it is.
OF_A_LIST = [
    (FoldConfirmation, {"same": [{"pair": "p1", "same": True}, {"pair": "p2", "same": False}]}, ["p1"]),
    (FoldConfirmation, {"same": "p1: yes, p2: no"}, ["p1"]),
    (FoldConfirmation, {"same": ["p1 - different", "p2 (not the same)", "p3 - same"]}, ["p3"]),
    (FoldConfirmation, {"same": {"p1": "same", "p2": "different"}}, ["p1"]),
    (FoldConfirmation, {"same": ["p1: not different", "p2: nicht gleich", "p3\uff1a不同"]}, ["p1"]),
    (FoldConfirmation, {"same": [{"p1": "same"}, {"p2": "different"}, {"p3": True, "p4": False}]}, ["p1", "p3"]),
    (FoldConfirmation, {"same_pairs": ["p1", "p3"]}, ["p1", "p3"]),
    (
        FoldConfirmation,
        {"same": ["p1 \u2713", "p2 \u2717", "~~p3~~", "[ ] p4", "!p5", "p6 (other day) \u274c\ufe0f"]},
        ["p1"],
    ),
    (FoldConfirmation, {"same": ["~~pair 1~~", "2: no", "p3: is different", "p4: rejected, other day", "p5"]}, ["p5"]),
    (FoldConfirmation, {"same": [{"pair": "p1", "isDifferent": True}, {"pair": "p2", "keep_separate": True}]}, []),
    (FoldConfirmation, {"same": ["p1: vrai", "p2: faux", "p3: they don't say the same"]}, ["p1"]),
    (FoldConfirmation, {"same": {"yes": ["p1"], "no": ["p2"]}}, ["p1"]),
    *(
        (FoldConfirmation, {"same": form}, ["p9"])
        for doubt in (
            *("probably not", "unclear", "unsure", "cannot be same", "can't tell", "maybe", "I don't think so", "?"),
            *(
                "likely not",
                "similar",
                "close, but another day",
                "no evidence",
                "vielleicht",
                "不确定",
                "0",
                "0.2",
                "low",
            ),
        )
        for form in (
            [f"p1: {doubt}", f"p2 ({doubt})", "p9: both say Rex"],
            {"p1": doubt, "p9": "same"},
            [{"pair": "p1", "same": doubt}, {"pair": "p9", "same": "identical"}],
        )
    ),
    *(
        (FoldConfirmation, {"same": form}, ["p1"])
        for reason in (
            "Both say that she likes tea; similar wording",
            "Both are about the same event, in which Ann could not come to the party",
            "No doubt: the same.",
            "She can't eat nuts.",
        )
        for form in ([f"p1: {reason}"], [{"pair": "p1", "reason": reason}])
    ),
    (FoldConfirmation, {"same": [{"pair": "p1", "score": 9}, {"pair": "p2", "score": 3}]}, ["p1"]),
    (FoldConfirmation, {"same": {"p1": 0, "p2": None, "p3": 0.1, "p9": 1}}, ["p9"]),
    (FoldConfirmation, {"same": [{"pair": "p1", "same": None}, {"pair": "p2", "confidence": 0.3}]}, []),
    (FoldConfirmation, {"same": [["p1", "p3"], ["p2", False]]}, ["p1", "p3"]),
    (FoldConfirmation, {"same": [{"pair": "p1", "verdict": "yes"}, {"pair": "p2", "different": True}]}, ["p1"]),
    (FoldConfirmation, {"pairs": [{"id": "p1", "same": True}, {"id": "p2", "same": False}]}, ["p1"]),
    (FoldConfirmation, {"p1": True, "p2": False}, ["p1"]),
    (FoldConfirmation, {"p1": "same", "p2": "different"}, ["p1"]),
    (FoldConfirmation, {"different": {"p1": True}}, None),
    (FoldConfirmation, {"different": ["p2"]}, None),
    (FoldConfirmation, {"not_same": ["p2"]}, None),
    (Consolidation, {"merges": [], "keep": ["m1"]}, []),
    (Consolidation, {"merges": [], "alive": ["m1"], "dead": ["m2"]}, ["m2"]),
    (Consolidation, {"merges": [], "alternative": {"make_dead": ["m1"]}}, []),
    (Consolidation, {"merges": [], "make_dead": [{"ref": "m1", "dead": False}, {"ref": "m2", "dead": True}]}, ["m2"]),
    (Consolidation, {"merges": [], "make_dead": [{"memory": "m1", "reason": "It is old."}]}, ["m1"]),
    (Consolidation, {"merges": [], "make_dead": [{"memory": "m1", "title": "Not my day"}]}, ["m1"]),
    (
        Consolidation,
        {"merges": [], "make_dead": [{"memory": "m1", "why": "keep it, it counts"}, {"ref": "m2", "why": "too old"}]},
        ["m2"],
    ),
    (Consolidation, {"merges": [], "make_dead": {"m1": "too old", "m2": "keep", "m3": "keep it"}}, ["m1"]),
    (Consolidation, {"merges": [], "make_dead": {"m1": "not needed", "m2": "not dead"}}, ["m1"]),
    (Consolidation, {"merges": [], "make_dead": ["m1 (not important any more)", "m2 stays alive"]}, ["m1"]),
    (Consolidation, {"merges": [], "make_dead": ["m1: keep, it counts", "m2 (should not be kept)"]}, ["m2"]),
    (Consolidation, {"merges": [], "make_dead": ["m1 (do not)", "m2 \u274c", "m3: it is not needed"]}, ["m3"]),
    (Consolidation, {"merges": [], "make_dead": ["m1 and m2 (both old)", "all but m3"]}, ["m1", "m2", "all but m3"]),
    (Consolidation, {"merges": [], "make_dead": ["m1 - still needed", "m2 (no longer relevant)"]}, ["m2"]),
    (Consolidation, {"merges": [], "make_dead": {"m1": "should stay", "m2": "trivial"}}, ["m2"]),
    (Consolidation, '{"merges": [], "make_dead": ["m1"]}\nWait, m1 counts:\n{"merges": [], "make_dead": []}', []),
    (Consolidation, 'Say {"merges": [], "make_dead": ["m9"]}. Answer: {"merges": [], "make_dead": ["m1"]}', ["m1"]),
    (FoldConfirmation, {"same": ["p1: unrelated facts", "p2/p3"]}, ["p2", "p3"]),
    (FoldConfirmation, "| pair | same |\n| --- | --- |\n| p1 | yes |\n| p2 | no |", ["p1"]),
]


@pytest.mark.parametrize(
    "beside",
    [
        *({"confidence": 0.2}, {"confidence": "20%"}, {"certainty": "low"}, {"sure": False}, {"uncertain": True}),
        *({"merge": False}, {"should_merge": "no"}, {"is_duplicate": False}, {"decision": "do not merge"}),
        *({"rejected": True}, {"accepted": False}),
    ],
)
@pytest.mark.parametrize("purpose", ["consolidate", "reconcile"])
def test_what_a_model_is_not_sure_of_merges_and_replaces_nothing(purpose, beside):
    form, right = RIGHT[purpose]
    name = "merges" if form is Consolidation else "comparisons"
    answer = {**right, name: [{**right[name][0], **beside}, *right[name][1:]]}
    assert len(getattr(answered(form, json.dumps(answer)), name)) == len(right[name]) - 1
    alone = {**answer[name][0], **{field: value for field, value in right.items() if field != name}}
    for only in (alone, {**right, name: answer[name][:1]}):
        assert getattr(answered(form, json.dumps(only)), name) == []
    answer[name][0] |= dict.fromkeys(beside, "95%")
    assert len(getattr(answered(form, json.dumps(answer)), name)) == len(right[name])


def test_a_contradiction_stands_of_which_a_model_says_that_it_is_not_the_same():
    compared = {"new": "n1", "relation": "contradicts", "earlier": "e1"}
    for beside in ({}, {"same": False}, {"is_duplicate": "no"}, {"valid": False}):
        read = answered(Reconciliation, json.dumps({"comparisons": [{**compared, **beside}]}))
        assert [one["relation"] for one in read.model_dump()["comparisons"]] == ["contradicts"] * (
            "valid" not in beside
        )


@pytest.mark.parametrize(("form", "said", "wanted"), OF_A_LIST)
def test_nothing_is_taken_away_that_an_answer_does_not_name_for_it(form, said, wanted):
    text = said if isinstance(said, str) else json.dumps(said)
    if wanted is None:
        with pytest.raises(BadAnswer):
            answered(form, text)
    else:
        answer = answered(form, text).model_dump()
        assert answer["same" if form is FoldConfirmation else "make_dead"] == wanted


CONFIDED = [{"message": ref, "asked_in": "m3"} for ref in ("m1", "m2")]
CITED = [{"ref": ref, "quote": "I moved"} for ref in ("e1", "e2")]
FOR_EACH = [
    *(
        (Judgement, {"confidences": [{"message": said, "asked_in": "m3"}]}, CONFIDED)
        for said in ("m1, m2", "m1-m2", "m1, m2 (keep)", "m1, m2: not to be told")
    ),
    (Judgement, {"confidences": [{"message": ["m1", "m2"], "asked_in": "m3"}]}, CONFIDED),
    (Judgement, {"confidences": [{"messages": ["m1", "m2"], "asked_in": "m3"}]}, CONFIDED),
    (Judgement, {"confidences": [{"message": "m1 to m150", "asked_in": "m1 to m150"}]}, [UNTOLD]),
    (
        Reconciliation,
        {"comparisons": [{"new": "n0.1", "relation": "same", "earlier": "e0.0 and e0.2"}]},
        [{"new": "n0.1", "relation": "same", "earlier": ref} for ref in ("e0.0", "e0.2")],
    ),
    *(
        (
            Reconciliation,
            {"vergleiche": [{"neu": "n1", "beziehung": relation, "alt": "e1"}]},
            [{"new": "n1", "relation": relation, "earlier": "e1"}],
        )
        for relation in ("same", "contradicts")
    ),
    (DraftAnswer, {"saetze": [{"satz": "S.", "zitate": [{"quelle": "e1", "zitat": "I moved"}]}]}, CITED[:1]),
    (Reconciliation, {"comparisons": [["n0", "adds", None]]}, [{"new": "n0", "relation": "adds", "earlier": None}]),
    (DraftAnswer, {"sentences": [{"sentence": "S.", "cites": [["e1", "I moved"], ["e2", "I moved"]]}]}, CITED),
    (DraftAnswer, {"sentences": [{"sentence": "S.", "cites": [{"ref": "e1, e2", "quote": "I moved"}]}]}, CITED),
    (DraftAnswer, {"sentences": [{"sentence": "S.", "sources": [{"id": "e1", "text": "I moved"}]}]}, CITED[:1]),
    (DraftAnswer, {"sentences": [{"sentence": "S.", "cites": [{"e1": "I moved"}, {"e2": "I moved"}]}]}, CITED),
]


@pytest.mark.parametrize(("form", "said", "wanted"), FOR_EACH)
def test_an_item_with_several_references_says_the_same_of_each(form, said, wanted):
    if form is Judgement:
        said = {"facts": [], "todos": [], "requests": [], **said}
    dumped = answered(form, json.dumps(said)).model_dump()
    items = (
        dumped["sentences"][0]["cites"] if form is DraftAnswer else dumped.get("confidences") or dumped["comparisons"]
    )
    assert items == wanted


def test_what_an_item_says_elsewhere_is_read():
    said = {**fact("I moved", "Moved."), "evidence": {"message": "m7", "type": "words"}}
    answer = answered(Judgement, json.dumps({"facts": [said], "confidences": []}))
    assert answer.model_dump()["facts"][0].items() >= {"message": "m1", "type": said["type"]}.items()
    ghent = fact("I moved to Ghent", "Moved to Ghent.")
    for said in ({"place": "Ghent"}, [{"place": "Ghent"}], {"place": ["Ghent"]}):
        answer = answered(Judgement, json.dumps({"facts": [{**ghent, "entities": said}], "confidences": []}))
        assert answer.model_dump()["facts"][0]["entities"] == [{"type": "place", "name": "Ghent"}]
    topics = {"The roof": ["m1", "m2"], "Garden": ["m3", "m4"]}
    for said in (topics, [{name: refs} for name, refs in topics.items()]):
        split = answered(Split, json.dumps({"topics": said})).model_dump()
        assert {one["name"]: one["memories"] for one in split["topics"]} == topics
    rows = [{"memory": "m1", "root": "business"}, {"memory": "m2", "root": "private"}]
    assert answered(Classification, json.dumps(rows)) == Classification(business=["m1"], private=["m2"])
    told = {"business": [{"memory": "m1", "about": "work"}], "private": [{"ref": "m2", "why": "a walk"}]}
    assert answered(Classification, json.dumps(told)) == Classification(business=["m1"], private=["m2"])
    cite = {"ref": "e1", "quote": "I live in Ghent"}
    draft = answered(DraftAnswer, json.dumps({"sentences": [{"sentence": "Ann lives in Ghent.", **cite}]}))
    assert [one.model_dump() for one in draft.sentences[0].cites] == [cite]
    mood = {"text": "glad", "messages": ["u1"]}
    scene = {"refs": ["m1"], "action": "Ann moved.", "realm": "life", "actors": [], "themes": []}
    closed = {"summary": SUMMARY, "impressions": {"mood": [mood]}, "scenes": [scene]}
    dumped = answered(SessionWithScenes, json.dumps(closed)).model_dump()
    assert dumped.items() >= {**SUMMARY, "mood": mood}.items()
    assert [one["messages"] for one in dumped["scenes"]] == [["m1"]]
    short = answered(ShortSessions, json.dumps({"summaries": [{"conversation": "c1", "summary": SUMMARY}]}))
    assert short.model_dump()["summaries"][0].items() >= {"conversation": "c1", **SUMMARY}.items()
    spine = {"PROFILE": [], "PROJECTS": {"lines": ["A garden"]}, "PEOPLE": {"Ana": ["sister", "baker"]}}
    dumped = answered(SummarySpine, json.dumps(spine)).model_dump()
    assert (dumped["PROJECTS"], dumped["PEOPLE"]) == (["A garden"], ["Ana: sister", "Ana: baker"])
    for word, done in (("completed", True), ("given up", True), ("not yet", False), ("true (given up)", True)):
        kept_todo = {**todo("I\u2019ll call"), "known": "t1 (the dentist)", "done": word}
        found = answered(Judgement, json.dumps({"facts": [], "todos": [kept_todo], "confidences": []})).model_dump()
        assert (found["todos"][0]["known"], found["todos"][0]["done"]) == ("t1", done)


@pytest.mark.parametrize(
    "said", ["None found", "Nothing was left open.", ["No open loops."], "(none)", "keine", ["なし"]]
)
def test_a_list_that_says_that_it_is_empty_is_empty(said):
    answer = {**SUMMARY, "open_loops": said, "commitments": ["No answer from Ivor"]}
    read = answered(SessionSummary, json.dumps(answer))
    assert (read.open_loops, read.commitments) == ([], ["No answer from Ivor"])


@pytest.mark.parametrize("said", ["Nada", "Nothing at all", "No.", "None left"])
def test_a_name_or_saying_that_is_alone_in_its_list_stays(said):
    read = answered(SessionSummary, json.dumps({**SUMMARY, "people": [said], "open_loops": said}))
    assert (read.people, read.open_loops) == ([said], [said])


@pytest.mark.parametrize(
    "between", ["", "And finally:", "Wait, there is one more:", "The update of her job:", "Sorry:"]
)
def test_an_answer_in_two_parts_keeps_the_first_one(between):
    first, *others = RIGHT["judge"][1]["facts"]
    parts = [
        {"facts": [first], "todos": [], "confidences": [{"message": "m1", "asked_in": "m1"}], "requests": []},
        {"facts": others, "todos": [], "confidences": [], "requests": []},
    ]
    read = answered(Judgement, f"\n{between}\n".join(map(json.dumps, parts)))
    assert (len(read.facts), len(read.confidences)) == (1 + len(others), 1)
    items = f"\n{between}\n".join(json.dumps(each) for each in (first, *others))
    assert len(answered(Judgement, items).facts) == 1 + len(others)


@pytest.mark.parametrize("field", ["statement", "fact"])
def test_a_fact_that_denies_something_stands_with_its_type(field):
    said = {name: value for name, value in RIGHT["judge"][1]["facts"][0].items() if name != "statement"}
    said |= {field: "Does not eat meat.", "type": "PEOPLE: a person", "realm": "real - another place"}
    (read,) = answered(Judgement, json.dumps({**RIGHT["judge"][1], "facts": [said]})).facts
    assert (read.statement, read.type, read.realm) == ("Does not eat meat.", "PEOPLE", "real")


def test_references_beside_words_of_their_items_are_read():
    said = ["m1: a separate flat", "m2 (a different town)", "m3"]
    read = answered(Split, json.dumps({"topics": [{"name": "Home", "memories": said}]}))
    assert read.topics[0].memories == ["m1", "m2", "m3"]


def test_what_an_answer_sets_aside_is_none_of_it():
    _, right = RIGHT["judge"]
    for aside in ({**right, "facts": [], "excluded_facts": right["facts"]}, {"rejected_facts": right["facts"]}):
        assert answered(Judgement, json.dumps({"todos": right["todos"], **aside})).facts == []
    for name in ("not_facts", "facts_excluded"):
        with pytest.raises(BadAnswer):
            answered(Judgement, json.dumps({name: right["facts"]}))
    assert answered(Judgement, json.dumps({"not_facts": right["facts"], "todos": right["todos"]})).facts == []
    assert answered(DiaryPages, '{"diary": ["Tea."], "do_not_forget": ["Cups."]}').next_time == ["Cups."]
    denied = [{**right["facts"][0], "valid": False}, *right["facts"][1:]]
    assert len(answered(Judgement, json.dumps({**right, "facts": denied})).facts) == len(denied) - 1


@pytest.mark.parametrize("text", [r'{"name": "Z\\u00fcrich"}', "{&quot;name&quot;: &quot;Zürich&quot;}"])
def test_characters_that_are_escaped_twice_are_read(text):
    assert answered(TopicName, text) == TopicName(name="Zürich")
    assert answered(TopicName, r'{"name": "É is \\u00c9"}').name == r"É is \u00c9"


def test_of_a_list_of_texts_and_objects_in_a_text_all_are_read():
    _, right = RIGHT["repair"]
    for said in (
        json.dumps(["2026-03-01", {"date": "2026-03-02", "action": "Rain."}]),
        {"1": "2026-03-01", "2": "May"},
    ):
        assert len(answered(RepairedScene, json.dumps({**right, "when": said})).when) == 2


def _end(text: str, right: dict[str, Any], name: str, place: int) -> int:
    """The end of a list's item in the text."""
    at = text.index(f'"{name}": [') + len(f'"{name}": [')
    return at + len(", ".join(json.dumps(item) for item in right[name][: place + 1]))


@pytest.mark.parametrize(
    "broken", ["span", "message", "realm", "speaker", "type", "statement", "subject", "entities", "confidence"]
)
def test_an_item_that_says_nothing_is_dropped_alone(broken):
    form, right = RIGHT["judge"]
    wanted = kept(answered(form, json.dumps(right)))
    for value in ({"no": "thing"}, "???", []):
        answer = deepcopy(right)
        answer["facts"][1][broken] = value
        found = kept(answered(form, json.dumps(answer)))
        assert [one for one in wanted if "Antwerp" not in one] == [one for one in found if "Antwerp" not in one]
