package receiver

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// turn takes a duty, or errNoWork when it is another's or not due.
func (r *Receiver) turn(ctx context.Context, name Queue) (Duty, time.Time, error) {
	now, err := r.now(ctx)
	if err != nil {
		return Duty{}, now, err
	}
	d, ok, err := r.store.BeginDuty(ctx, DutyClaim{Name: name, Holder: r.cfg.Name, Now: now, For: r.cfg.dutyLease()})
	if err == nil && !ok {
		err = errNoWork
	}
	return d, now, err
}

// dutyLease is longer than an event's: a duty makes many calls in one turn.
func (c *Config) dutyLease() time.Duration { return 4 * c.Lease }

// endTurn sets a duty's next turn.
func (r *Receiver) endTurn(ctx context.Context, d Duty, next time.Time) error {
	d.NextAt = next
	_, err := r.store.SaveDuty(ctx, d, true)
	return err
}

// failedTurn stands, in the backoff of a duty whose turn failed, for the number
// of failures in a row, which nobody counts: half a minute at the defaults.
const failedTurn = 6

// afterFailure is when a duty whose turn failed is tried again.
func (r *Receiver) afterFailure(name Queue, now time.Time) time.Time {
	return now.Add(r.cfg.backoff(string(name), failedTurn))
}

// idle turns errNoWork into an empty turn.
func idle(err error) (Progress, error) {
	if errors.Is(err, errNoWork) {
		return Progress{}, nil
	}
	return Progress{}, err
}

// sweeper reads GET /pix into the inbox: from the watermark less an overlap up
// to now, page by page. The watermark moves after the last page is stored, so
// a crash at any point reads again and loses nothing.
type sweeper struct{ r *Receiver }

func (s sweeper) Name() string { return "sweep" }
func (s sweeper) Queue() Queue { return DutySweep }

// RunOnce walks one window.
func (s sweeper) RunOnce(ctx context.Context) (Progress, error) {
	d, now, err := s.r.turn(ctx, DutySweep)
	if err != nil {
		return idle(err)
	}
	from := now.Add(-s.r.cfg.SweepBack)
	if !d.Watermark.IsZero() {
		from = d.Watermark.Add(-s.r.cfg.Overlap)
	}
	n, err := s.walk(ctx, from, now)
	if err != nil {
		return Progress{Done: n}, errors.Join(err, s.r.endTurn(ctx, d, s.r.afterFailure(DutySweep, now)))
	}
	d.Watermark = now
	return Progress{Done: n + 1}, s.r.endTurn(ctx, d, now.Add(s.r.cfg.SweepEvery))
}

// walk stores every page of the window and counts the items.
func (s sweeper) walk(ctx context.Context, from, to time.Time) (int, error) {
	n := 0
	for page := 0; ; page++ {
		list, items, a := s.r.psp.listPix(ctx, from, to, page, false)
		if a.verdict != verdictDone {
			return n, a.Err()
		}
		if len(items) > 0 {
			in := s.r.inboxItems(items, ChannelSweep, s.r.cfg.Clock.Now())
			if _, err := s.r.store.AppendInbox(ctx, in); err != nil {
				return n, err
			}
		}
		n += len(items)
		if page+1 >= list.Paging.Pages {
			return n, nil
		}
	}
}

// changedSweeper lists the Pix that have refunds, over the whole time in which
// one can appear: there is no filter by a refund's date, and the PSP's own
// refunds may have lost their callback.
type changedSweeper struct{ r *Receiver }

func (s changedSweeper) Name() string { return "changed" }
func (s changedSweeper) Queue() Queue { return DutyChanged }

// maxChangedPages bounds the calls of one turn; the next goes on from there.
const maxChangedPages = 20

// RunOnce reads up to maxChangedPages.
func (s changedSweeper) RunOnce(ctx context.Context) (Progress, error) {
	d, now, err := s.r.turn(ctx, DutyChanged)
	if err != nil {
		return idle(err)
	}
	next := now.Add(s.r.cfg.ChangedEvery)
	page := int(parseCursor(d.Cursor))
	d.Cursor = ""
	for range maxChangedPages {
		more, err := s.page(ctx, now, page)
		if err != nil {
			return Progress{}, errors.Join(err, s.r.endTurn(ctx, d, s.r.afterFailure(DutyChanged, now)))
		}
		if !more {
			return Progress{Done: 1}, s.r.endTurn(ctx, d, next)
		}
		page++
	}
	d.Cursor = strconv.Itoa(page)
	return Progress{Done: 1}, s.r.endTurn(ctx, d, now.Add(time.Minute))
}

