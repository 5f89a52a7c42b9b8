package live

import (
	"github.com/pixlab/pixlab/fakepsp"
)

// truth is everything that settled, as it stands.
func (m *machine) truth() (out Truth) {
	var rows []fakepsp.SettledPix
	var refunds []fakepsp.RefundRow
	var disputes []fakepsp.DisputeCase
	var payouts []fakepsp.PayoutRow
	m.do(func(p *fakepsp.PSP) {
		rows, refunds, disputes, payouts = p.Settled(), p.Refunds(), p.Disputes(), p.Payouts()
		out.BalanceCents, out.BlockedCents, out.ReservedCents = int64(p.Balance()), int64(p.Blocked()), int64(p.Reserved())
	})
	out.Payments, out.Refunds, out.Disputes = make([]Settled, len(rows)), make([]Refund, len(refunds)), make([]Dispute, len(disputes))
	for i, row := range rows {
		out.Payments[i] = Settled{
			EndToEndID: row.EndToEndID, TxID: row.TxID, PixKey: row.PixKey, AmountCents: int64(row.Amount),
			PaidAt: row.PaidAt, Subject: row.Subject,
		}
	}
	for i, row := range refunds {
		out.Refunds[i] = refundOf(row)
	}
	for i, d := range disputes {
		out.Disputes[i] = disputeOf(d)
	}
	out.Payouts = make([]Payout, len(payouts))
	for i, row := range payouts {
		out.Payouts[i] = payoutOf(row)
	}
	return out
}

func refundOf(row fakepsp.RefundRow) Refund {
	return Refund{
		EndToEndID: row.EndToEndID, ID: row.ID, ReturnID: row.ReturnID, AmountCents: int64(row.Amount),
		Nature: row.Nature, Status: row.Status, RequestedAt: row.RequestedAt, SettledAt: row.SettledAt,
		Subject: row.Subject, Part: row.Part,
	}
}

func disputeOf(d fakepsp.DisputeCase) Dispute {
	return Dispute{
		ID: d.ID, EndToEndID: d.EndToEndID, Nature: d.Nature, Stage: d.Stage, BlockedCents: int64(d.Blocked),
		GoalCents: int64(d.Goal), ReturnedCents: int64(d.Returned), At: d.At,
	}
}
