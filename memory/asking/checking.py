"""The check of a model's answer: each sentence is supported by its quotations, and these stand in their sources.

Quotations are found as the judge's spans are (`memory.text.quote_match`), names and numbers as a statement's
(`memory.grounding`). A sentence that fails is dropped whole, and counted. Code can't compare the meaning of a sentence
with that of its quotations: a negation that is turned round, or roles that are swapped, pass.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from memory.asking.sources import Key, Source
from memory.grounding.grounding import NAME, Ground
from memory.grounding.known_words import is_common, is_latin_stop_word, plain
from memory.grounding.references import language_of
from memory.grounding.setting import Setting
from memory.grounding.text_names import TextNames
from memory.text.languages import LANGUAGES
from memory.text.quote_match import find_quote
from memory.text.words import is_stop_word, read_words, words
from schemas.context.asking import Cite, DraftSentence, Sentence

UNCITED = "cites nothing"
UNSHOWN = "cites what was not shown"
WITHDRAWN = "cites what is gone"
UNQUOTED = "quotes what its source does not say"
UNSHARED = "has no word of its quotations"
# Models repeat their references within the sentence, as "[e1]", "(e1, e2)", "[1]" or "(source: e1)".
_REFERENCES = re.compile(
    r" ?[(\[\u3010](?:(?:source|ref)s?:? ?|see )?e\d{1,4}(?:[,;&\u2013 -]{1,3}e?\d{1,4}){0,20}[)\]\u3011]"
    r"| ?[\[\u3010]\d{1,2}(?:[,;] ?\d{1,2}){0,20}[\]\u3011]| ?<(cite|ref|sup)\b[^<>]{0,50}>\[?e?\d{1,4}\]?</\1>",
    re.IGNORECASE,
)
# A sentence begins behind these.
_OPENS = re.compile('[.!?:;\u2026\u00bf\u00a1"\u201c\u201e\u00ab(\u2013\u2014]')
OPENERS = frozenset(map(plain, tomllib.loads(Path(__file__).with_name("openers.toml").read_text())["openers"].split()))


class UnfoundedSentence(ValueError):
    """A sentence is not supported by its quotations; the text names the rule, and is counted."""


@dataclass(frozen=True)
class SentenceCheck:
    """Checks the sentences of one answer.

    Attributes:
        setting: The talk's user, time zone and language.
        question: The question; a sentence may repeat its words.
        shown: The sources that the model was shown, by their refs.
    """

    setting: Setting
    question: str
    shown: Mapping[str, Source]

    def cited(self, drafts: Iterable[DraftSentence]) -> list[Source]:
        """The sources that sentences cite, each once."""
        cited = (self.shown.get(cite.ref) for draft in drafts for cite in draft.cites)
        return list({one.key: one for one in cited if one is not None}.values())

    def standing(
        self, drafts: Iterable[DraftSentence], sources: Mapping[Key, Source]
    ) -> tuple[list[Sentence], Counter[str]]:
        """Return the sentences that pass the check, and the counts of the others by reason.

        Args:
            drafts: The sentences of the model.
            sources: The cited sources as they stand now.
        """
        kept: list[Sentence] = []
        dropped = Counter[str]()
        for draft in drafts:
            try:
                kept.append(self._sentence(draft, sources))
            except UnfoundedSentence as reason:
                dropped[str(reason)] += 1
        return kept, dropped

    def _sentence(self, draft: DraftSentence, sources: Mapping[Key, Source]) -> Sentence:
        sentence = _REFERENCES.sub("", " ".join(draft.sentence.split()))
        if not sentence or not draft.cites:
            raise UnfoundedSentence(UNCITED)
        found: list[tuple[Source, str]] = []
        for cite in draft.cites:
            if cite.ref not in self.shown:
                raise UnfoundedSentence(UNSHOWN)
            source = sources.get(self.shown[cite.ref].key)
            if source is None:
                raise UnfoundedSentence(WITHDRAWN)
            quote = find_quote(cite.quote, source.text)
            if quote is None or not any(not is_latin_stop_word(word) for word in words(quote)):
                raise UnfoundedSentence(UNQUOTED)
            found.append((source, quote))
        ground = self._ground(found)
        if faults := ground.faults(sentence):
            raise UnfoundedSentence(faults[0])
        if self._names_a_stranger(sentence, ground):
            raise UnfoundedSentence(NAME)
        if not ground.shares_a_word(sentence) and not _in_other_languages(sentence, ground):
            raise UnfoundedSentence(UNSHARED)
        return Sentence(sentence=sentence, cites=[cite_of(source, quote) for source, quote in dict.fromkeys(found)])

    def _ground(self, found: Collection[tuple[Source, str]]) -> Ground:
        """The quotations with their dates, and as known names those of their speakers."""
        texts: list[tuple[str, datetime | None]] = [(quote, source.at) for source, quote in found]
        texts += [("", source.until) for source, _ in found if source.until]
        return self.setting.of_texts(texts, known={source.speaker for source, _ in found if source.speaker})

    @cached_property
    def _shown_words(self) -> frozenset[str]:
        return frozenset(plain(word.text) for one in self.shown.values() for word in read_words(one.shown))

    def _names_a_stranger(self, sentence: str, ground: Ground) -> bool:
        """Whether a word that may be a name is not quoted, where capitals are no sign of a name.

        That is at the beginning of a sentence, and in German, which begins every noun with one. A word that a source
        has must be quoted; a word of the question that no source has may be the translation of another.
        """
        quoted = TextNames("\n".join([ground.words, *ground.known]), ground.aliases, ground.language)
        names_asked = TextNames(self.question)
        language = language_of(sentence, ground.language)
        anywhere = language == "de"
        end = 0
        for found in read_words(sentence):
            begins = end == 0 or _OPENS.search(sentence, end, found.start) is not None
            end = found.end
            if found.script != "spaced" or not found.text[0].isupper() or not (begins or anywhere):
                continue
            word = plain(found.text)
            is_none = len(word) == 1 or word in OPENERS or is_common(word) or is_latin_stop_word(word)
            is_none = is_none or (language in LANGUAGES and is_stop_word(found.text.casefold(), language))
            if is_none or quoted.stands(found.text) or quoted.has_word(word):
                continue
            if word in self._shown_words or not (names_asked.stands(found.text) or names_asked.has_word(word)):
                return True
        return False


def cite_of(source: Source, quote: str) -> Cite:
    """Return a citation: a quotation with its source."""
    return Cite(
        kind=source.key.kind, id=source.id, quote=quote, at=source.at, until=source.until, speaker=source.speaker
    )


def with_current_statements(
    sentences: Sequence[Sentence], shown: Mapping[str, Source], zone_of: datetime
) -> list[Sentence]:
    """Add the replacing statement, with its date, after each sentence that cites only a replaced one.

    Args:
        sentences: The sentences that stand.
        shown: The sources that the model was shown.
        zone_of: A moment in the user's time zone.
    """
    statements = [one for one in shown.values() if one.key.kind == "fact"]
    cites = [cite for one in sentences for cite in one.cites]
    whole: list[Sentence] = []
    for sentence in sentences:
        whole.append(sentence)
        for old in (one for one in statements if one.until and any(_cites(cite, one) for cite in sentence.cites)):
            for new in (one for one in statements if one.id == old.id and one.at == old.until and not one.until):
                if new.at and not any(_cites(cite, new) for cite in cites):
                    day = new.at.astimezone(zone_of.tzinfo).date()
                    cites.append(cite_of(new, new.text))
                    whole.append(Sentence(sentence=f"{day}: {new.text}", cites=cites[-1:]))
    return whole


def _cites(cite: Cite, statement: Source) -> bool:
    """Whether a quotation is of a statement, or of the words that support it."""
    if cite.kind == "fact":
        return cite.id == statement.id and cite.at == statement.at
    return cite.kind == "message" and any(
        cite.id == message_id and bool(find_quote(span, cite.quote) or find_quote(cite.quote, span))
        for message_id, span in statement.spans
    )


def _in_other_languages(sentence: str, ground: Ground) -> bool:
    """Whether a sentence may be a translation of its quotations."""
    return language_of(sentence, ground.language) != language_of(ground.words, ground.language)
