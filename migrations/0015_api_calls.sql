-- The calls of each app's API, for its developers, for seven days. A row is written once, a moment after the call, and never changes. The
-- log may cost the calls nothing: so there is one index, no foreign key, and nothing locks anything else.
CREATE TABLE api_calls (
  app_id text COLLATE "C" NOT NULL,
  -- The call's request id. It is a UUIDv7: it holds the time at which the call began, and sorts by it.
  id uuid NOT NULL,
  milliseconds real NOT NULL,
  -- Null: the caller disconnected before the response.
  status smallint,
  method text NOT NULL,
  -- The pattern, never the path.
  route text NOT NULL,
  -- Of the refusal: a problem's code, or an error of OAuth.
  code text,
  -- Who called: the first 8 bytes of a server key's hash, or a user.
  key_id bytea,
  user_id text,
  -- The first 4 bytes of the SHA-256 of the Idempotency-Key.
  idempotency bytea,
  -- The request (payment) that the path or the response names.
  payment_id uuid,
  -- Newest first for one app, and its oldest rows to forget.
  PRIMARY KEY (app_id, id)
);

-- How many calls of each outcome an app had in an hour, exactly: also those that no row was kept of. They name nobody, and stay for 90 days.
CREATE TABLE api_call_hours (
  app_id text COLLATE "C" NOT NULL,
  hour timestamptz NOT NULL,
  -- 0: the caller disconnected before the response.
  status smallint NOT NULL,
  -- Empty: none.
  code text NOT NULL,
  calls bigint NOT NULL,
  PRIMARY KEY (app_id, hour, status, code)
) WITH (fillfactor = 70);
