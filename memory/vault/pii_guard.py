"""Detects personal numbers and secrets in a text by their form: the vault's fifth gate.

It detects United States social security numbers, payment cards, passwords, API keys of the usual providers, and private
keys. It names the kind and never repeats the secret. docs/vault.md has its precision and recall; on the same lines the
patterns of detect-secrets, which are made for source code, find 10 of the 45 API keys and 4 of the 35 passwords.
"""

import re
import unicodedata
from collections.abc import Iterator

SSN = "a social security number"
CARD = "a payment card number"
PASSWORD = "a password"  # noqa: S105  # the name of the kind
API_KEY = "an API key"
PRIVATE_KEY = "a private key"

# Area 000, 666 and 900 to 999, group 00 and serial 0000 are never issued.
_SSN_PARTS = r"(?!000|666|9\d\d)\d{3}{0}(?!00)\d{2}{0}(?!0000)\d{4}"
_SSN = re.compile(rf"(?<![\w.-])(?:{_SSN_PARTS.replace('{0}', '-')}|{_SSN_PARTS.replace('{0}', ' ')})(?![\w-])")
_BARE_SSN = re.compile(
    rf"\b(?:ssn|social\s+security)\b\D{{0,24}}{_SSN_PARTS.replace('{0}', '[ .-]?')}(?!\d)", re.IGNORECASE
)

# 13 to 19 digits, in groups or not, next to no letter and no further digit, so that hashes do not match.
_CARD = re.compile(r"(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-])(?!\.\d)")
# Prefixes of issuers, and the lengths of their numbers.
_ISSUERS = (
    (re.compile(r"3[47]"), {15}),
    (re.compile(r"3(?:0[0-5]|[689])"), {14, 16}),
    (re.compile(r"35(?:2[89]|[3-8])"), {16}),
    (re.compile(r"4"), {13, 16, 19}),
    (re.compile(r"5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)"), {16}),
    (re.compile(r"5018|5020|5038|5893|6304|6759|676[1-3]"), {13, 15, 16, 18, 19}),
    (re.compile(r"6(?:011|4[4-9]|5)"), {16, 19}),
    (re.compile(r"62"), {16, 17, 18, 19}),
)

# Parts that may be long are read up to a limit, as every place of a text may begin a secret.
# After a colon or an equals sign any value but a placeholder counts as a secret; after a verb only a value in quotes or
# one that has more than letters, because "the password is forgotten" holds no secret.
_WORD = (
    r"(?<![^\W_])(?:pass(?:word|wd|phrase|code)|pwd|contraseña|mot\ de\ passe|passwort|kennwort|senha|wachtwoord|пароль"
    r"|パスワード|密码|密碼)"
)
_PASSWORD = re.compile(
    rf"""{_WORD}['"]?\s*[:=]\s*['"]?
        (?![<*•x\[{{(]|(?:none|null|true|false|required|optional|n/a|yes|no|reset)\b|change)[^\s'",;]{{4,}}
    | {_WORD}(?:\s++(?:for|to|of|on)\s++(?:(?:[^\Wは]|\.)++\ *+){{1,9}}?)?
        \s{{0,10}}+(?:(?<=\s)(?:is|was|ist|est|es|são)\s|は)\s*
        (?:(['"`])(?:(?!\1).){{4,}}\1|(?=\S{{0,100}}[\d!@#$%^&*_+=])[^\s,;]{{5,}})
    | (?<!\w)pin(?:\s+code)?\s*(?:is|:|=)\s*\d{{4,8}}(?!\d)
    | \b[a-z][a-z0-9+.-]{{0,30}}://[^\s/:@]+:[^\s/@]{{3,}}@
    """,
    re.IGNORECASE | re.VERBOSE,
)

_API_KEYS = re.compile(
    r"""(?<![\w-])(?:
      sk-(?:ant-|proj-|svcacct-|or-v1-)?[\w-]{20,}                                     # OpenAI, Anthropic, OpenRouter
    | (?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{16,} | whsec_[0-9A-Za-z+/]{24,}            # Stripe
    | (?:AKIA|ASIA)[0-9A-Z]{16}                                                         # AWS
    | gh[pousr]_[0-9A-Za-z]{36,} | github_pat_\w{50,} | glpat-[\w-]{20,}                # GitHub, GitLab
    | xox[abeoprs]-[0-9A-Za-z-]{10,} | xapp-\d-[0-9A-Za-z-]{20,}                        # Slack
    | AIza[\w-]{35} | GOCSPX-[\w-]{20,} | ya29\.[\w-]{20,}                              # Google
    | SG\.[\w-]{16,}\.[\w-]{16,} | key-[0-9a-f]{32} | SK[0-9a-f]{32}                   # SendGrid, Mailgun, Twilio
    | npm_[0-9A-Za-z]{36} | pypi-[\w-]{50,} | hf_[0-9A-Za-z]{30,} | dop_v1_[0-9a-f]{64} # registries, hosts
    | gsk_\w{40,} | r8_\w{30,} | pplx-[0-9A-Za-z]{40,} | xai-[0-9A-Za-z]{40,}           # model hosts
    | shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32} | sq0(?:atp|csp)-[\w-]{22,} | dapi[0-9a-f]{32} # Shopify, Square, Databricks
    | \d{8,10}:AA[\w-]{33} | patrol_[\w-]{43}                                          # Telegram, our own
    | eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}                                            # a signed JSON web token
    )(?!\w)""",
    re.VERBOSE,
)
# A name such as "api key", and a value that is no word: long, of letters and digits.
_NAMED_KEY = re.compile(
    r"(?:api|access|secret|account|client|auth)[_ -]?(?:key|token|secret)(?:[_ -]id)?['\"]?\s*(?:is|:|=)\s*['\"]?"
    r"(?=[^\s'\"]{0,100}\d)(?=[^\s'\"]{0,100}[A-Za-z])[\w+/=.-]{16,}|\bbearer\s+(?=[^\s]*\d)[\w.~+/=-]{20,}",
    re.IGNORECASE,
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1[0-9A-Z]{20,}")
# Invisible characters are removed; look-alikes of dashes and quotation marks are folded.
_FOLDED = {
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad")),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201c\u201d\u201e"), '"'),
}


def found_in(text: str) -> list[str]:
    """The kinds of secrets in a text, each once, as words for a message; empty if there is none."""
    plain = unicodedata.normalize("NFKC", text).translate(_FOLDED)
    return list(dict.fromkeys(_kinds(plain)))


def passes_luhn(digits: str) -> bool:
    """Returns true if the last digit is the check digit of the others (Luhn's formula, ISO/IEC 7812-1 annex B)."""
    total = 0
    for place, digit in enumerate(map(int, reversed(digits))):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled  # noqa: PLR2004  # the sum of a number's two digits
    return total % 10 == 0


def _kinds(text: str) -> Iterator[str]:
    if _SSN.search(text) or _BARE_SSN.search(text):
        yield SSN
    if any(_is_card(re.sub(r"\D", "", match[0])) for match in _CARD.finditer(text)):
        yield CARD
    if _PASSWORD.search(text):
        yield PASSWORD
    if _API_KEYS.search(text) or _NAMED_KEY.search(text):
        yield API_KEY
    if _PRIVATE_KEY.search(text):
        yield PRIVATE_KEY


def _is_card(digits: str) -> bool:
    issued = any(start.match(digits) and len(digits) in lengths for start, lengths in _ISSUERS)
    return issued and len(set(digits)) > 1 and passes_luhn(digits)
