"""Times of day in figures: "at 5 pm", "um 17 Uhr", "à 17h30", "в 5 вечера", "午後5時", "下午5点半", "alle 17"."""

import re
from datetime import time

_LAST_HOUR, _NOON = 23, 12
_MINUTE = r"(?P<minute>[0-5]\d)"
_HOUR = r"(?<![\d.,:/-])(?P<hour>[01]?\d|2[0-3])"
_FORMS = (
    re.compile(rf"{_HOUR}:{_MINUTE}(?!\d|:\d)"),
    re.compile(rf"{_HOUR}(?:[.:]{_MINUTE})? ?(?P<half_day>[ap])\.?m\b", re.IGNORECASE),
    re.compile(rf"{_HOUR} ?(?:uhr|h)(?!\w)(?: ?{_MINUTE}(?!\d))?", re.IGNORECASE),
    re.compile(rf"{_HOUR} ?h{_MINUTE}(?!\d)", re.IGNORECASE),
    re.compile(
        rf"(?:\bat|\bum|\bgegen|a las?|\bв|\bk|\balle|\bàs|\bom|\bkl\.?|\bsaat|στις|الساعة|\bоб?) {_HOUR}"
        r"(?![\d.,:/]|\s?%"
        r"|\s?(?:min|jahr|year|day|dag|tag|week|woche|veck|month|monat|mån|år|tim|нед|дн|лет|мес|мин))",
        re.IGNORECASE,
    ),
    re.compile(rf"{_HOUR}[時时点點시] ?(?:{_MINUTE}[分분]?|(?P<half>[半반]))?"),
    re.compile(rf"{_HOUR} ?बजे"),
)
_NOON_WORDS = re.compile(r"\bat noon\b|\bmittags\b|\bà midi\b|\bal mediodía\b|в полдень|正午", re.IGNORECASE)
_MIDNIGHT_WORDS = re.compile(r"\bat midnight\b|\bum mitternacht\b|\bà minuit\b|в полночь", re.IGNORECASE)
_LATER = re.compile(
    r"afternoon|evening|tonight|nachmittag|abend|après-midi|\bsoir|de la tarde|de la noche"
    r"|di sera|stasera|del pomeriggio|da tarde|da noite|'s avonds|'s middags|vanavond|po południu|wieczorem|på kvällen"
    r"|ikväll|akşam|öğleden sonra|вечера|вечора|\bдня|午後|夜|下午|晚|오후|저녁|밤|शाम|रात|مساء|بعد الظهر|μ\.μ\."
    r"|το βράδυ|το απόγευμα",
    re.IGNORECASE,
)


def time_of_day(text: str) -> time | None:
    """The first time of day in a text; None if it has none in figures."""
    for form in _FORMS:
        if found := form.search(text):
            parts = found.groupdict()
            hour = int(parts["hour"])
            minute = 30 if parts.get("half") else int(parts.get("minute") or 0)
            half_day = (parts.get("half_day") or "").lower()
            if half_day == "a" and hour == _NOON:
                hour = 0
            elif hour < _NOON and (half_day == "p" or (not half_day and _LATER.search(text))):
                hour += _NOON
            return time(hour, minute) if hour <= _LAST_HOUR else None
    if _NOON_WORDS.search(text):
        return time(_NOON)
    return time() if _MIDNIGHT_WORDS.search(text) else None
