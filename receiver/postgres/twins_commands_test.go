package postgres_test

import (
	"context"
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

func (w *twins) createCharges(t *rapid.T) {
	in := some(t, "charges", func(t *rapid.T) receiver.NewCharge {
		c := charge(rapid.IntRange(1, 4).Draw(t, "order"))
		c.At = w.now()
		c.Charge.Due, c.Charge.DueAt = drawAmount(t), w.now()
		switch pick(t, "kind", "as it is", "as it is", "other txid", "static", "no txid") {
		case "other txid":
			c.Charge.TxID = txid(rapid.IntRange(1, 4).Draw(t, "txid"))
		case "static":
			c.Charge.Kind, c.Charge.State = receiver.ChargeStatic, receiver.ChargeActive
			c.Charge.Due = pick[pix.Amount](t, "due", 0, 600)
		case "no txid":
			c.Charge.TxID = ""
		}
		c.Key = drawClaim(t, receiver.RouteCharges, c.Charge.Reference)
		return c
	})
	plain(w, "create charges", w.mem.CreateCharges, w.pg.CreateCharges, in)
}

func (w *twins) recordCalls(t *rapid.T) {
	in := some(t, "calls", func(t *rapid.T) receiver.ChargeCall {
		return receiver.ChargeCall{
			Ref:       ref(rapid.IntRange(1, 5).Draw(t, "order")),
			State:     pick(t, "state", receiver.ChargeActive, receiver.ChargeActive, "", receiver.ChargeFailed, receiver.ChargeRemoved),
			CreatedAt: pick(t, "created", time.Time{}, start().Add(-time.Minute), start().Add(-2*time.Hour)),
			BRCode:    pick(t, "code", "", "br"), Problem: "why", DueAt: w.now().Add(time.Minute),
			Key: w.drawHold(t),
		}
	})
	plain(w, "record calls", w.mem.RecordCalls, w.pg.RecordCalls, in)
}

func (w *twins) append(t *rapid.T) {
	in := some(t, "items", w.drawItem)
	both(w, "append", w.mem.AppendInbox, w.pg.AppendInbox, in, in, func(out *[]receiver.AppendOutcome) {
		for i := range *out {
			(*out)[i].EventID = w.toMem[(*out)[i].EventID]
		}
	})
}

// levelEvents gives events memory's ids.
func (w *twins) levelEvents(out *[]receiver.Event) {
	for i := range *out {
		(*out)[i].ID = w.toMem[(*out)[i].ID]
	}
}

func (w *twins) claim(t *rapid.T) {
	in := receiver.Lease{Holder: "w", Now: w.now(), For: 45 * time.Second, Limit: rapid.IntRange(1, 4).Draw(t, "limit")}
	w.held = append(w.held, both(w, "claim", w.mem.ClaimEvents, w.pg.ClaimEvents, in, in, w.levelEvents)...)
}

// drawHeld draws events that were claimed some time.
func (w *twins) drawHeld(t *rapid.T) []receiver.Event {
	if len(w.held) == 0 {
		t.Skip("nothing was claimed")
	}
	return some(t, "events", func(t *rapid.T) receiver.Event {
		n := len(w.held)
		return w.held[n-1-rapid.IntRange(0, min(n-1, 5)).Draw(t, "event")]
	})
}

func (w *twins) drawApplication(t *rapid.T, e receiver.Event) receiver.Application {
	a := receiver.Application{EventID: e.ID, Version: e.Version, Now: w.now()}
	word := pick(t, "the PSP's word", "same", "same", "none", "other", "no")
	switch {
	case word == "none":
	case word == "no":
		a.Denied = true
	case e.Credit != nil:
		c := *e.Credit
		if word == "other" {
			c = w.drawCredit(t)
			c.EndToEndID = pick(t, "pix", e.Credit.EndToEndID, e.Credit.EndToEndID, c.EndToEndID)
		}
		a.Confirmed = &c
	case e.Refund != nil:
		x := *e.Refund
		if word == "other" {
			x = drawRefundContent(t)
			x.EndToEndID, x.ID = e.Refund.EndToEndID, pick(t, "id", e.Refund.ID, e.Refund.ID, x.ID)
		}
		a.Refund = &x
	case e.Payout != nil:
		x := *e.Payout
		if word == "other" {
			x = drawPayoutContent(t)
			x.Key = pick(t, "key", e.Payout.Key, e.Payout.Key, x.Key)
		}
		a.Payout = &x
	}
	return a
}

func (w *twins) applied(in []receiver.Application) {
	inPG := append([]receiver.Application(nil), in...)
	for i := range inPG {
		inPG[i].EventID = w.toPG[in[i].EventID]
	}
	both(w, "apply", wordless(w.mem.ApplyEvents), wordless(w.pg.ApplyEvents), in, inPG, nil)
}

// wordless leaves out why an item was refused: the words name ids.
func wordless[In any](
	command func(context.Context, In) ([]receiver.ApplyOutcome, error),
) func(context.Context, In) ([]receiver.ApplyOutcome, error) {
	return func(ctx context.Context, in In) ([]receiver.ApplyOutcome, error) {
		out, err := command(ctx, in)
		for i := range out {
			if out[i].Result == receiver.ApplyFailed {
				out[i].Reason = ""
			}
		}
		return out, err
	}
}

func (w *twins) apply(t *rapid.T) {
	var in []receiver.Application
	for _, e := range w.drawHeld(t) {
		in = append(in, w.drawApplication(t, e))
	}
	w.applied(in)
}

// work claims and applies as a worker does, on the PSP's word.
func (w *twins) work(*rapid.T) {
	in := receiver.Lease{Holder: "w", Now: w.now(), For: time.Minute, Limit: 9}
	events := both(w, "claim", w.mem.ClaimEvents, w.pg.ClaimEvents, in, in, w.levelEvents)
	var apps []receiver.Application
	for _, e := range events {
		apps = append(apps, receiver.Application{EventID: e.ID, Version: e.Version, Confirmed: e.Credit, Refund: e.Refund, Payout: e.Payout, Now: w.now()})
	}
	w.applied(apps)
}

func (w *twins) deferEvents(t *rapid.T) {
	var in, inPG []receiver.Deferral
	for _, e := range w.drawHeld(t) {
		d := receiver.Deferral{
			EventID: e.ID, Version: e.Version, Until: w.now().Add(time.Minute), Reason: "later",
			Quarantine: pick(t, "quarantine", "", receiver.QuarantineWaiting, receiver.QuarantineBad),
		}
		in = append(in, d)
		d.EventID = w.toPG[e.ID]
		inPG = append(inPG, d)
	}
	both(w, "defer", w.mem.DeferEvents, w.pg.DeferEvents, in, inPG, nil)
}

func drawRefundRef(t *rapid.T) receiver.RefundRef {
	return receiver.RefundRef{Consumer: "shop", Reference: pick(t, "refund", "back-1", "back-2", "back-3", "back-4")}
}

func (w *twins) reserve(t *rapid.T) {
	in := some(t, "refunds", func(t *rapid.T) receiver.NewRefund {
		r := drawRefundRef(t)
		return receiver.NewRefund{At: w.now(), Key: drawClaim(t, receiver.RouteRefunds, r.Reference), Refund: receiver.Refund{
			Consumer: r.Consumer, Reference: r.Reference, EndToEndID: drawPix(t), ID: pick[pix.RefundID](t, "id", "R1", "R2", "R3"),
			Amount: drawAmount(t), Nature: "ORIGINAL", DueAt: w.now(),
		}}
	})
	plain(w, "reserve", w.mem.ReserveRefunds, w.pg.ReserveRefunds, in)
}

func (w *twins) recordRefunds(t *rapid.T) {
	in := some(t, "calls", func(t *rapid.T) receiver.RefundCall {
		call := receiver.RefundCall{
			Ref: drawRefundRef(t), ID: pick[pix.RefundID](t, "id", "", "", "R1", "R2"),
			Version: rapid.Int64Range(0, 2).Draw(t, "version"),
			DueAt:   w.now().Add(time.Minute), Now: w.now(), Problem: "why",
		}
		switch pick(t, "answer", "final", "final", "open", "nothing", "refused", "clash") {
		case "final":
			call.ReturnID = pix.ReturnID(pick(t, "rtrId", "D1", "D2", "D3"))
			call.Status = pick(t, "status", pix.RefundReturned, pix.RefundReturned, pix.RefundFailed)
		case "open":
			call.ReturnID, call.Status = pix.ReturnID(pick(t, "rtrId", "D1", "D2", "D3")), pix.RefundProcessing
		case "refused":
			call.Refused = true
		case "clash":
			call.Status, call.NewID = receiver.StatusClash, "R9"
		}
		return call
	})
	plain(w, "record refunds", w.mem.RecordRefunds, w.pg.RecordRefunds, in)
}

func (w *twins) memos(t *rapid.T) {
	in := some(t, "memos", func(t *rapid.T) receiver.Memo {
		return receiver.Memo{
			ID: pick(t, "memo", "med-1", "med-2"), EndToEndID: drawPix(t), Amount: drawAmount(t),
			Released: rapid.Bool().Draw(t, "released"), At: w.now(),
		}
	})
	plain(w, "memos", w.mem.PutMemos, w.pg.PutMemos, in)
}

func (w *twins) leases(t *rapid.T) {
	in := receiver.Lease{Holder: "w", Now: w.now(), For: time.Minute, Limit: rapid.IntRange(1, 3).Draw(t, "limit")}
	plain(w, "lease charges", w.mem.LeaseCharges, w.pg.LeaseCharges, in)
	plain(w, "lease payouts", w.mem.LeasePayouts, w.pg.LeasePayouts, in)
	plain(w, "lease refunds", w.mem.LeaseRefunds, w.pg.LeaseRefunds, in)
	refs := []receiver.RefundRef{{Consumer: "shop", Reference: "back-1"}, {Consumer: "shop", Reference: "none"}}
	plain(w, "find refunds", w.mem.FindRefunds, w.pg.FindRefunds, refs)
	plain(w, "find payments", w.mem.FindPayments, w.pg.FindPayments, []pix.EndToEndID{e2e(2), e2e(9), e2e(1)})
	plain(w, "find charges", w.mem.FindCharges, w.pg.FindCharges, []receiver.ChargeRef{ref(1), ref(9), ref(2)})
}

func (w *twins) duties(t *rapid.T) {
	claim := receiver.DutyClaim{Name: receiver.DutySweep, Holder: "w", Now: w.now(), For: time.Minute}
	a, okA, _ := w.mem.BeginDuty(w.ctx, claim)
	b, okB, err := w.pg.BeginDuty(w.ctx, claim)
	if err != nil || okA != okB || a != b {
		w.Fatalf("begin duty: memory %+v %v, postgres %+v %v, error %v", a, okA, b, okB, err)
	}
	if okA {
		w.turns = append(w.turns, a)
	}
	if len(w.turns) == 0 {
		return
	}
	d := pick(t, "turn", w.turns...)
	d.Cursor = pick(t, "cursor", "", "page 2")
	d.Watermark = pick(t, "watermark", time.Time{}, w.now(), start())
	d.NextAt = w.now().Add(time.Minute)
	done := rapid.Bool().Draw(t, "done")
	savedA, _ := w.mem.SaveDuty(w.ctx, d, done)
	savedB, err := w.pg.SaveDuty(w.ctx, d, done)
	if err != nil || savedA != savedB {
		w.Fatalf("save duty %+v: memory %v, postgres %v, error %v", d, savedA, savedB, err)
	}
}

func (w *twins) outbox(t *rapid.T) {
	in := receiver.Lease{Now: w.now(), For: time.Minute, Limit: rapid.IntRange(1, 4).Draw(t, "limit")}
	w.due = append(w.due, both(w, "lease outbox", w.mem.LeaseOutbox, w.pg.LeaseOutbox, in, in, func(out *[]receiver.OutboxEvent) {
		for i, o := range *out {
			for mem, pg := range w.sends {
				if pg == o.ID {
					(*out)[i].ID = mem
				}
			}
		}
	})...)
	if len(w.due) == 0 {
		return
	}
	results := some(t, "results", func(t *rapid.T) receiver.OutboxResult {
		o := pick(t, "sent", w.due...)
		return receiver.OutboxResult{
			ID: o.ID, Version: o.Version, Sent: pick(t, "ok", true, true, false),
			Dead: pick(t, "dead", false, false, true), DueAt: w.now().Add(time.Second),
		}
	})
	resultsPG := append([]receiver.OutboxResult(nil), results...)
	for i := range resultsPG {
		resultsPG[i].ID = w.sends[results[i].ID]
	}
	both(w, "finish outbox", w.mem.FinishOutbox, w.pg.FinishOutbox, results, resultsPG, nil)
}

func (w *twins) match(t *rapid.T) {
	in := some(t, "lines", func(t *rapid.T) pix.StatementLine {
		return pix.StatementLine{
			Kind: pick(t, "kind", pix.KindPixIn, pix.KindRefundOut), EndToEndID: drawPix(t),
			ID: pick(t, "rtrId", "D1", "D2", "D3"), Cents: int64(drawAmount(t)), SettledAt: pick(t, "settled", start(), start().Add(-time.Hour)),
		}
	})
	plain(w, "match", w.mem.MatchStatement, w.pg.MatchStatement, append(in, some(t, "payouts' lines", drawPayoutLine)...))
	q := receiver.UnseenQuery{BookedBefore: w.now().Add(-pick(t, "before", 0, time.Minute)), Limit: pick(t, "limit", 0, 1, 2)}
	page := plain(w, "unseen", w.mem.UnseenPayments, w.pg.UnseenPayments, q)
	if len(page) > 0 {
		q.AfterBooked, q.AfterID = page[0].BookedAt, page[0].EndToEndID
		plain(w, "unseen after", w.mem.UnseenPayments, w.pg.UnseenPayments, q)
	}
	r := receiver.UnseenRefundQuery{FinishedBefore: q.BookedBefore, Limit: q.Limit}
	refunds := plain(w, "unseen refunds", w.mem.UnseenRefunds, w.pg.UnseenRefunds, r)
	if len(refunds) > 0 {
		r.AfterFinished, r.AfterID = refunds[0].FinishedAt, refunds[0].ReturnID
		plain(w, "unseen refunds after", w.mem.UnseenRefunds, w.pg.UnseenRefunds, r)
	}
}

func (w *twins) repair(t *rapid.T) {
	in := some(t, "repairs", func(t *rapid.T) receiver.Repair {
		item := w.drawItem(t)
		item.Channel = receiver.ChannelRepair
		return receiver.Repair{Item: item, Now: w.now()}
	})
	both(w, "repair", wordless(w.mem.RepairEvents), wordless(w.pg.RepairEvents), in, in, nil)
}

func (w *twins) adjust(t *rapid.T) {
	in := some(t, "adjustments", func(t *rapid.T) receiver.Adjustment {
		a := receiver.Adjustment{
			EndToEndID: drawPix(t), Want: pick[pix.Amount](t, "want", 0, 1000, 400), Now: w.now(),
			Reason: pick(t, "reason", receiver.MatchDivergent, receiver.MatchMissingAtPSP),
		}
		if rapid.Bool().Draw(t, "of a refund") {
			a.ReturnID, a.Want = pix.ReturnID(pick(t, "rtrId", "D1", "D2", "D3")), -a.Want
		}
		return a
	})
	plain(w, "adjust", w.mem.PostAdjustments, w.pg.PostAdjustments, in)
}

func (w *twins) decide(t *rapid.T) {
	w.learnIDs()
	if len(w.toPG) == 0 {
		t.Skip("no event")
	}
	var in, inPG []receiver.Decision
	for range rapid.IntRange(1, 3).Draw(t, "decisions") {
		d := receiver.Decision{EventID: rapid.Int64Range(1, int64(len(w.toPG))).Draw(t, "event"), Operator: "ana", Note: "why", Now: w.now()}
		in = append(in, d)
		d.EventID = w.toPG[d.EventID]
		inPG = append(inPG, d)
	}
	if pick(t, "word", "requeue", "requeue", "drop") == "requeue" {
		both(w, "requeue", w.mem.RequeueEvents, w.pg.RequeueEvents, in, inPG, nil)
		return
	}
	both(w, "drop", w.mem.DropEvents, w.pg.DropEvents, in, inPG, nil)
}

func (w *twins) attach(t *rapid.T) {
	in := some(t, "attachments", func(t *rapid.T) receiver.Attachment {
		return receiver.Attachment{
			EndToEndID: drawPix(t), Charge: ref(rapid.IntRange(1, 4).Draw(t, "order")), Operator: "ana",
			Note: pick(t, "note", "", "why"), Now: w.now(),
		}
	})
	plain(w, "attach", w.mem.AttachPayments, w.pg.AttachPayments, in)
}

func (w *twins) close(t *rapid.T) {
	if len(w.cases) == 0 {
		t.Skip("no case was listed")
	}
	in := some(t, "closings", func(t *rapid.T) receiver.CaseClosing {
		return receiver.CaseClosing{
			CaseID: pick(t, "case", w.cases...).ID, Operator: "ana", Note: "why", Now: w.now(),
			To: pick(t, "to", receiver.AccountRevenue, receiver.AccountToReturn, receiver.AccountDivergence),
		}
	})
	plain(w, "close", w.mem.CloseCases, w.pg.CloseCases, in)
}

func (w *twins) lists(t *rapid.T) {
	q := receiver.EventQuery{
		State:      pick(t, "state", "", receiver.EventReceived, receiver.EventProcessed, receiver.EventQuarantined),
		Quarantine: pick(t, "quarantine", "", "", receiver.QuarantineWaiting, receiver.QuarantineBad), Limit: pick(t, "limit", 0, 1, 3),
	}
	both(w, "list events", w.mem.ListEvents, w.pg.ListEvents, q, q, w.levelEvents)
	w.cases = plain(w, "list cases", w.mem.ListCases, w.pg.ListCases, receiver.CaseQuery{
		State: pick(t, "cases", "", receiver.CaseOpen, receiver.CaseClosed), Limit: pick(t, "limit", 0, 0, 2),
	})
}
