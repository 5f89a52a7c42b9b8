package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// MatchStatement classes lines of the statement. Pix received, their refunds,
// payouts and what came back of them are compared; a line of another kind is OK.
//
// Nearly every line agrees with the ledger, and there may be a million: those of
// Pix received are looked at without a lock and with what the rules ask for
// alone, and marked all at once. What is left is read whole, under locks.
func (s *Store) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	if len(in) == 0 {
		return nil, ctx.Err()
	}
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]receiver.MatchOutcome, len(in))
	err = s.run(ctx, "match statement", func(ctx context.Context, tx *tx) error {
		tx.at = now
		m := &matching{tx: tx, in: in, out: out, flying: map[flight]bool{}}
		return m.match(ctx)
	})
	return out, err
}

// matching is one page of the statement on its way through a transaction.
type matching struct {
	*tx
	in     []pix.StatementLine
	out    []receiver.MatchOutcome
	flying map[flight]bool
	// slow are the lines, by place, that want the whole of their Pix.
	slow []int
}

func (m *matching) match(ctx context.Context) error {
	credits, err := m.readCredits(ctx)
	if err != nil {
		return err
	}
	var marks []int
	for i, l := range m.in {
		switch l.Kind {
		case pix.KindPixIn:
			p := credits[l.EndToEndID]
			if !m.quick(i, p) {
				m.slow = append(m.slow, i)
			} else if !p.payment.InStatement || !p.payment.Confirmed {
				marks = append(marks, i)
			}
		case pix.KindRefundOut, pix.KindPixOut, pix.KindReturnIn:
			m.slow = append(m.slow, i)
		default:
			m.out[i] = receiver.MatchOutcome{Class: receiver.MatchOK}
		}
	}
	if err := m.mark(ctx, marks); err != nil {
		return err
	}
	for _, i := range m.slow {
		m.whole(i)
	}
	return nil
}

// quick classes the line of a credit that agrees with the ledger in all. False:
// there is more to it.
func (m *matching) quick(i int, p *booked) bool {
	l := m.in[i]
	if p == nil || m.rules().InstantDiffers(p.payment, l) {
		return false
	}
	f := receiver.CreditLine(l, &p.payment, p.net, m.flying[flight{aboutCredit, l.EndToEndID}])
	class := m.rules().MatchLine(f)
	if !class.Agrees() {
		return false
	}
	m.settle(i, f, class)
	return true
}

// settle notes a line's class.
func (m *matching) settle(i int, f receiver.LineFacts, class receiver.MatchClass) {
	m.out[i] = receiver.MatchOutcome{Class: class, Ledger: f.Net}
	if found, is := receiver.FindingOf(f, class, m.at); is {
		m.findings.add(found)
	}
}

// whole classes a line whose Pix was read whole, under its lock.
func (m *matching) whole(i int) {
	facts := m.creditLine
	switch m.in[i].Kind {
	case pix.KindRefundOut:
		facts = m.refundLine
	case pix.KindPixOut, pix.KindReturnIn:
		facts = m.payoutLine
	}
	f, seen := facts(m.in[i])
	class := m.rules().MatchLine(f)
	m.settle(i, f, class)
	if class.Agrees() {
		seen()
	}
}

// flight is what the inbox may still be working on.
type flight struct {
	about string
	e2e   pix.EndToEndID
}

// booked is what the rules ask of a credit's payment: no other member is read.
type booked struct {
	payment receiver.Payment
	net     pix.Amount
}

// readCredits reads what is in flight, and then the payments: what is done by
// then is booked by the time the payments are read.
func (m *matching) readCredits(ctx context.Context) (map[pix.EndToEndID]*booked, error) {
	ids, keys := make([]string, 0, len(m.in)), make([]string, 0, len(m.in))
	others := make([]string, 0, len(m.in)) // of refunds and payouts
	for _, l := range m.in {
		switch l.Kind {
		case pix.KindPixIn:
			ids, keys = append(ids, text(l.EndToEndID)), append(keys, text(receiver.CreditKey(l.EndToEndID)))
		case pix.KindRefundOut, pix.KindPixOut, pix.KindReturnIn:
			others = append(others, text(l.EndToEndID))
		}
	}
	out := make(map[pix.EndToEndID]*booked, len(ids))
	p := m.begin()
	p.query(readFlights, []any{others, keys}, func(rows pgx.Rows) error {
		var f flight
		err := rows.Scan(&f.about, &f.e2e)
		m.flying[f] = true
		return err
	})
	p.query(readCredits, []any{ids}, func(rows pgx.Rows) error {
		b := &booked{}
		x := &b.payment
		err := rows.Scan(&x.EndToEndID, &x.PaidAt, &x.Disposition, &x.Confirmed, &x.InStatement, &b.net)
		out[x.EndToEndID] = b
		return err
	})
	return out, m.send(ctx, p)
}

