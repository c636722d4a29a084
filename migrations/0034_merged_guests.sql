-- Rolls: an earlier release pays what it knows, and takes a merged guest's account for an open one. So it may pay it once more, which goes on
-- to the player as everything else there, and it never sends its quarters to the treasury, as it would with closed_at.
-- A guest's account that was closed because its player has another one, at the address merged_into. What it has, and what still reaches it, goes
-- there. unmoved: it may have something to move.
ALTER TABLE accounts
  ADD COLUMN merged_into text COLLATE "C",
  ADD COLUMN merged_at timestamptz,
  ADD COLUMN unmoved boolean NOT NULL DEFAULT false;
CREATE INDEX accounts_to_move ON accounts (address) WHERE unmoved;
CREATE INDEX merged_accounts ON accounts (address) WHERE merged_at IS NOT NULL;
