-- The name of a chat completion's model is the client's: metrics, which outlive the user, have another.

alter table model_calls
    -- The model's name in metrics, if that is not `model`: one that the operator lists or prices, or `other`.
    add column metric_model text;
update model_calls set metric_model = 'other' where purpose = 'chat';

-- Which of the names the operator knows can't be told from here.
with named as (delete from model_call_totals where purpose = 'chat' returning *)
insert into model_call_totals
select purpose, 'other', outcome, paid_with, 0, sum(calls), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
    sum(cache_write_tokens), sum(cost)
from named
group by purpose, outcome, paid_with;
