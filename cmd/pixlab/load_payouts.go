package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	psplive "github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
)

// loadPayee is who a load pays.
const loadPayee pix.PixKey = "fornecedor@ex.example"

// payoutFlags are what the receivers of payouts are told beside the rest: little
// patience with the PSP, and no long pauses.
func payoutFlags() []string {
	return []string{
		"--call-timeout", "500ms", "--lease", "5s", "--backoff-base", "200ms", "--backoff-cap", "2s", "--ask-every", "1s",
		"--sweep-every", "1s", "--senders", "16",
	}
}

// checkPayouts refuses what does not go with payouts.
func (f *loadFlags) checkPayouts() error {
	switch {
	case f.payouts.n == 0:
		return nil
	case f.saturate || f.suite || f.receiverURL != "":
		return usagef("--payouts is a load of its own; want it without --saturate, --suite and --receiver-url")
	case f.rows.n > 0 || f.stock.n > 0:
		return usagef("--payouts wants no Pix of the past and no stock; want it without --rows and --stock")
	}
	return nil
}

// payoutCents is what the nth payout is of.
func payoutCents(n int) pix.Amount { return pix.Amount(1000 + n%1000) }

func payoutReference(n int) string { return fmt.Sprintf("carga-%07d", n) }

// loadPayouts has the receivers pay, by a PSP that is slower than they have
// patience, and counts debits.
func (c *cli) loadPayouts(ctx context.Context, f *loadFlags) (err error) {
	show := c.progress()
	defer show.clear()
	h, err := buildHouse(ctx, f, show.say)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	r, err := f.pay(ctx, h, show)
	if err != nil {
		return err
	}
	show.clear()
	page := encodeJSON(r)
	if !f.json {
		page = c.payoutPage(r)
	}
	if err := write(c.out, page); err != nil {
		return err
	}
	if !r.held() {
		return outcome{exitBroke}
	}
	return nil
}

func (f *loadFlags) pay(ctx context.Context, h *loadHouse, show *progress) (*payoutReport, error) {
	b, err := openBooks(ctx, h.database)
	if err != nil {
		return nil, err
	}
	defer b.conn.Close(context.WithoutCancel(ctx))
	show.say("waiting for money to spend")
	if err := h.fund(ctx, b, f.payouts.n); err != nil {
		return nil, err
	}
	show.say("asking for %s", counted(f.payouts.n, "payout", "payouts"))
	began := time.Now()
	r := &payoutReport{Payouts: f.payouts.n, Receivers: f.receivers.n}
	if r.Accepted, r.Repeated, err = f.askForPayouts(ctx, h); err != nil {
		return nil, err
	}
	show.say("waiting until every payout has an end")
	if r.Open, err = b.untilPaid(ctx, f.settle.d); err != nil {
		return nil, err
	}
	r.Seconds = time.Since(began).Seconds()
	count := h.slow.drained() // whatever was to come late has come
	r.Calls, r.Unanswered, r.Late = count.calls, count.unanswered, count.late
	return r, r.judge(ctx, h, b)
}

// fund pays one Pix that covers each payout several times over, so that a debit too
// many does not fail for want of balance, and waits until a sweep has brought it
// in: what only a callback told of is not spent.
func (h *loadHouse) fund(ctx context.Context, b *books, payouts int) error {
	sum := pix.Amount(0)
	for n := range payouts {
		sum += 5 * payoutCents(n)
	}
	id := pix.EndToEndID("E12345678" + time.Now().UTC().Format("200601021504") + "CARGASALDO1")
	paid, err := h.lab.Pay(ctx, psplive.PayOrder{EndToEndID: id, AmountCents: int64(sum), NotifyAfterMS: payQuiet})
	if err != nil || paid[0].Void != "" {
		return environmentError{"pay at the PSP", fmt.Errorf("%v: %w", paid, err)}
	}
	return b.until(ctx, childLimit, "the money to spend", `SELECT NOT EXISTS (SELECT FROM payment WHERE confirmed)`)
}

// askForPayouts is the merchant: it asks for each payout once, and for so many of
// a hundred again under the same key, on as many connections as it was told.
func (f *loadFlags) askForPayouts(ctx context.Context, h *loadHouse) (accepted, repeated int, err error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: f.connections.n}, Timeout: childLimit}
	defer client.CloseIdleConnections()
	var next, done, again atomic.Int64
	var crew sync.WaitGroup
	errs := make(chan error, f.connections.n)
	for range f.connections.n {
		crew.Go(func() {
			for n := int(next.Add(1)) - 1; n < f.payouts.n; n = int(next.Add(1)) - 1 {
				times := 1
				if (n+1)*int(f.redeliver)/100 > n*int(f.redeliver)/100 {
					times++
				}
				for i := range times {
					if err := h.askForPayout(ctx, client, (n+i)%len(h.targets), n); err != nil {
						errs <- err
						return
					}
				}
				done.Add(1)
				again.Add(int64(times - 1))
			}
		})
	}
	crew.Wait()
	close(errs)
	return int(done.Load()), int(again.Load()), <-errs
}

// askForPayout asks one of the receivers for a payout, until it is accepted.
func (h *loadHouse) askForPayout(ctx context.Context, client *http.Client, receiverAt, n int) error {
	to := *h.targets[receiverAt]
	to.Path = receiver.RoutePayouts
	body := fmt.Sprintf(`{"reference":%q,"pix_key":%q,"amount":%q}`, payoutReference(n), loadPayee, payoutCents(n))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+h.api)
	req.Header.Set(receiver.IdempotencyHeader, payoutReference(n))
	resp, err := client.Do(req)
	if err != nil {
		return environmentError{"ask for a payout", err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusAccepted {
		return fmt.Errorf("payout %s was answered with %d: %s", payoutReference(n), resp.StatusCode, text)
	}
	return nil
}
