-- Generated from migrations/ by scripts/dump-schema.ts. Do not edit.

CREATE TABLE accounts (
  address text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  user_id text,
  app_id text,
  sealed_key bytea,
  posted bigint DEFAULT 0 NOT NULL,
  held bigint DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  closed_at timestamp with time zone,
  unswept boolean DEFAULT false NOT NULL,
  frozen_at timestamp with time zone,
  frozen_reason text,
  merged_into text COLLATE "C",
  merged_at timestamp with time zone,
  unmoved boolean DEFAULT false NOT NULL,
  key_id bytea,
  CONSTRAINT accounts_pkey PRIMARY KEY (address),
  CONSTRAINT accounts_app_id_key UNIQUE (app_id),
  CONSTRAINT accounts_user_id_key UNIQUE (user_id),
  CONSTRAINT accounts_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT accounts_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT accounts_check CHECK (((kind = 'user'::text) = (user_id IS NOT NULL))),
  CONSTRAINT accounts_check1 CHECK (((kind = 'app'::text) = (app_id IS NOT NULL))),
  CONSTRAINT accounts_check3 CHECK (((kind <> 'external'::text) OR (held = 0))),
  CONSTRAINT accounts_held_check CHECK ((held >= 0)),
  CONSTRAINT accounts_key CHECK ((num_nonnulls(sealed_key, key_id) = ((kind <> 'external'::text))::integer)),
  CONSTRAINT accounts_key_id_check CHECK ((length(key_id) = 16)),
  CONSTRAINT accounts_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'app'::text, 'treasury'::text, 'external'::text, 'recovered'::text, 'swept'::text]))),
  CONSTRAINT accounts_swept CHECK (((kind <> 'swept'::text) OR (merged_into IS NOT NULL)))
) WITH (fillfactor=70);
CREATE INDEX accounts_to_move ON accounts USING btree (address) WHERE unmoved;
CREATE INDEX accounts_to_sweep ON accounts USING btree (address) WHERE unswept;
CREATE INDEX accounts_with_sealed_keys ON accounts USING btree (address) WHERE (sealed_key IS NOT NULL);
CREATE INDEX closed_accounts ON accounts USING btree (address) WHERE (closed_at IS NOT NULL);
CREATE INDEX merged_accounts ON accounts USING btree (address) WHERE (merged_at IS NOT NULL);
CREATE UNIQUE INDEX one_treasury ON accounts USING btree (kind) WHERE (kind = 'treasury'::text);
CREATE INDEX swept_accounts ON accounts USING btree (merged_into) WHERE (kind = 'swept'::text);

CREATE TABLE api_call_hours (
  app_id text COLLATE "C" NOT NULL,
  hour timestamp with time zone NOT NULL,
  status smallint NOT NULL,
  code text NOT NULL,
  calls bigint NOT NULL,
  CONSTRAINT api_call_hours_pkey PRIMARY KEY (app_id, hour, status, code)
) WITH (fillfactor=70);

CREATE TABLE api_calls (
  app_id text COLLATE "C" NOT NULL,
  id uuid NOT NULL,
  milliseconds real NOT NULL,
  status smallint,
  method text NOT NULL,
  route text NOT NULL,
  code text,
  key_id bytea,
  user_id text,
  idempotency bytea,
  payment_id uuid,
  fields text COLLATE "C",
  about text COLLATE "C",
  CONSTRAINT api_calls_pkey PRIMARY KEY (app_id, id),
  CONSTRAINT api_calls_about_check CHECK ((char_length(about) <= 100)),
  CONSTRAINT api_calls_fields_check CHECK ((char_length(fields) <= 200))
);

CREATE TABLE app_counts (
  app_id text NOT NULL,
  position bigint DEFAULT 0 NOT NULL,
  event_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
  counted_until timestamp with time zone DEFAULT now() NOT NULL,
  whole_since timestamp with time zone DEFAULT (now() - '30 days'::interval) NOT NULL,
  CONSTRAINT app_counts_pkey PRIMARY KEY (app_id)
);

CREATE TABLE app_hour_delays (
  app_id text NOT NULL,
  hour timestamp with time zone NOT NULL,
  bucket smallint NOT NULL,
  count integer NOT NULL,
  CONSTRAINT app_hour_delays_pkey PRIMARY KEY (app_id, hour, bucket)
);
CREATE INDEX app_hour_delays_by_hour ON app_hour_delays USING btree (hour);

CREATE TABLE app_hours (
  app_id text NOT NULL,
  hour timestamp with time zone NOT NULL,
  approved integer NOT NULL,
  declined integer NOT NULL,
  expired integer NOT NULL,
  cancelled integer NOT NULL,
  failed integer NOT NULL,
  payments integer NOT NULL,
  payouts integer NOT NULL,
  refunds integer NOT NULL,
  CONSTRAINT app_hours_pkey PRIMARY KEY (app_id, hour)
);
CREATE INDEX app_hours_by_hour ON app_hours USING btree (hour);

CREATE TABLE app_invitations (
  app_id text NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  invited_by text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  mail_refused boolean DEFAULT false NOT NULL,
  CONSTRAINT app_invitations_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT app_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id),
  CONSTRAINT app_invitations_email_check CHECK ((char_length(email) <= 254)),
  CONSTRAINT app_invitations_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'developer'::text, 'viewer'::text])))
);
CREATE INDEX app_invitations_by_email ON app_invitations USING btree (lower((email COLLATE "C")));
CREATE INDEX app_invitations_by_expiry ON app_invitations USING btree (expires_at);
CREATE UNIQUE INDEX one_app_invitation ON app_invitations USING btree (app_id, lower((email COLLATE "C")));

CREATE TABLE app_keys (
  hash bytea NOT NULL,
  app_id text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  revoked_at timestamp with time zone,
  kind text DEFAULT 'server'::text NOT NULL,
  ending text DEFAULT ''::text NOT NULL,
  scopes text[] DEFAULT '{guests,pay}'::text[] NOT NULL,
  pay_per_day bigint,
  paid_on date DEFAULT '-infinity'::date NOT NULL,
  paid_today bigint DEFAULT 0 NOT NULL,
  ask_per_day bigint,
  asked_on date DEFAULT '-infinity'::date NOT NULL,
  asked_today bigint DEFAULT 0 NOT NULL,
  approve_per_day bigint,
  approved_on date DEFAULT '-infinity'::date NOT NULL,
  approved_today bigint DEFAULT 0 NOT NULL,
  name text COLLATE "C" DEFAULT ''::text NOT NULL,
  last_used_at timestamp with time zone,
  CONSTRAINT app_keys_pkey PRIMARY KEY (hash),
  CONSTRAINT app_keys_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT app_keys_approve_cap_check CHECK ((('approve-requests'::text = ANY (scopes)) = (approve_per_day IS NOT NULL))),
  CONSTRAINT app_keys_approve_per_day_check CHECK ((approve_per_day > 0)),
  CONSTRAINT app_keys_approved_today_check CHECK ((approved_today >= 0)),
  CONSTRAINT app_keys_ask_cap_check CHECK ((('create-requests'::text = ANY (scopes)) = (ask_per_day IS NOT NULL))),
  CONSTRAINT app_keys_ask_per_day_check CHECK ((ask_per_day > 0)),
  CONSTRAINT app_keys_asked_today_check CHECK ((asked_today >= 0)),
  CONSTRAINT app_keys_ending_check CHECK ((char_length(ending) <= 4)),
  CONSTRAINT app_keys_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT app_keys_kind_check CHECK ((kind = ANY (ARRAY['server'::text, 'client'::text]))),
  CONSTRAINT app_keys_name_check CHECK ((char_length(name) <= 60)),
  CONSTRAINT app_keys_paid_today_check CHECK ((paid_today >= 0)),
  CONSTRAINT app_keys_pay_per_day_check CHECK ((pay_per_day > 0))
);
CREATE INDEX app_keys_by_app ON app_keys USING btree (app_id);

