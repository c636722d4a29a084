-- Rolls: 0042 has set the level of the next release already, so no earlier release meets this.

-- A code by mail lets a session that a password alone has opened add a passkey.
ALTER TABLE email_codes DROP CONSTRAINT email_codes_purpose_check,
  ADD CONSTRAINT email_codes_purpose_check CHECK (purpose IN ('sign-up', 'reset', 'change-old', 'change-new', 'passkey'));

-- SHA-256 of what the mail about a new passkey holds. It only removes this passkey. Null: there was no such mail.
ALTER TABLE passkeys ADD COLUMN stop_hash bytea UNIQUE CHECK (octet_length(stop_hash) = 32);
