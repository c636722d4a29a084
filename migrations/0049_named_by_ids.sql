-- Rolls: 0042 has set the level of the next release already, so no earlier release meets the new ids.

-- What was recovered names its request, but not always somebody who is known: these payments wait until both of their parties are.
-- The accounts of the player and of the app, whichever of them has paid; of a reward's part, the player for whom the treasury paid.
ALTER TABLE recovered_payments
  ADD COLUMN one_party text COLLATE "C",
  ADD COLUMN other_party text COLLATE "C";
CREATE INDEX unnamed_payments ON recovered_payments (one_party) WHERE one_party IS NOT NULL;
CREATE INDEX unnamed_payments_of_other ON recovered_payments (other_party) WHERE other_party IS NOT NULL;

-- Ids that follow from keys say on which day they were made. Lists go by the time.
DROP INDEX requests_by_app, requests_by_user;
ALTER INDEX IF EXISTS prepared_requests_by_app RENAME TO requests_by_app;
ALTER INDEX IF EXISTS prepared_requests_by_user RENAME TO requests_by_user;
ALTER INDEX IF EXISTS prepared_transfers_by_time RENAME TO transfers_by_time;
CREATE INDEX IF NOT EXISTS requests_by_app ON requests (app_id, created_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS requests_by_user ON requests (user_id, created_at DESC, id DESC);
CREATE INDEX IF NOT EXISTS transfers_by_time ON transfers (created_at, id);

-- How long a transfer has been on its way. Its id does not say it any more.
ALTER TABLE open_transfers ADD COLUMN accepted_at timestamptz NOT NULL DEFAULT now();

-- Rows that one transaction inserts have an order, too.
ALTER TABLE requests ALTER COLUMN created_at SET DEFAULT clock_timestamp();
ALTER TABLE transfers ALTER COLUMN created_at SET DEFAULT clock_timestamp();
