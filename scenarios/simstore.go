package scenarios

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/memory"
)

// errDead refuses the commands of a process that no longer lives: a deferred
// call of a killed handler must not reach the database.
var errDead = errors.New("the process is dead")

// simStore is the store as one life of one instance sees it: every command
// parks before it leaves and after it committed, and faults strike at these
// two edges. Inside, a command is atomic.
type simStore struct {
	in    *instance
	life  int
	inner Store
}

var _ receiver.Store = (*simStore)(nil)

func (s *simStore) alive() bool { return !s.in.dead && s.in.life == s.life }

// run carries out one command. subject names item i of n for fault addresses;
// do is the command and answers with what to say of it in the trace.
func (s *simStore) run(command string, n int, subject func(i int) string, do func() (string, error)) error {
	w := s.in.w
	if !s.alive() {
		return errDead
	}
	first := ""
	if n > 0 {
		first = subject(0)
	}
	a := w.self()
	a.park(w.sched.Now(), first, command)
	struck := w.faults.CommandSubject(command)
	nths := nthOf{}
	if struck {
		nths = s.count(command, n, subject)
	}
	if err := s.strike(command, chaos.EdgeBefore, nths); err != nil {
		return err
	}
	if m := w.faults.At(chaos.PlaceStore, w.sched.Now()); m.Any() && m.Change.Down {
		w.tally.Fire(m.From)
		w.troubles++
		w.emit(a.task.Name, command, receiver.ErrUnavailable.Error(), "subject", first)
		return receiver.ErrUnavailable
	}
	detail, err := do()
	if err != nil {
		detail = err.Error()
	}
	w.emit(a.task.Name, command, detail, "subject", first, "n", strconv.Itoa(n))
	w.rouse()
	if err != nil {
		return err
	}
	if err := s.strike(command, chaos.EdgeAfter, nths); err != nil {
		return err
	}
	a.park(w.sched.Now(), first, command+"/after")
	return nil
}

// nthOf are the counts of a command's executions, by subject of its batch.
type nthOf []struct {
	subject          string
	here, everywhere int
}

func (s *simStore) count(command string, n int, subject func(i int) string) nthOf {
	out := make(nthOf, 0, n)
	for i := range n {
		name := subject(i)
		if name == "" {
			continue
		}
		key := command + "/" + name
		s.in.nths[key]++
		s.in.w.nths[key]++
		out = append(out, struct {
			subject          string
			here, everywhere int
		}{name, s.in.nths[key], s.in.w.nths[key]})
	}
	return out
}

// strike looks for a fault at one edge and carries it out: a crash does not
// return, a lost commit is an error.
func (s *simStore) strike(command, edge string, nths nthOf) error {
	w := s.in.w
	for _, c := range nths {
		m := w.faults.Command(strconv.Itoa(s.in.number), command, c.subject, edge, c.here, c.everywhere)
		if !m.Any() {
			continue
		}
		w.tally.Fire(m.From)
		if m.Change.Crash {
			s.in.crash(chaos.MS(m.Change.RestartMS), edge+" "+command+" of "+c.subject)
			w.self().killed = true
			panic(killed{})
		}
		if m.Change.LoseCommit {
			w.troubles++
			w.emit(w.self().task.Name, "commit.lost", command, "subject", c.subject)
			return receiver.ErrCommitUnknown
		}
	}
	return nil
}

// Exec runs a named transaction of a broken receiver's own.
func (s *simStore) Exec(ctx context.Context, command string, subjects []string, fn func(tx *memory.Tx) error) error {
	return s.run(command, len(subjects), func(i int) string { return subjects[i] }, func() (string, error) {
		mem, ok := s.inner.(*memory.Store)
		if !ok {
			return "", errNoTransactions
		}
		return "", mem.Exec(ctx, command, fn)
	})
}

