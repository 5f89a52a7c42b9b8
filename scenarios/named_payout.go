package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/chaos"
)

func addPayout(p *chaos.Plan, n int, cents, atMS int64) *chaos.Payout {
	p.Payouts = append(p.Payouts, chaos.Payout{
		ID: fmt.Sprintf("o%d", n), Reference: fmt.Sprintf("PAG-%d", 1000+n), Payee: "fornecedor@pagamentos.example",
		AmountCents: cents, AtMS: atMS, Outcome: chaos.PayoutConfirmed, NotifyAfterMS: 50,
	})
	return &p.Payouts[len(p.Payouts)-1]
}

// onCall is a deviation of one call of the PSP's API.
func onCall(kind, route, subject string, nth int, set chaos.Change) chaos.Deviation {
	return chaos.Deviation{Kind: kind, Set: set, Target: chaos.Target{API: &chaos.APIAddress{Route: route, Subject: subject, Nth: nth}}}
}

// paidOut checks what payouts came to: confirmed, and back of them.
func paidOut(r *Report, n int, out, back int64) error {
	if r.Payouts != n || r.PaidCents != out || r.ReturnedCents != back || r.InTransitCents != 0 {
		return fmt.Errorf("%d payouts of %d cents, %d back and %d in transit, want %d, %d, %d and 0",
			r.Payouts, r.PaidCents, r.ReturnedCents, r.InTransitCents, n, out, back)
	}
	return nil
}

func payoutAnswersLost() Scenario {
	return Scenario{
		Name: "payout-answers-lost",
		Doc:  "the PSP takes a payout, every answer to its request is lost, and no query finds it for a quarter of an hour: one debit, and nobody sends it under another key",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "payout-answers-lost")
			addSale(p, 0, 100_00, minuteMS, hourMS)
			addPayout(p, 0, 80_00, 2*hourMS)
			for nth := range 12 {
				set := chaos.Change{Cut: true}
				if nth == 0 {
					set.HideMS = 15 * minuteMS
				}
				p.Faults = append(p.Faults, onCall("payout_silent", chaos.RoutePayoutPost, "o0", nth+1, set))
			}
			return p, nil
		},
		Expect: func(r *Report) error {
			if err := paidOut(r, 1, 80_00, 0); err != nil {
				return err
			}
			return credited(r, 1, 20_00)
		},
	}
}

func payoutGatewayTimeout() Scenario {
	return Scenario{
		Name: "payout-504-after-the-debit",
		Doc:  "a proxy answers 504 after the PSP has debited a payout: unknown, and asked about before anything is repeated",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "payout-504-after-the-debit")
			addSale(p, 0, 100_00, minuteMS, hourMS)
			addPayout(p, 0, 80_00, 2*hourMS)
			p.Faults = append(p.Faults, onCall("api_5xx_after", chaos.RoutePayoutPost, "o0", 1, chaos.Change{StatusAfter: 504}))
			return p, nil
		},
		Expect: func(r *Report) error { return paidOut(r, 1, 80_00, 0) },
	}
}

func payoutRejectedLate() Scenario {
	return Scenario{
		Name: "payout-rejected-late",
		Doc:  "the PSP takes a payout and rejects it ten minutes later, and says so three times: the money is back once",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "payout-rejected-late")
			addSale(p, 0, 100_00, minuteMS, hourMS)
			o := addPayout(p, 0, 80_00, 2*hourMS)
			o.Outcome, o.SettleAfterMS = chaos.PayoutRejected, 10*minuteMS
			for k := 1; k <= 2; k++ {
				p.Faults = append(p.Faults, chaos.Deviation{Kind: "duplicate", Set: chaos.Change{CopyAfterMS: int64(k) * 1000},
					Target: chaos.Target{Callback: &chaos.CallbackAddress{Subject: "o0", Notice: chaos.NoticePayout, Copy: k, Attempt: 1}}})
			}
			addPayout(p, 1, 100_00, 3*hourMS)
			return p, nil
		},
		Expect: func(r *Report) error { return paidOut(r, 1, 100_00, 0) },
	}
}

func payoutComesBack() Scenario {
	return Scenario{
		Name: "payout-comes-back",
		Doc:  "a confirmed payout comes back in two parts, and the callback of the second is lost: the statement brings it in",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "payout-comes-back")
			addSale(p, 0, 100_00, minuteMS, hourMS)
			o := addPayout(p, 0, 80_00, 2*hourMS)
			o.Returns = []chaos.PayoutReturn{{AfterMS: 10 * minuteMS, AmountCents: 30_00}, {AfterMS: 20 * minuteMS, AmountCents: 50_00}}
			p.Faults = append(p.Faults, onNotice("drop", "o0", chaos.ReturnNotice(2), chaos.Change{Drop: true}))
			return p, nil
		},
		Expect: func(r *Report) error {
			if err := paidOut(r, 1, 80_00, 80_00); err != nil {
				return err
			}
			return credited(r, 1, 100_00)
		},
	}
}

func payoutToldFirst() Scenario {
	return Scenario{
		Name: "payout-told-first",
		Doc:  "the callback that a payout went out overtakes the answer to its request: booked once, whoever is heard first",
		Plan: func(seed chaos.Seed) (*chaos.Plan, error) {
			p := quiet(seed, "payout-told-first")
			addSale(p, 0, 100_00, minuteMS, hourMS)
			addPayout(p, 0, 80_00, 2*hourMS)
			p.Faults = append(p.Faults, onCall("payout_told_first", chaos.RoutePayoutPost, "o0", 1, chaos.Change{SlowMS: 3000}))
			return p, nil
		},
		Expect: func(r *Report) error {
			if r.CasesOpen != 0 {
				return fmt.Errorf("%d cases were opened, want none", r.CasesOpen)
			}
			return paidOut(r, 1, 80_00, 0)
		},
	}
}
