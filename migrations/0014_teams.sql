-- Who manages an app besides its owner, who is in apps.owner_id. Every change locks the app's row first.
CREATE TABLE app_members (
  app_id text NOT NULL REFERENCES apps (id),
  user_id text NOT NULL REFERENCES users (id),
  role text NOT NULL CHECK (role IN ('admin', 'developer', 'viewer')),
  added_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app_id, user_id)
);
CREATE INDEX app_members_by_user ON app_members (user_id);

-- Whoever has the address, now or later, may join. One per app and address, in any letter case.
CREATE TABLE app_invitations (
  app_id text NOT NULL REFERENCES apps (id),
  email text NOT NULL CHECK (char_length(email) <= 254),
  role text NOT NULL CHECK (role IN ('admin', 'developer', 'viewer')),
  invited_by text NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX one_app_invitation ON app_invitations (app_id, lower(email COLLATE "C"));
CREATE INDEX app_invitations_by_email ON app_invitations (lower(email COLLATE "C"));
CREATE INDEX app_invitations_by_expiry ON app_invitations (expires_at);

-- A deleted app keeps its row: payments, activity and the ledger refer to it.
ALTER TABLE apps ADD COLUMN deleted_at timestamptz;
ALTER TABLE apps ADD CONSTRAINT apps_deleted_check CHECK (deleted_at IS NULL OR (verified_at IS NULL AND NOT auto_approve));

-- A form that arrived when its sender had to sign in again. One per user.
CREATE TABLE form_drafts (
  user_id text PRIMARY KEY REFERENCES users (id),
  id uuid NOT NULL UNIQUE,
  sealed bytea NOT NULL CHECK (octet_length(sealed) <= 17000),
  expires_at timestamptz NOT NULL
);
CREATE INDEX form_drafts_by_expiry ON form_drafts (expires_at);
