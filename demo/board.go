package demo

import (
	"slices"
	"sync"
)

// Reading is what a live stage was like at one instant. Whatever the load, one
// is as long as another, and there are no more of them than the clock makes: a
// page that shows them has no more to do at 2,000 callbacks a second than at ten.
type Reading struct {
	N  int64 `json:"n"`  // counts readings from 1
	MS int64 `json:"ms"` // since the stage was opened

	Load
	Books
	// AckRate and CreditRate are a second's; the percentiles are of callbacks
	// acknowledged in the last seconds, nil where there were none.
	AckRate    float64  `json:"ackRate"`
	CreditRate float64  `json:"creditRate"`
	AckP50     *float64 `json:"ackP50"` // in milliseconds
	AckP99     *float64 `json:"ackP99"`
	// Lag is how long the inbox's oldest due event has waited, in seconds, and
	// Depth how many have not ended; nil where no receiver could tell.
	Lag   *float64 `json:"lag"`
	Depth *int64   `json:"depth"`

	Receivers []Receiver  `json:"receivers"`
	Database  bool        `json:"database"` // nobody has stopped it
	Said      []Happening `json:"said,omitempty"`
}

// Load is what the payers and the PSP have done.
type Load struct {
	On     bool `json:"on"`
	Rate   int  `json:"rate"`   // Pix a second, as ordered
	Copies int  `json:"copies"` // of a hundred callbacks, sent twice

	Paid        int64 `json:"paid"` // Pix settled
	PaidCents   int64 `json:"paidCents"`
	Sent        int64 `json:"sent"` // callbacks, copies and repetitions included
	Doubled     int64 `json:"doubled"`
	Refused     int64 `json:"refused"`     // attempts without a 2xx
	Acked       int64 `json:"acked"`       // attempts with one
	Distinct    int64 `json:"distinct"`    // Pix acknowledged
	Outstanding int64 `json:"outstanding"` // Pix whose callback is still to be acknowledged
}

// Books are what the receivers made of it, read beside them.
type Books struct {
	// Read says whether the database answered; if not, the rest is from before.
	Read        bool  `json:"read"`
	Entries     int64 `json:"entries"` // credits in the ledger
	Credited    int64 `json:"credited"`
	LedgerCents int64 `json:"ledgerCents"`
	// OnWay is settled and not in the ledger; TwiceCents and InventedCents are in
	// the ledger and nowhere else.
	OnWay         int64 `json:"onWay"`
	OnWayCents    int64 `json:"onWayCents"`
	TwiceCents    int64 `json:"twiceCents"`
	InventedCents int64 `json:"inventedCents"`
	// Unkept counts Pix that were acknowledged and are in no inbox.
	Unkept int64 `json:"unkept"`
}

// Receiver is one process.
type Receiver struct {
	Up    bool `json:"up"`
	PID   int  `json:"pid"`
	Lives int  `json:"lives"`
}

// Happening is something worth a sentence. Word names it; the page has the words.
type Happening struct {
	MS    int64  `json:"ms"`
	Word  string `json:"word"`
	Value string `json:"value,omitempty"`
	Bad   bool   `json:"bad,omitempty"`
}

// Board keeps the last readings, for pages that come and come back. It is safe
// for concurrent use.
type Board struct {
	mu      sync.Mutex
	kept    []Reading
	n       int64
	said    []Happening // since the last reading
	changed chan struct{}
}

// mostKept is how many readings are kept: two minutes of two a second.
const mostKept = 240

// mostSaid bounds the happenings of one reading; more of them nobody reads.
const mostSaid = 8

// NewBoard is an empty one.
func NewBoard() *Board { return &Board{changed: make(chan struct{})} }

// Say has the next reading tell of something.
func (b *Board) Say(h Happening) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.said) == mostSaid {
		b.said = slices.Delete(b.said, 0, 1)
	}
	b.said = append(b.said, h)
}

// Add puts a reading up.
func (b *Board) Add(r Reading) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	r.N, r.Said, b.said = b.n, b.said, nil
	if len(b.kept) == mostKept {
		b.kept = slices.Delete(b.kept, 0, 1)
	}
	b.kept = append(b.kept, r)
	close(b.changed)
	b.changed = make(chan struct{})
}

// Since are the readings after the nth that are still there, and a channel that
// is closed at the next one.
func (b *Board) Since(n int64) ([]Reading, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.kept, func(r Reading) bool { return r.N > n })
	if i < 0 {
		return nil, b.changed
	}
	return slices.Clone(b.kept[i:]), b.changed
}
