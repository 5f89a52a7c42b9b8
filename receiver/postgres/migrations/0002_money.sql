-- Charges, the Pix booked on them, and what a person has to look at.

CREATE TABLE charge (
    consumer      text    COLLATE "C" NOT NULL,
    reference     text    COLLATE "C" NOT NULL,
    kind          text    COLLATE "C" NOT NULL,
    txid          text    COLLATE "C" NOT NULL,
    pix_key       text    COLLATE "C" NOT NULL,
    due_cents     bigint  NOT NULL,
    expires_in    bigint  NOT NULL, -- nanoseconds
    state         text    COLLATE "C" NOT NULL,
    created_at    timestamptz,      -- the PSP's word, NULL until it is known
    br_code       text    COLLATE "C" NOT NULL,
    settled_cents bigint  NOT NULL,
    settled_by    text    COLLATE "C" NOT NULL,
    problem       text    COLLATE "C" NOT NULL,
    attempts      integer NOT NULL,
    due_at        timestamptz NOT NULL,
    version       bigint  NOT NULL,
    CONSTRAINT charge_pkey PRIMARY KEY (consumer, reference),
    CONSTRAINT charge_kind CHECK (kind IN ('dynamic', 'static')),
    CONSTRAINT charge_state CHECK (state IN ('intended', 'active', 'failed', 'removed')),
    CONSTRAINT charge_due_cents CHECK (due_cents >= 0)
);

CREATE UNIQUE INDEX charge_txid ON charge (txid) WHERE txid <> '';
CREATE INDEX charge_due ON charge (due_at, consumer, reference) WHERE state = 'intended';

CREATE TABLE payment (
    end_to_end_id           text    COLLATE "C" NOT NULL CONSTRAINT payment_pkey PRIMARY KEY,
    txid                    text    COLLATE "C" NOT NULL,
    pix_key                 text    COLLATE "C" NOT NULL,
    amount_cents            bigint  NOT NULL,
    paid_at                 timestamptz NOT NULL,
    consumer                text    COLLATE "C" NOT NULL, -- with charge: '' while on none
    charge                  text    COLLATE "C" NOT NULL,
    disposition             text    COLLATE "C" NOT NULL,
    confirmed               boolean NOT NULL,
    in_statement            boolean NOT NULL,
    booked_at               timestamptz NOT NULL,
    held_revenue_cents      bigint  NOT NULL,
    held_to_return_cents    bigint  NOT NULL,
    held_unidentified_cents bigint  NOT NULL,
    held_divergent_cents    bigint  NOT NULL,
    refunding_cents         bigint  NOT NULL,
    refunded_cents          bigint  NOT NULL,
    events                  integer NOT NULL, -- the last outbox number taken
    net_cents               bigint  NOT NULL, -- the ledger's net of the credit's line
    CONSTRAINT payment_amount CHECK (amount_cents > 0),
    CONSTRAINT payment_disposition CHECK (
        disposition IN ('exact', 'overpaid', 'underpaid', 'second', 'late', 'unknown')),
    CONSTRAINT payment_refunds CHECK (refunding_cents >= 0 AND refunded_cents >= 0)
);

CREATE INDEX payment_waits_for_charge ON payment (txid) WHERE disposition = 'unknown' AND txid <> '';
CREATE INDEX payment_unseen ON payment (booked_at, end_to_end_id) WHERE NOT in_statement AND net_cents <> 0;

CREATE TABLE suspense_case (
    id            text   COLLATE "C" NOT NULL CONSTRAINT suspense_case_pkey PRIMARY KEY,
    end_to_end_id text   COLLATE "C" NOT NULL,
    account       text   COLLATE "C" NOT NULL, -- '' on a mere contradiction
    amount_cents  bigint NOT NULL,
    reasons       text[] COLLATE "C" NOT NULL,
    state         text   COLLATE "C" NOT NULL,
    opened_at     timestamptz NOT NULL,
    closed_at     timestamptz,
    note          text   COLLATE "C" NOT NULL,
    CONSTRAINT suspense_case_state CHECK (state IN ('open', 'closed')),
    CONSTRAINT suspense_case_account CHECK (account <> '' OR amount_cents = 0)
);

CREATE INDEX suspense_case_of_pix ON suspense_case (end_to_end_id);
