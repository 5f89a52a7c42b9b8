package scenarios

import (
	"fmt"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// Scenario is a plan with a story, and what must come of it.
type Scenario struct {
	Name string
	// Doc tells the story in one sentence.
	Doc string
	// Plan draws the plan; what the story does not fix is the seed's.
	Plan func(seed chaos.Seed) (*chaos.Plan, error)
	// Options run it.
	Options Options
	// Expect checks what came of it, beyond the invariants.
	Expect func(*Report) error
}

// Named lists the scenarios.
func Named() []Scenario {
	return []Scenario{
		thousandCopies(), appliedTwice(), neverComes(), overtakesItsCharge(),
		refundBeforeCredit(), refundIDsPerPix(), refundAppliedTwice(),
		disputeThenRefund(), refundThenDispute(), oldDispute(), cancelAgainstPay(),
		payoutAnswersLost(), payoutGatewayTimeout(), payoutRejectedLate(), payoutComesBack(), payoutToldFirst(),
	}
}

// Run plays the scenario and judges it: every invariant, and its own ending.
func (s Scenario) Run(seed chaos.Seed) (*Report, error) {
	plan, err := s.Plan(seed)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	w, err := NewWorld(plan, s.Options)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	return w.Run()
}

// Judge says what is wrong with a report, nil if nothing is.
func (s Scenario) Judge(r *Report) error {
	for _, i := range r.Invariants {
		if !i.Held {
			return fmt.Errorf("%s broke: %s", i.ID, i.Detail)
		}
	}
	if len(r.Pending) > 0 {
		return fmt.Errorf("it did not settle: %v", r.Pending)
	}
	return s.Expect(r)
}

// quiet is a day with nothing in it, to build stories on.
func quiet(seed chaos.Seed, profile string) *chaos.Plan {
	return &chaos.Plan{
		Format: chaos.Format, Generator: chaos.Generator, Seed: seed, Profile: profile,
		Start: time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC), HorizonMS: chaos.DayMS,
		Settings: chaos.Settings{
			Instances: 2, Workers: 1, Retry: "generic", CallbackTimeoutMS: 5000,
			SweepEveryMS: 15 * 60 * 1000, StatementLagMS: 1000, PageSize: 100,
		},
		Charges: []chaos.Charge{}, Payments: []chaos.Payment{}, Faults: []chaos.Deviation{},
	}
}

// hourMS and minuteMS are virtual time in a plan's unit.
const (
	minuteMS = 60 * 1000
	hourMS   = 60 * minuteMS
)

// addSale puts a charge and the Pix that pays it into a plan.
func addSale(p *chaos.Plan, n int, cents, createMS, payMS int64) (*chaos.Charge, *chaos.Payment) {
	minute := p.Start.Add(time.Duration(payMS) * time.Millisecond)
	id, err := pix.NewEndToEndID("99999008", minute, p.Seed.ID("e2e", fmt.Sprint(n), 11))
	if err != nil {
		panic("scenarios: " + err.Error()) // the parts are ours and fit
	}
	p.Charges = append(p.Charges, chaos.Charge{
		ID: fmt.Sprintf("c%d", n), Reference: fmt.Sprintf("PED-%d", 1000+n), Kind: chaos.ChargeDynamic,
		AmountCents: cents, CreateAtMS: createMS, ExpiresInS: 24 * 3600,
	})
	p.Payments = append(p.Payments, chaos.Payment{
		ID: fmt.Sprintf("p%d", n), Charge: fmt.Sprintf("c%d", n), EndToEndID: string(id),
		AmountCents: cents, AtMS: payMS, NotifyAfterMS: 50,
	})
	return &p.Charges[len(p.Charges)-1], &p.Payments[len(p.Payments)-1]
}

// onCallback is a deviation of one attempt.
func onCallback(kind, subject string, copies, attempt int, set chaos.Change) chaos.Deviation {
	return chaos.Deviation{
		Kind: kind, Set: set,
		Target: chaos.Target{Callback: &chaos.CallbackAddress{
			Subject: subject, Notice: chaos.NoticeCredit, Copy: copies, Attempt: attempt,
		}},
	}
}

// credited checks how many Pix the ledger holds, and their sum.
func credited(r *Report, n int, cents int64) error {
	if r.Credits != n || r.LedgerCents != cents {
		return fmt.Errorf("%d Pix and %d cents in the ledger, want %d and %d", r.Credits, r.LedgerCents, n, cents)
	}
	return nil
}

func thousandCopies() Scenario {
	return Scenario{
		Name: "thousand-copies",
		Doc:  "one callback arrives a thousand times in the same instant, at both instances: one credit, a thousand times 200",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "thousand-copies")
			addSale(p, 0, 100_00, minuteMS, hourMS)
			for k := 1; k < 1000; k++ {
				p.Faults = append(p.Faults, onCallback("duplicate", "p0", k, 1, chaos.Change{CopyAfterMS: 1}))
			}
			return p, nil
		},
		Expect: func(r *Report) error {
			if r.Acknowledged != 1000 {
				return fmt.Errorf("%d callbacks were acknowledged, want 1000", r.Acknowledged)
			}
			return credited(r, 1, 100_00)
		},
	}
}

func appliedTwice() Scenario {
	return Scenario{
		Name:    "applied-twice",
		Doc:     "the same plan is applied again within a minute: each Pix is refused as known, and the statement is not overwritten",
		Options: Options{ApplyTwice: true},
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			return chaos.Generate(chaos.Options{Seed: seed, Profile: "calm"})
		},
		Expect: func(r *Report) error {
			if r.Settled != 20 || len(r.Void) > 0 {
				return fmt.Errorf("%d Pix settled and %d did not, want 20 and 0", r.Settled, len(r.Void))
			}
			return nil
		},
	}
}

func neverComes() Scenario {
	return Scenario{
		Name: "callback-never-comes",
		Doc:  "every callback is lost for good: the sweep brings the money in, and nobody has to look",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "callback-never-comes")
			for n := range 5 {
				addSale(p, n, int64(n+1)*10_00, minuteMS, hourMS+int64(n)*minuteMS)
				p.Faults = append(p.Faults, onCallback("drop", fmt.Sprintf("p%d", n), 0, 1, chaos.Change{Drop: true}))
			}
			return p, nil
		},
		Expect: func(r *Report) error {
			if r.Acknowledged != 0 || r.CasesOpen != 0 {
				return fmt.Errorf("%d callbacks and %d cases, want none of either", r.Acknowledged, r.CasesOpen)
			}
			return credited(r, 5, 150_00)
		},
	}
}

func overtakesItsCharge() Scenario {
	return Scenario{
		Name: "overtakes-its-charge",
		Doc:  "the payer is faster than the PSP's answer: the callback arrives while the receiver still waits to hear that its charge exists",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "overtakes-its-charge")
			c, pay := addSale(p, 0, 42_00, hourMS, hourMS+500)
			pay.NotifyAfterMS = 0
			p.Faults = append(p.Faults, chaos.Deviation{
				Kind: "api_slow", Set: chaos.Change{SlowMS: 3000},
				Target: chaos.Target{API: &chaos.APIAddress{Route: chaos.RouteChargePut, Subject: c.ID, Nth: 1}},
			})
			return p, nil
		},
		Expect: func(r *Report) error {
			if r.CasesOpen != 0 {
				return fmt.Errorf("%d cases were opened, want none: the txid was known before the call", r.CasesOpen)
			}
			return credited(r, 1, 42_00)
		},
	}
}
