package fakepsp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// Config is everything a [PSP] is told at its birth. Only PixKeys, Now, Retry
// and Secret have no default.
//
// Now, Subject, the terms, NewID and the inserts are called with the PSP's lock
// held, so they must be quick and must not call the PSP. Observe and Sleep are
// called without it.
type Config struct {
	// ISPB is the institution's number in the arrangement; default "99999008".
	ISPB string
	// PixKeys are the DICT keys of the one account that this PSP keeps.
	PixKeys []pix.PixKey
	// MerchantName and MerchantCity stand in the BR Codes of charges;
	// default "LOJA PIXLAB" and "SAO PAULO".
	MerchantName, MerchantCity string

	// Now is the clock. It never goes back.
	Now func() time.Time
	// Start is the instant zero of the plan; fault windows count from it.
	Start time.Time

	// Retry says when a callback that was not acknowledged is tried again.
	Retry chaos.RetryTable
	// CallbackTimeout is how long an attempt waits for its answer; default 10 s.
	CallbackTimeout time.Duration
	// StatementLag is how long a settled Pix stays out of GET /v2/pix and
	// GET /extrato; GET /v2/pix/{e2eid} knows it at once.
	StatementLag time.Duration
	// OversizeBytes is the least length of a body bent by
	// [chaos.ShapeOversized]; default 1 MiB and one byte.
	OversizeBytes int
	// Secret signs callbacks.
	Secret pix.Secret

	// Faults are what goes wrong; nil is a PSP that conforms.
	Faults *chaos.Faults
	// Tally counts the faults that showed on the wire; nil counts none.
	Tally *chaos.Tally
	// Subject names the plan's subject ("c17", "p17") that a txid or an
	// endToEndId stands for, "" if none. It is how calls of the API find their
	// faults; nil finds none.
	Subject func(id string) string

	// Clients are who may ask for a token at POST /oauth/token. Without any, the
	// API is open to everybody and that route is not offered.
	Clients []Client
	// TokenTTL is how long a token is good for; default an hour.
	TokenTTL time.Duration

	// RefundRepeat is how a refund's id that is used again with the same body is
	// answered; default [RefundRepeatSame].
	RefundRepeat string
	// Terms says what the plan wants of a refund that is asked for through the
	// API. Nil settles each in the answer itself, with its callback due a second
	// later.
	Terms func(of pix.EndToEndID, id pix.RefundID) RefundTerms
	// NewID makes n characters of [a-zA-Z0-9] that depend on the kind and the
	// key: for rtrIds, ids of MED returns, tokens. Nil derives them by SHA-256.
	NewID func(kind, key string, n int) string

	// Room is how much is expected to happen, so that books need not grow; zero
	// is nothing. It bounds nothing.
	Room Room

	// Observe is told of what happens; nil is told nothing.
	Observe Observer
	// Sleep holds an answer back in live use ([PSP.ServeHTTP] alone calls it).
	Sleep func(ctx context.Context, d time.Duration) error
	// Insert adds a settled Pix to the truth; default [StrictInsert]. A test
	// of the PSP's own check puts a broken one here. InsertRefund is the same for
	// a refund; default [StrictInsertRefund].
	Insert       InsertFunc
	InsertRefund InsertRefundFunc

	// PayoutTerms says what the plan wants of a payout, by its Idempotency-Key.
	// Nil settles each in the answer itself, with its callback due a second later.
	PayoutTerms func(key string) PayoutTerms
	// PayoutIDs says when the endToEndId of a payout is known; default
	// [PayoutIDsAssigned].
	PayoutIDs string
	// PayoutKeyTTL is how long an Idempotency-Key is remembered, from its first
	// payout on; default 24 h. Afterwards the same key is another payout.
	PayoutKeyTTL time.Duration
	// InsertPayout adds a payout to the truth; default [StrictInsertPayout].
	InsertPayout InsertPayoutFunc
}

// Room is a number of Pix, refunds and payouts.
type Room struct{ Pix, Refunds, Payouts int }

// PSP is the fake institution: a state machine that never sleeps and never
// dials. Whoever drives it feeds it calls ([PSP.Handle]) and payments
// ([PSP.Pay]), carries its callbacks ([PSP.Take], [PSP.Done]) and moves its
// clock. Its methods may be called from several goroutines.
type PSP struct {
	cfg Config

	mu      sync.Mutex
	faults  *chaos.Faults // nil after Heal
	lag     time.Duration // zero after Heal
	truth   *Truth
	journal []effect
	returns []refundEffect
	balance pix.Amount

	payouts  payoutBook
	sent     []payoutEffect
	cameBack []returnEffect
	version  uint64
	charges  chargeBook
	refunds  refundBook
	cases    caseBook
	agenda   agenda
	tokens   tokenBook
	hooks    webhooks
	courier  courier
	calls    map[callKey]int
	news     []news
}

