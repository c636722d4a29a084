-- The figures of the whole economy. A job counts the postings of complete blocks into them, so payments write nothing more.

-- Up to where postings are counted: the last block with a posting. All rows below belong to exactly this state.
CREATE TABLE economy_cursor (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  block_number bigint,
  block_hash bytea,
  block_at timestamptz,
  -- The newest block of the ledger when everything up to it was counted the last time, and when that was.
  whole_block bigint,
  whole_at timestamptz,
  CHECK ((block_number IS NULL) = (block_hash IS NULL) AND (block_number IS NULL) = (block_at IS NULL))
);
INSERT INTO economy_cursor DEFAULT VALUES;

-- What moved between whom, by hour, day and month (UTC). `app_id` is empty if no app is a party.
CREATE TABLE economy_flows (
  step text NOT NULL CHECK (step IN ('hour', 'day', 'month')),
  starts timestamptz NOT NULL,
  app_id text NOT NULL,
  kind text NOT NULL,
  from_party text NOT NULL,
  to_party text NOT NULL,
  count bigint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (step, starts, app_id, kind, from_party, to_party)
);

-- How many payers were new in their day, week, month and year. Summed over a period, it is the number of its payers.
CREATE TABLE economy_new_payers (
  step text NOT NULL CHECK (step IN ('hour', 'day', 'month')),
  starts timestamptz NOT NULL,
  -- Empty: in all apps.
  app_id text NOT NULL,
  of_day bigint NOT NULL,
  of_week bigint NOT NULL,
  of_month bigint NOT NULL,
  of_year bigint NOT NULL,
  PRIMARY KEY (step, starts, app_id)
);

-- What each payer paid in the day, week, month and year of their last payment. No index names a column that changes.
CREATE TABLE economy_payers (
  app_id text COLLATE "C" NOT NULL,
  payer text COLLATE "C" NOT NULL,
  last_day date NOT NULL,
  day_count bigint NOT NULL,
  day_amount bigint NOT NULL,
  week_count bigint NOT NULL,
  week_amount bigint NOT NULL,
  month_count bigint NOT NULL,
  month_amount bigint NOT NULL,
  year_count bigint NOT NULL,
  year_amount bigint NOT NULL,
  PRIMARY KEY (app_id, payer)
) WITH (fillfactor = 70);

-- Who has paid the most in each period. Whoever is missing has paid less than the last.
CREATE TABLE economy_tops (
  period text NOT NULL CHECK (period IN ('day', 'week', 'month', 'year')),
  starts date NOT NULL,
  app_id text NOT NULL,
  payer text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (period, starts, app_id, payer)
) WITH (fillfactor = 50);

-- How to take back what was counted of blocks that a reorganisation can still reach: one row for each bite, the newest first.
CREATE TABLE economy_undo (
  block_number bigint PRIMARY KEY,
  -- The cursor before the bite.
  before_number bigint,
  before_hash bytea,
  before_at timestamptz,
  day date NOT NULL,
  -- Rows of flows and of new payers, as they were added.
  flows jsonb NOT NULL,
  new_payers jsonb NOT NULL,
  -- Rows of payers as they were before, in arrays; a null day: there was none.
  app_ids text[] NOT NULL,
  payers text[] NOT NULL,
  last_days date[] NOT NULL,
  day_counts bigint[] NOT NULL,
  day_amounts bigint[] NOT NULL,
  week_counts bigint[] NOT NULL,
  week_amounts bigint[] NOT NULL,
  month_counts bigint[] NOT NULL,
  month_amounts bigint[] NOT NULL,
  year_counts bigint[] NOT NULL,
  year_amounts bigint[] NOT NULL
);

-- These rows live for minutes, so compressing them costs more than it saves.
ALTER TABLE economy_undo
  ALTER COLUMN app_ids SET STORAGE EXTERNAL,
  ALTER COLUMN payers SET STORAGE EXTERNAL,
  ALTER COLUMN last_days SET STORAGE EXTERNAL,
  ALTER COLUMN day_counts SET STORAGE EXTERNAL,
  ALTER COLUMN day_amounts SET STORAGE EXTERNAL,
  ALTER COLUMN week_counts SET STORAGE EXTERNAL,
  ALTER COLUMN week_amounts SET STORAGE EXTERNAL,
  ALTER COLUMN month_counts SET STORAGE EXTERNAL,
  ALTER COLUMN month_amounts SET STORAGE EXTERNAL,
  ALTER COLUMN year_counts SET STORAGE EXTERNAL,
  ALTER COLUMN year_amounts SET STORAGE EXTERNAL;

-- What the accounts show at a moment and flows do not: holds, and how balances are distributed. The last of each day stays.
CREATE TABLE economy_days (
  day date PRIMARY KEY,
  taken_at timestamptz NOT NULL,
  treasury_held bigint NOT NULL,
  players_held bigint NOT NULL,
  apps_held bigint NOT NULL,
  -- How many players have at least this much, and less than the next: [{"from": 10, "accounts": 3, "quarters": 45}, …].
  distribution jsonb NOT NULL
);

-- To count who became a full user. It changes once in a user's life.
CREATE INDEX users_by_becoming_full ON users (became_full_at) WHERE became_full_at IS NOT NULL;
