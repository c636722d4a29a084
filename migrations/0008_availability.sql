-- Closed accounts that can have received something since they were last swept. The column hardly ever changes, so that the index does not
-- stand in the way of the updates of balances.
ALTER TABLE accounts ADD COLUMN unswept boolean NOT NULL DEFAULT false;
UPDATE accounts SET unswept = true WHERE closed_at IS NOT NULL;
CREATE INDEX accounts_to_sweep ON accounts (address) WHERE unswept;

-- What reorganisations took from accounts and the chain may bring back.
CREATE TABLE orphaned_deposits (
  address text COLLATE "C" PRIMARY KEY,
  amount bigint NOT NULL CHECK (amount > 0),
  orphaned_at timestamptz NOT NULL DEFAULT now()
);

-- A row while nothing is decided: the database was found to be older than the chain, and the operator has not accepted it yet.
CREATE TABLE suspension (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  findings jsonb NOT NULL,
  since timestamptz NOT NULL DEFAULT now()
);
