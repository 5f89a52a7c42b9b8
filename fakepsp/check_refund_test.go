package fakepsp

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

func TestCheckCatchesABrokenTruthOfRefunds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		insert InsertRefundFunc
		want   string
	}{
		"loses a refund": {func(*Truth, RefundRow) error { return nil }, "begun"},
		"takes it twice": {func(truth *Truth, row RefundRow) error {
			truth.AppendRefund(row)
			truth.AppendRefund(row)
			return nil
		}, "refund"},
		"writes another amount": {func(truth *Truth, row RefundRow) error {
			row.Amount++
			return StrictInsertRefund(truth, row)
		}, "began as"},
		"writes another rtrId": {func(truth *Truth, row RefundRow) error {
			row.ReturnID = pix.ReturnID(strings.Repeat("D", 32))
			return StrictInsertRefund(truth, row)
		}, "began as"},
		"merges into the one there is": {func(truth *Truth, row RefundRow) error {
			if len(truth.refunds.rows) == 0 {
				return StrictInsertRefund(truth, row)
			}
			first := truth.refunds.rows[0]
			first.Amount += row.Amount
			truth.ReplaceRefund(first)
			return nil
		}, "truth"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLabWith(t, func(c *Config) { c.InsertRefund = tc.insert })
			l.pay(PayOrder{EndToEndID: e2eOf(1), Amount: 1000})
			for _, id := range []string{"A", "B"} {
				l.call("PUT", refundPath(1, id), `{"valor":"1.00"}`)
			}
			if err := l.psp.Check(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want one about %q", err, tc.want)
			}
		})
	}
}

func TestStrictInsertRefundRefusesWhatExists(t *testing.T) {
	t.Parallel()
	truth := newTruth(Room{})
	row := RefundRow{Refund: pix.Refund{ID: "A", ReturnID: "D1", Amount: 1}, EndToEndID: e2eOf(1)}
	if err := StrictInsertRefund(truth, row); err != nil {
		t.Fatal(err)
	}
	same, other, elsewhere := row, row, row
	same.ReturnID, same.Amount = "D2", 2
	other.ID = "B"
	elsewhere.EndToEndID = e2eOf(2)
	for _, again := range []RefundRow{row, same, other, elsewhere} {
		if err := StrictInsertRefund(truth, again); err == nil || len(truth.refunds.rows) != 1 {
			t.Errorf("%+v: got %v with %d rows", again, err, len(truth.refunds.rows))
		}
	}
}

func TestCheckCatchesMoneyThatDisagrees(t *testing.T) {
	t.Parallel()
	change := func(p *PSP, id pix.RefundID, f func(*RefundRow)) {
		row, _ := p.truth.Refund(e2eOf(1), id)
		f(&row)
		p.truth.ReplaceRefund(row)
	}
	line := func(p *PSP, f func(*pix.StatementLine)) {
		i := slices.IndexFunc(p.truth.lines, func(l pix.StatementLine) bool { return l.Kind == pix.KindRefundOut })
		f(&p.truth.lines[i])
	}
	for name, spoil := range map[string]func(p *PSP){
		"a state undone":         func(p *PSP) { change(p, "R1", func(r *RefundRow) { r.Status = pix.RefundFailed }) },
		"a state run ahead":      func(p *PSP) { change(p, "R2", func(r *RefundRow) { r.Status = pix.RefundReturned }) },
		"a time moved":           func(p *PSP) { change(p, "R1", func(r *RefundRow) { r.SettledAt = r.SettledAt.Add(1) }) },
		"balance off":            func(p *PSP) { p.balance++ },
		"reservation off":        func(p *PSP) { p.refunds.reserved-- },
		"block off":              func(p *PSP) { p.cases.blocked++ },
		"block over the balance": func(p *PSP) { p.cases.blocked += p.balance; p.cases.list[0].blocked += p.balance },
		"a case that gave more":  func(p *PSP) { p.cases.list[0].returned++ },
		"begun twice":            func(p *PSP) { p.returns = append(p.returns, p.returns[0]) },
		"ended twice":            func(p *PSP) { p.returns = append(p.returns, p.returns[1]) },
		"an rtrId on two": func(p *PSP) {
			e := p.returns[0]
			e.id = "Z"
			p.returns = append(p.returns, e)
		},
		"never begun": func(p *PSP) {
			p.truth.AppendRefund(RefundRow{Refund: pix.Refund{ID: "Z", ReturnID: "Z", Status: pix.RefundFailed}, EndToEndID: e2eOf(1)})
		},
		"over its Pix": func(p *PSP) {
			row, _ := p.truth.Pix(e2eOf(1))
			row.Amount = 1
			p.truth.ReplacePix(row)
			p.journal[0].cents = 1
		},
		"a line too much": func(p *PSP) {
			p.truth.AppendLine(pix.StatementLine{Kind: pix.KindRefundOut, EndToEndID: e2eOf(1), ID: "Z"})
		},
		"a line twice":      func(p *PSP) { line(p, func(l *pix.StatementLine) { p.truth.AppendLine(*l) }) },
		"a line of a sum":   func(p *PSP) { line(p, func(l *pix.StatementLine) { l.Cents++ }) },
		"a line under ids":  func(p *PSP) { line(p, func(l *pix.StatementLine) { l.ID = "R1" }) },
		"a line of a kind":  func(p *PSP) { line(p, func(l *pix.StatementLine) { l.Kind = pix.KindPixOut }) },
		"a line at an hour": func(p *PSP) { line(p, func(l *pix.StatementLine) { l.SettledAt = l.SettledAt.Add(time.Hour) }) },
	} {
		t.Run(name, func(t *testing.T) {
			l := refundLabWith(t, 2, RefundTerms{}, func(c *Config) { c.InsertRefund = StrictInsertRefund })
			l.refund(1, "R1", "30.00")
			l.psp.cfg.Terms = func(pix.EndToEndID, pix.RefundID) RefundTerms { return RefundTerms{SettleAfter: time.Hour} }
			l.refund(1, "R2", "20.00")
			l.report(disputeOf(2, "50.00", chaos.DisputeAccepted))
			l.check()
			spoil(l.psp)
			if err := l.psp.Check(); err == nil {
				t.Error("Check noticed nothing")
			}
		})
	}
}
