package chaos

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// payoutPlan has two payouts, out of order, one of which comes back in parts.
func payoutPlan(faults ...Deviation) *Plan {
	p := testPlan(faults...)
	p.Payouts = []Payout{
		{ID: "o10", Reference: "PAG-10", Payee: "a@b.example", AmountCents: 500, AtMS: 70_000, Outcome: PayoutConfirmed, NotifyAfterMS: 5,
			Returns: []PayoutReturn{{AfterMS: 60_000, AmountCents: 200}, {AfterMS: 90_000, AmountCents: 300}}},
		{ID: "o2", Reference: "PAG-2", Payee: "a@b.example", AmountCents: 200, AtMS: 80_000, SettleAfterMS: 1_000, Outcome: PayoutRejected, NotifyAfterMS: 7},
	}
	return p
}

func TestPayoutsInThePlanFile(t *testing.T) {
	t.Parallel()
	p := payoutPlan(
		onNotice("o10", ReturnNotice(2), Change{DelayMS: 1_000}),
		onAPI(RoutePayoutPost, "o2", 1, Change{RejectMS: 5_000}),
		onAny(CommandReservePayouts, "o2", EdgeBefore, 1, Change{Crash: true, RestartMS: 1}),
	)
	for i, kind := range []string{"delay", "payout_rejected_late", "crash"} {
		p.Faults[i].Kind = kind
	}
	got, err := ReadPlan(bytes.NewReader(p.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	p.Payouts[0], p.Payouts[1] = p.Payouts[1], p.Payouts[0]
	if !reflect.DeepEqual(got.Payouts, p.Payouts) || got.Hash() != p.Hash() {
		t.Errorf("read back %+v", got.Payouts)
	}
	if got, want := p.LastActionMS(), int64(70_000+90_000+5+1_000); got != want {
		t.Errorf("last action at %d, want the late callback of the last return at %d", got, want)
	}
	text := explain(p)
	for _, want := range []string{
		"o2   " + PayoutKey(p.Seed, p.Payouts[0]) + "  PAG-2 of R$ 2,00 to a@b.example at 00:01:20.000, rejected 1s later, callback 7ms after that",
		"R$ 2,00 comes back 1m0s after it settled",
		"delay: attempt 1 of callback payout/return/2 comes 1s late",
		"payout_rejected_late: call 1 of pagamento.post about o2 is rejected 5s later",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the listing lacks %q:\n%s", want, text)
		}
	}
}

func TestValidateRefusesPayouts(t *testing.T) {
	t.Parallel()
	on := func(set Change) func(p *Plan) { return func(p *Plan) { p.Faults[0].Set = set } }
	for name, c := range map[string]struct {
		spoil        func(p *Plan)
		wrong, right string
	}{
		"id of a payment":        {func(p *Plan) { p.Payouts[0].ID = "p1" }, `id "p1" stands twice`, "each once"},
		"reference twice":        {func(p *Plan) { p.Payouts[0].Reference = "PAG-2" }, `reference "PAG-2" stands twice`, "each once"},
		"nothing":                {func(p *Plan) { p.Payouts[0].AmountCents = 0 }, "amount_cents is 0", "1 or more"},
		"no payee":               {func(p *Plan) { p.Payouts[0].Payee = "" }, "payee has 0 bytes", "1 to 77"},
		"unknown outcome":        {func(p *Plan) { p.Payouts[0].Outcome = "late" }, `outcome "late" is unknown`, "confirmed, rejected"},
		"more back than out":     {func(p *Plan) { p.Payouts[0].Returns[1].AmountCents = 301 }, "amount_cents is 301", "at most 300"},
		"back of a rejected one": {func(p *Plan) { p.Payouts[0].Outcome = PayoutRejected }, "it is rejected and has returns", "want none"},
		"unknown ids":            {func(p *Plan) { p.Settings.PayoutIDs = "made" }, `payout_ids "made" is unknown`, "assigned, lookup"},
		"a key for a minute":     {func(p *Plan) { p.Settings.PayoutKeyTTLMS = 60_000 }, "payout_key_ttl_ms is 60000", "300000 or more"},
		"credit of a payout":     {func(p *Plan) { p.Faults[0].Target.Callback.Notice = NoticeCredit }, `notice "credit" is unknown`, "payout/return/1"},
		"return zero":            {func(p *Plan) { p.Faults[0].Target.Callback.Notice = "payout/return/0" }, `notice "payout/return/0" is unknown`, "payout/return/1"},
		"an amount in its place": {on(Change{SayCents: 5}), "cannot be so bent", "truncated"},
		"devolucoes as object":   {on(Change{Shape: []string{ShapeRefundObject}}), "cannot be so bent", "truncated"},
		"rejected by a callback": {on(Change{RejectMS: 5}), "cannot be so bent", "late"},
		"call of a payment":      {func(p *Plan) { p.Faults[0].Target = onAPI(RoutePayoutPost, "p1", 1, Change{}).Target }, `api names "p1"`, "one of payouts"},
		"refund's call":          {func(p *Plan) { p.Faults[0].Target = onAPI(RoutePixGet, "o2", 1, Change{}).Target }, `api names "o2"`, "one of payouts"},
		"rejected at a query": {func(p *Plan) {
			p.Faults[0] = onAPI(RoutePayoutGet, "o2", 1, Change{RejectMS: 5})
			p.Faults[0].Kind = "drop"
		},
			"belong to a call", RoutePayoutPost},
		"back, and never": {func(p *Plan) {
			p.Faults[0] = onAPI(RoutePayoutPost, "o2", 1, Change{ReturnCents: 5})
			p.Faults[0].Kind = "drop"
		},
			"return_ms and return_cents", "together"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := payoutPlan(Deviation{Kind: "drop", Set: Change{Drop: true}, Target: Target{Callback: &CallbackAddress{"o10", NoticePayout, 0, 1}}})
			if err := p.Validate(); err != nil {
				t.Fatalf("before it was spoilt: %v", err)
			}
			c.spoil(p)
			err := p.Validate()
			if err == nil || !strings.Contains(err.Error(), c.wrong) || !strings.Contains(err.Error(), c.right) {
				t.Errorf("error %v, want one that says %q and %q", err, c.wrong, c.right)
			}
		})
	}
}

