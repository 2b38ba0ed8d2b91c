-- One row marks material on which a model gave no valid answer: it is not asked about it again until the material changes,
-- the model does, a person has the work tried again, or the mark expires.
create table unanswered_questions (
    user_id uuid not null references users on delete cascade,
    being_id uuid references beings on delete cascade,
    owner_id uuid not null generated always as (coalesce(being_id, user_id)) stored,
    -- Of the question with all its material, and of the model's name.
    digest bytea not null,
    -- What was wrong with the last answer, in words that quote none of it.
    reason text not null,
    failed_at timestamptz not null default memory.now(),
    primary key (owner_id, digest)
);
create index unanswered_questions_by_age on unanswered_questions (failed_at);
