package scenarios

import "fmt"

// creditedAtLeastOnce is I2.
type creditedAtLeastOnce struct{}

func (creditedAtLeastOnce) id() string       { return "I2" }
func (creditedAtLeastOnce) sentence() string { return "No Pix is forgotten" }

func (creditedAtLeastOnce) end(f *final) string {
	for _, id := range f.ids {
		if p := f.Pix[id]; p.Truth.Settled && len(p.Money.Credits) == 0 {
			return fmt.Sprintf("Pix %s of %s settled and was never credited", id, p.Truth.Amount.BRL())
		}
	}
	return ""
}
