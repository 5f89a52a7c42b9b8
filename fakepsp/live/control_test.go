package live

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

func TestLabToken(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	paths := []string{"/lab/truth", "/lab/check", "/lab/deliveries", "/lab/deliveries/acknowledged", "/lab/faults", "/lab/nothing"}
	for _, path := range paths {
		for _, token := range []string{"", "Bearer", "Bearer ", "Bearer " + labToken + "x", "Bearer " + labToken[1:], "Basic " + labToken, labToken} {
			if got := b.raw("GET", path, token, ""); got != http.StatusUnauthorized {
				t.Errorf("GET %s with %q: %d", path, token, got)
			}
		}
	}
	if got := b.raw("POST", "/lab/payments", "Bearer wrong", `{"end_to_end_id":"`+string(e2e(0))+`","amount_cents":1}`); got != http.StatusUnauthorized {
		t.Errorf("POST: %d", got)
	}
	for path, want := range map[string]int{"/lab/truth": 200, "/lab/nothing": 404, "/lab/heal": 404, "/healthz": 200} {
		if got := b.raw("GET", path, "bearer "+labToken, ""); got != want {
			t.Errorf("GET %s: %d, want %d", path, got, want)
		}
	}
	if got := b.raw("GET", "/healthz", "", ""); got != http.StatusOK || b.Healthy(t.Context()) != nil {
		t.Errorf("GET /healthz: %d", got)
	}
	if n := len(must(b.Truth(t.Context()))(t).Payments); n != 0 {
		t.Errorf("%d payments without a token", n)
	}
}

func TestPaymentsAreStrict(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	paid := must(b.Pay(t.Context(),
		PayOrder{EndToEndID: e2e(0), AmountCents: 1000, TxID: "STATIC", Static: true, PayerNote: "obrigado"},
		PayOrder{EndToEndID: e2e(1), AmountCents: 1000, TxID: pix.TxID(strings.Repeat("x", 32))},
	))(t)
	if paid[0].SettledAt.IsZero() || paid[0].Void != "" || !paid[1].SettledAt.IsZero() || !strings.Contains(paid[1].Void, "no such charge") {
		t.Errorf("paid %+v", paid)
	}
	plan := planOf(3) // nobody makes its charges: all is void
	plan.Payments[0].EndToEndID = string(e2e(20))
	must(b.Apply(t.Context(), plan, false))(t)
	truth := b.truthText()
	good := PayOrder{EndToEndID: e2e(7), AmountCents: 1}
	with := func(change func(*PayOrder)) []PayOrder {
		o := PayOrder{EndToEndID: e2e(8), AmountCents: 1}
		change(&o)
		return []PayOrder{good, o}
	}
	for name, c := range map[string]struct {
		orders []PayOrder
		status int
	}{
		"known":          {with(func(o *PayOrder) { o.EndToEndID = e2e(0) }), 409},
		"twice":          {with(func(o *PayOrder) { o.EndToEndID = e2e(7) }), 409},
		"the plan's":     {with(func(o *PayOrder) { o.EndToEndID = e2e(2) }), 409},
		"no id":          {with(func(o *PayOrder) { o.EndToEndID = "E1" }), 400},
		"no txid":        {with(func(o *PayOrder) { o.TxID = "a-b" }), 400},
		"static, long":   {with(func(o *PayOrder) { o.Static, o.TxID = true, pix.TxID(strings.Repeat("x", 26)) }), 400},
		"nothing":        {with(func(o *PayOrder) { o.AmountCents = 0 }), 400},
		"too much":       {with(func(o *PayOrder) { o.AmountCents = int64(pix.MaxAmount) + 1 }), 400},
		"another's key":  {with(func(o *PayOrder) { o.PixKey = "other@loja.example" }), 400},
		"told of before": {with(func(o *PayOrder) { o.NotifyAfterMS = -1 }), 400},
	} {
		if _, err := b.Pay(t.Context(), c.orders...); !refusedIs(err, c.status) {
			t.Errorf("%s: got %v, want a refusal with %d", name, err, c.status)
		}
		if now := b.truthText(); now != truth {
			t.Errorf("%s: the truth changed to %s", name, now)
		}
	}
	for _, body := range []string{``, `{`, `7`, `{"endToEndId":"x"}`, `{} {}`, `[{"end_to_end_id":"x","other":1}]`} {
		if got := b.raw("POST", "/lab/payments", "Bearer "+labToken, body); got != http.StatusBadRequest {
			t.Errorf("%s: %d", body, got)
		}
	}
	if one := b.raw("POST", "/lab/payments", "Bearer "+labToken, ` {"end_to_end_id":"`+string(e2e(7))+`","amount_cents":1}`); one != http.StatusOK {
		t.Errorf("one payment that is no list: %d", one)
	}
}

