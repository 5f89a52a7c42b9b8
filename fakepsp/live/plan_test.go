package live

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

func TestPlanOverTheLabPort(t *testing.T) {
	t.Parallel()
	const n = 6
	to := newSink(t, func(id pix.EndToEndID, nth int) int {
		if id != e2e(1) && nth == 1 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	b := start(t, func(o *Options) { o.WebhookURL = to.URL + "/hook" })
	state := must(b.Apply(t.Context(), planOf(n, callbackFault("ack_lost", 1, chaos.Change{AckLost: true})), true))(t)
	if state.Hash == "" || !state.EndsAt.After(state.BeganAt) {
		t.Errorf("state %+v", state)
	}
	d := b.quiet()
	if d.Acknowledged != n || d.Refused != n || d.Sent != 2*n || d.OnTheWay != 0 || d.GivenUp != 0 {
		t.Errorf("deliveries %+v", d)
	}
	if state = must(b.Plan(t.Context()))(t); len(state.Void) > 0 {
		t.Errorf("void: %v", state.Void)
	}
	for i := range n {
		if to.times(i) != 2 {
			t.Errorf("payment %d was told of %d times, want 2", i, to.times(i))
		}
	}
	if bad := to.unsigned(); len(bad) > 0 || to.path["/hook/pix"] != 2*n {
		t.Errorf("bad signatures: %v, paths %v", bad, to.path)
	}
	acked := map[pix.EndToEndID]Ack{}
	if err := b.Acknowledged(t.Context(), func(a Ack) error { acked[a.Items[0].EndToEndID] = a; return nil }); err != nil {
		t.Fatal(err)
	}
	truth := must(b.Truth(t.Context()))(t)
	if len(acked) != n || len(truth.Payments) != n || truth.BalanceCents != n*1000 {
		t.Errorf("%d acknowledged, truth %+v", len(acked), truth)
	}
	if a := acked[e2e(1)]; a.Attempt != 2 || a.Subject != "p1" || len(a.SHA256) != 64 {
		t.Errorf("the callback whose answer got lost: %+v", a)
	}
	if lines := must(b.Statement(t.Context()))(t); len(lines) != n || lines[0].Cents != 1000 {
		t.Errorf("statement %v", lines)
	}
	if f := must(b.Faults(t.Context()))(t); f.Planned != 1 || f.Fired != 1 || f.Kinds[0] != (FaultKind{"ack_lost", 1, 1}) {
		t.Errorf("faults %+v", f)
	}
	if v := must(b.Check(t.Context()))(t); !v.OK {
		t.Errorf("the PSP contradicts itself: %s", v.Detail)
	}
}

func TestPlanTwiceIsRefusedAndChangesNothing(t *testing.T) {
	t.Parallel()
	to := newSink(t, nil)
	for name, faults := range map[string][]chaos.Deviation{
		"calm": nil, "faulted": {callbackFault("duplicate", 0, chaos.Change{DelayMS: 1})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, func(o *Options) { o.WebhookURL = to.URL })
			plan := planOf(3, faults...)
			must(b.Apply(t.Context(), plan, true))(t)
			b.quiet()
			truth := b.truthText()
			_, err := b.Apply(t.Context(), plan, true)
			refusedWith(t, err, http.StatusConflict, plan.Hash(), "one plan")
			_, err = b.Apply(t.Context(), planOf(2), true)
			refusedWith(t, err, http.StatusConflict, plan.Hash())
			if d := b.quiet(); b.truthText() != truth || d.Acknowledged != 3 {
				t.Errorf("the truth changed from %s to %s; %+v", truth, b.truthText(), d)
			}
		})
	}
}

