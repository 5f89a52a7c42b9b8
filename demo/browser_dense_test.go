package demo

import (
	"context"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pixlab/pixlab/chaos"
)

// dense is a plan of n Pix at two thousand a second, from second three on.
func dense(t *testing.T, n int) *chaos.Plan {
	t.Helper()
	p, err := chaos.Generate(chaos.Options{Seed: 42, Profile: "stage"})
	if err != nil {
		t.Fatal(err)
	}
	p.Settings.StepMS, p.Settings.WireMS = 0, 0
	p.Charges, p.Payments, p.Refunds, p.Disputes, p.Payouts, p.Faults = nil, nil, nil, nil, nil, nil
	p.Charges = append(p.Charges, chaos.Charge{ID: "c0", Reference: "CAIXA-1", Kind: chaos.ChargeStatic, CreateAtMS: 100})
	for i := range n {
		id := "p" + strconv.Itoa(i)
		p.Payments = append(p.Payments, chaos.Payment{
			ID: id, Charge: "c0", EndToEndID: "E99999008202608181732" + p.Seed.ID("dense", id, 11), AmountCents: int64(100 + i), AtMS: 3000 + int64(i)/2, NotifyAfterMS: 10,
		})
		if i%4 == 0 {
			p.Faults = append(p.Faults, onCredit("duplicate", id, 1, chaos.Change{CopyAfterMS: 100}))
		}
	}
	return p
}

// drawing is how much a page has drawn: elements, and what its charts' lines are
// written with.
type drawing struct{ Elements, Path int }

// TestTwoThousandASecondAreAggregated plays a tenth of a second and half a second
// at two thousand callbacks a second: however many there are, the page draws no
// more rows than it has room for and no more points than its charts have pixels.
func TestTwoThousandASecondAreAggregated(t *testing.T) {
	t.Parallel()
	b := browser(t)
	s, server := serve(t, 42)
	page, heard := tab(t, b, 1280, 720)
	look := func(n int) (d drawing) {
		if err := s.Load(dense(t, n)); err != nil {
			t.Fatal(err)
		}
		state, _ := s.State()
		if got := len(state.Right.Callbacks); got < n {
			t.Fatalf("%d Pix made %d callbacks", n, got)
		}
		load(t, page, server.URL, "&t=4.5")
		do(t, page, drawn(), chromedp.ActionFunc(func(ctx context.Context) error {
			return chromedp.Evaluate(`({ Elements: document.querySelectorAll('body *').length, Path: [...document.querySelectorAll('.chart path')].reduce((n, e) => n + e.getAttribute('d').length, 0) })`, &d).Do(ctx)
		}))
		return d
	}
	few, many := look(200), look(1000)
	t.Logf("200 Pix: %+v; 1,000 Pix: %+v", few, many)
	// A chart is some 220 pixels wide: two lines of so many steps, and the fill
	// between them, in each of the two.
	if many.Elements > few.Elements+10 || many.Path > 15_000 {
		t.Errorf("1,000 Pix are drawn by %+v, 200 by %+v", many, few)
	}
	heard.none(t)
}
