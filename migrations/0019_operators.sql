-- Full users who run the currency at /operator. Their passkey is required there.
CREATE TABLE operators (
  user_id text PRIMARY KEY REFERENCES users (id),
  added_at timestamptz NOT NULL DEFAULT now()
);