func TestPlanThatIsRefused(t *testing.T) {
	t.Parallel()
	long, wrong := planOf(1), planOf(1)
	long.Payments[0].AtMS = 19_999
	long.Payments[0].NotifyAfterMS = 2
	wrong.Payments[0].Charge = "c9"
	b := start(t, nil)
	_, err := b.Apply(t.Context(), long, false)
	refusedWith(t, err, http.StatusUnprocessableEntity, "20.0 s", "within 20s")
	_, err = b.Apply(t.Context(), wrong, false)
	refusedWith(t, err, http.StatusBadRequest, `"c9"`)
	if got := b.raw("POST", "/lab/plan?charges=perhaps", "Bearer "+labToken, string(planOf(1).Encode())); got != http.StatusBadRequest {
		t.Errorf("charges=perhaps: %d", got)
	}
	_, err = b.Plan(t.Context())
	refusedWith(t, err, http.StatusNotFound)

	must(b.Pay(t.Context(), PayOrder{EndToEndID: e2e(0), AmountCents: 100}))(t)
	_, err = b.Apply(t.Context(), planOf(1, callbackFault("delay", 0, chaos.Change{DelayMS: 1})), false)
	refusedWith(t, err, http.StatusConflict, "before the first payment")
	_, err = b.Apply(t.Context(), planOf(1), false)
	refusedWith(t, err, http.StatusConflict, "payment p0", string(e2e(0)))
	if f := must(b.Faults(t.Context()))(t); f.Planned != 0 || len(f.Kinds) != 0 {
		t.Errorf("faults without a plan: %+v", f)
	}
}

// TestPlanWithFaultsKeepsThePast has a receiver come first: what it made at the
// PSP is there, byte for byte, once the plan is.
func TestPlanWithFaultsKeepsThePast(t *testing.T) {
	t.Parallel()
	to := newSink(t, nil)
	b := start(t, nil)
	token := must(b.token())(t)
	plan := planOf(2, callbackFault("ack_lost", 0, chaos.Change{AckLost: true}))
	paths := []string{"/v2/webhook/" + string(ourKey)}
	b.call("PUT", paths[0], fmt.Sprintf(`{"webhookUrl":%q}`, to.URL))
	b.call("PUT", paths[0], `{"webhookUrl":7}`) // refused: it has no effect
	for i, c := range plan.Charges {
		path := "/v2/cob/" + chaos.Txid(plan.Seed, c)
		body := fmt.Sprintf(`{"calendario":{"expiracao":3600},"valor":{"original":"10.00"},"chave":%q}`, ourKey)
		if status, text := b.call("PUT", path, body); status != http.StatusCreated {
			t.Fatalf("charge %d: %d %s", i, status, text)
		}
		paths = append(paths, path)
	}
	before := make([]string, len(paths))
	for i, path := range paths {
		_, before[i] = b.call("GET", path, "")
	}
	must(b.Apply(t.Context(), plan, false))(t)
	if status, _, err := b.tryWith(token, "GET", paths[0], ""); err != nil || status != http.StatusOK {
		t.Errorf("the old token: %d %v", status, err)
	}
	if _, after := b.call("GET", paths[0], ""); after != before[0] {
		t.Errorf("the webhook was %s and is %s", before[0], after)
	}
	if d := b.quiet(); d.Acknowledged != 2 {
		t.Errorf("deliveries %+v", d)
	}
	for i, path := range paths[1:] {
		made, _, _ := strings.Cut(before[i+1], `"expiracao"`)
		if _, after := b.call("GET", path, ""); !strings.HasPrefix(after, made) || !strings.Contains(after, string(e2e(i))) {
			t.Errorf("the charge was %s and is %s", before[i+1], after)
		}
	}
}

func TestHealEndsTheFaults(t *testing.T) {
	t.Parallel()
	to := newSink(t, nil)
	b := start(t, func(o *Options) { o.WebhookURL = to.URL })
	down := chaos.Deviation{
		Kind:   "psp_down",
		Target: chaos.Target{Window: &chaos.Window{Place: chaos.PlacePSP, FromMS: 1, ToMS: 19_000}}, Set: chaos.Change{Down: true},
	}
	plan := planOf(1, down, callbackFault("delay", 0, chaos.Change{DelayMS: 19_000}))
	plan.Charges[0] = chaos.Charge{ID: "c0", Reference: "REF-0", Kind: chaos.ChargeStatic}
	must(b.Apply(t.Context(), plan, false))(t)
	b.until("the payment settled", func() bool { return len(must(b.Truth(t.Context()))(t).Payments) == 1 })
	if _, err := b.token(); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("a PSP that is down answered %v", err)
	}
	if n := to.times(0); n != 0 {
		t.Errorf("%d callbacks came in spite of the delay", n)
	}
	if f := must(b.Heal(t.Context()))(t); !f.Healed || f.Planned != 2 {
		t.Errorf("faults %+v", f)
	}
	if d := b.quiet(); d.Acknowledged != 1 || to.times(0) != 1 {
		t.Errorf("deliveries %+v, told %d times", d, to.times(0))
	}
	if status, _ := b.call("GET", "/v2/pix/"+string(e2e(0)), ""); status != http.StatusOK {
		t.Errorf("healed, the PSP answered %d", status)
	}
}

