-- Rolls: an earlier release reads and writes what it did, and shows balances of the hours in which it followed the chain. This one does not
-- write `balance_hours`, nor the quarters in `app_hours`: both are in `economy_flows`.

-- One app's figures read its own rows only.
CREATE INDEX economy_flows_by_app ON economy_flows (app_id, step, starts);

ALTER TABLE app_hours
  ALTER COLUMN received SET DEFAULT 0,
  ALTER COLUMN paid_out SET DEFAULT 0,
  ALTER COLUMN refunded SET DEFAULT 0;
