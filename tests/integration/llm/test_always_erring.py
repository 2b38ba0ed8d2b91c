"""A day with a model whose answers are never right: every purpose costs a few calls, whatever the error is.

The bounds: a question is asked three times, until nine answers in a row to its purpose were invalid, which are three
questions; after that once. A portion is divided until nine questions in a row have failed. So a unit of work costs
9 + 6 calls at first, and 9 then; a question that is not divided 3, and 1 then. A portion whose answer is cut off is
asked about in quarters at last, which are 3 + 2 * 4 calls, and one that can't be divided twice. What is too long is cut
in the second answer.
"""

import json
from collections import Counter
from contextlib import suppress
from datetime import timedelta

import pytest

from memory.facts import curator, seed_comparison, seeding
from memory.talk import joint_summary, judging, rolling, session_summary, spine
from providers.embedders import Embedders
from providers.errors import BadAnswer, InputRefused, Transient
from providers.thinkers import Thinkers
from samples.canned import policy, wire
from samples.canned.provider import served
from samples.canned.server import Reply
from samples.canned.wire import smallest
from schemas.facts.fact_requests import Seed
from schemas.ledger import kinds
from schemas.settings import Settings
from store.accounts import beings
from store.ledger import work
from tests.conversations import LEASE, Talk
from tests.fakes.provider import Behaviour, FakeProvider, running_provider
from tests.models.thinking import Answers, Life, thinking_settings

HOURS = 2
# How often a unit of work is tried that fails.
TIMES = 3
DIVIDED, UNDIVIDED = 9 + 6 + 9 * (HOURS - 1), 3 * 3 + 2 * HOURS
# What is asked about in portions that can be divided, once in an hour, and what is asked about as it is.
BOUNDS = {
    "Judgement": DIVIDED,
    "RollingSummary": DIVIDED,
    "SessionWithScenes": DIVIDED,
    "SessionsWithScenes": DIVIDED,
    "SummarySpine": DIVIDED,
    "Reconciliation": DIVIDED,
    "FoldConfirmation": DIVIDED,
    # Of four topics at once: at first three times, later once in an hour.
    "Consolidation": 3 * 4 + 4 * HOURS,
    "Split": UNDIVIDED,
    "TopicName": UNDIVIDED,
    "Classification": UNDIVIDED,
    "RepairedScene": UNDIVIDED,
    "DiaryPages": UNDIVIDED,
}
NOTHING = '{"facts": [], "todos": [], "confidences": []}'
LONG = "A sentence that says it at length. " * 60


