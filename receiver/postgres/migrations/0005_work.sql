-- What the merchant is told, the periodic duties, and the operators' book.

CREATE SEQUENCE outbox_event_id AS bigint;

CREATE TABLE outbox_event (
    id            bigint  NOT NULL CONSTRAINT outbox_event_pkey PRIMARY KEY,
    end_to_end_id text    COLLATE "C" NOT NULL,
    number        integer NOT NULL,
    kind          text    COLLATE "C" NOT NULL,
    amount_cents  bigint  NOT NULL,
    charge        text    COLLATE "C" NOT NULL,
    refund_id     text    COLLATE "C" NOT NULL,
    at            timestamptz NOT NULL,
    sent          boolean NOT NULL,
    dead          boolean NOT NULL,
    attempts      integer NOT NULL,
    due_at        timestamptz NOT NULL,
    version       bigint  NOT NULL,
    -- The first of its payment that is not out: the only one that may go.
    ready         boolean NOT NULL,
    CONSTRAINT outbox_event_number UNIQUE (end_to_end_id, number),
    CONSTRAINT outbox_event_ready CHECK (NOT (ready AND (sent OR dead)))
);

ALTER SEQUENCE outbox_event_id OWNED BY outbox_event.id;

CREATE INDEX outbox_event_due ON outbox_event (due_at, id) WHERE ready;

CREATE TABLE duty (
    name      text   COLLATE "C" NOT NULL CONSTRAINT duty_pkey PRIMARY KEY,
    version   bigint NOT NULL,
    watermark timestamptz,
    cursor    text   COLLATE "C" NOT NULL,
    next_at   timestamptz,
    lease_end timestamptz
);

CREATE TABLE operator_record (
    number   bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT operator_record_pkey PRIMARY KEY,
    at       timestamptz NOT NULL,
    operator text   COLLATE "C" NOT NULL,
    action   text   COLLATE "C" NOT NULL,
    subject  text   COLLATE "C" NOT NULL,
    note     text   COLLATE "C" NOT NULL
);

CREATE TRIGGER operator_record_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_record
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();
