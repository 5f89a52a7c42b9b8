-- Idempotency keys of the merchant's API: what a repeat of a request gets.

CREATE TABLE idempotency_key (
    consumer     text    COLLATE "C" NOT NULL,
    route        text    COLLATE "C" NOT NULL,
    key          text    COLLATE "C" NOT NULL,
    body_hash    bytea   NOT NULL, -- SHA-256 of the body as it came
    state        text    COLLATE "C" NOT NULL,
    reference    text    COLLATE "C" NOT NULL, -- of the intention; '' where there is none
    status       integer NOT NULL,
    content_type text    COLLATE "C" NOT NULL,
    body         bytea,
    at           timestamptz NOT NULL,
    held_until   timestamptz,      -- while in flight
    version      bigint  NOT NULL,
    CONSTRAINT idempotency_key_pkey PRIMARY KEY (consumer, route, key),
    CONSTRAINT idempotency_key_state CHECK (state IN ('in_flight', 'answered', 'purged')),
    CONSTRAINT idempotency_key_answer CHECK ((state = 'answered') = (status <> 0)),
    CONSTRAINT idempotency_key_hold CHECK ((state = 'in_flight') = (held_until IS NOT NULL)),
    CONSTRAINT idempotency_key_hash CHECK (length(body_hash) = 32)
);

-- What a purge may come for.
CREATE INDEX idempotency_key_kept ON idempotency_key (at, consumer, route, key) WHERE state <> 'purged';

-- An intention keeps its key for ever, and a key its body: whoever cleans up by
-- hand is held to that too.
CREATE TRIGGER idempotency_key_stays BEFORE DELETE ON idempotency_key FOR EACH ROW
    WHEN (OLD.reference <> '')
    EXECUTE FUNCTION refuse();
CREATE TRIGGER idempotency_key_body BEFORE UPDATE ON idempotency_key FOR EACH ROW
    WHEN (OLD.reference <> '' AND (OLD.body_hash <> NEW.body_hash OR OLD.reference <> NEW.reference))
    EXECUTE FUNCTION refuse();
