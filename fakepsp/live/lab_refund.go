package live

import (
	"errors"
	"net/http"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// refund is POST /lab/refunds.
func (l *lab) refund(r *http.Request) (any, error) {
	var o RefundOrder
	if err := readJSON(r, &o); err != nil {
		return nil, err
	}
	if err := errors.Join(inTime("settle_after_ms", o.SettleAfterMS), inTime("notify_after_ms", o.NotifyAfterMS)); err != nil {
		return nil, badRequest("%s", err)
	}
	return l.m.askRefund(o)
}

func (m *machine) askRefund(o RefundOrder) (row Refund, err error) {
	m.do(func(p *fakepsp.PSP) {
		if _, known := p.Payment(o.EndToEndID); !known {
			err = notFound("no Pix %q", o.EndToEndID)
			return
		}
		var made fakepsp.RefundRow
		made, err = p.AskRefund(fakepsp.RefundOrder{
			EndToEndID: o.EndToEndID, ID: o.ID, Amount: pix.Amount(o.AmountCents), Description: o.Description,
			Terms: fakepsp.RefundTerms{
				SettleAfter: chaos.MS(o.SettleAfterMS).Duration(), NotifyAfter: chaos.MS(o.NotifyAfterMS).Duration(), Fails: o.Fails,
			},
		})
		row, err = refundOf(made), refused(err)
	})
	return row, err
}

// dispute is POST /lab/disputes.
func (l *lab) dispute(r *http.Request) (any, error) {
	var o DisputeOrder
	if err := readJSON(r, &o); err != nil {
		return nil, err
	}
	if err := errors.Join(inTime("decide_after_ms", o.DecideAfterMS), inTime("notify_after_ms", o.NotifyAfterMS)); err != nil {
		return nil, badRequest("%s", err)
	}
	return l.m.report(o)
}

func (m *machine) report(o DisputeOrder) (made Dispute, err error) {
	m.do(func(p *fakepsp.PSP) {
		if _, known := p.Payment(o.EndToEndID); !known {
			err = notFound("no Pix %q", o.EndToEndID)
			return
		}
		err = refused(p.Report(fakepsp.DisputeOrder{
			ID: o.ID, EndToEndID: o.EndToEndID, Nature: o.Nature, Outcome: o.Outcome, Amount: pix.Amount(o.AmountCents),
			DecideAfter: chaos.MS(o.DecideAfterMS).Duration(), NotifyAfter: chaos.MS(o.NotifyAfterMS).Duration(),
		}))
		if all := p.Disputes(); err == nil && len(all) > 0 {
			made = disputeOf(all[len(all)-1])
		}
	})
	return made, err
}
