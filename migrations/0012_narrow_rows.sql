-- A transfer writes few narrow rows, which are updated in place (HOT): no B-tree index and no predicate of an index names a column that
-- changes on the way.
--
-- No foreign keys between the rows of a transfer: they are written together, never deleted, and each key costs a look-up a row.

-- An earlier version cannot work with these tables, and would keep the leases of the relayers. A process that ended in order has no row
-- here. One that was killed is waited for: it is forgotten after five seconds.
DO $$
DECLARE
  began timestamptz := clock_timestamp();
BEGIN
  WHILE EXISTS (SELECT FROM processes WHERE abs(extract(epoch FROM clock_timestamp() - seen_at)) <= 5) LOOP
    IF EXISTS (SELECT FROM processes WHERE seen_at > began) THEN
      RAISE EXCEPTION 'An earlier version still runs on this database. Stop all of its processes, then start again. Nothing was changed.';
    END IF;
    PERFORM pg_sleep(0.2);
  END LOOP;
END $$;

-- Renames: tables get the names that code and documents use.
ALTER TABLE guesses RENAME TO attempts;
ALTER TABLE attempts RENAME CONSTRAINT guesses_pkey TO attempts_pkey;
ALTER TABLE attempts RENAME CONSTRAINT guesses_key_check TO attempts_key_check;
ALTER INDEX guesses_by_reset RENAME TO attempts_by_reset;
ALTER TABLE guess_budgets RENAME TO attempt_budgets;
ALTER TABLE attempt_budgets RENAME CONSTRAINT guess_budgets_pkey TO attempt_budgets_pkey;
ALTER TABLE attempt_budgets RENAME CONSTRAINT guess_budgets_key_check TO attempt_budgets_key_check;
ALTER INDEX guess_budgets_by_forgetting RENAME TO attempt_budgets_by_forgetting;
ALTER TABLE standing_approvals RENAME TO mandates;
ALTER TABLE mandates RENAME CONSTRAINT standing_approvals_pkey TO mandates_pkey;
ALTER TABLE mandates RENAME CONSTRAINT standing_approvals_app_id_fkey TO mandates_app_id_fkey;
ALTER TABLE mandates RENAME CONSTRAINT standing_approvals_user_id_fkey TO mandates_user_id_fkey;
ALTER TABLE mandates RENAME CONSTRAINT standing_approvals_max_per_day_check TO mandates_max_per_day_check;
ALTER TABLE mandates RENAME CONSTRAINT standing_approvals_max_per_transfer_check TO mandates_max_per_transfer_check;
ALTER TABLE mandates RENAME CONSTRAINT standing_approvals_spent_today_check TO mandates_spent_today_check;

ALTER TABLE request_moves RENAME TO old_moves;
ALTER TABLE requests RENAME TO old_requests;
ALTER TABLE transfers RENAME TO old_transfers;
ALTER TABLE transactions RENAME TO old_transactions;
ALTER TABLE cargo RENAME TO old_cargo;
ALTER TABLE postings RENAME TO old_postings;
DROP INDEX pending_requests, pending_requests_of_user;
ALTER TABLE earned_rewards DROP CONSTRAINT earned_rewards_request_id_fkey;
ALTER TABLE reports DROP CONSTRAINT reports_request_id_fkey;
ALTER TABLE reward_claims DROP CONSTRAINT reward_claims_transfer_id_fkey;

-- A request keeps its transitions, each with its actor ('create app:…', 'complete chain'), and their times. `submit` is recorded with what
-- follows it; until then `broadcasts` shows it.
CREATE TABLE requests (
  id uuid NOT NULL,
  app_id text NOT NULL,
  user_id text NOT NULL,
  source text NOT NULL,
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  description text DEFAULT '' NOT NULL,
  created_at timestamptz DEFAULT now() NOT NULL,
  expires_at timestamptz NOT NULL,
  refund_of uuid,
  status text NOT NULL,
  sequence integer DEFAULT 0 NOT NULL,
  transitions text[] NOT NULL,
  transition_times timestamptz[] NOT NULL
) WITH (fillfactor = 45);
INSERT INTO requests
SELECT id, app_id, user_id, source, from_address, to_address, amount, description, created_at, expires_at, refund_of,
       status, sequence, coalesce(transitions, '{}'), coalesce(times, '{}')
  FROM old_requests LEFT JOIN (
    SELECT request_id AS id, array_agg(event || ' ' || actor ORDER BY id) AS transitions, array_agg(at ORDER BY id) AS times
      FROM old_moves GROUP BY request_id) AS moved USING (id)
 ORDER BY id;

-- Requests that wait for their user. A row goes with the decision.
CREATE TABLE pending_requests (
  request_id uuid PRIMARY KEY,
  user_id text NOT NULL,
  app_id text NOT NULL,
  expires_at timestamptz NOT NULL
);
INSERT INTO pending_requests SELECT id, user_id, app_id, expires_at FROM requests WHERE status = 'pending';
CREATE INDEX pending_requests_by_expiry ON pending_requests (expires_at);
CREATE INDEX pending_requests_by_user ON pending_requests (user_id, app_id, expires_at);