def filled(request, text):
    """An answer in its form, in which each text is the same."""

    def of(value):
        if isinstance(value, dict):
            return {name: of(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [of(inner) for inner in value]
        return text if isinstance(value, str) else value

    said = policy.answer(request)
    return json.dumps(of(json.loads(said) if said else smallest(request.schema_wanted)))


def repeated(request):
    """The first field of the answer, in which one item follows the other without an end."""
    name, field = next(iter(request.schema_wanted["properties"].items()))
    if field.get("type") != "array":
        return f'{{"{name}": "' + "and then " * 500
    item = json.dumps(smallest(field["items"], request.schema_wanted.get("$defs", {})))
    return f'{{"{name}": [' + ", ".join([item] * 40)


# Each has consequences of its own. What else violates the form is the same to all purposes (test_thinkers.py).
ERRORS = {
    "no JSON": lambda _: "I have read it all.",
    "no such words": lambda request: filled(request, "words that were never said"),
    "too long": lambda request: filled(request, LONG),
    "repeats itself": repeated,
    "refusal": Behaviour(do="refuse", on="messages", times=None),
    "truncated": Behaviour(do="truncate", on="messages", times=None),
    "an error as an answer": Behaviour(do="fail", on="messages", status=200, times=None),
}


class Day:
    """A Being to which something of everything happens."""

    def __init__(self, store, user, provider):
        settings = thinking_settings(provider, judge_messages=1, short_session_wait=timedelta(0), scenes="on")
        with store.transaction() as tx:
            being = beings.add_being(tx, user.user_id, "mizzen", "Mizzen")
        self.life = Life(store, provider, Answers(), being.being_id, settings)
        minilm = Embedders(Settings(embedder="minilm"))
        self.talk = Talk(store, provider, being, settings, Thinkers(settings), minilm)
        self.store, self.owners = store, (being.being_id, user.user_id)

    def seed(self, **contents):
        seeds = [
            Seed(type="PROFILE", content=said, entity_refs=[f"thing:{about.replace('_', ' ')}"])
            for about, said in contents.items()
        ]
        seeding.seed(self.store, self.talk.settings, self.talk.being, seeds)
        self.talk.embedded()

    def works(self):
        """Do all that is due, and again what fails."""
        doing = {
            kinds.JUDGE: judging.judge,
            kinds.ROLLING_SUMMARY: rolling.summarise,
            kinds.SESSION_SUMMARY: session_summary.summarise,
            kinds.SHORT_SESSIONS: joint_summary.summarise,
            kinds.SPINE: spine.write,
            kinds.COMPARE_SEEDS: seed_comparison.compare_seeds,
            kinds.CURATE: curator.curate,
        }
        for kind, do in doing.items():
            for _ in range(TIMES):
                for claim in self.claims(kind.name):
                    with suppress(BadAnswer, InputRefused, Transient):
                        do(self.store, self.talk.thinkers, self.talk.settings, claim)

    def claims(self, kind):
        """Claim what is due of a kind, also what has failed."""
        with self.store.transaction() as tx:
            tx.execute("update memory.work set lease_until = clock_timestamp() where state = 'running'")
            rows = tx.execute(
                """
                select owner_id, key
                from memory.work
                where owner_id = any(%s) and kind = %s
                    and state in ('ready', 'running') and next_at <= clock_timestamp()
                """,
                [list(self.owners), kind],
            ).fetchall()
            claims = [work.claim(tx, row["owner_id"], kind, row["key"], lease=LEASE, attempts=99) for row in rows]
        return [claim for claim in claims if claim]

    def hour(self, number, clock):
        self.talk.says(*(f"This is hour {number}, and message {place}." for place in range(20)))
        self.works()
        clock.advance(minutes=45)
        self.talk.says(f"A word at {number}.")
        self.works()
        clock.advance(minutes=45)
        self.talk.says("Another day.")
        self.seed(home=f"Lives at the lake since {number}.")
        self.seed(tea=f"Loves green tea, {number}.", green_tea=f"Really loves green tea, {number}.")
        with self.store.transaction() as tx:
            work.ask(tx, self.owners[1], kinds.CURATE)
        self.works()
        self.life.hand_in(f'{{"action": "broken {number}')
        self.life.tell(
            *(f"Pip rowed on to rock {number} {place}." for place in range(6)), f"Taxes of {number} were paid."
        )
        for _ in range(2):
            self.life.patrol()
            clock.advance(minutes=15)


@pytest.mark.parametrize("error", ERRORS)
def test_a_day_with_a_model_that_always_errs_costs_little_for_every_purpose(store, user, clock, error):
    erring = ERRORS[error]
    asked = []
    with running_provider(**({} if isinstance(erring, Behaviour) else {"answer": erring})) as provider:
        day = Day(store, user, provider)
        day.life.tell(*(f"Pip rowed to island {number}." for number in range(12)))
        day.life.patrol(thinker="none")
        for hour in range(HOURS):
            if hour == 0 and error != "an error as an answer":
                # The spine takes in what was judged.
                provider.script(Behaviour(do="answer", when='"title": "Judgement"', text=NOTHING, times=None))
            if isinstance(erring, Behaviour):
                provider.script(erring)
            day.hour(hour, clock)
            asked += [request.purpose for request in provider.requests if request.endpoint == "messages"]
            provider.reset()
    counted = {purpose: asked.count(purpose) for purpose in asked}

    if error == "an error as an answer":
        # It opens the breaker: what is asked are probes, one at most whenever the clock moves on.
        assert 0 < len(asked) <= 5 * HOURS
    else:
        assert counted.keys() == BOUNDS.keys()
    assert {purpose: calls for purpose, calls in counted.items() if calls > BOUNDS[purpose]} == {}


# So few characters of material that nothing above is asked about as it is.
SMALL_CONTEXT = 1_500


class SmallContext(FakeProvider):
    """A model whose context holds little material."""

    def __init__(self):
        super().__init__()
        self.refused, self.answered_to = Counter(), Counter()

    def provide(self, request, *, known):
        too_long = request.endpoint == "messages" and len(request.material) > SMALL_CONTEXT
        (self.refused if too_long else self.answered_to)[request.purpose] += 1
        if too_long:
            said = wire.error("messages", 400, "prompt is too long: 9000 tokens > 8192 maximum")
            return Reply.json(400, said)
        return super().provide(request, known=known)


def test_with_a_model_of_a_small_context_everything_is_done_in_smaller_portions(store, user, clock):
    with served(SmallContext()) as provider:
        day = Day(store, user, provider)
        day.life.tell(*(f"Pip rowed to island {number}, and it took him all of the long day." for number in range(20)))
        day.life.patrol(thinker="none")
        day.hour(0, clock)
        with store.transaction() as tx:
            unjudgeable = tx.execute("select 1 from memory.messages where judging_error is not null").fetchall()
            summed_up = tx.execute(
                """
                select rolling_summary is not null as rolling,
                    (select count(*) from memory.summary_spines) as spines,
                    (select count(*) from memory.session_summaries) as sessions
                from memory.session_states
                """
            ).fetchone()
    assert day.talk.unjudged() == 0
    assert unjudgeable == []
    assert summed_up["rolling"]
    assert summed_up["spines"] == 1
    assert summed_up["sessions"] >= 1
    assert {"Judgement", "SessionWithScenes", "SummarySpine", "Consolidation", "DiaryPages"} <= {*provider.refused}
    assert provider.refused.keys() <= provider.answered_to.keys()
