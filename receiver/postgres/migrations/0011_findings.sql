-- What the reconciliation found, the reports of closed days, and the windows that
-- operators asked for.

CREATE TABLE reconcile_finding (
    number          bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT reconcile_finding_pkey PRIMARY KEY,
    kind            text   COLLATE "C" NOT NULL,
    end_to_end_id   text   COLLATE "C" NOT NULL,
    line_id         text   COLLATE "C" NOT NULL,
    class           text   COLLATE "C" NOT NULL,
    statement_cents bigint NOT NULL, -- money out is below zero
    ledger_cents    bigint NOT NULL,
    settled_at      timestamptz NOT NULL,
    found_at        timestamptz NOT NULL,
    day             text   COLLATE "C" NOT NULL DEFAULT '', -- whose report has it; '' while none has
    CONSTRAINT reconcile_finding_once UNIQUE (end_to_end_id, kind, line_id, class)
);

CREATE INDEX reconcile_finding_settled ON reconcile_finding (settled_at);

CREATE TABLE day_report (
    day       text  COLLATE "C" NOT NULL CONSTRAINT day_report_pkey PRIMARY KEY,
    closed_at timestamptz NOT NULL,
    body      bytea NOT NULL
);

CREATE TRIGGER day_report_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON day_report
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();

CREATE TABLE reconcile_window (
    id           bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT reconcile_window_pkey PRIMARY KEY,
    from_at      timestamptz NOT NULL,
    to_at        timestamptz NOT NULL,
    operator     text  COLLATE "C" NOT NULL,
    note         text  COLLATE "C" NOT NULL,
    requested_at timestamptz NOT NULL,
    finished_at  timestamptz,
    report       bytea
);
