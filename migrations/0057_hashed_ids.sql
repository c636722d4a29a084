-- Rolls: 0042 has set the level of the next release already, so no earlier release meets this.

-- Keyed hashes of the ids that a refused call has named, 8 hexadecimal digits each, so that its log says which one was not found.
ALTER TABLE api_calls ADD COLUMN about text COLLATE "C" CHECK (char_length(about) <= 100);
