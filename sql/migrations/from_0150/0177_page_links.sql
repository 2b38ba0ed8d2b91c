-- A link with which a browser logs in to the memory page once. Until it is used, `hash` is that of the link's secret;
-- then it becomes that of the session's, so the link is used up in the statement that begins the session.
alter table page_sessions add column link_used boolean;
comment on column page_sessions.link_used is
    'null: a login with a token. false: a link that was printed and waits. true: a login by a link.';
