package fakepsp

import (
	"slices"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// The members that a later version of the standard might bring. The first
// number is 2^53 + 1, which a reader that keeps numbers as doubles spoils.
const (
	unknownItemMembers = `,"numeroDoLancamento":9007199254740993` +
		`,"pagadorDetalhado":{"nome":"Fulano de Tal","contas":[{"agencia":"0001"},{"agencia":"0002"}]}` +
		`,"matriz":[[1,2],["a","b"],[]]`
	unknownRootMembers = `"versaoDoLeiaute":"2.99","paginacaoFutura":{"cursor":[null,9007199254740993]},`
)

// bend writes a callback of items in the shapes asked for, which are in the
// order of their constants. Without shapes it writes what
// [pix.EncodeCallback] does.
func bend(items []pix.Payment, shapes []string, oversize int) []byte {
	has := func(shape string) bool { return slices.Contains(shapes, shape) }
	if has(chaos.ShapeUnknownEnums) {
		items = slices.Clone(items)
		for i := range items {
			items[i].Refunds = append(slices.Clip(items[i].Refunds), unknownRefund(items[i]))
		}
	}
	body := make([]byte, 0, 768*len(items))
	rootArray := has(chaos.ShapeRootArray)
	if !rootArray {
		body = append(body, '{')
		if has(chaos.ShapeUnknownFields) {
			body = append(body, unknownRootMembers...)
		}
		body = append(body, `"pix":`...)
	}
	body = append(body, '[')
	for i, item := range items {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, bendItem(item, has)...)
	}
	body = append(body, ']')
	if !rootArray {
		body = append(body, '}')
	}
	return cutOrPadded(body, shapes, oversize)
}

// cutOrPadded bends a body in the shapes that suit any.
func cutOrPadded(body []byte, shapes []string, oversize int) []byte {
	if slices.Contains(shapes, chaos.ShapeOversized) {
		body = padded(body, oversize)
	}
	if slices.Contains(shapes, chaos.ShapeTruncated) {
		body = body[:len(body)/2]
	}
	return body
}

// bendItem writes one Pix. A shape that wants devolucoes as an object has
// nothing to show where there is no refund, since {} would be a refund without
// an id: then the member is there and null.
func bendItem(item pix.Payment, has func(string) bool) []byte {
	refunds := item.Refunds
	asObject := has(chaos.ShapeRefundObject)
	if asObject {
		item.Refunds = nil
	}
	raw := itemJSON(item)
	raw = raw[:len(raw)-1]
	switch {
	case asObject && len(refunds) > 0:
		raw = append(append(raw, `,"devolucoes":`...), refundJSON(refunds[len(refunds)-1])...)
	case len(refunds) == 0 && (asObject || has(chaos.ShapeNulls)):
		raw = append(raw, `,"devolucoes":null`...)
	}
	if has(chaos.ShapeNulls) {
		raw = append(raw, `,"componentesValor":null`...)
		if item.PayerNote == "" {
			raw = append(raw, `,"infoPagador":null`...)
		}
	}
	if has(chaos.ShapeUnknownFields) {
		raw = append(raw, unknownItemMembers...)
	}
	return append(raw, '}')
}

// itemJSON is one Pix as a callback carries it.
func itemJSON(item pix.Payment) []byte {
	const before, after = len(`{"pix":[`), len(`]}`)
	body := pix.EncodeCallback([]pix.Payment{item})
	return body[before : len(body)-after]
}

func refundJSON(r pix.Refund) []byte {
	raw, err := r.MarshalJSON()
	if err != nil { // cannot happen: the amount is one cent, or of the truth
		return []byte("null")
	}
	return raw
}

// unknownRefund is a refund whose nature and status no reader knows. It is not
// final, so it moves no money and the truth holds nothing of it.
func unknownRefund(item pix.Payment) pix.Refund {
	return pix.Refund{
		ID:          "NOVA",
		ReturnID:    pix.ReturnID("D" + item.EndToEndID[1:]),
		Amount:      1,
		Nature:      "MED_NOVA_2027",
		Status:      "AGUARDANDO_X",
		RequestedAt: item.PaidAt,
	}
}

// padded is the body with spaces before its last bracket, to the length.
func padded(body []byte, length int) []byte {
	if len(body) >= length {
		return body
	}
	out := make([]byte, length)
	n := copy(out, body[:len(body)-1])
	for i := range out[n:] {
		out[n+i] = ' '
	}
	out[length-1] = body[len(body)-1]
	return out
}
