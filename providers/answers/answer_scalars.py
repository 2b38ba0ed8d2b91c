"""Reads a text, number, word of an enumeration or reference that a model writes in another form."""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any, Literal, get_args, get_origin

from schemas.llm.answer_form import Absent, Characters, Ref
from schemas.text.sentences import SENTENCE_ENDS, cut_at_sentence

_NUMBER = re.compile(
    r"[~\u2248<>=\s]*+([-+]?\d+(?:[.,]\d+)?)\s*+(%|percent|(?:/|of|out of)\s*+(\d+))?(?:\s*+[(:\u2013\u2014-].*)?"
)
_DEGREES = {"certain": 1.0, "very high": 0.95, "high": 0.9, "likely": 0.8}
_DEGREES |= {"medium": 0.6, "moderate": 0.6, "low": 0.3, "very low": 0.1}
_GRADE_LINES = ("none trivial low minor zero", "usual normal medium moderate one", "significant high major two")
_GRADES = {word: grade for grade, words in enumerate(_GRADE_LINES) for word in words.split()}
_GRADES |= dict.fromkeys(("very high", "critical", "core", "three"), 3)
# Words that models write for those of an enumeration, in the languages that they are spoken to in most.
# None stands for `forget` or `correct`: what takes something away is not guessed.
_SYNONYM_LINES = {
    "same": "identical equal equals equivalent repeats repeat duplicate restates thesame gleich igual identique"
    " 相同 同じ 동일 одинаково ayn\u0131 مطابق",
    "contradicts": "conflict conflicts conflicting opposes replaces supersedes updates widerspricht contradice"
    " contredit contraddice contradiz 矛盾 모순 противоречит çelişiyor يناقض",
    "adds": "new different unrelated distinct independent additive neu nuevo nouveau"
    " nuovo novo 新增 补充 補充 追加 추가 дополняет ekliyor يضيف",
    "real": "true actual factual literal wirklich realit\u00e4t echt reell wahr r\u00e9el r\u00e9elle r\u00e9alit\u00e9"
    " reale realt\u00e0 verdadero realidad realidade realny ger\u00e7ek реально реальный реальность"
    " 现实 真实 真實 現実 現實 실제 현실 حقيقي واقعي",
    "role-play": "fiction fictional rp roleplaying rollenspiel fiktion juegoderol jeuder\u00f4le",
    "hypothetical": "imagined imaginary wish joke hypothetisch hipot\u00e9tico hypoth\u00e9tique",
    "PROFILE": "user self userprofile abouttheuser profil perfil profilo",
    "PEOPLE": "person persons relationship relationships relation personen personas personnes persone",
    "PROJECT": "projekt proyecto projet progetto",
    "org": "organization organisation company institution firma empresa entreprise azienda"
    " 组织 組織 公司 会社 조직 회사 организация компания şirket شركة",
    "place": "location city country ort lugar lieu luogo 地点 地點 場所 장소 место yer مكان",
    "person": "persona personne pessoa 人 人物 사람 인물 человек kişi شخص",
    "commitment": "task todo intention plan obligation verpflichtung aufgabe compromiso tarea engagement"
    " tâche compito tarefa 任务 任務 待办 タスク 할일 задача görev مهمة",
    "habit": "gewohnheit hábito habitude abitudine 习惯 習慣 습관 привычка al\u0131şkanl\u0131k عادة",
    "preference": "like likes dislike dislikes vorliebe preferencia",
    "do not remember": "dontremember notremember donotstore dontstore",
    "do not mention": "dontmention notmention",
}
_SYNONYMS = {choice: frozenset(words.split()) for choice, words in _SYNONYM_LINES.items()}
# Of a word behind which one of these is said, neither is meant, unless that is denied, or is about the wording.
_OPPOSED = {"same": ("contradicts", "adds"), "contradicts": ("same",), "real": ("role-play", "hypothetical")}
# By these something is replaced, passed over as known, or removed.
_TAKES_AWAY = frozenset({"same", "contradicts", "forget", "correct"})
_PASSED_OVER = re.compile(
    r"(?i)\b(?:(?:not|no|nothing|without)\s+\w+|(?:different|new|(?:an)?other|similar\w*|almost|near(?:ly)?)\s+(?:identical\s+)?(?:word|phras)\w*)"
)
_NOTHING = frozenset(
    {"", "null", "none", "nil", "n/a", "na", "-", "\u2013", "\u2014", "undefined", "unspecified", "not specified"}
    | {"not said", "not mentioned", "not given", "not stated", "not applicable"}
)
# By these names a value stands in an object of its own, as `{"ref": "m1"}`.
_OBJECTS_OF_ONE = frozenset(
    {"value", "text", "content", "ref", "reference", "id", "message", "name", "score", "number"}
)
_AFFIRMS = frozenset(
    {"true", "yes", "y", "1", "same", "identical", "equal", "equivalent", "duplicate", "match", "matches"}
    | {
        "certain",
        "sure",
        "definitely",
        "high",
        "very high",
        "ja",
        "gleich",
        "oui",
        "s\u00ed",
        "sim",
        "да",
        "是",
        "はい",
        "예",
    }
    | {"\u2713", "\u2714", "\u2705"}
)
_YES = frozenset(
    {"true", "yes", "y", "1", "done", "completed", "complete", "finished", "closed", "fulfilled", "kept"}
    | {"given up", "cancelled", "canceled", "\u2713", "\u2714", "\u2705"}
)
_NO = frozenset({"false", "no", "n", "0", "open", "pending", "ongoing", "in progress", "not yet", "not done", "undone"})
# Behind or beside a reference in a list of some: it is not one of them.
_DENIALS = frozenset(
    {"no", "false", "not", "none", "different", "distinct", "differ", "unrelated", "separate", "keep", "alive", "stays"}
    | {"not yet", "keep it", "keep alive", "stays alive", "still alive", "nein", "verschieden", "unterschiedlich"}
    | {"non", "différent", "différents", "distinto", "distintos", "diferente", "diferentes", "diverso", "diversi"}
    | {"não", "nee", "anders", "verschillend", "hay\u0131r", "farkl\u0131", "нет", "разные", "不同", "否", "いいえ"}
    | {"違う", "다름", "아니요", "wrong", "incorrect", "falsch", "falso", "falsa", "faux", "onwaar", "yanl\u0131\u015f"}
    | {"n", "nope", "never", "neither", "unequal", "differs", "no match", "rejected", "excluded", "kept alive"}
    | {"keep separate", "separate events", "different events", "ложь", "неверно", "错", "錯", "偽", "거짓"}
)
_NOT = re.compile(
    r"(?:(?:it|this|that|they|both|is|are|was|were|do|does|did|should|must|es|sie|ist|sind) )*(?:not|nicht|niet|pas|не"
    r"|(?:do|does|did|is|are|was|were|should|must)n['\u2019]?t)(?: (?:really|very|any|to|be))*\b(?: (\w+))?"
)
# What is not so is one of them all the same: neither different nor of use.
_NOT_DENIED = frozenset(
    {"different", "distinct", "unrelated", "separate", "needed", "important", "relevant", "used", "useful", "worth"}
    | {"necessary", "significant", "interesting", "meaningful", "contradictory", "differ", "contradict", "conflict"}
    | {"keep", "kept", "matter", "wichtig"}
)
# Words that leave open what stands beside them, in the languages that models are spoken to in most.
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
    r"|different|differs?|false|\u00e4hnlich\w*|похоже)\b|相似|类似",
    re.IGNORECASE,
)
_LEAST_SURE = 0.5
# In more words a reason is given, or what a reference stands for; a doubt then opens or ends them.
_MOST_OF_A_REMARK, _OPENING, _ENDING = 8, 5, 3
_BARE = re.compile(
    r"(?=.{2,40}\Z)\W*[:=(\u2013\u2014-]\s*(?:[-\u2013\u2014?]|n/?a|null|none)\W*", re.IGNORECASE | re.DOTALL
)
# Signs beside a reference that cross it out, or leave its box empty.
_CROSSES = "\u2717\u2718\u2716\u00d7\u274c\u2260\u2610\U0001f44e\U0001f6ab\u26d4"
_CROSSED = re.compile(rf"[{_CROSSES}]|~~|!=|\[\s?\]")
_LONGEST_REFERENCE = 80
IS_REFERENCE = re.compile(r"[a-z]\d+(?:\.\d+)?").fullmatch
"""Matches a reference in the form of the prompt, whatever letter it begins with."""
# Around a reference: brackets, "ref=", what it refers to; and behind it what it says.
_REFERENCE = (
    r"\W*(?:(?:the\s)?(?:ref(?:erence)?|id|node|no|nr|number|message|msg|memory|todo|pair|conversation|session|statement|fact"
    r"|item)(?:[\s_]*id)?\W*)*+({letter})[\s_-]*0*(\d+(?:[._-]\d+)?)(?:(?:st|nd|rd|th)?\W*|\s*[\])]?\s*(?:[:,\u2013\u2014-]\s|\().*)"
)
_BEFORE = _REFERENCE.partition("({letter})")[0]
_RANGE = (
    r"\W*{letter}[\s_-]?(\d{1,4})\s*(?:[-\u2013\u2014~]|\.{2,3}|\u2026|to|through|until|bis)"
    r"\s*{letter}[\s_-]?(\d{1,4})\W*"
)
_LONGEST_RANGE = 200
_ENDINGS = re.compile(r"(?:s|es|ed|d|ing|ity|ion|ions|ory|ive|ition|itional)?")


