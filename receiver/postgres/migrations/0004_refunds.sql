-- Refunds, the merchant's and the PSP's own, and what the PSP has blocked.

CREATE TABLE refund (
    number                  bigint  GENERATED ALWAYS AS IDENTITY CONSTRAINT refund_pkey PRIMARY KEY,
    consumer                text    COLLATE "C" NOT NULL, -- with reference: the merchant's intention
    reference               text    COLLATE "C" NOT NULL,
    end_to_end_id           text    COLLATE "C" NOT NULL,
    refund_id               text    COLLATE "C" NOT NULL,
    rekeys                  integer NOT NULL,
    return_id               text    COLLATE "C" NOT NULL,
    amount_cents            bigint  NOT NULL,
    nature                  text    COLLATE "C" NOT NULL,
    origin                  text    COLLATE "C" NOT NULL,
    state                   text    COLLATE "C" NOT NULL,
    from_to_return_cents    bigint  NOT NULL,
    from_unidentified_cents bigint  NOT NULL,
    from_divergent_cents    bigint  NOT NULL,
    from_revenue_cents      bigint  NOT NULL,
    excess                  boolean NOT NULL,
    clash                   boolean NOT NULL,
    problem                 text    COLLATE "C" NOT NULL,
    in_statement            boolean NOT NULL,
    requested_at            timestamptz NOT NULL,
    first_call_at           timestamptz,
    finished_at             timestamptz,
    attempts                integer NOT NULL,
    due_at                  timestamptz NOT NULL,
    version                 bigint  NOT NULL,
    CONSTRAINT refund_amount CHECK (amount_cents > 0),
    CONSTRAINT refund_origin CHECK (origin IN ('merchant', 'psp')),
    CONSTRAINT refund_state CHECK (state IN ('reserved', 'processing', 'returned', 'failed')),
    CONSTRAINT refund_source CHECK (amount_cents =
        from_to_return_cents + from_unidentified_cents + from_divergent_cents + from_revenue_cents)
);

CREATE UNIQUE INDEX refund_reference ON refund (consumer, reference) WHERE origin = 'merchant';
-- An rtrId is one refund; the id at the PSP proves nothing.
CREATE UNIQUE INDEX refund_return_id ON refund (end_to_end_id, return_id) WHERE return_id <> '';
CREATE INDEX refund_of_pix ON refund (end_to_end_id, number);
CREATE INDEX refund_due ON refund (due_at, requested_at, consumer, reference)
    WHERE origin = 'merchant' AND state IN ('reserved', 'processing');

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%: refused by %', TG_TABLE_NAME, TG_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

-- The cap of refunds: nobody sets aside more of a Pix than is left of it. The
-- condition is looked at where more is set aside, and nowhere else: the
-- statement may well leave less than nothing behind.
CREATE TRIGGER payment_refund_cap BEFORE UPDATE ON payment FOR EACH ROW
    WHEN (NEW.refunding_cents > OLD.refunding_cents AND
        NEW.held_revenue_cents + NEW.held_to_return_cents +
        NEW.held_unidentified_cents + NEW.held_divergent_cents < 0)
    EXECUTE FUNCTION refuse();

CREATE TABLE memo (
    id            text    COLLATE "C" NOT NULL CONSTRAINT memo_pkey PRIMARY KEY,
    end_to_end_id text    COLLATE "C" NOT NULL,
    amount_cents  bigint  NOT NULL,
    released      boolean NOT NULL,
    at            timestamptz NOT NULL
);