CREATE TABLE app_members (
  app_id text NOT NULL,
  user_id text NOT NULL,
  role text NOT NULL,
  added_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT app_members_pkey PRIMARY KEY (app_id, user_id),
  CONSTRAINT app_members_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT app_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT app_members_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'developer'::text, 'viewer'::text])))
);
CREATE INDEX app_members_by_user ON app_members USING btree (user_id);

CREATE TABLE app_pictures (
  app_id text NOT NULL,
  bytes bytea NOT NULL,
  hash bytea GENERATED ALWAYS AS (sha256(bytes)) STORED NOT NULL,
  type text GENERATED ALWAYS AS (
CASE
    WHEN (SUBSTRING(bytes FROM 1 FOR 4) = '\x52494646'::bytea) THEN 'webp'::text
    ELSE 'png'::text
END) STORED NOT NULL,
  CONSTRAINT app_pictures_pkey PRIMARY KEY (app_id),
  CONSTRAINT app_pictures_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT app_pictures_bytes_check CHECK (((octet_length(bytes) >= 1) AND (octet_length(bytes) <= 8192)))
);

CREATE TABLE apps (
  id text NOT NULL,
  name text NOT NULL,
  redirect_uris text[] DEFAULT '{}'::text[] NOT NULL,
  frame_ancestors text[] DEFAULT '{}'::text[] NOT NULL,
  auto_approve boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  owner_id text,
  result_origins text[] DEFAULT '{}'::text[] NOT NULL,
  public_client boolean DEFAULT false NOT NULL,
  auto_approve_requested_at timestamp with time zone,
  auto_approve_since timestamp with time zone,
  verified_at timestamp with time zone,
  top_up_url text,
  deleted_at timestamp with time zone,
  test_transfer_id uuid,
  suspended_at timestamp with time zone,
  mandate_per_transfer bigint,
  mandate_per_day bigint,
  auto_approve_consent text COLLATE "C" DEFAULT 'approval'::text NOT NULL,
  CONSTRAINT apps_pkey PRIMARY KEY (id),
  CONSTRAINT apps_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id),
  CONSTRAINT apps_auto_approve_consent_check CHECK ((auto_approve_consent = ANY (ARRAY['approval'::text, 'box'::text]))),
  CONSTRAINT apps_deleted_check CHECK (((deleted_at IS NULL) OR ((verified_at IS NULL) AND (NOT auto_approve)))),
  CONSTRAINT apps_id_check CHECK ((id ~ '^[A-Za-z0-9]{20}$'::text)),
  CONSTRAINT apps_mandate_per_day_check CHECK ((mandate_per_day > 0)),
  CONSTRAINT apps_mandate_per_transfer_check CHECK ((mandate_per_transfer > 0)),
  CONSTRAINT apps_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
  CONSTRAINT apps_top_up_url_check CHECK ((char_length(top_up_url) <= 2000))
);
CREATE INDEX apps_by_age ON apps USING btree (created_at, id);
CREATE INDEX apps_by_owner ON apps USING btree (owner_id) WHERE (owner_id IS NOT NULL);
CREATE INDEX apps_by_part ON apps USING gin (search_pairs(search_form(name)));
CREATE INDEX apps_due_test_quarters ON apps USING btree (id) WHERE (test_transfer_id IS NOT NULL);

CREATE TABLE archived_balances (
  address text COLLATE "C" NOT NULL,
  posted bigint NOT NULL,
  CONSTRAINT archived_balances_pkey PRIMARY KEY (address)
);

CREATE TABLE archived_months (
  month date NOT NULL,
  last_block bigint NOT NULL,
  began_at timestamp with time zone DEFAULT now() NOT NULL,
  moved_at timestamp with time zone,
  requests bigint,
  transfers bigint,
  transactions bigint,
  postings bigint,
  detaching_at timestamp with time zone,
  detached_at timestamp with time zone,
  file text,
  sha256 bytea,
  CONSTRAINT archived_months_pkey PRIMARY KEY (month),
  CONSTRAINT archived_months_check CHECK ((num_nonnulls(detached_at, file, sha256) = ANY (ARRAY[0, 3]))),
  CONSTRAINT archived_months_check1 CHECK (((detached_at IS NULL) OR (moved_at IS NOT NULL))),
  CONSTRAINT archived_months_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  CONSTRAINT archived_months_sha256_check CHECK ((octet_length(sha256) = 32))
);

CREATE TABLE attempt_budgets (
  key bytea NOT NULL,
  taken timestamp with time zone[] NOT NULL,
  forget_at timestamp with time zone NOT NULL,
  CONSTRAINT attempt_budgets_pkey PRIMARY KEY (key),
  CONSTRAINT attempt_budgets_key_check CHECK ((octet_length(key) = 32))
);
CREATE INDEX attempt_budgets_by_forgetting ON attempt_budgets USING btree (forget_at);

CREATE TABLE attempts (
  key bytea NOT NULL,
  count integer NOT NULL,
  resets_at timestamp with time zone NOT NULL,
  CONSTRAINT attempts_pkey PRIMARY KEY (key),
  CONSTRAINT attempts_key_check CHECK ((octet_length(key) = 32))
);
CREATE INDEX attempts_by_reset ON attempts USING btree (resets_at);

CREATE TABLE blocks (
  number bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  parent_hash text COLLATE "C" NOT NULL,
  next_log_index integer NOT NULL,
  complete boolean NOT NULL,
  CONSTRAINT blocks_pkey PRIMARY KEY (number),
  CONSTRAINT blocks_hash_key UNIQUE (hash)
);

CREATE TABLE broadcasts (
  relayer text COLLATE "C" NOT NULL,
  below bigint NOT NULL,
  first_nonce bigint NOT NULL,
  sent_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  resent_at timestamp with time zone,
  CONSTRAINT broadcasts_pkey PRIMARY KEY (relayer, below)
);

CREATE TABLE chain (
  singleton boolean DEFAULT true NOT NULL,
  chain_id bigint NOT NULL,
  token text NOT NULL,
  settlement text NOT NULL,
  start_block bigint NOT NULL,
  CONSTRAINT chain_pkey PRIMARY KEY (singleton),
  CONSTRAINT chain_singleton_check CHECK (singleton)
);

CREATE TABLE compatibility (
  singleton boolean DEFAULT true NOT NULL,
  level integer NOT NULL,
  CONSTRAINT compatibility_pkey PRIMARY KEY (singleton),
  CONSTRAINT compatibility_singleton_check CHECK (singleton)
);

