package proptest

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/chaos"
)

// Lengths of time in milliseconds, as plans hold them.
const (
	secondMS = int64(1_000)
	minuteMS = 60 * secondMS
	hourMS   = 60 * minuteMS
)

// openingMS is when the first payment of a drawn plan is tried.
const openingMS = 3 * hourMS

// profileName stands in the plans that are drawn here: no generator made them.
const profileName = "proptest"

// drawn is a plan that shows itself in a few words where rapid prints it.
type drawn struct{ plan *chaos.Plan }

// GoString lists the plan's size and its faults.
func (d drawn) GoString() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %s, %d charges, %d payments, %d faults", d.plan.Seed, len(d.plan.Charges), len(d.plan.Payments), len(d.plan.Faults))
	for _, f := range d.plan.Faults {
		b.WriteString(", " + f.Kind + " at " + f.Target.String())
	}
	return b.String()
}

// sale is one payment and what it pays, as it is drawn: times are counted from
// the sale before, so that a sale can be taken out and the rest moves up.
type sale struct {
	shape    shape
	cents    int64
	gapMS    int64 // since the payment before
	aheadMS  int64 // of the payment, when its charge is made
	notifyMS int64
	lifeS    int64
	adoptMS  int64 // since it was made elsewhere; 0 is never
	open     bool  // a static code without amount
}

// shape is what kind of sale it is.
type shape int

const (
	ownCharge  shape = iota // a dynamic charge of its own
	staticCode              // a static code of its own
	againPaid               // the charge of the sale before once more; lax, if it is dynamic
	bareKey                 // no charge at all
	elsewhere               // a dynamic charge that another system made
)

// The most that a drawn plan holds; a fault of reach (a group, say) counts once.
const (
	mostSales  = 6
	mostFaults = 12
)

// atMost cuts a list. A list that rapid draws to its full length shrinks badly,
// so it is drawn without a bound and cut.
func atMost[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// drawPlan draws a small plan: one to six payments and up to a dozen faults, each
// from the ranges that the fault kinds themselves draw from.
func drawPlan() *rapid.Generator[drawn] {
	return rapid.Custom(func(t *rapid.T) drawn {
		p := &chaos.Plan{
			Format: chaos.Format, Generator: chaos.Generator, Profile: profileName,
			Seed:  chaos.Seed(rapid.Uint64Range(0, chaos.MaxSeed).Draw(t, "seed")),
			Start: time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC), HorizonMS: chaos.DayMS,
			Settings: drawSettings(t),
			Charges:  []chaos.Charge{}, Payments: []chaos.Payment{}, Faults: []chaos.Deviation{},
		}
		at := openingMS
		for i, s := range atMost(rapid.SliceOfN(drawSale(), 1, -1).Draw(t, "sales"), mostSales) {
			at += s.gapMS
			addSale(p, i, at, s)
		}
		strikes := rapid.SliceOf(rapid.Custom(func(t *rapid.T) []chaos.Deviation {
			k := rapid.SampledFrom(strikers()).Draw(t, "kind")
			return k.draw(striker{t, p, k.kind})
		})).Draw(t, "faults")
		for _, s := range atMost(strikes, mostFaults) {
			p.Faults = append(p.Faults, s...)
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("the drawn plan is none: %v", err)
		}
		return drawn{p}
	})
}

func drawSettings(t *rapid.T) chaos.Settings {
	table := rapid.SampledFrom(chaos.RetryTables()).Draw(t, "retry")
	return chaos.Settings{
		Instances: rapid.SampledFrom([]int{2, 1}).Draw(t, "instances"),
		Workers:   rapid.IntRange(1, 2).Draw(t, "workers"),
		Retry:     table.Name, CallbackTimeoutMS: table.Timeout.Milliseconds(),
		SweepEveryMS:   15 * minuteMS,
		StatementLagMS: rapid.Int64Range(0, 120*secondMS).Draw(t, "lag"),
		PageSize:       rapid.SampledFrom([]int{100, 10, 3, 1}).Draw(t, "page"),
	}
}

func drawSale() *rapid.Generator[sale] {
	shapes := []shape{ownCharge, ownCharge, ownCharge, staticCode, againPaid, bareKey, elsewhere}
	return rapid.Custom(func(t *rapid.T) sale {
		return sale{
			shape:    rapid.SampledFrom(shapes).Draw(t, "shape"),
			cents:    rapid.Int64Range(1, 999_999).Draw(t, "cents"),
			gapMS:    rapid.Int64Range(0, 2*hourMS).Draw(t, "gap"),
			aheadMS:  rapid.Int64Range(0, 2*hourMS).Draw(t, "ahead"),
			notifyMS: rapid.Int64Range(0, 10*secondMS).Draw(t, "notify"),
			lifeS:    rapid.Int64Range(3_600, 14_400).Draw(t, "life"),
			adoptMS:  rapid.Int64Range(0, 4*hourMS).Draw(t, "adopt"),
			open:     rapid.Bool().Draw(t, "open"),
		}
	})
}

// addSale puts sale i into the plan, its payment tried at an instant.
func addSale(p *chaos.Plan, i int, at int64, s sale) {
	name := fmt.Sprint(i)
	minute := p.Start.Add(time.Duration(at) * time.Millisecond).Format("200601021504")
	pay := chaos.Payment{
		ID: "p" + name, EndToEndID: "E99999008" + minute + fmt.Sprintf("proptest%03d", i),
		AmountCents: s.cents, AtMS: at, NotifyAfterMS: s.notifyMS,
	}
	c := chaos.Charge{
		ID: "c" + name, Reference: "PED-" + name, Kind: chaos.ChargeDynamic, AmountCents: s.cents,
		CreateAtMS: at - s.aheadMS, ExpiresInS: s.lifeS + s.aheadMS/1000,
	}
	switch s.shape {
	case bareKey:
		p.Payments = append(p.Payments, pay)
		return
	case againPaid:
		if len(p.Charges) > 0 {
			payAgain(p, pay, p.Charges[len(p.Charges)-1])
			return
		}
	case staticCode:
		c.Kind, c.ExpiresInS = chaos.ChargeStatic, 0
		c.CreateAtMS = min(c.CreateAtMS, at-secondMS) // nobody scans a code that is not there yet
		if s.open {
			c.AmountCents = 0
		}
	case elsewhere:
		c.Elsewhere = true
		if s.adoptMS > 0 {
			c.AdoptAtMS = c.CreateAtMS + s.adoptMS
		}
	}
	pay.Charge = c.ID
	p.Charges, p.Payments = append(p.Charges, c), append(p.Payments, pay)
}

// payAgain has a payment pay a charge that an earlier one paid: any static
// code, and a dynamic charge at a PSP that is lax.
func payAgain(p *chaos.Plan, pay chaos.Payment, c chaos.Charge) {
	pay.Charge = c.ID
	if c.AmountCents > 0 {
		pay.AmountCents = c.AmountCents
	}
	p.Payments = append(p.Payments, pay)
	if c.Kind == chaos.ChargeDynamic {
		p.Faults = append(p.Faults, chaos.Deviation{
			Kind: "second_payment", Target: chaos.Target{Payment: pay.ID},
			Set: chaos.Change{PayCharge: c.ID, PayCents: c.AmountCents, Lax: true},
		})
	}
}
