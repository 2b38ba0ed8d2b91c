-- The order in which transactions take locks. A transaction that holds one of these waits only for locks further down, so
-- that no two transactions can wait for each other.
--
--    1  intake          An advisory lock for each Being: intake shares it, and an erasure of items holds it alone. For a
--                       room, whose intake holds it alone, before those of its Beings.
--    2  users           The user's row: writers share it (for key share), and erasing a Being or a user holds it alone.
--    2  model_calls     Calls of models that are under way, which are settled or, by a withdrawal, marked.
--    3  work            The ledger's row that is being finished, or that is reserved for a request.
--    4  session_states  The Being's talk: messages, sessions, summaries.
--    5  fact_states     The user's facts, with entities, evidence and seeds; a Being's todos.
--    6  erasure_keys    The key of the user's digests, which their first erasure makes.
--    7  beings          The Being's memory: nodes, clusters, notes, runs, persona, working memory.
--    8  vault scopes    Advisory locks for each scope of the vault, in the order of their keys.
--    9  rows            Rows of all other tables, under the lock above that guards their table; work that is requested.
--
-- Two kinds of advisory locks stand outside of the list: `limits` and `budget` (15_limits.sql, 25_calls/10_budgets.sql), which
-- only those transactions take that count rows of one kind before they add one, each at the same place of the same use case.
-- A transaction that holds the user's row alone may take the rest in any order: no other writes rows of this user.
-- Where a user has mutes, each of the locks 4, 5 and 7 is preceded by the talk (4) of all of the user's Beings, by their ids.
--
-- A transaction that finishes work which others request while they hold the talk (4) or the facts (5) takes that lock
-- before its own work row: `Store.finishing(first=...)` names the lock, and the comment there says which request it is for.
-- Statements with `skip locked` wait for nothing and may stand anywhere.
--
-- tests/processes/lock_trace.py records the locks that transactions take, and a test compares it with this list.

-- Shares the owner's user row. The first lock of a transaction that takes more than one: an erasure then waits for the
-- whole transaction before it locks anything, and the transaction's foreign keys wait for no erasure later.
create or replace function hold_owner(p_owner_id uuid) returns void language sql as $$
    select from memory.users
    where user_id = coalesce((select user_id from memory.beings where being_id = p_owner_id), p_owner_id)
    for key share;
$$;

-- Waits for all transactions that hold the user's row, and lets no other begin to write, until this one ends.
create or replace function hold_owner_alone(p_user_id uuid) returns void language sql as $$
    select from memory.users where user_id = p_user_id for update;
$$;
