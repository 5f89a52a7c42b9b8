package pix

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// finding gathers what is wrong with an object while it is read, as the
// violations API Pix answers with. Reading goes on after a find, so that one
// answer can name everything.
type finding struct {
	at    string    // property path of the outermost object, "" or ending in "."
	in    [4]string // the members within it that are being read, the first depth of them
	depth int
	list  []Violation
}

// path is the property path of a member of the object being read. It is put
// together for a find alone: most objects have none.
func (f *finding) path(name string) string {
	return f.at + strings.Join(append(f.in[:f.depth:f.depth], name), ".")
}

func (f *finding) add(m member, err error) {
	value, failed := m.note()
	if failed != nil {
		value = string(m.raw)
	}
	f.list = append(f.list, Violation{
		Reason:   err.Error(),
		Property: f.path(m.name),
		Value:    cut(value),
	})
}

// err is the first thing found, as an error, or nil.
func (f *finding) err() error {
	if len(f.list) == 0 {
		return nil
	}
	v := f.list[0]
	if v.Value == "" {
		return errors.New(v.Property + ": " + v.Reason)
	}
	return fmt.Errorf("%s %q: %s", v.Property, v.Value, v.Reason)
}

// cut shortens a value for a violation and keeps it storable as text.
func cut(s string) string {
	const most = 120
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// within reads the members of the object m under f, with m's name in the
// property path.
func (f *finding) within(m member, want []member, read func()) {
	if m.absent() {
		return
	}
	if m.clash {
		f.add(m, errClash)
		return
	}
	if !readMembers(m.raw, want) {
		f.add(m, errNotObject)
		return
	}
	f.in[f.depth] = m.name // no object of the standard is nested deeper
	f.depth++
	read()
	f.depth--
}

// required reads m by one of the methods of member; a missing or null one is
// a find.
func required[T any](f *finding, m member, read func(member) (T, error)) T {
	if m.absent() {
		f.add(m, errMissing)
		var zero T
		return zero
	}
	return optional(f, m, read)
}

// optional reads m by one of the methods of member; missing or null is the
// zero value.
func optional[T any](f *finding, m member, read func(member) (T, error)) T {
	var zero T
	if m.absent() {
		return zero
	}
	v, err := read(m)
	if err != nil {
		f.add(m, err)
		return zero
	}
	return v
}

// given is optional with absence told from the zero value: nil is absent.
func given[T any](f *finding, m member, read func(member) (T, error)) *T {
	if m.absent() {
		return nil
	}
	v := optional(f, m, read)
	return &v
}

// parsed turns a parser of text into a reader of members.
func parsed[T any](m member, parse func(string) (T, error)) (T, error) {
	s, err := m.text()
	if err != nil {
		var zero T
		return zero, err
	}
	return parse(s)
}

// The readers of the wire's own types, to be given to required and optional.

func asEndToEndID(m member) (EndToEndID, error)     { return parsed(m, ParseEndToEndID) }
func asTxID(m member) (TxID, error)                 { return parsed(m, ParseTxID) }
func asChargeTxID(m member) (TxID, error)           { return parsed(m, ParseChargeTxID) }
func asReturnID(m member) (ReturnID, error)         { return parsed(m, ParseReturnID) }
func asRefundID(m member) (RefundID, error)         { return parsed(m, ParseRefundID) }
func asPixKey(m member) (PixKey, error)             { return parsed(m, ParsePixKey) }
func asRefundStatus(m member) (RefundStatus, error) { return parsed(m, parseCode[RefundStatus]) }
func asChargeStatus(m member) (ChargeStatus, error) { return parsed(m, parseCode[ChargeStatus]) }
func asCode(m member) (string, error)               { return parsed(m, parseCode[string]) }
func asText(m member) (string, error)               { return m.text() }
func asNote(m member) (string, error)               { return m.note() }
func asAmount(m member) (Amount, error)             { return m.amount() }
func asTime(m member) (time.Time, error)            { return m.time() }
func asBool(m member) (bool, error)                 { return m.bool() }

func asInt(m member) (int, error) {
	n, err := m.int(32)
	return int(n), err
}

// asMoney reads an amount that has to move something: more than 0.00.
func asMoney(m member) (Amount, error) {
	a, err := m.amount()
	if err == nil && a == 0 {
		return 0, errZero
	}
	return a, err
}

var errZero = errors.New("must be more than 0.00")
