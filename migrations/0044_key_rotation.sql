-- Rolls: 0042 has set the level of the next release already, so no earlier release meets these tables.

-- While the master key is replaced, either key opens: `next_wrapped` is what the new one has wrapped.
-- A data key seals from `seals_since` on. Until then the processes only load it.
ALTER TABLE data_keys ADD COLUMN next_wrapped bytea, ADD COLUMN seals_since timestamptz;
UPDATE data_keys SET seals_since = created_at;
ALTER TABLE processes ADD COLUMN data_key integer;

-- `wrapped_at`: since when this master key wraps it.
ALTER TABLE seed ADD COLUMN next_wrapped bytea, ADD COLUMN wrapped_at timestamptz NOT NULL DEFAULT now();
UPDATE seed SET wrapped_at = created_at;

-- What operators said last of the copies that they keep.
CREATE TABLE kept_copies (
  copy text PRIMARY KEY CHECK (copy IN ('kit', 'backup')),
  said_at timestamptz NOT NULL
);

-- Accounts from before keys were derived. There are no new ones.
CREATE INDEX accounts_with_sealed_keys ON accounts (address) WHERE sealed_key IS NOT NULL;
