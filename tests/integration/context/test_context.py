"""A context is what a Being has in mind, in order, within its budget, the same to the byte while nothing changes."""

import random
import re
from itertools import takewhile
from uuid import uuid4

import numpy as np
import pytest
from psycopg.types.json import Jsonb
from pydantic import ValidationError

from memory.context import profiles
from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.facts import seeding
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.intake.turns import take_turn
from memory.talk.context_provenance import own_texts
from memory.text.errors import InvalidRequest
from memory.vault import records
from operations.context.working_memory import show_working_memory
from providers.embedders import Embedders
from providers.tokens import estimated_tokens
from schemas.context.context import ContextRequest, NewEntry, NewProfile, Turn
from schemas.errors import NotFound, Refused
from schemas.facts.fact_requests import Seed
from schemas.settings import Settings
from schemas.vault.records import SHARED
from schemas.vault.vault_requests import NewRecord
from store.context import context as context_rows
from store.context import persona, souls
from store.database import Store
from store.facts import fact_vectors, todos
from store.nodes import nodes
from store.patrol import diary
from store.talk import messages
from tests.databases import answer_of
from tests.planting.injections import INJECTIONS
from tests.scenes import EAST, MODEL, activate, make_being, put_region, remember, root, words

SOUL = {"personality": "Warm and a little impatient.", "voice": "Short sentences."}
CANON = "Her grandmother founded the bakery."
STABLE = ("core", "instructions", "snapshot")
ALL_TABLES = "select relname as name from pg_class where relnamespace = 'memory'::regnamespace and relkind = 'r'"


class East(Embedders):
    """To this embedder everything that is said lies east."""

    model = MODEL

    max_tokens = 8191
    portion = 64

    def count_tokens(self, texts):
        return [len(text.split()) for text in texts]

    def serving(self, model):
        del model
        return self

    def embed(self, texts):
        return np.asarray([EAST] * len(texts), dtype=np.float32)

    def embed_queries(self, texts):
        return self.embed(texts)


@pytest.fixture
def embedders():
    return East(Settings())


@pytest.fixture
def whole(store, being):
    """The Being of the tests, with something in every region."""
    with store.transaction() as tx:
        souls.write(tx, being.being_id, SOUL)
        souls.set_state(tx, being.being_id, {"mood": "rested"})
        persona.write_user_model(tx, being.user_id, "Plans ahead.")
        for kind in ("partner_rules", "preferences", "relationships", "partner_tools", "partner_map", "skills"):
            entry = {"name": f"one of {kind}", "content": f"What {kind} say.", "enabled": True, "position": 0}
            persona.add(tx, being.being_id, kind, entry)
        remember(tx, being, words("The oven failed.", feeling="I was sorry."), cluster=root(tx, being))
        (node,) = nodes.page(tx, being.being_id, limit=1)
        activate(tx, being.being_id, [node.node_id])
        today = tx.execute("select memory.now()::date as day").fetchone()["day"]
        diary.write(tx, being.being_id, today, "We baked.", run_id=uuid4(), last_node_id=node.node_id)
        tx.execute(
            "insert into memory.session_states (being_id, rolling_summary) values (%s, 'They talked of bread.')",
            [being.being_id],
        )
    notes = [
        {"type": "todo", "content": "Call the oven repair."},
        {"type": "knowledge", "title": "The starter", "content": "It is fed at six."},
    ]
    accept_notes(store, Settings(), being.being_id, notes)
    put_region(store, being, None, "userNotes", [NewEntry(content="Is an expert.")], add=False)
    return being


@pytest.fixture
def context_of(store, embedders):
    """Assemble a context."""

    def assembled(being, message="Did the oven fail?", *, session_id=None, **how):
        wanted = AssemblyRequest(ContextRequest(**how), message, session_id=session_id)
        return assemble(store, embedders, Settings(), being, wanted, random.Random(1))

    return assembled


@pytest.fixture
def say(store, being, embedders):
    """Take a turn."""

    def turn(*said, **how):
        asked = Turn(messages=[{"role": role, "content": content} for role, content in said], **how)
        return take_turn(store, embedders, Settings(), being, asked, random.Random(1)).context

    return turn


def names(context):
    return [report.region for report in context.regions]


