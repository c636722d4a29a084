-- Rolls: an earlier release keeps to what a player chose until that player approves a payment on its page, which states the operator's limits.
-- What a player allows an app to take without asking, below the operator's limits. Null: as much as those.
ALTER TABLE mandates ADD COLUMN own_per_transfer bigint CHECK (own_per_transfer > 0);
ALTER TABLE mandates ADD COLUMN own_per_day bigint CHECK (own_per_day > 0);
