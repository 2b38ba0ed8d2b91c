"""Takes lines out of the envelopes that programs put around each: time, channel, and objects that hold the words.

[Wed 2026-03-11 23:51 PDT] hi           OpenClaw and others
[Replying to Mira: "Hello!"] hi          bridges to messengers
{"type": "user_message", "message": "hi", "time": …}    Letta
<messages><message sender="Ann" time="…">hi</message></messages>   NanoClaw and others
<Ann's Message> hi </Ann's Message>      RisuAI's groups
"""

import json
import re
from html import unescape

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
# The quotation of the message that this one replies to.
_REPLY = re.compile(r"\[Replying to [^\n\[\]:]{1,100}: \"[^\n]{0,2000}?\"\](?:[ \t]|(?=\n))[ \t\n]*+(?=\S)")
_MESSAGE = re.compile(
    r"(?:<message\s(?=[^<>]*\btime=)(?=[^<>]*\b(?:sender|from)=\"(?P<sender>[^\"<>]{0,200})\")[^<>]*>"
    r"(?P<said>(?:(?!</?message\b).)*+)</message>"
    r"|<(?P<name>[^<>\n]{1,100}'s Message)>\n(?P<words>(?:(?!\n</(?P=name)>).)*+)\n</(?P=name)>)\s*+",
    re.DOTALL,
)
_BEGINS = re.compile(r"\s*+(?:<context\b[^<>]*/>\s*+)?(?:<(?P<tag>(?:new_)?messages)>\s*+)?")
# RisuAI's name of a speaker that is none of its characters.
_NO_CHARACTER, _OF = "Unknown Character", "'s Message"
_QUOTED = re.compile(r"<(?P<name>quoted\w{0,20})\b[^<>]*>(?:(?!</?(?P=name)\b).)*</(?P=name)>\s*+", re.DOTALL)
# Kinds of objects that no person said.
_TEXTS, _TIMES = ("message", "text", "content", "body"), frozenset({"time", "timestamp", "date", "ts"})
_SENDERS = frozenset({"from", "sender", "user", "username", "author"})
_EVENTS = frozenset({"heartbeat", "login", "system_alert", "system_message"})


def without_envelope(text: str) -> str:
    """Return the words within an envelope; empty if they are a program's; the text unchanged if it has none."""
    text = text.strip()
    if text.startswith("{"):
        return _within(text)
    if reply := _REPLY.match(text):
        text = text[reply.end() :]
    stamp = _STAMP.match(text)
    # More lines with a time are a log of other talk.
    return text[stamp.end() :] if stamp and not _LINE_STAMP.search(text) else text


def in_envelope(text: str) -> list[tuple[str | None, str]]:
    """Return the texts in an envelope of messages, with the sender where there are several; else nothing."""
    begins = _BEGINS.match(text)
    place, found = begins.end() if begins else 0, list[re.Match[str]]()
    while one := _MESSAGE.match(text, place):
        found.append(one)
        place = one.end()
    ends = f"</{begins['tag']}>" if begins and begins["tag"] else ""
    if not found or text[place:].strip() != ends:
        return []
    senders = {one["sender"] for one in found}
    return [
        (one["name"].removesuffix(_OF).replace(_NO_CHARACTER, "User"), one["words"].strip())
        if one["name"]
        else (unescape(one["sender"]) if len(senders) > 1 else None, unescape(_QUOTED.sub("", one["said"])).strip())
        for one in found
    ]


def _within(text: str) -> str:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(fields, dict):
        return text
    kind, message = fields.get("type"), fields.get("message")
    if kind in _EVENTS and ("time" in fields or "reason" in fields):
        return ""
    if kind == "user_message" and isinstance(message, str):
        return message
    texts = [one for name in _TEXTS if isinstance(one := fields.get(name), str)]
    is_message = fields.keys() & _TIMES and fields.keys() & _SENDERS and len(texts) == 1
    # Beside a title or an error it is a record that the person shows.
    others = [one for name, one in fields.items() if name not in {*_TEXTS, *_TIMES, *_SENDERS}]
    is_record = any(isinstance(one, dict | list) or len(str(one).split()) > 1 for one in others)
    return texts[0] if is_message and not is_record else text
