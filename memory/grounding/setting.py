"""The setting of one Being's talk, and the grounds of all that a model states of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from uuid import UUID

from memory.grounding.grounding import Ground
from memory.grounding.known_words import LATIN
from memory.grounding.quantities import Stretch
from memory.grounding.references import answers, continuation, is_in_first_person, language_of, refers, sentence_before
from memory.grounding.text_names import alias_groups
from memory.text.entity_names import slug
from memory.text.languages import AUTO, DEFAULT, LANGUAGES
from memory.text.time_expressions.further import FURTHER
from memory.text.time_expressions.resolution import TABLES, named_zone
from memory.text.time_expressions.spoken import SpokenTime, spoken_days, spoken_time, tells_the_past
from schemas.accounts.accounts import Being
from schemas.facts.fact_rows import Entity
from store.accounts import users
from store.facts import entities, facts
from store.search import languages
from store.transaction import Transaction

ENTITIES_KNOWN = 200
# The language of long texts shows in their beginning.
_TELLING_CHARACTERS = 2_000
# The language of a text as long as this is recognised; a shorter one may be in any.
_ENOUGH_CHARACTERS = 60


@dataclass(frozen=True)
class Setting:
    """The circumstances of a talk: its user, time zone and language.

    Attributes:
        zone: The user's IANA time zone.
        usual: The language in which the user talks most, if it is known.
        known: Names that need no support: the user's and the companion's.
        aliases: The other names of each known entity (`text_names.alias_groups`).
        own_names: The user's own names, from the account and the user's messages.
    """

    zone: str = "UTC"
    usual: str = DEFAULT
    known: frozenset[str] = frozenset()
    aliases: Mapping[str, frozenset[str]] = field(default_factory=dict)
    own_names: frozenset[str] = frozenset()

    def is_user(self, name: str) -> bool:
        """Whether a name is the user's own, whole or its first part."""
        return slug(name) in self._own_slugs

    def is_known(self, name: str) -> bool:
        """Whether a name needs no support, and is not the user's own."""
        return slug(name) in map(slug, self.known) and not self.is_user(name)

    @cached_property
    def _own_slugs(self) -> frozenset[str]:
        return frozenset(part for one in map(slug, self.own_names) if one for part in (one, one.partition("_")[0]))

    def quoted(
        self, span: str, text: str, before: Sequence[str], at: datetime, known: Collection[str] = frozenset()
    ) -> Ground:
        """The ground of a statement that quotes a message.

        Args:
            span: The quoted words.
            text: The whole message.
            before: The messages before it, in order.
            at: When it was said.
            known: Further names that need not be said, as the speaker's.
        """
        language = language_of(span, language_of(text, self.usual))
        # A clause that leaves out a person follows one in its sentence that named the person.
        clause = "" if is_in_first_person(span, language) else sentence_before(span, text)
        code = language if language in LANGUAGES else self.usual
        words = f"{clause} {span}{continuation(span, text)}".strip()
        return Ground(
            words=words,
            referred="\n".join([*before, text]) if refers(span, language) else "",
            answered=before[-1] if before and answers(span, before[-1]) else "",
            known=self.known | frozenset(known),
            aliases=self.aliases,
            stretches=lambda: [
                day for table in self._tables(words, code) for day in spoken_days(words, at, self.zone, table)
            ],
            language=code,
        )

    def of_texts(
        self,
        texts: Sequence[tuple[str, datetime | None]],
        *,
        referred: str = "",
        known: Collection[str] = frozenset(),
        counted: int = 0,
    ) -> Ground:
        """Return the ground of a text that sums up whole texts.

        Args:
            texts: The texts, each with the time at which it was said; None if it names its times itself.
            referred: The words that they may refer to without naming it.
            known: Further names that need not be said.
            counted: A number word up to this may be a count of things in the texts.
        """
        whole = "\n".join(text for text, _ in texts)
        language = language_of(whole[:_TELLING_CHARACTERS], self.usual)
        code = language if language in LANGUAGES else self.usual
        return Ground(
            words=whole,
            referred=referred if referred and refers(whole, language) else "",
            known=self.known | frozenset(known),
            aliases=self.aliases,
            stretches=partial(self._days, texts, code),
            language=code,
            counted=counted,
        )

    def _days(self, texts: Sequence[tuple[str, datetime | None]], code: str) -> list[Stretch]:
        """The days on which texts were said, and those that their expressions of time stand for."""
        local = named_zone(self.zone)
        dated = [(text, at) for text, at in texts if at is not None]
        spoken = [day for text, at in dated for day in spoken_days(text, at, self.zone, code)]
        return list(dict.fromkeys([*spoken, *((at.astimezone(local).date(),) * 2 for _, at in dated)]))

    def _tables(self, text: str, *languages: str) -> list[str]:
        """The tables of time expressions for a text in one of these languages, the likeliest first."""
        others = (*LATIN, *FURTHER) if len(text) < _ENOUGH_CHARACTERS else ()
        return [code for code in dict.fromkeys((*languages, self.usual, *others)) if code in TABLES]

    def time_of(self, words: str, at: datetime, *, text: str = "", ahead: bool | None = None) -> SpokenTime | None:
        """The time that words name.

        Args:
            at: When they were said.
            text: The message that they are of: its language is recognised better than that of a few words.
            ahead: Whether it is that of a plan; None: the forms of the verbs decide.
        """
        of_text = language_of(text, self.usual) if text else self.usual
        for code in self._tables(text or words, language_of(words, of_text), of_text):
            plan = not tells_the_past(words, code) if ahead is None else ahead
            if time := spoken_time(words, at, self.zone, code, ahead=plan):
                return time
        return None


def of_being(tx: Transaction, being: Being, known_entities: Sequence[Entity] | None = None) -> Setting:
    """The setting of a Being's talk.

    Args:
        known_entities: Its entities, if they were read.
    """
    user = users.get_user(tx, being.user_id)
    (of_texts,) = languages.stemming(tx, [being.being_id])
    own_names = facts.own_names(tx, being.user_id, being.being_id)
    if known_entities is None:
        known_entities = entities.listed(tx, being.user_id, being.being_id, after=None, limit=ENTITIES_KNOWN)
    return Setting(
        zone=user.time_zone,
        usual=(of_texts.language or DEFAULT) if being.language == AUTO else being.language,
        known=frozenset({user.name, being.name}),
        own_names=frozenset({user.name, *own_names}),
        aliases=alias_groups(list(map(_names, known_entities))),
    )


def of_user(tx: Transaction, user_id: UUID) -> Setting:
    """Return the setting of a user's messages to all their Beings."""
    user = users.get_user(tx, user_id)
    return Setting(zone=user.time_zone, known=frozenset({user.name}))


def _names(entity: Entity) -> list[str]:
    refs = (entity.entity_ref, *entity.aliases)
    return [entity.label, *(ref.partition(":")[2].replace("_", " ") for ref in refs)]
