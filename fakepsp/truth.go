package fakepsp

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// SettledPix is one Pix that arrived on the account: a fact, never changed.
// Its Refunds are empty: what became of it later is told by [Truth.Payment].
type SettledPix struct {
	pix.Payment
	// Subject is the plan's ID of the payment, "" if it has none.
	Subject string
	// Payer is the payer's CPF or CNPJ, "" if not known. API Pix filters by it
	// and does not show it.
	Payer string
}

// InsertFunc adds a settled Pix and its statement line to the truth, or
// refuses with [ErrExists]. It is a seam for tests: a broken one shows that
// [PSP.Check] notices.
type InsertFunc func(t *Truth, row SettledPix, line pix.StatementLine) error

// StrictInsert is the only right [InsertFunc]: an id that exists is refused,
// whatever stands beside it, and then nothing has changed.
func StrictInsert(t *Truth, row SettledPix, line pix.StatementLine) error {
	if _, known := t.Pix(row.EndToEndID); known {
		return fmt.Errorf("insert pix %s: %w", row.EndToEndID, ErrExists)
	}
	if t.HasLine(line) {
		return fmt.Errorf("insert statement line %s %s %s: %w", line.Kind, line.EndToEndID, line.ID, ErrExists)
	}
	t.AppendPix(row)
	t.AppendLine(line)
	return nil
}

// Truth holds what settled, in the order of settlement and by time, and the
// refunds of it. Its Append and Replace methods check nothing: strictness is
// the work of the [InsertFunc] or [InsertRefundFunc] that calls them.
type Truth struct {
	rows   []SettledPix // never overwritten in place: slices of it are handed out
	texts  texts
	byID   map[pix.EndToEndID]int
	byTime []int               // indexes of rows by (PaidAt, EndToEndID)
	lines  []pix.StatementLine // by (SettledAt, Kind, EndToEndID, ID)
	lineID map[string]struct{} // by nameOfLine

	refunds refundTruth
	payouts payoutTruth
}

type lineKey struct {
	kind       pix.StatementKind
	endToEndID pix.EndToEndID
	id         string
}

func newTruth(room Room) *Truth {
	lines := room.Pix + room.Refunds + room.Payouts
	return &Truth{
		rows: make([]SettledPix, 0, room.Pix), byID: make(map[pix.EndToEndID]int, room.Pix), byTime: make([]int, 0, room.Pix),
		lines: make([]pix.StatementLine, 0, lines), lineID: make(map[string]struct{}, lines),
		refunds: refundTruth{rows: make([]RefundRow, 0, room.Refunds)},
		payouts: payoutTruth{rows: make([]PayoutRow, 0, room.Payouts)},
	}
}

// Pix is the settled Pix of that id.
func (t *Truth) Pix(id pix.EndToEndID) (SettledPix, bool) {
	i, ok := t.byID[id]
	if !ok {
		return SettledPix{}, false
	}
	return t.rows[i], true
}

// HasLine tells whether a statement line of this identity is there.
func (t *Truth) HasLine(line pix.StatementLine) bool {
	_, ok := t.lineID[nameOfLine(line)]
	return ok
}

// AppendPix adds a row.
func (t *Truth) AppendPix(row SettledPix) {
	i := len(t.rows)
	t.rows = append(t.rows, row)
	t.byID[row.EndToEndID] = i
	t.byTime = t.ranked(t.byTime, i)
}

// ranked is a list of rows by (PaidAt, EndToEndID) with row i in it.
func (t *Truth) ranked(list []int, i int) []int {
	at := sort.Search(len(list), func(k int) bool { return pixAfter(&t.rows[list[k]], &t.rows[i]) })
	return slices.Insert(list, at, i)
}

// ReplacePix puts row in the place of the one with its id. A conforming PSP
// never does that to money; see [InsertFunc].
func (t *Truth) ReplacePix(row SettledPix) {
	if i, ok := t.byID[row.EndToEndID]; ok {
		t.rows = slices.Clone(t.rows)
		t.rows[i] = row
		t.texts.forget(i)
	}
}

// json is row i's Pix as the wire carries it.
func (t *Truth) json(i int) []byte {
	text := t.texts.byRow[i]
	if text == nil {
		text = itemJSON(t.payment(i))
		t.texts.keep(i, text)
	}
	return text
}

// texts keeps rows as JSON, by index: a sweep reads the rows of its stretch of
// time again and again. The ones kept first are the first to go.
type texts struct {
	byRow map[int][]byte
	order []int // as they were kept; some are forgotten since
}

// keptTexts is the number of texts from which on each new one costs an old one.
const keptTexts = 2048

func (t *texts) keep(i int, text []byte) {
	if t.byRow == nil {
		t.byRow = map[int][]byte{}
	}
	t.byRow[i] = text
	t.order = append(t.order, i)
	if len(t.order) > keptTexts {
		delete(t.byRow, t.order[0])
		t.order = t.order[1:]
	}
}

func (t *texts) forget(i int) { delete(t.byRow, i) }

// AppendLine adds a line to the account statement.
func (t *Truth) AppendLine(line pix.StatementLine) {
	t.lineID[nameOfLine(line)] = struct{}{}
	at := sort.Search(len(t.lines), func(k int) bool { return compareLines(t.lines[k], line) > 0 })
	t.lines = slices.Insert(t.lines, at, line)
}

// span is the part of a list of rows by time with from <= PaidAt < to.
func (t *Truth) span(list []int, from, to time.Time) []int {
	lo := sort.Search(len(list), func(k int) bool { return !t.rows[list[k]].PaidAt.Before(from) })
	hi := sort.Search(len(list), func(k int) bool { return !t.rows[list[k]].PaidAt.Before(to) })
	return list[lo:max(lo, hi)]
}

// lineSpan finds the statement lines with from <= SettledAt < to.
func (t *Truth) lineSpan(from, to time.Time) []pix.StatementLine {
	lo := sort.Search(len(t.lines), func(k int) bool { return !t.lines[k].SettledAt.Before(from) })
	hi := sort.Search(len(t.lines), func(k int) bool { return !t.lines[k].SettledAt.Before(to) })
	return t.lines[lo:max(lo, hi)]
}

// pixAfter is the total order of GET /v2/pix: (horario, endToEndId), bytes.
func pixAfter(a, b *SettledPix) bool {
	if !a.PaidAt.Equal(b.PaidAt) {
		return a.PaidAt.After(b.PaidAt)
	}
	return a.EndToEndID > b.EndToEndID
}

// compareLines is the total order of the account statement.
func compareLines(a, b pix.StatementLine) int {
	if c := a.SettledAt.Compare(b.SettledAt); c != 0 {
		return c
	}
	if c := strings.Compare(string(a.Kind), string(b.Kind)); c != 0 {
		return c
	}
	if c := strings.Compare(string(a.EndToEndID), string(b.EndToEndID)); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

func keyOfLine(line pix.StatementLine) lineKey {
	return lineKey{kind: line.Kind, endToEndID: line.EndToEndID, id: line.ID}
}

// nameOfLine is what no two lines of an account share: the endToEndId of a Pix,
// received or sent, the rtrId of a refund or a return. Neither can be the other.
func nameOfLine(line pix.StatementLine) string {
	if line.ID != "" {
		return line.ID
	}
	return string(line.EndToEndID)
}

// lineOf is the statement line of a Pix that came in.
func lineOf(row SettledPix) pix.StatementLine {
	return pix.StatementLine{
		Kind: pix.KindPixIn, EndToEndID: row.EndToEndID, Cents: int64(row.Amount), SettledAt: row.PaidAt,
	}
}
