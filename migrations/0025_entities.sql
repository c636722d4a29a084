-- What the operator's pages look up.

-- The beginning of a player's name, in any letter case. Guests choose no name.
CREATE INDEX full_users_by_name ON users (lower(display_name) COLLATE "C", id) WHERE kind = 'full';
CREATE INDEX apps_by_name ON apps (lower(name) COLLATE "C", id);
CREATE INDEX apps_by_age ON apps (created_at, id);
CREATE INDEX reports_by_user ON reports (user_id, id);

-- What the last audit found, whichever process made it. One row.
CREATE TABLE last_audit (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  block bigint NOT NULL,
  accounts bigint NOT NULL,
  differences integer NOT NULL,
  overdrawn integer NOT NULL,
  seconds real NOT NULL,
  finished_at timestamptz NOT NULL DEFAULT now(),
  -- When an audit last found no difference.
  equal_at timestamptz
);
