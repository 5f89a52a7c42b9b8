package pix

import (
	"encoding/json"
	"errors"
	"fmt"
)

// MaxDepth is how many arrays and objects one item of a callback may nest. The
// standard's own objects nest four; the rest is room for members it may grow.
const MaxDepth = 64

// ErrCallback is wrapped by every error of ParseCallback: the body as a whole
// is no callback and has to be refused.
var ErrCallback = errors.New("not a callback of API Pix")

var errDepth = fmt.Errorf("nests more than %d deep", MaxDepth)

// CallbackItem is one element of a callback's pix, judged by itself.
type CallbackItem struct {
	Raw        json.RawMessage // bytes as received, part of the body; perhaps not UTF-8
	Payment    Payment         // zero where Err is set
	Err        error           // why the item is malformed, else nil
	EndToEndID string          // as sent, even where malformed; "" if unreadable
}

// ParseCallback reads the body of POST {webhookUrl}/pix.
//
// The standard's shape is {"pix":[…]}; a root array and a single object in
// pix are met in practice and taken too. Members not known here are skipped
// wherever they stand. An empty array is a callback of no items. The error is
// set, and wraps ErrCallback, where there is no telling what was sent: no
// JSON, JSON cut short or followed by more, no member pix, pix null or a
// scalar, pix twice with different content. Such a body deserves a 400.
//
// Each item is judged alone and sinks no neighbour. It is malformed, with Err
// saying why, if it
//   - is no object, or nests deeper than MaxDepth;
//   - lacks endToEndId, valor or horario, or has one of another JSON type;
//   - has an id, chave, amount or time of another form, or a valor of 0.00;
//   - has a devolução that cannot be read: none is ever dropped;
//   - has one of the members read here twice with different bytes, since two
//     readers could then see two payments. Twice with the same bytes is
//     harmless.
//
// null is the same as absent. Words of natureza and status are kept as they
// are, known or not. Names and ids are compared as bytes, letter case
// included. Free text for people (infoPagador, descricao, motivo) is never a
// reason to refuse an item: what is not UTF-8 in it becomes U+FFFD.
//
// Items share the memory of body, which must not be changed afterwards.
func ParseCallback(body []byte) ([]CallbackItem, error) {
	if err := valid(body); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCallback, err)
	}
	start := skipSpace(body, 0)
	if body[start] == '[' {
		return readItems(body[start:]), nil
	}
	m := [...]member{{name: "pix"}}
	if !readMembers(body[start:], m[:]) {
		return nil, fmt.Errorf("%w: root is no object or array", ErrCallback)
	}
	if err := listed(m[0]); err != nil {
		return nil, fmt.Errorf("%w: pix: %w", ErrCallback, err)
	}
	return readItems(m[0].raw), nil
}

// listed is an error unless m is an array or object, there once.
func listed(m member) error {
	switch {
	case m.clash:
		return errClash
	case m.absent():
		return errMissing
	case m.raw[0] != '[' && m.raw[0] != '{':
		return errNotList
	}
	return nil
}

func readItems(raw []byte) []CallbackItem {
	var items []CallbackItem
	elements(raw, func(value []byte, depth int) {
		item := CallbackItem{Raw: value}
		item.Payment, item.EndToEndID, item.Err = readPayment(value)
		if depth > MaxDepth {
			item.Payment, item.Err = Payment{}, errDepth
		}
		items = append(items, item)
	})
	return items
}

// EncodeCallback writes payments as {"pix":[…]}. Equal payments give equal
// bytes. It checks nothing: a PSP that means to misbehave uses it as well.
func EncodeCallback(payments []Payment) []byte {
	size := 16
	for _, p := range payments {
		size += p.size()
	}
	w := jsonWriter{b: make([]byte, 0, size)}
	w.open("", '{')
	w.open("pix", '[')
	for _, p := range payments {
		w.payment(p)
	}
	w.closing(']')
	w.closing('}')
	return w.b
}

// valid is an error unless raw is one whole JSON value.
func valid(raw []byte) error {
	if !json.Valid(raw) {
		return errNotJSON
	}
	return nil
}
