package proptest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/chaos"
)

// file is a plan as its file holds it, each part in its own bytes.
type file struct {
	head     string // all but the lists and the profile's name
	charges  []string
	payments []string
	returns  []string // refunds, disputes and payouts
	faults   []string
}

func fileOf(t *rapid.T, p *chaos.Plan) file {
	var lists struct {
		Charges, Payments, Refunds, Disputes, Payouts, Faults []json.RawMessage
	}
	if err := json.Unmarshal(p.Encode(), &lists); err != nil {
		t.Fatal(err)
	}
	bare := *p
	bare.Profile, bare.Charges, bare.Payments, bare.Refunds, bare.Disputes, bare.Payouts, bare.Faults = "", nil, nil, nil, nil, nil, nil
	return file{
		head: string(bare.Encode()), charges: texts(lists.Charges), payments: texts(lists.Payments),
		returns: texts(slices.Concat(lists.Refunds, lists.Disputes, lists.Payouts)), faults: texts(lists.Faults),
	}
}

func texts(list []json.RawMessage) []string {
	out := make([]string, len(list))
	for i, raw := range list {
		out[i] = string(raw)
	}
	return out
}

// missing is the first of the wanted texts that the list does not hold, each
// as often as it is wanted.
func missing(list, wanted []string) string {
	list = slices.Clone(list)
	for _, w := range wanted {
		i := slices.Index(list, w)
		if i < 0 {
			return w
		}
		list = slices.Delete(list, i, i+1)
	}
	return ""
}

func generate(t *rapid.T, o chaos.Options) *chaos.Plan {
	p, err := chaos.Generate(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sameBase fails unless two plans agree in everything but refunds, disputes,
// payouts and faults: how much is asked for is the profile's.
func sameBase(t *rapid.T, a, b file) {
	switch {
	case a.head != b.head:
		t.Fatalf("start, horizon or settings moved:\n%s\n%s", a.head, b.head)
	case !slices.Equal(a.charges, b.charges):
		t.Fatal("a charge moved")
	case !slices.Equal(a.payments, b.payments):
		t.Fatal("a payment moved")
	}
}

// Further payments add to a plan and change nothing of it: not a byte of a
// charge, a payment or a fault, nor what the payers of old do, nor a txid.
func TestMorePaymentsMoveNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t, 30)
		short := generate(t, o)
		o.Payments += rapid.IntRange(1, 10).Draw(t, "more")
		long := generate(t, o)
		a, b := fileOf(t, short), fileOf(t, long)
		if gone := missing(slices.Concat(b.returns, b.faults), slices.Concat(a.returns, a.faults)); gone != "" {
			t.Fatalf("this is gone: %s", gone)
		}
		b.charges, b.payments = b.charges[:len(a.charges)], b.payments[:len(a.payments)]
		sameBase(t, a, b)
		before, after := short.Merge(), long.Merge()
		for _, p := range short.Payments {
			if was, is := before.Payment(p.ID).Change, after.Payment(p.ID).Change; jsonOf(was) != jsonOf(is) {
				t.Fatalf("the payer of %s did %s and now does %s", p.ID, jsonOf(was), jsonOf(is))
			}
		}
	})
}

func jsonOf(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// A payment taken out of the file, with what speaks of it, leaves a plan in
// which every other address meets what it met before.
func TestOnePaymentLessMovesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t, 20)
		o.Payments++
		whole := generate(t, o)
		gone := rapid.IntRange(0, len(whole.Payments)-1).Draw(t, "gone")
		rest, struck := without(whole, gone)
		back, err := chaos.ReadPlan(bytes.NewReader(rest.Encode()))
		if err != nil {
			t.Fatalf("what is left is no plan: %v", err)
		}
		before, after := whole.Merge(), back.Merge()
		for _, d := range back.Faults {
			if struck[d.Target.String()] {
				continue // what is gone met it there
			}
			if was, is := lookUp(before, d.Target), lookUp(after, d.Target); was != is {
				t.Fatalf("at %s there was %s, and is %s", d.Target, was, is)
			}
		}
		for _, p := range back.Payments {
			wasLeader, was := before.Grouped(p.ID)
			isLeader, is := after.Grouped(p.ID)
			if was != is && wasLeader != whole.Payments[gone].ID || is && wasLeader != isLeader {
				t.Fatalf("%s rode with %q and rides with %q", p.ID, wasLeader, isLeader)
			}
		}
	})
}

