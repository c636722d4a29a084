-- What players see of an app, and what they say about it -----------------------------------------------------------------

-- The operator has looked at who is behind it. A new name or picture ends that.
ALTER TABLE apps ADD COLUMN verified_at timestamptz;

CREATE TABLE app_pictures (
  app_id text PRIMARY KEY REFERENCES apps,
  png bytea NOT NULL CHECK (octet_length(png) BETWEEN 1 AND 8192),
  -- Names it in its address, which may be kept for ever.
  hash bytea NOT NULL GENERATED ALWAYS AS (sha256(png)) STORED
);

-- One of each player about a payment, and of each app no more open ones than anybody reads.
CREATE TABLE reports (
  id uuid PRIMARY KEY,
  app_id text NOT NULL REFERENCES apps,
  request_id uuid REFERENCES requests,
  user_id text NOT NULL REFERENCES users,
  reason text NOT NULL CHECK (reason IN ('wrong-payment', 'pretends', 'other')),
  text text NOT NULL CHECK (char_length(text) <= 500),
  created_at timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz,
  UNIQUE (request_id, user_id)
);
CREATE INDEX open_reports ON reports (app_id) WHERE resolved_at IS NULL;
CREATE INDEX resolved_reports ON reports (resolved_at) WHERE resolved_at IS NOT NULL;
