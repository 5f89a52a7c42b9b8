package receiver

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// Text is the report for people. Times are those of the books.
func (r Report) Text() string {
	var b strings.Builder
	title := "reconciliation of a window"
	if r.Day != "" {
		title = "day " + r.Day + ", closed"
	}
	fmt.Fprintf(&b, "%s\n%s to %s\n\n", title, booksTime(r.From), booksTime(r.To))
	for _, l := range r.Lines {
		fmt.Fprintf(&b, "%-18s %9d lines %18s\n", l.Kind, l.Lines, pix.Amount(l.Cents).BRL())
	}
	fmt.Fprintf(&b, "\n%-18s %9s %18s %18s\n", "class", "lines", "statement", "ledger")
	for _, c := range r.Classes {
		fmt.Fprintf(&b, "%-18s %9d %18s %18s\n", c.Class, c.Lines, pix.Amount(c.StatementCents).BRL(), pix.Amount(c.LedgerCents).BRL())
	}
	if r.InFlight > 0 {
		fmt.Fprintf(&b, "%-18s %9d\n", MatchInFlight, r.InFlight)
	}
	if len(r.Findings) > 0 {
		b.WriteString("\nfindings\n")
	}
	for _, f := range r.Findings {
		fmt.Fprintf(
			&b, "%-18s %-10s %s %s\n  settled %s, statement %s, ledger %s\n", f.Class, f.Kind, f.EndToEndID, f.ID,
			booksTime(f.SettledAt), pix.Amount(f.StatementCents).BRL(), pix.Amount(f.LedgerCents).BRL(),
		)
	}
	if len(r.Cases) > 0 {
		b.WriteString("\ncases about them\n")
	}
	for _, c := range r.Cases {
		fmt.Fprintf(&b, "%-6s %s %s %s: %s\n", c.State, c.ID, c.Account, pix.Amount(c.Cents).BRL(), strings.Join(c.Reasons, "; "))
	}
	return b.String()
}

func booksTime(t time.Time) string { return t.In(booksZone()).Format(time.RFC3339) }

// CSV is the report as a table (RFC 4180): one record a total, finding or case,
// told apart by its first field.
func (r Report) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	rows := [][]string{{
		"record", "class", "kind", "endToEndId", "id", "lines", "statement_cents", "ledger_cents", "settled_at", "found_at", "state", "reasons",
	}}
	for _, l := range r.Lines {
		rows = append(rows, []string{"lines", "", string(l.Kind), "", "", n(int64(l.Lines)), n(l.Cents), "", "", "", "", ""})
	}
	for _, c := range r.Classes {
		rows = append(rows, []string{"class", string(c.Class), "", "", "", n(int64(c.Lines)), n(c.StatementCents), n(c.LedgerCents), "", "", "", ""})
	}
	for _, f := range r.Findings {
		rows = append(rows, []string{
			"finding", string(f.Class), string(f.Kind), string(f.EndToEndID), f.ID, "1", n(f.StatementCents), n(f.LedgerCents),
			pix.FormatTime(f.SettledAt), pix.FormatTime(f.FoundAt), "", "",
		})
	}
	for _, c := range r.Cases {
		rows = append(rows, []string{
			"case", "", string(c.Account), string(c.EndToEndID), c.ID, "", "", n(c.Cents), "", pix.FormatTime(c.OpenedAt),
			string(c.State), strings.Join(c.Reasons, "; "),
		})
	}
	if err := w.WriteAll(rows); err != nil {
		panic("receiver: write to memory: " + err.Error())
	}
	return b.Bytes()
}
