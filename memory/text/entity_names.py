"""Normalises names to entity keys (state-and-memory seed, "entityRefs" and "memoryKey").

A key is `<type>:<slug>`. A slug is lower-case, without punctuation, and with underscores for spaces and hyphens;
letters and digits of every script stay. Titles and Japanese honorifics fall away where a name is left without them.
"""

import re
import unicodedata

from schemas.limits import NAME_CHARACTERS

USER_REF = "person:user"
USER_NAMES = frozenset({"user", "the user", "i", "me", "myself", "self"})
TITLES = frozenset(
    {"mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "madam"}
    | {"herr", "frau", "señor", "señora", "monsieur", "madame"}
)
# A title stays on a single name: only the title distinguishes Mr. from Mrs. Smith.
NAMES_BESIDE_A_TITLE = 2
_HONORIFIC = re.compile(r"(?<=.)(?:さん|さま|様|くん|君|ちゃん|先生|氏)$")
# White space, hyphens and dashes, underscores, and the dots between the parts of names.
_BETWEEN = re.compile(r"[\s\-\u2010-\u2015_\u30fb\u00b7]+")


def slug(name: str) -> str:
    """Normalise a name to a slug; empty if it contains no letter and no digit."""
    parts = _BETWEEN.split(unicodedata.normalize("NFKC", name).lower())
    # Combining marks carry vowels in many scripts; dropping them would make different names equal.
    kept = ("".join(sign for sign in part if unicodedata.category(sign)[0] in "LNM") for part in parts)
    return unicodedata.normalize("NFC", "_".join(part for part in kept if part))


def entity_ref(entity_type: str, name: str) -> str | None:
    """Build an entity key; None if the name has no letter or digit, or exceeds NAME_CHARACTERS."""
    if entity_type == "person":
        if " ".join(name.lower().split()) in USER_NAMES:
            return USER_REF
        name = _without_titles(name)
    key = slug(name)
    return f"{entity_type}:{key}" if key and max(len(name), len(key)) <= NAME_CHARACTERS else None


def _without_titles(name: str) -> str:
    name = _HONORIFIC.sub("", unicodedata.normalize("NFKC", name).strip())
    words = name.split()
    plain = [word for word in words if slug(word) not in TITLES]
    return " ".join(plain) if len(plain) >= NAMES_BESIDE_A_TITLE else name
