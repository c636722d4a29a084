-- Rolls: earlier releases do not read the table, and leave the column as it is.

-- What the last process wrote when it stopped in order, and into its data folder, too. A start that finds the same in both continues the
-- newest database. It is taken at each start, so an older copy of the database has another token, or none.
CREATE TABLE left_in_order (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  token uuid NOT NULL,
  left_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Whether the process knows its database to be the newest: it has compared it with the chain, or continues it.
ALTER TABLE processes ADD COLUMN compared boolean NOT NULL DEFAULT false;
