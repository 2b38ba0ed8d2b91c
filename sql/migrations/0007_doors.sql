-- What opens the doors that are not any user's: metrics, and everybody's dead work. Made on the command line alone.
create table operator_tokens (
    token_id uuid primary key default uuidv7(),
    hash bytea not null unique,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
);
