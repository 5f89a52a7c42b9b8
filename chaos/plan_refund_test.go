package chaos

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// refundPlan has two refunds and a MED case, out of order.
func refundPlan(faults ...Deviation) *Plan {
	p := testPlan(faults...)
	p.Refunds = []Refund{
		{ID: "r10", Payment: "p1", Origin: OriginBank, Reference: "1", AmountCents: 100, AtMS: 70_000, NotifyAfterMS: 5},
		{ID: "r2", Payment: "p2", Origin: OriginMerchant, Reference: "DEV-2", AmountCents: 200, AtMS: 80_000, SettleAfterMS: 1_000, Fails: true, NotifyAfterMS: 7},
	}
	p.Disputes = []Dispute{{ID: "m0", Payment: "p3", Nature: "MED_FRAUDE", Outcome: DisputeAccepted, AmountCents: 300,
		ReportAtMS: 90_000, DecideAfterMS: 60_000, NotifyAfterMS: 9}}
	return p
}

func TestRefundsAndDisputesInThePlanFile(t *testing.T) {
	t.Parallel()
	p := refundPlan(Deviation{Kind: "delay", Set: Change{DelayMS: 1_000},
		Target: Target{Callback: &CallbackAddress{"p3", DisputeNotice("m0", 1), 0, 1}}})
	got, err := ReadPlan(bytes.NewReader(p.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	p.Refunds[0], p.Refunds[1] = p.Refunds[1], p.Refunds[0]
	if !reflect.DeepEqual(got.Refunds, p.Refunds) || !reflect.DeepEqual(got.Disputes, p.Disputes) {
		t.Errorf("read back %+v %+v", got.Refunds, got.Disputes)
	}
	if got, want := p.LastActionMS(), int64(90_000+60_000+9+1_000); got != want {
		t.Errorf("last action at %d, want the late callback of the MED case at %d", got, want)
	}
	text := explain(p)
	for _, want := range []string{
		"r2: the merchant asks R$ 2,00 back at 00:01:20.000 as " + p.Seed.ID("refund", "merchant/DEV-2", 32) + ", not made 1s later",
		"r10: the bank asks R$ 1,00 back at 00:01:10.000 as 1, returned",
		"m0: MED_FRAUDE over R$ 3,00 reported at 00:01:30.000, accepted 1m0s later, callback 9ms after that",
		"delay: attempt 1 of callback med/m0/1 comes 1s late",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the listing lacks %q:\n%s", want, text)
		}
	}
}

func TestRefundNoticesAreNoExtraOnes(t *testing.T) {
	t.Parallel()
	f := refundPlan(Deviation{Kind: "delay", Set: Change{DelayMS: 1},
		Target: Target{Callback: &CallbackAddress{"p1", RefundNotice("r10"), 0, 1}}}).Merge()
	if got := f.Notices("p1"); got != nil {
		t.Errorf("extra notices = %v, want none", got)
	}
	if !f.Callback(CallbackAddress{"p1", RefundNotice("r10"), 0, 1}).Any() {
		t.Error("the refund's callback meets no fault")
	}
}

func TestValidateRefusesRefundsAndDisputes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil        func(p *Plan)
		wrong, right string
	}{
		"id of a payment":       {func(p *Plan) { p.Refunds[0].ID = "p1" }, `id "p1" stands twice`, "each once"},
		"unknown payment":       {func(p *Plan) { p.Refunds[0].Payment = "p9" }, `payment names "p9"`, "one of payments"},
		"unknown origin":        {func(p *Plan) { p.Refunds[0].Origin = "payer" }, `origin "payer" is unknown`, "merchant, bank"},
		"reference twice":       {func(p *Plan) { p.Refunds = append(p.Refunds, p.Refunds[1]); p.Refunds[2].ID = "r3" }, `reference "DEV-2" stands twice`, "each once"},
		"nothing asked back":    {func(p *Plan) { p.Refunds[0].AmountCents = 0 }, "amount_cents is 0", "1 or more"},
		"unknown nature":        {func(p *Plan) { p.Disputes[0].Nature = "MED" }, `nature "MED" is unknown`, "MED_FRAUDE"},
		"unknown outcome":       {func(p *Plan) { p.Disputes[0].Outcome = "open" }, `outcome "open" is unknown`, "accepted"},
		"eight days":            {func(p *Plan) { p.Disputes[0].DecideAfterMS = 8 * 24 * hourMS }, "decide_after_ms is 691200000", "at most 604800000"},
		"unknown repeat":        {func(p *Plan) { p.Settings.RefundRepeat = "500" }, `refund_repeat "500" is unknown`, "same, 400, 409"},
		"notice of another's":   {func(p *Plan) { p.Faults[0].Target.Callback.Notice = "refund/r2" }, `notice "refund/r2" is unknown`, "refund/r10"},
		"return zero":           {func(p *Plan) { *p.Faults[0].Target.Callback = CallbackAddress{"p3", "med/m0/0", 0, 1} }, `notice "med/m0/0" is unknown`, "med/m0/1"},
		"behind nobody":         {func(p *Plan) { p.Faults[0].Set.Behind = "c1" }, `behind names "c1"`, "payments, refunds or disputes"},
		"request of a payment":  {func(p *Plan) { p.Faults[0].Target = onAPI(RouteRefundPut, "p1", 1, Change{}).Target }, `api names "p1"`, "one of refunds"},
		"route without subject": {func(p *Plan) { p.Faults[0].Target = onAPI(RouteToken, "p1", 1, Change{}).Target }, `route "oauth.token" is unknown`, RouteRefundGet},
		"notice of no dispute":  {func(p *Plan) { p.Faults[0].Target.Callback.Notice = "med/m7/1" }, `notice "med/m7/1" is unknown`, "credit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := refundPlan(Deviation{Kind: "drop", Set: Change{Drop: true},
				Target: Target{Callback: &CallbackAddress{"p1", NoticeCredit, 0, 1}}})
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

