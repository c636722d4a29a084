-- Forward only. Tables are plural: user, transaction and authorization are words of SQL.

-- Who ---------------------------------------------------------------------------------------------------------------

CREATE TABLE apps (
  id text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9]{20}$'),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 80),
  redirect_uris text[] NOT NULL DEFAULT '{}',
  frame_ancestors text[] NOT NULL DEFAULT '{}',
  auto_approve boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE app_keys (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  app_id text NOT NULL REFERENCES apps,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX app_keys_by_app ON app_keys (app_id);

CREATE TABLE users (
  id text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9]{28}$'),
  kind text NOT NULL CHECK (kind IN ('guest', 'full')),
  display_name text NOT NULL CHECK (char_length(display_name) BETWEEN 1 AND 80),
  email text,
  email_verified boolean NOT NULL DEFAULT false,
  guest_of text REFERENCES apps,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (kind = 'full' OR (guest_of IS NOT NULL AND email IS NULL))
);

-- A guest's two tokens: 'access' for the API, 'page' (firebase_token) for the approval page only.
CREATE TABLE guest_tokens (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  purpose text NOT NULL CHECK (purpose IN ('access', 'page')),
  user_id text NOT NULL REFERENCES users,
  app_id text NOT NULL REFERENCES apps,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX guest_tokens_by_user ON guest_tokens (user_id);

-- A user's word that an app may take up to a limit without asking. spent_today counts for the day in spent_on (UTC).
CREATE TABLE standing_approvals (
  user_id text NOT NULL REFERENCES users,
  app_id text NOT NULL REFERENCES apps,
  max_per_day bigint NOT NULL CHECK (max_per_day > 0),
  spent_on date NOT NULL DEFAULT '-infinity',
  spent_today bigint NOT NULL DEFAULT 0 CHECK (spent_today >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  PRIMARY KEY (user_id, app_id)
);

-- Secrets -----------------------------------------------------------------------------------------------------------

-- Data keys, wrapped by the master key; everything sealed names the data key it is sealed under.
CREATE TABLE data_keys (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  wrapped bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE signing_keys (
  kid text PRIMARY KEY,
  purpose text NOT NULL UNIQUE,
  sealed_key bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The ledger: a mirror of the token's Transfer logs, plus holds -------------------------------------------------------

-- posted: what the chain says. held: set aside for transfers on their way. No CHECK (posted >= held): when an orphaned
-- deposit was already spent, the difference is rightly negative, and a check would stop the follower for ever.
CREATE TABLE accounts (
  address text COLLATE "C" PRIMARY KEY CHECK (address ~ '^0x[0-9a-f]{40}$'),
  kind text NOT NULL CHECK (kind IN ('user', 'app', 'treasury', 'external')),
  user_id text UNIQUE REFERENCES users,
  app_id text UNIQUE REFERENCES apps,
  sealed_key bytea,
  posted bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((kind = 'user') = (user_id IS NOT NULL)),
  CHECK ((kind = 'app') = (app_id IS NOT NULL)),
  CHECK ((kind = 'external') = (sealed_key IS NULL)),
  CHECK (kind <> 'external' OR held = 0)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX one_treasury ON accounts (kind) WHERE kind = 'treasury';

-- One row is both entries of one Transfer log.
CREATE TABLE postings (
  block_hash text COLLATE "C" NOT NULL,
  log_index integer NOT NULL,
  block_number bigint NOT NULL,
  tx_hash text COLLATE "C" NOT NULL,
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (block_hash, log_index)
);
CREATE INDEX postings_by_block ON postings (block_number);
CREATE INDEX postings_by_sender ON postings (from_address, block_number);
CREATE INDEX postings_by_recipient ON postings (to_address, block_number);

-- The followed chain. The newest row is the cursor: its logs below next_log_index are posted.
CREATE TABLE blocks (
  number bigint PRIMARY KEY,
  hash text COLLATE "C" NOT NULL UNIQUE,
  parent_hash text COLLATE "C" NOT NULL,
  next_log_index integer NOT NULL,
  complete boolean NOT NULL
);

-- Which chain and contracts this database belongs to: one row.
CREATE TABLE chain (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  chain_id bigint NOT NULL,
  token text NOT NULL,
  settlement text NOT NULL,
  start_block bigint NOT NULL
);

-- Asking and moving ---------------------------------------------------------------------------------------------------

CREATE TABLE requests (
  id uuid PRIMARY KEY,
  app_id text NOT NULL REFERENCES apps,
  user_id text NOT NULL REFERENCES users,
  source text NOT NULL CHECK (source IN ('user', 'payout')),
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 9007199254740991),
  description text NOT NULL DEFAULT '' CHECK (char_length(description) <= 280),
  status text NOT NULL CHECK (status IN
    ('pending', 'approved', 'submitted', 'completed', 'failed', 'declined', 'expired', 'cancelled')),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX requests_by_app ON requests (app_id, id DESC);
CREATE INDEX requests_by_user ON requests (user_id, id DESC);
CREATE INDEX pending_requests ON requests (expires_at) WHERE status = 'pending';

CREATE TABLE request_moves (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id uuid NOT NULL,
  event text NOT NULL,
  from_status text,
  to_status text NOT NULL,
  actor text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX request_moves_by_request ON request_moves (request_id, id);

-- No foreign keys to accounts: they would take locks on the recipient in no particular order.
CREATE TABLE transfers (
  id uuid PRIMARY KEY,
  request_id uuid REFERENCES requests,
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 9007199254740991),
  status text NOT NULL CHECK (status IN ('approved', 'submitted', 'completed', 'failed')),
  authorization_nonce text COLLATE "C" NOT NULL UNIQUE,
  authorization_signature bytea NOT NULL CHECK (octet_length(authorization_signature) = 65),
  tx_hash text COLLATE "C" NOT NULL,
  -- The operator wants it cancelled: what is sent for it from then on is the cancellation.
  cancelling boolean NOT NULL DEFAULT false,
  -- The block whose log completed or failed it.
  decided_block bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((status IN ('completed', 'failed')) = (decided_block IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX transfers_by_request ON transfers (request_id);
CREATE INDEX transfers_by_decided_block ON transfers (decided_block) WHERE decided_block IS NOT NULL;
CREATE INDEX transfers_to_settle ON transfers (id) WHERE status IN ('approved', 'submitted');
CREATE INDEX transfers_on_their_way ON transfers (from_address) WHERE status IN ('approved', 'submitted');

-- Ethereum accounts whose nonces we take. 'settlement' relayers are leased by service processes, the 'operator' by a
-- command for as long as it signs.
CREATE TABLE relayers (
  address text COLLATE "C" PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('settlement', 'operator')),
  sealed_key bytea NOT NULL,
  next_nonce bigint NOT NULL DEFAULT 0,
  lease_holder uuid,
  lease_epoch bigint NOT NULL DEFAULT 0,
  lease_expires_at timestamptz NOT NULL DEFAULT '-infinity',
  created_at timestamptz NOT NULL DEFAULT now()
);

-- What a transaction carries belongs to (relayer, nonce); every attempt at that nonce carries the same.
CREATE TABLE transactions (
  hash text COLLATE "C" PRIMARY KEY,
  relayer text COLLATE "C" NOT NULL REFERENCES relayers,
  nonce bigint NOT NULL,
  attempt integer NOT NULL,
  raw bytea NOT NULL,
  status text NOT NULL CHECK (status IN ('signed', 'sent', 'mined', 'replaced')),
  mined_block bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz,
  UNIQUE (relayer, nonce, attempt),
  CHECK ((status = 'mined') = (mined_block IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX open_transactions ON transactions (relayer, nonce) WHERE status IN ('signed', 'sent');
CREATE INDEX transactions_by_mined_block ON transactions (mined_block) WHERE mined_block IS NOT NULL;

CREATE TABLE cargo (
  relayer text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  transfer_id uuid NOT NULL REFERENCES transfers,
  kind text NOT NULL DEFAULT 'pay' CHECK (kind IN ('pay', 'cancel')),
  PRIMARY KEY (relayer, nonce, transfer_id)
);
CREATE INDEX cargo_by_transfer ON cargo (transfer_id);

-- Answers to calls with an Idempotency-Key, for 24 hours. Written in the transaction of the effect; a refusal leaves none.
CREATE TABLE idempotency_keys (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  body_hash bytea NOT NULL CHECK (octet_length(body_hash) = 32),
  answer jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Service processes that are alive, to share the relayers fairly.
CREATE TABLE processes (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL
);

CREATE TABLE rewards (
  id uuid PRIMARY KEY,
  user_id text NOT NULL REFERENCES users,
  amount bigint NOT NULL CHECK (amount > 0),
  granted_at timestamptz NOT NULL DEFAULT now(),
  claimed_by uuid REFERENCES transfers
);
CREATE INDEX unclaimed_rewards ON rewards (user_id) WHERE claimed_by IS NULL;
