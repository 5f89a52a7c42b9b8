package postgres_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// drawnPayout is a payout's name in all its forms.
type drawnPayout struct {
	ref receiver.PayoutRef
	key string
	id  pix.EndToEndID
}

func drawPayout(t *rapid.T) drawnPayout {
	n := pick(t, "payout", "1", "2", "3", "4")
	return drawnPayout{
		receiver.PayoutRef{Consumer: "shop", Reference: "pay-" + n}, "K" + n, pix.EndToEndID("E9999900820260302120000000000" + "00" + n),
	}
}

func drawPayoutContent(t *rapid.T) receiver.PayoutContent {
	o := drawPayout(t)
	c := receiver.PayoutContent{
		Key: o.key, EndToEndID: o.id, PixKey: pick[pix.PixKey](t, "payee", "a@ex", "a@ex", "a@ex", "b@ex"), Amount: drawAmount(t),
		Status: pick(t, "status", pix.PayoutConfirmed, pix.PayoutConfirmed, pix.PayoutRejected, pix.PayoutProcessing),
	}
	if rapid.Bool().Draw(t, "a return") {
		c.Status, c.ReturnID = "", pix.ReturnID(pick(t, "rtrId", "B1", "B2", "B3")+o.key)
	}
	return c
}

func drawPayoutLine(t *rapid.T) pix.StatementLine {
	o := drawPayout(t)
	l := pix.StatementLine{Kind: pix.KindPixOut, EndToEndID: o.id, Cents: int64(drawAmount(t)), SettledAt: start()}
	if rapid.Bool().Draw(t, "a return") {
		l.Kind, l.ID = pix.KindReturnIn, pick(t, "rtrId", "B1", "B2", "B3")+o.key
	}
	return l
}

func (w *twins) reservePayouts(t *rapid.T) {
	in := some(t, "payouts", func(t *rapid.T) receiver.NewPayout {
		o := drawPayout(t)
		return receiver.NewPayout{At: w.now(), Payout: receiver.Payout{
			Consumer: o.ref.Consumer, Reference: o.ref.Reference, PixKey: "a@ex", Amount: drawAmount(t), Key: o.key, DueAt: w.now(),
		}}
	})
	plain(w, "reserve payouts", w.mem.ReservePayouts, w.pg.ReservePayouts, in)
}

func (w *twins) recordPayouts(t *rapid.T) {
	in := some(t, "calls", func(t *rapid.T) receiver.PayoutCall {
		o := drawPayout(t)
		call := receiver.PayoutCall{
			Ref: o.ref, Version: rapid.Int64Range(0, 2).Draw(t, "version"), Answered: rapid.Bool().Draw(t, "answered"),
			DueAt: w.now().Add(time.Minute), Now: w.now(), Problem: "why",
		}
		switch pick(t, "answer", "final", "final", "open", "nothing", "refused", "noted", "queue", "looked up") {
		case "final":
			call.EndToEndID = o.id
			call.Status = pick(t, "status", pix.PayoutConfirmed, pix.PayoutConfirmed, pix.PayoutRejected)
		case "open":
			call.EndToEndID, call.Status = o.id, pix.PayoutProcessing
		case "refused":
			call.Refused = true
		case "noted":
			call.RefusedAt = w.now()
		case "queue":
			call.Queue = true
		case "looked up":
			call.LookedUp, call.EndToEndID = true, o.id
		}
		return call
	})
	plain(w, "record payouts", w.mem.RecordPayouts, w.pg.RecordPayouts, in)
}

func (w *twins) resolvePayouts(t *rapid.T) {
	in := some(t, "words", func(t *rapid.T) receiver.PayoutResolution {
		return receiver.PayoutResolution{
			Ref: drawPayout(t).ref, Action: pick(t, "action", receiver.ResolveRetry, receiver.ResolveFailed), Operator: "ana",
			Note: pick(t, "note", "why", "why", ""), Now: w.now(),
		}
	})
	plain(w, "resolve payouts", w.mem.ResolvePayouts, w.pg.ResolvePayouts, in)
	plain(w, "list payouts", w.mem.ListPayouts, w.pg.ListPayouts, receiver.PayoutQuery{
		Queued: rapid.Bool().Draw(t, "queued"), Open: rapid.Bool().Draw(t, "open"), Limit: pick(t, "limit", 0, 1, 2),
		After: pick(t, "after", receiver.PayoutRef{}, drawPayout(t).ref),
	})
}