func TestBankReferencesAreUniqueWithinTheirPix(t *testing.T) {
	t.Parallel()
	p := refundPlan()
	p.Refunds = append(p.Refunds, Refund{ID: "r11", Payment: "p2", Origin: OriginBank, Reference: "1", AmountCents: 1})
	if err := p.Validate(); err != nil {
		t.Errorf("the same id on another Pix: %v", err)
	}
}

// A case that is let go has no callback, and a further return may be the last.
func TestLastActionOfDisputes(t *testing.T) {
	t.Parallel()
	p := refundPlan(onNotice("p3", DisputeNotice("m0", 2), Change{DelayMS: 5_000}))
	if got, want := p.LastActionMS(), int64(90_000+60_000+9+5_000); got != want {
		t.Errorf("last action at %d, want the second return's at %d", got, want)
	}
	p.Disputes[0].Outcome = DisputeRejected
	if got, want := p.LastActionMS(), int64(90_000+60_000); got != want {
		t.Errorf("last action at %d, want the decision at %d", got, want)
	}
}

// What the plan can say of refunds it can say in a file too.
func TestRefundFaultsInThePlanFile(t *testing.T) {
	t.Parallel()
	p := refundPlan(
		onAPI(RouteRefundPut, "r2", 1, Change{Status: 409}), onAPI(RouteRefundGet, "r2", 1, Change{HideMS: 5}),
		onNotice("p1", NoticeFalseRefund, Change{AtMS: 5, SayRefundCents: 7, SayRefundID: "F1"}),
		onNotice("p3", DisputeNotice("m0", 2), Change{Drop: true}),
		onCallback("p2", 0, 1, Change{DelayMS: 90_000, Behind: "r2"}),
		inWindow("", PlaceToken, 0, 9, Change{Revoked: true}),
		onAny(CommandReserveRefunds, "r2", EdgeBefore, 1, Change{Crash: true, RestartMS: 1}),
	)
	for i, kind := range []string{"api_409", "api_hidden", "false_refund", "drop", "reorder", "token_expired", "crash"} {
		p.Faults[i].Kind = kind
	}
	got, err := ReadPlan(bytes.NewReader(p.Encode()))
	if err != nil || got.Hash() != p.Hash() {
		t.Fatalf("read back: %v", err)
	}
	if notices := got.Merge().Notices("p1"); len(notices) != 1 || notices[0] != NoticeFalseRefund {
		t.Errorf("extra notices %v, want the false refund", notices)
	}
	text := explain(got)
	for _, want := range []string{
		"false_refund: an extra callback comes at 00:00:00.005, tells of R$ 0,07 returned, calls the refund F1",
		"drop: attempt 1 of callback med/m0/2 is lost for good",
		"reorder: attempt 1 of the callback comes 1m30s late, behind that of r2",
		"api_409: call 1 of devolucao.put about r2 answers 409 and does nothing",
		"token_expired: psp/token from 00:00:00.000 to 00:00:00.009 refuses tokens given out before",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the listing lacks %q:\n%s", want, text)
		}
	}
}
