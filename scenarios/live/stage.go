package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/pixlab/pixlab/chaos"
	psp "github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/pix"
)

// StageOptions say what a [Stage] is made of.
type StageOptions struct {
	// Seed makes the ids of what is paid.
	Seed chaos.Seed
	// Binary, DatabaseURL and Log are those of [Options].
	Binary      string
	DatabaseURL string
	Log         io.Writer
	// Down is how long a receiver that was killed stays dead.
	Down time.Duration
	// Most is how many Pix a second it is made for; it bounds the sweeps' pages.
	Most int
}

// Stage is a PSP, two receivers and their database, up until it is closed: for
// whoever wants to load them and to break them by hand. It has no plan. Its
// methods may be called by many goroutines.
type Stage struct {
	house  *house
	keeper *keeper
	psp    *psp.Client
	http   *http.Client
	seed   chaos.Seed
	code   pix.TxID // of the static code that everything is paid to

	mu   sync.Mutex
	paid int64
	down bool // the database server, by our doing
}

// The habits of a stage: sweeps are seldom enough to leave the processors to the
// load, and often enough to bring in what was lost while somebody looks on.
const (
	stageSweep   = 5 * time.Second
	stageGrace   = 30 * time.Second
	stageOverlap = 20 * time.Second
)

// OpenStage starts all of it. On an error nothing is left.
func OpenStage(ctx context.Context, o StageOptions) (*Stage, error) {
	k := &keeper{seed: o.Seed, down: o.Down, shot: map[int]bool{}}
	told := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	h := habits{
		instances: 2, workers: 2, pageSize: min(1000, max(100, o.Most)), sweepEvery: stageSweep, grace: stageGrace,
		callbackTimeout: 2 * time.Second, refundRepeat: "same",
		more: []string{"--overlap", stageOverlap.String(), "--reconcile-every", "1m", "--changed-every", "10m"},
	}
	w, err := build(ctx, o.Binary, o.DatabaseURL, h, k, told, o.Log)
	if err != nil {
		return nil, err
	}
	s := &Stage{house: w, keeper: k, psp: w.teller(), http: &http.Client{}, seed: o.Seed}
	if err := s.openCode(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return s, nil
}

// Close ends everything that was started and removes what is on disk.
func (s *Stage) Close() error {
	err := s.house.close()
	s.http.CloseIdleConnections()
	return err
}

// openCode registers the static code at the receivers.
func (s *Stage) openCode(ctx context.Context) error {
	body, err := json.Marshal(map[string]any{"kind": chaos.ChargeStatic, "reference": "CAIXA-1"})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.house.frontURL+"/charges", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.house.api)
	req.Header.Set("Idempotency-Key", "CAIXA-1")
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var made struct {
		TxID pix.TxID `json:"txid"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil {
		return fmt.Errorf("register a static code: %s: %w", resp.Status, err)
	}
	if made.TxID == "" {
		return fmt.Errorf("register a static code: %s, without a txid", resp.Status)
	}
	s.code = made.TxID
	return nil
}

// quiet is how long the PSP keeps its own callbacks back, in milliseconds, and as
// long as it takes an order for. What it then sends is known:
// whoever loads the stage has sent it in its place.
const quiet = 3_600_000

// Pay has payers send Pix of these amounts, in cents, all at one instant.
func (s *Stage) Pay(ctx context.Context, cents ...int64) ([]pix.Payment, error) {
	s.mu.Lock()
	first := s.paid
	s.paid += int64(len(cents))
	s.mu.Unlock()
	stamp := time.Now().UTC().Format("200601021504")
	orders := make([]psp.PayOrder, len(cents))
	for i, c := range cents {
		id := s.seed.ID("live/pix", strconv.FormatInt(first+int64(i), 10), 11)
		orders[i] = psp.PayOrder{EndToEndID: pix.EndToEndID("E99999008" + stamp + id), TxID: s.code, Static: true, AmountCents: c, NotifyAfterMS: quiet}
	}
	paid, err := s.psp.Pay(ctx, orders...)
	if err != nil {
		return nil, err
	}
	out := make([]pix.Payment, len(paid))
	for i, p := range paid {
		if p.Void != "" {
			return nil, fmt.Errorf("the Pix %s is void: %s", p.EndToEndID, p.Void)
		}
		out[i] = pix.Payment{EndToEndID: p.EndToEndID, TxID: s.code, Amount: pix.Amount(cents[i]), PixKey: merchantKey, PaidAt: p.SettledAt}
	}
	return out, nil
}

// Front is where callbacks go: the balancer before both receivers.
func (s *Stage) Front() string { return s.house.frontURL + "/pix" }

// Secret signs callbacks.
func (s *Stage) Secret() pix.Secret { return s.house.secret }

// Kill is kill -9 of a receiver, 1 or 2. False: it is dead already.
func (s *Stage) Kill(instance int) bool {
	if instance < 1 || instance > len(s.house.receiver) {
		return false
	}
	m := s.house.receiver[instance-1]
	if m.running() == nil {
		return false
	}
	s.keeper.shoots(instance)
	m.kill()
	return true
}

// Cut ends every connection to the database; whoever had one opens another.
func (s *Stage) Cut(ctx context.Context) error { return s.house.db.cut(ctx) }

// ErrNotOurs is a database server that somebody else runs: it is not ours to stop.
var ErrNotOurs = errors.New("the database server was given, and is not ours to stop")

// StopDatabase stops the server as a crash would.
func (s *Stage) StopDatabase() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.house.db.cluster.Given() {
		return ErrNotOurs
	}
	if s.down {
		return nil
	}
	s.down = true
	return s.house.db.kill()
}

// Heal starts the database where it was stopped; receivers that are dead come
// back by themselves.
func (s *Stage) Heal(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.down {
		return nil
	}
	if err := s.house.db.restart(ctx); err != nil {
		return err
	}
	s.down = false
	return nil
}

// keeper gives no orders. It has receivers that were killed by hand stay dead
// for a while, and knows those from others that die.
type keeper struct {
	seed chaos.Seed
	down time.Duration

	mu   sync.Mutex
	shot map[int]bool
}

func (k *keeper) hello(int) Hello      { return Hello{Seed: k.seed.String(), Commands: []string{}} }
func (k *keeper) order(Question) Order { return Order{} }

func (k *keeper) shoots(instance int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.shot[instance] = true
}

// restartAfter is how long a receiver that was killed by hand stays dead.
func (k *keeper) restartAfter(instance int) (time.Duration, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	shot := k.shot[instance]
	delete(k.shot, instance)
	return k.down, shot
}
