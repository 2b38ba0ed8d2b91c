"""DSPy's forms, in which each field has its name before it; the user's words are in one of them.

[[ ## context ## ]]
Rex swims.

[[ ## question ## ]]
Where may he?

Respond with the corresponding output fields, starting with the field `[[ ## answer ## ]]` …
"""

import re

_FIELD = re.compile(r"^\[\[ ## (?P<name>\w{1,100}) ## \]\][ \t]*(?:\n|\Z)", re.MULTILINE)
_EXAMPLE = "This is an example of the task, though some input or output fields are not supplied.\n\n"
_FORM_OF_ANSWER = re.compile(
    r"\n\nRespond with (?:the corresponding output fields(?:, starting with the field `|,? wrapped in XML tags )"
    r"|a JSON object in the following order of fields: )[^\n]*\Z"
)
_USERS = re.compile(
    r"(?:(?:user|current|latest|original|input)_)?(?:question|query|message|request|prompt|task|utterance|input|words)"
)
# Fields that a model fills beside its words.
_NO_SPEECH = re.compile(r"reasoning|rationale|completed|next_\w{1,30}")


def users_field(text: str) -> str:
    """Return the user's words in a form, or the text without the request for the answer's form if none is found."""
    if not text.lstrip().startswith(("[[ ## ", "<", _EXAMPLE)):
        return text
    plain = _FORM_OF_ANSWER.sub("", text.strip())
    fields = _fields(plain)
    own = [words for name, words in fields if _USERS.fullmatch(name)] or [words for _, words in fields]
    return own[0] if len(own) == 1 else plain


def spoken_fields(text: str) -> str:
    """Return the words of an answer in a form."""
    fields = _fields(text.strip())
    return "\n\n".join(words for name, words in fields if not _NO_SPEECH.fullmatch(name)).strip() if fields else text


def has_fields(text: str) -> bool:
    """Whether a text is a form."""
    return _FIELD.match(text.removeprefix(_EXAMPLE)) is not None


def _fields(text: str) -> list[tuple[str, str]]:
    """Return the names of a form's fields with their texts; none if the text is no form."""
    if not has_fields(text):
        return []
    _, *parts = _FIELD.split(text.removeprefix(_EXAMPLE))
    return [(name, words.strip()) for name, words in zip(parts[::2], parts[1::2], strict=True)]
