package fakepsp

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// Why a refund ends NAO_REALIZADO, as motivo says it.
const (
	reasonFailed  = "A instituição de destino não aceitou a devolução."
	reasonBlocked = "Saldo bloqueado por notificação de infração (MED)."
	reasonTaken   = "Valor devolvido pelo Mecanismo Especial de Devolução (MED)."
)

// refundBook is what the PSP knows of its refunds and the truth does not hold.
type refundBook struct {
	// reserved is the money of all refunds in process: still in the balance and
	// no longer free.
	reserved pix.Amount
	// notifyAfter is how long after its end the callback of a refund in process is
	// due; hiding has the refunds that a fault hides. Each is made with its first.
	notifyAfter map[refundKey]time.Duration
	hiding      map[refundKey]*hiding
}

func (b *refundBook) hide(key refundKey, h *hiding) {
	if b.hiding == nil {
		b.hiding = map[refundKey]*hiding{}
	}
	b.hiding[key] = h
}

// free is the money that nobody has a claim on. Blocks go before reservations,
// so it can be less than nothing.
func (p *PSP) free() pix.Amount {
	return p.balance - p.refunds.reserved - p.payouts.reserved - p.cases.blocked
}

// begin makes a refund truth, in process, with an rtrId of the PSP's own.
func (p *PSP) begin(row RefundRow, notifyAfter time.Duration, now time.Time) error {
	suffix := p.cfg.NewID("rtrId", string(row.EndToEndID)+"/"+string(row.ID), 11)
	id, err := pix.NewReturnID(p.cfg.ISPB, now, suffix)
	if err != nil {
		return fmt.Errorf("begin refund %s of pix %s: %w", row.ID, row.EndToEndID, err)
	}
	row.ReturnID, row.Status, row.RequestedAt = id, pix.RefundProcessing, stamp(now)
	if err := p.cfg.InsertRefund(p.truth, row); err != nil {
		return err
	}
	p.returns = append(p.returns, refundEffect{
		refundKey: refundKey{row.EndToEndID, row.ID}, returnID: id, cents: row.Amount, status: row.Status, at: row.RequestedAt,
	})
	if p.refunds.notifyAfter == nil {
		p.refunds.notifyAfter = map[refundKey]time.Duration{}
	}
	p.refunds.notifyAfter[refundKey{row.EndToEndID, row.ID}] = notifyAfter
	p.refunds.reserved += row.Amount
	p.version++
	p.tell(func(o Observer) { o.RefundAsked(row) })
	return nil
}

// settleRefund ends a refund whose time has come, unless it ended before.
func (p *PSP) settleRefund(key refundKey, fails bool, at time.Time) {
	row, ok := p.truth.Refund(key.endToEndID, key.id)
	switch {
	case !ok || row.Status.Final():
		return
	case fails:
		p.end(row, pix.RefundFailed, reasonFailed, at)
	case row.Amount > p.balance-p.cases.blocked:
		p.end(row, pix.RefundFailed, reasonBlocked, at)
	default:
		p.end(row, pix.RefundReturned, "", at)
		return
	}
	p.collect(at)
}

// end gives a refund its final state, moves the money if it went, and owes the
// callback of it.
func (p *PSP) end(row RefundRow, status pix.RefundStatus, reason string, at time.Time) {
	row.Status, row.Reason = status, reason
	p.refunds.reserved -= row.Amount
	if status == pix.RefundReturned {
		row.SettledAt = stamp(at)
		p.balance -= row.Amount
		p.truth.AppendLine(lineOfRefund(row))
	}
	p.truth.ReplaceRefund(row)
	key := refundKey{row.EndToEndID, row.ID}
	p.returns = append(p.returns, refundEffect{
		refundKey: key, returnID: row.ReturnID, cents: row.Amount, status: status, at: row.SettledAt,
	})
	p.version++
	p.tell(func(o Observer) { o.RefundSettled(row) })
	p.oweRefund(row, at.Add(p.refunds.notifyAfter[key]))
	delete(p.refunds.notifyAfter, key)
}

// oweRefund makes the callback of a refund's final state due. It tells of the
// Pix again, with all its refunds as they stand at this instant. A Pix without
// txid has none.
func (p *PSP) oweRefund(row RefundRow, due time.Time) {
	item, ok := p.truth.Payment(row.EndToEndID)
	if !ok || item.TxID == "" {
		return
	}
	p.start(&notice{
		subject: row.Payment, name: noticeOf(row), key: item.PixKey,
		items: []pix.Payment{item}, about: row.ID, cleanAt: due,
	})
}

// noticeOf names the callback of a refund's final state.
func noticeOf(row RefundRow) string {
	switch {
	case row.Part > 0:
		return chaos.DisputeNotice(row.Subject, row.Part)
	case row.Subject != "":
		return chaos.RefundNotice(row.Subject)
	}
	return chaos.RefundNotice(string(row.ID))
}