func TestRefundsAndDisputes(t *testing.T) {
	t.Parallel()
	to := newSink(t, nil)
	b := start(t, func(o *Options) { o.WebhookURL, o.Senders = to.URL, 1 }) // one sender, so callbacks are answered in order
	ctx := t.Context()
	must(b.Pay(ctx, PayOrder{EndToEndID: e2e(0), AmountCents: 1000, TxID: "STATIC", Static: true}))(t)
	order := RefundOrder{EndToEndID: e2e(0), ID: "BANK1", AmountCents: 400, Description: "troca"}
	if row := must(b.Refund(ctx, order))(t); row.Status != pix.RefundReturned || row.AmountCents != 400 || row.ReturnID == "" {
		t.Errorf("refund %+v", row)
	}
	refund := func(change func(*RefundOrder)) error {
		o := RefundOrder{EndToEndID: e2e(0), ID: "BANK2", AmountCents: 1}
		change(&o)
		_, err := b.Refund(ctx, o)
		return err
	}
	refusedWith(t, refund(func(o *RefundOrder) { o.ID = "BANK1" }), 409, "BANK1")
	refusedWith(t, refund(func(o *RefundOrder) { o.EndToEndID = e2e(9) }), 404)
	refusedWith(t, refund(func(o *RefundOrder) { o.AmountCents = 601 }), 422)
	refusedWith(t, refund(func(o *RefundOrder) { o.ID = "a b" }), 400)
	refusedWith(t, refund(func(o *RefundOrder) { o.SettleAfterMS = 4_000_000 }), 400, "settle_after_ms")

	report := DisputeOrder{ID: "m1", EndToEndID: e2e(0), Nature: pix.NatureMEDOperational, Outcome: chaos.DisputeAccepted, AmountCents: 1000}
	if d := must(b.Report(ctx, report))(t); d.Stage != "settled" || d.ReturnedCents != 600 {
		t.Errorf("dispute %+v", d)
	}
	dispute := func(change func(*DisputeOrder)) error {
		o := report
		o.ID = "m2"
		change(&o)
		_, err := b.Report(ctx, o)
		return err
	}
	refusedWith(t, dispute(func(o *DisputeOrder) { o.ID = "m1" }), 409)
	refusedWith(t, dispute(func(o *DisputeOrder) { o.EndToEndID = e2e(9) }), 404)
	refusedWith(t, dispute(func(o *DisputeOrder) { o.Nature = "ORIGINAL" }), 400)
	refusedWith(t, dispute(func(o *DisputeOrder) { o.DecideAfterMS = -1 }), 400, "decide_after_ms")

	if d := b.quiet(); d.Acknowledged != 3 || to.times(0) != 3 {
		t.Errorf("deliveries %+v", d)
	}
	var last Ack
	if err := b.Acknowledged(ctx, func(a Ack) error { last = a; return nil }); err != nil {
		t.Fatal(err)
	}
	if len(last.Items) != 1 || len(last.Items[0].Refunds) != 2 || last.Items[0].Refunds[0].Status != pix.RefundReturned {
		t.Errorf("the last callback %+v", last)
	}
	if truth := must(b.Truth(ctx))(t); truth.BalanceCents != 0 || len(truth.Refunds) != 2 || truth.Refunds[1].Part != 1 {
		t.Errorf("truth %+v", truth)
	}
	if v := must(b.Check(ctx))(t); !v.OK {
		t.Error(v.Detail)
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	t.Parallel()
	good := func() Options {
		return Options{
			API: listen(t), Lab: listen(t), PixKeys: []pix.PixKey{ourKey}, Secret: secret(), LabToken: labToken,
			Clients: insiders(1),
		}
	}
	if _, err := New(good()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Options){
		"no port":          func(o *Options) { o.Lab = nil },
		"no client":        func(o *Options) { o.Clients = nil },
		"no token":         func(o *Options) { o.LabToken = "" },
		"no key":           func(o *Options) { o.PixKeys = nil },
		"no secret":        func(o *Options) { o.Secret = pix.Secret{} },
		"too many senders": func(o *Options) { o.Senders = maxSenders + 1 },
		"no senders":       func(o *Options) { o.Senders = -1 },
		"negative grace":   func(o *Options) { o.Grace = -1 },
		"negative timeout": func(o *Options) { o.CallbackTimeout = -1 },
		"a long plan":      func(o *Options) { o.Plan = planOf(1); o.Plan.Payments[0].AtMS = 20_001 },
		"a client of ours": func(o *Options) { o.Clients = insiders(0) },
	} {
		o := good()
		change(&o)
		if err := Run(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
