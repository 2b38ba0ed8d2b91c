-- What the Being said that it will do is kept beside the user's todos.

alter table todos drop constraint todos_kind_check;
alter table todos add constraint todos_kind_check
    check (kind in ('commitment', 'habit', 'thread', 'friction', 'promise'));
