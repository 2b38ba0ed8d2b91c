"""Reads whether a remark beside a reference or a word affirms it, denies it, or leaves it open."""

import re
from typing import Any

from providers.answers.answer_numbers import DEGREES, UnreadableValue, read_number

# Denied words and remarks about the wording count neither for nor against.
PASSED_OVER = re.compile(
    r"(?i)\b(?:(?:not|no|nothing|without)\s+\w+"
    r"|(?:different|new|(?:an)?other|similar\w*|almost|near(?:ly)?)\s+(?:identical\s+)?(?:word|phras)\w*)"
)
_AFFIRMS = frozenset(
    {"true", "yes", "y", "1", "same", "identical", "equal", "equivalent", "duplicate", "match", "matches"}
    | {"certain", "sure", "definitely", "high", "very high", "ja", "gleich", "oui", "s\u00ed", "sim", "да", "是"}
    | {"はい", "예", "\u2713", "\u2714", "\u2705"}
)
# Behind or beside a reference in a list of some: it is not one of them.
_DENIALS = frozenset(
    {"no", "false", "not", "none", "different", "distinct", "differ", "unrelated", "separate", "keep", "alive", "stays"}
    | {"not yet", "keep it", "keep alive", "stays alive", "still alive", "nein", "verschieden", "unterschiedlich"}
    | {"non", "différent", "différents", "distinto", "distintos", "diferente", "diferentes", "diverso", "diversi"}
    | {"não", "nee", "anders", "verschillend", "hay\u0131r", "farkl\u0131", "нет", "разные", "不同", "否", "いいえ"}
    | {"違う", "다름", "아니요", "wrong", "incorrect", "falsch", "falso", "falsa", "faux", "onwaar", "yanl\u0131\u015f"}
    | {"n", "nope", "never", "neither", "unequal", "differs", "no match", "rejected", "excluded", "kept alive"}
    | {"nothing", "ignore", "ignored", "discard", "discarded", "exclude", "skipped", "invalid", "unsupported", "reject"}
    | {"keep separate", "separate events", "different events", "ложь", "неверно", "错", "錯", "偽", "거짓"}
)
_NOT = re.compile(
    r"(?:(?:it|this|that|they|both|is|are|was|were|do|does|did|should|must|es|sie|ist|sind) )*(?:not|nicht|niet|pas|не"
    r"|(?:do|does|did|is|are|was|were|should|must)n['\u2019]?t)(?: (?:really|very|any|to|be))*\b(?: (\w+))?"
)
# "not different" and "not useful" do not deny the reference.
_NOT_DENIED = frozenset(
    {"different", "distinct", "unrelated", "separate", "needed", "important", "relevant", "used", "useful", "worth"}
    | {"necessary", "significant", "interesting", "meaningful", "contradictory", "differ", "contradict", "conflict"}
    | {"keep", "kept", "matter", "wichtig"}
)
# Words that leave a reference open, in the languages in which models are addressed most.
_OPEN = re.compile(
    r"\b(?:probabl[ey]|perhaps|maybe|possibl[ey]|potentially|presumably|(?:un)?likely|seems?"
    r"|(?:might|may|could)(?: (?:also|well))? (?:be|not|mean|refer|differ)"
    r"|un(?:sure|clear|certain|known|decided|determined)|(?<!\bno )(?<!\bwithout )(?<!\bwithout a )doubt\w*|ambiguous"
    r"|inconclusive|undecidable|skip\w*|neutral|weak|(?:hard|difficult) to|insufficient\w*"
    r"|(?:can ?not|can['\u2019]?t|won['\u2019]?t)(?= (?:be|tell|say|know|judge|decide|determine|confirm|see)\b|\W*\Z)"
    r"|no (?:evidence|proof|sign|indication)|vielleicht|unklar|unsicher|m\u00f6glich\w*|wahrscheinlich|vermutlich"
    r"|peut-\u00eatre|probablement|incertain\w*|quiz\u00e1s?|tal vez|talvez|probablemente|posiblemente|dudos\w*|forse"
    r"|incert\w*|misschien|waarschijnlijk|возможно|вероятно|наверное|неясно|belki|muhtemelen)\b"
    r"|n['\u2019]t (?:think|believe|know|say|tell|seem)\b|\bnot\W*\Z|\?[^\w?]*\Z"
    r"|可能|不确定|不確定|也许|或许|不清楚|たぶん|かもしれない|不明|아마|모름|불확실|ربما",
    re.IGNORECASE,
)
# Words that say of two things that they are not the same.
_APART = re.compile(
    r"\b(?:similar\w*|related|part(?:ly|ial\w*)|somewhat|overlap\w*|(?:near|almost|nearly)(?=[- ]\w)|another"
    r"|other (?:day|date|time|person|event|place)s?|conflict\w*|contradict\w*|opposite\w*|disagree\w*|mismatch\w*"
    r"|different|differs?|unrelated|distinct|separate|false|\u00e4hnlich\w*|похоже)\b|相似|类似",
    re.IGNORECASE,
)
# Names of values that an answer rejects, as `rejected_facts` and `facts_excluded`; dropped todos are given up.
_REJECTED = "skipped|ignored|rejected|discarded|excluded|invalid|unsupported|omitted"
_REJECTING = re.compile(rf"(?:{_REJECTED})|.*\b(?:{_REJECTED})\b")
_NEGATION = re.compile(r"(?:(?:do|does|should|to) )?(?:not?|non|nicht)(?: (?:to|be))* (.+)")
# Words that keep an item of a list of removals, and words that deny them.
_KEEPS = re.compile(
    r"\b(?:keep|kept|stays?|remains?|retain|preserve|still|needed|important|relevant|matters?|alive|useful|valuable)\b",
    re.IGNORECASE,
)
_KEEPS_NOT = re.compile(
    r"(?i)\b(?:no longer|not|nothing|nobody|never|hardly|no|without|\w+n['\u2019]t)\b(?:\s+\w+){1,3}"
)
_LEAST_SURE = 0.5
# A remark of more words is a reason or the item's own text; a doubt then stands at its beginning or end.
_MOST_OF_A_REMARK, _OPENING, _ENDING = 8, 5, 3
_BARE = re.compile(
    r"(?=.{2,40}\Z)\W*[:=(\u2013\u2014-]\s*(?:[-\u2013\u2014?]|n/?a|null|none)\W*", re.IGNORECASE | re.DOTALL
)
# Signs beside a reference that cross it out, or leave its box empty.
_CROSSES = "\u2717\u2718\u2716\u00d7\u274c\u2260\u2610\U0001f44e\U0001f6ab\u26d4"
CROSSED = re.compile(rf"[{_CROSSES}]|~~|!=|\[\s?\]")


