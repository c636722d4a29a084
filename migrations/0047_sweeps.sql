-- Rolls: 0042 has set the level of the next release already, so no earlier release meets these rows.

-- `swept`: an address that an account has left for a new one, `merged_into`, because its key was known to somebody else.
ALTER TABLE accounts
  DROP CONSTRAINT accounts_kind_check,
  ADD CONSTRAINT accounts_kind_check CHECK (kind IN ('user', 'app', 'treasury', 'external', 'recovered', 'swept')),
  ADD CONSTRAINT accounts_swept CHECK (kind <> 'swept' OR merged_into IS NOT NULL);
CREATE INDEX swept_accounts ON accounts (merged_into) WHERE kind = 'swept';

-- `retired`: a relayer from before a sweep. It sends what it has signed, and signs nothing new.
ALTER TABLE relayers
  DROP CONSTRAINT relayers_purpose_check,
  ADD CONSTRAINT relayers_purpose_check CHECK (purpose IN ('settlement', 'operator', 'retired'));

-- Each time all accounts got new keys. Until the quarters of the last time have moved, no payment is accepted.
CREATE TABLE sweeps (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  began_at timestamptz NOT NULL DEFAULT now(),
  -- The last posted block then. What left an old address later was moved.
  block_number bigint NOT NULL,
  accounts bigint NOT NULL,
  quarters bigint NOT NULL,
  finished_at timestamptz
);
CREATE UNIQUE INDEX one_open_sweep ON sweeps ((true)) WHERE finished_at IS NULL;
