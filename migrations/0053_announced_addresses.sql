-- Rolls: 0042 has set the level of the next release already, so no earlier release meets this.

-- Null: the mails about the address, which `notices` names, wait to be delivered or given up. The 24 hours begin then.
ALTER TABLE withdrawal_addresses ALTER COLUMN usable_at DROP NOT NULL, ALTER COLUMN usable_at DROP DEFAULT,
  ADD COLUMN notices uuid[] NOT NULL DEFAULT '{}';
CREATE INDEX withdrawal_addresses_unannounced ON withdrawal_addresses (added_at) WHERE usable_at IS NULL;

-- The addresses that people had until 30 days ago get what a thief must not hide from them.
CREATE TABLE former_emails (
  user_id text NOT NULL REFERENCES users,
  email text NOT NULL CHECK (char_length(email) <= 254),
  left_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, email)
);
CREATE INDEX former_emails_by_end ON former_emails (left_at);