CREATE TABLE consents (
  user_id text NOT NULL,
  app_id text NOT NULL,
  scopes text[] NOT NULL,
  granted_at timestamp with time zone DEFAULT now() NOT NULL,
  revoked_at timestamp with time zone,
  CONSTRAINT consents_pkey PRIMARY KEY (user_id, app_id),
  CONSTRAINT consents_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE consumed_nonces (
  relayer text COLLATE "C" NOT NULL,
  block_number bigint NOT NULL,
  below bigint NOT NULL,
  CONSTRAINT consumed_nonces_pkey PRIMARY KEY (relayer, block_number)
);

CREATE TABLE data_keys (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  wrapped bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  next_wrapped bytea,
  seals_since timestamp with time zone,
  CONSTRAINT data_keys_pkey PRIMARY KEY (id)
);

CREATE TABLE deliveries (
  event_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now(),
  delivered_at timestamp with time zone,
  last_status integer,
  last_error text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_answer text,
  last_ms integer,
  last_failed_at timestamp with time zone,
  CONSTRAINT deliveries_pkey PRIMARY KEY (event_id, endpoint_id),
  CONSTRAINT deliveries_check CHECK (((delivered_at IS NULL) OR (next_attempt_at IS NULL)))
);
CREATE INDEX deliveries_by_endpoint ON deliveries USING btree (endpoint_id, event_id DESC);
CREATE INDEX deliveries_due ON deliveries USING btree (endpoint_id, next_attempt_at) WHERE (next_attempt_at IS NOT NULL);

CREATE TABLE earned_rewards (
  source text NOT NULL,
  request_id uuid NOT NULL,
  CONSTRAINT earned_rewards_pkey PRIMARY KEY (source, request_id),
  CONSTRAINT earned_rewards_request_id_fkey FOREIGN KEY (request_id) REFERENCES requests(id),
  CONSTRAINT earned_rewards_source_check CHECK ((source = ANY (ARRAY['welcome'::text, 'share'::text])))
);

CREATE TABLE economy_cursor (
  singleton boolean DEFAULT true NOT NULL,
  block_number bigint,
  block_hash bytea,
  block_at timestamp with time zone,
  whole_block bigint,
  whole_at timestamp with time zone,
  CONSTRAINT economy_cursor_pkey PRIMARY KEY (singleton),
  CONSTRAINT economy_cursor_check CHECK ((((block_number IS NULL) = (block_hash IS NULL)) AND ((block_number IS NULL) = (block_at IS NULL)))),
  CONSTRAINT economy_cursor_singleton_check CHECK (singleton)
);

CREATE TABLE economy_days (
  day date NOT NULL,
  taken_at timestamp with time zone NOT NULL,
  treasury_held bigint NOT NULL,
  players_held bigint NOT NULL,
  apps_held bigint NOT NULL,
  distribution jsonb NOT NULL,
  top_players bigint,
  top_quarters bigint,
  CONSTRAINT economy_days_pkey PRIMARY KEY (day)
);

CREATE TABLE economy_flows (
  step text NOT NULL,
  starts timestamp with time zone NOT NULL,
  app_id text NOT NULL,
  kind text NOT NULL,
  from_party text NOT NULL,
  to_party text NOT NULL,
  count bigint NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT economy_flows_pkey PRIMARY KEY (step, starts, app_id, kind, from_party, to_party),
  CONSTRAINT economy_flows_step_check CHECK ((step = ANY (ARRAY['hour'::text, 'day'::text, 'month'::text])))
);
CREATE INDEX economy_flows_by_app ON economy_flows USING btree (app_id, step, starts);

CREATE TABLE economy_lists (
  name text NOT NULL,
  taken_at timestamp with time zone NOT NULL,
  content jsonb NOT NULL,
  CONSTRAINT economy_lists_pkey PRIMARY KEY (name)
);

CREATE TABLE economy_new_payers (
  step text NOT NULL,
  starts timestamp with time zone NOT NULL,
  app_id text NOT NULL,
  of_day bigint NOT NULL,
  of_week bigint NOT NULL,
  of_month bigint NOT NULL,
  of_year bigint NOT NULL,
  CONSTRAINT economy_new_payers_pkey PRIMARY KEY (step, starts, app_id),
  CONSTRAINT economy_new_payers_step_check CHECK ((step = ANY (ARRAY['hour'::text, 'day'::text, 'month'::text])))
);

CREATE TABLE economy_payers (
  app_id text COLLATE "C" NOT NULL,
  payer text COLLATE "C" NOT NULL,
  last_day date NOT NULL,
  day_count bigint NOT NULL,
  day_amount bigint NOT NULL,
  week_count bigint NOT NULL,
  week_amount bigint NOT NULL,
  month_count bigint NOT NULL,
  month_amount bigint NOT NULL,
  year_count bigint NOT NULL,
  year_amount bigint NOT NULL,
  CONSTRAINT economy_payers_pkey PRIMARY KEY (app_id, payer)
) WITH (fillfactor=70);

CREATE TABLE economy_tops (
  period text NOT NULL,
  starts date NOT NULL,
  app_id text NOT NULL,
  payer text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT economy_tops_pkey PRIMARY KEY (period, starts, app_id, payer),
  CONSTRAINT economy_tops_period_check CHECK ((period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'year'::text])))
) WITH (fillfactor=50);

CREATE TABLE economy_undo (
  block_number bigint NOT NULL,
  before_number bigint,
  before_hash bytea,
  before_at timestamp with time zone,
  day date NOT NULL,
  flows jsonb NOT NULL,
  new_payers jsonb NOT NULL,
  app_ids text[] NOT NULL,
  payers text[] NOT NULL,
  last_days date[] NOT NULL,
  day_counts bigint[] NOT NULL,
  day_amounts bigint[] NOT NULL,
  week_counts bigint[] NOT NULL,
  week_amounts bigint[] NOT NULL,
  month_counts bigint[] NOT NULL,
  month_amounts bigint[] NOT NULL,
  year_counts bigint[] NOT NULL,
  year_amounts bigint[] NOT NULL,
  CONSTRAINT economy_undo_pkey PRIMARY KEY (block_number)
);

CREATE TABLE email_codes (
  id uuid NOT NULL,
  purpose text NOT NULL,
  email text NOT NULL,
  user_id text,
  mac bytea NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  spent_at timestamp with time zone,
  mail_refused boolean DEFAULT false NOT NULL,
  CONSTRAINT email_codes_pkey PRIMARY KEY (id),
  CONSTRAINT email_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT email_codes_email_check CHECK ((char_length(email) <= 254)),
  CONSTRAINT email_codes_mac_check CHECK ((octet_length(mac) = 32)),
  CONSTRAINT email_codes_purpose_check CHECK ((purpose = ANY (ARRAY['sign-up'::text, 'reset'::text, 'change-old'::text, 'change-new'::text, 'passkey'::text])))
);
CREATE INDEX email_codes_by_expiry ON email_codes USING btree (expires_at);

CREATE TABLE event_clock (
  singleton boolean DEFAULT true NOT NULL,
  lead bigint NOT NULL,
  CONSTRAINT event_clock_pkey PRIMARY KEY (singleton),
  CONSTRAINT event_clock_singleton_check CHECK (singleton)
);

