CREATE INDEX CONCURRENTLY prepared_requests_by_app ON requests (app_id, created_at DESC, id DESC);

CREATE INDEX CONCURRENTLY prepared_requests_by_user ON requests (user_id, created_at DESC, id DESC);

CREATE INDEX CONCURRENTLY prepared_transfers_by_time ON transfers (created_at, id);
