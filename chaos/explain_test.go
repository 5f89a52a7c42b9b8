package chaos

import (
	"bytes"
	"strings"
	"testing"
)

func explain(p *Plan) string {
	var out bytes.Buffer
	p.Explain(&out)
	return out.String()
}

func TestExplainNamesEverySubject(t *testing.T) {
	t.Parallel()
	for seed := range Seed(30) {
		p := generate(t, Options{Seed: seed, Profile: "hostile"})
		text := explain(p)
		for _, c := range p.Charges {
			if !strings.Contains(text, Txid(seed, c)) || !strings.Contains(text, c.Reference) {
				t.Errorf("seed %d: charge %s is missing", seed, c.ID)
			}
		}
		for _, pay := range p.Payments {
			if !strings.Contains(text, pay.EndToEndID) {
				t.Errorf("seed %d: payment %s is missing", seed, pay.ID)
			}
		}
		for _, d := range p.Faults {
			if !strings.Contains(text, d.Kind+": ") {
				t.Errorf("seed %d: fault %s is missing", seed, d.Kind)
			}
		}
		if !strings.Contains(text, p.Hash()) {
			t.Errorf("seed %d: the hash is missing", seed)
		}
	}
}

func TestExplainInWords(t *testing.T) {
	t.Parallel()
	p := testPlan(
		onCallback("p1", 0, 1, Change{DelayMS: 90_000, Behind: "p2"}),
		onPayment("p1", Change{PayCents: 5, Lax: true}),
		onNotice("p2", NoticePhantom, Change{AtMS: 3_600_000, SayCents: 100}),
		onAPI(RouteChargePut, "c1", 2, Change{Status: 503}),
		onAny(CommandApplyEvents, "p1", EdgeBefore, 1, Change{Crash: true, RestartMS: 200}),
		inWindow("clock_skew", InstancePlace(1, PlaceClock), 0, 60_000, Change{SkewMS: -500}),
	)
	for i := range 5 {
		p.Faults = append(p.Faults, onCallback("p3", stormCopy+i, 1, Change{CopyAfterMS: int64(1000 * (i + 1))}))
	}
	for i, kind := range []string{"reorder", "underpaid", "phantom", "api_5xx", "crash", "clock_skew", "storm", "storm", "storm", "storm", "storm"} {
		p.Faults[i].Kind = kind
	}
	text := explain(p)
	for _, want := range []string{
		"p1   E1  R$ 10,00 at 00:01:00.000 for c1, callback 10ms later",
		"reorder: attempt 1 of the callback comes 1m30s late, behind that of p2",
		"underpaid: the payer pays R$ 0,05, is let through",
		"phantom: an extra callback comes at 01:00:00.000, states R$ 1,00",
		"api_5xx: call 2 of cob.put about c1 answers 503 and does nothing",
		"crash: before execution 1 of ApplyEvents with p1, instance any: dies and is back 200ms later",
		"clock_skew: instance/1/clock from 00:00:00.000 to 00:01:00.000 runs 500ms behind",
		"storm: 5 copies, from 1s to 5s after the first",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the listing lacks %q:\n%s", want, text)
		}
	}
}
