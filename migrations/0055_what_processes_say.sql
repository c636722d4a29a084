-- Rolls: 0042 has set the level of the next release already, so no earlier release meets this.

-- What a process says of its work, for `quarters health` and the pages of other processes.
ALTER TABLE processes ADD COLUMN said jsonb NOT NULL DEFAULT '{}';