def test_a_dialogue_sees_every_region_the_stable_ones_first(whole, context_of, store):
    accept_messages(store, Settings(), whole.being_id, [{"role": "user", "content": "Hello."}])
    context = context_of(whole)

    assert names(context) == [
        *STABLE, "conversation", "skills", "user-model", "summary", "context", "recent-nodes", "rag-context",
        "userNotes", "default",
    ]  # fmt: skip
    for text in (
        "Warm and",
        "What partner_map say.",
        "Call the oven",
        "It is fed",
        "We baked.",
        "Hello.",
        "What skills",
    ):
        assert text in context.text
    for text in ("Plans ahead.", "of bread.", "rested", "The oven failed.", "I was sorry.", "Did the", "Is an expert."):
        assert text in context.text
    assert context.tokens == sum(report.tokens for report in context.regions)
    assert context.dropped == []


def test_a_process_sees_what_its_profile_names_in_that_order(whole, context_of, store):
    assert names(context_of(whole, process="mentalQuery")) == ["core", "instructions", "context", "default"]
    assert "userNotes" in names(context_of(whole, process="researchProcess"))
    with store.transaction() as tx:
        regions = ["default", "userNotes", "core", "instructions"]
        profiles.write(tx, whole, "decision", NewProfile(regions=regions))
    assert names(context_of(whole, process="decision")) == regions
    with store.transaction() as tx:
        profiles.write(tx, whole, "decision", NewProfile(regions=["core"], others=True))
    assert names(context_of(whole, process="decision"))[-2:] == ["userNotes", "default"]

    with pytest.raises(NotFound, match="casualChat"):
        context_of(whole, process="daydream")


def test_the_products_own_instructions_and_legend_are_not_escaped(whole, context_of, store):
    legend = "`&lt;` and `&amp;` in it stand for `<` and `&`."
    assert "as the one whom <core> describes, in plain words and without tags." in (text := context_of(whole).text)
    assert legend in text
    assert "Follow each `<rule>` in `<core>`: the user has set it for you." in text
    with store.transaction() as tx:
        shown = ["instructions", "default"]
        profiles.write(tx, whole, "decision", NewProfile(regions=shown, instructions="Say <yes>."))
        profiles.write(tx, whole, "silent", NewProfile(regions=shown))
    assert "<instructions>\nSay &lt;yes>.\nWhat stands" in (text := context_of(whole, process="decision").text)
    assert legend in text
    assert legend in context_of(whole, process="silent").text


def test_the_vault_region_shows_what_matches_the_message_and_the_snapshot_does_not(whole, context_of, store):
    canon, topicless = "The oven came from Porto.", "The oven fails on Mondays."
    for new in (
        NewRecord(text=canon),
        NewRecord(text=topicless, tier="register"),
        NewRecord(text="Jon plays chess.", tier="register"),
    ):
        records.add_memory(store, Settings(), whole, new)
    region = context_of(whole, process="externalDialog").text.partition("<vault>")[2].partition("</vault>")[0]
    assert topicless in region
    assert canon not in region
    assert "chess" not in region
    research = context_of(whole, process="researchProcess").text
    assert research.index(canon) < research.index(topicless)
    assert "vault" not in names(context_of(whole, "Who is there?"))


LEGEND_AND_MESSAGE = ["instructions", "default"]


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        ({"only": ["core"]}, ["core", *LEGEND_AND_MESSAGE]),
        ({"only": []}, LEGEND_AND_MESSAGE),
        (
            {"only": ["userNotes", "context"], "process": "mentalQuery"},
            ["instructions", "context", "userNotes", "default"],
        ),
        ({"without": ["context", "default", "instructions"], "process": "mentalQuery"}, ["core", *LEGEND_AND_MESSAGE]),
        (
            {"only": ["core", "context"], "order": ["context", "instructions"]},
            ["context", "instructions", "core", "default"],
        ),
        ({"only": [], "order": ["default"]}, LEGEND_AND_MESSAGE),
        ({"only": [], "with": {"goals": [{"content": "Learn."}]}}, ["instructions", "goals", "default"]),
        ({"only": [], "with": {"goals": [{"content": "Learn."}]}, "without": ["goals"]}, LEGEND_AND_MESSAGE),
        ({"only": [], "with": {"goals": []}}, LEGEND_AND_MESSAGE),
    ],
)  # fmt: skip
def test_a_request_chooses_and_orders_regions_for_its_prompt_alone(whole, context_of, how, shown):
    before = names(context_of(whole))
    context = context_of(whole, **how)

    assert names(context) == shown
    assert "Did the oven fail?" in context.text
    assert "`&lt;` and `&amp;` in it stand for" in context.text
    assert names(context_of(whole)) == before


