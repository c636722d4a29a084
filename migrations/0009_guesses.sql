-- What may be guessed at an account within a time, strict across processes. key: SHA-256 of what is guessed at, and of who shares the budget.
-- taken: when each guess of the last minutes was taken from it; one that was right is given back. Unlike guesses, which begin anew
-- all at once, it holds for any stretch of that time.
CREATE TABLE guess_budgets (
  key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
  taken timestamptz[] NOT NULL,
  forget_at timestamptz NOT NULL
);
CREATE INDEX guess_budgets_by_forgetting ON guess_budgets (forget_at);
