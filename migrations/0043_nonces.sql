-- The nonce of the authorization (ERC-3009): it names what is paid, and whom. Null: a transfer from before, whose nonce is derived from its id.
ALTER TABLE transfers ADD COLUMN IF NOT EXISTS authorization_nonce bytea CHECK (length(authorization_nonce) = 32);
-- If it was prepared, but not to its end.
ALTER TABLE transfers VALIDATE CONSTRAINT transfers_authorization_nonce_check;

-- An earlier release would derive other nonces.
UPDATE compatibility SET level = 2;
