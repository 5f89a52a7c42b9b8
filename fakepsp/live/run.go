package live

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// MaxPlan is the longest plan that runs in real time.
const MaxPlan = 20 * time.Second

// CheckPlan refuses a plan that is not for real time: one that is none, or
// whose last action comes later than [MaxPlan].
func CheckPlan(plan *chaos.Plan) error {
	if err := plan.Validate(); err != nil {
		return err
	}
	if last := plan.LastActionMS(); last > MaxPlan.Milliseconds() {
		return fmt.Errorf("the plan goes on for %.1f s; live runs take real time, nothing is scaled, so want a plan whose last action comes within %s",
			float64(last)/1000, MaxPlan)
	}
	return nil
}

// run is a plan that was applied. Everything in it belongs to the machine's lock.
type run struct {
	plan   *chaos.Plan
	hash   string
	faults *chaos.Faults
	tally  *chaos.Tally
	key    pix.PixKey // payers pay to it
	began  time.Time
	ends   time.Time // when its last action is due
	makes  bool      // the lab makes the merchant's charges

	charges  map[string]*chaos.Charge
	payments map[string]*chaos.Payment
	removals map[string]int64 // charge → when a fault has it removed
	subjects map[string]string
	refunds  map[refundName]*chaos.Refund
	payouts  map[string]*chaos.Payout // by key

	todo timetable
	void []Void
}

// refundName names a refund at the PSP.
type refundName struct {
	pix pix.EndToEndID
	id  pix.RefundID
}

func newRun(plan *chaos.Plan, key pix.PixKey, began time.Time, makes bool) *run {
	r := &run{
		plan: plan, hash: plan.Hash(), faults: plan.Merge(), tally: chaos.NewTally(plan), key: key, makes: makes,
		began: began, ends: began.Add(chaos.MS(plan.LastActionMS()).Duration()),
		charges: map[string]*chaos.Charge{}, payments: map[string]*chaos.Payment{}, removals: map[string]int64{},
		subjects: map[string]string{}, refunds: map[refundName]*chaos.Refund{}, payouts: map[string]*chaos.Payout{},
	}
	for i := range plan.Charges {
		c := &plan.Charges[i]
		r.charges[c.ID] = c
		r.subjects[chaos.Txid(plan.Seed, *c)] = c.ID
	}
	for i := range plan.Payments {
		p := &plan.Payments[i]
		r.payments[p.ID] = p
		r.subjects[p.EndToEndID] = p.ID
		if m := r.faults.Payment(p.ID); m.Change.RemoveAtMS > 0 {
			r.removals[p.Charge] = m.Change.RemoveAtMS
		}
	}
	for i := range plan.Refunds {
		f := &plan.Refunds[i]
		r.refunds[refundName{r.pixOf(f.Payment), pix.RefundID(chaos.RefundID(plan.Seed, *f))}] = f
	}
	for i := range plan.Payouts {
		o := &plan.Payouts[i]
		key := chaos.PayoutKey(plan.Seed, *o)
		r.payouts[key], r.subjects[key] = o, o.ID
	}
	return r
}

// pixOf is the endToEndId of one of the plan's payments.
func (r *run) pixOf(payment string) pix.EndToEndID {
	return pix.EndToEndID(r.payments[payment].EndToEndID)
}

// at is the real time of an instant of the plan.
func (r *run) at(ms int64) time.Time { return r.began.Add(chaos.MS(ms).Duration()) }

// terms is what the plan wants of a refund at the PSP.
func (r *run) terms(of pix.EndToEndID, id pix.RefundID) fakepsp.RefundTerms {
	f := r.refunds[refundName{of, id}]
	if f == nil {
		return fakepsp.RefundTerms{Payment: r.subjects[string(of)], NotifyAfter: refundNotice}
	}
	return fakepsp.RefundTerms{
		Subject: f.ID, Payment: f.Payment, SettleAfter: chaos.MS(f.SettleAfterMS).Duration(),
		NotifyAfter: chaos.MS(f.NotifyAfterMS).Duration(), Fails: f.Fails,
	}
}

// note keeps what the plan wanted and the PSP did not do.
func (r *run) note(subject string, err error) {
	if err != nil {
		r.void = append(r.void, Void{Subject: subject, Reason: err.Error()})
	}
}

// state is what became of the plan so far.
func (r *run) state() PlanState {
	return PlanState{
		Hash: r.hash, Seed: r.plan.Seed.String(), Profile: r.plan.Profile,
		BeganAt: r.began, EndsAt: r.ends, Pending: len(r.todo), Void: append([]Void{}, r.void...),
	}
}

// planState is that of the plan that was applied.
func (m *machine) planState() (PlanState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.run == nil {
		return PlanState{}, notFound("no plan was applied")
	}
	return m.run.state(), nil
}