CREATE TABLE events (
  id uuid NOT NULL,
  app_id text NOT NULL,
  type text NOT NULL,
  sequence integer NOT NULL,
  data json,
  position bigint NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  request_id uuid,
  tx_hash bytea,
  refunded bigint,
  CONSTRAINT events_pkey PRIMARY KEY (id),
  CONSTRAINT events_subject_check CHECK (((data IS NULL) = (request_id IS NOT NULL)))
);
CREATE INDEX events_by_app ON events USING btree (app_id, "position", id);

CREATE TABLE form_drafts (
  user_id text NOT NULL,
  id uuid NOT NULL,
  sealed bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT form_drafts_pkey PRIMARY KEY (user_id),
  CONSTRAINT form_drafts_id_key UNIQUE (id),
  CONSTRAINT form_drafts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT form_drafts_sealed_check CHECK ((octet_length(sealed) <= 17000))
);
CREATE INDEX form_drafts_by_expiry ON form_drafts USING btree (expires_at);

CREATE TABLE former_emails (
  user_id text NOT NULL,
  email text NOT NULL,
  left_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT former_emails_pkey PRIMARY KEY (user_id, email),
  CONSTRAINT former_emails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT former_emails_email_check CHECK ((char_length(email) <= 254))
);
CREATE INDEX former_emails_by_end ON former_emails USING btree (left_at);

CREATE TABLE further_transactions (
  transfer_id uuid NOT NULL,
  relayer text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  CONSTRAINT further_transactions_pkey PRIMARY KEY (transfer_id, relayer, nonce)
);

CREATE TABLE gas_cursors (
  relayer text COLLATE "C" NOT NULL,
  below bigint NOT NULL,
  CONSTRAINT gas_cursors_pkey PRIMARY KEY (relayer)
);

CREATE TABLE gas_days (
  day date NOT NULL,
  transactions bigint NOT NULL,
  reverted bigint NOT NULL,
  transfers bigint NOT NULL,
  gas numeric NOT NULL,
  wei numeric NOT NULL,
  unknown bigint NOT NULL,
  CONSTRAINT gas_days_pkey PRIMARY KEY (day)
);

CREATE TABLE guest_counts (
  app_id text NOT NULL,
  day date NOT NULL,
  count integer NOT NULL,
  CONSTRAINT guest_counts_pkey PRIMARY KEY (app_id, day),
  CONSTRAINT guest_counts_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id)
);

CREATE TABLE guest_tokens (
  hash bytea NOT NULL,
  purpose text NOT NULL,
  user_id text NOT NULL,
  app_id text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone DEFAULT now() NOT NULL,
  revoked_at timestamp with time zone,
  CONSTRAINT guest_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT guest_tokens_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT guest_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT guest_tokens_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT guest_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['access'::text, 'page'::text])))
);
CREATE INDEX guest_tokens_by_user ON guest_tokens USING btree (user_id);

CREATE TABLE idempotency_keys (
  hash bytea NOT NULL,
  body_hash bytea NOT NULL,
  answer jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (hash),
  CONSTRAINT idempotency_keys_body_hash_check CHECK ((octet_length(body_hash) = 32)),
  CONSTRAINT idempotency_keys_hash_check CHECK ((octet_length(hash) = 32))
) WITH (fillfactor=20);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING btree (created_at);

CREATE TABLE kept_copies (
  copy text NOT NULL,
  said_at timestamp with time zone NOT NULL,
  CONSTRAINT kept_copies_pkey PRIMARY KEY (copy),
  CONSTRAINT kept_copies_copy_check CHECK ((copy = ANY (ARRAY['kit'::text, 'backup'::text])))
);

CREATE TABLE last_audit (
  singleton boolean DEFAULT true NOT NULL,
  block bigint NOT NULL,
  accounts bigint NOT NULL,
  differences integer NOT NULL,
  overdrawn integer NOT NULL,
  seconds real NOT NULL,
  finished_at timestamp with time zone DEFAULT now() NOT NULL,
  equal_at timestamp with time zone,
  equal_block bigint,
  CONSTRAINT last_audit_pkey PRIMARY KEY (singleton),
  CONSTRAINT last_audit_singleton_check CHECK (singleton)
);

CREATE TABLE learned_gas (
  singleton boolean DEFAULT true NOT NULL,
  percent integer NOT NULL,
  learned_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT learned_gas_pkey PRIMARY KEY (singleton),
  CONSTRAINT learned_gas_percent_check CHECK (((percent >= 100) AND (percent <= 10000))),
  CONSTRAINT learned_gas_singleton_check CHECK (singleton)
);

CREATE TABLE learned_tip (
  singleton boolean DEFAULT true NOT NULL,
  wei bigint NOT NULL,
  learned_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT learned_tip_pkey PRIMARY KEY (singleton),
  CONSTRAINT learned_tip_singleton_check CHECK (singleton),
  CONSTRAINT learned_tip_wei_check CHECK ((wei >= 0))
);

CREATE TABLE left_in_order (
  singleton boolean DEFAULT true NOT NULL,
  token uuid NOT NULL,
  left_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT left_in_order_pkey PRIMARY KEY (singleton),
  CONSTRAINT left_in_order_singleton_check CHECK (singleton)
);

CREATE TABLE liability_leaves (
  root bytea NOT NULL,
  first_salted bytea NOT NULL,
  chunk integer NOT NULL,
  leaves bytea NOT NULL,
  CONSTRAINT liability_leaves_pkey PRIMARY KEY (root, first_salted),
  CONSTRAINT liability_leaves_root_fkey FOREIGN KEY (root) REFERENCES liability_publications(root)
);

CREATE TABLE liability_publications (
  root bytea NOT NULL,
  chain_id bigint NOT NULL,
  token text COLLATE "C" NOT NULL,
  treasury text COLLATE "C" NOT NULL,
  block_number bigint NOT NULL,
  block_hash bytea NOT NULL,
  supply bigint NOT NULL,
  in_treasury bigint NOT NULL,
  accounts bigint NOT NULL,
  overdrawn bigint NOT NULL,
  depth bigint NOT NULL,
  tree bytea NOT NULL,
  balances bigint NOT NULL,
  rewards bigint NOT NULL,
  salt bytea,
  chunk_nodes bytea,
  published_at timestamp with time zone DEFAULT now() NOT NULL,
  withdrawn_at timestamp with time zone,
  CONSTRAINT liability_publications_pkey PRIMARY KEY (root),
  CONSTRAINT liability_publications_root_check CHECK ((octet_length(root) = 32))
);
CREATE UNIQUE INDEX one_publication_of_a_block ON liability_publications USING btree (block_number) WHERE (withdrawn_at IS NULL);

CREATE TABLE mails (
  id uuid NOT NULL,
  sealed bytea NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT mails_pkey PRIMARY KEY (id)
);
CREATE INDEX mails_to_send ON mails USING btree (next_attempt_at);

CREATE TABLE mandates (
  user_id text NOT NULL,
  app_id text NOT NULL,
  max_per_day bigint NOT NULL,
  spent_on date DEFAULT '-infinity'::date NOT NULL,
  spent_today bigint DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  max_per_transfer bigint NOT NULL,
  asks_always boolean DEFAULT false NOT NULL,
  own_per_transfer bigint,
  own_per_day bigint,
  CONSTRAINT mandates_pkey PRIMARY KEY (user_id, app_id),
  CONSTRAINT mandates_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT mandates_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT mandates_max_per_day_check CHECK ((max_per_day > 0)),
  CONSTRAINT mandates_max_per_transfer_check CHECK ((max_per_transfer > 0)),
  CONSTRAINT mandates_own_per_day_check CHECK ((own_per_day > 0)),
  CONSTRAINT mandates_own_per_transfer_check CHECK ((own_per_transfer > 0)),
  CONSTRAINT mandates_spent_today_check CHECK ((spent_today >= 0))
);

