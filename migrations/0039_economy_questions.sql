-- Rolls: earlier releases do not know the tables, and leave the columns as they are. Transactions that they send are counted later.

-- Of the players who have quarters, the richest 1 %: how many they are, and what they have together.
ALTER TABLE economy_days ADD COLUMN top_players bigint, ADD COLUMN top_quarters bigint;

-- Players whom an operator may want to look at, found by reading all of them once an hour. Each list has a limit.
CREATE TABLE economy_lists (
  name text PRIMARY KEY,
  taken_at timestamptz NOT NULL,
  content jsonb NOT NULL
);

-- What the relayers paid for gas, by the day (UTC) on which a transaction was signed.
CREATE TABLE gas_days (
  day date PRIMARY KEY,
  -- That are final on the chain, and how many of them did nothing.
  transactions bigint NOT NULL,
  reverted bigint NOT NULL,
  -- Completed transfers that they carried.
  transfers bigint NOT NULL,
  gas numeric NOT NULL,
  wei numeric NOT NULL,
  -- Transactions of which the node knew no receipt. They are in no other column.
  unknown bigint NOT NULL
);

-- Up to which nonce the transactions of each relayer are counted. Earlier ones would take a call of the node each, which may cost money.
CREATE TABLE gas_cursors (
  relayer text COLLATE "C" PRIMARY KEY,
  below bigint NOT NULL
);
INSERT INTO gas_cursors (relayer, below) SELECT address, next_nonce FROM relayers;
