package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	psp "github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// patience is far above what any wait here takes.
const patience = 5 * time.Minute

// nobody gives no orders.
type nobody struct{ skew map[int]time.Duration }

func (n nobody) hello(instance int) Hello {
	return Hello{Seed: "1", Commands: []string{}, SkewMS: n.skew[instance].Milliseconds()}
}
func (nobody) order(Question) Order { return Order{} }

// lab is a house under test, with a run on top that has no plan of its own.
type lab struct {
	*run
	t    *testing.T
	http *http.Client
	made atomic.Int64 // endToEndIds
	mu   sync.Mutex
	code pix.TxID // of a static code
	// skewed says that a receiver's clock is wrong.
	skewed bool
}

// usual are a test's habits.
func usual() habits {
	return habits{
		instances: 2, workers: 2, pageSize: 100, sweepEvery: 300 * time.Millisecond, grace: 700 * time.Millisecond,
		callbackTimeout: 2 * time.Second, refundRepeat: "same",
	}
}

// newLab starts a house that is closed when the test ends. With own it has a
// durable PostgreSQL of its own, which may be killed, and is skipped where a
// server is given; else it shares the tests'.
func newLab(t *testing.T, h habits, c commander, own bool) *lab {
	t.Helper()
	url := ""
	if own && os.Getenv(pgcluster.EnvURL) != "" {
		t.Skipf("kills the database, and %s names one that is not to be killed", pgcluster.EnvURL)
	}
	if !own {
		url = pgtest.Shared(t).SocketURL("postgres")
	}
	plan := &chaos.Plan{
		Format: chaos.Format, Generator: chaos.Generator, Seed: 1, Profile: "by hand", HorizonMS: 1, Live: true,
		Start: time.Date(2026, 3, 10, 3, 0, 0, 0, time.UTC), Charges: []chaos.Charge{}, Payments: []chaos.Payment{}, Faults: []chaos.Deviation{},
		Settings: chaos.Settings{Instances: 2, Workers: 2, Retry: "live", CallbackTimeoutMS: 2000, SweepEveryMS: 1000, PageSize: 100},
	}
	l := &lab{t: t, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	l.run = &run{o: Options{Plan: plan, Tell: func(string) {}}, referee: newReferee(plan), merchant: &merchant{http: l.http}, deaf: true}
	l.endpoint = &endpoint{referee: l.referee, got: map[int64]int{}}
	w, err := build(context.WithoutCancel(t.Context()), binary(), url, h, c, l.endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
		l.http.CloseIdleConnections()
	})
	l.house, l.psp, l.began = w, w.teller(), time.Now()
	if _, err := l.psp.Apply(t.Context(), plan, false); err != nil {
		t.Fatal(err)
	}
	return l
}

// newID is an endToEndId that nobody has.
func (l *lab) newID() pix.EndToEndID {
	return pix.EndToEndID(fmt.Sprintf("E99999008202603101200%011d", l.made.Add(1)))
}

// must is the value of a call that has to go well.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// call is one request of the merchant's to a receiver, or to the balancer.
func (l *lab) call(base, method, path string, body any) (int, string) {
	l.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		l.t.Error(err)
	}
	req, err := http.NewRequest(method, base+path, bytes.NewReader(text))
	if err != nil {
		l.t.Error(err)
		return 0, ""
	}
	req.Header.Set("Authorization", "Bearer "+l.house.api)
	if asked, ok := body.(map[string]any); ok {
		req.Header.Set(receiver.IdempotencyHeader, fmt.Sprint(asked["reference"]))
	}
	resp, err := l.http.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(answer)
}

// static is the txid of a static code, made on first use.
func (l *lab) static() pix.TxID {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.code == "" {
		status, text := l.call(l.house.frontURL, "POST", "/charges", map[string]any{"kind": "static", "reference": "CAIXA-1"})
		var made struct {
			TxID pix.TxID `json:"txid"`
		}
		if err := json.Unmarshal([]byte(text), &made); err != nil || made.TxID == "" {
			l.t.Fatalf("static code: %d %s", status, text)
		}
		l.code = made.TxID
	}
	return l.code
}

