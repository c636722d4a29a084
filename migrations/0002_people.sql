-- Full users ----------------------------------------------------------------------------------------------------------

-- A closed account keeps its row, for the ledger's sake, and nothing that says who it was.
ALTER TABLE users DROP CONSTRAINT users_kind_check, DROP CONSTRAINT users_check;
ALTER TABLE users
  ADD COLUMN became_full_at timestamptz,
  ADD COLUMN closed_at timestamptz,
  ADD CHECK (kind IN ('guest', 'full', 'closed')),
  ADD CHECK ((kind = 'full') = (email IS NOT NULL)),
  ADD CHECK ((kind = 'closed') = (closed_at IS NOT NULL)),
  ADD CHECK (kind <> 'guest' OR guest_of IS NOT NULL),
  ADD CHECK (char_length(email) <= 254);
-- "C": only A to Z are folded, as our program does; other collations take 'İ' for 'i', which would be somebody else's address.
CREATE UNIQUE INDEX users_by_email ON users (lower(email COLLATE "C"));

-- argon2id, as a PHC string.
CREATE TABLE passwords (
  user_id text PRIMARY KEY REFERENCES users,
  hash text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);

-- WebAuthn credentials; id as the authenticator names it, in base64url.
CREATE TABLE passkeys (
  id text PRIMARY KEY CHECK (char_length(id) <= 1400),
  user_id text NOT NULL REFERENCES users,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] NOT NULL DEFAULT '{}',
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- Each is answered once: the answer deletes it.
CREATE TABLE passkey_challenges (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  -- Null: to sign in, before it is known who.
  user_id text REFERENCES users,
  expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at);

-- Six digits sent by mail. What is stored tells nobody the digits (a MAC), and they may be guessed at a few times only.
CREATE TABLE email_codes (
  id uuid PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('sign-up', 'reset', 'change-old', 'change-new')),
  email text NOT NULL CHECK (char_length(email) <= 254),
  user_id text REFERENCES users,
  mac bytea NOT NULL CHECK (octet_length(mac) = 32),
  tries integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  spent_at timestamptz
);
CREATE INDEX email_codes_by_expiry ON email_codes (expires_at);

-- How often somebody has guessed, strict across processes. key: SHA-256 of what is guessed at and by whom.
CREATE TABLE guesses (
  key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
  count integer NOT NULL,
  resets_at timestamptz NOT NULL
);
CREATE INDEX guesses_by_reset ON guesses (resets_at);

-- Mails to send, sealed: they hold codes. A sent one is deleted.
CREATE TABLE mails (
  id uuid PRIMARY KEY,
  sealed bytea NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mails_to_send ON mails (next_attempt_at);

-- OAuth ---------------------------------------------------------------------------------------------------------------

-- The provider's artifacts (sessions, grants, codes, tokens, interactions). What opens a door is stored as its hash only.
CREATE TABLE oauth_records (
  model text NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  payload jsonb NOT NULL,
  grant_id text,
  user_id text REFERENCES users,
  client_id text REFERENCES apps,
  -- For sessions: the identifier that is not the cookie.
  uid text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  consumed_at timestamptz,
  PRIMARY KEY (model, hash)
);
CREATE INDEX oauth_records_by_grant ON oauth_records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_records_by_user ON oauth_records (user_id, client_id) WHERE user_id IS NOT NULL;
CREATE INDEX oauth_records_by_uid ON oauth_records (uid) WHERE uid IS NOT NULL;
-- Expired access tokens are kept for a while, everything else is deleted at once.
CREATE INDEX oauth_records_by_expiry ON oauth_records (expires_at) WHERE model <> 'AccessToken';
CREATE INDEX oauth_spent_refresh_tokens ON oauth_records (consumed_at) WHERE model = 'RefreshToken' AND consumed_at IS NOT NULL;
CREATE INDEX oauth_access_tokens_by_expiry ON oauth_records (expires_at) WHERE model = 'AccessToken';

-- What a user has let an app do.
CREATE TABLE consents (
  user_id text NOT NULL REFERENCES users,
  app_id text NOT NULL REFERENCES apps,
  scopes text[] NOT NULL,
  granted_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz,
  PRIMARY KEY (user_id, app_id)
);

-- Apps ----------------------------------------------------------------------------------------------------------------

ALTER TABLE apps
  -- Who registered it on the developer page; null: the operator.
  ADD COLUMN owner_id text REFERENCES users,
  -- Origins a result may be posted to; empty: those that may frame our pages.
  ADD COLUMN result_origins text[] NOT NULL DEFAULT '{}',
  -- A client that can keep no secret (RFC 6749, section 2.1): PKCE is required.
  ADD COLUMN public_client boolean NOT NULL DEFAULT false,
  ADD COLUMN auto_approve_requested_at timestamptz,
  -- When it was first enabled: approvals from before count as standing ones, later ones only where the player ticked so.
  ADD COLUMN auto_approve_since timestamptz;
-- Those that have it already: since when is not known, so from the beginning.
UPDATE apps SET auto_approve_since = created_at WHERE auto_approve;
CREATE INDEX apps_by_owner ON apps (owner_id) WHERE owner_id IS NOT NULL;

ALTER TABLE app_keys
  ADD COLUMN kind text NOT NULL DEFAULT 'server' CHECK (kind IN ('server', 'client')),
  -- The secret's last four characters, so that its owner can tell one from another.
  ADD COLUMN ending text NOT NULL DEFAULT '' CHECK (char_length(ending) <= 4),
  -- What a server API key may do; a client secret does one thing only.
  ADD COLUMN scopes text[] NOT NULL DEFAULT '{guests,pay,auto-approve}',
  -- The most quarters the key may pay out a day (UTC); null: no cap.
  ADD COLUMN pay_per_day bigint CHECK (pay_per_day > 0),
  ADD COLUMN paid_on date NOT NULL DEFAULT '-infinity',
  ADD COLUMN paid_today bigint NOT NULL DEFAULT 0 CHECK (paid_today >= 0);

-- Guests an app has made on a day (UTC).
CREATE TABLE guest_counts (
  app_id text NOT NULL REFERENCES apps,
  day date NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (app_id, day)
);

-- The ledger ------------------------------------------------------------------------------------------------------------

-- Closed with its user: whatever still arrives goes back to the treasury.
ALTER TABLE accounts ADD COLUMN closed_at timestamptz;
CREATE INDEX closed_accounts ON accounts (address) WHERE closed_at IS NOT NULL;

-- When we saw it, for people to read; the order of postings is that of their blocks. Null: before this column was there.
ALTER TABLE postings ADD COLUMN posted_at timestamptz;
ALTER TABLE postings ALTER COLUMN posted_at SET DEFAULT now();

-- Its block once more, where something moved and no app paid or was paid: only these are looked up by account, and all others,
-- which are far more, are in no index for it. A column of its own, so that nobody walks the index of all blocks to find them.
ALTER TABLE postings ADD COLUMN outside_block bigint;
UPDATE postings SET outside_block = block_number
 WHERE amount > 0
   AND NOT EXISTS (SELECT FROM accounts WHERE kind = 'app' AND address = from_address)
   AND NOT EXISTS (SELECT FROM accounts WHERE kind = 'app' AND address = to_address);
DROP INDEX postings_by_sender, postings_by_recipient;
CREATE INDEX outside_postings_by_sender ON postings (from_address, outside_block, log_index)
  WHERE outside_block IS NOT NULL;
CREATE INDEX outside_postings_by_recipient ON postings (to_address, outside_block, log_index)
  WHERE outside_block IS NOT NULL;
