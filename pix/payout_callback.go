package pix

import (
	"encoding/json"
	"fmt"
)

// PayoutItem is one element of a callback about payouts, judged by itself.
type PayoutItem struct {
	Raw    json.RawMessage // bytes as received, part of the body
	Payout Payout          // zero where Err is set
	Err    error           // why the item is malformed, else nil
}

// ParsePayoutCallback reads the body of POST {webhookUrl}/pagamentos,
// {"pagamentos":[…]}, by the rules of [ParseCallback]: an error, which wraps
// [ErrCallback], where there is no telling what was sent; else each item is
// judged alone and sinks no neighbour.
func ParsePayoutCallback(body []byte) ([]PayoutItem, error) {
	if err := valid(body); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCallback, err)
	}
	m := [...]member{{name: "pagamentos"}}
	if !readMembers(body, m[:]) {
		return nil, fmt.Errorf("%w: root is no object", ErrCallback)
	}
	if err := listed(m[0]); err != nil {
		return nil, fmt.Errorf("%w: pagamentos: %w", ErrCallback, err)
	}
	var items []PayoutItem
	elements(m[0].raw, func(value []byte, depth int) {
		var f finding
		item := PayoutItem{Raw: value, Payout: readPayout(&f, member{name: "pagamentos", raw: value})}
		if item.Err = f.err(); depth > MaxDepth {
			item.Err = errDepth
		}
		if item.Err != nil {
			item.Payout = Payout{}
		}
		items = append(items, item)
	})
	return items, nil
}

// EncodePayoutCallback writes payouts as {"pagamentos":[…]}. Equal payouts give
// equal bytes.
func EncodePayoutCallback(payouts []Payout) []byte {
	size := 24
	for _, p := range payouts {
		size += p.size()
	}
	w := jsonWriter{b: make([]byte, 0, size)}
	w.open("", '{')
	w.open("pagamentos", '[')
	for _, p := range payouts {
		w.payout(p)
	}
	w.closing(']')
	w.closing('}')
	return w.b
}
