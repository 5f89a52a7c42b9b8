package receiver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// servePayoutCallback is the PSP's way in for news of payouts, by the rules of
// [Receiver.serveCallback].
func (r *Receiver) servePayoutCallback(w http.ResponseWriter, req *http.Request) {
	r.takeCallback(w, req, func(body []byte, now time.Time) (int, []InboxItem, error) {
		items, err := pix.ParsePayoutCallback(body)
		if err != nil || len(items) > r.cfg.MaxItems {
			return len(items), nil, err
		}
		return len(items), r.payoutItems(items, ChannelCallback, now), nil
	})
}

// payoutItems are the inbox items of what came about payouts: the state of each
// is one, and so is each of its returns.
func (r *Receiver) payoutItems(items []pix.PayoutItem, ch Channel, now time.Time) []InboxItem {
	out := make([]InboxItem, 0, len(items))
	for _, it := range items {
		in := InboxItem{Source: r.cfg.Source, Channel: ch, Confirmed: ch != ChannelCallback, Raw: it.Raw, ReceivedAt: now}
		if it.Err != nil {
			sum := sha256.Sum256(it.Raw)
			in.Key, in.Invalid = "invalid:"+hex.EncodeToString(sum[:]), it.Err.Error()
			out = append(out, in)
			continue
		}
		for _, c := range payoutContents(it.Payout) {
			in.Key, in.Payout = c.InboxKey(), &c
			out = append(out, in)
		}
	}
	return out
}

// payoutContents are what a payout object of the API says: its state, and its
// returns.
func payoutContents(p pix.Payout) []PayoutContent {
	state := PayoutContent{Key: p.Key, EndToEndID: p.EndToEndID, PixKey: p.PixKey, Amount: p.Amount, Status: p.Status}
	out := []PayoutContent{state}
	for _, back := range p.Returns {
		c := state
		c.Status, c.Amount, c.ReturnID = "", back.Amount, back.ReturnID
		out = append(out, c)
	}
	return out
}

// confirmedPayoutItems are the inbox items of a payout that the PSP's API told us of.
func (r *Receiver) confirmedPayoutItems(p pix.Payout, ch Channel) []InboxItem {
	raw, err := json.Marshal(p)
	if err != nil {
		raw = nil // the amount and ids are in the content; the bytes are for people
	}
	return r.payoutItems([]pix.PayoutItem{{Raw: raw, Payout: p}}, ch, r.cfg.Clock.Now())
}
