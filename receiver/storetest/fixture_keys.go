package storetest

import (
	"bytes"
	"fmt"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// How long keys are held and answers kept.
const (
	keyWindow = time.Minute
	keyTTL    = 24 * time.Hour
)

// keyClaim claims key n of the route of charges, for a body.
func (f *fixture) keyClaim(n int, body string) receiver.KeyClaim {
	return receiver.KeyClaim{
		Ref:  receiver.KeyRef{Consumer: consumer, Route: receiver.RouteCharges, Key: fmt.Sprintf("key-%02d", n)},
		Hash: receiver.HashBody([]byte(body)), Window: keyWindow, TTL: keyTTL,
	}
}

// keyedCharge is the intention to charge for order n under a key; the order
// stands for the body.
func (f *fixture) keyedCharge(n, key int) receiver.NewCharge {
	c, claim := f.newCharge(n, 1000), f.keyClaim(key, ref(n))
	c.Key = &claim
	return c
}

// keyedRefund is the intention to refund under a key.
func (f *fixture) keyedRefund(n, p, key int) receiver.NewRefund {
	x, claim := f.newRefund(n, p, 100), f.keyClaim(key, refundRef(n).Reference)
	claim.Ref.Route = receiver.RouteRefunds
	x.Key = &claim
	return x
}

// claimed asks for order n under a key and wants that fate.
func (f *fixture) claimedCharge(n, key int, want receiver.KeyResult) receiver.CreateOutcome {
	f.Helper()
	out := f.create(f.keyedCharge(n, key))[0]
	equal(f, "key", out.Key.Result, want)
	return out
}

// claimedRefund is the same for refund n of Pix p.
func (f *fixture) claimedRefund(n, p, key int, want receiver.KeyResult) receiver.ReserveOutcome {
	f.Helper()
	out := f.reserve(f.keyedRefund(n, p, key))[0]
	equal(f, "key", out.Key.Result, want)
	return out
}

// claimedPayout is the same for payout n of cents.
func (f *fixture) claimedPayout(n int, cents pix.Amount, key int, want receiver.KeyResult) receiver.ReservePayoutOutcome {
	f.Helper()
	in := f.newPayout(n, cents)
	claim := f.keyClaim(key, fmt.Sprint("payout ", n))
	claim.Ref.Route = receiver.RoutePayouts
	in.Key = &claim
	out := f.reservePayouts(in)[0]
	equal(f, "key", out.Key.Result, want)
	return out
}

// hold is the word of a request that works under a key of the charges.
func (f *fixture) hold(key int, version int64) receiver.KeyHold {
	return receiver.KeyHold{Ref: f.keyClaim(key, "").Ref, Version: version, At: f.now()}
}

// finished records that order n is active, for the request that holds a key.
func (f *fixture) finished(n, key int, version int64, want receiver.KeyResult) receiver.CallOutcome {
	f.Helper()
	hold := f.hold(key, version)
	out := f.recordCalls(receiver.ChargeCall{
		Ref: refOf(n), State: receiver.ChargeActive, CreatedAt: f.now(), BRCode: fmt.Sprint("br of ", key, "/", version), Key: &hold,
	})[0]
	equal(f, "key", out.Key.Result, want)
	return out
}

func (f *fixture) release(in ...receiver.KeyHold) []bool {
	f.Helper()
	out, err := f.store.ReleaseKeys(f.ctx(), in)
	return must(f, out, err)
}

func (f *fixture) findKeys(in ...receiver.KeyRef) []*receiver.Key {
	f.Helper()
	out, err := f.store.FindKeys(f.ctx(), in)
	return must(f, out, err)
}

// purged throws away answers not touched for the time that they are kept.
func (f *fixture) purged(want int) {
	f.Helper()
	n, err := f.store.PurgeKeys(f.ctx(), receiver.KeyPurge{Before: f.now().Add(-keyTTL), Now: f.now(), Limit: 9})
	equal(f, "purged", must(f, n, err), want)
}

// keyIs wants a key to be in a state; "" that there is none.
func (f *fixture) keyIs(ref receiver.KeyRef, want receiver.KeyState) {
	f.Helper()
	state := receiver.KeyState("")
	if k := f.findKeys(ref)[0]; k != nil {
		state = k.State
	}
	equal(f, "key "+ref.Key, state, want)
}

// sameAnswer wants two answers to agree in every byte.
func sameAnswer(f *fixture, got, want receiver.Answer) {
	f.Helper()
	if got.Status != want.Status || got.ContentType != want.ContentType || !bytes.Equal(got.Body, want.Body) || got.Status == 0 {
		f.Errorf("answer: got %d %s %s, want %d %s %s", got.Status, got.ContentType, got.Body, want.Status, want.ContentType, want.Body)
	}
}
