-- What apps are told, and where they want to be told ----------------------------------------------------------------------

-- How many events there were about it: the next one's number. Counted in the move itself, under the row's lock.
ALTER TABLE requests ADD COLUMN sequence integer NOT NULL DEFAULT 0;

-- Added to a transaction's number, it orders events for ever: a database put back from a dump begins at small numbers again.
CREATE TABLE event_clock (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  lead bigint NOT NULL
);
INSERT INTO event_clock (lead) VALUES (0);

-- No foreign keys: events are written where money moves, and must wait for nobody.
CREATE TABLE events (
  -- Version 7: the oldest come first.
  id uuid PRIMARY KEY,
  app_id text NOT NULL,
  type text NOT NULL,
  -- Of the request, transfer or guest: 1, 2, 3 …
  sequence integer NOT NULL,
  -- As it was told, in the order of its fields.
  data json NOT NULL,
  -- The number of the transaction that wrote it, plus event_clock.lead.
  position bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX events_by_app ON events (app_id, position, id);

CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY,
  app_id text NOT NULL REFERENCES apps,
  url text NOT NULL CHECK (char_length(url) <= 2000),
  -- Null: all there are and will be.
  types text[],
  sealed_secret bytea NOT NULL,
  -- Signs as well until then.
  previous_sealed_secret bytea,
  previous_until timestamptz,
  -- When deliveries began to fail; null: the last one arrived.
  failing_since timestamptz,
  disabled_at timestamptz,
  -- By its owner, because it answered 410, because it failed for days.
  disabled_reason text CHECK (disabled_reason IN ('owner', 'gone', 'failing')),
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
  CHECK ((previous_sealed_secret IS NULL) = (previous_until IS NULL))
);
CREATE INDEX webhook_endpoints_by_app ON webhook_endpoints (app_id);

-- One event on its way to one endpoint. Written with the event, so that none is missed; no foreign key to the endpoint, so that
-- the writer takes no lock on it: what is left of a removed endpoint is taken by nobody, and goes with the event.
CREATE TABLE deliveries (
  event_id uuid NOT NULL REFERENCES events ON DELETE CASCADE,
  endpoint_id uuid NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  -- Null: over, delivered or given up. While one is under way: when another process may take it.
  next_attempt_at timestamptz DEFAULT now(),
  delivered_at timestamptz,
  last_status integer,
  last_error text,
  -- When it was last asked for; it is tried for three days from here.
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (event_id, endpoint_id),
  CHECK (delivered_at IS NULL OR next_attempt_at IS NULL)
);
CREATE INDEX deliveries_due ON deliveries (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, event_id DESC);
