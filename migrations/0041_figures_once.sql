-- An app's quarters and balances by hour are in `economy_flows`, and were counted twice more.
DROP TABLE balance_hours;
ALTER TABLE app_hours DROP COLUMN received, DROP COLUMN paid_out, DROP COLUMN refunded;

-- One app's figures read its own rows only.
CREATE INDEX economy_flows_by_app ON economy_flows (app_id, step, starts);

-- An earlier release writes what is dropped.
UPDATE compatibility SET level = 2;
