"""Finds near-duplicates in one scope of the vault without comparing a new text with every record in full.

The result equals a comparison with each record in turn, by token overlap, by sequence ratio, and by whether the two are
distinct statements (`memory.vault.distinction`), unless the index is plain. An inverted index
(token to records) finds the records that share enough tokens, and one call of rapidfuzz bounds the sequence ratio of
all records at once. Only records with a bound that reaches the threshold are compared as sequences.
"""

from collections import Counter
from itertools import takewhile

from rapidfuzz import process
from rapidfuzz.distance import Indel

from memory.vault.distinction import distinct
from memory.vault.similarity import ROUNDING, ratio, tokens
from schemas.limits import VAULT_OVERLAP


class DuplicateIndex:
    """The texts of one scope, in the order in which they were added.

    Args:
        plain: Compare by the seed's overlap and ratio alone; else texts that are `distinct` are no near-duplicates.
    """

    def __init__(self, *, plain: bool = False) -> None:
        self._plain = plain
        self._texts: dict[str, str] = {}
        self._folded: dict[str, str] = {}
        self._tokens: dict[str, frozenset[str]] = {}
        self._holders: dict[str, set[str]] = {}

    def __len__(self) -> int:
        return len(self._folded)

    def put(self, record_id: str, text: str) -> None:
        """Add a text, or replace the text of a record, which keeps its place in the order."""
        self._unlist(record_id)
        self._texts[record_id] = text
        self._folded[record_id] = text.casefold()
        self._tokens[record_id] = tokens(text)
        for token in self._tokens[record_id]:
            self._holders.setdefault(token, set()).add(record_id)

    def remove(self, record_id: str) -> None:
        """Remove a record's text."""
        self._unlist(record_id)
        del self._texts[record_id], self._folded[record_id], self._tokens[record_id]

    def first_sharing_tokens(self, text: str) -> str | None:
        """The first near-duplicate that shares 60 % of the tokens of the shorter text; None if there is none."""
        mine = tokens(text)
        shared = Counter[str]()
        for token in mine:
            shared.update(self._holders.get(token, ()))
        enough = {
            record_id
            for record_id, count in shared.items()
            if count / min(len(mine), len(self._tokens[record_id])) >= VAULT_OVERLAP
        }
        alike = (record_id for record_id in self._folded if record_id in enough and self._same(text, record_id))
        return next(alike, None) if enough else None

    def first_nearly_the_same(self, text: str, threshold: float) -> str | None:
        """The first near-duplicate by tokens, or by a sequence ratio of at least the threshold; else None."""
        by_tokens = self.first_sharing_tokens(text)
        # Only a record before that one can be the first.
        others = list(takewhile(lambda item: item[0] != by_tokens, self._folded.items()))
        if not others:
            return by_tokens
        at_least = max(0.0, threshold - ROUNDING)
        # The longest common subsequence bounds the ratio from above.
        (bounds,) = process.cdist(
            [text.casefold()],
            [folded for _, folded in others],
            scorer=Indel.normalized_similarity,
            score_cutoff=at_least,
            dtype=float,
        )
        alike = (
            record_id
            for (record_id, folded), bound in zip(others, bounds, strict=True)
            if bound >= at_least and ratio(text, folded, threshold) >= threshold and self._same(text, record_id)
        )
        return next(alike, by_tokens)

    def _same(self, text: str, record_id: str) -> bool:
        return self._plain or not distinct(text, self._texts[record_id])

    def _unlist(self, record_id: str) -> None:
        for token in self._tokens.get(record_id, ()):
            self._holders[token].discard(record_id)
