-- What the operator has stopped. frozen_at: nothing is paid from this account: a frozen user's, or a suspended app's. frozen_reason is the
-- operator's note, which no player and no developer sees. Accepting locks the payer's row, so it reads frozen_at for nothing.
-- No index names these columns, so accounts are still updated in place.
ALTER TABLE accounts
  ADD COLUMN frozen_at timestamptz,
  ADD COLUMN frozen_reason text;
-- Of an app: its keys and tokens do nothing. It is set and cleared together with frozen_at of the app's account.
ALTER TABLE apps ADD COLUMN suspended_at timestamptz;
