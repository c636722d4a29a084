-- In development mode: the transfer that brings a new app its test quarters, until that transfer is accepted. Its id is chosen with the app,
-- so that the app gets them once, whenever that is tried.
ALTER TABLE apps ADD COLUMN test_transfer_id uuid;
CREATE INDEX apps_due_test_quarters ON apps (id) WHERE test_transfer_id IS NOT NULL;

-- Links that sign in the demo app's owner, in development mode. Only their hashes are stored.
CREATE TABLE sign_in_links (
  hash       bytea       PRIMARY KEY CHECK (octet_length(hash) = 32),
  user_id    text        NOT NULL REFERENCES users,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at);