CREATE TABLE oauth_records (
  model text NOT NULL,
  hash bytea NOT NULL,
  payload jsonb NOT NULL,
  grant_id text,
  user_id text,
  client_id text,
  uid text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  consumed_at timestamp with time zone,
  used_at timestamp with time zone,
  browser text,
  CONSTRAINT oauth_records_pkey PRIMARY KEY (model, hash),
  CONSTRAINT oauth_records_client_id_fkey FOREIGN KEY (client_id) REFERENCES apps(id),
  CONSTRAINT oauth_records_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT oauth_records_hash_check CHECK ((octet_length(hash) = 32))
);
CREATE INDEX oauth_access_tokens_by_expiry ON oauth_records USING btree (expires_at) WHERE (model = 'AccessToken'::text);
CREATE INDEX oauth_records_by_expiry ON oauth_records USING btree (expires_at) WHERE (model <> 'AccessToken'::text);
CREATE INDEX oauth_records_by_grant ON oauth_records USING btree (grant_id) WHERE (grant_id IS NOT NULL);
CREATE INDEX oauth_records_by_uid ON oauth_records USING btree (uid) WHERE (uid IS NOT NULL);
CREATE INDEX oauth_records_by_user ON oauth_records USING btree (user_id, client_id) WHERE (user_id IS NOT NULL);
CREATE INDEX oauth_spent_refresh_tokens ON oauth_records USING btree (consumed_at) WHERE ((model = 'RefreshToken'::text) AND (consumed_at IS NOT NULL));

CREATE TABLE open_transfers (
  authorization_nonce bytea NOT NULL,
  transfer_id uuid NOT NULL,
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL,
  accepted_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT open_transfers_pkey PRIMARY KEY (authorization_nonce)
);

CREATE TABLE operator_actions (
  id uuid NOT NULL,
  kind text NOT NULL,
  params text NOT NULL,
  params_hash bytea NOT NULL,
  subject text,
  amount bigint,
  reason text NOT NULL,
  key_hash bytea,
  state text NOT NULL,
  asked_by text NOT NULL,
  asked_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone,
  decided_by text,
  decided_at timestamp with time zone,
  transfer_id uuid,
  result jsonb,
  CONSTRAINT operator_actions_pkey PRIMARY KEY (id),
  CONSTRAINT operator_actions_amount_check CHECK ((amount > 0)),
  CONSTRAINT operator_actions_check CHECK (((state <> 'waiting'::text) OR (expires_at IS NOT NULL))),
  CONSTRAINT operator_actions_key_hash_check CHECK ((octet_length(key_hash) = 32)),
  CONSTRAINT operator_actions_params_check CHECK ((length(params) <= 4000)),
  CONSTRAINT operator_actions_params_hash_check CHECK ((octet_length(params_hash) = 32)),
  CONSTRAINT operator_actions_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 280))),
  CONSTRAINT operator_actions_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'started'::text, 'done'::text, 'failed'::text, 'refused'::text])))
);
CREATE INDEX operator_actions_by_key ON operator_actions USING btree (key_hash) WHERE (key_hash IS NOT NULL);
CREATE INDEX operator_actions_by_subject ON operator_actions USING btree (subject, asked_at);
CREATE INDEX operator_actions_by_time ON operator_actions USING btree (asked_at, id);
CREATE INDEX operator_actions_open ON operator_actions USING btree (asked_at) WHERE (state = ANY (ARRAY['waiting'::text, 'started'::text]));
CREATE INDEX operator_actions_spent ON operator_actions USING btree (asked_by, asked_at) WHERE (amount IS NOT NULL);

