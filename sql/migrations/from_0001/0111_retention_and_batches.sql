-- What retention reads by age: the counts of judgings, and events of facts that may be superseded.
create index judgements_by_age on judgements (judged_at);
create index fact_history_by_age on fact_history (happened_at) where event <> 'born';

-- When the provider was told to end the batch early, because it is late or a caller waits for the answers.
alter table provider_batches add column cancelled_at timestamptz;
