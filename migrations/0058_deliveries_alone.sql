-- Rolls: 0042 has set the level of the next release already, so no earlier release meets this.

-- With the key each delivery locks its event when it is written, while a payment waits. Deliveries are deleted with their events.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_event_id_fkey;