CREATE TABLE operator_log (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  entry json NOT NULL,
  sequence bigint,
  hash bytea,
  at text COLLATE "C" GENERATED ALWAYS AS ((entry ->> 'at'::text)) STORED NOT NULL,
  action text COLLATE "C" GENERATED ALWAYS AS ((entry ->> 'action'::text)) STORED NOT NULL,
  actor text COLLATE "C" GENERATED ALWAYS AS ((entry #>> '{actor,id}'::text[])) STORED NOT NULL,
  subject text COLLATE "C" GENERATED ALWAYS AS ((entry #>> '{subject,id}'::text[])) STORED NOT NULL,
  CONSTRAINT operator_log_pkey PRIMARY KEY (id),
  CONSTRAINT operator_log_sequence_key UNIQUE (sequence),
  CONSTRAINT operator_log_chained_check CHECK (((sequence IS NULL) = (hash IS NULL))),
  CONSTRAINT operator_log_entry_check CHECK ((octet_length((entry)::text) <= 16384)),
  CONSTRAINT operator_log_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT operator_log_sequence_check CHECK ((sequence > 0))
);
CREATE INDEX operator_log_by_action ON operator_log USING btree (action, sequence);
CREATE INDEX operator_log_by_actor ON operator_log USING btree (actor, sequence);
CREATE INDEX operator_log_by_subject ON operator_log USING btree (subject, sequence);
CREATE INDEX operator_log_by_time ON operator_log USING btree (at);
CREATE INDEX operator_log_unchained ON operator_log USING btree (id) WHERE (sequence IS NULL);
CREATE TRIGGER operator_log_guard BEFORE INSERT OR DELETE OR UPDATE ON operator_log FOR EACH ROW EXECUTE FUNCTION guard_operator_log();
CREATE TRIGGER operator_log_truncate_guard BEFORE TRUNCATE ON operator_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_operator_log();

CREATE TABLE operator_log_checkpoints (
  sequence bigint NOT NULL,
  hash bytea NOT NULL,
  signature text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT operator_log_checkpoints_pkey PRIMARY KEY (sequence),
  CONSTRAINT operator_log_checkpoints_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT operator_log_checkpoints_sequence_check CHECK ((sequence > 0))
);
CREATE TRIGGER operator_log_checkpoints_guard BEFORE INSERT OR DELETE OR UPDATE ON operator_log_checkpoints FOR EACH ROW EXECUTE FUNCTION guard_operator_log_checkpoints();
CREATE TRIGGER operator_log_checkpoints_truncate_guard BEFORE TRUNCATE ON operator_log_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_operator_log();

CREATE TABLE operator_log_checks (
  singleton boolean DEFAULT true NOT NULL,
  checked_at timestamp with time zone,
  sequence bigint,
  wrong_sequence bigint,
  fault text,
  head_written_at timestamp with time zone,
  CONSTRAINT operator_log_checks_pkey PRIMARY KEY (singleton),
  CONSTRAINT operator_log_checks_singleton_check CHECK (singleton)
);

CREATE TABLE operator_log_names (
  name text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  client text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT operator_log_names_pkey PRIMARY KEY (name),
  CONSTRAINT operator_log_names_check CHECK (((user_id <> ''::text) OR (client <> ''::text)))
);
CREATE INDEX operator_log_names_by_user ON operator_log_names USING btree (user_id, client);
CREATE TRIGGER operator_log_names_guard BEFORE UPDATE ON operator_log_names FOR EACH ROW EXECUTE FUNCTION refuse_change_of_operator_log();

CREATE TABLE operator_log_reasons (
  hash bytea NOT NULL,
  salt bytea NOT NULL,
  reason text NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  CONSTRAINT operator_log_reasons_pkey PRIMARY KEY (hash),
  CONSTRAINT operator_log_reasons_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT operator_log_reasons_reason_check CHECK ((char_length(reason) <= 1000))
);
CREATE INDEX operator_log_reasons_by_user ON operator_log_reasons USING btree (user_id) WHERE (user_id <> ''::text);
CREATE TRIGGER operator_log_reasons_guard BEFORE UPDATE ON operator_log_reasons FOR EACH ROW EXECUTE FUNCTION refuse_change_of_operator_log();

CREATE TABLE operators (
  user_id text NOT NULL,
  added_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT operators_pkey PRIMARY KEY (user_id),
  CONSTRAINT operators_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE orphaned_deposits (
  address text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  orphaned_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT orphaned_deposits_pkey PRIMARY KEY (address),
  CONSTRAINT orphaned_deposits_amount_check CHECK ((amount > 0))
);

CREATE TABLE passkey_challenges (
  hash bytea NOT NULL,
  user_id text,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT passkey_challenges_pkey PRIMARY KEY (hash),
  CONSTRAINT passkey_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT passkey_challenges_hash_check CHECK ((octet_length(hash) = 32))
);
CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges USING btree (expires_at);

CREATE TABLE passkeys (
  id text NOT NULL,
  user_id text NOT NULL,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] DEFAULT '{}'::text[] NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone,
  stop_hash bytea,
  CONSTRAINT passkeys_pkey PRIMARY KEY (id),
  CONSTRAINT passkeys_stop_hash_key UNIQUE (stop_hash),
  CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT passkeys_id_check CHECK ((char_length(id) <= 1400)),
  CONSTRAINT passkeys_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 60))),
  CONSTRAINT passkeys_stop_hash_check CHECK ((octet_length(stop_hash) = 32))
);
CREATE INDEX passkeys_by_user ON passkeys USING btree (user_id);

CREATE TABLE passwords (
  user_id text NOT NULL,
  hash text NOT NULL,
  changed_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT passwords_pkey PRIMARY KEY (user_id),
  CONSTRAINT passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE pay_batch_rows (
  batch_id uuid NOT NULL,
  identity bytea NOT NULL,
  address text COLLATE "C",
  amount bigint NOT NULL,
  added_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT pay_batch_rows_pkey PRIMARY KEY (batch_id, identity),
  CONSTRAINT pay_batch_rows_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES pay_batches(id),
  CONSTRAINT pay_batch_rows_amount_check CHECK ((amount > 0)),
  CONSTRAINT pay_batch_rows_identity_check CHECK ((octet_length(identity) = 32))
);
CREATE INDEX pay_batch_rows_by_identity ON pay_batch_rows USING btree (identity);

CREATE TABLE pay_batches (
  id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  file_hash bytea NOT NULL,
  app_id text,
  row_count integer NOT NULL,
  quarters bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  by_line boolean NOT NULL,
  CONSTRAINT pay_batches_pkey PRIMARY KEY (id),
  CONSTRAINT pay_batches_name_key UNIQUE (name),
  CONSTRAINT pay_batches_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT pay_batches_file_hash_check CHECK ((octet_length(file_hash) = 32)),
  CONSTRAINT pay_batches_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT pay_batches_quarters_check CHECK (((quarters >= 1) AND (quarters <= '9007199254740991'::bigint))),
  CONSTRAINT pay_batches_row_count_check CHECK ((row_count > 0))
);
CREATE INDEX pay_batches_by_file ON pay_batches USING btree (file_hash);

CREATE TABLE pending_requests (
  request_id uuid NOT NULL,
  user_id text NOT NULL,
  app_id text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT pending_requests_pkey PRIMARY KEY (request_id)
);
CREATE INDEX pending_requests_by_expiry ON pending_requests USING btree (expires_at);
CREATE INDEX pending_requests_by_user ON pending_requests USING btree (user_id, app_id, expires_at);

CREATE TABLE player_refusals (
  user_id text COLLATE "C" NOT NULL,
  app_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  times bigint NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT player_refusals_pkey PRIMARY KEY (user_id, app_id, kind, code)
) WITH (fillfactor=70);
CREATE INDEX player_refusals_by_time ON player_refusals USING btree (last_at);

CREATE TABLE postings (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  block_hash bytea NOT NULL,
  tx_hash bytea NOT NULL,
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  posted_at timestamp with time zone DEFAULT now(),
  outside_block bigint,
  CONSTRAINT postings_pkey PRIMARY KEY (block_number, log_index, block_hash),
  CONSTRAINT postings_amount_check CHECK ((amount >= 0))
);
CREATE INDEX outside_postings_by_recipient ON postings USING btree (to_address, outside_block, log_index) WHERE (outside_block IS NOT NULL);
CREATE INDEX outside_postings_by_sender ON postings USING btree (from_address, outside_block, log_index) WHERE (outside_block IS NOT NULL);

CREATE TABLE processes (
  id uuid NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  version text NOT NULL,
  compatibility integer NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  started_at timestamp with time zone NOT NULL,
  working boolean NOT NULL,
  data_key integer,
  compared boolean DEFAULT false NOT NULL,
  asked bigint DEFAULT 0 NOT NULL,
  taken_in bigint DEFAULT 0 NOT NULL,
  said jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT processes_pkey PRIMARY KEY (id)
);

CREATE TABLE recovered_payments (
  what bytea NOT NULL,
  transfer_id uuid,
  decided_at timestamp with time zone NOT NULL,
  one_party text COLLATE "C",
  other_party text COLLATE "C",
  CONSTRAINT recovered_payments_pkey PRIMARY KEY (what),
  CONSTRAINT recovered_payments_what_check CHECK ((length(what) = 16))
);
CREATE INDEX recovered_cancellations ON recovered_payments USING btree (what) WHERE (transfer_id IS NULL);
CREATE UNIQUE INDEX recovered_transfers ON recovered_payments USING btree (transfer_id);
CREATE INDEX unnamed_payments ON recovered_payments USING btree (one_party) WHERE (one_party IS NOT NULL);
CREATE INDEX unnamed_payments_of_other ON recovered_payments USING btree (other_party) WHERE (other_party IS NOT NULL);

CREATE TABLE refusal_counts (
  step text NOT NULL,
  starts date NOT NULL,
  app_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT refusal_counts_pkey PRIMARY KEY (step, starts, app_id, kind, code),
  CONSTRAINT refusal_counts_step_check CHECK ((step = ANY (ARRAY['day'::text, 'month'::text])))
) WITH (fillfactor=70);

CREATE TABLE refused_mails (
  singleton boolean DEFAULT true NOT NULL,
  count bigint NOT NULL,
  since timestamp with time zone DEFAULT now() NOT NULL,
  reply text COLLATE "C" NOT NULL,
  CONSTRAINT refused_mails_pkey PRIMARY KEY (singleton),
  CONSTRAINT refused_mails_count_check CHECK ((count > 0)),
  CONSTRAINT refused_mails_singleton_check CHECK (singleton)
);

CREATE TABLE relayers (
  address text COLLATE "C" NOT NULL,
  purpose text NOT NULL,
  sealed_key bytea,
  next_nonce bigint DEFAULT 0 NOT NULL,
  lease_holder uuid,
  lease_epoch bigint DEFAULT 0 NOT NULL,
  lease_expires_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  key_id bytea,
  CONSTRAINT relayers_pkey PRIMARY KEY (address),
  CONSTRAINT relayers_key CHECK ((num_nonnulls(sealed_key, key_id) = 1)),
  CONSTRAINT relayers_key_id_check CHECK ((length(key_id) = 16)),
  CONSTRAINT relayers_purpose_check CHECK ((purpose = ANY (ARRAY['settlement'::text, 'operator'::text, 'retired'::text])))
);

CREATE TABLE reports (
  id uuid NOT NULL,
  app_id text NOT NULL,
  request_id uuid,
  user_id text NOT NULL,
  reason text NOT NULL,
  text text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  resolved_at timestamp with time zone,
  CONSTRAINT reports_pkey PRIMARY KEY (id),
  CONSTRAINT reports_request_id_user_id_key UNIQUE (request_id, user_id),
  CONSTRAINT reports_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT reports_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT reports_reason_check CHECK ((reason = ANY (ARRAY['wrong-payment'::text, 'pretends'::text, 'other'::text]))),
  CONSTRAINT reports_text_check CHECK ((char_length(text) <= 500))
);
CREATE INDEX open_reports ON reports USING btree (app_id) WHERE (resolved_at IS NULL);
CREATE INDEX reports_by_user ON reports USING btree (user_id, id);
CREATE INDEX resolved_reports ON reports USING btree (resolved_at) WHERE (resolved_at IS NOT NULL);

CREATE TABLE requests (
  id uuid NOT NULL,
  app_id text NOT NULL,
  user_id text NOT NULL,
  source text NOT NULL,
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  description text DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  refund_of uuid,
  status text NOT NULL,
  sequence integer DEFAULT 0 NOT NULL,
  transitions text[] NOT NULL,
  transition_times timestamp with time zone[] NOT NULL,
  CONSTRAINT requests_pkey PRIMARY KEY (id),
  CONSTRAINT requests_amount_check CHECK (((amount >= 1) AND (amount <= '9007199254740991'::bigint))),
  CONSTRAINT requests_description_check CHECK ((char_length(description) <= 280)),
  CONSTRAINT requests_refund_check CHECK (((source = 'refund'::text) = (refund_of IS NOT NULL))),
  CONSTRAINT requests_source_check CHECK ((source = ANY (ARRAY['user'::text, 'payout'::text, 'refund'::text]))),
  CONSTRAINT requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'submitted'::text, 'completed'::text, 'failed'::text, 'declined'::text, 'expired'::text, 'cancelled'::text]))),
  CONSTRAINT requests_transitions_check CHECK ((cardinality(transitions) = cardinality(transition_times)))
) WITH (fillfactor=45);
CREATE INDEX refunds ON requests USING btree (refund_of) WHERE (refund_of IS NOT NULL);
CREATE INDEX requests_by_app ON requests USING btree (app_id, created_at DESC, id DESC);
CREATE INDEX requests_by_user ON requests USING btree (user_id, created_at DESC, id DESC);

