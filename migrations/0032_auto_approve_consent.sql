-- Rolls: an earlier release offers the box, and a choice that it stores leaves what the player wanted before.
-- How players agree that an app takes quarters without asking: by approving a payment on a page that says so, or by a box there.
ALTER TABLE apps ADD COLUMN auto_approve_consent text COLLATE "C" NOT NULL DEFAULT 'approval'
  CHECK (auto_approve_consent IN ('approval', 'box'));
-- Operators who enabled an app before have agreed to the box.
UPDATE apps SET auto_approve_consent = 'box' WHERE auto_approve;
-- The player wants the app to ask every time. A mandate may end for other reasons, too.
ALTER TABLE mandates ADD COLUMN asks_always boolean NOT NULL DEFAULT false;
-- Those of full users ended by their choice. The conversion of a guest ended theirs.
UPDATE mandates SET asks_always = true WHERE revoked_at IS NOT NULL
  AND NOT EXISTS (SELECT FROM users WHERE users.id = user_id AND became_full_at >= mandates.revoked_at);
