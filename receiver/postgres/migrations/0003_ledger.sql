-- The ledger: double entry, written whole and never changed. The database
-- itself refuses what would break it, whoever writes.

CREATE SEQUENCE ledger_transaction_id AS bigint;

CREATE TABLE ledger_transaction (
    id        bigint   NOT NULL CONSTRAINT ledger_transaction_pkey PRIMARY KEY,
    reference text     COLLATE "C" NOT NULL,
    booked_at timestamptz NOT NULL,
    entries   smallint NOT NULL, -- how many it has
    CONSTRAINT ledger_transaction_reference UNIQUE (reference),
    CONSTRAINT ledger_transaction_named CHECK (reference <> ''),
    CONSTRAINT ledger_transaction_entries CHECK (entries >= 2)
);

ALTER SEQUENCE ledger_transaction_id OWNED BY ledger_transaction.id;

CREATE TABLE ledger_entry (
    transaction_id bigint   NOT NULL,
    position       smallint NOT NULL,
    account        text     COLLATE "C" NOT NULL,
    cents          bigint   NOT NULL, -- positive is a debit
    end_to_end_id  text     COLLATE "C" NOT NULL,
    return_id      text     COLLATE "C" NOT NULL,
    charge         text     COLLATE "C" NOT NULL,
    CONSTRAINT ledger_entry_pkey PRIMARY KEY (transaction_id, position),
    CONSTRAINT ledger_entry_cents CHECK (cents <> 0),
    CONSTRAINT ledger_entry_account CHECK (account <> '')
);

-- The net of one refund's line of the statement.
CREATE INDEX ledger_entry_refund_line ON ledger_entry (end_to_end_id, return_id)
    WHERE account = 'psp:pix:liquidar' AND return_id <> '';

-- A transaction and its entries are written by one statement. Both triggers
-- run once a statement, however many rows it wrote: the one finds a
-- transaction without entries, the other entries that do not balance, that
-- are not as many as their transaction says, or that come after it.

CREATE FUNCTION ledger_transaction_complete() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bad text;
BEGIN
    SELECT t.reference INTO bad
    FROM fresh AS t
    WHERE NOT EXISTS (SELECT FROM ledger_entry AS e WHERE e.transaction_id = t.id)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'transaction %: want its entries in the same statement', bad
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_transaction_complete';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER ledger_transaction_complete AFTER INSERT ON ledger_transaction
    REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_transaction_complete();

CREATE FUNCTION ledger_entry_balances() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bad record;
BEGIN
    SELECT n.transaction_id, n.total, t.entries AS want INTO bad
    FROM (SELECT transaction_id, sum(cents) AS total FROM fresh GROUP BY transaction_id) AS n
    LEFT JOIN ledger_transaction AS t ON t.id = n.transaction_id
    WHERE n.total <> 0 OR t.entries IS DISTINCT FROM
        (SELECT count(*) FROM ledger_entry AS e WHERE e.transaction_id = n.transaction_id)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'transaction %: entries sum to % cents, want % entries that sum to 0',
            bad.transaction_id, bad.total, bad.want
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entry_balances';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER ledger_entry_balances AFTER INSERT ON ledger_entry
    REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_entry_balances();

CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on %: it is only ever added to', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_transaction_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transaction
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- What the account has, kept by whoever books so that nobody sums the ledger:
-- the account has the sum of all rows. Row 0 is that of the spenders, who hold
-- its lock while they look at the sum. Everybody else adds to one of the other
-- rows, so that credits do not queue for one row.
CREATE TABLE account_balance (
    stripe           smallint NOT NULL CONSTRAINT account_balance_pkey PRIMARY KEY,
    settlement_cents bigint   NOT NULL DEFAULT 0, -- on psp:pix:liquidar
    in_process_cents bigint   NOT NULL DEFAULT 0, -- on devolucao:em_processamento
    blocked_cents    bigint   NOT NULL DEFAULT 0  -- of memos not released
) WITH (fillfactor = 10);

INSERT INTO account_balance (stripe) SELECT generate_series(0, 32);
