-- Rolls: earlier releases leave the column empty.
-- The block at which an audit last found ledger and chain equal: what differs now went wrong after it.
ALTER TABLE last_audit ADD COLUMN equal_block bigint;
