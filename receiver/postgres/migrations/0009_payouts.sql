-- Payouts: Pix that the merchant sends; what news of them says in the inbox; and
-- when a call may last have left that nobody has an answer of.

CREATE TABLE payout (
    consumer      text    COLLATE "C" NOT NULL,
    reference     text    COLLATE "C" NOT NULL,
    pix_key       text    COLLATE "C" NOT NULL, -- of the payee
    amount_cents  bigint  NOT NULL,
    payout_key    text    COLLATE "C" NOT NULL CONSTRAINT payout_key UNIQUE, -- the Idempotency-Key at the PSP
    end_to_end_id text    COLLATE "C" NOT NULL, -- '' until the PSP told it
    state         text    COLLATE "C" NOT NULL,
    queued        boolean NOT NULL,             -- waits for a person
    problem       text    COLLATE "C" NOT NULL,
    refused_at    timestamptz,
    return_ids    text[]    COLLATE "C" NOT NULL, -- what came back of it, in the order booked
    return_cents  bigint[]  NOT NULL,
    return_seen   boolean[] NOT NULL,             -- in the statement
    in_statement  boolean NOT NULL,
    requested_at  timestamptz NOT NULL,
    first_call_at timestamptz,
    last_call_at  timestamptz,
    prior_call_at timestamptz,
    finished_at   timestamptz,
    attempts      integer NOT NULL,
    due_at        timestamptz NOT NULL,
    version       bigint  NOT NULL,
    CONSTRAINT payout_pkey PRIMARY KEY (consumer, reference),
    CONSTRAINT payout_amount CHECK (amount_cents > 0),
    CONSTRAINT payout_state CHECK (state IN ('reserved', 'processing', 'confirmed', 'failed')),
    CONSTRAINT payout_confirmed CHECK (state <> 'confirmed' OR end_to_end_id <> ''),
    CONSTRAINT payout_queued CHECK (NOT queued OR state = 'reserved'),
    CONSTRAINT payout_returns CHECK (
        cardinality(return_ids) = cardinality(return_cents) AND cardinality(return_ids) = cardinality(return_seen)
        AND (state = 'confirmed' OR cardinality(return_ids) = 0))
);

CREATE INDEX payout_end_to_end_id ON payout (end_to_end_id) WHERE end_to_end_id <> '';
CREATE INDEX payout_due ON payout (due_at, requested_at, consumer, reference)
    WHERE state IN ('reserved', 'processing');

ALTER TABLE inbox_event ADD COLUMN payout_key text COLLATE "C" NOT NULL DEFAULT '',
    DROP CONSTRAINT inbox_event_about,
    ADD CONSTRAINT inbox_event_about CHECK (about IN ('credit', 'refund', 'payout', 'nothing'));
ALTER TABLE inbox_variant ADD COLUMN payout_key text COLLATE "C" NOT NULL DEFAULT '',
    DROP CONSTRAINT inbox_variant_about,
    ADD CONSTRAINT inbox_variant_about CHECK (about IN ('credit', 'refund', 'payout'));

DROP INDEX inbox_event_in_flight;
CREATE INDEX inbox_event_in_flight ON inbox_event (end_to_end_id) WHERE state = 'RECEIVED' AND about IN ('refund', 'payout');

-- What payouts hold is no more free than what refunds hold.
ALTER TABLE account_balance ADD COLUMN in_transit_cents bigint NOT NULL DEFAULT 0; -- on payout:em_transito

ALTER TABLE refund ADD COLUMN last_call_at timestamptz, ADD COLUMN prior_call_at timestamptz;
UPDATE refund SET last_call_at = first_call_at, prior_call_at = first_call_at;
