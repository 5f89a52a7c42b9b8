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
	// last are the numbers of a payment's last event, by the places of endpoints
	// in the view; elsewhere is the same of endpoints that it does not know.
	last      map[pix.EndToEndID]perEndpoint
	elsewhere map[lineTo]int
}

// lineTo is one payment's line to one endpoint.
type lineTo struct {
	endpoint string
	pix      pix.EndToEndID
}

// next counts a payment's events to an endpoint.
func (c *toldOnce) next(v *View, to lineTo) int {
	at := slices.Index(v.endpoints, to.endpoint)
	if at < 0 || at >= len(perEndpoint{}) {
		c.elsewhere[to]++
		return c.elsewhere[to]
	}
	last := c.last[to.pix]
	last[at]++
	c.last[to.pix] = last
	return int(last[at])
}

// effect is what an event tells of.
type effect struct {
	pix   pix.EndToEndID
	cents pix.Amount
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
		line := lineTo{o.After.Endpoint, o.After.EndToEndID}
		if next := c.next(v, line); o.After.Number != next {
			return fmt.Sprintf("Pix %s tells %s of %s as number %d; want %d",
				line.pix, line.endpoint, o.After.Kind, o.After.Number, next)
		}
		got[line.endpoint] = append(got[line.endpoint], effect{line.pix, max(o.After.Amount, -o.After.Amount)})
	}
	for _, endpoint := range v.endpoints {
		if d := differ(endpoint, want, got[endpoint]); d != "" {
			return cs.Command + ": " + d
		}
	}
	return ""
}

// effectOf is the effect of a transaction, false where the merchant is told of
// none: money that is set aside for a refund has not moved yet, who closes a case
// is the merchant, and so is who asks for a payout: what became of it, the API's
// answer says. That covers what is adjusted about a payout, too.
func effectOf(command string, t receiver.Transaction) (effect, bool) {
	kind, about, _ := strings.Cut(t.Reference, ":")
	switch {
	case kind == "pay", kind == "ajuste" && strings.HasPrefix(about, receiver.PayoutCase("")):
		return effect{}, false
	case kind == "pix", kind == "ajuste", kind == "caso" && command != "CloseCases":
	case kind == "dev" && !strings.HasSuffix(t.Reference, ":reserva"):
	default:
		return effect{}, false
	}
	e := effect{pix: t.Entries[0].EndToEndID}
	for _, entry := range t.Entries {
		e.cents += max(entry.Cents, 0)
	}
	return e, true
}

// differ compares what was posted with what an endpoint is told.
func differ(endpoint string, want, got []effect) string {
	order := func(a, b effect) int { return cmp.Or(cmp.Compare(a.pix, b.pix), cmp.Compare(a.cents, b.cents)) }
	if len(want) > 1 || len(got) > 1 {
		want, got = slices.Clone(want), slices.Clone(got)
		slices.SortFunc(want, order)
		slices.SortFunc(got, order)
	}
	for i, e := range want {
		if i >= len(got) || got[i] != e {
			return fmt.Sprintf("%s of Pix %s is posted, and %s is not told of it", e.cents.BRL(), e.pix, endpoint)
		}
	}
	if len(got) > len(want) {
		e := got[len(want)]
		return fmt.Sprintf("%s is told of %s of Pix %s, which is not posted", endpoint, e.cents.BRL(), e.pix)
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
