-- How players agree that an app takes quarters without asking: by approving a payment on a page that says so, or by a box there.
ALTER TABLE apps ADD COLUMN auto_approve_consent text COLLATE "C" NOT NULL DEFAULT 'approval'
  CHECK (auto_approve_consent IN ('approval', 'box'));
-- Operators who enabled an app before have agreed to the box.
UPDATE apps SET auto_approve_consent = 'box' WHERE auto_approve;
