-- The merchant's endpoints are told of payouts too. Each event belongs to a line,
-- in which order holds: that of its Pix, or that of its payout, whose endToEndId
-- may not be known and is no name for it.

ALTER TABLE payout ADD COLUMN events integer NOT NULL DEFAULT 0; -- outbox events about it
ALTER TABLE payout ALTER COLUMN events DROP DEFAULT;

ALTER TABLE outbox_event
    ADD COLUMN payout     text COLLATE "C" NOT NULL DEFAULT '', -- its reference
    ADD COLUMN payout_key text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN line       text COLLATE "C" NOT NULL
        GENERATED ALWAYS AS (CASE WHEN payout_key = '' THEN end_to_end_id ELSE 'payout:' || payout_key END) STORED;

ALTER TABLE outbox_event DROP CONSTRAINT outbox_event_number;
ALTER TABLE outbox_event ADD CONSTRAINT outbox_event_number UNIQUE (line, endpoint, number);
