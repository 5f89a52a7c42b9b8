package scenarios

import (
	"fmt"

	"github.com/pixlab/pixlab/pix"
)

// netIsStatement is I4.
type netIsStatement struct{}

func (netIsStatement) id() string { return "I4" }
func (netIsStatement) sentence() string {
	return "Every Pix has in the ledger what it has in the statement"
}

func (netIsStatement) end(f *final) string {
	want := map[pix.EndToEndID]pix.Amount{}
	for _, l := range f.statement {
		want[l.EndToEndID] += pix.Amount(l.Signed())
	}
	for id := range f.Pix {
		if _, ok := want[id]; !ok {
			want[id] = 0
		}
	}
	for _, id := range sorted(want) {
		if got := f.at(id).Money.Net; got != want[id] {
			return fmt.Sprintf("Pix %s: %s in the ledger, %s in the statement", id, got.BRL(), want[id].BRL())
		}
	}
	return ""
}
