-- Sessions of the memory page in a browser. One row is one login with a token: the browser's cookie holds a secret of
-- which only the hash is stored. A session has the scopes of its token, and ends with it.
create table page_sessions (
    user_id uuid not null,
    session_id uuid not null default uuidv7(),
    token_id uuid not null,
    hash bytea not null unique,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    primary key (user_id, session_id),
    foreign key (user_id, token_id) references api_tokens on delete cascade
);
create index page_sessions_of_token on page_sessions (user_id, token_id);
