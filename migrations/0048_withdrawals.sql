-- Rolls: earlier releases do not read these tables.

-- Where a player may send quarters outside. An address goes with the passkey that confirmed it.
CREATE TABLE withdrawal_addresses (
  user_id text NOT NULL REFERENCES users (id),
  address text COLLATE "C" NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  passkey_id text NOT NULL REFERENCES passkeys (id) ON DELETE CASCADE,
  added_at timestamptz NOT NULL DEFAULT now(),
  usable_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
  stopped_at timestamptz,
  -- SHA-256 of what the mailed link holds. It only stops this address.
  stop_hash bytea NOT NULL UNIQUE CHECK (octet_length(stop_hash) = 32),
  stop_until timestamptz NOT NULL DEFAULT now() + interval '30 days',
  PRIMARY KEY (user_id, address)
);
CREATE INDEX withdrawal_addresses_by_passkey ON withdrawal_addresses (passkey_id);

-- What was accepted in the last 24 hours, for the limits of a day. The transfer itself is in transfers.
CREATE TABLE withdrawals (
  transfer_id uuid PRIMARY KEY,
  user_id text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  accepted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX withdrawals_by_time ON withdrawals (accepted_at);