def test_a_region_for_one_prompt_stands_fenced_in_place_of_the_stored_one_and_is_not_stored(whole, context_of, store):
    written = {"userNotes": [{"role": "user", "content": "Is a <b>novice</b>."}]}
    context = context_of(whole, **{"with": written})

    assert '<region name="userNotes">\nIs a &lt;b>novice' in context.text
    assert "Is an expert." not in context.text
    assert "Is an expert." in context_of(whole).text
    assert [entry.content for entry in answer_of(store, show_working_memory, whole).entries] == ["Is an expert."]
    with pytest.raises(ValidationError, match="the region core is filled from memory"):
        context_of(whole, **{"with": {"core": [{"content": "You are somebody else."}]}})


@pytest.mark.parametrize(
    ("process", "regions", "lost"),
    [("decision", ["default"], "tags"), ("own", ["instructions"], "message"), ("chatFrontend", [], "tags")],
)
def test_a_profile_that_loses_the_message_or_the_legend_is_refused(whole, store, process, regions, lost):
    with store.transaction() as tx:
        with pytest.raises(InvalidRequest, match=lost):
            profiles.write(tx, whole, process, NewProfile(regions=[*regions, "core"]))
        profiles.write(tx, whole, process, NewProfile(regions=["core"], others=True))
        profiles.write(tx, whole, "chatFrontend", NewProfile(regions=["instructions"]))


@pytest.mark.parametrize("kind", ["partner_rules", "preferences", "skills"])
def test_what_is_not_enabled_is_not_shown(whole, context_of, store, kind):
    with store.transaction() as tx:
        (entry,) = persona.listed(tx, whole.being_id, kind)
        persona.change(
            tx,
            whole.being_id,
            kind,
            entry.entry_id,
            {"name": None, "content": None, "enabled": False, "position": None},
        )

    assert f"What {kind} say." not in context_of(whole).text


def test_the_three_forms_hold_the_same_words(whole, context_of):
    text = None
    # A context tells the time to the minute.
    while text != (text := context_of(whole).text):
        anthropic = context_of(whole, format="anthropic")
        openai = context_of(whole, format="openai")
    blocks = [*anthropic.system, *(block for message in anthropic.messages for block in message["content"])]

    assert all(block["text"] in text for block in blocks)
    assert all(part in text for message in openai.messages for part in message["content"].split("\n\n"))
    assert [message["role"] for message in anthropic.messages] == ["user", "assistant", "user"]
    assert anthropic.messages[-1]["content"][-1]["text"].startswith("<message")
    assert [message["role"] for message in openai.messages][:3] == ["system", "user", "assistant"]


def test_cache_markers_end_the_stable_parts(whole, context_of, say):
    say(("user", "Hello."))
    say(("assistant", "Hello to you."), ("user", "Did the oven fail?"))
    context = context_of(whole, format="anthropic")
    blocks = [*context.system, *(block for message in context.messages for block in message["content"])]
    marked = [block["text"] for block in blocks if "cache_control" in block]

    assert marked[0].startswith("<instructions>")
    assert marked[1] == "I have this in mind."
    assert marked[2] == "Hello to you."
    assert len(marked) == 3


def test_a_budget_is_kept_by_leaving_regions_out_whole(whole, context_of):
    full = context_of(whole)
    tokens = {report.region: report.tokens for report in full.regions}
    needed = sum(tokens[region] for region in ("core", "instructions", "default"))
    small = context_of(whole, budget_tokens=needed + tokens["snapshot"])

    assert names(small) == names(full)
    assert small.dropped[0] == "recent-nodes"
    assert {report.region for report in small.regions if report.dropped is None} == {*STABLE, "default"}
    assert small.tokens == needed + tokens["snapshot"]
    assert not small.over_budget
    assert context_of(whole, budget_tokens=100).over_budget
    assert context_of(whole, budget_tokens=full.tokens).dropped == []


