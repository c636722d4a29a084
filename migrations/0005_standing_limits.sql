-- A standing approval also limits each single transfer. Those given before were told a day's limit alone.
ALTER TABLE standing_approvals ADD COLUMN max_per_transfer bigint CHECK (max_per_transfer > 0);
UPDATE standing_approvals SET max_per_transfer = max_per_day;
ALTER TABLE standing_approvals ALTER COLUMN max_per_transfer SET NOT NULL;
