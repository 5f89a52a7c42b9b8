package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// ackedIsStored is I5: whoever answers 2xx answers for it.
type ackedIsStored struct{}

func (ackedIsStored) id() string       { return "I5" }
func (ackedIsStored) sentence() string { return "What was acknowledged is in the inbox" }

func (ackedIsStored) ack(v *View, items []pix.CallbackItem) string {
	for _, it := range items {
		key := receiver.CreditKey(it.Payment.EndToEndID)
		if it.Err != nil {
			sum := sha256.Sum256(it.Raw)
			key = "invalid:" + hex.EncodeToString(sum[:])
		}
		if v.ByKey[inboxSource+"\x00"+key] == nil {
			return fmt.Sprintf("%s was acknowledged and is not in the inbox", key)
		}
	}
	return ""
}