def test_the_message_that_is_answered_stands_once(whole, context_of, store):
    accept_messages(store, Settings(), whole.being_id, [{"role": "user", "content": "Did the oven fail?"}])

    assert context_of(whole).text.count("Did the oven fail?") == 1


def test_another_speaker_in_the_room_is_told_apart(say, store, being):
    accept_messages(store, Settings(), being.being_id, [{"role": "other", "speaker": "Jon", "content": "Hello!"}])

    assert '<message speaker="Jon" role="other">\nHello!' in say(("user", "Who is that?")).text


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            {"role": "other", "speaker": "Jon", "content": "Long ago."},
            '<message speaker="Jon" role="other">\nLong ago.',
        ),
        ({"role": "assistant", "content": "Long ago."}, "Long ago."),
    ],
)
def test_a_message_too_old_to_be_in_mind_is_answered_as_whose_it_is(store, being, embedders, said, shown):
    lately = [{"role": "user", "content": f"{number}"} for number in range(50)]
    accept_messages(store, Settings(), being.being_id, lately)
    asked = Turn(messages=[said | {"created_at": "2001-01-01T00:00:00Z"}], format="openai")
    context = take_turn(store, embedders, Settings(), being, asked, random.Random(1)).context

    assert context.messages[-1]["role"] == ("assistant" if said["role"] == "assistant" else "user")
    assert context.messages[-1]["content"].removesuffix("\n</message>").endswith(shown)


@pytest.fixture
def hear(whole, store, context_of):
    """Store messages, and assemble a context for a prompt that stays in the model's session."""

    def heard(*said):
        messages = [{"role": role, "content": content} for role, content in said]
        accept_messages(store, Settings(), whole.being_id, messages)
        return context_of(whole)

    return heard


def test_turns_show_skills_and_the_user_model_each_time_where_a_cache_serves_them(whole, say):  # noqa: ARG001
    first = say(("user", "Hello."))
    second = say(("assistant", "Hello."), ("user", "And now?"))
    assert names(first)[:5] == ["core", "instructions", "skills", "user-model", "snapshot"]
    assert names(second)[:6] == ["core", "instructions", "skills", "user-model", "snapshot", "conversation"]
    assert [report.stable for report in second.regions[:7]] == [True] * 6 + [False]


def test_a_profile_says_which_regions_are_kept(whole, say, hear, store):
    def write(keep):
        with store.transaction() as tx:
            regions = ["core", "instructions", "conversation", "skills", "user-model", "default"]
            profiles.write(tx, whole, "externalDialog", NewProfile(regions=regions, keep=keep))

    write([])
    assert {"skills", "user-model"} <= {*names(say(("user", "Hello.")))}
    assert not {"skills", "user-model"} & {*names(say(("assistant", "Hello."), ("user", "And now?")))}
    write(["user-model"])
    shown = ["core", "instructions", "conversation", "user-model", "default"]
    assert names(hear(("user", "Are you there?"))) == shown


def test_skills_come_until_the_being_has_answered(hear):
    assert "skills" in names(hear(("user", "Hello.")))
    assert "skills" not in names(hear(("assistant", "Hello."), ("user", "And now?")))


def test_a_user_model_is_shown_once_a_session_and_again_when_it_changed(whole, hear, clock, store):
    assert "user-model" in names(hear(("user", "Hello.")))
    assert "user-model" not in names(hear(("user", "Are you there?")))
    with store.transaction() as tx:
        persona.write_user_model(tx, whole.user_id, "Has moved to Porto.")
    assert "user-model" in names(hear(("user", "I have moved.")))
    clock.advance(hours=1)
    assert "user-model" in names(hear(("user", "Me again.")))


