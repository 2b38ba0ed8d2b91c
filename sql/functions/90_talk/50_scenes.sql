-- Scenes drawn from messages.
--
-- INVARIANT  No scene note outlives a message that it rests on. The other messages that it rests on lose their mark, so that
--            the next summary of their session draws from them again.
-- LOCK ORDER The Being's session state, then the Being: the caller has locked both.

-- Detaches the scene notes that rest on any of these messages, and unmarks all messages that they rest on, with the given
-- ones. Returns the notes, which the caller erases in the same transaction.
create or replace function detach_scenes(p_being_id uuid, p_message_ids uuid[]) returns table (note_id uuid)
language plpgsql as $$
declare
    v_notes constant uuid[] := array(
        select distinct s.note_id from memory.scene_messages as s
        where s.being_id = p_being_id and s.message_id = any(p_message_ids)
    );
begin
    update memory.messages as m
    set drawn = false
    where m.being_id = p_being_id and m.drawn and (
        m.message_id = any(p_message_ids)
        or m.message_id in (
            select s.message_id from memory.scene_messages as s
            where s.being_id = p_being_id and s.note_id = any(v_notes)
        )
    );
    delete from memory.scene_messages as s where s.being_id = p_being_id and s.note_id = any(v_notes);
    return query select unnest(v_notes);
end $$;