func TestPayoutsDrawn(t *testing.T) {
	t.Parallel()
	var payments, payouts, rejected, back, sync, early, over int
	for seed := range Seed(400) {
		p := generate(t, Options{Seed: seed})
		payments += len(p.Payments)
		for _, o := range p.Payouts {
			paid := p.paymentNamed("p" + strings.TrimPrefix(o.ID, "o"))
			waited := o.AtMS - paid.AtMS
			if waited < 300 || waited > 8*hourMS+40 || o.SettleAfterMS > longestSettleMS || o.lastReturnMS() > p.HorizonMS-returnsEndMS {
				t.Errorf("seed %d: %+v beside %+v", seed, o, paid)
			}
			payouts++
			rejected += int(oneIf(o.Outcome == PayoutRejected))
			back += int(oneIf(len(o.Returns) > 0))
			sync += int(oneIf(o.SettleAfterMS == 0))
			early += int(oneIf(waited <= 21*secondMS))
			over += int(oneIf(o.AmountCents > paid.AmountCents))
		}
	}
	share(t, "payouts", payouts, payments, 220, 280)
	share(t, "rejected", rejected, payouts, 90, 160)
	share(t, "come back", back, payouts, 80, 150)
	share(t, "ended in the answer", sync, payouts, 450, 560)
	share(t, "within seconds", early, payouts, 90, 170)
	share(t, "more than came in beside it", over, payouts, 90, 160)
}

func TestCalmPayoutsStayOut(t *testing.T) {
	t.Parallel()
	n := 0
	for seed := range Seed(200) {
		p := generate(t, Options{Seed: seed, Profile: "calm"})
		for _, o := range p.Payouts {
			n++
			paid := p.paymentNamed("p" + strings.TrimPrefix(o.ID, "o"))
			if o.Outcome != PayoutConfirmed || len(o.Returns) > 0 || o.AmountCents > paid.AmountCents || o.AtMS < paid.AtMS+40*minuteMS {
				t.Errorf("seed %d: %+v beside %+v", seed, o, paid)
			}
		}
	}
	if n < 800 {
		t.Errorf("%d payouts in 200 calm plans, want 800", n)
	}
}

// Every kind that strikes callbacks in a way that any can be struck strikes those
// of payouts, and every kind that strikes calls or commands theirs.
func TestKindsStrikePayouts(t *testing.T) {
	t.Parallel()
	struck := map[string]map[string]bool{}
	for seed := range Seed(400) {
		for _, d := range generate(t, Options{Seed: seed, Profile: "hostile"}).Faults {
			what := ""
			switch t := d.Target; {
			case t.Callback != nil:
				what = t.Callback.Notice
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
	both := []string{RoutePayoutPost, RoutePayoutGet}
	told := []string{NoticePayout, ReturnNotice(1)}
	for kind, wants := range map[string][]string{
		"api_slow": both, "api_5xx": both, "api_cut": both, "api_429": both, "api_hidden": both,
		"api_5xx_after": both[:1], "api_409": both[:1], "payout_returned": both[:1], "payout_rejected_late": both[:1],
		"payout_no_balance": both[:1], "payout_silent": both[:1], "payout_told_first": both[:1],
		"crash":       {CommandReservePayouts, CommandLeasePayouts, CommandRecordPayouts},
		"commit_lost": {CommandReservePayouts, CommandRecordPayouts},
		"delay":       told, "drop": told, "duplicate": told, "ack_lost": told, "resend": told, "replay": told, "storm": told[:1],
		"truncated": told, "oversized": told[:1], "reorder": told[:1],
	} {
		for _, want := range wants {
			if !struck[kind][want] {
				t.Errorf("%s does not strike %s", kind, want)
			}
		}
	}
	for _, kind := range []string{"refund_object", "root_array", "null_shape", "unknown_enums", "unknown_fields"} {
		if slices.ContainsFunc(told, func(name string) bool { return struck[kind][name] }) {
			t.Errorf("%s bends a callback about a payout", kind)
		}
	}
}
