-- Answers to questions about something that was withdrawn while the model answered are not stored.
alter table model_calls add column answer_unwanted boolean not null default false;
create index model_calls_under_way on model_calls (user_id) where outcome = 'unknown';