// TestWhatThePlanWants goes through everything that a plan has the lab do.
func TestWhatThePlanWants(t *testing.T) {
	t.Parallel()
	to := newSink(t, nil)
	b := start(t, func(o *Options) { o.WebhookURL = to.URL })
	plan := planOf(5)
	plan.Charges[1].Elsewhere = true
	plan.Charges[2].RemoveAtMS = 11
	plan.Payments[2].AtMS = 12 // void: the charge was removed
	plan.Payments[4].Charge = ""
	plan.Refunds = []chaos.Refund{
		{ID: "r0", Payment: "p0", Origin: chaos.OriginBank, Reference: "BANK0", AmountCents: 400, AtMS: 20, SettleAfterMS: 5},
		{ID: "r1", Payment: "p3", Origin: chaos.OriginMerchant, Reference: "R-1", AmountCents: 300, AtMS: 20, Fails: true},
		{ID: "r2", Payment: "p2", Origin: chaos.OriginBank, Reference: "BANK2", AmountCents: 400, AtMS: 20},
	}
	plan.Disputes = []chaos.Dispute{{
		ID: "m1", Payment: "p1", Nature: pix.NatureMEDFraud, Outcome: chaos.DisputeAccepted, AmountCents: 1000, ReportAtMS: 20, DecideAfterMS: 5,
	}}
	plan.Faults = []chaos.Deviation{
		{Kind: "underpaid", Target: chaos.Target{Payment: "p3"}, Set: chaos.Change{PayCents: 900, PayAtMS: 14, Lax: true}},
		{Kind: "forged", Target: chaos.Target{Callback: &chaos.CallbackAddress{Subject: "p4", Notice: chaos.NoticeForged, Attempt: 1}},
			Set: chaos.Change{AtMS: 5, Signature: chaos.SignatureMissing, SayEndToEndID: string(e2e(99)), SayTxID: "FALSE"}},
	}
	must(b.Apply(t.Context(), plan, true))(t)
	b.quiet()
	path := fmt.Sprintf("/v2/pix/%s/devolucao/%s", e2e(3), chaos.RefundID(plan.Seed, plan.Refunds[1]))
	if status, text := b.call("PUT", path, `{"valor":"3.00"}`); status != http.StatusCreated || !strings.Contains(text, "NAO_REALIZADO") {
		t.Errorf("the merchant's refund: %d %s", status, text)
	}
	d := b.quiet()
	truth, state := must(b.Truth(t.Context()))(t), must(b.Plan(t.Context()))(t)
	if len(truth.Payments) != 4 || truth.BalanceCents != 900+600+1000 || len(truth.Refunds) != 3 || len(truth.Disputes) != 1 {
		t.Errorf("truth %+v", truth)
	}
	if truth.Disputes[0].Stage != "settled" || truth.Refunds[2].Subject != "r1" {
		t.Errorf("truth %+v", truth)
	}
	if len(state.Void) != 2 || state.Void[0].Subject != "p2" || state.Void[1].Subject != "r2" {
		t.Errorf("void %v", state.Void)
	}
	// Three credits of charges, three ends of refunds; the forged one is refused.
	if d.Acknowledged != 6 || d.GivenUp != 1 || len(to.unsigned()) != 1 {
		t.Errorf("deliveries %+v, %v", d, to.unsigned())
	}
	if f := must(b.Faults(t.Context()))(t); f.Fired != 2 {
		t.Errorf("faults %+v", f)
	}
}
