-- Answers of requests with an Idempotency-Key, so that a repeated request is applied once and answered alike.
--
-- `digest` and `answer` are made with keys derived from the caller's access token and the Idempotency-Key, which the
-- database does not have: a row tells neither, and shows no content.

create table request_answers (
    user_id uuid not null references users on delete cascade,
    digest bytea not null,
    request bytea not null,
    answer bytea not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (user_id, digest)
);
create index request_answers_by_age on request_answers (created_at);
