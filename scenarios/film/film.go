package film

import (
	"time"

	"github.com/pixlab/pixlab/chaos"
)

// Film is one run on one receiver, for a page to play.
type Film struct {
	Format   string    `json:"format"` // "pixlab.film/1"
	Seed     string    `json:"seed"`
	Profile  string    `json:"profile"`
	Receiver string    `json:"receiver"`
	Hash     string    `json:"hash"`
	Verdict  string    `json:"verdict"`
	Start    time.Time `json:"start"` // instant 0
	// Healed is when all faults were off, Rest when nothing was left to do and
	// everything was delivered once more (zero if it never was), End the last
	// instant worth playing.
	Healed chaos.Instant `json:"healed"`
	Rest   chaos.Instant `json:"rest,omitempty"`
	End    chaos.Instant `json:"end"`

	Instances  int         `json:"instances"`
	Events     []Event     `json:"events"`
	Pix        []Pix       `json:"pix"`
	Callbacks  []Callback  `json:"callbacks"`
	Lines      []Line      `json:"lines"`
	Postings   []Posting   `json:"postings"`
	Wrongs     []Wrong     `json:"wrongs"`
	Outages    []Outage    `json:"outages"`
	Inbox      []InboxStep `json:"inbox"`
	Cases      []CaseStep  `json:"cases"`
	Acts       []Act       `json:"acts,omitempty"`
	Invariants []Invariant `json:"invariants"`
	Pending    []string    `json:"pending,omitempty"`
	// Story tells how the first wrong money came about; empty while all holds.
	Story []Step `json:"story"`
	// Return is the last instant from which healing would have saved the run;
	// nil if nobody looked for it.
	Return *Point `json:"return,omitempty"`
}

// Format names the layout of a film.
const Format = "pixlab.film/1"

// Event is one event of the trace.
type Event struct {
	N       int64         `json:"n"`
	T       chaos.Instant `json:"t"`
	Actor   string        `json:"a,omitempty"`
	Kind    string        `json:"k,omitempty"`
	Detail  string        `json:"d,omitempty"`
	Subject string        `json:"s,omitempty"`
	// Hash is the first 8 digits of the trace's hash up to here.
	Hash string `json:"h"`
}

// Slim drops what no page shows of events: only their numbers, instants and
// hashes are left.
func (f *Film) Slim() *Film {
	for i, e := range f.Events {
		f.Events[i] = Event{N: e.N, T: e.T, Hash: e.Hash}
	}
	return f
}

// Pix is one payment that the run speaks of, true or invented.
type Pix struct {
	EndToEndID string `json:"e2e"`
	Subject    string `json:"subject,omitempty"` // of the plan; empty on an invented one
	TxID       string `json:"txid,omitempty"`
	Cents      int64  `json:"cents"`
	Charge     string `json:"charge,omitempty"` // the merchant's reference
}

// Fate is what became of a callback on its way.
type Fate string

// The fates. A page draws each family alike: once more (copy, retry, resend,
// replay of an acknowledgement that got lost), when (late, overtaken), never
// (lost, no answer), lie (forged, replay, altered, phantom, false refund).
const (
	OnTime      Fate = "ok"
	Copy        Fate = "copy"
	Retry       Fate = "retry"
	Resend      Fate = "resend"
	AckLost     Fate = "ack_lost"
	Late        Fate = "late"
	Overtaken   Fate = "overtaken"
	Lost        Fate = "lost"
	NoAnswer    Fate = "no_answer"
	Forged      Fate = "forged"
	Replay      Fate = "replay"
	Altered     Fate = "altered"
	Phantom     Fate = "phantom"
	FalseRefund Fate = "false_refund"
)

