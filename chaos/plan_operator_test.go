package chaos

import (
	"bytes"
	"strings"
	"testing"
)

// acting is a plan file with these acts of an operator.
func (s spoilt) acting(acts string) string {
	return s.swap(`"faults": []`, `"faults": [], "operator": [`+acts+`]`)
}

func TestReadPlanRefusesOperatorActs(t *testing.T) {
	t.Parallel()
	s := spoil(t)
	for name, c := range map[string]refusal{
		"unknown word":      {s.acting(`{"at_ms": 1, "do": "forget", "key": "pix:E1"}`), `do "forget" is unknown`, "requeue, drop, close"},
		"before the start":  {s.acting(`{"at_ms": -1, "do": "drop", "key": "pix:E1"}`), "at_ms is -1", "0 or more"},
		"about nothing":     {s.acting(`{"at_ms": 1, "do": "drop", "key": ""}`), "key is missing", "an event"},
		"money of no case":  {s.acting(`{"at_ms": 1, "do": "drop", "key": "pix:E1", "to": "merchant:receita"}`), `to "merchant:receita" is unknown`, "known are"},
		"to another's till": {s.acting(`{"at_ms": 1, "do": "close", "key": "c1", "to": "caixa"}`), `to "caixa" is unknown`, "merchant:receita"},
		"further":           {s.acting(`{"at_ms": 1, "do": "close", "key": "c1", "who": "x"}`), `"who" is unknown`, "docs/plan.md"},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); c.check(t) })
	}
}

func TestOperatorActsAreSortedAndMoveNoHeal(t *testing.T) {
	t.Parallel()
	p := generate(t, Options{Seed: 1, Profile: "mixed"})
	last := p.LastActionMS()
	p.Operator = []OperatorAct{{AtMS: last + 9, Do: OperatorClose, Key: "c1", To: ToReturn}, {AtMS: 5, Do: OperatorRequeue, Key: "pix:E1"}}
	got, err := ReadPlan(bytes.NewReader(p.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Operator) != 2 || got.Operator[0].AtMS != 5 || got.Operator[1].To != ToReturn || got.Hash() != p.Hash() {
		t.Errorf("read back as %+v", got.Operator)
	}
	if got.LastActionMS() != last {
		t.Errorf("the last action moved from %d to %d", last, got.LastActionMS())
	}
	var text strings.Builder
	got.Explain(&text)
	if !strings.Contains(text.String(), "operator (2)") || !strings.Contains(text.String(), "close c1") {
		t.Errorf("explained without the operator: %s", text.String())
	}
	live := generate(t, Options{Seed: 1, Profile: "live"})
	live.Operator = p.Operator[:1]
	if err := live.Validate(); err == nil || !strings.Contains(err.Error(), "operator") {
		t.Errorf("a live plan with an operator: %v", err)
	}
}
