-- Rolls: an earlier release makes keys without a name, notes no use of one, and no field of a refused call.
-- What the developers call a server API key or a client secret, to recognise it. Empty: nothing.
ALTER TABLE app_keys ADD COLUMN name text COLLATE "C" NOT NULL DEFAULT '' CHECK (char_length(name) <= 60);
-- Stored at most once an hour. Null: no use of it is known.
ALTER TABLE app_keys ADD COLUMN last_used_at timestamptz;
-- The names of the fields that a refused call had wrong, never their values.
ALTER TABLE api_calls ADD COLUMN fields text COLLATE "C" CHECK (char_length(fields) <= 200);