CREATE TABLE reward_claims (
  transfer_id uuid NOT NULL,
  reward_id uuid NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT reward_claims_pkey PRIMARY KEY (transfer_id, reward_id),
  CONSTRAINT reward_claims_reward_id_fkey FOREIGN KEY (reward_id) REFERENCES rewards(id),
  CONSTRAINT reward_claims_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES transfers(id),
  CONSTRAINT reward_claims_amount_check CHECK ((amount > 0))
);
CREATE INDEX reward_claims_by_reward ON reward_claims USING btree (reward_id);

CREATE TABLE rewards (
  id uuid NOT NULL,
  user_id text NOT NULL,
  amount bigint NOT NULL,
  granted_at timestamp with time zone DEFAULT now() NOT NULL,
  source text NOT NULL,
  key text NOT NULL,
  app_id text,
  claimed bigint DEFAULT 0 NOT NULL,
  CONSTRAINT rewards_pkey PRIMARY KEY (id),
  CONSTRAINT rewards_source_key_key UNIQUE (source, key),
  CONSTRAINT rewards_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT rewards_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT rewards_amount_check CHECK (((amount >= 0) AND (amount <= '9007199254740991'::bigint))),
  CONSTRAINT rewards_check CHECK (((source = 'operator'::text) = (app_id IS NULL))),
  CONSTRAINT rewards_claimed_check CHECK ((claimed >= 0)),
  CONSTRAINT rewards_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255))),
  CONSTRAINT rewards_source_check CHECK ((source = ANY (ARRAY['operator'::text, 'welcome'::text, 'share'::text])))
);
CREATE INDEX rewards_by_app ON rewards USING btree (app_id, granted_at) WHERE (app_id IS NOT NULL);
CREATE INDEX rewards_by_user ON rewards USING btree (user_id, granted_at);
CREATE INDEX unclaimed_rewards ON rewards USING btree (user_id) WHERE (claimed < amount);

CREATE TABLE seed (
  singleton boolean DEFAULT true NOT NULL,
  wrapped bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  next_wrapped bytea,
  wrapped_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT seed_pkey PRIMARY KEY (singleton),
  CONSTRAINT seed_singleton_check CHECK (singleton)
);

CREATE TABLE seen_players (
  user_id text NOT NULL,
  day date NOT NULL,
  CONSTRAINT seen_players_pkey PRIMARY KEY (user_id)
);
CREATE INDEX seen_players_by_day ON seen_players USING btree (day, user_id);

CREATE TABLE sign_in_links (
  hash bytea NOT NULL,
  user_id text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT sign_in_links_pkey PRIMARY KEY (hash),
  CONSTRAINT sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT sign_in_links_hash_check CHECK ((octet_length(hash) = 32))
);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links USING btree (expires_at);

CREATE TABLE signing_keys (
  kid text NOT NULL,
  purpose text NOT NULL,
  sealed_key bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (kid),
  CONSTRAINT signing_keys_purpose_key UNIQUE (purpose)
);

CREATE TABLE suspension (
  singleton boolean DEFAULT true NOT NULL,
  findings jsonb NOT NULL,
  since timestamp with time zone DEFAULT now() NOT NULL,
  known_block bigint DEFAULT 0 NOT NULL,
  accepted_at timestamp with time zone,
  CONSTRAINT suspension_pkey PRIMARY KEY (singleton),
  CONSTRAINT suspension_singleton_check CHECK (singleton)
);

