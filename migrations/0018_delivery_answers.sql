-- What a developer sees of a delivery's last attempt, besides its status. No index names these columns.
-- last_answer: the beginning of an answer that was neither 2xx nor a redirect, as printable text of up to 500 characters. It is null for
-- deliveries that arrived, and where private targets are allowed. last_ms: until the answer, null without one.
ALTER TABLE deliveries
  ADD COLUMN last_answer text,
  ADD COLUMN last_ms integer,
  ADD COLUMN last_failed_at timestamptz;
