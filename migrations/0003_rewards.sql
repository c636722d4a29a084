-- Rewards: the treasury's quarters that a user may spend like their own. What is not claimed yet is held on the treasury's
-- account; a claim passes that hold on to a transfer, so claiming changes no account.

ALTER TABLE rewards DROP COLUMN claimed_by;
ALTER TABLE rewards
  ADD COLUMN source text NOT NULL CHECK (source IN ('operator', 'welcome', 'share')),
  -- What it was granted for, once for ever: the operator's word, the user's id, the request's id.
  ADD COLUMN key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  -- The app whose spend earned it.
  ADD COLUMN app_id text REFERENCES apps,
  -- No CHECK (claimed <= amount): what came back from a cancelled transfer may be spent again before a reorganisation brings
  -- the cancelled transfer back, and a check would stop the follower for ever. Nothing is left then.
  ADD COLUMN claimed bigint NOT NULL DEFAULT 0 CHECK (claimed >= 0),
  -- 0: ended with nothing claimed.
  DROP CONSTRAINT rewards_amount_check,
  ADD CHECK (amount BETWEEN 0 AND 9007199254740991),
  ADD CHECK ((source = 'operator') = (app_id IS NULL)),
  ADD UNIQUE (source, key);
CREATE INDEX unclaimed_rewards ON rewards (user_id) WHERE claimed < amount;
CREATE INDEX rewards_by_user ON rewards (user_id, granted_at);
CREATE INDEX rewards_by_app ON rewards (app_id, granted_at) WHERE app_id IS NOT NULL;

-- Which rewards a transfer from the treasury was paid from. A failed transfer's claims count no more.
CREATE TABLE reward_claims (
  transfer_id uuid NOT NULL REFERENCES transfers,
  reward_id uuid NOT NULL REFERENCES rewards,
  amount bigint NOT NULL CHECK (amount > 0),
  PRIMARY KEY (transfer_id, reward_id)
);
CREATE INDEX reward_claims_by_reward ON reward_claims (reward_id);

-- Spends that the rules may grant something for: written together with what earns it, taken a moment later.
CREATE TABLE earned_rewards (
  source text NOT NULL CHECK (source IN ('welcome', 'share')),
  request_id uuid NOT NULL REFERENCES requests,
  PRIMARY KEY (source, request_id)
);
