-- What an app returns of a payment is a request of its own, decided the moment it is made, that names the payment.
ALTER TABLE requests
  DROP CONSTRAINT requests_source_check,
  ADD COLUMN refund_of uuid REFERENCES requests,
  ADD CONSTRAINT requests_source_check CHECK (source IN ('user', 'payout', 'refund')),
  ADD CHECK ((source = 'refund') = (refund_of IS NOT NULL));
CREATE INDEX refunds ON requests (refund_of) WHERE refund_of IS NOT NULL;
