package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// toldOnce is I18: what a commit posts it tells each endpoint of, in the same
// commit and over the same amount; nothing else is told; and a payment's effects
// are told in the order in which they happened.
type toldOnce struct {
	// last are the numbers of a line's last event, by the places of endpoints
	// in the view; elsewhere is the same of endpoints that it does not know.
	last      map[string]perEndpoint
	elsewhere map[lineTo]int
}

// lineTo is one payment's line, or one payout's, to one endpoint.
type lineTo struct{ endpoint, about string }

func (l lineTo) String() string { return named(l.about) }

// next counts a line's events to an endpoint.
func (c *toldOnce) next(v *View, to lineTo) int {
	at := slices.Index(v.endpoints, to.endpoint)
	if at < 0 || at >= len(perEndpoint{}) {
		c.elsewhere[to]++
		return c.elsewhere[to]
	}
	last := c.last[to.about]
	last[at]++
	c.last[to.about] = last
	return int(last[at])
}

// effect is what an event tells of.
type effect struct {
	about string // the line
	cents pix.Amount
}

// named is a line in words.
func named(line string) string {
	if key, is := strings.CutPrefix(line, receiver.PayoutLineOf("")); is {
		return "payout " + key
	}
	return "Pix " + line
}

func (*toldOnce) id() string { return "I18" }
func (*toldOnce) sentence() string {
	return "Each endpoint hears of every effect once, and in order"
}

func (c *toldOnce) commit(v *View, cs *receiver.ChangeSet) string {
	var want []effect
	for _, t := range cs.Transactions {
		if e, is := effectOf(cs.Command, t); is {
			want = append(want, e)
		}
	}
	if len(want) == 0 && len(cs.Outbox) == 0 {
		return ""
	}
	got := map[string][]effect{}
	for _, o := range cs.Outbox {
		if o.Before != nil {
			continue
		}
		line := lineTo{o.After.Endpoint, o.After.Line()}
		if next := c.next(v, line); o.After.Number != next {
			return fmt.Sprintf("%s tells %s of %s as number %d; want %d",
				line, line.endpoint, o.After.Kind, o.After.Number, next)
		}
		got[line.endpoint] = append(got[line.endpoint], effect{line.about, max(o.After.Amount, -o.After.Amount)})
	}
	for _, endpoint := range v.endpoints {
		if d := differ(endpoint, want, got[endpoint]); d != "" {
			return cs.Command + ": " + d
		}
	}
	return ""
}

// effectOf is the effect of a transaction, false where the merchant is told of
// none: money that is set aside for a refund or a payout has not moved yet, and who
// closes a case is the merchant.
func effectOf(command string, t receiver.Transaction) (effect, bool) {
	kind, about, _ := strings.Cut(t.Reference, ":")
	switch {
	case kind == "pix", kind == "ajuste", kind == "caso" && command != "CloseCases":
	case (kind == "dev" || kind == "pay") && !strings.HasSuffix(t.Reference, ":reserva"):
	default:
		return effect{}, false
	}
	e := effect{about: string(t.Entries[0].EndToEndID)}
	if key, is := payoutOf(kind, about); is {
		e.about = receiver.PayoutLineOf(key)
	}
	for _, entry := range t.Entries {
		e.cents += max(entry.Cents, 0)
	}
	return e, true
}

// payoutOf is the key of the payout that a reference is about, false if it is
// about none.
func payoutOf(kind, about string) (key string, is bool) {
	if kind == "ajuste" {
		return strings.CutPrefix(about, receiver.PayoutCase(""))
	}
	key, _, _ = strings.Cut(about, ":")
	return key, kind == "pay"
}

// differ compares what was posted with what an endpoint is told.
func differ(endpoint string, want, got []effect) string {
	order := func(a, b effect) int { return cmp.Or(cmp.Compare(a.about, b.about), cmp.Compare(a.cents, b.cents)) }
	if len(want) > 1 || len(got) > 1 {
		want, got = slices.Clone(want), slices.Clone(got)
		slices.SortFunc(want, order)
		slices.SortFunc(got, order)
	}
	for i, e := range want {
		if i >= len(got) || got[i] != e {
			return fmt.Sprintf("%s of %s is posted, and %s is not told of it", e.cents.BRL(), named(e.about), endpoint)
		}
	}
	if len(got) > len(want) {
		e := got[len(want)]
		return fmt.Sprintf("%s is told of %s of %s, which is not posted", endpoint, e.cents.BRL(), named(e.about))
	}
	return ""
}

// end looks at what the endpoints heard.
func (c *toldOnce) end(f *final) string {
	for _, e := range f.w.endpoints {
		if e.disorder != "" {
			return e.disorder
		}
	}
	return ""
}
