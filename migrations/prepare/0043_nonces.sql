-- Column and check come together, so that an end in between leaves none without the other. The rows are checked while payments go on.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'transfers'::regclass AND attname = 'authorization_nonce') THEN
    ALTER TABLE transfers
      ADD COLUMN authorization_nonce bytea,
      ADD CONSTRAINT transfers_authorization_nonce_check CHECK (length(authorization_nonce) = 32) NOT VALID;
  END IF;
END $$;

ALTER TABLE transfers VALIDATE CONSTRAINT transfers_authorization_nonce_check;
