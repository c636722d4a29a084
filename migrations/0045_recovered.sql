-- Accounts whose key was found again from the chain. Nobody owns them until somebody names them.
ALTER TABLE accounts
  DROP CONSTRAINT accounts_kind_check,
  ADD CONSTRAINT accounts_kind_check CHECK (kind IN ('user', 'app', 'treasury', 'external', 'recovered'));

-- What a restored database has learned from the nonces of authorizations: what was paid, or cancelled, that it had lost.
CREATE TABLE recovered_payments (
  what bytea PRIMARY KEY CHECK (length(what) = 16),
  -- Null: cancelled. Then nothing else may be named so.
  transfer_id uuid,
  -- When its block was made.
  decided_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX recovered_transfers ON recovered_payments (transfer_id);
CREATE INDEX recovered_cancellations ON recovered_payments (what) WHERE transfer_id IS NULL;

-- An earlier release has no such accounts.
UPDATE compatibility SET level = 2;
