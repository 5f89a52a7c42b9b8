package memory

import (
	"context"
	"time"

	"github.com/pixlab/pixlab/receiver"
)

// duty is a periodic duty and until when somebody holds it.
type duty struct {
	receiver.Duty
	leaseEnd time.Time
}

// due is when the duty can be begun.
func (d *duty) due() time.Time {
	if d.leaseEnd.After(d.NextAt) {
		return d.leaseEnd
	}
	return d.NextAt
}

// BeginDuty takes a duty's turn. One that was never begun is due at once.
func (s *Store) BeginDuty(ctx context.Context, in receiver.DutyClaim) (receiver.Duty, bool, error) {
	tx, err := s.begin(ctx, "BeginDuty")
	if err != nil {
		return receiver.Duty{}, false, err
	}
	defer tx.end()
	d := s.duties[in.Name]
	if d == nil {
		d = &duty{Duty: receiver.Duty{Name: in.Name}}
		s.duties[in.Name] = d
	}
	if d.due().After(in.Now) {
		return receiver.Duty{}, false, tx.commit()
	}
	d.Version++
	d.leaseEnd = in.Now.Add(in.For)
	return d.Duty, true, tx.commit()
}

// SaveDuty stores a duty's progress; done ends the turn.
func (s *Store) SaveDuty(ctx context.Context, in receiver.Duty, done bool) (bool, error) {
	tx, err := s.begin(ctx, "SaveDuty")
	if err != nil {
		return false, err
	}
	defer tx.end()
	d := s.duties[in.Name]
	if d == nil || d.Version != in.Version {
		return false, tx.commit()
	}
	d.Cursor = in.Cursor
	if in.Watermark.After(d.Watermark) {
		d.Watermark = in.Watermark
	}
	if !done && in.HeldUntil.After(d.leaseEnd) {
		d.leaseEnd = in.HeldUntil
	}
	if done {
		d.NextAt, d.leaseEnd = in.NextAt, time.Time{}
	}
	return true, tx.commit()
}

// NextDue looks at the front of a queue. A duty that was never begun is due now.
func (s *Store) NextDue(ctx context.Context, q receiver.Queue) (time.Time, bool, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, false, err
	}
	now := s.cfg.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch q {
	case receiver.QueueInbox:
		if e := s.events.due.first(); e != nil {
			return e.DueAt, true, nil
		}
	case receiver.QueueCharges:
		if c := s.charges.due.first(); c != nil {
			return c.DueAt, true, nil
		}
	case receiver.QueueRefunds:
		if x := s.refunds.due.first(); x != nil {
			return x.DueAt, true, nil
		}
	case receiver.QueuePayouts:
		if x := s.payouts.due.first(); x != nil {
			return x.DueAt, true, nil
		}
	case receiver.QueueOutbox:
		if o := s.outbox.first(); o != nil {
			return o.DueAt, true, nil
		}
	default:
		if endpoint, is := q.Endpoint(); is {
			if o := s.outbox.queueOf(endpoint).first(); o != nil {
				return o.DueAt, true, nil
			}
			break
		}
		if d := s.duties[q]; d != nil && !d.due().IsZero() {
			return d.due(), true, nil
		}
		return now, true, nil
	}
	return time.Time{}, false, nil
}
