"""Process profiles: the regions of a mental process, their order, and its instructions; defaults and those of a Being.

The processes are those of the regions seed: `externalDialog` has every region, `mentalQuery` and `decision` few,
`researchProcess` the retrieved memory, and `casualChat` the summaries. `chatFrontend` is for programs that keep the
conversation themselves: it has neither the conversation nor the message. The proxy adds it to prompts.
"""

from uuid import UUID

from memory.text.errors import InvalidRequest
from schemas.accounts.accounts import Being
from schemas.context.context import FILLED_REGIONS, NewProfile, Profile
from schemas.errors import existing
from store.context import profiles
from store.transaction import Transaction

DEFAULTS = {
    profile.process: profile
    for profile in (
        Profile(
            process="externalDialog",
            regions=list(FILLED_REGIONS),
            others=True,
            instructions="Answer the last <message> as the one whom <core> describes, in plain words and without tags."
            " Draw on what you remember where it helps, and invent no memories.",
        ),
        Profile(
            process="mentalQuery",
            regions=["core", "instructions", "context", "conversation", "default"],
            others=False,
            instructions="The last <message> is a statement about the situation. Judge it as the one whom <core>"
            " describes, and answer with nothing but true or false.",
        ),
        Profile(
            process="decision",
            regions=["core", "instructions", "snapshot", "context", "conversation", "default"],
            others=False,
            instructions="The last <message> is a choice. Decide as the one whom <core> describes, and answer with your"
            " choice alone.",
        ),
        Profile(
            process="researchProcess",
            regions=["core", "instructions", "vault", "rag-context", "userNotes", "conversation", "default"],
            others=False,
            instructions="Find what the last <message> asks for in <vault> and <rag-context>, say what it rests on, and"
            " say so where you do not know.",
        ),
        Profile(
            process="casualChat",
            regions=["core", "instructions", "conversation", "summary", "default"],
            others=False,
            instructions="Chat lightly about the last <message> as the one whom <core> describes, in plain words and"
            " without tags.",
        ),
        Profile(
            process="chatFrontend",
            regions=[region for region in FILLED_REGIONS if region not in {"conversation", "default"}],
            others=False,
            instructions="What follows is remembered from earlier conversations. Draw on it where it helps, and invent"
            " no memories.",
        ),
    )
}

# The content that prompts lack without a region. `chatFrontend` does without the message: the program shows it.
NEEDED = {
    "instructions": "the explanation of the tags around what people wrote, and your instructions",
    "default": "the message that is to be answered",
}


def find(tx: Transaction, being_id: UUID, process: str) -> Profile:
    """The profile of a process: the Being's own, else the default.

    Raises:
        NotFound: There is neither.
    """
    return existing(
        profiles.find(tx, being_id, process) or DEFAULTS.get(process),
        f"There is no process {process}: use one of {', '.join(DEFAULTS)}, or set a profile for it.",
    )


def write(tx: Transaction, being: Being, process: str, new: NewProfile) -> Profile:
    """Set the Being's own profile of a process.

    Raises:
        InvalidRequest: Prompts of the process would lack the legend of the tags, or the message.
        Refused: The Being has the most profiles that are allowed.
    """
    default = DEFAULTS.get(process)
    for region, loss in NEEDED.items():
        if not new.others and region not in new.regions and (default is None or default.includes(region)):
            raise InvalidRequest(f"Without the region {region}, prompts of {process} lack {loss}: add it to `regions`.")
    return profiles.write(tx, being.being_id, process, new)
