package scenarios

import (
	"slices"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// checker judges one invariant. It answers with what is wrong, in words, or
// with "" while it holds; it may implement any of the moments below.
type checker interface {
	// id is the invariant's, such as "I1"; sentence says what it holds.
	id() string
	sentence() string
}

// The moments at which a checker can look.
type (
	commitChecker interface {
		commit(v *View, cs *receiver.ChangeSet) string
	}
	ackChecker interface {
		ack(v *View, items []pix.CallbackItem) string
	}
	// answerChecker looks at each answer that the merchant was given.
	answerChecker interface {
		answer(v *View, a *apiAnswer) string
	}
	endChecker interface {
		end(f *final) string
	}
)

// final is what a checker sees when the run is over.
type final struct {
	*View
	ids       []pix.EndToEndID // of all Pix, in order
	w         *World
	statement []pix.StatementLine
	calm      bool
	// replayed is the change that delivering everything again made.
	replayed string
}

// checkers are all of them, in the order of the invariants.
func checkers() []checker {
	return []checker{
		creditedOnce{}, creditedAtLeastOnce{}, nothingInvented{}, netIsStatement{}, ackedIsStored{},
		balanced{}, refundsWithinPaid{}, monotone{}, oneContent{}, ledgerIsStatement{}, replayChangesNothing{},
		atRest{}, casesAreSuspense{}, onceOut{}, onePerKey{}, rightCharge{}, noFalseRefusal{},
		&toldOnce{last: map[string]perEndpoint{}, elsewhere: map[lineTo]int{}},
	}
}

// Violation is the first finding against one invariant.
type Violation struct {
	Invariant string
	Detail    string
	// Event is the number of the trace's last event before it, At its instant.
	Event int64
	At    time.Time
	stack []byte
}

// judge runs the checkers and keeps the first finding of each.
type judge struct {
	w        *World
	checkers []checker
	found    []Violation
}

func newJudge(w *World, without []string) *judge {
	j := &judge{w: w}
	for _, c := range checkers() {
		if !slices.Contains(without, c.id()) {
			j.checkers = append(j.checkers, c)
		}
	}
	return j
}

func (j *judge) broken() bool { return len(j.found) > 0 }

func (j *judge) report(id, detail string, stack []byte) {
	for _, v := range j.found {
		if v.Invariant == id {
			return
		}
	}
	j.found = append(j.found, Violation{Invariant: id, Detail: detail, Event: j.w.trace.Count(), At: j.w.now(), stack: stack})
	j.w.emit("judge", "violation", detail, "invariant", id)
}

func (j *judge) commit(cs *receiver.ChangeSet) {
	for _, c := range j.checkers {
		if k, ok := c.(commitChecker); ok {
			if d := k.commit(j.w.view, cs); d != "" {
				j.report(c.id(), d, nil)
			}
		}
	}
}

// ack is told of a callback that was answered 2xx.
func (j *judge) ack(body []byte) {
	items, err := pix.ParseCallback(body)
	if err != nil {
		j.report("I5", "a body that cannot be read was acknowledged: "+err.Error(), nil)
		return
	}
	j.acked(items)
}

// acked is told of the items of a callback that was answered 2xx.
func (j *judge) acked(items []pix.CallbackItem) {
	for _, c := range j.checkers {
		if k, ok := c.(ackChecker); ok {
			if d := k.ack(j.w.view, items); d != "" {
				j.report(c.id(), d, nil)
			}
		}
	}
}

// answer is told of each answer of the merchant's API.
func (j *judge) answer(a *apiAnswer) {
	for _, c := range j.checkers {
		if k, ok := c.(answerChecker); ok {
			if d := k.answer(j.w.view, a); d != "" {
				j.report(c.id(), d, nil)
			}
		}
	}
}

// ackPayouts is ack for a callback about payouts.
func (j *judge) ackPayouts(body []byte) {
	items, err := pix.ParsePayoutCallback(body)
	if err != nil {
		j.report("I5", "a body that cannot be read was acknowledged: "+err.Error(), nil)
		return
	}
	if d := j.w.view.lostPayouts(items); d != "" {
		j.report("I5", d, nil)
	}
}

func (j *judge) end() {
	if err := j.w.psp.Check(); err != nil {
		j.report("PSP", "the fake PSP contradicts itself: "+err.Error(), nil)
	}
	j.last()
}

// last has the checkers look at what the run came to.
func (j *judge) last() {
	w := j.w
	f := &final{
		View: w.view, ids: sorted(w.view.Pix), w: w, calm: plain(w.plan), replayed: w.replayed,
		statement: w.statement(),
	}
	for _, c := range j.checkers {
		if k, ok := c.(endChecker); ok {
			if d := k.end(f); d != "" {
				j.report(c.id(), d, nil)
			}
		}
	}
}

// statement is the whole account statement as it will be once its lag is over.
func (w *World) statement() []pix.StatementLine {
	if w.left != nil {
		return w.left.Statement
	}
	return w.psp.Statement(w.plan.Start.AddDate(-1, 0, 0), w.now().AddDate(1, 0, 0))
}

// Statement is the whole account statement as it stands once its lag is over,
// after the run.
func (w *World) Statement() []pix.StatementLine { return w.statement() }

// plain says whether nothing in a plan, its faults aside, gives reason for a
// case either: every Pix pays a charge of ours, and nobody disputes one.
func plain(p *chaos.Plan) bool {
	if len(p.Faults) > 0 || len(p.Disputes) > 0 {
		return false
	}
	made := map[string]int64{} // charges that this receiver makes, and when
	for _, c := range p.Charges {
		if !c.Elsewhere && c.RemoveAtMS == 0 {
			made[c.ID] = c.CreateAtMS
		}
	}
	for _, pay := range p.Payments {
		if at, ok := made[pay.Charge]; !ok || pay.AtMS <= at {
			return false
		}
	}
	return true
}

// AllBut lists the invariants but one, for [Options.Without].
func AllBut(id string) []string {
	var out []string
	for _, c := range checkers() {
		if c.id() != id {
			out = append(out, c.id())
		}
	}
	return out
}

// Invariants lists the ids of all invariants that are checked.
func Invariants() []string { return AllBut("") }

// Sentence is what an invariant holds, "" for an unknown id.
func Sentence(id string) string {
	for _, c := range checkers() {
		if c.id() == id {
			return c.sentence()
		}
	}
	return ""
}