class Unreadable(ValueError):
    """A value says nothing in the form of its field; the text is the reason, which is counted."""


def is_nothing(raw: Any, *, words: bool = False) -> bool:
    """Whether a value is null, blank or points alone, or, of `words`, one such as "none"."""
    if isinstance(raw, str):
        return not raw.strip().strip(". \u2026") or (words and raw.strip(" .").casefold() in _NOTHING)
    return raw is None


def plain(name: str) -> str:
    """A name in the form in which two are the same."""
    return "".join(char for char in name.casefold() if char.isalnum())


def scalar(type_: Any, marks: Sequence[Any], raw: Any, *, shorten: bool) -> Any:
    """Read a value.

    Args:
        type_: The type of the field.
        marks: Its marks (`schemas/llm/answer_form.py`), and the tuple of words that its schema shows.
        raw: The value.
        shorten: Whether a text is cut that is longer than it may be.

    Raises:
        Unreadable: It says nothing of that type.
    """
    if isinstance(raw, Mapping) and len(raw) == 1 and plain(next(iter(raw))) in _OBJECTS_OF_ONE:
        (raw,) = raw.values()
    if isinstance(raw, list) and len(raw) == 1:
        (raw,) = raw
    if get_origin(type_) is Literal:
        return choice(get_args(type_), text(raw), must=True)
    if type_ is bool:
        return _boolean(raw)
    if type_ is int:
        return round(_number(raw, _GRADES))
    if type_ is float:
        return _number(raw, _DEGREES)
    return _string(marks, raw, shorten=shorten) if type_ is str else raw