// Each part has an index of its own: credits that of their keys, refunds and
// payouts that of what is in flight.
const readFlights = `SELECT about, end_to_end_id FROM inbox_event
WHERE event_key = ANY ($2) AND about = 'credit' AND state = 'RECEIVED'
UNION
SELECT about, end_to_end_id FROM inbox_event
WHERE end_to_end_id = ANY ($1) AND about IN ('refund', 'payout') AND state = 'RECEIVED'`

const readCredits = `SELECT end_to_end_id, paid_at, disposition, confirmed, in_statement, net_cents FROM payment
WHERE end_to_end_id = ANY ($1)`

// mark marks payments as seen, and reads those of the slow lines whole. All locks
// are taken in one order, before anything is changed. A payment whose line no
// longer agrees by then is a slow one.
func (m *matching) mark(ctx context.Context, marks []int) error {
	if len(marks)+len(m.slow) == 0 {
		return nil
	}
	var locked, slow, payouts []pix.EndToEndID
	var refunds []line
	for _, i := range m.slow {
		switch l := m.in[i]; l.Kind {
		case pix.KindPixOut, pix.KindReturnIn:
			payouts = append(payouts, l.EndToEndID)
		case pix.KindRefundOut:
			refunds = append(refunds, line{l.EndToEndID, pix.ReturnID(l.ID)})
			slow = append(slow, l.EndToEndID)
		default:
			slow = append(slow, l.EndToEndID)
		}
	}
	left := map[pix.EndToEndID]int{}
	for _, i := range marks {
		left[m.in[i].EndToEndID] = i
		locked = append(locked, m.in[i].EndToEndID)
	}
	p := m.begin()
	if len(marks) > 0 {
		m.lockAndMark(p, marks, append(locked, slow...), left)
	}
	m.lockPix(p, slow)
	m.lockLinesOfPayouts(p, payouts)
	m.readRefundNets(p, refunds)
	if err := m.send(ctx, p); err != nil || len(left) == 0 {
		return err
	}
	p = m.begin()
	var again []pix.EndToEndID
	for _, i := range marks {
		if _, is := left[m.in[i].EndToEndID]; is {
			m.slow = append(m.slow, i)
			again = append(again, m.in[i].EndToEndID)
		}
	}
	m.lockPix(p, again)
	return m.send(ctx, p)
}

// lockAndMark marks as seen, and takes out of left, what has still the line's net.
func (m *matching) lockAndMark(p *pipeline, marks []int, locked []pix.EndToEndID, left map[pix.EndToEndID]int) {
	slices.Sort(locked)
	p.exec(lockInOrder, texts(slices.Compact(locked), func(id pix.EndToEndID) pix.EndToEndID { return id }))
	args := []any{
		texts(marks, func(i int) pix.EndToEndID { return m.in[i].EndToEndID }),
		column(marks, func(i int) int64 { return m.in[i].Signed() }),
	}
	p.query(markSeen, args, func(rows pgx.Rows) error {
		var id pix.EndToEndID
		err := rows.Scan(&id)
		delete(left, id)
		return err
	})
}

const lockInOrder = `SELECT FROM payment
WHERE end_to_end_id = ANY ($1)
ORDER BY end_to_end_id -- the lock order
FOR UPDATE`

const markSeen = `UPDATE payment AS p
SET in_statement = true, confirmed = true
FROM unnest($1::text[], $2::bigint[]) AS n (end_to_end_id, cents)
WHERE p.end_to_end_id = n.end_to_end_id AND p.net_cents = n.cents
RETURNING p.end_to_end_id`

// creditLine are the facts about a Pix received, and what marks it as seen.
func (m *matching) creditLine(l pix.StatementLine) (f receiver.LineFacts, seen func()) {
	p := m.payment(l.EndToEndID)
	f = receiver.CreditLine(l, p, m.ledger.nets[line{l.EndToEndID, ""}], m.flying[flight{aboutCredit, l.EndToEndID}])
	if p != nil && !f.InFlight && m.rules().InstantDiffers(*p, l) {
		note := receiver.CaseNote{ID: receiver.DivergenceCase(l.EndToEndID), Reason: receiver.ReasonInstantDiffers}
		m.openCase(note, l.EndToEndID, m.at)
	}
	return f, func() {
		if after := *p; !after.InStatement || !after.Confirmed {
			after.InStatement, after.Confirmed = true, true
			m.putPayment(after)
		}
	}
}

// refundLine are the facts about a refund's line, whose ID is the rtrId, and what
// marks it as seen. A call of our own that has no answer yet, for as much, may be
// what the line is of.
func (m *matching) refundLine(l pix.StatementLine) (f receiver.LineFacts, seen func()) {
	id, amount := pix.ReturnID(l.ID), pix.Amount(l.Cents)
	same := m.returned(l.EndToEndID, id)
	unanswered := m.firstRefund(l.EndToEndID, func(x *receiver.Refund) bool {
		return x.Unanswered(amount)
	})
	inFlight := m.flying[flight{aboutRefund, l.EndToEndID}] || unanswered != nil
	return receiver.RefundLine(l, same, m.ledger.nets[line{l.EndToEndID, id}], inFlight), func() {
		if after := *same; !after.InStatement {
			after.InStatement = true
			m.putRefund(after)
		}
	}
}
