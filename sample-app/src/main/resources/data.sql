insert into account (id, balance) select 'alice', 1000 where not exists (select 1 from account where id = 'alice');
insert into account (id, balance) select 'bob', 1000 where not exists (select 1 from account where id = 'bob');
insert into account (id, balance) select 'carol', 1000 where not exists (select 1 from account where id = 'carol');
