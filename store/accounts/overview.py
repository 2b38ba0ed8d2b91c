"""The numbers of one Being's memory."""

from schemas.accounts.accounts import Being
from schemas.accounts.overview import Overview
from store.transaction import Transaction


def overview(tx: Transaction, being: Being) -> Overview:
    """Count a Being's memories, facts and messages, and its waiting work, in one statement."""
    return tx.one(
        Overview,
        """
        select
            notes.pending as notes_pending,
            notes.failed as notes_failed,
            nodes.active as nodes_active,
            nodes.dying as nodes_dying,
            nodes.dead as nodes_dead,
            nodes.topics,
            %(patrols)s::bigint as patrols,
            run.state as last_patrol,
            run.created_at as last_patrol_at,
            talk.messages,
            talk.unjudged as messages_unjudged,
            sessions.waits_for_key,
            sessions.sessions,
            talk.last_at as last_message_at,
            (
                select count(*)
                from memory.facts
                where user_id = %(user)s and content <> '' and status = 'ACTIVE'
                    and (being_id = %(being)s or being_id is null)
            ) as facts,
            (select count(*) from memory.todos where being_id = %(being)s and status = 'OPEN') as todos,
            (select max(day) from memory.diary where being_id = %(being)s) as diary_day,
            (
                select count(*)
                from (
                    select distinct on (being_id, id) deleted_at
                    from memory.vault_records
                    where user_id = %(user)s and (being_id = %(being)s or being_id is null)
                    order by being_id, id, version desc
                ) as newest
                where deleted_at is null
            ) as vault_records,
            (
                select coalesce(sum(c.cost), 0)
                from memory.model_calls as c
                join memory.users as u using (user_id)
                where c.owner_id = %(being)s and c.day = (memory.now() at time zone u.time_zone)::date
            ) as cost_today,
            (
                select count(*)
                from memory.work
                where owner_id = any(array[%(being)s, %(user)s]::uuid[]) and state = 'dead'
            ) as work_dead
        from
            (
                select
                    count(*) filter (where state in ('pending', 'stamped')) as pending,
                    count(*) filter (where state in ('parse_failed', 'embed_failed')) as failed
                from memory.notes
                where being_id = %(being)s
            ) as notes,
            (
                select
                    coalesce(sum(active_nodes), 0)::bigint as active,
                    coalesce(sum(dying_nodes), 0)::bigint as dying,
                    coalesce(sum(nodes - active_nodes - dying_nodes), 0)::bigint as dead,
                    count(*) filter (where not is_parent) as topics
                from memory.clusters
                where being_id = %(being)s and removed_at is null
            ) as nodes,
            (
                select
                    count(*) as messages,
                    count(*) filter (where not judged and role = 'user') as unjudged,
                    max(created_at) as last_at
                from memory.messages
                where being_id = %(being)s
            ) as talk,
            (
                select count(*) as sessions, coalesce(bool_or(waits_for_key), false) as waits_for_key
                from memory.sessions
                where being_id = %(being)s
            ) as sessions
        left join lateral (
            select state, created_at
            from memory.patrol_runs
            where being_id = %(being)s
            order by run_id desc
            limit 1
        ) as run on true
        """,
        {"being": being.being_id, "user": being.user_id, "patrols": being.patrol_counter},
    )
