"""Traces of answers, by which later requests name them: ids that a server knows the talk by, and words handed on.

A request for a response may show its newest words alone and name the answer that it goes on from
(`previous_response_id`), or name items of answers in place of their words. A digest of each id leads to the message
here, so that the request is aligned as if it showed them.

An answer that calls a tool may hand words on to another agent. A request in which the user says nothing but such words
is that agent's: no person has said them. A program may also ask with an answer's own words: a question that a model was
asked to rephrase, or a text that another one is to go on with. A person may have pasted them as well.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from hashlib import blake2b
from uuid import UUID

from memory.proxy.reading.transcript import Line, Transcript
from memory.proxy.reading.turns import Turn
from memory.text.same_words import DIGEST_BYTES, LONG, comparable, digest
from providers.chat.chat_answer import ChatAnswer
from store.database import Store
from store.talk import answer_traces, transcripts
from store.talk.answer_traces import SaidBefore, Trace
from store.transaction import Transaction

# An agent is asked at once, and goes on for a while.
HANDED_ON = timedelta(hours=1)
# The most messages before an answer that are shown in place of its id: enough to find its place.
SHOWN_TURNS = 20


def shown_whole(
    store: Store, being_id: UUID, transcript: Transcript, continues: str | None
) -> tuple[Transcript, str | None]:
    """Return a transcript with named messages in place of their ids, and the conversation of the answer it continues.

    Args:
        store: The ledger.
        being_id: The Being.
        transcript: The transcript.
        continues: The id of the answer that it goes on from.
    """
    named = {line.refers_to for line in transcript.lines if line.refers_to}
    if continues is None and not named:
        return transcript, None
    with store.transaction() as tx:
        traces = find_by_ids(tx, being_id, [*named, *([continues] if continues else [])])
        before = traces.get(continues) if continues else None
        way: list[SaidBefore] = []
        if before and before.conversation and before.message_id:
            way = answer_traces.way_to(tx, being_id, before.conversation, before.message_id, SHOWN_TURNS)
        messages = {trace.message_id for trace in traces.values() if trace.message_id is not None}
        contents = transcripts.contents(tx, being_id, messages) if named else {}
    shown: list[Line] = [_line(one) for one in way]
    last: UUID | None = None
    for line in transcript.lines:
        trace = traces.get(line.refers_to) if line.refers_to else None
        if trace is None or trace.message_id not in contents:
            shown.append(line)
        elif trace.message_id != last:
            shown.append(Line("assistant", contents[trace.message_id]))
        last = trace.message_id if trace else None
    return replace(transcript, lines=tuple(shown)), before.conversation if before else None


def find_by_ids(tx: Transaction, being_id: UUID, ids: Sequence[str]) -> dict[str, Trace]:
    """Return the stored traces of ids, by id."""
    digests = {_digest(being_id, "id", id_): id_ for id_ in ids}
    found = answer_traces.find(tx, being_id, digests.keys()) if digests else {}
    return {digests[digest]: trace for digest, trace in found.items()}


def are_handed_on(tx: Transaction, being_id: UUID, turns: Sequence[Turn]) -> bool:
    """Whether all that the user says in a transcript are words that an answer handed on to another agent."""
    own = [turn for turn in turns if turn.role == "user"]
    if not own:
        return False
    words = {_digest(being_id, "words", turn.comparable): turn.digest for turn in own}
    return len(answer_traces.handed_on(tx, being_id, [*words.items()], HANDED_ON)) == len(words)


def repeats_answer(tx: Transaction, being_id: UUID, turns: Sequence[Turn]) -> bool:
    """Whether the user's last line has the words of an answer given lately, which did not repeat the user's.

    An answer that is no talk counts for a user's only line: in a chat a user may send the words that a model proposed.
    """
    own = [turn for turn in turns if turn.role == "user"]
    if not own or len(own[-1].comparable) < LONG:
        return False
    words = own[-1].comparable
    trace = _digest(being_id, "answer", words) if len(own) == 1 else None
    turn = digest("assistant", words)
    return answer_traces.was_answer(tx, being_id, trace=trace, turn=turn, users=own[-1].digest, within=HANDED_ON)


def add(store: Store, being_id: UUID, answer: ChatAnswer, conversation: str | None, message_id: UUID | None) -> None:
    """Record the ids by which later requests may name an answer.

    Args:
        store: The ledger.
        being_id: The Being.
        answer: The answer.
        conversation: Its conversation; None: it is no talk, so that its ids name nothing.
        message_id: The message that it is stored as, or the one that it answers.

    Raises:
        Unavailable: The database is unavailable.
    """
    ids = [_digest(being_id, "id", id_) for id_ in answer.ids] if conversation is not None else []
    words = [_digest(being_id, "words", comparable(text)) for text in answer.handed_on]
    if conversation is None and len(text := comparable(answer.text)) >= LONG:
        words.append(_digest(being_id, "answer", text))
    if not ids and not words:
        return
    usage = answer.usage
    tokens = usage.prompt_tokens + usage.output_tokens if usage else 0
    tokens = max(tokens, answer.came)
    store.run(answer_traces.add, being_id, ids, words, conversation=conversation, message_id=message_id, tokens=tokens)


def _line(turn: SaidBefore) -> Line:
    return Line("assistant" if turn.role == "assistant" else "user", turn.content, turn.speaker)


def _digest(being_id: UUID, kind: str, text: str) -> bytes:
    keyed = blake2b(f"{kind} {text}".encode(errors="surrogatepass"), digest_size=DIGEST_BYTES, key=being_id.bytes)
    return keyed.digest()
