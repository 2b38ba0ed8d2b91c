-- How often something of the user's was withdrawn: work that has read before that asks no model about it.
alter table users add column withdrawals bigint not null default 0;
-- The nodes that the prompt showed, once the response is retained: it goes when one of them is erased.
alter table model_responses add column shown_ids uuid[] not null default '{}';
