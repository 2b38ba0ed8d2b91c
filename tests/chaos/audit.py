"""Invariants of a ledger that has come to rest, as SQL queries."""

from collections.abc import Iterator

from store.database import Store
from store.transaction import Transaction

# Each query returns one row for each violation.
QUESTIONS = {
    "work that is not over": (
        "select format('%s %s is %s since %s: %s', kind, key, state, next_at, coalesce(error, 'no error')) as wrong"
        " from memory.work where state not in ('done', 'dead') or state = 'dead' and error is null"
    ),
    "a finding that was never credited": (
        "select format('activation %s', activation_id) as wrong from memory.pending_activations"
    ),
    "a run that is not over": (
        "select format('run %s is %s', run_id, state) as wrong from memory.patrol_runs"
        " where state not in ('done', 'failed')"
    ),
    "a step that was never taken": (
        "select format('run %s is done with %s of 9 steps', run_id, count) as wrong from memory.patrol_runs,"
        " lateral (select count(*) from jsonb_object_keys(steps)) as taken where state = 'done' and count <> 9"
    ),
    "a note that waits": (
        "select format('note %s is %s', coalesce(producer_id, note_id::text), state) as wrong from memory.notes"
        " where state in ('pending', 'stamped')"
    ),
    "a note without its memory, or a memory without its note": (
        "select format('note %s is %s with node %s', o.note_id, o.state, n.node_id) as wrong"
        " from memory.notes as o full join memory.memory_nodes as n using (being_id, note_id)"
        " where (o.state = 'remembered') is distinct from (n.node_id is not null)"
    ),
    "a memory of another run than its note": (
        "select format('node %s', node_id) as wrong from memory.memory_nodes as n"
        " join memory.notes as o using (being_id, note_id) where n.run_id <> o.run_id"
    ),
    "a memory without a topic": (
        "select format('node %s', node_id) as wrong from memory.memory_nodes as n"
        " left join memory.clusters as c using (being_id, cluster_id) where c.removed_at is not null"
        " or c.cluster_id is null and exists (select from memory.patrol_runs as r where r.being_id = n.being_id"
        " and r.state = 'done' and r.run_id >= n.run_id)"
    ),
    "an account that is not what its memories add up to": (
        "select format('cluster %s: %s', c.name, c.cluster_id) as wrong from memory.clusters as c, lateral ("
        " select count(*) as nodes, count(*) filter (where status = 'active') as active,"
        " count(*) filter (where fresh and status <> 'dead') as fresh,"
        " count(*) filter (where status = 'dying') as dying,"
        " memory.vector_state(vector) filter (where status = 'active') as vector_state"
        " from memory.memory_nodes as n left join memory.node_vectors as v using (being_id, node_id)"
        " where n.being_id = c.being_id and n.cluster_id = c.cluster_id) as real"
        " where (c.nodes, c.active_nodes, c.fresh_nodes, c.dying_nodes, c.vector_state, c.vector) is distinct from"
        " (real.nodes, real.active, real.fresh, real.dying, coalesce(real.vector_state, '{0}'),"
        " halfvec_avg(coalesce(real.vector_state, '{0}')))"
    ),
    "a history that does not begin with one birth": (
        "select format('node %s was born %s times', node_id, births) as wrong from memory.memory_nodes as n, lateral ("
        " select count(*) filter (where event = 'born') as births,"
        " min(event_id) filter (where event = 'born') as birth, min(event_id) as first"
        " from memory.node_history as h where h.being_id = n.being_id and h.node_id = n.node_id)"
        " as told where births <> 1 or birth <> first"
    ),
    "a history that leads elsewhere": (
        "select format('node %s', node_id) as wrong from memory.memory_nodes as n, lateral (select"
        " (array_agg(detail ->> 'to' order by event_id desc) filter (where event in ('assigned', 'moved')))[1] as home,"
        " (array_agg(event order by event_id desc)"
        " filter (where event in ('born', 'dying', 'dead', 'absorbed', 'active again')))[1] as fate"
        " from memory.node_history as h where h.being_id = n.being_id and h.node_id = n.node_id) as told"
        " where told.home is distinct from n.cluster_id::text"
        " or n.status <> case when told.fate in ('dead', 'absorbed') then 'dead'"
        " when told.fate = 'dying' then 'dying' else 'active' end"
    ),
    "a session that is not what was said in it": (
        "select format('session %s', s.session_id) as wrong from memory.sessions as s left join lateral ("
        " select min(created_at) as first, max(created_at) as last, count(*) filter (where role <> 'other') as turns,"
        " max(pause) as pause from (select *, created_at - lag(created_at) over (order by created_at) as pause"
        " from memory.messages as m where m.being_id = s.being_id and m.session_id = s.session_id) as said"
        " ) as real on true"
        " where (s.started_at, s.last_activity_at, s.turn_count) is distinct from (real.first, real.last, real.turns)"
        " or s.ended_at <> real.last or real.pause > interval '30 minutes'"
    ),
    "a count of messages that is not how many there are": (
        "select format('being %s', being_id) as wrong from memory.session_states as t where t.message_count <>"
        " (select count(*) from memory.messages as m where m.being_id = t.being_id and m.role <> 'other')"
    ),
    "a message that was not judged exactly once": """
        select format('message %s is %s and was judged %s times', m.message_id,
            case when m.judged then 'judged' else 'not judged' end, real.times) as wrong
        from memory.messages as m, lateral (
            select count(*) as times
            from memory.judgements as j
            where j.being_id = m.being_id and m.message_id = any(j.judged_ids)
        ) as real
        where times <> m.judged::integer
    """,
    "a message that is not to be judged": """
        select format('message %s', message_id) as wrong
        from memory.messages as m join memory.sessions as s using (being_id, session_id)
        where role = 'user' and not judged and not s.waits_for_key and not exists (
            select
            from memory.work as w
            where w.owner_id = s.being_id and w.kind = 'shadow.judge' and w.key = s.session_id::text
                and w.state <> 'done'
        )
    """,
    "a judgement of a message that does not stand": """
        select format('judgement %s', judgement_id) as wrong
        from memory.judgements as j, unnest(j.shown_ids) as id
        where not exists (select from memory.messages as m where m.being_id = j.being_id and m.message_id = id)
    """,
    "evidence that waits to be found again, of a message that does not wait": """
        select format('fact evidence %s', evidence_id) as wrong
        from memory.fact_evidence as e join memory.messages as m using (being_id, message_id)
        where e.outdated and m.judged
        union all
        select format('todo evidence of %s', todo_id)
        from memory.todo_evidence as e join memory.messages as m using (being_id, message_id)
        where e.outdated and m.judged
    """,
    "a scene from talk without evidence, or with that of another": """
        select format('note %s rests on %s messages', o.note_id, count(m.message_id)) as wrong
        from memory.notes as o
        left join memory.scene_messages as s on s.being_id = o.being_id and s.note_id = o.note_id
        left join memory.messages as m on m.being_id = s.being_id and m.message_id = s.message_id and m.drawn
        where o.origin = 'talk' or s.note_id is not null
        group by o.being_id, o.note_id
        having count(m.message_id) <> count(s.message_id) or count(s.message_id) = 0 or o.origin <> 'talk'
    """,
    "a message of two scenes": """
        select format('message %s is in %s scenes', message_id, count(*)) as wrong
        from memory.scene_messages group by being_id, message_id having count(*) > 1
    """,
    "a message that is both standing and retracted, or awaited": """
        select format('message %s', coalesce(r.producer_id, r.message_id::text)) as wrong
        from memory.retracted_messages as r join memory.messages as m using (being_id, message_id)
        union all
        select format('message %s is awaited', a.producer_id)
        from memory.awaited_retractions as a join memory.messages as m using (being_id, producer_id)
    """,
    "a closed conversation that is not summed up as it is": (
        "select format('session %s of %s turns: %s', s.session_id, s.turn_count, told.turn_count) as wrong"
        " from memory.sessions as s join memory.session_states as t using (being_id) left join lateral ("
        " select turn_count from memory.session_summaries as k where k.being_id = s.being_id"
        " and k.session_id = s.session_id order by version desc limit 1) as told on true"
        " where s.ended_at is not null and not t.waits_for_key"
        " and not exists (select from memory.work as w where w.owner_id = s.being_id"
        " and (w.kind = 'session_close.summarise' and w.key = s.session_id::text"
        " or w.kind = 'session_close.summarise_short' and s.deferral_id is not null) and w.state = 'dead')"
        " and (s.summary_due or told.turn_count is distinct from s.turn_count)"
    ),
    "a rolling summary that is behind, or whose versions are not all there": (
        "select format('being %s: %s wait, %s of %s versions', t.being_id, waiting, versions, newest) as wrong"
        " from memory.session_states as t, lateral (select (select count(*) from memory.messages as m"
        " where m.being_id = t.being_id and role <> 'other' and rolling_version is null) as waiting,"
        " (select count(*) from memory.rolling_summaries as r where r.being_id = t.being_id) as versions,"
        " (select coalesce(max(version), 0) from memory.rolling_summaries as r where r.being_id = t.being_id) as newest"
        " ) as real where waiting >= 4 and not t.waits_for_key and not exists (select from memory.work as w"
        " where w.owner_id = t.being_id and w.kind = 'rolling.summarise' and w.state = 'dead') or versions <> newest"
    ),
    "something told that is not searchable by all signals": """
        select format('%s %s waits for its %s', kind, item_id, stage) as wrong from memory.search_queue
    """,
    "something told that the index does not hold": """
        select format('message %s', m.message_id) as wrong
        from memory.messages as m left join memory.search_documents as d
            on d.owner_id = m.being_id and d.kind = 'message' and d.item_id = m.message_id
        where d.owner_id is null
        union all
        select format('node %s', n.node_id)
        from memory.memory_nodes as n left join memory.search_documents as d
            on d.owner_id = n.being_id and d.kind = 'node' and d.item_id = n.node_id
        where d.owner_id is null
    """,
    "an index that does not hold what its documents hold": """
        select format('%s of %s', posted.kind, posted.owner_id) as wrong
        from (
            select owner_id, kind, count(distinct document_id) as documents, sum(times) as terms
            from memory.search_postings group by owner_id, kind
        ) as posted
        full join (
            select owner_id, kind, count(*) filter (where terms <> '{}') as documents, sum(cardinality(terms)) as terms
            from memory.search_documents group by owner_id, kind
        ) as held using (owner_id, kind)
        full join memory.search_statistics as counted using (owner_id, kind)
        where (posted.documents, posted.terms) is distinct from (held.documents, held.terms)
            or counted.terms is distinct from held.terms
    """,
    "a word whose documents are not as many as counted": """
        select format('%s of %s', kind, owner_id) as wrong
        from (
            select owner_id, kind, term, count(*) as documents from memory.search_postings group by owner_id, kind, term
        ) as posted
        full join memory.search_terms as counted using (owner_id, kind, term)
        where posted.documents is distinct from counted.documents
    """,
    "a vector kept for a text that has become a memory": (
        "select format('node %s', n.node_id) as wrong from memory.embeddings as e join memory.memory_nodes as n"
        " using (being_id, text_hash) join memory.node_vectors as v"
        " on v.being_id = n.being_id and v.node_id = n.node_id and v.embedding_model = e.embedding_model"
    ),
    "a vector that is missing, or tells another state than its node's": """
        select format('node %s', n.node_id) as wrong
        from memory.memory_nodes as n
        left join memory.node_vectors as v using (being_id, node_id)
        where (v.living, v.standing)
            is distinct from (n.status <> 'dead', n.forgotten_at is null and n.absorbed_into is null)
    """,
}


def inconsistencies(store: Store) -> list[str]:
    """Check every invariant for every Being; returns a line for each violation."""
    with store.transaction() as tx:
        return list(_asked(tx))


def is_consistent(store: Store) -> bool:
    """Whether every invariant holds. It stops at the first that does not: tests poll it while work is under way."""
    with store.transaction() as tx:
        return next(_asked(tx), None) is None


def _asked(tx: Transaction) -> Iterator[str]:
    for wrong, question in QUESTIONS.items():
        for row in tx.execute(question):
            yield f"{wrong}: {row['wrong']}"