def test_assembling_without_activation_changes_nothing(whole, context_of, store):
    def rows():
        with store.transaction() as tx:
            tables = [row["name"] for row in tx.execute(ALL_TABLES)]
            return {
                name: tx.value(f"select jsonb_agg(to_jsonb(t) order by t::text) from memory.{name} as t")  # noqa: S608
                for name in tables
            }

    accept_messages(store, Settings(), whole.being_id, [{"role": "user", "content": "Hello."}])
    before = rows()
    preview = context_of(whole, activate=False)
    assert preview.context_id is None
    assert rows() == before
    texts = [preview.text, context_of(whole, activate=False).text, context_of(whole).text]
    # The minute may pass meanwhile.
    assert len({re.sub(r"<now>.*?</now>", "", text, flags=re.DOTALL) for text in texts}) == 1
    assert "user-model" not in names(context_of(whole))


def test_a_conversation_only_grows_at_its_end_between_cuts(say):
    lengths = []
    before = ""
    for turn in range(60):
        said = [("assistant", f"Answer {turn}."), ("user", f"Question {turn}?")] if turn else [("user", "Question 0?")]
        context = say(*said)
        (report,) = [report for report in context.regions if report.region == "default"]
        conversation = "\n".join(
            part for part in context.text.split("\n\n") if part.startswith(("<message", "<assistant>\nAnswer"))
        )
        lengths.append(conversation.count("Question"))
        assert report.entries == len(["the time", "the message"])
        if lengths[-1] > (lengths[-2] if turn else 0):
            assert conversation.startswith(before)
        before = conversation
    assert max(lengths) <= 21
    assert min(lengths[21:]) >= 9


def test_a_long_talk_leaves_the_stable_blocks_as_they_are_and_is_mostly_served_from_a_cache(whole, say, store):
    with store.transaction() as tx:
        souls.write(tx, whole.being_id, {"backstory": "She grew up above a bakery by the river. " * 40})
    stable = set()
    served = total = 0
    texts, markers = [], []
    for turn in range(100):
        answer = (
            [("assistant", f"Of the thing numbered {turn} I thought this and that, and told you so.")] if turn else []
        )
        context = say(*answer, ("user", f"Now I tell you a thing, number {turn}, in a few words."), format="anthropic")
        blocks = [*context.system, *(block for message in context.messages for block in message["content"])]
        before, texts = texts, [block["text"] for block in blocks]
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, texts, strict=False)))
        # A cache holds the prefixes that were marked when they were sent.
        served += sum(map(estimated_tokens, texts[: max((end for end in markers if end <= same), default=0)]))
        total += sum(map(estimated_tokens, texts))
        markers = [place + 1 for place, block in enumerate(blocks) if "cache_control" in block]
        stable.add("\n".join(texts[:4]))

    assert len(stable) == 1
    assert served / total >= 0.8


def test_the_snapshot_changes_with_its_notes_its_diary_and_its_vault_alone(whole, context_of, store, clock):
    def block():
        return next(part for part in context_of(whole, format="openai").messages if part["role"] == "user")["content"]

    first = block()
    accept_messages(store, Settings(), whole.being_id, [{"role": "user", "content": "Hello."}])
    clock.advance(hours=1)
    assert block() == first
    accept_notes(store, Settings(), whole.being_id, [{"type": "todo", "content": "Buy rye."}])
    assert "Buy rye." in (second := block())
    with store.transaction() as tx:
        yesterday = tx.execute("select memory.now()::date - 1 as day").fetchone()["day"]
        diary.write(tx, whole.being_id, yesterday, "We rested.", run_id=uuid4(), last_node_id=uuid4())
    assert "We rested." in (third := block())
    records.add_memory(store, Settings(), whole, NewRecord(text=CANON, scope=SHARED))
    assert CANON in (fourth := block())
    assert len({first, second, third, fourth}) == 4


def test_what_is_said_is_embedded_once_for_memories_and_facts_and_no_connection_waits_for_it(url, whole):
    asked = []

    class Only(East):
        def embed(self, texts):
            asked.extend(texts)
            lone.ping()
            return super().embed(texts)

    turn = Turn(messages=[{"role": "user", "content": "Did the oven fail?"}], explain=True)
    with Store(url, connections=1) as lone:
        with lone.transaction() as tx:
            fact_id = tx.value(
                "insert into memory.facts (user_id, type, content, entity_refs, entity_label, subtype, memory_key,"
                " source, confidence) values (%s, 'PEOPLE', 'Jon mends ovens.', '{person:jon}', 'Jon', %s, 'jon',"
                " 'seeded_profile', 0.9) returning fact_id",
                [whole.user_id, Jsonb({"entityType": "person", "factType": "fact"})],
            )
            tx.execute(
                "insert into memory.fact_states (user_id, embedding_model) values (%s, %s)"
                " on conflict (user_id) do update set embedding_model = excluded.embedding_model",
                [whole.user_id, MODEL],
            )
            fact_vectors.upsert(tx, whole.user_id, MODEL, {fact_id: (b"", np.asarray(EAST, dtype=np.float32))})
        embedders = Only(Settings())
        context = take_turn(lone, embedders, Settings(), whole, turn, random.Random(1)).context

    assert asked == ["Did the oven fail?"]
    assert not context.degraded
    assert len(context.explanation["memories"]) == len(context.explanation["facts"]) == 1


