-- Rolls: 0042 has set the level of the next release already, so no earlier release meets these columns.

-- `known_block`: the last block that the restored database shares with the chain, as it was before anything was followed or accepted.
-- 0: not known, so a restore reads the whole chain. The row stays after the operator has accepted the loss, until a restore has found all.
ALTER TABLE suspension ADD COLUMN known_block bigint NOT NULL DEFAULT 0, ADD COLUMN accepted_at timestamptz;

-- How often this process was asked to read again what it keeps in memory, and up to which time it has.
ALTER TABLE processes ADD COLUMN asked bigint NOT NULL DEFAULT 0, ADD COLUMN taken_in bigint NOT NULL DEFAULT 0;
