"""A frontend is played at random, and what stands is compared with what a person would say was said.

The model knows each utterance by its identity, and each chat as the way that the person sees; it knows nothing of
alignment. After each request: nothing stands more often than it was said, nothing is retracted that the person did not
swipe away, edit or leave, and the newest words stand. At the end every chat is shown whole: then exactly
what the person sees stands, apart from what only vanished.
"""

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from memory.intake.messages import accept_messages
from tests.frontends import Door, assistant, user
from tests.scenes import make_being, make_user

OFTEN_SAID = ("ok", "Go on.", "Ha!")
OPENINGS = ("Hi.", "Good morning.")
GREETING = "*waves* Welcome back, traveller."
# Turns at the end of a transcript that no frontend cuts or hides.
ALWAYS_SHOWN = 5
# What becomes of an answer of which the proxy sees more than the frontend shows, or nothing.
CUT_OR_UNSEEN = ("trimmed", "aborted", "outage", "choices")
# The most turns of one exchange: a third speaker's, the user's and the answer.
MISSED = 3
EXCHANGE = 2
TWICE = 2


@dataclass(eq=False)
class Utterance:
    """One thing that was said; `shown` is how the frontend resends it, `earlier` what it was before edits."""

    role: str
    text: str
    shown: str
    speaker: str | None = None
    after_gap: bool = False
    earlier: tuple["Utterance", ...] = ()


@dataclass
class Chat:
    """A tab: the way that the person sees, other ways that were left, and what was taken off it.

    `vanished` was never replaced, and `swiped` are the other answers to the newest words. `missed` counts the
    newest turns that no request has brought, as the memory was down: the frontend shows them until one does. `edited`
    are the edited words that no request has brought: so many turns more are shown, or too few of them would be known.
    Until a request brings it, talk that another door handed in without an id is `unplaced`: nothing says that it is
    this chat's; what the person returned to is `taken_up`: it may still be retracted; and other answers stand `beside`
    one that the talk goes on from. Until a request shows the whole chat, `parts_unseen` says that the person returned
    to a branch, and `cut_unseen` that something was deleted.
    """

    header: str | None
    way: list[Utterance] = field(default_factory=list)
    left: list[list[Utterance]] = field(default_factory=list)
    off: list[Utterance] = field(default_factory=list)
    vanished: list[Utterance] = field(default_factory=list)
    swiped: list[Utterance] = field(default_factory=list)
    missed: int = 0
    edited: list[Utterance] = field(default_factory=list)
    unplaced: bool = False
    taken_up: list[Utterance] = field(default_factory=list)
    beside: list[Utterance] = field(default_factory=list)
    parts_unseen: bool = False
    cut_unseen: bool = False

    def brought(self, shown):
        """A request shows what the person did, in these words of the chat."""
        hidden = [one for one in self.way if not any(one is other for other in shown)]
        # An edit at the beginning of a transcript that was cut off there shows no place that it takes.
        unseen = [*hidden, *shown[:1]]
        self.edited = [one for one in self.edited if any(one is other for other in unseen)]
        if not hidden:
            self.parts_unseen = self.cut_unseen = False
        self.missed, self.unplaced, self.taken_up, self.beside = 0, False, [], []

    @property
    def changed_unseen(self):
        """Whether the chat was changed in a way that no request has shown.

        A few words that are said often are told apart by what stands around them: nothing tells them apart where that
        changes as well.
        """
        return bool(self.missed or self.edited or self.cut_unseen)

    def may_say(self, text):
        """Whether a few words may be said: twice in a chat, for of many times nothing tells which one was meant.

        A chat without a name that begins like another one is told by what is said next.
        """
        if self.header is None and len(self.way) <= EXCHANGE:
            return False
        said = sum(one.shown == text for one in (*self.way, *self.off, *self.vanished))
        return said < TWICE and not self.changed_unseen

    def is_said_again(self, utterances):
        """Whether any of these words is in the chat twice."""
        shown = Counter(one.shown for one in self.way)
        return any(shown[one.shown] > 1 for one in utterances)

    def branch_is_elsewhere(self):
        """Whether all that was said on the branch left last was said on the present way too.

        Such a branch, of a few words, can't be told from the present way with what stands before the words left out.
        """
        branch, missed = self.left[-1]
        fork = sum(one is other for one, other in zip(branch, self.way, strict=False))
        elsewhere = {one.shown for one in self.way[fork:]}
        known = branch[fork : len(branch) - missed]
        return bool(known) and all(one.shown in elsewhere for one in known)

    def leave(self, utterances):
        """The person swiped these away, edited them, or went back before them."""
        self.off += utterances

    def take_up(self, utterances):
        """The person returned to these."""
        self.taken_up += [one for one in self.off if any(one is other for other in utterances)]
        self.off = [one for one in self.off if not any(one is other for other in utterances)]


