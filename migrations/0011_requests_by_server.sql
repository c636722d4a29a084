-- A game's server asks its players for quarters, and approves under their standing approvals, with a server API key. Each needs a
-- scope of its own, and a key has it only with a cap a day (UTC).
ALTER TABLE app_keys
  ADD COLUMN ask_per_day bigint CHECK (ask_per_day > 0),
  ADD COLUMN asked_on date NOT NULL DEFAULT '-infinity',
  ADD COLUMN asked_today bigint NOT NULL DEFAULT 0 CHECK (asked_today >= 0),
  ADD COLUMN approve_per_day bigint CHECK (approve_per_day > 0),
  ADD COLUMN approved_on date NOT NULL DEFAULT '-infinity',
  ADD COLUMN approved_today bigint NOT NULL DEFAULT 0 CHECK (approved_today >= 0),
  ADD CONSTRAINT app_keys_ask_cap_check CHECK (('create-requests' = ANY (scopes)) = (ask_per_day IS NOT NULL)),
  ADD CONSTRAINT app_keys_approve_cap_check CHECK (('approve-requests' = ANY (scopes)) = (approve_per_day IS NOT NULL)),
  ALTER COLUMN scopes SET DEFAULT '{guests,pay}';

-- This scope opened nothing. The one that approves has another name, so that no key has it without being asked for.
UPDATE app_keys SET scopes = array_remove(scopes, 'auto-approve') WHERE 'auto-approve' = ANY (scopes);

-- How many requests of one app wait for a user is counted each time one more is made.
CREATE INDEX pending_requests_of_user ON requests (user_id, app_id, expires_at) WHERE status = 'pending';
