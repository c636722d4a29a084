-- Rolls: an earlier release continues the batches that it knows. It cannot begin one, since it would not say how its rows are named, nor
-- continue a new one, whose hash is not that of the file.
-- A row of a file of payments is what it says, and no longer its line. So a corrected file continues its batch, and pays what was not paid.
ALTER TABLE pay_batches ADD COLUMN by_line boolean;
UPDATE pay_batches SET by_line = true;
ALTER TABLE pay_batches ALTER COLUMN by_line SET NOT NULL;
-- The rows that a batch has, or was to have, paid. The id of a row's transfer is derived from both columns of the key.
CREATE TABLE pay_batch_rows (
  batch_id uuid NOT NULL REFERENCES pay_batches,
  -- SHA-256 of what the row says: recipient, amount, note, and its count among equal rows.
  identity bytea NOT NULL CHECK (octet_length(identity) = 32),
  -- Null: nobody could be paid at that time.
  address text COLLATE "C",
  amount bigint NOT NULL CHECK (amount > 0),
  added_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (batch_id, identity)
);
CREATE INDEX pay_batch_rows_by_identity ON pay_batch_rows (identity);
