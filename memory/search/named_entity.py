"""The entity that a query names: its card, and where it was mentioned first and last."""

from collections.abc import Sequence
from dataclasses import replace

from memory.search.candidates import language_of, speaker_of
from memory.search.terms import digest, terms
from memory.text.words import without_possessive, words
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest, NamedEntity, Neighbour
from store.facts import cards
from store.search import lexical, result_texts
from store.search.scope import SearchScope
from store.transaction import Transaction

MOST_ENTITIES = 3
MOST_FACTS = 3
# The most words of a name that is looked for.
WORDS_OF_NAME = 3


def named_entities(tx: Transaction, being: Being, question: EverythingRequest, scope: SearchScope) -> list[NamedEntity]:
    """The entities that a question names, those with the most facts first.

    A card shows the current facts: there is none where the question is about an earlier moment, or not about facts.
    """
    if question.as_of is not None or "fact" not in question.kinds:
        return []
    labels = cards.named(tx, being.user_id, being.being_id, _names(question.query), MOST_ENTITIES)
    if not labels:
        return []
    known = cards.important(tx, being.user_id, being.being_id, list(labels), apart_from=[], limit=MOST_FACTS)
    talk = replace(scope, kinds=["message"]) if "message" in question.kinds else None
    found = []
    for ref, label in labels.items():
        mentions = _mentions(tx, being, talk, label) if talk else []
        found.append(
            NamedEntity(
                entity_ref=ref,
                label=label,
                facts=[fact.content for fact in known.get(ref, [])],
                first=mentions[0] if mentions else None,
                last=mentions[-1] if mentions else None,
            )
        )
    return found


def _names(query: str) -> list[str]:
    """The runs of up to three words of a query, in lower case, without possessive endings."""
    spoken = [without_possessive(word) for word in words(query)]
    return [
        " ".join(spoken[at : at + count])
        for count in range(1, WORDS_OF_NAME + 1)
        for at in range(len(spoken) - count + 1)
    ]


def _mentions(tx: Transaction, being: Being, talk: SearchScope, label: str) -> Sequence[Neighbour]:
    """The first and the last message in which all words of a name stand, in the order in which they were said."""
    digests = [digest(term) for term in terms(label, language_of(tx, being))]
    places = lexical.mentions(tx, talk, digests) if digests else []
    return [
        Neighbour(
            id=message.message_id,
            speaker=speaker_of(being, message.speaker, message.role),
            text=message.content,
            at=message.created_at,
        )
        for message in result_texts.messages_at(tx, being.being_id, places)
    ]
