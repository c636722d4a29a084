-- Rolls: earlier releases do not know the tables, and what they refuse is not counted.

-- How many payments were refused, by day and month (UTC), app, what was asked for, and why. They name nobody.
CREATE TABLE refusal_counts (
  step text NOT NULL CHECK (step IN ('day', 'month')),
  starts date NOT NULL,
  app_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (step, starts, app_id, kind, code)
) WITH (fillfactor = 70);

-- Which payments of a player were refused lately, and why: the last time and how often, for each app, kind and reason. As in the log of
-- calls, there is no foreign key, so nothing locks anything else.
CREATE TABLE player_refusals (
  user_id text COLLATE "C" NOT NULL,
  app_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  times bigint NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, app_id, kind, code)
) WITH (fillfactor = 70);
CREATE INDEX player_refusals_by_time ON player_refusals (last_at);
