-- What the operator has published about what players and apps own at a block, and what proofs of it are made of.
-- root: what a publication is known by. It commits to every column from chain_id to rewards.
-- salt, chunk_nodes: what proofs need, kept for the newest publications only. `salt` stays secret: it hides which account a leaf is.
-- withdrawn_at: a reorganisation has removed the block, so the publication says nothing any more.
CREATE TABLE liability_publications (
  root bytea PRIMARY KEY CHECK (octet_length(root) = 32),
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
  published_at timestamptz NOT NULL DEFAULT now(),
  withdrawn_at timestamptz
);

CREATE UNIQUE INDEX one_publication_of_a_block ON liability_publications (block_number) WHERE withdrawn_at IS NULL;

-- The leaves of the newest publications, packed: a row for each 256 of them, in the order of the tree.
-- first_salted: the salted address of the first leaf, which finds the row of an account.
CREATE TABLE liability_leaves (
  root bytea NOT NULL REFERENCES liability_publications,
  first_salted bytea NOT NULL,
  chunk integer NOT NULL,
  leaves bytea NOT NULL,
  PRIMARY KEY (root, first_salted)
);
-- Nearly random bytes, which cannot be compressed.
ALTER TABLE liability_leaves ALTER COLUMN leaves SET STORAGE EXTERNAL;
