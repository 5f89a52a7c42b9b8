-- The inbox: every item that came, and its other contents. Ids are bytes, so
-- their order and equality are those of the collation "C".

CREATE SEQUENCE inbox_event_id AS bigint;

CREATE TABLE inbox_event (
    id            bigint  NOT NULL CONSTRAINT inbox_event_pkey PRIMARY KEY,
    source        text    COLLATE "C" NOT NULL,
    event_key     text    COLLATE "C" NOT NULL,
    channel       text    COLLATE "C" NOT NULL,
    about         text    COLLATE "C" NOT NULL,
    end_to_end_id text    COLLATE "C" NOT NULL, -- '' where nothing can be read
    txid          text    COLLATE "C" NOT NULL,
    pix_key       text    COLLATE "C" NOT NULL,
    amount_cents  bigint  NOT NULL,
    paid_at       timestamptz,                  -- of a credit
    refund_id     text    COLLATE "C" NOT NULL, -- from here on of a refund
    return_id     text    COLLATE "C" NOT NULL,
    nature        text    COLLATE "C" NOT NULL,
    refund_status text    COLLATE "C" NOT NULL,
    confirmed     boolean NOT NULL,
    raw           bytea   NOT NULL,             -- as received
    received_at   timestamptz NOT NULL,
    state         text    COLLATE "C" NOT NULL,
    quarantine    text    COLLATE "C" NOT NULL,
    reason        text    COLLATE "C" NOT NULL,
    attempts      integer NOT NULL,
    due_at        timestamptz NOT NULL,
    version       bigint  NOT NULL,
    holder        text    COLLATE "C" NOT NULL,
    CONSTRAINT inbox_event_source_key UNIQUE (source, event_key),
    CONSTRAINT inbox_event_about CHECK (about IN ('credit', 'refund', 'nothing')),
    CONSTRAINT inbox_event_state CHECK (state IN ('RECEIVED', 'PROCESSED', 'QUARANTINED')),
    CONSTRAINT inbox_event_quarantine CHECK (
        quarantine IN ('', 'waiting', 'bad') AND (quarantine <> '') = (state = 'QUARANTINED'))
);

ALTER SEQUENCE inbox_event_id OWNED BY inbox_event.id;

-- The queue, in the order in which it is claimed.
CREATE INDEX inbox_event_due ON inbox_event (due_at, id) WHERE state = 'RECEIVED';
-- What is in flight about one Pix.
CREATE INDEX inbox_event_in_flight ON inbox_event (end_to_end_id) WHERE state = 'RECEIVED';
-- What is set aside, as operators list it.
CREATE INDEX inbox_event_aside ON inbox_event (id) WHERE state = 'QUARANTINED';
-- What a new charge wakes, and what a booked Pix wakes.
CREATE INDEX inbox_event_waits_for_charge ON inbox_event (txid)
    WHERE quarantine = 'waiting' AND about = 'credit' AND txid <> '';
CREATE INDEX inbox_event_waits_for_pix ON inbox_event (end_to_end_id)
    WHERE quarantine = 'waiting' AND about = 'refund';

CREATE TABLE inbox_variant (
    number        bigint  GENERATED ALWAYS AS IDENTITY CONSTRAINT inbox_variant_pkey PRIMARY KEY,
    event_id      bigint  NOT NULL CONSTRAINT inbox_variant_event REFERENCES inbox_event (id),
    channel       text    COLLATE "C" NOT NULL,
    about         text    COLLATE "C" NOT NULL,
    end_to_end_id text    COLLATE "C" NOT NULL,
    txid          text    COLLATE "C" NOT NULL,
    pix_key       text    COLLATE "C" NOT NULL,
    amount_cents  bigint  NOT NULL,
    paid_at       timestamptz,
    refund_id     text    COLLATE "C" NOT NULL,
    return_id     text    COLLATE "C" NOT NULL,
    nature        text    COLLATE "C" NOT NULL,
    refund_status text    COLLATE "C" NOT NULL,
    confirmed     boolean NOT NULL,
    received_at   timestamptz NOT NULL,
    CONSTRAINT inbox_variant_about CHECK (about IN ('credit', 'refund'))
);

CREATE INDEX inbox_variant_of_event ON inbox_variant (event_id, number);