-- An accepted movement of quarters. `relayer` and `relayer_nonce` name the transaction that carries it now, `tx_hash` its newest attempt or,
-- once it is settled, the one on the chain. The nonce of its authorization is derived from its id.
CREATE TABLE transfers (
  id uuid NOT NULL,
  request_id uuid,
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  tx_hash bytea NOT NULL,
  relayer text COLLATE "C" NOT NULL,
  relayer_nonce bigint NOT NULL,
  created_at timestamptz DEFAULT now() NOT NULL,
  -- Its request has a second transfer: a reward pays a part.
  is_split boolean NOT NULL,
  status text NOT NULL,
  cancelling boolean DEFAULT false NOT NULL,
  decided_block bigint
) WITH (fillfactor = 45);
INSERT INTO transfers
SELECT old.id, old.request_id, from_address, to_address, amount, decode(substr(tx_hash, 3), 'hex'), carrier.relayer, carrier.nonce,
       old.created_at, coalesce(parts > 1, false), old.status, cancelling, decided_block
  FROM old_transfers AS old
  LEFT JOIN (SELECT request_id, count(*) AS parts FROM old_transfers GROUP BY request_id) AS siblings USING (request_id)
  -- The one that its hash names, or the newest, if somebody else submitted its authorization. A transfer without any stops the migration.
  LEFT JOIN LATERAL (
    SELECT relayer, nonce FROM old_cargo JOIN old_transactions USING (relayer, nonce)
     WHERE transfer_id = old.id ORDER BY hash = old.tx_hash DESC, old_transactions.created_at DESC LIMIT 1) AS carrier ON true
 ORDER BY old.id;

-- Transfers that are not settled, by the nonce of their authorization. A row goes with the log that settles its transfer.
CREATE TABLE open_transfers (
  authorization_nonce bytea PRIMARY KEY,
  transfer_id uuid NOT NULL,
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL
);
INSERT INTO open_transfers
SELECT decode(substr(authorization_nonce, 3), 'hex'), id, from_address, to_address FROM old_transfers WHERE decided_block IS NULL;

-- Every attempt's bytes. What a transaction carries belongs to (relayer, nonce): all attempts have the same payload. `mined_block` is set
-- only if no settled transfer names the transaction, or before this migration.
CREATE TABLE transactions (
  relayer text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  attempt integer NOT NULL,
  hash bytea NOT NULL,
  raw bytea NOT NULL,
  payload uuid[] NOT NULL,
  created_at timestamptz DEFAULT now() NOT NULL,
  mined_block bigint
);
INSERT INTO transactions
SELECT relayer, nonce, attempt, decode(substr(hash, 3), 'hex'), raw, coalesce(payload, '{}'), created_at, mined_block
  FROM old_transactions LEFT JOIN (
    SELECT relayer, nonce, array_agg(transfer_id ORDER BY transfer_id) AS payload FROM old_cargo GROUP BY relayer, nonce) AS carried
    USING (relayer, nonce)
 ORDER BY relayer, nonce, attempt;

-- Other transactions that have carried a transfer, or cancel it, besides the one that it names.
CREATE TABLE further_transactions (
  transfer_id uuid NOT NULL,
  relayer text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  PRIMARY KEY (transfer_id, relayer, nonce)
);
INSERT INTO further_transactions
SELECT transfer_id, cargo.relayer, nonce FROM old_cargo AS cargo JOIN transfers ON id = transfer_id
 WHERE (cargo.relayer, nonce) <> (transfers.relayer, relayer_nonce);

-- What a node has taken: a relayer's transactions with the nonces from `first_nonce` to below `below`.
CREATE TABLE broadcasts (
  relayer text COLLATE "C" NOT NULL,
  below bigint NOT NULL,
  first_nonce bigint NOT NULL,
  sent_at timestamptz DEFAULT clock_timestamp() NOT NULL,
  -- The last time that they were sent again.
  resent_at timestamptz,
  PRIMARY KEY (relayer, below)
);
-- Up to the first transaction that no node has taken.
INSERT INTO broadcasts (relayer, below, first_nonce, sent_at)
SELECT relayer, coalesce(min(nonce) FILTER (WHERE NOT is_taken), max(nonce) + 1) AS below, min(nonce), coalesce(max(sent_at), now())
  FROM (SELECT relayer, nonce, bool_or(status <> 'signed') AS is_taken, max(sent_at) AS sent_at
          FROM old_transactions GROUP BY relayer, nonce) AS nonces
 GROUP BY relayer HAVING coalesce(min(nonce) FILTER (WHERE NOT is_taken), max(nonce) + 1) > min(nonce);

