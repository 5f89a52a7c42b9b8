package pix

import (
	"errors"
	"fmt"
	"time"
)

// StatementKind says what moved on the account, and which way.
type StatementKind string

// Kinds of lines of the account statement.
const (
	KindPixIn     StatementKind = "pix_in"     // a Pix was received
	KindRefundOut StatementKind = "refund_out" // a devolução of a received Pix was settled
	KindPixOut    StatementKind = "pix_out"    // a Pix was sent
	KindReturnIn  StatementKind = "return_in"  // a sent Pix came back, in whole or part
)

// StatementLine is one settled movement of the account. API Pix has no
// statement; this one is the lab's own.
type StatementLine struct {
	Kind       StatementKind // kind
	EndToEndID EndToEndID    // endToEndId of the Pix, received or sent
	ID         string        // rtrId of a refund or of a return, else ""
	Cents      int64         // cents, more than 0 whatever the direction
	SettledAt  time.Time     // settled_at
}

// Signed is what l did to the balance: l.Cents for money in, -l.Cents for
// money out.
func (l StatementLine) Signed() int64 {
	if l.Kind == KindRefundOut || l.Kind == KindPixOut {
		return -l.Cents
	}
	return l.Cents
}

// StatementPage is the answer of GET /extrato: lines in the order settled, and
// the cursor of the next page, "" on the last.
type StatementPage struct {
	Lines []StatementLine // lines
	Next  string          // next
}

var (
	errKind  = errors.New("want pix_in, refund_out, pix_out or return_in")
	errCents = errors.New("want cents more than 0")
)

// MarshalJSON writes l.
func (l StatementLine) MarshalJSON() ([]byte, error) {
	w := jsonWriter{b: make([]byte, 0, 192)}
	w.line(l)
	return w.b, nil
}

// UnmarshalJSON reads l strictly: a line of unknown kind, without an
// endToEndId, of no or negative cents, or without its moment is an error, and
// so is a refund or return without its id. The statement is what everything
// else is measured against.
func (l *StatementLine) UnmarshalJSON(raw []byte) error {
	if err := valid(raw); err != nil {
		return fmt.Errorf("read statement line: %w", err)
	}
	var f finding
	got := readLine(&f, member{name: "line", raw: raw})
	if err := f.err(); err != nil {
		return fmt.Errorf("read statement line: %w", err)
	}
	*l = got
	return nil
}

// MarshalJSON writes sp, lines always an array.
func (sp StatementPage) MarshalJSON() ([]byte, error) {
	w := jsonWriter{b: make([]byte, 0, 64+192*len(sp.Lines))}
	w.open("", '{')
	w.open("lines", '[')
	for _, l := range sp.Lines {
		w.line(l)
	}
	w.closing(']')
	w.optText("next", sp.Next)
	w.closing('}')
	return w.b, nil
}

// UnmarshalJSON reads sp; one bad line fails the page.
func (sp *StatementPage) UnmarshalJSON(raw []byte) error {
	var got StatementPage
	m := [...]member{{name: "lines"}, {name: "next"}}
	if err := pageMembers(raw, m[:1]); err != nil {
		return fmt.Errorf("read statement: %w", err)
	}
	readMembers(raw, m[1:])
	var f finding
	got.Next = optional(&f, m[1], asText)
	elements(m[0].raw, func(value []byte, _ int) {
		got.Lines = append(got.Lines, readLine(&f, member{name: "lines", raw: value}))
	})
	if err := f.err(); err != nil {
		return fmt.Errorf("read statement: %w", err)
	}
	*sp = got
	return nil
}

func (w *jsonWriter) line(l StatementLine) {
	w.open("", '{')
	w.text("kind", string(l.Kind))
	w.text("endToEndId", string(l.EndToEndID))
	w.optText("id", l.ID)
	w.int("cents", l.Cents)
	w.time("settled_at", l.SettledAt)
	w.closing('}')
}

func readLine(f *finding, at member) (l StatementLine) {
	m := [...]member{
		{name: "kind"}, {name: "endToEndId"}, {name: "id"}, {name: "cents"}, {name: "settled_at"},
	}
	if at.absent() {
		f.add(at, errNotObject)
		return l
	}
	f.within(at, m[:], func() {
		l.Kind = required(f, m[0], asKind)
		l.EndToEndID = required(f, m[1], asEndToEndID)
		l.Cents = required(f, m[3], asCents)
		l.SettledAt = required(f, m[4], asTime)
		switch l.Kind {
		case KindRefundOut:
			l.ID = string(required(f, m[2], asRefundID))
		case KindReturnIn:
			l.ID = string(required(f, m[2], asReturnID))
		default:
			l.ID = optional(f, m[2], asText)
		}
	})
	return l
}

func asKind(m member) (StatementKind, error) {
	s, err := m.text()
	if err != nil {
		return "", err
	}
	switch k := StatementKind(s); k {
	case KindPixIn, KindRefundOut, KindPixOut, KindReturnIn:
		return k, nil
	}
	return "", errKind
}

func asCents(m member) (int64, error) {
	n, err := m.int(64)
	if err == nil && n <= 0 {
		return 0, errCents
	}
	return n, err
}