def text(raw: Any) -> str:
    """Read a text, also of a number or of a list of texts.

    Raises:
        Unreadable: It is none.
    """
    if isinstance(raw, str):
        return raw
    if isinstance(raw, int | float) and not isinstance(raw, bool) and math.isfinite(raw):
        return str(int(raw)) if float(raw).is_integer() else str(raw)
    if isinstance(raw, list) and raw and all(isinstance(each, str) for each in raw):
        return (" " if raw[0].rstrip().endswith(tuple(SENTENCE_ENDS)) else ", ").join(raw)
    raise Unreadable("a value of another type")


def references(letter: str, raw: str, *, denied: bool = True) -> list[str]:
    """The references in a text that lists some, as "m1, m2 and m3"; the text itself if it is no list.

    Args:
        letter: What they begin with.
        raw: The text.
        denied: Whether those are left out behind which stands that they are not meant.
    """
    parts = [part for part in re.split(r"[,;&+\n]|\band\b", raw) if part.strip()]
    beside = (
        re.match(rf"(\W*+){_BEFORE}{letter}?[\s_-]?\d+(?:\.\d+)?(\W*)(.*)", part, re.IGNORECASE) for part in parts
    )
    counts = [not (denied and each and _is_denied(*each.groups())) for each in beside]
    read = [each for part in compress(parts, counts) for each in _range(letter, part) or [reference(letter, part)]]
    if all(map(IS_REFERENCE, read)):
        return read
    return [reference(letter, raw)] if counts[0] and not (denied and doubts(raw)) else []