// later keeps the PSP's own callback from coming; the lab does not wait for it.
const later = int64(3_600_000)

// pay has n Pix of 100.00 paid to the static code; their callbacks come after
// so many milliseconds.
func (l *lab) pay(n int, notifyAfterMS int64) []pix.Payment {
	l.t.Helper()
	orders := make([]psp.PayOrder, n)
	for i := range orders {
		orders[i] = psp.PayOrder{EndToEndID: l.newID(), TxID: l.static(), Static: true, AmountCents: 10000, NotifyAfterMS: notifyAfterMS}
	}
	out := make([]pix.Payment, n)
	for i, p := range must(l.psp.Pay(l.t.Context(), orders...))(l.t) {
		if p.Void != "" {
			l.t.Fatalf("Pix %s: %s", p.EndToEndID, p.Void)
		}
		out[i] = pix.Payment{EndToEndID: p.EndToEndID, TxID: l.static(), Amount: 10000, PixKey: merchantKey, PaidAt: p.SettledAt}
	}
	return out
}

// receivers are where the instances listen.
func (l *lab) receivers() []receiverURL {
	var out []receiverURL
	for _, m := range l.house.receiver {
		m.mu.Lock()
		out = append(out, m.url)
		m.mu.Unlock()
	}
	return out
}

// callback posts a signed callback; an error is a status of 0.
func (l *lab) callback(client *http.Client, base string, body []byte) (int, http.Header) {
	req, err := http.NewRequest(http.MethodPost, base+"/pix", bytes.NewReader(body))
	if err != nil {
		l.t.Error(err)
		return 0, nil
	}
	req.Header.Set(pix.SignatureHeader, l.sign(body))
	resp, err := client.Do(req)
	if err != nil {
		return 0, http.Header{"Error": {err.Error()}}
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, resp.Header
}

// rows are all rows of the store.
func (l *lab) rows() receiver.ChangeSet {
	l.t.Helper()
	return must(l.house.db.dump(l.t.Context()))(l.t)
}

// until waits for a condition to hold.
func (l *lab) until(what string, holds func() bool) {
	l.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) {
			l.t.Fatalf("still not so: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// judged waits for rest and has every checker look at what came of it. Faults
// were at work, so that cases and repairs are no finding.
func (l *lab) judged() *scenarios.Report {
	l.t.Helper()
	out := l.outcome()
	out.Skewed = l.skewed
	report := scenarios.Judge(out)
	for _, i := range report.Invariants {
		if !i.Held {
			l.t.Errorf("%s: %s", i.ID, i.Detail)
		}
	}
	if report.Verdict != scenarios.Held {
		l.t.Errorf("verdict %s, pending %v", report.Verdict, report.Pending)
	}
	return report
}

// outcome is what is left once all is at rest.
func (l *lab) outcome() scenarios.Outcome {
	l.t.Helper()
	plan := *l.o.Plan
	plan.Faults = []chaos.Deviation{{Kind: "crash", Set: chaos.Change{Crash: true}, Target: chaos.Target{Command: &chaos.CommandAddress{
		Instance: chaos.AnyInstance, Command: chaos.CommandSaveDuty, Subject: chaos.DutySweep, Edge: chaos.EdgeAfter, Nth: 1,
	}}}}
	out := scenarios.Outcome{Plan: &plan}
	out.Pending = must(l.rest(l.t.Context(), patience))(l.t)
	if len(out.Pending) == 0 {
		out.Replayed = must(l.redeliver(l.t.Context()))(l.t)
	}
	if err := l.collect(l.t.Context(), &out); err != nil {
		l.t.Fatal(err)
	}
	return out
}

// creditsOf counts the credits of a Pix in the ledger.
func creditsOf(rows receiver.ChangeSet, id pix.EndToEndID) int {
	n := 0
	for _, t := range rows.Transactions {
		for _, e := range t.Entries {
			if e.Account == receiver.AccountSettlement && e.EndToEndID == id && e.Cents > 0 {
				n++
			}
		}
	}
	return n
}
