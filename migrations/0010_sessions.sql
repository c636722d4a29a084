-- Sessions end when they are not used for a while, and their owner tells one from another.
ALTER TABLE oauth_records
  -- For sessions: when it was last used, to within a few minutes. Null: since it was made.
  ADD COLUMN used_at timestamptz,
  -- For sessions: browser and system in words, as somebody signed in. Null: not known.
  ADD COLUMN browser text;
-- When they were last used is not known: their time begins now.
UPDATE oauth_records SET used_at = now() WHERE model = 'Session' AND user_id IS NOT NULL;
