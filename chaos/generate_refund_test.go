package chaos

import (
	"slices"
	"strings"
	"testing"
)

// refundsOf groups a plan's refunds by their Pix.
func refundsOf(p *Plan) map[string][]Refund {
	out := map[string][]Refund{}
	for _, r := range p.Refunds {
		out[r.Payment] = append(out[r.Payment], r)
	}
	return out
}

func total(refunds []Refund) (cents int64) {
	for _, r := range refunds {
		cents += r.AmountCents
	}
	return cents
}

// share checks how many in a thousand there are of something.
func share(t *testing.T, what string, n, of, least, most int) {
	t.Helper()
	if got := 1000 * n / max(of, 1); got < least || got > most {
		t.Errorf("%s: %d of %d, want %d to %d in a thousand", what, n, of, least, most)
	}
}

func TestRefundsDrawn(t *testing.T) {
	t.Parallel()
	var payments, asked, several, full, over, races, refunds, bank, fails, sync, early int
	for seed := range Seed(400) {
		p := generate(t, Options{Seed: seed})
		payments += len(p.Payments)
		for id, list := range refundsOf(p) {
			paid := p.paymentNamed(id)
			asked++
			if len(list) > 1 {
				several++
				if gap := list[1].AtMS - list[0].AtMS; gap >= 0 && gap < 40 {
					races++
				}
			}
			switch sum := total(list); {
			case sum == paid.AmountCents:
				full++
			case sum > paid.AmountCents:
				over++
			}
			for _, r := range list {
				refunds++
				waited := r.AtMS - paid.AtMS
				if waited < 300 || waited > 8*hourMS+40 || r.SettleAfterMS > longestSettleMS || r.NotifyAfterMS > 2*secondMS {
					t.Errorf("seed %d: %+v of %+v", seed, r, paid)
				}
				bank += int(oneIf(r.Origin == OriginBank))
				fails += int(oneIf(r.Fails))
				sync += int(oneIf(r.SettleAfterMS == 0))
				early += int(oneIf(waited <= 21*secondMS))
			}
		}
	}
	share(t, "Pix asked back", asked, payments, 300, 370)
	share(t, "several refunds of a Pix", several, asked, 350, 450)
	share(t, "races of two requests", races, several, 400, 600)
	share(t, "all of the Pix in sum", full, asked, 380, 560)
	share(t, "more than the Pix in sum", over, asked, 120, 240)
	share(t, "by the bank", bank, refunds, 130, 200)
	share(t, "not made", fails, refunds, 100, 150)
	share(t, "settled in the answer", sync, refunds, 290, 380)
	share(t, "within seconds", early, refunds, 60, 150)
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Without refunds and MED cases everything else is as it was, save what seeks
// the instants at which refunds are asked for.
func TestRefundsMoveNothingElse(t *testing.T) {
	t.Parallel()
	profile := hostile(Kinds())
	for seed := range Seed(40) {
		with := base(seed, profile)
		bare := profile
		bare.Refunds, bare.Disputes = Rate{}, Rate{}
		without := base(seed, bare)
		if !slices.Equal(with.Charges, without.Charges) || !slices.Equal(with.Payments, without.Payments) || with.Settings != without.Settings {
			t.Fatalf("seed %d: refunds moved a charge, a payment or a setting", seed)
		}
		more := texts(propose(with, profile.Rates))
		for _, d := range propose(without, profile.Rates) {
			if w := d.Target.Window; w != nil && w.Place == PlaceToken {
				continue
			}
			if text := texts([]Deviation{d})[0]; !slices.Contains(more, text) {
				t.Errorf("seed %d: refunds moved %s", seed, text)
			}
		}
	}
}

// An id of the bank's comes again on another Pix, and is never the merchant's.
func TestBankIDsRepeatAcrossPix(t *testing.T) {
	t.Parallel()
	short, long, again := 0, 0, 0
	for seed := range Seed(300) {
		p := generate(t, Options{Seed: seed, Profile: "hostile"})
		bank, own := map[string]int{}, map[string]bool{}
		for _, r := range p.Refunds {
			id := RefundID(seed, r)
			switch {
			case r.Origin == OriginMerchant:
				own[id] = true
			case len(id) == 32:
				long++
				bank[id]++
			default:
				short++
				bank[id]++
			}
		}
		for id, n := range bank {
			if own[id] {
				t.Errorf("seed %d: the bank took the merchant's %s", seed, id)
			}
			if n > 1 {
				again++
			}
		}
	}
	if short < 200 || long < 100 || again < 30 {
		t.Errorf("%d short ids, %d long ones, %d that stand on several Pix; want 200, 100, 30", short, long, again)
	}
}

func TestCalmRefundsAreWithinTheCap(t *testing.T) {
	t.Parallel()
	asked := 0
	for seed := range Seed(300) {
		p := generate(t, Options{Seed: seed, Profile: "calm"})
		if len(p.Disputes) != 0 || p.Settings.RefundRepeat != "same" {
			t.Errorf("seed %d: %d MED cases, repeat %q; want none and same", seed, len(p.Disputes), p.Settings.RefundRepeat)
		}
		for id, list := range refundsOf(p) {
			asked++
			pay := p.paymentNamed(id)
			if total(list) > pay.AmountCents {
				t.Errorf("seed %d: %s is asked back %d of %d cents", seed, id, total(list), pay.AmountCents)
			}
			for _, r := range list {
				if r.Fails || r.Origin != OriginMerchant || r.AtMS < pay.AtMS+40*minuteMS {
					t.Errorf("seed %d: %+v of %+v", seed, r, pay)
				}
			}
		}
	}
	if asked < 1500 {
		t.Errorf("%d of 6000 calm payments are asked back, want a third", asked)
	}
}

func TestDisputesDrawn(t *testing.T) {
	t.Parallel()
	var payments, cases, twice, accepted, memos, full, near int
	for seed := range Seed(600) {
		p := generate(t, Options{Seed: seed})
		payments += len(p.Payments)
		seen, refunds := map[string]bool{}, refundsOf(p)
		for _, d := range p.Disputes {
			pay := p.paymentNamed(d.Payment)
			if d.ReportAtMS <= pay.AtMS || d.DecideAfterMS < minuteMS || d.DecideAfterMS > 5*hourMS || d.AmountCents > pay.AmountCents ||
				d.ReportAtMS+d.DecideAfterMS+d.NotifyAfterMS > p.HorizonMS {
				t.Errorf("seed %d: %+v on %+v", seed, d, pay)
			}
			cases++
			twice += int(oneIf(seen[d.Payment]))
			seen[d.Payment] = true
			accepted += int(oneIf(d.Outcome == DisputeAccepted))
			memos += int(oneIf(d.Memo))
			full += int(oneIf(d.AmountCents == pay.AmountCents))
			near += int(oneIf(slices.ContainsFunc(refunds[d.Payment], func(r Refund) bool {
				return within(r.AtMS, d.ReportAtMS, 2*minuteMS) || within(r.AtMS, d.ReportAtMS+d.DecideAfterMS, 2*minuteMS)
			})))
		}
	}
	share(t, "MED cases", cases, payments, 100, 140)
	share(t, "second cases", twice, cases, 120, 220)
	share(t, "accepted", accepted, cases, 700, 800)
	share(t, "told", memos, cases, 450, 550)
	share(t, "over the whole Pix", full, cases, 600, 740)
	share(t, "close to a refund", near, cases, 70, 250)
}

func within(a, b, reach int64) bool { return max(a-b, b-a) <= reach }

func TestMedTakesDays(t *testing.T) {
	t.Parallel()
	days, cases := 0, 0
	for seed := range Seed(100) {
		p := generate(t, Options{Seed: seed, Profile: "med"})
		if p.HorizonMS != 12*DayMS || p.Settings.SweepEveryMS != hourMS {
			t.Fatalf("horizon %d, a sweep every %d ms", p.HorizonMS, p.Settings.SweepEveryMS)
		}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		if last := p.LastActionMS(); last > p.HorizonMS+repeatMS {
			t.Errorf("seed %d: last action at %s", seed, clock(last))
		}
		for _, d := range p.Disputes {
			cases++
			if d.DecideAfterMS > DayMS {
				days++
			}
			if d.DecideAfterMS > maxAnalysisMS || d.ReportAtMS+d.DecideAfterMS > p.HorizonMS {
				t.Errorf("seed %d: %+v", seed, d)
			}
		}
	}
	share(t, "analysed for more than a day", days, cases, 150, 500)
}

// Every kind that strikes callbacks strikes those of refunds and MED cases too,
// and every kind that strikes calls or commands those about refunds.
func TestKindsStrikeRefundsAndReturns(t *testing.T) {
	t.Parallel()
	creditsAlone := []string{"altered", "forged", "phantom", "grouped", "false_refund", "webhook_removed"}
	struck := map[string]map[string]bool{}
	for seed := range Seed(300) {
		for _, d := range generate(t, Options{Seed: seed, Profile: "hostile"}).Faults {
			what := ""
			switch t := d.Target; {
			case t.Callback != nil:
				what, _, _ = strings.Cut(t.Callback.Notice, "/")
			case t.API != nil:
				what = t.API.Route
			case t.Command != nil:
				what = t.Command.Command
			}
			if struck[d.Kind] == nil {
				struck[d.Kind] = map[string]bool{}
			}
			struck[d.Kind][what] = true
		}
	}
	for _, k := range Kinds() {
		if k.Family == FamilyCallback && !slices.Contains(creditsAlone, k.Name) && (!struck[k.Name]["refund"] || !struck[k.Name]["med"]) {
			t.Errorf("%s strikes %v alone", k.Name, struck[k.Name])
		}
	}
	for kind, wants := range map[string][]string{
		"api_slow": {RouteRefundPut, RouteRefundGet}, "api_5xx": {RouteRefundPut, RouteRefundGet}, "api_5xx_after": {RouteRefundPut},
		"api_cut": {RouteRefundPut, RouteRefundGet}, "api_429": {RouteRefundPut, RouteRefundGet}, "api_hidden": {RouteRefundGet},
		"crash":       {CommandReserveRefunds, CommandLeaseRefunds, CommandRecordRefunds},
		"commit_lost": {CommandReserveRefunds, CommandRecordRefunds},
	} {
		for _, want := range wants {
			if !struck[kind][want] {
				t.Errorf("%s does not strike %s", kind, want)
			}
		}
	}
}
