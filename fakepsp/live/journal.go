package live

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
)

// journal counts callbacks and keeps what was acknowledged. The PSP is only
// ever entered under the machine's lock, and so is this.
type journal struct {
	fakepsp.NoObserver
	counts Deliveries
	lines  [][]byte // one acknowledged callback each, as JSON; never changed
}

var _ fakepsp.Observer = (*journal)(nil)

// Sent counts an attempt.
func (j *journal) Sent(*fakepsp.Attempt) { j.counts.Sent++ }

// Refused counts an attempt that another one will follow.
func (j *journal) Refused(chaos.CallbackAddress, fakepsp.Answer, time.Time) { j.counts.Refused++ }

// GivenUp counts a callback that was tried in vain.
func (j *journal) GivenUp(chaos.CallbackAddress, fakepsp.Answer) { j.counts.GivenUp++ }

// Dropped counts a callback that a fault lost.
func (j *journal) Dropped(chaos.CallbackAddress) { j.counts.Dropped++ }

// Lost counts a callback that had no URL to go to.
func (j *journal) Lost(chaos.CallbackAddress) { j.counts.NoWebhook++ }

// Acknowledged keeps what the receiver answers for from now on.
func (j *journal) Acknowledged(at chaos.CallbackAddress, body []byte, when time.Time) {
	j.counts.Acknowledged++
	sum := sha256.Sum256(body)
	ack := Ack{
		Subject: at.Subject, Notice: at.Notice, Copy: at.Copy, Attempt: at.Attempt,
		At: when, SHA256: hex.EncodeToString(sum[:]), Items: []AckItem{},
	}
	if chaos.AboutPayout(at.Notice) {
		ack.readPayouts(body)
	} else {
		ack.readPix(body)
	}
	line, err := json.Marshal(ack)
	if err != nil { // cannot happen: it is texts and numbers
		line = []byte(`{}`)
	}
	j.lines = append(j.lines, append(line, '\n'))
}

// readPix takes over what a callback says.
func (a *Ack) readPix(body []byte) {
	items, err := pix.ParseCallback(body)
	a.Unreadable = err != nil
	for _, it := range items {
		if it.Err != nil {
			a.malformed(it.Raw)
			continue
		}
		item := AckItem{EndToEndID: it.Payment.EndToEndID, TxID: it.Payment.TxID}
		for _, r := range it.Payment.Refunds {
			item.Refunds = append(item.Refunds, AckRefund{ID: r.ID, Status: r.Status})
		}
		a.Items = append(a.Items, item)
	}
}

// readPayouts takes over what a callback about payouts says.
func (a *Ack) readPayouts(body []byte) {
	items, err := pix.ParsePayoutCallback(body)
	a.Unreadable = err != nil
	for _, it := range items {
		if it.Err != nil {
			a.malformed(it.Raw)
			continue
		}
		said := AckPayout{Key: it.Payout.Key, Status: it.Payout.Status}
		for _, r := range it.Payout.Returns {
			said.Returns = append(said.Returns, r.ReturnID)
		}
		a.Payouts = append(a.Payouts, said)
	}
}

func (a *Ack) malformed(raw []byte) {
	a.Malformed++
	a.Bad = append(a.Bad, raw)
}

// deliveries are the counts so far.
func (m *machine) deliveries() (out Deliveries) {
	m.do(func(p *fakepsp.PSP) {
		out = m.journal.counts
		out.OnTheWay = out.Sent - out.Acknowledged - out.Refused - out.GivenUp
		out.Quiet = p.Quiet()
	})
	return out
}

// acknowledged are the lines so far.
func (m *machine) acknowledged() [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.journal.lines
}
