-- Rolls: earlier releases do not know the table.
-- The tip that the chain was last found to ask for, so that each process and each start offers it at once. One row, once it is known.
CREATE TABLE learned_tip (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  wei bigint NOT NULL CHECK (wei >= 0),
  -- When it was last raised, confirmed or lowered.
  learned_at timestamptz NOT NULL DEFAULT now()
);
