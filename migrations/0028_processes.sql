-- What each running process is, and which releases may run on this database together.

-- A process of before the first release does not say what it is, so nothing can be known to be safe beside it. One that was killed is
-- waited for: it is forgotten after five seconds.
DO $$
DECLARE
  began timestamptz := clock_timestamp();
BEGIN
  WHILE EXISTS (SELECT FROM processes WHERE abs(extract(epoch FROM clock_timestamp() - seen_at)) <= 5) LOOP
    IF EXISTS (SELECT FROM processes WHERE seen_at > began) THEN
      RAISE EXCEPTION 'An earlier version still runs on this database. Stop all of its processes, then start again. Nothing was changed.';
    END IF;
    PERFORM pg_sleep(0.2);
  END LOOP;
END $$;

-- The columns have no defaults, so a process of such a version cannot start here afterwards either.
DROP TABLE processes;
CREATE TABLE processes (
  id uuid PRIMARY KEY,
  -- By the database's clock. A process that was not seen for five seconds is dead.
  seen_at timestamptz NOT NULL,
  version text NOT NULL,
  compatibility integer NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  started_at timestamptz NOT NULL,
  -- Whether it takes its share of the relayers and limits: not while it starts, and not while it only changes the schema.
  working boolean NOT NULL
);

-- The level of these tables. Processes and commands of another level are refused. A migration after which earlier releases cannot
-- continue sets the next level. All other migrations roll: they are applied while earlier processes of the same level run.
CREATE TABLE compatibility (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  level integer NOT NULL
);
INSERT INTO compatibility (level) VALUES (1);
