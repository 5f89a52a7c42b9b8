package scenarios

import "fmt"

// creditedAtLeastOnce is I2.
type creditedAtLeastOnce struct{}

func (creditedAtLeastOnce) id() string       { return "I2" }
func (creditedAtLeastOnce) sentence() string { return "No Pix is forgotten" }

func (creditedAtLeastOnce) end(f *final) string {
	for _, id := range sorted(f.Truth) {
		if m := f.Money[id]; m == nil || len(m.Credits) == 0 {
			return fmt.Sprintf("Pix %s of %s settled and was never credited", id, f.Truth[id].Amount.BRL())
		}
	}
	return ""
}
