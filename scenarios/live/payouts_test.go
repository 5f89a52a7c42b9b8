package live

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

// payoutInstants are where a receiver is killed while it pays. The first two are
// the worst: nobody knows whether the call was made, or what came of it.
func payoutInstants() []instant {
	return []instant{
		{"between reserve and call", [][2]string{{chaos.CommandLeasePayouts, chaos.EdgeAfter}, {chaos.CommandReservePayouts, chaos.EdgeAfter}}},
		{"between call and store", [][2]string{{chaos.CommandRecordPayouts, chaos.EdgeBefore}}},
		{"before reserve, after store, or whenever it is", nil},
	}
}

// TestKillsDuringPayoutsDebitNothingTwice kills receivers while they pay, by turns
// at each of the instants: every payout asked for went out, once, and none is lost.
// PIXLAB_PAYOUT_KILLS says how often.
func TestKillsDuringPayoutsDebitNothingTwice(t *testing.T) {
	t.Parallel()
	all := payoutInstants()
	s := newSniper(all)
	h := usual()
	h.more = []string{"--ask-every", "1s"}
	l := newLab(t, h, s, false)
	l.fund(1 + count(t, "PIXLAB_PAYOUT_KILLS", 6)/2)
	stop := l.paying()
	done := map[string]int{}
	for k := range count(t, "PIXLAB_PAYOUT_KILLS", 6) {
		at := all[k%len(all)]
		l.shoot(s, at, k)
		done[at.name]++
	}
	asked := stop()
	l.judged()
	l.debitedOnce(asked)
	for _, at := range all {
		t.Logf("%d kills %s", done[at.name], at.name)
	}
	t.Logf("%d payouts", len(asked))
}

// fund has n Pix of 100.00 paid, and waits until they may be spent.
func (l *lab) fund(n int) {
	l.t.Helper()
	l.pay(n, 1)
	l.until("the money is confirmed", func() bool {
		confirmed := 0
		for _, p := range l.rows().Payments {
			if p.After.Confirmed {
				confirmed++
			}
		}
		return confirmed == n
	})
}

// payers are how many merchants ask for payouts side by side.
const payers = 4

// paying has payouts asked for as long as it goes on; the end says which, by
// reference.
func (l *lab) paying() (stop func() map[string]pix.Amount) {
	ctx, cancel := context.WithCancel(l.t.Context())
	var asking sync.WaitGroup
	asked := make([]map[string]pix.Amount, payers)
	for i := range asked {
		asked[i] = map[string]pix.Amount{}
		asking.Go(func() {
			for n := i; sleep(ctx, 20*time.Millisecond); n += payers {
				reference, amount := fmt.Sprintf("pay-%d", n), pix.Amount(1+n%9)
				asked[i][reference] = amount
				if !l.askToPay(reference, amount) {
					return
				}
			}
		})
	}
	return func() map[string]pix.Amount {
		cancel()
		asking.Wait()
		all := map[string]pix.Amount{}
		for _, some := range asked {
			maps.Copy(all, some)
		}
		return all
	}
}

// askToPay asks for one payout, under its key until it is accepted.
func (l *lab) askToPay(reference string, amount pix.Amount) bool {
	body := map[string]any{"reference": reference, "pix_key": "fornecedor@pagamentos.example", "amount": amount}
	for {
		status, text := l.call(l.house.frontURL, http.MethodPost, "/payouts", body)
		switch {
		case status == http.StatusAccepted:
			return true
		case status != 0 && status < 500:
			l.t.Errorf("payout %s: %d %s", reference, status, text)
			return false
		}
		time.Sleep(5 * time.Millisecond) // whoever it was is dead, or dies
	}
}

// debitedOnce wants one confirmed payout and one debit for each that was asked for.
func (l *lab) debitedOnce(asked map[string]pix.Amount) {
	l.t.Helper()
	debits := map[pix.EndToEndID][]pix.Amount{}
	for _, line := range must(l.psp.Statement(l.t.Context()))(l.t) {
		if line.Kind == pix.KindPixOut {
			debits[line.EndToEndID] = append(debits[line.EndToEndID], pix.Amount(line.Cents))
		}
	}
	rows := l.rows().Payouts
	if len(rows) != len(asked) || len(debits) != len(asked) {
		l.t.Errorf("%d payouts asked for, %d kept, %d debits", len(asked), len(rows), len(debits))
	}
	for _, c := range rows {
		x := c.After
		if got := debits[x.EndToEndID]; len(got) != 1 || got[0] != asked[x.Reference] || x.Amount != got[0] {
			l.t.Errorf("payout %s is %s: asked for %s, debited %v", x.Reference, x.State, asked[x.Reference], got)
		}
	}
}