// New makes a PSP with no charge, no Pix and no webhook.
func New(cfg Config) (*PSP, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	return &PSP{
		cfg:     cfg,
		faults:  cfg.Faults,
		lag:     cfg.StatementLag,
		truth:   newTruth(cfg.Room),
		journal: make([]effect, 0, cfg.Room.Pix),
		returns: make([]refundEffect, 0, 2*cfg.Room.Refunds),
		sent:    make([]payoutEffect, 0, 2*cfg.Room.Payouts),
		charges: newChargeBook(cfg.Room),
		hooks:   newWebhooks(),
		courier: newCourier(),
		calls:   map[callKey]int{},
	}, nil
}

func (c Config) withDefaults() Config {
	if c.ISPB == "" {
		c.ISPB = "99999008"
	}
	if c.MerchantName == "" {
		c.MerchantName = "LOJA PIXLAB"
	}
	if c.MerchantCity == "" {
		c.MerchantCity = "SAO PAULO"
	}
	if c.CallbackTimeout == 0 {
		c.CallbackTimeout = 10 * time.Second
	}
	if c.OversizeBytes == 0 {
		c.OversizeBytes = 1<<20 + 1
	}
	if c.Subject == nil {
		c.Subject = func(string) string { return "" }
	}
	if c.Insert == nil {
		c.Insert = StrictInsert
	}
	if c.InsertRefund == nil {
		c.InsertRefund = StrictInsertRefund
	}
	if c.RefundRepeat == "" {
		c.RefundRepeat = RefundRepeatSame
	}
	if c.Terms == nil {
		c.Terms = func(pix.EndToEndID, pix.RefundID) RefundTerms { return RefundTerms{NotifyAfter: time.Second} }
	}
	if c.NewID == nil {
		c.NewID = derivedID
	}
	if c.TokenTTL == 0 {
		c.TokenTTL = time.Hour
	}
	return c.withPayoutDefaults()
}

func (c Config) withPayoutDefaults() Config {
	if c.PayoutTerms == nil {
		c.PayoutTerms = func(string) PayoutTerms { return PayoutTerms{NotifyAfter: time.Second} }
	}
	if c.PayoutIDs == "" {
		c.PayoutIDs = PayoutIDsAssigned
	}
	if c.PayoutKeyTTL == 0 {
		c.PayoutKeyTTL = 24 * time.Hour
	}
	if c.InsertPayout == nil {
		c.InsertPayout = StrictInsertPayout
	}
	return c
}

func (c Config) validate() error {
	if len(c.PixKeys) == 0 {
		return errors.New("fakepsp config: PixKeys: want at least one key")
	}
	for _, key := range c.PixKeys {
		if _, err := pix.ParsePixKey(string(key)); err != nil {
			return fmt.Errorf("fakepsp config: PixKeys: %w", err)
		}
	}
	if _, err := pix.NewReturnID(c.ISPB, c.Start, "00000000000"); err != nil {
		return fmt.Errorf("fakepsp config: ISPB: %w", err)
	}
	if c.Now == nil {
		return errors.New("fakepsp config: Now: want a clock")
	}
	if len(c.Secret.Key) == 0 {
		return errors.New("fakepsp config: Secret: want a key")
	}
	if c.CallbackTimeout < 0 || c.StatementLag < 0 || c.OversizeBytes < 0 || c.TokenTTL < 0 {
		return errors.New("fakepsp config: CallbackTimeout, StatementLag, OversizeBytes and TokenTTL: want no negative one")
	}
	switch c.RefundRepeat {
	case RefundRepeatSame, RefundRepeatRefused, RefundRepeatConflict:
	default:
		return fmt.Errorf(`fakepsp config: RefundRepeat %q: want "same", "400" or "409"`, c.RefundRepeat)
	}
	if c.PayoutIDs != PayoutIDsAssigned && c.PayoutIDs != PayoutIDsLookup {
		return fmt.Errorf(`fakepsp config: PayoutIDs %q: want "assigned" or "lookup"`, c.PayoutIDs)
	}
	if c.PayoutKeyTTL < 0 {
		return errors.New("fakepsp config: PayoutKeyTTL: want no negative one")
	}
	return validClients(c.Clients)
}

// Heal ends all faults: lags are zero, copies and extra notices that were not
// sent yet are forgotten, held-back callbacks go out when they would have gone
// without the fault. What was dropped stays dropped, and a token that a fault
// ended stays ended. Refunds and cases go on as their terms have it.
func (p *PSP) Heal() {
	p.mu.Lock()
	defer p.unlock()
	now := p.present()
	p.hooks.forget(p, now)
	p.tokens.revoke(p, now)
	p.healCourier(now)
	p.faults, p.lag = nil, 0
}

// instant is the plan's time of a clock reading.
func (p *PSP) instant(at time.Time) chaos.Instant { return chaos.Span(at.Sub(p.cfg.Start)) }

// fire counts deviations that showed on the wire.
func (p *PSP) fire(from []int) {
	if p.cfg.Tally != nil && len(from) > 0 {
		p.cfg.Tally.Fire(from)
	}
}

// ours tells whether key belongs to the account.
func (p *PSP) ours(key pix.PixKey) bool {
	for _, k := range p.cfg.PixKeys {
		if k == key {
			return true
		}
	}
	return false
}