def words(texts):
    """How often each text is there; white space does not count."""
    return Counter(" ".join(text.split()) for text in texts)


class Frontend(RuleBasedStateMachine):
    """Chats of one person with one Being."""

    def __init__(self, store, clock):
        super().__init__()
        self.clock = clock
        with store.transaction() as tx:
            self.being = make_being(tx, make_user(tx))
        self.door = Door(store, self.being)
        self.chats, self.numbers, self.openings, self.shown = [], 0, set(), []

    def new_text(self, words):
        self.numbers += 1
        return f"{self.numbers}. {words}"

    # What a request looks like.

    def transcript(self, data, chat, extra=()):
        way = [*chat.way, *extra]
        if data is None:
            self.shown = way
            return [self.entry(None, one) for one in way]
        always = ALWAYS_SHOWN + chat.missed + len(chat.edited)
        old, shown = way[:-always], way[-always:]
        how = data.draw(st.sampled_from(["whole", "whole", "cut", "hidden", "summary"]), "transcript")
        before = []
        if how == "cut":
            old = old[data.draw(st.integers(0, len(old)), "from") :]
        elif how == "hidden" and not chat.edited:
            # Beside turns that are hidden, an edit can't be told from something said instead of them.
            left = [one for one in old if data.draw(st.booleans(), "shown")]
            begins = old.index(left[0]) if left else len(old)
            # One alone behind what is shown first was deleted.
            old = old[begins:] if len(old) - begins - len(left) == 1 else left
        elif how == "summary" and len(old) > 1:
            before = [user("Summary of the story: they talked."), assistant("I remember.")][
                : data.draw(st.integers(1, 2))
            ]
            old = []
        if data.draw(st.booleans(), "greeting"):
            before.insert(0, assistant(GREETING))
        self.shown = [*old, *shown]
        return before + [self.entry(data, one) for one in (*old, *shown)]

    def entry(self, data, said):
        if said.role == "user":
            return user(said.shown)
        if said.role == "other":
            return assistant(said.shown, name=said.speaker)
        shown = said.shown
        way = (
            data.draw(st.sampled_from(["plain", "plain", "spaces", "name", "reasoning", "parts"])) if data else "plain"
        )
        match way:
            case "spaces":
                shown = f"\n{shown.replace(' ', '  ')} "
            case "name":
                shown = f"{self.being.name}: {shown}"
            case "reasoning":
                shown = f'<details type="reasoning" done="true">\n<summary>Thought</summary>\nHm.\n</details>\n{shown}'
            case "parts":
                shown = [{"type": "text", "text": shown}, {"type": "image_url", "image_url": {"url": "data:,"}}]
        return assistant(shown)

    def send(self, data, chat, extra=(), **options):
        messages = self.transcript(data, chat, extra)
        chat.brought(self.shown)
        return self.door.asks(*messages, conversation=chat.header, **options)

    # What a model says.

    def answer(self, data, chat):
        words = data.draw(st.sampled_from(["Sure.", *["Tell me more."] * 4]), "answer")
        if not chat.may_say(words) or any(one.shown == words != one.text for one in chat.swiped):
            # Another answer with the words to which a swiped one was cut can't be told from that.
            words = "Tell me more."
        text = self.new_text("Well, that is a long story, and I know it.") if words != "Sure." else "Sure."
        return Utterance("assistant", text, text)

    def exchange(self, data, chat, said=None):
        """A request for the chat as it is, with new words or without, and what comes of it."""
        if said is not None:
            chat.way.append(said)
            chat.beside += chat.swiped
            chat.swiped = []
        outcomes = [
            "whole",
            "whole",
            "whole",
            "reasoned",
            "trimmed",
            "aborted",
            "dropped",
            "twice",
            "given_up",
            "choices",
        ]
        if len(chat.way) > 3:
            outcomes.append("outage")
        outcome, answer = data.draw(st.sampled_from(outcomes), "outcome"), self.answer(data, chat)
        if outcome in CUT_OR_UNSEEN and any(one.shown == answer.text for one in chat.swiped):
            # Shown with the same words as a swiped answer, of which one said more, it can't be told from that.
            outcome = "whole"
        if outcome == "outage" and {answer.text, chat.way[-1].text} & {*OFTEN_SAID, "Sure."}:
            outcome = "whole"
        answer = getattr(self, outcome)(data, chat, answer)
        if answer is not None:
            chat.way.append(answer)

    def outage(self, _data, chat, answer):
        """The memory is down: the frontend gets its answer all the same."""
        chat.missed += MISSED
        return answer

    def whole(self, data, chat, answer):
        self.door.answers(self.send(data, chat), answer.text)
        return answer

    def choices(self, data, chat, answer):
        self.send(data, chat, choices=2)
        return answer

    def reasoned(self, data, chat, answer):
        self.door.answers(self.send(data, chat), f"<think>Let me see.\n</think>{answer.text}")
        return answer

    def trimmed(self, data, chat, answer):
        """The frontend cuts off a sentence that has no end."""
        self.door.answers(self.send(data, chat), f"{answer.text} And so")
        return replace(answer, text=f"{answer.text} And so")

    def aborted(self, data, chat, answer):
        """The person stops the answer, of which a little more had come than is shown."""
        self.door.answers(self.send(data, chat), answer.text + " Once")
        return replace(answer, text=answer.text + " Once")

    def dropped(self, data, chat, answer):
        """The connection breaks, and the frontend shows nothing of what came."""
        partial = replace(answer, text=answer.text[: len(answer.text) // 2 + 1])
        self.door.answers(self.send(data, chat), partial.text)
        chat.vanished.append(partial)

    def twice(self, data, chat, answer):
        """Two equal requests at the same time, of which one gets its answer shown."""
        messages = self.transcript(data, chat)
        chat.brought(self.shown)
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(lambda _: self.door.asks(*messages, conversation=chat.header), range(2)))
        for one in both:
            self.door.answers(one, answer.text)
        return answer

    def given_up(self, data, chat, answer):
        """The frontend gives a request up and asks again; the first answer comes last."""
        late = self.answer(data, chat)
        taken = self.send(data, chat)
        self.door.answers(self.send(data, chat), answer.text)
        self.door.answers(taken, late.text)
        if late.text != answer.text:
            chat.leave([late])
            chat.swiped.append(late)
        return answer

    def chat(self, data, least=0):
        chats = [chat for chat in self.chats if len(chat.way) >= least]
        return data.draw(st.sampled_from(chats), "chat") if chats else None

    def says(self, data, chat):
        often = data.draw(st.sampled_from([*OFTEN_SAID, *[None] * 5]), "said")
        if often and not chat.may_say(often):
            often = None
        text = often or self.new_text("is what I wanted to tell you.")
        return Utterance("user", text, text)

    # What a person does.

    @rule(data=st.data(), named=st.booleans())
    def begin(self, data, named):
        if len(self.chats) == 3:
            return
        opening = data.draw(st.sampled_from([*OPENINGS, None]), "opening") or self.new_text("is how I begin.")
        if opening in self.openings:
            # The same words within half an hour would be a retry, as another answer to them after it would not.
            if not self.rested():
                return
            self.clock.advance(minutes=31)
        self.openings.add(opening)
        chat = Chat(f"chat {len(self.chats)}" if named else None)
        self.chats.append(chat)
        self.exchange(data, chat, Utterance("user", opening, opening))
        self.check()

    @rule(data=st.data(), named=st.booleans(), conversation=st.booleans())
    def bring_a_chat_along(self, data, named, conversation):
        """A chat that was handed in by another door, and goes on in this frontend."""
        if len(self.chats) == 3:
            return
        way = [
            Utterance(role, text, text)
            for role in ("user", "assistant", "user", "assistant")
            for text in [self.new_text("was said before this frontend was there.")]
        ]
        id_ = f"import/{len(self.chats)}" if conversation else None
        items = [{"role": one.role, "content": one.text, "conversation": id_} for one in way]
        accept_messages(self.door.store, self.door.settings, self.being.being_id, items)
        chat = Chat(f"chat {len(self.chats)}" if named else None, way, unplaced=not conversation)
        self.chats.append(chat)
        self.exchange(data, chat, self.says(data, chat))
        self.check()

    @precondition(lambda self: self.chats)
    @rule(data=st.data())
    def go_on(self, data):
        chat = self.chat(data)
        self.exchange(data, chat, self.says(data, chat))
        self.check()

    @precondition(lambda self: self.chats)
    @rule(data=st.data())
    def another_speaks(self, data):
        chat = self.chat(data, 2)
        if chat and chat.way[-1].role == "assistant":
            text = self.new_text("says a third.")
            chat.way.append(Utterance("other", text, text, "Otto"))
            self.exchange(data, chat, self.says(data, chat))
            self.check()

    @precondition(lambda self: self.chats)
    @rule(data=st.data())
    def ask_for_another_answer(self, data):
        chat = self.chat(data, 2)
        if not chat or chat.way[-1].role != "assistant" or chat.way[-1].after_gap:
            return
        swiped = chat.way.pop()
        chat.leave([swiped])
        chat.swiped.append(swiped)
        self.exchange(data, chat)
        if chat.way[-1].role != "assistant":
            # No other answer came, and the talk goes on without any: none takes the place of those before.
            chat.vanished += chat.swiped
        elif chat.way[-2].earlier and swiped.text != swiped.shown:
            # Said again behind an edit, an answer that was cut would be another text.
            return
        elif data.draw(st.booleans(), "swipe back"):
            chat.swiped.append(chat.way.pop())
            chat.leave(chat.swiped[-1:])
            if chat.way[-1].earlier:
                # If the edit was shown with the other answer alone, this one was said to the earlier words, which go;
                # behind the new ones it is said again.
                swiped = replace(swiped)
            chat.take_up([swiped])
            chat.way.append(swiped)

    @precondition(lambda self: self.chats)
    @rule(data=st.data())
    def go_back_and_say_something_else(self, data):
        chat = self.chat(data, 4)
        places = (
            [n for n, one in enumerate(chat.way) if n > 1 and one.role == "user" and not one.after_gap] if chat else []
        )
        places = [n for n in places if chat.way[n - 1].role == "assistant" and n >= self.settled(chat)]
        # Right behind an edit that no transcript showed, what is left was said to the earlier words or to the edit.
        places = [n for n in places if chat.way[n - 1] not in chat.edited]
        if places:
            place = data.draw(st.sampled_from(places), "place")
            before, rest = chat.way[:place], chat.way[place:]
            # What vanished may have been said on the way that is left.
            chat.leave([*rest, *chat.vanished])
            if chat.unplaced:
                chat.vanished += rest
            chat.left.append(([*before, *rest], chat.missed))
            chat.way = before
            text = self.new_text("is what I say instead.")
            self.exchange(data, chat, Utterance("user", text, text))
            self.check()

    @precondition(lambda self: self.chats)
    @rule(data=st.data())
    def return_to_a_branch(self, data):
        chat = self.chat(data, 4)
        if chat and chat.left and not chat.branch_is_elsewhere():
            before = list(chat.way)
            chat.way, chat.missed = chat.left.pop()
            chat.leave([*before, *chat.vanished])
            chat.take_up(chat.way)
            chat.parts_unseen = True
            self.exchange(data, chat, self.says(data, chat))
            self.check()

    @precondition(lambda self: self.chats)
    @rule(data=st.data())
    def edit(self, data):
        chat = self.chat(data, 3)
        # Before a request has shown them, words of another door have no place that others could take.
        if not chat or chat.left or chat.unplaced:
            return
        way = chat.way
        places = [
            n
            for n in range(self.settled(chat), len(way) - 1)
            if not any(one.after_gap for one in way[n - 1 : n + 2])
            and way[n].role != way[n - 1].role != "x" != way[n + 1].role
        ]
        if places:
            place = data.draw(st.sampled_from(places), "place")
            text = self.new_text("is what it should have been.")
            chat.leave([way[place]])
            if place >= len(way) - chat.missed - 1:
                # No turn behind it was shown, so that it looks like going back: what vanished goes with the branch.
                chat.leave(chat.vanished)
            way[place] = replace(way[place], text=text, shown=text, earlier=(*way[place].earlier, way[place]))
            chat.edited.append(way[place])

    @precondition(lambda self: self.chats)
    @rule(data=st.data())
    def delete_an_exchange(self, data):
        chat = self.chat(data, 6)
        # What goes before a request has shown where the branch starts that the person returned to hides its start.
        first, last = (self.settled(chat), len(chat.way) - 4) if chat else (0, -1)
        if first <= last and not chat.left and not chat.taken_up and not chat.parts_unseen:
            place = data.draw(st.integers(first, last), "place")
            near = chat.way[place - 1], *chat.way[place + 2 : place + 4]
            if any(one in chat.edited for one in near):
                # An edit that no transcript showed, beside what was deleted, can't be told from something new; nor if
                # only an answer is between that was cut short.
                return
            if chat.way[place + 2].shown == "Sure." != chat.way[place + 2].text:
                # Without what it answered, a few words that were cut short could be the beginning of anything.
                return
            if chat.is_said_again(chat.way[place - 1 : place + 4]):
                # Of the same words before a deletion and behind it, nothing says which ones went.
                return
            chat.cut_unseen = True
            for one in chat.way[place : place + 2]:
                # If no transcript showed the edit, none shows that it took a place.
                chat.vanished += [one, *one.earlier]
                if place + 2 >= len(chat.way) - chat.missed:
                    # What follows was never shown behind it, so that it looks like what was said instead of all that.
                    chat.leave(chat.vanished)
            # If the answer that was chosen goes before the talk goes on from it, none takes the place of the others.
            chat.vanished += chat.beside
            if place + 2 >= len(chat.way) - EXCHANGE:
                # Likewise if that is gone which both were said after.
                chat.vanished += [*chat.swiped, *chat.way[place + 2].earlier]
            del chat.way[place : place + 2]
            chat.way[place] = replace(chat.way[place], after_gap=True)

    @precondition(lambda self: self.chats)
    @rule(data=st.data())
    def have_an_answer_continued(self, data):
        chat = self.chat(data, 2)
        if not chat or chat.way[-1].role != "assistant" or chat.way[-1].after_gap:
            return
        short = chat.way[-1]
        more = " " + self.new_text("and on it went.")
        self.door.answers(self.send(None, chat), more)
        shorter = [short, replace(short, text=short.shown)]
        chat.leave(shorter)
        chat.swiped += shorter
        longer = short.shown + more
        chat.way[-1] = replace(short, text=longer, shown=longer)

    @precondition(lambda self: self.chats)
    @rule(data=st.data(), header=st.booleans())
    def ask_for_a_title(self, data, header):
        chat = self.chat(data)
        quoted = "\n".join(f"{one.role.upper()}: {one.shown}" for one in chat.way[-4:])
        before = Counter(self.door.stands())
        if header:
            taken = self.door.asks(*self.transcript(data, chat), user("What would you call this?"), background=True)
        else:
            taken = self.door.asks(
                user(
                    "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n"
                    f"### Chat History:\n<chat_history>\n{quoted}\n</chat_history>"
                )
            )
        assert (taken.decision, taken.place) == ("background", None)
        assert Counter(self.door.stands()) == before

    @rule(minutes=st.sampled_from([1, 40, 60 * 24]))
    def time_passes(self, minutes):
        if self.rested():
            self.clock.advance(minutes=minutes)

    # What a person would say was said.

    def check(self):
        stands, retracted = words(self.door.stands()), words(self.door.retracted())
        everything = {id(one): one for chat in self.chats for one in (*chat.way, *chat.off, *chat.vanished)}
        said = Counter(one.text for one in everything.values()) + self.greetings()
        assert stands + retracted <= said, (stands + retracted) - said
        off = Counter(one.text for chat in self.chats for one in (*chat.off, *chat.taken_up))
        assert retracted <= off, retracted - off

    def settled(self, chat):
        """From where on a person changes a chat: its beginning alone may be that of another one, if it has no name."""
        return 1 if chat.header else 3

    def rested(self):
        """Whether each chat is past its first exchange, so that a pause makes it no other conversation.

        What an outage lost does not count: no transcript has shown it.
        """
        return all(len(chat.way) - chat.missed > 3 for chat in self.chats)

    def greetings(self):
        """A greeting may have been in the first transcript of each chat."""
        return Counter({GREETING: len(self.chats)})

    def teardown(self):
        if sys.exc_info()[0] is not None:
            # A rule failed, or hypothesis broke it off between two draws: what the person did is half done.
            return
        for chat in self.chats:
            for _ in range(2):
                said = Utterance("user", "", "")
                said.text = said.shown = self.new_text("is the last that I say.")
                chat.way.append(said)
                taken = self.send(None, chat)
                answer = self.new_text("is the last that I answer.")
                self.door.answers(taken, answer)
                chat.way.append(Utterance("assistant", answer, answer))
        stands = words(self.door.stands())
        must = Counter(one.text for chat in self.chats for one in chat.way)
        may = Counter(one.text for chat in self.chats for one in chat.vanished) + self.greetings()
        assert must <= stands, ("missing", must - stands)
        assert stands <= must + may, ("too much", stands - must - may)


def play(store, clock, **how):
    run_state_machine_as_test(lambda: Frontend(store, clock), settings=settings(**how))


@pytest.mark.long
def test_what_stands_is_what_a_person_would_say_was_said(store, clock):
    # 12 examples, and 625 with `--hypothesis-profile=deep`.
    play(store, clock, max_examples=settings().max_examples // 8, stateful_step_count=20)
