package fakepsp

import (
	"strings"
	"testing"

	"github.com/pixlab/pixlab/pix"
)

func TestCheckCatchesABrokenTruth(t *testing.T) {
	t.Parallel()
	merge := func(truth *Truth, row SettledPix, line pix.StatementLine) error {
		if old, known := truth.Pix(row.EndToEndID); known {
			old.Amount += row.Amount
			truth.ReplacePix(old)
			return nil
		}
		return StrictInsert(truth, row, line)
	}
	for name, tc := range map[string]struct {
		insert InsertFunc
		times  int
		want   string
	}{
		"merges over an existing Pix": {merge, 2, "truth has"},
		"overwrites silently": {func(truth *Truth, row SettledPix, line pix.StatementLine) error {
			if _, known := truth.Pix(row.EndToEndID); known {
				truth.ReplacePix(row)
				return nil
			}
			return StrictInsert(truth, row, line)
		}, 2, "accepted twice"},
		"takes a Pix twice": {func(truth *Truth, row SettledPix, line pix.StatementLine) error {
			truth.AppendPix(row)
			truth.AppendLine(line)
			return nil
		}, 2, "accepted twice"},
		"writes a line twice": {func(truth *Truth, row SettledPix, line pix.StatementLine) error {
			truth.AppendPix(row)
			truth.AppendLine(line)
			truth.AppendLine(line)
			return nil
		}, 1, "repeats"},
		"loses a line": {func(truth *Truth, row SettledPix, _ pix.StatementLine) error {
			truth.AppendPix(row)
			return nil
		}, 1, "no line"},
		"loses a Pix": {func(truth *Truth, _ SettledPix, line pix.StatementLine) error {
			truth.AppendLine(line)
			return nil
		}, 1, "not in the truth"},
		"writes a line of another amount": {func(truth *Truth, row SettledPix, line pix.StatementLine) error {
			line.Cents++
			return StrictInsert(truth, row, line)
		}, 1, "statement line"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLabWith(t, func(c *Config) { c.Insert = tc.insert })
			for range tc.times {
				l.pay(PayOrder{EndToEndID: e2eOf(1), Amount: 100})
			}
			if err := l.psp.Check(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want one about %q", err, tc.want)
			}
		})
	}
}

func TestStrictInsertRefusesAKnownLine(t *testing.T) {
	t.Parallel()
	truth := newTruth(Room{})
	row := SettledPix{Payment: pix.Payment{EndToEndID: e2eOf(1), Amount: 100, PaidAt: labStart}}
	truth.AppendLine(lineOf(row))
	if err := StrictInsert(truth, row, lineOf(row)); err == nil || len(truth.rows) != 0 {
		t.Errorf("got %v with %d rows", err, len(truth.rows))
	}
}

func TestCheckCatchesAChargeThatDisagrees(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(p *PSP, c *charge){
		"paid and ATIVA":       func(_ *PSP, c *charge) { c.now.Status = pix.ChargeActive },
		"CONCLUIDA and unpaid": func(p *PSP, _ *charge) { p.charges.find(txidOf(2)).now.Status = pix.ChargeCompleted },
		"its Pix forgotten":    func(_ *PSP, c *charge) { c.paid = nil },
		"balance off":          func(p *PSP, _ *charge) { p.balance-- },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLabWith(t, func(c *Config) { c.Insert = StrictInsert })
			l.charge(1, "10.00")
			l.charge(2, "10.00")
			l.pay(order(1, "10.00"))
			if err := l.psp.Check(); err != nil {
				t.Fatal(err)
			}
			spoil(l.psp, l.psp.charges.find(txidOf(1)))
			if err := l.psp.Check(); err == nil {
				t.Error("Check noticed nothing")
			}
		})
	}
}
