-- The second secret of a login of the memory page is random, and told to the page alone: the cookie can't be used to derive
-- it. A page that is open must be loaded again.

alter table page_sessions add column request_secret uuid not null default gen_random_uuid();
