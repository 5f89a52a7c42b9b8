-- Refunds that count as returned and that no line of the statement vouches for:
-- the reconciliation looks for them.

CREATE INDEX refund_unseen ON refund (finished_at, return_id, end_to_end_id)
    WHERE state = 'returned' AND NOT in_statement;

-- Pix that nobody has vouched for yet: who spends leaves their money out.
CREATE INDEX payment_unconfirmed ON payment (end_to_end_id) WHERE NOT confirmed;
