"""Reads a text, number, word of an enumeration or reference that a model writes in another form."""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any, Literal, get_args, get_origin

from providers.answers.answer_numbers import DEGREES, GRADES, UnreadableValue, read_number
from providers.answers.answer_verdicts import CROSSED, PASSED_OVER, denies, doubts, is_denied, leaves_open
from schemas.llm.answer_form import CutAtCharacters, Ref, WhenAbsent
from schemas.text.sentences import SENTENCE_ENDS, cut_at_sentence

# Words that models write for those of an enumeration, in the languages that they are spoken to in most.
# `forget` and `correct` have no synonyms: a removal is not guessed.
_SYNONYM_LINES = {
    "same": "identical equal equals equivalent repeats repeat duplicate restates thesame gleich igual identique"
    " mismo misma même stesso stessa duplicado wiederholt isthesame isthesameas тожесамое"
    " 相同 同一 重复 同じ 동일 одинаково ayn\u0131 مطابق",
    "contradicts": "conflict conflicts conflicting opposes replaces supersedes updates widerspricht contradice"
    " contredit contraddice contradiz conflictswith widersprüchlich contradit противоречие"
    " 矛盾 모순 противоречит çelişiyor يناقض",
    "adds": "new different unrelated distinct independent additive neu nuevo nouveau"
    " nuovo novo newinformation newdetail complements refines specifies extends elaborates expands details"
    " ergänzt hinzugefügt ajoute añade aggiunge 新增 补充 補充 追加 추가 дополняет ekliyor يضيف",
    "real": "true actual factual literal irl nonfiction"
    " wirklich realit\u00e4t echt reell wahr r\u00e9el r\u00e9elle r\u00e9alit\u00e9"
    " reale realt\u00e0 verdadero realidad realidade realny ger\u00e7ek реально реальный реальность"
    " 现实 真实 真實 現実 現實 실제 현실 حقيقي واقعي",
    "role-play": "fiction fictional rp roleplaying incharacter story rollenspiel fiktion fiktiv juegoderol ficción"
    " fictif jeuder\u00f4le 角色扮演 虚构",
    "hypothetical": "imagined imaginary wish joke dream hypothetic hypothetically hypothetisch hipot\u00e9tico"
    " hypoth\u00e9tique 假设",
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
    "do not mention": "dontmention notmention donotmentionagain dontmentionagain nevermention",
}
_SYNONYMS = {choice: frozenset(words.split()) for choice, words in _SYNONYM_LINES.items()}
# A word followed by one of its opposites is no choice, unless the opposite is denied or is about the wording.
_OPPOSED = {"same": ("contradicts", "adds"), "contradicts": ("same",), "real": ("role-play", "hypothetical")}
# Different statements may share these.
_SHARED = re.compile(r"\W*same[\s_-]+(?:topic|subject|person|people|theme|category|area|entity|place)\b", re.IGNORECASE)
# By these something is replaced, passed over as known, or removed.
_TAKES_AWAY = frozenset({"same", "contradicts", "forget", "correct"})
_NOTHING = frozenset(
    {"", "null", "none", "nil", "n/a", "na", "-", "\u2013", "\u2014", "undefined", "unspecified", "not specified"}
    | {"not said", "not mentioned", "not given", "not stated", "not applicable"}
    | {"nothing", "keine", "keiner", "nichts", "ninguno", "ninguna", "aucun", "aucune", "nessuno", "nessuna"}
    | {"niente", "geen", "niets", "nenhum", "nenhuma", "yok", "нет", "ничего", "なし", "無し", "特になし", "无", "無"}
    | {"没有", "없음", "لا شيء"}
)
# A sentence that reports an empty list, as "No open loops were found".
_LISTED = (
    r"loops?|items?|entries|facts?|todos?|confidences?|requests?|messages?|promises?|commitments?|people|names?|merges?"
    r"|topics?|memories|scenes?|themes?|actors?|dialogue"
)
_FOUND = r"open|found|mentioned|made|identified|noted|recorded|detected|given|stated|specified|applicable|report"
_NONE_FOUND = re.compile(
    r"\W*(?:empty(?: list)?|(?:there (?:is|are|was|were) )?(?:no|none|nothing)"
    rf"(?=.*\b(?:{_LISTED}|{_FOUND})\b)(?:\W+(?:{_LISTED}|{_FOUND}"
    r"|said|left|explicit(?:ly)?|confidence|new|any|is|are|was|were|to|of|in|the|th(?:is|ese)|conversation|session|here"
    r"|yet|so|far|at|all))*)\W*",
    re.IGNORECASE,
)
# By these names a value stands in an object of its own, as `{"ref": "m1"}`.
_OBJECTS_OF_ONE = frozenset(
    {"value", "text", "content", "ref", "reference", "id", "message", "name", "score", "number"}
)
_YES = frozenset(
    {"true", "yes", "y", "1", "done", "completed", "complete", "finished", "closed", "fulfilled", "kept"}
    | {"given up", "abandoned", "dropped", "cancelled", "canceled", "\u2713", "\u2714", "\u2705"}
    | {"ja", "s\u00ed", "oui", "sim", "da", "да", "是", "はい", "예", "erledigt", "hecho", "fait", "готово", "完成"}
)
_NO = frozenset(
    {
        "false",
        "no",
        "n",
        "0",
        "open",
        "still open",
        "pending",
        "ongoing",
        "in progress",
        "not yet",
        "not done",
        "undone",
    }
    | {"nein", "non", "nee", "n\u00e3o", "нет", "否", "いいえ", "아니요"}
)
_LONGEST_REFERENCE = 80
IS_REFERENCE = re.compile(r"[a-z]\d+(?:\.\d+)?").fullmatch
"""Matches a reference in the form of the prompt, with any letter."""
# Around a reference: brackets, "ref=", the kind of item; behind it, the words of the item.
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


