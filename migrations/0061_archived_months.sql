-- Rolls: 0042 has set the level of the next release already, so no earlier release meets this. One of this level reads archived rows as it
-- reads live ones.

-- Months whose rows have left the live tables. Tables that inherit from the live ones hold them: archived_transfers_2026_03 and so on.
CREATE TABLE archived_months (
  month date PRIMARY KEY CHECK (extract(day FROM month) = 1),
  -- Rows of later blocks are not in it.
  last_block bigint NOT NULL,
  began_at timestamptz NOT NULL DEFAULT now(),
  -- All that can leave the live tables has left; null before.
  moved_at timestamptz,
  requests bigint,
  transfers bigint,
  transactions bigint,
  postings bigint,
  -- It is being written to a file, and nothing may change in it.
  detaching_at timestamptz,
  -- It is in a file only.
  detached_at timestamptz,
  file text,
  sha256 bytea CHECK (octet_length(sha256) = 32),
  CHECK (num_nonnulls(detached_at, file, sha256) IN (0, 3)),
  CHECK (detached_at IS NULL OR moved_at IS NOT NULL)
);

-- What the postings of detached months add up to, by account. With the other postings they are the balances.
CREATE TABLE archived_balances (
  address text COLLATE "C" PRIMARY KEY,
  posted bigint NOT NULL
);

-- A payment of an archived month can be reported too.
ALTER TABLE reports DROP CONSTRAINT reports_request_id_fkey;
