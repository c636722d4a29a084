-- What operators have done, in the console and on the command line, and what waits for a second person. One row is one action, whose id is
-- made with its form: an action with an id that is here already is the same action again.
-- params: canonical JSON, exactly what was asked for. params_hash: its SHA-256 together with the kind, which an approval names.
-- subject: what it concerns, such as `user:…`. amount: the quarters it moves or allows, null if none.
-- key_hash: of the key given on the command line. asked_by, decided_by: `user:…` or `shell:…`.
-- transfer_id: of an issue, chosen before anything is paid, so that a repetition pays once.
CREATE TABLE operator_actions (
  id          uuid        PRIMARY KEY,
  kind        text        NOT NULL,
  params      text        NOT NULL CHECK (length(params) <= 4000),
  params_hash bytea       NOT NULL CHECK (octet_length(params_hash) = 32),
  subject     text,
  amount      bigint      CHECK (amount > 0),
  reason      text        NOT NULL CHECK (length(reason) BETWEEN 1 AND 280),
  key_hash    bytea       CHECK (octet_length(key_hash) = 32),
  state       text        NOT NULL CHECK (state IN ('waiting', 'started', 'done', 'failed', 'refused')),
  asked_by    text        NOT NULL,
  asked_at    timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz CHECK (state <> 'waiting' OR expires_at IS NOT NULL),
  decided_by  text,
  decided_at  timestamptz,
  transfer_id uuid,
  result      jsonb
);
CREATE INDEX operator_actions_by_time ON operator_actions (asked_at, id);
CREATE INDEX operator_actions_open ON operator_actions (asked_at) WHERE state IN ('waiting', 'started');
CREATE INDEX operator_actions_by_subject ON operator_actions (subject, asked_at);
CREATE INDEX operator_actions_by_key ON operator_actions (key_hash) WHERE key_hash IS NOT NULL;
CREATE INDEX operator_actions_spent ON operator_actions (asked_by, asked_at) WHERE amount IS NOT NULL;

-- What an app's spending limits may be at most, below the operator's own settings. Null: these settings alone.
ALTER TABLE apps
  ADD COLUMN mandate_per_transfer bigint CHECK (mandate_per_transfer > 0),
  ADD COLUMN mandate_per_day      bigint CHECK (mandate_per_day > 0);
