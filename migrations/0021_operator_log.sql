-- The operator's log (docs/operate/log.md): every change that an operator made, and every change of a credential. An entry is stored in the
-- transaction of its change, without a place. A loop then gives it the next sequence number and a hash that covers all entries before it.
-- So no change waits for another, and the sequence has no gaps.
CREATE TABLE operator_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The text that is hashed. A column of type json keeps it byte for byte.
  entry json NOT NULL CHECK (octet_length(entry::text) <= 16384),
  sequence bigint UNIQUE CHECK (sequence > 0),
  hash bytea CHECK (octet_length(hash) = 32),
  -- Read from the entry, so that what is searched is what was hashed.
  at text COLLATE "C" NOT NULL GENERATED ALWAYS AS (entry ->> 'at') STORED,
  action text COLLATE "C" NOT NULL GENERATED ALWAYS AS (entry ->> 'action') STORED,
  actor text COLLATE "C" NOT NULL GENERATED ALWAYS AS (entry #>> '{actor,id}') STORED,
  subject text COLLATE "C" NOT NULL GENERATED ALWAYS AS (entry #>> '{subject,id}') STORED,
  CONSTRAINT operator_log_chained_check CHECK ((sequence IS NULL) = (hash IS NULL))
);
CREATE INDEX operator_log_unchained ON operator_log (id) WHERE sequence IS NULL;
CREATE INDEX operator_log_by_action ON operator_log (action, sequence);
CREATE INDEX operator_log_by_actor ON operator_log (actor, sequence);
CREATE INDEX operator_log_by_subject ON operator_log (subject, sequence);
CREATE INDEX operator_log_by_time ON operator_log (at);

-- Whom a pseudonym in the log stands for: a user, or an address that calls came from (of a user, or with an empty user of nobody known).
-- Closing an account deletes the user's rows, and the log then names nobody. A user may have several pseudonyms.
CREATE TABLE operator_log_names (
  name text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL,
  client text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (user_id <> '' OR client <> '')
);
CREATE INDEX operator_log_names_by_user ON operator_log_names (user_id, client);

-- The notes of operators, of which entries hold only a salted hash. Closing an account deletes the notes about its user.
CREATE TABLE operator_log_reasons (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  salt bytea NOT NULL,
  reason text NOT NULL CHECK (char_length(reason) <= 1000),
  -- Whom the note is about; empty: no user.
  user_id text COLLATE "C" NOT NULL
);
CREATE INDEX operator_log_reasons_by_user ON operator_log_reasons (user_id) WHERE user_id <> '';

-- Where the log was cut off by pruning. `signature` is a compact JWS over the sequence and hash of the last entry that was deleted.
CREATE TABLE operator_log_checkpoints (
  sequence bigint PRIMARY KEY CHECK (sequence > 0),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  signature text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The last verification, and when a signed head was last written to the service's log.
CREATE TABLE operator_log_checks (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  checked_at timestamptz,
  -- The newest entry at that time.
  sequence bigint,
  -- The first wrong entry and what is wrong with it; null: none.
  wrong_sequence bigint,
  fault text,
  head_written_at timestamptz
);
INSERT INTO operator_log_checks DEFAULT VALUES;

-- Entries come without a place, get one once, and never change. They go only up to a checkpoint.
CREATE FUNCTION guard_operator_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.sequence IS NULL THEN
    RETURN NEW;
  ELSIF TG_OP = 'UPDATE' AND OLD.sequence IS NULL AND NEW.sequence IS NOT NULL AND NEW.id = OLD.id
    AND NEW.entry::text = OLD.entry::text THEN
    RETURN NEW;
  ELSIF TG_OP = 'DELETE' AND OLD.sequence <= (SELECT max(sequence) FROM operator_log_checkpoints) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the operator''s log can only be added to' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER operator_log_guard BEFORE INSERT OR UPDATE OR DELETE ON operator_log
  FOR EACH ROW EXECUTE FUNCTION guard_operator_log();

-- A checkpoint repeats the hash of an entry, and stays.
CREATE FUNCTION guard_operator_log_checkpoints() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.hash = (SELECT hash FROM operator_log WHERE sequence = NEW.sequence) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a checkpoint belongs to an entry and does not change' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER operator_log_checkpoints_guard BEFORE INSERT OR UPDATE OR DELETE ON operator_log_checkpoints
  FOR EACH ROW EXECUTE FUNCTION guard_operator_log_checkpoints();

-- What a pseudonym or a note says can be forgotten, but not changed. No table is emptied at once.
CREATE FUNCTION refuse_change_of_operator_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the operator''s log can only be added to' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER operator_log_names_guard BEFORE UPDATE ON operator_log_names
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_operator_log();
CREATE TRIGGER operator_log_reasons_guard BEFORE UPDATE ON operator_log_reasons
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_operator_log();
CREATE TRIGGER operator_log_truncate_guard BEFORE TRUNCATE ON operator_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_operator_log();
CREATE TRIGGER operator_log_checkpoints_truncate_guard BEFORE TRUNCATE ON operator_log_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_operator_log();