// Callback is one HTTP attempt of one callback.
type Callback struct {
	ID         string `json:"id"` // "p3/credit/0/1": subject, notice, copy, attempt
	EndToEndID string `json:"e2e"`
	Fate       Fate   `json:"fate"`
	// Cents is what it speaks of: negative on a refund.
	Cents int64         `json:"cents"`
	Leave chaos.Instant `json:"leave"`
	// Arrive is when it reached an instance, or was lost; Instance is 0 if it
	// reached none.
	Arrive   chaos.Instant `json:"arrive"`
	Instance int           `json:"instance"`
	// Stored is when the inbox took it, 0 if it never did; Result says as what:
	// new, known, enriched, variant, revived.
	Stored   chaos.Instant `json:"stored,omitempty"`
	Result   string        `json:"result,omitempty"`
	Answered chaos.Instant `json:"answered,omitempty"`
	Status   int           `json:"status,omitempty"`
	// Booked is when what it brought reached the ledger, 0 if it moved nothing.
	Booked chaos.Instant `json:"booked,omitempty"`
}

// Line is one line of the account statement, and what the ledger made of it.
type Line struct {
	Key        string        `json:"key"`
	EndToEndID string        `json:"e2e"`
	Kind       string        `json:"kind"`
	Cents      int64         `json:"cents"` // signed
	T          chaos.Instant `json:"t"`
	// Settled is when the ledger agreed with it for good; until then it was on
	// its way. It is never on a line that stays wrong.
	Settled chaos.Instant `json:"settled,omitempty"`
}

// Posting is one transaction of the ledger.
type Posting struct {
	N         int64            `json:"n"`
	T         chaos.Instant    `json:"t"`
	Reference string           `json:"ref"`
	Instance  int              `json:"instance"`
	Actor     string           `json:"a"`
	Key       string           `json:"key,omitempty"` // the statement's line it answers to
	E2E       string           `json:"e2e,omitempty"`
	Cents     int64            `json:"cents"` // on the settlement account
	Accounts  map[string]int64 `json:"acc"`
}

// Wrong is a change of what is wrong in the ledger.
type Wrong struct {
	T          chaos.Instant `json:"t"`
	Invariant  string        `json:"inv"`
	Cents      int64         `json:"cents"` // positive: the ledger holds too much
	Key        string        `json:"key"`
	EndToEndID string        `json:"e2e"`
}

// Outage is a stretch in which something was down.
type Outage struct {
	Place    string        `json:"place"` // "instance", "store", "psp", "endpoint"
	Instance int           `json:"instance,omitempty"`
	From     chaos.Instant `json:"from"`
	To       chaos.Instant `json:"to"`
}

// InboxStep is an inbox event's new state.
type InboxStep struct {
	T          chaos.Instant `json:"t"`
	ID         int64         `json:"id"`
	Key        string        `json:"key"`
	EndToEndID string        `json:"e2e,omitempty"`
	State      string        `json:"state"`
	Quarantine string        `json:"quarantine,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	Attempts   int           `json:"attempts,omitempty"`
}

// CaseStep is a case's new state. Account is where its money waits, empty where
// it holds none.
type CaseStep struct {
	T          chaos.Instant `json:"t"`
	ID         string        `json:"id"`
	EndToEndID string        `json:"e2e,omitempty"`
	Account    string        `json:"account,omitempty"`
	Reason     string        `json:"reason"`
	State      string        `json:"state"`
	Cents      int64         `json:"cents"`
}

// Act is what the plan's operator did. Done is false where there was nothing to do.
type Act struct {
	T    chaos.Instant `json:"t"`
	Do   string        `json:"do"` // requeue, drop or close
	Key  string        `json:"key"`
	Done bool          `json:"done"`
}

// Invariant is the verdict on one invariant.
type Invariant struct {
	ID     string        `json:"id"`
	Held   bool          `json:"held"`
	Detail string        `json:"detail,omitempty"`
	N      int64         `json:"n,omitempty"`
	T      chaos.Instant `json:"t,omitempty"`
}

// Step is one step of the story. Kind names the sentence; the page has the words.
type Step struct {
	T        chaos.Instant `json:"t"`
	N        int64         `json:"n"`
	Kind     string        `json:"k"`
	Lane     string        `json:"lane"` // "psp", "ledger", or an instance's number
	Instance int           `json:"instance,omitempty"`
	Cents    int64         `json:"cents,omitempty"`
	Bad      bool          `json:"bad,omitempty"`
}

// Point is an instant and the event that stands there.
type Point struct {
	N int64         `json:"n"`
	T chaos.Instant `json:"t"`
}
