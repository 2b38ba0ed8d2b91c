-- The span in which a unit of work was requested last (W3C Trace Context), where processes keep traces.
alter table memory.work add column trace text check (trace ~ '^[0-9a-f-]+$');
