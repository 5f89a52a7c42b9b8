package receiver

import (
	"context"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// worker books events from the inbox: claim, apply, and where the rules want
// the PSP's word first, ask and apply again. Nothing is held in the store
// while a call is out but the lease.
type worker struct {
	r    *Receiver
	name string
}

func newWorker(r *Receiver, n int) worker {
	return worker{r: r, name: "worker/" + strconv.Itoa(n)}
}

func (w worker) Name() string { return w.name }
func (w worker) Queue() Queue { return QueueInbox }

// RunOnce works through one batch of due events.
func (w worker) RunOnce(ctx context.Context) (Progress, error) {
	now, err := w.r.now(ctx)
	if err != nil {
		return Progress{}, err
	}
	events, err := w.r.store.ClaimEvents(ctx, Lease{
		Holder: w.r.cfg.Name + "/" + w.name, Now: now, For: w.r.cfg.Lease, Limit: w.r.cfg.Batch,
	})
	if err != nil || len(events) == 0 {
		return Progress{}, err
	}
	apps := make([]Application, len(events))
	for i, e := range events {
		apps[i] = Application{EventID: e.ID, Version: e.Version, Now: now}
	}
	outcomes, err := w.r.store.ApplyEvents(ctx, apps)
	if err != nil {
		return Progress{}, err
	}
	return Progress{Done: len(events)}, w.finish(ctx, events, outcomes, now.Add(w.r.cfg.Lease))
}

// finish asks the PSP about what could not be booked at once.
func (w worker) finish(ctx context.Context, events []Event, outcomes []ApplyOutcome, leaseEnd time.Time) error {
	var later []Deferral
	for i, out := range outcomes {
		e := events[i]
		switch out.Result {
		case ApplyLost:
			w.r.cfg.reached(MarkLeaseLost)
		case ApplyConfirm:
			d, err := w.confirm(ctx, e, leaseEnd)
			if err != nil {
				return err
			}
			if d != nil {
				later = append(later, *d)
			}
		case ApplyFailed, ApplyWait:
			later = append(later, w.again(e, leaseEnd.Add(-w.r.cfg.Lease), out.Reason, 0))
		}
	}
	if len(later) == 0 {
		return nil
	}
	_, err := w.r.store.DeferEvents(ctx, later)
	return err
}

// confirm asks the PSP's API about an event and books what it says. It returns the
// deferral of an event that has to wait.
func (w worker) confirm(ctx context.Context, e Event, leaseEnd time.Time) (*Deferral, error) {
	now, err := w.r.now(ctx)
	if err != nil {
		return nil, err
	}
	if now.Add(2 * w.r.cfg.CallTimeout).After(leaseEnd) {
		// The call could outlive the lease: give the event back at once.
		w.r.cfg.reached(MarkLeaseShort)
		return &Deferral{EventID: e.ID, Version: e.Version, Until: now, Reason: "the lease runs out"}, nil
	}
	app, a := w.ask(ctx, e)
	if app.Now, err = w.r.now(ctx); err != nil {
		return nil, err
	}
	switch a.verdict {
	case verdictDone:
		return w.applyConfirmed(ctx, e, app)
	case verdictAbsent:
		w.r.cfg.reached(MarkAnsweredNo)
		if e.Credit == nil { // what that means depends on what the books say
			app.Refund, app.Payout, app.Denied = nil, nil, true
			return w.applyConfirmed(ctx, e, app)
		}
		d := w.again(e, app.Now, ReasonUnknownAtPSP, a.wait)
		return &d, nil
	}
	d := w.again(e, app.Now, a.Err().Error(), a.wait)
	return &d, nil
}

// ask gets the PSP's word about an event.
func (w worker) ask(ctx context.Context, e Event) (Application, answer) {
	app := Application{EventID: e.ID, Version: e.Version}
	if x := e.Refund; x != nil {
		d, a := w.r.psp.getRefund(ctx, x.EndToEndID, x.ID)
		c := contentOf(x.EndToEndID, d)
		app.Refund = &c
		return app, a
	}
	if e.Payout != nil {
		return w.askPayout(ctx, e, app)
	}
	p, a := w.r.psp.getPix(ctx, e.Credit.EndToEndID)
	c := creditOf(p)
	app.Confirmed = &c
	return app, a
}

// askPayout gets the PSP's word about a payout, or about a return of it: one that
// the payout does not have is none.
func (w worker) askPayout(ctx context.Context, e Event, app Application) (Application, answer) {
	p, a := w.r.psp.getPayout(ctx, e.Payout.Key)
	if a.verdict != verdictDone {
		return app, a
	}
	for _, c := range payoutContents(p) {
		if c.ReturnID == e.Payout.ReturnID {
			app.Payout = &c
			return app, a
		}
	}
	a.verdict = verdictAbsent
	return app, a
}

func (w worker) applyConfirmed(ctx context.Context, e Event, app Application) (*Deferral, error) {
	outs, err := w.r.store.ApplyEvents(ctx, []Application{app})
	if err != nil {
		return nil, err
	}
	switch outs[0].Result {
	case ApplyLost:
		w.r.cfg.reached(MarkLeaseLost)
	case ApplyFailed, ApplyWait:
		d := w.again(e, app.Now, outs[0].Reason, 0)
		return &d, nil
	}
	return nil, nil
}

// again puts an event off with backoff, and for no less than wait; or aside once
// it was tried often enough.
func (w worker) again(e Event, now time.Time, reason string, wait time.Duration) Deferral {
	d := Deferral{EventID: e.ID, Version: e.Version, Until: now.Add(w.r.cfg.pause(e.Key, e.Attempts, wait)), Reason: reason}
	if e.Attempts >= w.r.cfg.MaxAttempts {
		d.Quarantine = QuarantineWaiting
		w.r.cfg.reached(MarkGivenUp)
	}
	return d
}

// creditOf is the credit that a Pix object of the API speaks of.
func creditOf(p pix.Payment) Credit {
	return Credit{EndToEndID: p.EndToEndID, TxID: p.TxID, PixKey: p.PixKey, Amount: p.Amount, PaidAt: p.PaidAt}
}
