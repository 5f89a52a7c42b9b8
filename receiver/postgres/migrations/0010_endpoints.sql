-- The merchant may have several endpoints: each effect has an event for each, and
-- order holds per endpoint and payment. What is there already was for the one.

ALTER TABLE outbox_event ADD COLUMN endpoint text COLLATE "C" NOT NULL DEFAULT 'merchant';
ALTER TABLE outbox_event ALTER COLUMN endpoint DROP DEFAULT;
-- Dead, and an operator let go what waits behind it.
ALTER TABLE outbox_event ADD COLUMN skipped boolean NOT NULL DEFAULT false;
ALTER TABLE outbox_event ALTER COLUMN skipped DROP DEFAULT;
ALTER TABLE outbox_event ADD CONSTRAINT outbox_event_skipped CHECK (dead OR NOT skipped);

ALTER TABLE outbox_event DROP CONSTRAINT outbox_event_number;
ALTER TABLE outbox_event ADD CONSTRAINT outbox_event_number UNIQUE (end_to_end_id, endpoint, number);

DROP INDEX outbox_event_due;
CREATE INDEX outbox_event_due ON outbox_event (endpoint, due_at, id) WHERE ready;
CREATE INDEX outbox_event_dead ON outbox_event (id) WHERE dead AND NOT skipped;
