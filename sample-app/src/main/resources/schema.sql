create table if not exists account (
  id varchar(50) primary key,
  balance bigint not null check (balance >= 0)
);

create table if not exists transfer (
  id bigint generated always as identity primary key,
  from_account varchar(50) not null references account,
  to_account varchar(50) not null references account,
  amount bigint not null,
  -- The fencing tokens of the two locks: they rise with the id.
  from_token bigint not null,
  to_token bigint not null
);
