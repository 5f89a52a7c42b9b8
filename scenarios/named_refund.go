package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// dayMS is a day in a plan's unit.
const dayMS = chaos.DayMS

func addRefund(p *chaos.Plan, n int, payment string, cents, atMS int64) *chaos.Refund {
	p.Refunds = append(p.Refunds, chaos.Refund{
		ID: fmt.Sprintf("r%d", n), Payment: payment, Origin: chaos.OriginMerchant,
		Reference: fmt.Sprintf("DEV-%d", 1000+n), AmountCents: cents, AtMS: atMS, NotifyAfterMS: 50,
	})
	return &p.Refunds[len(p.Refunds)-1]
}

func addDispute(p *chaos.Plan, n int, payment string, cents, reportMS, decideAfterMS int64) *chaos.Dispute {
	p.Disputes = append(p.Disputes, chaos.Dispute{
		ID: fmt.Sprintf("m%d", n), Payment: payment, Nature: pix.NatureMEDFraud, Outcome: chaos.DisputeAccepted,
		AmountCents: cents, ReportAtMS: reportMS, DecideAfterMS: decideAfterMS, NotifyAfterMS: 50,
	})
	return &p.Disputes[len(p.Disputes)-1]
}

// onNotice is a deviation of a notice's first attempt.
func onNotice(kind, subject, notice string, set chaos.Change) chaos.Deviation {
	return chaos.Deviation{
		Kind: kind, Set: set,
		Target: chaos.Target{Callback: &chaos.CallbackAddress{Subject: subject, Notice: notice, Attempt: 1}},
	}
}

// returned checks what the merchant's refunds and the PSP's came to.
func returned(r *Report, n int, cents int64) error {
	if r.Refunds != n || r.RefundedCents != cents || r.InProcessCents != 0 {
		return fmt.Errorf("%d refunds of %d cents returned and %d cents in process, want %d, %d and 0",
			r.Refunds, r.RefundedCents, r.InProcessCents, n, cents)
	}
	return nil
}

func refundBeforeCredit() Scenario {
	return Scenario{
		Name: "refund-before-credit",
		Doc:  "the credit's callback is lost, and a refund made in the bank's app is told of before any sweep: it waits, and loses nothing",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "refund-before-credit")
			addSale(p, 0, 100_00, minuteMS, hourMS)
			r := addRefund(p, 0, "p0", 40_00, hourMS+minuteMS)
			r.Origin, r.Reference = chaos.OriginBank, "APP1"
			p.Faults = append(p.Faults,
				onNotice("drop", "p0", chaos.NoticeCredit, chaos.Change{Drop: true}),
				chaos.Deviation{
					Kind: "psp_down", Set: chaos.Change{Down: true},
					Target: chaos.Target{Window: &chaos.Window{Place: chaos.PlaceList, FromMS: hourMS, ToMS: 3 * hourMS}},
				})
			return p, nil
		},
		Expect: func(r *Report) error {
			if err := returned(r, 1, 40_00); err != nil {
				return err
			}
			return credited(r, 1, 60_00)
		},
	}
}

func refundIDsPerPix() Scenario {
	return Scenario{
		Name: "refund-ids-per-pix",
		Doc:  "the bank's app gives refunds of two Pix the same id: they are two refunds",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "refund-ids-per-pix")
			for n := range 2 {
				addSale(p, n, 100_00, minuteMS, hourMS+int64(n)*minuteMS)
				r := addRefund(p, n, fmt.Sprintf("p%d", n), int64(n+1)*10_00, 2*hourMS)
				r.Origin, r.Reference = chaos.OriginBank, "1"
			}
			return p, nil
		},
		Expect: func(r *Report) error { return returned(r, 2, 30_00) },
	}
}

func refundAppliedTwice() Scenario {
	return Scenario{
		Name:    "refund-applied-twice",
		Doc:     "a plan with refunds and a MED case is applied again within a minute: no rtrId is made a second time, and nothing is overwritten",
		Options: Options{ApplyTwice: true},
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "refund-applied-twice")
			addSale(p, 0, 100_00, minuteMS, hourMS)
			r := addRefund(p, 0, "p0", 30_00, 2*hourMS)
			r.Origin, r.Reference = chaos.OriginBank, "APP1"
			addDispute(p, 0, "p0", 70_00, 3*hourMS, hourMS)
			return p, nil
		},
		Expect: func(r *Report) error { return returned(r, 2, 100_00) },
	}
}

func disputeThenRefund() Scenario {
	return Scenario{
		Name: "med-then-refund",
		Doc:  "MED has returned the whole Pix when the merchant asks for a refund: refused before any call, and the money goes back once",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "med-then-refund")
			addSale(p, 0, 100_00, minuteMS, hourMS)
			addDispute(p, 0, "p0", 100_00, 2*hourMS, hourMS)
			addRefund(p, 0, "p0", 100_00, 4*hourMS)
			return p, nil
		},
		Expect: func(r *Report) error { return returned(r, 1, 100_00) },
	}
}

func refundThenDispute() Scenario {
	return Scenario{
		Name: "refund-then-med",
		Doc:  "the merchant's refund is still in process when MED takes the Pix: the PSP fails the refund, and the money goes back once",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "refund-then-med")
			addSale(p, 0, 100_00, minuteMS, hourMS)
			addRefund(p, 0, "p0", 100_00, 2*hourMS).SettleAfterMS = 3 * hourMS
			addDispute(p, 0, "p0", 100_00, 3*hourMS, hourMS)
			return p, nil
		},
		Expect: func(r *Report) error { return returned(r, 1, 100_00) },
	}
}

func oldDispute() Scenario {
	return Scenario{
		Name: "med-after-forty-days",
		Doc:  "MED returns a Pix of forty days ago and its callback is lost: the sweep of changed Pix, which looks back 91 days, finds it",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "med-after-forty-days")
			p.HorizonMS = 42 * dayMS
			addSale(p, 0, 100_00, minuteMS, hourMS)
			addDispute(p, 0, "p0", 100_00, 40*dayMS, hourMS)
			p.Faults = append(p.Faults, onNotice("drop", "p0", chaos.DisputeNotice("m0", 1), chaos.Change{Drop: true}))
			return p, nil
		},
		Expect: func(r *Report) error { return returned(r, 1, 100_00) },
	}
}

func cancelAgainstPay() Scenario {
	return Scenario{
		Name: "cancel-against-pay",
		Doc:  "the merchant takes a charge back in the very moment in which it is paid: either it is paid, or the Pix never is",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "cancel-against-pay")
			for n := range 8 {
				at := hourMS + int64(n)*minuteMS
				c, _ := addSale(p, n, 50_00, minuteMS, at)
				c.RemoveAtMS = at - 4 + int64(n)
			}
			return p, nil
		},
		Expect: func(r *Report) error {
			if r.Settled+len(r.Void) != 8 || r.CasesOpen != 0 {
				return fmt.Errorf("%d settled, %d void and %d cases, want 8 in all and no case", r.Settled, len(r.Void), r.CasesOpen)
			}
			return credited(r, r.Settled, int64(r.Settled)*50_00)
		},
	}
}