def is_nothing(raw: Any, *, words: bool = False) -> bool:
    """Whether a value is null, blank or points alone, or, of `words`, one such as "none"."""
    if not isinstance(raw, str):
        return raw is None
    return not raw.strip().strip(". \u2026") or (words and raw.strip(" .。()[]").casefold() in _NOTHING)


def is_empty_list(raw: Any) -> bool:
    """Whether the only value of a list is nothing, or a sentence such as "no open loops were found"."""
    return is_nothing(raw, words=True) or (isinstance(raw, str) and _NONE_FOUND.fullmatch(raw) is not None)


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
        UnreadableValue: It says nothing of that type.
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
        return round(read_number(raw, GRADES))
    if type_ is float:
        return read_number(raw, DEGREES)
    return _string(marks, raw, shorten=shorten) if type_ is str else raw


def text(raw: Any) -> str:
    """Read a text, also of a number or of a list of texts.

    Raises:
        UnreadableValue: It is none.
    """
    if isinstance(raw, str):
        return raw
    if isinstance(raw, int | float) and not isinstance(raw, bool) and math.isfinite(raw):
        return str(int(raw)) if float(raw).is_integer() else str(raw)
    if isinstance(raw, list) and raw and all(isinstance(each, str) for each in raw):
        return (" " if raw[0].rstrip().endswith(tuple(SENTENCE_ENDS)) else ", ").join(raw)
    raise UnreadableValue("a value of another type")


def references(letter: str, raw: str, *, denied: bool = True, apart: bool = True) -> list[str]:
    """The references in a text that lists some, as "m1, m2 and m3"; the text itself if it is no list.

    Args:
        letter: The letter that they begin with.
        raw: The text.
        denied: Whether those are left out behind which stands that they are not meant.
        apart: See `doubts`.
    """
    one = rf"{letter}\d+(?:\.\d+)?"
    side_by_side = re.fullmatch(rf"{one}(?:[\s/|]+{one})+", raw.strip(), re.IGNORECASE)
    parts = [part for part in re.split(r"[\s/|]" if side_by_side else r"[,;&+\n]|\band\b", raw) if part.strip()]
    beside = (
        re.match(rf"(\W*+){_BEFORE}{letter}?[\s_-]?\d+(?:\.\d+)?(\W*)(.*)", part, re.IGNORECASE) for part in parts
    )
    counts = [not (denied and each and is_denied(*each.groups(), apart=apart)) for each in beside]
    read = [each for part in compress(parts, counts) for each in _range(letter, part) or [reference(letter, part)]]
    if all(map(IS_REFERENCE, read)):
        return read
    return [reference(letter, raw)] if counts[0] and not (denied and doubts(raw, apart=apart)) else []


