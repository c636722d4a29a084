-- Rolls: earlier releases neither read nor write these. A mail that one of them sends leaves what is noted.
-- The mail server has refused the mail with this code for good, and the page may say so.
ALTER TABLE email_codes ADD COLUMN mail_refused boolean NOT NULL DEFAULT false;
-- The same for the mail that brings an invitation.
ALTER TABLE app_invitations ADD COLUMN mail_refused boolean NOT NULL DEFAULT false;
-- What the mail server has refused for good since it last accepted a mail. One row, or none.
CREATE TABLE refused_mails (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  count bigint NOT NULL CHECK (count > 0),
  since timestamptz NOT NULL DEFAULT now(),
  -- The server's last words, without any address.
  reply text COLLATE "C" NOT NULL
);
