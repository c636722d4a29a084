-- Files of payments that the operator paid with `quarters pay`. The id of each row's transfer is derived from the batch and the row's
-- place, so a row is paid once for ever, however often the file is run. The rows themselves are in the file.
CREATE TABLE pay_batches (
  id uuid PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 100),
  -- SHA-256 of the file: another file under the same name is refused.
  file_hash bytea NOT NULL CHECK (octet_length(file_hash) = 32),
  -- The app whose account pays; null: the treasury.
  app_id text REFERENCES apps,
  row_count integer NOT NULL CHECK (row_count > 0),
  quarters bigint NOT NULL CHECK (quarters BETWEEN 1 AND 9007199254740991),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX pay_batches_by_file ON pay_batches (file_hash);
