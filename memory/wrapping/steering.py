"""Paragraphs with which frontends steer the model, in the user's line: instructions, notes, and recalled text."""

import re

# People put asides in brackets as well, so the words decide.
_BRACKETS = re.compile(
    r"\[[ \t]*(?:start a new (?:group )?chat\b|example chat\b|continue (?:your last|the following) message"
    r"|write (?:the|your) next reply"
    r"|(?:system|author'?s?|a/n|assistant)(?:'s)?[ \t]*+(?:note)?[ \t]*+:|author'?s? note\b"
    r"|(?:scenario|style|writing style|genre|tone|summary|previous events|instructions?|reminder|world info"
    r"|lore(?:book)?|setting|memory|memories|persona|character|narration)[ \t]*:"
    r"|take the following into (?:special )?consideration\b|apply the following correction to your previous message\b"
    r"|following is a list of (?:recent )?events|system (?:note|info|prompt|reminder)\b"
    r"|(?:message_id|user feedback emoji)[ \t]*:|media attached\b"
    r"|details of the fictional world\b|[^\n\[\]:]{1,60}'s personality[ \t]*:|circumstances and context of the dialogue"
    r"|ooc[ \t]*note to (?:the )?(?:ai|model)\b)[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s*\Z",
    re.IGNORECASE,
)
_OF_USER = (
    r"(?:(?:here|these|the following)[ \t]++(?:are|is)[ \t]++)?(?:some[ \t]++|the[ \t]++)?"
    r"(?:(?:relevant|known|stored|saved|existing|retrieved|past|previous|important)[ \t]++){0,2}"
    r"(?:memor(?:ies|y)|facts|information|context|notes|preferences|details)[ \t]++"
    r"(?:about|of|on|for)[ \t]++the[ \t]++user"
    r"|(?:(?:relevant|stored|retrieved|recalled|long-term)[ \t]++){1,2}memories(?:[ \t]++from[ \t]++[^\n:]{1,60})?"
    r"|(?:relevant|retrieved|recalled)[ \t]++memory"
    r"|user(?:'s)?[ \t]++(?:context|memor(?:y|ies)|profile|preferences|facts|information|data)"
)
# With a first person in it a note may be the person's.
_OF_SPEAKER = r"\b(?:(?-i:I|I'm|I've|I'll)|(?i:my|mine|me|we|our))\b"
_NOTE = re.compile(
    rf"(?:author'?s? note|a/n)[ \t]*:[ \t](?![^\n]*{_OF_SPEAKER})"
    r"|[\[(]?(?:current|today's)[ \t]+(?:date|time|datetime)(?:[ \t]+(?:and|&)[ \t]+time)?[ \t]*(?::|is\b)"
    rf"(?=[^\n]*\d)(?![^\n]*{_OF_SPEAKER})[^\n]{{1,60}}\Z"
    # The page that a browser shows; people write one of the two lines.
    r"|(?:(?:current|active)[ \t])?(?:web[ \t]?)?(?:page|tab)[ \t]title[ \t]*:[^\n]{1,300}\n"
    r"(?:(?:current|active)[ \t])?(?:web[ \t]?)?(?:page|tab)[ \t](?:url|address)[ \t]*:[ \t]*https?://\S{1,1000}\s*\Z"
    # The same in other languages, where nothing but figures follows
    r"|[\[(]?(?:当前|现在|現在)的?(?:时间|日期|日期时间|時刻|日時|日付)[ \t]*[:\uff1a][ \t]*"
    r"[\d年月日时分秒時./:, -]{6,40}[\])]?\Z"
    r"|[\[(]?(?:(?:aktuelle[sr]?[ \t](?:datum|uhrzeit|zeit))|(?:date|heure)[ \t]actuelle|(?:fecha|hora)[ \t]actual"
    r"|data[ \t](?:attuale|atual)|(?:текущая[ \t]дата|текущее[ \t]время))[ \t]*:[ \t]*[\d./:, -]{6,40}[\])]?\Z"
    # Texts that SillyTavern's Vector Storage recalls, and a program's lists of facts about "the user".
    rf"|(?:#{{1,4}}[ \t]*|\*\*)?(?:related information|past events|{_OF_USER})(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*\n"
    r"|(?:#{1,4}[ \t]*|\*\*)?(?:summary of (?:the |our )?(?:previous |earlier |past )?(?:conversation|chat|discussion)"
    r"(?: so far)?|(?:previous )?conversation summary)(?:\*\*)?[ \t]*:?(?:\*\*)?[ \t]*\n"
    # OpenClaw's
    r"|runtime:[ \t](?:\w{1,30}=[^|\n]{0,300}\|[ \t]){2,30}\w{1,30}=[^|\n]{0,300}\Z"
    r"|untrusted context \(metadata\b|(?:System: \[\d{4}-[^\]\n]{1,40}\][^\n]*+\n?)++\Z"
    # AnythingLLM's instructions, for models that take none apart.
    r"|given the following conversation, relevant context, and a follow[ -]up question, reply with an answer\b"
    # Frames of instruct templates.
    r"|#{2,3}[ \t]*(?:instruction|input|response)\b[ \t]*+(?:\([^()\n]{0,200}\))?[ \t]*+:?[ \t]*+\Z",
    re.IGNORECASE,
)
# Asides out of character that tell the model how to write; an aside with a first person is the person's.
_OUT_OF_CHARACTER = re.compile(
    r"[(\[]{1,2}[ \t]*+(?i:ooc)\b(?=[^()\[\]]*+[)\]]{1,2}\s*+\Z)"
    rf"(?![^()\[\]]*{_OF_SPEAKER})"
    r"(?=[^()\[\]]*\b(?i:repl(?:y|ies)|responses?|narrat\w{1,5}|in character|paragraphs?|words|speak for|write)\b)"
)
# Notes that people write as well.
_OWN_NOTE = re.compile(rf"\[[ \t]*(?:memory|memories|reminder)[ \t]*:[^\[\]]*{_OF_SPEAKER}", re.IGNORECASE)
PARAGRAPHS = re.compile(r"\n[^\S\n]*+\n\s*")


def is_steering(text: str) -> bool:
    """Whether a line holds nothing but paragraphs with which a frontend steers the model."""
    text = text.strip()
    return text != "" and not without_steering_behind(text)


def steers(paragraph: str) -> bool:
    """Whether a frontend steers the model with a paragraph at any place."""
    return bool((_BRACKETS.match(paragraph) and not may_be_own_note(paragraph)) or _NOTE.match(paragraph))


def without_steering_behind(text: str) -> str:
    """Return a line without the paragraphs at its end with which a frontend steers the model."""
    breaks = [(0, 0), *(found.span() for found in PARAGRAPHS.finditer(text))]
    end = len(text)
    while breaks and steers(text[breaks[-1][1] : end]):
        end, _ = breaks.pop()
    return text if end == len(text) else text[:end].rstrip()


def may_be_own_note(text: str) -> bool:
    """Whether a text begins with a note in brackets that mentions its writer."""
    return _OWN_NOTE.match(text) is not None


def steers_beside_words(paragraph: str) -> bool:
    """Whether a frontend steers the model with a paragraph that stands beside other words."""
    return steers(paragraph) or _OUT_OF_CHARACTER.match(paragraph) is not None