// without is the plan less one payment, its charge if nobody else pays it, what
// is asked back of it, and the faults that name one of them; struck are the addresses of those faults.
func without(p *chaos.Plan, gone int) (rest *chaos.Plan, struck map[string]bool) {
	out := *p
	struck = map[string]bool{}
	names := []string{p.Payments[gone].ID}
	out.Payments = slices.Delete(slices.Clone(p.Payments), gone, gone+1)
	if c := p.Payments[gone].Charge; c != "" && !slices.ContainsFunc(out.Payments, func(q chaos.Payment) bool { return q.Charge == c }) {
		names = append(names, c)
		out.Charges = slices.DeleteFunc(slices.Clone(p.Charges), func(x chaos.Charge) bool { return x.ID == c })
	}
	out.Refunds = slices.DeleteFunc(slices.Clone(p.Refunds), func(r chaos.Refund) bool {
		if r.Payment == names[0] {
			names = append(names, r.ID)
		}
		return r.Payment == names[0]
	})
	out.Disputes = slices.DeleteFunc(slices.Clone(p.Disputes), func(d chaos.Dispute) bool {
		if d.Payment == names[0] {
			names = append(names, d.ID)
		}
		return d.Payment == names[0]
	})
	out.Faults = slices.DeleteFunc(slices.Clone(p.Faults), func(d chaos.Deviation) bool {
		text := jsonOf(d)
		named := slices.ContainsFunc(names, func(name string) bool { return strings.Contains(text, strconv.Quote(name)) })
		if named {
			struck[d.Target.String()] = true
		}
		return named
	})
	return &out, struck
}

// lookUp is what goes wrong at an address.
func lookUp(f *chaos.Faults, at chaos.Target) string {
	var m chaos.Merged
	switch {
	case at.Callback != nil:
		m = f.Callback(*at.Callback)
	case at.API != nil:
		m = f.API(*at.API)
	case at.Command != nil:
		a := *at.Command
		m = f.Command(a.Instance, a.Command, a.Subject, a.Edge, a.Nth, a.Nth)
	case at.Window != nil:
		m = f.At(at.Window.Place, chaos.MS(at.Window.FromMS))
	default:
		m = f.Payment(at.Payment)
	}
	return jsonOf(m.Change)
}

// Two sets of fault kinds together give the faults that each gives alone, on
// the same base plan.
func TestKindsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t, 30)
		kinds := rapid.Permutation(kindNames()).Draw(t, "kinds")
		cut := rapid.IntRange(1, 6).Draw(t, "first")
		end := cut + rapid.IntRange(1, 6).Draw(t, "second")
		o.Faults = kinds[:cut]
		first := fileOf(t, generate(t, o))
		o.Faults = kinds[cut:end]
		second := fileOf(t, generate(t, o))
		o.Faults = kinds[:end]
		both := fileOf(t, generate(t, o))
		for _, f := range []file{second, both} {
			if sameBase(t, first, f); !slices.Equal(first.returns, f.returns) {
				t.Fatal("a refund or a dispute moved")
			}
		}
		apart := slices.Sorted(slices.Values(slices.Concat(first.faults, second.faults)))
		if slices.Sort(both.faults); !slices.Equal(apart, both.faults) {
			t.Fatalf("%v and %v give %d faults apart and %d together", kinds[:cut], kinds[cut:end], len(apart), len(both.faults))
		}
	})
}

func kindNames() []string {
	var out []string
	for _, k := range chaos.Kinds() {
		out = append(out, k.Name)
	}
	return out
}

// Rates move no decision but whether a kind strikes: what it does to whom it
// strikes is the same at every rate, and a higher rate only strikes more. A
// group is put together from all whom its kind strikes, so it is not asked.
func TestRatesMoveNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t, 30)
		kind := rapid.SampledFrom(kindNames()).Draw(t, "kind")
		var files []file
		for _, profile := range []string{"mixed", "hostile", kind} {
			o.Profile = profile
			files = append(files, fileOf(t, generate(t, o)))
		}
		for i := 1; i < len(files); i++ {
			sameBase(t, files[0], files[i])
			if !slices.Equal(files[i-1].returns, files[i].returns) {
				continue // some faults strike what is asked back
			}
			low, high := ofKind(files[i-1], kind), ofKind(files[i], kind)
			if gone := missing(high, low); gone != "" && kind != "grouped" {
				t.Fatalf("at a higher rate %s no longer does this: %s", kind, gone)
			}
		}
		o.Faults = []string{kind}
		named := fileOf(t, generate(t, o))
		if !slices.Equal(named.faults, files[2].faults) {
			t.Fatalf("%s asked for by name gives other faults than its profile", kind)
		}
	})
}

func ofKind(f file, kind string) []string {
	return slices.DeleteFunc(slices.Clone(f.faults), func(text string) bool {
		return !strings.Contains(text, `"kind": `+strconv.Quote(kind))
	})
}
