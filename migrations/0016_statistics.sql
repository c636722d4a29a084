-- What the console's overview shows. An app's events are counted by hour when somebody looks, so payments write nothing more.
CREATE TABLE app_hours (
  app_id text NOT NULL,
  hour timestamptz NOT NULL,
  approved integer NOT NULL,
  declined integer NOT NULL,
  expired integer NOT NULL,
  cancelled integer NOT NULL,
  failed integer NOT NULL,
  payments integer NOT NULL,
  received bigint NOT NULL,
  payouts integer NOT NULL,
  paid_out bigint NOT NULL,
  refunds integer NOT NULL,
  refunded bigint NOT NULL,
  PRIMARY KEY (app_id, hour)
);

-- How long completed payments took from their approval. A bucket is a quarter of a doubling, so hours add up.
CREATE TABLE app_hour_delays (
  app_id text NOT NULL,
  hour timestamptz NOT NULL,
  bucket smallint NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (app_id, hour, bucket)
);

-- To forget the oldest. No update changes an hour.
CREATE INDEX app_hours_by_hour ON app_hours (hour);
CREATE INDEX app_hour_delays_by_hour ON app_hour_delays (hour);

-- Up to which event an app is counted. Everything since `whole_since` is, if it is before `counted_until`.
CREATE TABLE app_counts (
  app_id text PRIMARY KEY,
  position bigint NOT NULL DEFAULT 0,
  event_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  counted_until timestamptz NOT NULL DEFAULT now(),
  whole_since timestamptz NOT NULL DEFAULT now() - interval '30 days'
);

-- The confirmed balance of each app's account at the end of the hours in which it changed.
CREATE TABLE balance_hours (
  address text COLLATE "C" NOT NULL,
  hour timestamptz NOT NULL,
  posted bigint NOT NULL,
  PRIMARY KEY (address, hour)
);
CREATE INDEX balance_hours_by_hour ON balance_hours (hour);

-- Postings older than their times count as the first.
INSERT INTO balance_hours (address, hour, posted)
SELECT address, hour, sum(change) OVER (PARTITION BY address ORDER BY hour)
  FROM (SELECT address, hour, sum(change) AS change
          FROM (SELECT to_address AS address, date_trunc('hour', coalesce(posted_at, 'epoch'), 'UTC') AS hour, amount AS change
                  FROM postings
                UNION ALL
                SELECT from_address, date_trunc('hour', coalesce(posted_at, 'epoch'), 'UTC'), -amount FROM postings) AS moved
          JOIN accounts USING (address) WHERE kind = 'app'
         GROUP BY address, hour) AS hours;