def is_denied(before: str, signs: str, behind: str, *, apart: bool) -> bool:
    """Whether the text around a reference denies it; see `doubts` for `apart`."""
    is_crossed = before.endswith("!") or any(map(CROSSED.search, (before, signs)))
    return (
        is_crossed
        or denies(behind)
        or doubts(behind, apart=apart)
        or "?" in signs
        or bool(_BARE.fullmatch(signs + behind))
    )


def denies(raw: Any, *, repeated: bool = False) -> bool:
    """Whether a value beside a reference denies it.

    Args:
        raw: The value.
        repeated: Whether it may repeat words that the reference stands for, as "Not my day".
    """
    if not isinstance(raw, str):
        return raw is False
    word = _in_words(raw).strip(" .!)]*\ufe0f")
    if word.removeprefix("is ").removeprefix("are ") in _DENIALS or word.endswith(tuple(_CROSSES)):
        return True
    of = None if repeated else _NOT.match(word)
    return of is not None and of[1] not in _NOT_DENIED


def _in_words(name: str) -> str:
    return re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", name).casefold()


def is_rejecting(name: str) -> bool:
    """Whether a name marks its values as rejected, as `rejected_facts`."""
    return _REJECTING.match(_in_words(name)) is not None


def negated(name: str) -> str | None:
    """Return the words that a name denies, as "facts" for `not_facts`; None if it denies none."""
    found = _NEGATION.fullmatch(_in_words(name))
    return found[1] if found else None


def doubts(raw: Any, *, apart: bool = True) -> bool:
    """Whether a value beside a reference leaves the reference open, or makes it unlikely.

    Args:
        raw: The value.
        apart: Whether words such as "separate" do, as where references stand for statements that are the same;
            elsewhere they are words about the item, as in "m1: a separate flat".
    """
    value = raw.strip(" .!)]*") if isinstance(raw, str) else raw
    try:
        chance = 1.0 if isinstance(raw, bool) else read_number(value, DEGREES)
        # Above 1 it is one of ten, and above that a percentage.
        most = next((most for most in (1, 10) if chance <= most), 100)
        return chance / most < _LEAST_SURE
    except UnreadableValue:
        return isinstance(raw, str) and (
            leaves_open(raw) or (apart and _APART.search(PASSED_OVER.sub(" ", _remark(raw))) is not None)
        )


def leaves_open(raw: str) -> bool:
    """Whether a text has a word of doubt."""
    return _OPEN.search(_remark(raw)) is not None


def _remark(raw: str) -> str:
    """The words of a text in which a doubt is one about the answer."""
    words = raw.split()
    if len(words) <= _MOST_OF_A_REMARK:
        return raw
    return f"{' '.join(words[:_OPENING])}; {' '.join(words[-_ENDING:])}"


def keeps(raw: Any) -> bool:
    """Whether a remark beside a reference in a list of removals asks to keep it."""
    return isinstance(raw, str) and _KEEPS.search(_KEEPS_NOT.sub(" ", _remark(raw))) is not None


def affirms(value: Any) -> bool:
    """Whether a value says yes."""
    if str(value).strip(" .!").casefold() in _AFFIRMS:
        return True
    return isinstance(value, float) and _LEAST_SURE <= value <= 1
