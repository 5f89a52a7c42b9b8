package fakepsp

import (
	"fmt"
	"slices"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// Why a payout ends REJEITADO, as motivo says it.
const (
	reasonPayeeRefused = "A instituição de destino não aceitou o pagamento."
	reasonPayoutFunds  = "Saldo bloqueado ou insuficiente na liquidação."
)

// beginPayout makes a payout truth, in process, and its money no longer free.
func (p *PSP) beginPayout(row PayoutRow, terms PayoutTerms, r pix.PayoutRequest, now time.Time) error {
	if err := p.cfg.InsertPayout(p.truth, row); err != nil {
		return err
	}
	p.sent = append(p.sent, payoutEffect{
		id: row.EndToEndID, key: row.Key, to: row.PixKey, cents: row.Amount, status: row.Status, at: row.RequestedAt,
	})
	b := &p.payouts
	if b.keys == nil {
		b.keys, b.state = map[string]payoutKey{}, map[pix.EndToEndID]*payoutState{}
	}
	b.keys[row.Key] = payoutKey{id: row.EndToEndID, request: r, since: now}
	b.state[row.EndToEndID] = &payoutState{terms: terms}
	b.reserved += row.Amount
	p.version++
	p.tell(func(o Observer) { o.PayoutAsked(row) })
	return nil
}

// settlePayout ends a payout whose time has come.
func (p *PSP) settlePayout(id pix.EndToEndID, at time.Time) {
	row, ok := p.truth.Payout(id)
	if !ok || row.Status.Final() {
		return
	}
	terms := p.payouts.state[id].terms
	switch {
	case terms.Rejects:
		p.endPayout(row, pix.PayoutRejected, reasonPayeeRefused, at)
	case row.Amount > p.balance-p.cases.blocked:
		p.endPayout(row, pix.PayoutRejected, reasonPayoutFunds, at)
	default:
		p.endPayout(row, pix.PayoutConfirmed, "", at)
		for n, back := range terms.Returns {
			p.agenda.add(at.Add(back.After), func(at time.Time) { p.returnPayout(id, n+1, back.Amount, at) })
		}
		return
	}
	p.collect(at)
}

// endPayout gives a payout its final state, moves the money if it went, and owes
// the callback of it.
func (p *PSP) endPayout(row PayoutRow, status pix.PayoutStatus, reason string, at time.Time) {
	row.Status, row.Reason = status, reason
	p.payouts.reserved -= row.Amount
	if status == pix.PayoutConfirmed {
		row.SettledAt = stamp(at)
		p.balance -= row.Amount
		p.truth.AppendLine(lineOfPayout(row))
	}
	p.truth.ReplacePayout(row)
	p.sent = append(p.sent, payoutEffect{
		id: row.EndToEndID, key: row.Key, to: row.PixKey, cents: row.Amount, status: status, at: row.SettledAt,
	})
	p.version++
	p.tell(func(o Observer) { o.PayoutEnded(row) })
	p.owePayout(row, chaos.NoticePayout, at)
}

// returnPayout takes money of a confirmed payout back in, as far as it has not
// come back already.
func (p *PSP) returnPayout(id pix.EndToEndID, nth int, amount pix.Amount, at time.Time) {
	row, ok := p.truth.Payout(id)
	amount = min(amount, row.Amount-row.Returned())
	if !ok || row.Status != pix.PayoutConfirmed || amount <= 0 {
		return
	}
	rtr, err := pix.NewReturnID(p.cfg.ISPB, at, p.cfg.NewID("rtrId", fmt.Sprintf("%s/%d", id, nth), 11))
	if err != nil || p.truth.HasReturn(rtr) || p.truth.hasLineID(string(rtr)) {
		return // no institution could send this one
	}
	back := pix.PayoutReturn{ReturnID: rtr, Amount: amount, SettledAt: stamp(at)}
	row.Returns = append(slices.Clip(row.Returns), back)
	p.balance += amount
	p.truth.ReplacePayout(row)
	p.truth.AppendLine(lineOfReturn(id, back))
	p.cameBack = append(p.cameBack, returnEffect{id: id, returnID: rtr, cents: amount, at: back.SettledAt})
	p.version++
	p.tell(func(o Observer) { o.PayoutReturned(row, back) })
	p.owePayout(row, chaos.ReturnNotice(nth), at)
	p.collect(at)
}

// owePayout makes a callback about a payout due. It tells of it as it stands at
// this instant.
func (p *PSP) owePayout(row PayoutRow, name string, at time.Time) {
	due := at.Add(p.payouts.state[row.EndToEndID].terms.NotifyAfter)
	p.start(&notice{subject: row.Subject, name: name, key: p.cfg.PixKeys[0], payouts: []pix.Payout{row.Payout}, cleanAt: due})
}