def is_reference(letter: str, raw: Any) -> bool:
    """Whether a value is a reference in the form of the prompt."""
    return isinstance(raw, str) and re.fullmatch(rf"{letter}\d+(?:\.\d+)?", raw.strip().casefold()) is not None


def reference(letter: str, raw: str) -> str:
    """Return a reference in the form of the prompt; other text is returned stripped."""
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
    except UnreadableValue:
        return False
    return True


def _string(marks: Sequence[Any], raw: Any, *, shorten: bool) -> str:
    read = text(raw)
    for mark in marks:
        if isinstance(mark, Ref):
            return reference(mark.letter, read)
        if isinstance(mark, CutAtCharacters) and (shorten or mark.at_once):
            return cut_at_sentence(read, mark.most)
        if isinstance(mark, tuple):
            absent = next((each.means for each in marks if isinstance(each, WhenAbsent)), None)
            return choice(mark, read, must=absent is not None)
    return read


def choice(choices: Sequence[str], raw: str, *, must: bool) -> str:
    """Return the choice that a word stands for; an unknown word is returned for the rules to judge, if not `must`.

    Raises:
        UnreadableValue: It is none, or leaves open whether it is one by which something is taken away.
    """
    found = _choice(choices, raw, must=must)
    if found in _TAKES_AWAY and leaves_open(raw):
        raise UnreadableValue("a word in doubt")
    return found


def _choice(choices: Sequence[str], raw: str, *, must: bool) -> str:
    before, _, aside = raw.partition("(")
    first, *rest = re.split(r"[^\w-]|_|-(?=world|life)", raw.strip(), maxsplit=1)
    begins = [word for word in choices if plain(word) == plain(first)]
    also = frozenset[str]().union(*(_SYNONYMS.get(word, ()) for word in begins))
    # A denial behind a word, as "no" behind "forget", turns it into its opposite.
    is_denied = CROSSED.search(raw) or any(
        denies(each.lstrip(" :=(-\u2013\u2014"), repeated=True) and plain(each) not in also for each in (aside, *rest)
    )
    for form in () if is_denied else (raw, raw.rpartition(".")[2], before):
        for word in choices:
            if plain(word) == plain(form) or plain(form) in _SYNONYMS.get(word, ()):
                return word
    behind = set(map(plain, PASSED_OVER.sub(" ", " ".join(rest)).split()))
    others = {other for word in begins for each in _OPPOSED.get(word, ()) for other in _SYNONYMS[each]}
    is_other = behind & others or any(plain(word) in plain(raw) for word in choices if word not in begins)
    if begins and not is_denied and not is_other and not _SHARED.match(raw):
        return begins[0]
    stems = [word for word in choices if _same_stem(plain(word), plain(raw))]
    if len(stems) == 1 and not CROSSED.search(raw):
        return stems[0]
    if must:
        raise UnreadableValue("an unknown word")
    return raw


def _same_stem(one: str, other: str) -> bool:
    """Whether two words differ in their ending alone, as "contradicts" and "contradiction"."""
    stem = one.removesuffix("s")
    return (
        len(stem) >= len("adds") - 1 and other.startswith(stem) and _ENDINGS.fullmatch(other[len(stem) :]) is not None
    )


def _boolean(raw: Any) -> bool:
    word, *rest = (part.strip(" .") for part in re.split(r"[(,;:)\u2013\u2014]", str(raw).casefold(), maxsplit=1))
    behind = "".join(rest)
    if word in _NO or (word in _YES and not (behind in _NO or denies(behind) or doubts(behind))):
        return word in _YES
    raise UnreadableValue("a value of another type")