// batch runs a command over items with an outcome each.
func batch[I, O any](s *simStore, command string, in []I, subject func(I) string, say func(O) string, do func() ([]O, error)) ([]O, error) {
	var out []O
	err := s.run(command, len(in), func(i int) string { return subject(in[i]) }, func() (string, error) {
		var err error
		out, err = do()
		return sayAll(out, say), err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// sayAll lists outcomes for the trace, the first eight of them.
func sayAll[O any](out []O, say func(O) string) string {
	const most = 8
	if len(out) == 1 {
		return say(out[0])
	}
	var b strings.Builder
	for i, o := range out {
		if i == most {
			b.WriteString(",…")
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(say(o))
	}
	return b.String()
}

func sayBool(ok bool) string { return strconv.FormatBool(ok) }

// Now is the store's clock: the world's true one.
func (s *simStore) Now(ctx context.Context) (time.Time, error) {
	if !s.alive() {
		return time.Time{}, errDead
	}
	return s.inner.Now(ctx)
}

func (s *simStore) eventSubject(id int64) string { return s.in.w.subjectOfEvent(id) }

func (s *simStore) id(key string) string { return s.in.w.subjects[key] }

func (s *simStore) CreateCharges(ctx context.Context, in []receiver.NewCharge) ([]receiver.CreateOutcome, error) {
	return batch(s, "CreateCharges", in,
		func(c receiver.NewCharge) string { return s.id(c.Charge.Reference) },
		func(o receiver.CreateOutcome) string { return sayKey("created="+sayBool(o.Created), o.Key) },
		func() ([]receiver.CreateOutcome, error) { return s.inner.CreateCharges(ctx, in) })
}

func (s *simStore) FindCharges(ctx context.Context, in []receiver.ChargeRef) ([]*receiver.Charge, error) {
	return batch(s, "FindCharges", in,
		func(c receiver.ChargeRef) string { return s.id(c.Reference) },
		func(c *receiver.Charge) string { return "found=" + sayBool(c != nil) },
		func() ([]*receiver.Charge, error) { return s.inner.FindCharges(ctx, in) })
}

func (s *simStore) RecordCalls(ctx context.Context, in []receiver.ChargeCall) ([]receiver.CallOutcome, error) {
	return batch(s, "RecordCalls", in,
		func(c receiver.ChargeCall) string { return s.id(c.Ref.Reference) },
		func(o receiver.CallOutcome) string { return sayKey(string(o.Charge.State), o.Key) },
		func() ([]receiver.CallOutcome, error) { return s.inner.RecordCalls(ctx, in) })
}

func (s *simStore) LeaseCharges(ctx context.Context, in receiver.Lease) ([]receiver.Charge, error) {
	return lease(s, "LeaseCharges", func(c receiver.Charge) string { return s.id(c.Reference) },
		func() ([]receiver.Charge, error) { return s.inner.LeaseCharges(ctx, in) })
}

func (s *simStore) AppendInbox(ctx context.Context, in []receiver.InboxItem) ([]receiver.AppendOutcome, error) {
	return batch(s, "AppendInbox", in,
		func(it receiver.InboxItem) string { return s.id(itemID(it)) },
		func(o receiver.AppendOutcome) string { return string(o.Result) },
		func() ([]receiver.AppendOutcome, error) { return s.inner.AppendInbox(ctx, in) })
}

// itemID is the Pix that an item speaks of, empty on an unreadable one.
func itemID(it receiver.InboxItem) string {
	switch {
	case it.Credit != nil:
		return string(it.Credit.EndToEndID)
	case it.Refund != nil:
		return string(it.Refund.EndToEndID)
	case it.Payout != nil:
		return string(it.Payout.EndToEndID)
	}
	return ""
}

func (s *simStore) ClaimEvents(ctx context.Context, in receiver.Lease) ([]receiver.Event, error) {
	out, err := lease(s, "ClaimEvents", func(e receiver.Event) string { return s.eventSubject(e.ID) },
		func() ([]receiver.Event, error) { return s.inner.ClaimEvents(ctx, in) })
	if err == nil && len(out) > 0 {
		s.pauseWorker()
	}
	return out, err
}

// lease runs a command whose subjects are known only after it: it can be
// struck at its after edge alone.
func lease[O any](s *simStore, command string, subject func(O) string, do func() ([]O, error)) ([]O, error) {
	var out []O
	err := s.run(command, 0, nil, func() (string, error) {
		var err error
		out, err = do()
		return sayAll(out, subject), err
	})
	if err != nil {
		return nil, err
	}
	if s.in.w.faults.CommandSubject(command) {
		nths := s.count(command, len(out), func(i int) string { return subject(out[i]) })
		if err := s.strike(command, chaos.EdgeAfter, nths); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pauseWorker holds a worker that has just claimed work, once a window.
func (s *simStore) pauseWorker() {
	w := s.in.w
	m := w.faults.At(s.in.workerPlace, w.sched.Now())
	if m.Change.PauseMS == 0 || !m.First(w.paused) {
		return
	}
	w.tally.Fire(m.From)
	a := w.self()
	w.emit(a.task.Name, "worker.paused", strconv.FormatInt(m.Change.PauseMS, 10)+" ms")
	a.park(w.sched.Now()+chaos.MS(m.Change.PauseMS), "", "paused")
}

func (s *simStore) ApplyEvents(ctx context.Context, in []receiver.Application) ([]receiver.ApplyOutcome, error) {
	return batch(s, "ApplyEvents", in,
		func(a receiver.Application) string { return s.eventSubject(a.EventID) }, sayApply,
		func() ([]receiver.ApplyOutcome, error) { return s.inner.ApplyEvents(ctx, in) })
}

func sayApply(o receiver.ApplyOutcome) string { return sayReason(string(o.Result), o.Reason) }

func sayReason(result, reason string) string {
	if reason == "" {
		return result
	}
	return result + ": " + reason
}

func (s *simStore) DeferEvents(ctx context.Context, in []receiver.Deferral) ([]bool, error) {
	return batch(s, "DeferEvents", in,
		func(d receiver.Deferral) string { return s.eventSubject(d.EventID) }, sayBool,
		func() ([]bool, error) { return s.inner.DeferEvents(ctx, in) })
}

func (s *simStore) BeginDuty(ctx context.Context, in receiver.DutyClaim) (receiver.Duty, bool, error) {
	var d receiver.Duty
	var ok bool
	err := s.run("BeginDuty", 1, func(int) string { return string(in.Name) }, func() (string, error) {
		var err error
		d, ok, err = s.inner.BeginDuty(ctx, in)
		return sayBool(ok), err
	})
	return d, ok && err == nil, err
}

func (s *simStore) SaveDuty(ctx context.Context, d receiver.Duty, done bool) (bool, error) {
	var ok bool
	err := s.run("SaveDuty", 1, func(int) string { return string(d.Name) }, func() (string, error) {
		var err error
		ok, err = s.inner.SaveDuty(ctx, d, done)
		return sayBool(ok), err
	})
	return ok && err == nil, err
}

func (s *simStore) LeaseOutbox(ctx context.Context, in receiver.Lease) ([]receiver.OutboxEvent, error) {
	return lease(s, "LeaseOutbox", s.ofEvent,
		func() ([]receiver.OutboxEvent, error) { return s.inner.LeaseOutbox(ctx, in) })
}

func (s *simStore) FinishOutbox(ctx context.Context, in []receiver.OutboxResult) ([]bool, error) {
	return batch(s, "FinishOutbox", in, func(receiver.OutboxResult) string { return "" }, sayBool,
		func() ([]bool, error) { return s.inner.FinishOutbox(ctx, in) })
}

func (s *simStore) MatchStatement(ctx context.Context, in []pix.StatementLine) ([]receiver.MatchOutcome, error) {
	return batch(s, "MatchStatement", in,
		func(l pix.StatementLine) string { return s.id(string(l.EndToEndID)) },
		func(o receiver.MatchOutcome) string { return string(o.Class) },
		func() ([]receiver.MatchOutcome, error) { return s.inner.MatchStatement(ctx, in) })
}

func (s *simStore) RepairEvents(ctx context.Context, in []receiver.Repair) ([]receiver.ApplyOutcome, error) {
	return batch(s, "RepairEvents", in,
		func(r receiver.Repair) string { return s.id(itemID(r.Item)) }, sayApply,
		func() ([]receiver.ApplyOutcome, error) { return s.inner.RepairEvents(ctx, in) })
}

func (s *simStore) UnseenPayments(ctx context.Context, q receiver.UnseenQuery) ([]receiver.Payment, error) {
	return lease(s, "UnseenPayments", func(p receiver.Payment) string { return s.id(string(p.EndToEndID)) },
		func() ([]receiver.Payment, error) { return s.inner.UnseenPayments(ctx, q) })
}

func (s *simStore) PostAdjustments(ctx context.Context, in []receiver.Adjustment) ([]bool, error) {
	return batch(s, "PostAdjustments", in,
		func(a receiver.Adjustment) string { return s.id(string(a.EndToEndID)) }, sayBool,
		func() ([]bool, error) { return s.inner.PostAdjustments(ctx, in) })
}

func (s *simStore) ListEvents(ctx context.Context, q receiver.EventQuery) ([]receiver.Event, error) {
	return lease(s, "ListEvents", func(e receiver.Event) string { return s.eventSubject(e.ID) },
		func() ([]receiver.Event, error) { return s.inner.ListEvents(ctx, q) })
}

func (s *simStore) RequeueEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return batch(s, "RequeueEvents", in,
		func(d receiver.Decision) string { return s.eventSubject(d.EventID) }, sayBool,
		func() ([]bool, error) { return s.inner.RequeueEvents(ctx, in) })
}

func (s *simStore) DropEvents(ctx context.Context, in []receiver.Decision) ([]bool, error) {
	return batch(s, "DropEvents", in,
		func(d receiver.Decision) string { return s.eventSubject(d.EventID) }, sayBool,
		func() ([]bool, error) { return s.inner.DropEvents(ctx, in) })
}

func (s *simStore) ListCases(ctx context.Context, q receiver.CaseQuery) ([]receiver.Case, error) {
	return lease(s, "ListCases", func(c receiver.Case) string { return c.ID },
		func() ([]receiver.Case, error) { return s.inner.ListCases(ctx, q) })
}

func (s *simStore) AttachPayments(ctx context.Context, in []receiver.Attachment) ([]receiver.AttachOutcome, error) {
	return batch(s, "AttachPayments", in,
		func(a receiver.Attachment) string { return s.id(string(a.EndToEndID)) },
		func(o receiver.AttachOutcome) string { return sayBool(o.Attached) },
		func() ([]receiver.AttachOutcome, error) { return s.inner.AttachPayments(ctx, in) })
}

func (s *simStore) CloseCases(ctx context.Context, in []receiver.CaseClosing) ([]bool, error) {
	return batch(s, "CloseCases", in, func(receiver.CaseClosing) string { return "" }, sayBool,
		func() ([]bool, error) { return s.inner.CloseCases(ctx, in) })
}

// NextDue reads the inner store: it is the loop's look at the queue, not a
// command of its own.
func (s *simStore) NextDue(ctx context.Context, q receiver.Queue) (time.Time, bool, error) {
	if !s.alive() {
		return time.Time{}, false, errDead
	}
	return s.inner.NextDue(ctx, q)
}

func (s *simStore) FindPayments(ctx context.Context, in []pix.EndToEndID) ([]*receiver.Payment, error) {
	return batch(s, "FindPayments", in,
		func(id pix.EndToEndID) string { return s.id(string(id)) },
		func(p *receiver.Payment) string { return "found=" + sayBool(p != nil) },
		func() ([]*receiver.Payment, error) { return s.inner.FindPayments(ctx, in) })
}