def _is_denied(before: str, signs: str, behind: str) -> bool:
    """Whether what stands around a reference says that it is not meant."""
    is_crossed = before.endswith("!") or any(map(_CROSSED.search, (before, signs)))
    return is_crossed or denies(behind) or doubts(behind) or "?" in signs or bool(_BARE.fullmatch(signs + behind))


def denies(raw: Any, *, repeated: bool = False) -> bool:
    """Whether a value beside a reference says that it is none of those that are meant.

    Args:
        raw: The value.
        repeated: Whether it may repeat words that the reference stands for, as "Not my day".
    """
    if not isinstance(raw, str):
        return raw is False
    word = re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", raw).strip(" .!)]*\ufe0f").casefold()
    if word.removeprefix("is ").removeprefix("are ") in _DENIALS or word.endswith(tuple(_CROSSES)):
        return True
    of = None if repeated else _NOT.match(word)
    return of is not None and of[1] not in _NOT_DENIED


def doubts(raw: Any) -> bool:
    """Whether a value beside a reference leaves open, or makes unlikely, that it is one of those that are meant."""
    value = raw.strip(" .!)]*") if isinstance(raw, str) else raw
    try:
        chance = 1.0 if isinstance(raw, bool) else _number(value, _DEGREES)
        # Above 1 it is one of ten, and above that a percentage.
        most = next((most for most in (1, 10) if chance <= most), 100)
        return chance / most < _LEAST_SURE
    except Unreadable:
        remark = _remark(raw) if isinstance(raw, str) else ""
        return bool(_OPEN.search(remark) or _APART.search(_PASSED_OVER.sub(" ", remark)))


def _remark(raw: str) -> str:
    """The words of a text in which a doubt is one about the answer."""
    words = raw.split()
    if len(words) <= _MOST_OF_A_REMARK:
        return raw
    return f"{' '.join(words[:_OPENING])}; {' '.join(words[-_ENDING:])}"


def affirms(value: Any) -> bool:
    """Whether a value says yes."""
    if str(value).strip(" .!").casefold() in _AFFIRMS:
        return True
    return isinstance(value, float) and _LEAST_SURE <= value <= 1


def is_reference(letter: str, raw: Any) -> bool:
    """Whether a value is a reference in the form of the prompt."""
    return isinstance(raw, str) and re.fullmatch(rf"{letter}\d+(?:\.\d+)?", raw.strip().casefold()) is not None


def reference(letter: str, raw: str) -> str:
    """A reference in the form of the prompt; what is none stays as it is."""
    if len(raw) <= _LONGEST_REFERENCE:
        for letters in (f"(?:{re.escape(letter)})?", "[a-z]"):
            if found := re.fullmatch(_REFERENCE.replace("{letter}", letters), raw.strip(), re.IGNORECASE | re.DOTALL):
                return f"{found[1].lower() or letter}{re.sub('[_-]', '.', found[2])}"
    return raw.strip()


