-- What the reconciliation looks for: refunds that count as returned and that no
-- line of the statement vouches for.

CREATE INDEX refund_unseen ON refund (finished_at, return_id, end_to_end_id)
    WHERE state = 'returned' AND NOT in_statement;
