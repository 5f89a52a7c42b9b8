package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// loadKey is the Pix key of the account that a load of our own pays to.
const loadKey pix.PixKey = "carga@loja.example"

// loadPix is one Pix of a load: its charge is known to the receiver and at the
// PSP, and it is paid there.
type loadPix struct {
	e2e   pix.EndToEndID
	txid  pix.TxID
	key   pix.PixKey
	cents pix.Amount
	paid  time.Time
}

func (p loadPix) payment() pix.Payment {
	return pix.Payment{EndToEndID: p.e2e, TxID: p.txid, Amount: p.cents, PixKey: p.key, PaidAt: p.paid}
}

// stockist makes charges and pays them.
type stockist struct {
	store *postgres.Store
	lab   *live.Client // nil where nobody plays the PSP
	key   pix.PixKey
	run   string // tells the ids of this run from those of others
	say   func(format string, args ...any)
}

// stockBatch is how many Pix are made at once.
const stockBatch = 1000

// fill makes n Pix. Ids are scattered, as random ones are: neighbours in time
// are no neighbours in an index.
func (s *stockist) fill(ctx context.Context, n int) ([]loadPix, error) {
	s.run = strings.ToUpper(rand.Text()[:6])
	out := make([]loadPix, n)
	for from := 0; from < n; from += stockBatch {
		s.say("making charges and paying them: %s of %s", grouped(from), grouped(n))
		some := out[from:min(from+stockBatch, n)]
		now, err := s.store.Now(ctx)
		if err != nil {
			return nil, environmentError{"make charges", err}
		}
		for i := range some {
			some[i] = s.draw(from+i, now)
		}
		if err := s.charge(ctx, some, now); err != nil {
			return nil, environmentError{"make charges", err}
		}
		if err := s.pay(ctx, some); err != nil {
			return nil, environmentError{"pay at the PSP", err}
		}
	}
	return out, nil
}

// draw is the nth Pix: the ids are a bijection of n, its digits shuffled.
func (s *stockist) draw(n int, now time.Time) loadPix {
	scattered := strconv.FormatUint(uint64(n)*stockSpread%stockSpace+stockSpace, 36) // 6 digits
	return loadPix{
		e2e:  pix.EndToEndID("E12345678" + now.Format("200601021504") + s.run[:5] + scattered[len(scattered)-6:]),
		txid: pix.TxID("carga" + s.run + scattered + "000000000000000"),
		key:  s.key, cents: pix.Amount(100 + n%99_900), paid: now.Truncate(time.Millisecond),
	}
}

// stockSpace is a prime below 36 to the sixth, and stockSpread prime to it, so
// that multiplying by it moves every number elsewhere.
const (
	stockSpace  = 2_176_782_317
	stockSpread = 1_345_339_019
)

// charge makes the charges known to the receiver, as it knows them once the PSP
// has answered.
func (s *stockist) charge(ctx context.Context, some []loadPix, now time.Time) error {
	in := make([]receiver.NewCharge, len(some))
	for i, p := range some {
		in[i] = receiver.NewCharge{At: now, Charge: receiver.Charge{
			Consumer: "merchant", Reference: string(p.txid), Kind: receiver.ChargeDynamic, TxID: p.txid, PixKey: p.key,
			Due: p.cents, ExpiresIn: 24 * time.Hour, State: receiver.ChargeActive, CreatedAt: p.paid, DueAt: now,
		}}
	}
	outs, err := s.store.CreateCharges(ctx, in)
	if err != nil {
		return err
	}
	for _, o := range outs {
		if !o.Created {
			return fmt.Errorf("charge %s was there already", o.Charge.Reference)
		}
	}
	return nil
}

// payQuiet is how long the PSP keeps its own callbacks back, in milliseconds:
// the load sends them in its place.
const payQuiet = 3_600_000

// pay makes the same charges at the PSP, and pays them there.
func (s *stockist) pay(ctx context.Context, some []loadPix) error {
	if s.lab == nil {
		return nil
	}
	charges, orders := make([]live.ChargeOrder, len(some)), make([]live.PayOrder, len(some))
	for i, p := range some {
		charges[i] = live.ChargeOrder{TxID: p.txid, AmountCents: int64(p.cents), PixKey: p.key, ExpiresInS: 86_400}
		orders[i] = live.PayOrder{EndToEndID: p.e2e, TxID: p.txid, AmountCents: int64(p.cents), NotifyAfterMS: payQuiet}
	}
	if _, err := s.lab.Charge(ctx, charges...); err != nil {
		return err
	}
	paid, err := s.lab.Pay(ctx, orders...)
	if err != nil {
		return err
	}
	for i, p := range paid {
		if p.Void != "" {
			return fmt.Errorf("the Pix %s is void: %s", p.EndToEndID, p.Void)
		}
		some[i].paid = p.SettledAt
	}
	return nil
}
