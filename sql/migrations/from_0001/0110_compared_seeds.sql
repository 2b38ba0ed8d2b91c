-- Seeds under a key that is known already are compared with what stands there, as what was said is: by a model, once there is one.

alter table fact_statements
    -- Whether it was compared with the other statements of its fact; false for a seed that waits for a model.
    add column compared boolean not null default true;
create index fact_statements_uncompared on fact_statements (user_id, fact_id) where not compared;
