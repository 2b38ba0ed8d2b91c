"""The write-gate of the vault: eight gates in the vault seed's order, each of which says no in words.

Gates 1 to 5 look at what is to be written alone; an update and a promotion pass them as well. Gates 6 to 8 look at what
lives in the scope: the topic's register is updated, a near-duplicate is refused, and so is one record too many.
"""

from collections.abc import Collection, Iterable

from memory.pii_guard import found_in
from memory.vault_likeness import nearly_the_same
from schemas.limits import VAULT_CHARACTERS
from schemas.vault import SOURCES, TIERS, VaultRecord

NOISE = (
    "tick marker",
    "runtime snapshot",
    "check-in",
    "heartbeat",
    "burst tick",
    "no changes",
    "nothing to report",
    "status unchanged",
    "routine scan",
    "ephemeral",
)
GATES = {
    "noise": 1,
    "log-tier": 2,
    "length": 3,
    "validation": 4,
    "pii": 5,
    "register": 6,
    "duplicate": 7,
    "capacity": 8,
}


class GateRefused(Exception):
    """A gate stopped what was to be written; the text says which, by what rule, and what to do instead.

    Args:
        gate: The gate's name, one of `GATES`.
        rule: What is wrong, without the words that were refused.
        instead: What to do.
        existing: The id of the record that stands in the way.
    """

    def __init__(self, gate: str, rule: str, instead: str, existing: str | None = None) -> None:
        super().__init__(f"Gate {GATES[gate]}, {gate}: {rule} {instead}")
        self.gate = gate
        self.rule = rule
        self.instead = instead
        self.existing = existing

    def told(self) -> dict[str, str | None]:
        """What a program is told of it."""
        return {"gate": self.gate, "rule": self.rule, "instead": self.instead, "existing": self.existing}


def noise_in(text: str) -> str | None:
    """The first signal in a text that it belongs in a journal; None without any."""
    words = " ".join(text.casefold().split())
    return next((signal for signal in NOISE if signal in words), None)


def pass_alone(
    text: str, *, scope: str, tier: str, source: str | None, labels: Iterable[str | None], scopes: Collection[str]
) -> None:
    """Let what is to be written pass gates 1 to 5.

    Args:
        text: What it says.
        scope: Where it is to be kept.
        tier: Its tier.
        source: Where it comes from.
        labels: Its category, topic and tags.
        scopes: The scopes that there are for its writer.

    Raises:
        GateRefused: A gate stopped it.
    """
    if signal := noise_in(text):
        raise GateRefused("noise", f"“{signal}” marks what belongs in a journal.", "Keep it in a journal of your own.")
    if tier == "log":
        raise GateRefused("log-tier", "The vault keeps nothing of the tier log.", "Keep it in a journal of your own.")
    if len(text) > VAULT_CHARACTERS:
        raise GateRefused(
            "length",
            f"The text has {len(text)} characters, and {VAULT_CHARACTERS} is the most.",
            "Say it shorter, or split it into records of their own.",
        )
    _validate(text, scope, tier, source, scopes)
    if kinds := found_in("\n".join([text, *(label for label in labels if label)])):
        raise GateRefused(
            "pii", f"It holds {' and '.join(kinds)}.", "Leave that out: say what it is for, not what it is."
        )


def pass_duplicates(text: str, others: Iterable[VaultRecord], threshold: float) -> None:
    """Let what is to be added pass gate 7.

    Args:
        text: What it says.
        others: What lives in its scope.
        threshold: From which sequence ratio on two are near-duplicates; from 0.60 on they are by token overlap.

    Raises:
        GateRefused: Something that lives there says nearly the same.
    """
    for other in others:
        if nearly_the_same(text, other.text, threshold):
            raise GateRefused(
                "duplicate",
                f"Record {other.id} says nearly the same.",
                "Update that one if it has to say more.",
                other.id,
            )


def pass_capacity(alive: int, capacity: int) -> None:
    """Let one more record pass gate 8.

    Raises:
        GateRefused: The scope is full.
    """
    if alive >= capacity:
        raise GateRefused(
            "capacity",
            f"{alive} records live in this scope, and {capacity} is the most.",
            "Look at the candidates for merging and the proposals for deletion, and make room.",
        )


def _validate(text: str, scope: str, tier: str, source: str | None, scopes: Collection[str]) -> None:
    known = " and ".join(f"`{each}`" for each in scopes)
    if not text.strip():
        raise GateRefused("validation", "The text is empty.", "Say what is to be kept.")
    if scope not in scopes:
        raise GateRefused("validation", "There is no such scope for this Being.", f"It has {known}.")
    if tier not in TIERS:
        raise GateRefused("validation", "There is no such tier.", f"There are {', '.join(TIERS)}.")
    if source is not None and source not in SOURCES:
        raise GateRefused("validation", "There is no such source.", f"There are {', '.join(SOURCES)}.")