def _range(letter: str, raw: str) -> list[str]:
    """The references from one to another, as "m1 to m3" and "m1-m3"; none if it is no range."""
    found = re.fullmatch(_RANGE.replace("{letter}", re.escape(letter)), raw.strip(), re.IGNORECASE)
    first, last = (int(found[1]), int(found[2])) if found else (0, 0)
    return [f"{letter}{number}" for number in range(first, last + 1)] if 0 < last - first <= _LONGEST_RANGE else []


def is_choice(choices: Sequence[str], raw: str) -> bool:
    """Whether a text is one of some words, in any case or form."""
    try:
        choice(choices, raw, must=True)
    except Unreadable:
        return False
    return True


def _string(marks: Sequence[Any], raw: Any, *, shorten: bool) -> str:
    read = text(raw)
    for mark in marks:
        if isinstance(mark, Ref):
            return reference(mark.letter, read)
        if isinstance(mark, Characters) and (shorten or mark.at_once):
            return cut_at_sentence(read, mark.most)
        if isinstance(mark, tuple):
            absent = next((each.means for each in marks if isinstance(each, Absent)), None)
            return choice(mark, read, must=absent is not None)
    return read


def choice(choices: Sequence[str], raw: str, *, must: bool) -> str:
    """The word that is meant; one that is none stays as it is for the rules to judge, unless it `must` be one.

    Raises:
        Unreadable: It is none, or leaves open whether it is one by which something is taken away.
    """
    found = _choice(choices, raw, must=must)
    if found in _TAKES_AWAY and _OPEN.search(_remark(raw)):
        raise Unreadable("a word in doubt")
    return found


def _choice(choices: Sequence[str], raw: str, *, must: bool) -> str:
    before, _, aside = raw.partition("(")
    first, *rest = re.split(r"[^\w-]|_|-(?=world|life)", raw.strip(), maxsplit=1)
    begins = [word for word in choices if plain(word) == plain(first)]
    also = frozenset[str]().union(*(_SYNONYMS.get(word, ()) for word in begins))
    # Of a word that is denied behind it, as "no" behind "forget", the opposite is meant.
    is_denied = _CROSSED.search(raw) or any(
        denies(each.lstrip(" :=(-\u2013\u2014"), repeated=True) and plain(each) not in also for each in (aside, *rest)
    )
    for form in () if is_denied else (raw, raw.rpartition(".")[2], before):
        for word in choices:
            if plain(word) == plain(form) or plain(form) in _SYNONYMS.get(word, ()):
                return word
    behind = set(map(plain, _PASSED_OVER.sub(" ", " ".join(rest)).split()))
    others = {other for word in begins for each in _OPPOSED.get(word, ()) for other in _SYNONYMS[each]}
    is_other = behind & others or any(plain(word) in plain(raw) for word in choices if word not in begins)
    if begins and not is_denied and not is_other:
        return begins[0]
    stems = [word for word in choices if _same_stem(plain(word), plain(raw))]
    if len(stems) == 1 and not _CROSSED.search(raw):
        return stems[0]
    if must:
        raise Unreadable("an unknown word")
    return raw


def _same_stem(one: str, other: str) -> bool:
    """Whether two words differ in their ending alone, as "contradicts" and "contradiction"."""
    stem = one.removesuffix("s")
    return (
        len(stem) >= len("adds") - 1 and other.startswith(stem) and _ENDINGS.fullmatch(other[len(stem) :]) is not None
    )


def _boolean(raw: Any) -> bool:
    word = str(raw).strip(" .").casefold()
    if word in _YES | _NO:
        return word in _YES
    raise Unreadable("a value of another type")


def _number(raw: Any, words: Mapping[str, float]) -> float:
    if isinstance(raw, str):
        word = " ".join(raw.replace("_", " ").split()).casefold()
        if word in words:
            return words[word]
        if found := _NUMBER.fullmatch(word):
            number = float(found[1].replace(",", "."))
            if found[3]:
                return number / float(found[3]) if float(found[3]) else 0.0
            return number / 100 if found[2] else number
    elif isinstance(raw, int | float) and not isinstance(raw, bool) and math.isfinite(raw):
        return float(raw)
    raise Unreadable("a value of another type")