-- The nonces of a relayer below `below` are used by the chain at this block. The newest row of a relayer says which of its transactions are
-- still open.
CREATE TABLE consumed_nonces (
  relayer text COLLATE "C" NOT NULL,
  block_number bigint NOT NULL,
  below bigint NOT NULL,
  PRIMARY KEY (relayer, block_number)
);
-- The lowest nonce that is open, or was mined in a later block; for each block that is kept, because a reorganisation goes back to any of them.
INSERT INTO consumed_nonces (relayer, block_number, below)
SELECT relayer, number, below
  FROM (SELECT address AS relayer, number, number = min(number) OVER () OR mined.nonce IS NOT NULL AS has_changed,
               least(coalesce(unmined.nonce, next_nonce), min(mined.nonce) OVER later) AS below
          FROM relayers CROSS JOIN blocks
          LEFT JOIN (SELECT relayer, min(nonce) AS nonce FROM old_transactions WHERE status IN ('signed', 'sent') GROUP BY relayer) AS unmined
                 ON unmined.relayer = address
          LEFT JOIN (SELECT relayer, mined_block, min(nonce) AS nonce FROM old_transactions GROUP BY relayer, mined_block) AS mined
                 ON mined.relayer = address AND mined_block = number
        WINDOW later AS (PARTITION BY address ORDER BY number DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS marks
 WHERE has_changed;

CREATE TABLE postings (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  block_hash bytea NOT NULL,
  tx_hash bytea NOT NULL,
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  posted_at timestamptz DEFAULT now(),
  outside_block bigint
);
INSERT INTO postings
SELECT block_number, log_index, decode(substr(block_hash, 3), 'hex'), decode(substr(tx_hash, 3), 'hex'), from_address, to_address, amount,
       posted_at, outside_block
  FROM old_postings ORDER BY block_number, log_index;

-- An event names its request, and what was true of it at that moment. `data` is that of other events, and of those before this migration.
ALTER TABLE events
  ALTER COLUMN data DROP NOT NULL,
  ADD COLUMN request_id uuid,
  ADD COLUMN tx_hash bytea,
  ADD COLUMN refunded bigint,
  ADD CONSTRAINT events_subject_check CHECK ((data IS NULL) = (request_id IS NOT NULL));

DROP TABLE old_moves, old_cargo, old_transfers, old_transactions, old_postings, old_requests;

ALTER TABLE requests
  ADD CONSTRAINT requests_pkey PRIMARY KEY (id),
  ADD CONSTRAINT requests_amount_check CHECK (amount >= 1 AND amount <= 9007199254740991),
  ADD CONSTRAINT requests_description_check CHECK (char_length(description) <= 280),
  ADD CONSTRAINT requests_refund_check CHECK ((source = 'refund') = (refund_of IS NOT NULL)),
  ADD CONSTRAINT requests_source_check CHECK (source IN ('user', 'payout', 'refund')),
  ADD CONSTRAINT requests_status_check
    CHECK (status IN ('pending', 'approved', 'submitted', 'completed', 'failed', 'declined', 'expired', 'cancelled')),
  ADD CONSTRAINT requests_transitions_check CHECK (cardinality(transitions) = cardinality(transition_times));
CREATE INDEX requests_by_app ON requests (app_id, id DESC);
CREATE INDEX requests_by_user ON requests (user_id, id DESC);
CREATE INDEX refunds ON requests (refund_of) WHERE refund_of IS NOT NULL;
ALTER TABLE transfers
  ADD CONSTRAINT transfers_pkey PRIMARY KEY (id),
  ADD CONSTRAINT transfers_amount_check CHECK (amount >= 1 AND amount <= 9007199254740991),
  ADD CONSTRAINT transfers_decided_check CHECK ((status IN ('completed', 'failed')) = (decided_block IS NOT NULL)),
  ADD CONSTRAINT transfers_status_check CHECK (status IN ('approved', 'submitted', 'completed', 'failed'));
CREATE INDEX transfers_by_request ON transfers (request_id) WHERE request_id IS NOT NULL;
-- Block ranges follow the order of the rows. An index of this kind does not stand in the way of HOT updates (PostgreSQL 16).
CREATE INDEX transfers_by_decided_block ON transfers USING brin (decided_block) WITH (pages_per_range = 32, autosummarize = on);
ALTER TABLE transactions ADD CONSTRAINT transactions_pkey PRIMARY KEY (relayer, nonce, attempt);
-- Nonces with several attempts.
CREATE INDEX further_attempts ON transactions (relayer, nonce) WHERE attempt > 0;
ALTER TABLE postings
  ADD CONSTRAINT postings_pkey PRIMARY KEY (block_number, log_index, block_hash),
  ADD CONSTRAINT postings_amount_check CHECK (amount >= 0);
CREATE INDEX outside_postings_by_recipient ON postings (to_address, outside_block, log_index) WHERE outside_block IS NOT NULL;
CREATE INDEX outside_postings_by_sender ON postings (from_address, outside_block, log_index) WHERE outside_block IS NOT NULL;
ALTER TABLE earned_rewards ADD CONSTRAINT earned_rewards_request_id_fkey FOREIGN KEY (request_id) REFERENCES requests (id);
ALTER TABLE reports ADD CONSTRAINT reports_request_id_fkey FOREIGN KEY (request_id) REFERENCES requests (id);
ALTER TABLE reward_claims ADD CONSTRAINT reward_claims_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES transfers (id);

-- Balances and answers are updated in place. The row of a key is small until it gets its answer.
ALTER TABLE accounts SET (fillfactor = 70);
ALTER TABLE idempotency_keys SET (fillfactor = 20);
