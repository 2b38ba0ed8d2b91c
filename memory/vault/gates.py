"""The write gates of the vault, eight in the vault seed's order; a refusal names the gate, the rule and a remedy.

Gates 1 to 5 check a record by itself; updates and promotions pass them too. Gates 6 to 8 compare it with the live
records of its scope: a topic's register is updated, a near-duplicate is refused, and so is a record beyond capacity.
"""

from collections.abc import Collection, Iterable

from memory.vault.duplicate_index import DuplicateIndex
from memory.vault.pii_guard import found_in
from schemas.limits import VAULT_CHARACTERS
from schemas.vault.records import SOURCES, TIERS

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
    """A gate refused a record; the text names the gate, the rule and what to do instead.

    Args:
        gate: The gate's name, one of `GATES`.
        rule: The fault, without quoting the refused text.
        instead: The advice to the caller.
        existing: The id of the existing record that the new one collides with, if any.
    """

    def __init__(self, gate: str, rule: str, instead: str, existing: str | None = None) -> None:
        super().__init__(f"Gate {GATES[gate]}, {gate}: {rule} {instead}")
        self.gate = gate
        self.rule = rule
        self.instead = instead
        self.existing = existing

    def as_dict(self) -> dict[str, str | None]:
        """The fields of `schemas.vault.vault_answers.Refusal`, without the position."""
        return {"gate": self.gate, "rule": self.rule, "instead": self.instead, "existing": self.existing}


def noise_in(text: str) -> str | None:
    """The first of the seed's journal signals in a text; None if it has none."""
    words = " ".join(text.casefold().split())
    return next((signal for signal in NOISE if signal in words), None)


def check_record(
    text: str, *, scope: str, tier: str, source: str | None, labels: Iterable[str | None], scopes: Collection[str]
) -> None:
    """Check a record by gates 1 to 5.

    Args:
        text: The record's text.
        labels: Its category, topic and tags.
        scopes: The scopes that the writer may write to.

    Raises:
        GateRefused: A gate refused it.
    """
    if signal := noise_in(text):
        raise GateRefused("noise", f"“{signal}” marks a journal entry.", "Keep it in a journal of your own.")
    if tier == "log":
        raise GateRefused(
            "log-tier", "The vault takes no records of the tier log.", "Keep it in a journal of your own."
        )
    if len(text) > VAULT_CHARACTERS:
        raise GateRefused(
            "length",
            f"The text has {len(text)} characters, and {VAULT_CHARACTERS} is the most.",
            "Shorten it, or split it into several records.",
        )
    if not text.strip():
        raise GateRefused("validation", "The text is empty.", "Give the record a text.")
    check_fields(scope=scope, tier=tier, source=source, scopes=scopes)
    if kinds := found_in("\n".join([text, *(label for label in labels if label)])):
        raise GateRefused(
            "pii", f"It holds {' and '.join(kinds)}.", "Leave the secret out: name what it is for, not its value."
        )


def check_fields(*, scope: str, tier: str, source: str | None, scopes: Collection[str]) -> None:
    """Check scope, tier and source (a part of gate 4).

    Raises:
        GateRefused: The scope, tier or source does not exist.
    """
    known = " or ".join(f"`{each}`" for each in scopes)
    if scope not in scopes:
        raise GateRefused("validation", "This Being has no such scope.", f"Use {known}.")
    if tier not in TIERS:
        raise GateRefused("validation", "There is no such tier.", f"Use one of {', '.join(TIERS)}.")
    if source is not None and source not in SOURCES:
        raise GateRefused("validation", "There is no such source.", f"Use one of {', '.join(SOURCES)}.")


def check_scope(
    text: str, others: DuplicateIndex, *, threshold: float, capacity: int, force: bool = False
) -> str | None:
    """Check a new record by gates 7 and 8.

    In a full scope gate 7 compares tokens alone, which the index does fast: gate 8 refuses the record anyway, and
    comparing sequences takes about a thousand times longer.

    Args:
        text: The record's text.
        others: The live records of its scope.
        threshold: The sequence ratio from which two records are near-duplicates; by token overlap it is 0.60.
        capacity: The most live records of a scope.
        force: Let a near-duplicate pass gate 7.

    Returns:
        The id of the near-duplicate that `force` overrode, if any.

    Raises:
        GateRefused: The scope holds a near-duplicate, or is full.
    """
    full = len(others) >= capacity
    existing = others.first_sharing_tokens(text) if full else others.first_nearly_the_same(text, threshold)
    if existing is not None and not force:
        raise GateRefused(
            "duplicate",
            f"Record {existing} says nearly the same.",
            "Update that record if it should say more, or set `force` if both are needed.",
            existing,
        )
    if full:
        raise GateRefused(
            "capacity",
            f"The scope holds {len(others)} live records, and {capacity} is the most.",
            "Delete or merge records: list the candidates and the proposals of this vault.",
        )
    return existing
