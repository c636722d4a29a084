-- What the keys of accounts are derived from, wrapped by the master key. It is never changed, so every backup has it.
CREATE TABLE seed (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  wrapped bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The key of an account or a relayer is derived from its key id. Those from before keep their sealed keys.
ALTER TABLE accounts
  ADD COLUMN key_id bytea CHECK (length(key_id) = 16),
  DROP CONSTRAINT accounts_check2,
  ADD CONSTRAINT accounts_key CHECK (num_nonnulls(sealed_key, key_id) = (kind <> 'external')::integer);
ALTER TABLE relayers
  ADD COLUMN key_id bytea CHECK (length(key_id) = 16),
  ALTER COLUMN sealed_key DROP NOT NULL,
  ADD CONSTRAINT relayers_key CHECK (num_nonnulls(sealed_key, key_id) = 1);

-- An earlier release finds no key for the new accounts.
UPDATE compatibility SET level = 2;