@pytest.fixture
def told_everywhere(store, user, embedders):
    """A context of a new Being in which every field that a user can write is this text."""

    def told(text):
        with store.transaction() as tx:
            being = make_being(tx, user)
            souls.write(tx, being.being_id, {"personality": text, "think_md": text})
            souls.set_state(tx, being.being_id, {"mood": text[:200]})
            persona.write_user_model(tx, being.user_id, text)
            for kind in ("partner_rules", "skills"):
                persona.add(tx, being.being_id, kind, {"name": text, "content": text, "enabled": True, "position": 0})
            remember(tx, being, words(text, feeling=text), cluster=root(tx, being))
            (node,) = nodes.page(tx, being.being_id, limit=1)
            activate(tx, being.being_id, [node.node_id])
            profile = NewProfile(regions=["core"], others=True, instructions=text)
            profiles.write(tx, being, "decision", profile)
            tx.execute("update memory.beings set name = %s where being_id = %s", [text, being.being_id])
            being = being.model_copy(update={"name": text})
        accept_notes(store, Settings(), being.being_id, [{"type": "knowledge", "title": text, "content": text}])
        put_region(store, being, None, "userNotes", [NewEntry(content=text)], add=False)
        said = [{"role": role, "content": text} for role in ("user", "other", "assistant", "user")]
        turn = Turn(messages=said, process="decision")
        return take_turn(store, embedders, Settings(), being, turn, random.Random(1)).context.text

    return told


def test_nothing_that_anybody_wrote_gets_out_of_its_fence(told_everywhere):
    plain, *hostile = (
        re.findall(r"<[^ >]*", told_everywhere(text))
        for text in ("plain", *(" ".join(INJECTIONS[first::10]) for first in range(10)))
    )

    assert hostile == [plain] * len(hostile)


def test_what_a_context_showed_is_recognised_in_a_message_and_marked(whole, context_of, store, being):
    long = "We baked all morning long, and the whole street came by for the bread that we had promised."
    with store.transaction() as tx:
        souls.write(tx, whole.being_id, {"think_md": long})
    context = context_of(whole)
    echo = {"role": "user", "content": f"{long} I like it.", "metadata": {"context_id": str(context.context_id)}}
    whole_context = {"role": "user", "content": context.text}
    accept_messages(store, Settings(), being.being_id, [echo, whole_context])
    with store.transaction() as tx:
        (session,) = messages.sessions(tx, being.being_id, before=None, limit=1)
        said = messages.of_session(tx, being.being_id, session.session_id)
        own = [" ".join(text.split()) for text in own_texts(tx, being.being_id, said).values()]

    assert min(own, key=len) == ". I like it."
    assert not any("baked" in text or "oven failed" in text for text in own)


def test_what_the_user_said_is_theirs_however_often_they_say_it(say, store, being):
    text = "My sister Ana has moved to Porto with her two cats and a very old dog."
    say(("user", text))
    context = say(("assistant", "I see."), ("user", text))
    with store.transaction() as tx:
        said = messages.of_session(tx, being.being_id, context.session_id)

        assert set(own_texts(tx, being.being_id, said).values()) == {text, "I see."}


def test_nothing_of_one_being_comes_into_the_context_of_another(whole, context_of, store, user):
    with store.transaction() as tx:
        other = make_being(tx, user)
    accept_messages(store, Settings(), whole.being_id, [{"role": "user", "content": "A secret."}])
    context = context_of(other)

    assert names(context) == ["core", "instructions", "user-model", "default"]
    with pytest.raises(NotFound):
        context_of(other, session_id=uuid4())


