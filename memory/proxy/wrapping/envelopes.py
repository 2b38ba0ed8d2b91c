"""Takes lines out of what programs put around each: the time, the channel, and objects that hold the words.

[Wed 2026-03-11 23:51 PDT] hi           OpenClaw and others
{"type": "user_message", "message": "hi", "time": …}    Letta
"""

import json
import re

_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    r"|\d{1,2}[ \t](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6},?[ \t]\d{4}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[ \t]\d{1,2},?[ \t]\d{4})"
)
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:\.\d{1,6})?(?:[ \t]?[ap]\.?m\.?)?"
_ZONE = r"(?:[ \t]?(?:z|[+-]\d{2}:?\d{2}|[a-z]{2,5}(?:[+-]\d{1,2}(?::\d{2})?)?))?"
_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?[ \t]{1,3}"
_CHANNEL = (
    r"(?:discord|telegram|whatsapp|signal|slack|imessage|matrix|webchat|sms|teams|line|wechat|feishu|google chat)"
    r"\b[^\[\]\n]{0,100}?[ \t]"
)
# The day and the time in brackets. People write appointments so, but neither seconds nor zones, weekdays or channels.
_STAMP = re.compile(
    rf"\[(?=[^\[\]\n]{{0,160}}?(?:{_WEEKDAY}|{_CHANNEL}|:\d{{2}}:\d{{2}}|\d[ \t]?z\b|[+-]\d{{2}}:?\d{{2}}|[ap]m on"
    rf"|(?-i:\d [A-Z]{{2,5}}\b)))(?:{_CHANNEL})?(?:{_WEEKDAY})?(?:{_DATE}[T ,\t]{{1,3}}(?:at[ \t])?{_CLOCK}{_ZONE}"
    rf"|{_CLOCK}{_ZONE}[ \t](?:on[ \t])?{_DATE})\]:?[ \t]*+(?=\S)",
    re.IGNORECASE,
)
_LINE_STAMP = re.compile(rf"\n[ \t]*+{_STAMP.pattern}", re.IGNORECASE)
# Kinds of objects that no person said.
_EVENTS = frozenset({"heartbeat", "login", "system_alert", "system_message"})


def without_envelope(text: str) -> str:
    """Return what was said within an envelope; empty if a program said it; the text as it is if it has none."""
    text = text.strip()
    if text.startswith("{"):
        return _within(text)
    stamp = _STAMP.match(text)
    # More lines with a time are a log of other talk.
    return text[stamp.end() :] if stamp and not _LINE_STAMP.search(text) else text


def _within(text: str) -> str:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return text
    kind, message = (fields.get("type"), fields.get("message")) if isinstance(fields, dict) else (None, None)
    if kind in _EVENTS and ("time" in fields or "reason" in fields):
        return ""
    return message if kind == "user_message" and isinstance(message, str) else text
