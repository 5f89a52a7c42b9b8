package broken

import (
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/scenarios"
)

// PSP is a fake PSP that contradicts itself in one known way; its own check
// has to notice.
type PSP struct {
	Name string
	Doc  string
	// Options run a plan on it.
	Options scenarios.Options
}

// PSPs lists the broken PSPs.
func PSPs() []PSP {
	return []PSP{
		{
			Name:    "psp-overwrites",
			Doc:     "merges over a Pix that exists instead of refusing it, as when a plan is applied twice",
			Options: scenarios.Options{ApplyTwice: true, Insert: overwrite},
		},
		{
			Name:    "psp-doubles-line",
			Doc:     "writes the statement line of every Pix over R$ 100,00 twice",
			Options: scenarios.Options{Insert: doubleLine},
		},
	}
}

func overwrite(t *fakepsp.Truth, row fakepsp.SettledPix, line pix.StatementLine) error {
	if _, exists := t.Pix(row.EndToEndID); exists {
		t.ReplacePix(row)
		return nil
	}
	return fakepsp.StrictInsert(t, row, line)
}

func doubleLine(t *fakepsp.Truth, row fakepsp.SettledPix, line pix.StatementLine) error {
	if err := fakepsp.StrictInsert(t, row, line); err != nil {
		return err
	}
	if row.Amount > 100_00 {
		t.AppendLine(line)
	}
	return nil
}