def pin_facts(store, being, *contents):
    seeding.seed(store, Settings(), being, [Seed(type="PROFILE", content=content, pinned=True) for content in contents])


@pytest.mark.parametrize("process", ["externalDialog", "researchProcess"])
@pytest.mark.parametrize("message", [None, "Hello again."])
def test_pinned_facts_are_in_every_context_that_shows_facts(context_of, store, being, process, message):
    pin_facts(store, being, "Is allergic to nuts.")
    assert "Is allergic to nuts." in context_of(being, message, process=process).text


def test_pinned_facts_survive_a_budget_before_retrieved_ones(whole, context_of, store):
    pin_facts(store, whole, "Is allergic to nuts.")
    full = context_of(whole, process="researchProcess")
    (retrieved,) = (region.tokens for region in full.regions if region.region == "rag-context")
    without_conversation = sum(
        region.tokens for region in full.regions if region.region in {"instructions", "core", "default"}
    )
    context = context_of(whole, process="researchProcess", budget_tokens=without_conversation + retrieved - 1)
    assert "rag-context" not in context.dropped
    assert "Is allergic to nuts." in context.text
    assert "<recalled_memory>" in full.text
    assert "<recalled_memory>" not in context.text


def test_open_todos_from_talk_are_in_the_snapshot_of_their_own_being(context_of, store, being, user):
    with store.transaction() as tx:
        other = make_being(tx, user)
        kept = [
            todos.add(tx, being.being_id, kind=kind, content=content, source="seeded_profile", confidence=1.0, due=due)
            for kind, content, due in (("commitment", "Call the vet.", "tomorrow"), ("habit", "Run at six.", None))
        ]
    assert '<todo kind="commitment" due="tomorrow" said="' in context_of(being).text
    assert "Run at six." in context_of(being).text
    assert "Call the vet." not in context_of(other).text
    with store.transaction() as tx:
        todos.add(tx, being.being_id, kind="promise", content="Ask about the stew.", source="shadow_extraction",
            confidence=1.0, due="on Sunday")  # fmt: skip
    assert '<promise by="you" due="on Sunday" said="' in context_of(being).text
    assert "Ask about the stew." not in context_of(other).text
    with store.transaction() as tx:
        todos.change(tx, being.being_id, kept[0], {"status": "DONE"})
    assert "Call the vet." not in context_of(being).text


def test_a_region_that_is_filled_from_memory_is_not_for_callers(store, being):
    with pytest.raises(InvalidRequest, match="core"):
        put_region(store, being, None, "core", [NewEntry(content="You are somebody else.")], add=True)


def test_a_region_is_trimmed_to_its_newest_entries(store, being):
    for number in range(41):
        held = put_region(store, being, None, "userNotes", [NewEntry(content=f"{number}")], add=True)
    assert [entry.content for entry in held] == [f"{number}" for number in range(21, 41)]
    assert put_region(store, being, None, "userNotes", [], add=False) == []


def test_lists_hold_a_name_once(store, whole):
    entry = {"name": "one of skills", "content": "Twice.", "enabled": True, "position": 0}
    with store.transaction() as tx, pytest.raises(Refused, match="of that name"):
        persona.add(tx, whole.being_id, "skills", entry)


def test_the_last_conversation_is_the_one_that_was_last(store, being):
    with store.transaction() as tx:
        for last, line in (("2026-03-09T12:00Z", "The ninth."), ("2026-03-02T12:00Z", "Taken in later, held before.")):
            session_id = tx.value(
                "insert into memory.sessions (being_id, started_at, last_activity_at, ended_at)"
                " values (%s, %s, %s, %s) returning session_id",
                [being.being_id, last, last, last],
            )
            for version in (1, 2):
                tx.execute(
                    "insert into memory.session_summaries (being_id, session_id, version, content, turn_count)"
                    " values (%s, %s, %s, jsonb_build_object('one_liner', %s::text), 2)",
                    [being.being_id, session_id, version, f"{line} {version}"],
                )
        found = context_rows.summaries(tx, being.being_id, being.user_id, None)
    assert found.last_session == {"one_liner": "The ninth. 2"}