func (s changedSweeper) page(ctx context.Context, now time.Time, page int) (more bool, err error) {
	list, items, a := s.r.psp.listPix(ctx, now.Add(-RefundWindow-24*time.Hour), now, page, true)
	if a.verdict != verdictDone {
		return false, a.Err()
	}
	if len(items) > 0 {
		if _, err := s.r.store.AppendInbox(ctx, s.r.inboxItems(items, ChannelSweep, s.r.cfg.Clock.Now())); err != nil {
			return false, err
		}
	}
	return page+1 < list.Paging.Pages, nil
}

// confirmedItems are the inbox items of a Pix that the PSP's API told us of: its
// credit, and each of its refunds.
func (r *Receiver) confirmedItems(p pix.Payment, ch Channel) []InboxItem {
	raw, err := json.Marshal(p)
	if err != nil {
		raw = nil // the amount and ids are in the content; the bytes are for people
	}
	item := pix.CallbackItem{Raw: raw, Payment: p, EndToEndID: string(p.EndToEndID)}
	return r.inboxItems([]pix.CallbackItem{item}, ch, r.cfg.Clock.Now())
}

// pendingSweeper asks by id for what waits in quarantine.
type pendingSweeper struct{ r *Receiver }

func (s pendingSweeper) Name() string { return "pending" }
func (s pendingSweeper) Queue() Queue { return DutyPending }

// maxPending bounds the calls of one turn.
const maxPending = 50

// RunOnce asks for each waiting event once, up to maxPending of them; the
// cursor lets the next turn go on where this one stopped.
func (s pendingSweeper) RunOnce(ctx context.Context) (Progress, error) {
	d, now, err := s.r.turn(ctx, DutyPending)
	if err != nil {
		return idle(err)
	}
	n, last, err := s.ask(ctx, parseCursor(d.Cursor))
	next := now.Add(s.r.cfg.SweepEvery)
	d.Cursor = ""
	if n == maxPending || err != nil && n > 0 {
		// One that fails each time is passed too, or nobody behind it is asked for.
		d.Cursor = formatCursor(last)
	}
	return Progress{Done: n + 1}, errors.Join(err, s.r.endTurn(ctx, d, next))
}

func (s pendingSweeper) ask(ctx context.Context, after int64) (n int, last int64, err error) {
	waiting, err := s.r.store.ListEvents(ctx, EventQuery{
		State: EventQuarantined, Quarantine: QuarantineWaiting, AfterID: after, Limit: maxPending,
	})
	if err != nil {
		return 0, 0, err
	}
	for _, e := range waiting {
		n, last = n+1, e.ID
		id := e.EndToEndID()
		if id == "" {
			continue
		}
		items, a := s.word(ctx, e)
		if a.verdict == verdictAbsent {
			continue
		}
		if a.verdict != verdictDone {
			return n, last, a.Err()
		}
		if _, err := s.r.store.AppendInbox(ctx, items); err != nil {
			return n, last, err
		}
	}
	return n, last, nil
}

// word is what the PSP says of what an event is about.
func (s pendingSweeper) word(ctx context.Context, e Event) ([]InboxItem, answer) {
	if e.Payout != nil {
		p, a := s.r.psp.getPayout(ctx, e.Payout.Key)
		if a.verdict != verdictDone {
			return nil, a
		}
		return s.r.confirmedPayoutItems(p, ChannelRepair), a
	}
	p, a := s.r.psp.getPix(ctx, e.EndToEndID())
	if a.verdict != verdictDone {
		return nil, a
	}
	return s.r.confirmedItems(p, ChannelRepair), a
}

// registrar keeps our callback URL registered at the PSP, which may forget it.
type registrar struct{ r *Receiver }

func (s registrar) Name() string { return "register" }
func (s registrar) Queue() Queue { return DutyRegister }

// RunOnce checks each key and registers where it has to.
func (s registrar) RunOnce(ctx context.Context) (Progress, error) {
	d, now, err := s.r.turn(ctx, DutyRegister)
	if err != nil {
		return idle(err)
	}
	for _, key := range s.r.cfg.PixKeys {
		hook, a := s.r.psp.getWebhook(ctx, key)
		if a.verdict == verdictAbsent || a.verdict == verdictDone && hook.URL != s.r.cfg.CallbackURL {
			a = s.r.psp.putWebhook(ctx, key)
		}
		if a.verdict != verdictDone {
			next := s.r.afterFailure(DutyRegister, now)
			return Progress{}, errors.Join(a.Err(), s.r.endTurn(ctx, d, next))
		}
	}
	return Progress{Done: 1}, s.r.endTurn(ctx, d, now.Add(s.r.cfg.SweepEvery))
}