CREATE TABLE sweeps (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  began_at timestamp with time zone DEFAULT now() NOT NULL,
  block_number bigint NOT NULL,
  accounts bigint NOT NULL,
  quarters bigint NOT NULL,
  finished_at timestamp with time zone,
  CONSTRAINT sweeps_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX one_open_sweep ON sweeps USING btree ((true)) WHERE (finished_at IS NULL);

CREATE TABLE transactions (
  relayer text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  attempt integer NOT NULL,
  hash bytea NOT NULL,
  raw bytea NOT NULL,
  payload uuid[] NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  mined_block bigint,
  CONSTRAINT transactions_pkey PRIMARY KEY (relayer, nonce, attempt)
);
CREATE INDEX further_attempts ON transactions USING btree (relayer, nonce) WHERE (attempt > 0);

CREATE TABLE transfers (
  id uuid NOT NULL,
  request_id uuid,
  from_address text COLLATE "C" NOT NULL,
  to_address text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  tx_hash bytea NOT NULL,
  relayer text COLLATE "C" NOT NULL,
  relayer_nonce bigint NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  is_split boolean NOT NULL,
  status text NOT NULL,
  cancelling boolean DEFAULT false NOT NULL,
  decided_block bigint,
  authorization_nonce bytea,
  CONSTRAINT transfers_pkey PRIMARY KEY (id),
  CONSTRAINT transfers_amount_check CHECK (((amount >= 1) AND (amount <= '9007199254740991'::bigint))),
  CONSTRAINT transfers_authorization_nonce_check CHECK ((length(authorization_nonce) = 32)),
  CONSTRAINT transfers_decided_check CHECK (((status = ANY (ARRAY['completed'::text, 'failed'::text])) = (decided_block IS NOT NULL))),
  CONSTRAINT transfers_status_check CHECK ((status = ANY (ARRAY['approved'::text, 'submitted'::text, 'completed'::text, 'failed'::text])))
) WITH (fillfactor=45);
CREATE INDEX transfers_by_decided_block ON transfers USING brin (decided_block) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX transfers_by_request ON transfers USING btree (request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX transfers_by_time ON transfers USING btree (created_at, id);

CREATE TABLE users (
  id text NOT NULL,
  kind text NOT NULL,
  display_name text NOT NULL,
  email text,
  email_verified boolean DEFAULT false NOT NULL,
  guest_of text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  became_full_at timestamp with time zone,
  closed_at timestamp with time zone,
  locale text COLLATE "C",
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_guest_of_fkey FOREIGN KEY (guest_of) REFERENCES apps(id),
  CONSTRAINT users_check CHECK (((kind = 'full'::text) = (email IS NOT NULL))),
  CONSTRAINT users_check1 CHECK (((kind = 'closed'::text) = (closed_at IS NOT NULL))),
  CONSTRAINT users_check2 CHECK (((kind <> 'guest'::text) OR (guest_of IS NOT NULL))),
  CONSTRAINT users_display_name_check CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 80))),
  CONSTRAINT users_email_check CHECK ((char_length(email) <= 254)),
  CONSTRAINT users_id_check CHECK ((id ~ '^[A-Za-z0-9]{28}$'::text)),
  CONSTRAINT users_kind_check CHECK ((kind = ANY (ARRAY['guest'::text, 'full'::text, 'closed'::text]))),
  CONSTRAINT users_locale_check CHECK (((length(locale) >= 2) AND (length(locale) <= 35)))
);
CREATE INDEX full_users_by_part ON users USING gin (search_pairs(search_form(((display_name || '
'::text) || COALESCE(email, ''::text))))) WITH (fastupdate=off) WHERE (kind = 'full'::text);
CREATE INDEX guests_by_name ON users USING btree (lower((display_name COLLATE "C")), id) WHERE (became_full_at IS NULL);
CREATE INDEX users_by_age ON users USING btree (created_at, id);
CREATE INDEX users_by_becoming_full ON users USING btree (became_full_at) WHERE (became_full_at IS NOT NULL);
CREATE UNIQUE INDEX users_by_email ON users USING btree (lower((email COLLATE "C")));

CREATE TABLE webhook_endpoints (
  id uuid NOT NULL,
  app_id text NOT NULL,
  url text NOT NULL,
  types text[],
  sealed_secret bytea NOT NULL,
  previous_sealed_secret bytea,
  previous_until timestamp with time zone,
  failing_since timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_reason text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_endpoints_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id),
  CONSTRAINT webhook_endpoints_check CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
  CONSTRAINT webhook_endpoints_check1 CHECK (((previous_sealed_secret IS NULL) = (previous_until IS NULL))),
  CONSTRAINT webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['owner'::text, 'gone'::text, 'failing'::text]))),
  CONSTRAINT webhook_endpoints_url_check CHECK ((char_length(url) <= 2000))
);
CREATE INDEX webhook_endpoints_by_app ON webhook_endpoints USING btree (app_id);

CREATE TABLE withdrawal_addresses (
  user_id text NOT NULL,
  address text COLLATE "C" NOT NULL,
  passkey_id text NOT NULL,
  added_at timestamp with time zone DEFAULT now() NOT NULL,
  usable_at timestamp with time zone,
  stopped_at timestamp with time zone,
  stop_hash bytea NOT NULL,
  stop_until timestamp with time zone DEFAULT (now() + '30 days'::interval) NOT NULL,
  notices uuid[] DEFAULT '{}'::uuid[] NOT NULL,
  CONSTRAINT withdrawal_addresses_pkey PRIMARY KEY (user_id, address),
  CONSTRAINT withdrawal_addresses_stop_hash_key UNIQUE (stop_hash),
  CONSTRAINT withdrawal_addresses_passkey_id_fkey FOREIGN KEY (passkey_id) REFERENCES passkeys(id) ON DELETE CASCADE,
  CONSTRAINT withdrawal_addresses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT withdrawal_addresses_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT withdrawal_addresses_stop_hash_check CHECK ((octet_length(stop_hash) = 32))
);
CREATE INDEX withdrawal_addresses_by_passkey ON withdrawal_addresses USING btree (passkey_id);
CREATE INDEX withdrawal_addresses_unannounced ON withdrawal_addresses USING btree (added_at) WHERE (usable_at IS NULL);

CREATE TABLE withdrawals (
  transfer_id uuid NOT NULL,
  user_id text NOT NULL,
  amount bigint NOT NULL,
  accepted_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT withdrawals_pkey PRIMARY KEY (transfer_id),
  CONSTRAINT withdrawals_amount_check CHECK ((amount > 0))
);
CREATE INDEX withdrawals_by_time ON withdrawals USING btree (accepted_at);

CREATE OR REPLACE FUNCTION guard_operator_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION guard_operator_log_checkpoints()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.hash = (SELECT hash FROM operator_log WHERE sequence = NEW.sequence) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a checkpoint belongs to an entry and does not change' USING ERRCODE = 'restrict_violation';
END $function$;

CREATE OR REPLACE FUNCTION refuse_change_of_operator_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'the operator''s log can only be added to' USING ERRCODE = 'restrict_violation';
END $function$;

CREATE OR REPLACE FUNCTION search_form(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(lower((NORMALIZE($1, NFKD) COLLATE pg_c_utf8)), '[\u0300-\u036f\u0640\u064b-\u0652\u0670]'::text, ''::text, 'g'::text);

CREATE OR REPLACE FUNCTION search_pairs(text)
 RETURNS bigint[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ARRAY(SELECT (((ascii(pairs.one))::bigint << 21) | (ascii(pairs.next))::bigint) FROM ROWS FROM(string_to_table($1, NULL::text), string_to_table(substr($1, 2), NULL::text)) pairs(one, next) WHERE (pairs.next IS NOT NULL));
