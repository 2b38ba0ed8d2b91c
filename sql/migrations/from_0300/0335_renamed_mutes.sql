-- rename_entities mutes what was renamed, once the facts are filed under their new names.
drop trigger if exists mute_renamed_entities on entity_aliases;
drop function if exists mute_renamed_entity();
