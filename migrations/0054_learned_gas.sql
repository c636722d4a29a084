-- Rolls: 0042 has set the level of the next release already, so no earlier release meets this.

-- What transactions of this chain need of the gas limits of Ethereum, in percent, so that each process and each start knows it. One row, once it
-- is more.
CREATE TABLE learned_gas (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  percent integer NOT NULL CHECK (percent BETWEEN 100 AND 10000),
  learned_at timestamptz NOT NULL DEFAULT now()
);
