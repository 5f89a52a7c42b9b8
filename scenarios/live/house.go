package live

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	psp "github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/pix"
)

// merchantKey is the Pix key of the merchant in every live run.
const merchantKey pix.PixKey = "pix@loja.example"

// clientID is the receiver's name at the PSP.
const clientID = "loja"

// habits are what the processes are told of times and sizes.
type habits struct {
	instances, workers, pageSize int
	sweepEvery, lag, grace       time.Duration
	callbackTimeout              time.Duration
	refundRepeat                 string
	before                       http.Handler // stands between the receivers and the PSP; nil is nothing
	more                         []string     // further flags of the receivers
}

// A live receiver is told to be quick. Three time-outs of a call fit into a lease.
const (
	callTimeout = time.Second
	lease       = 3 * time.Second
	proofAfter  = 3 * time.Second // longer than a live plan hides an effect
)

// house is all that runs: PSP, receivers, database, and what stands between.
type house struct {
	binary, dir string
	folder      *pgcluster.Folder // dir's
	habits      habits
	commander   commander
	db          *database
	secret      pix.Secret
	// The secrets of the other lines; each is this house's alone.
	client, endpointKey, lab, api, admin, control string

	servers  []*http.Server
	serving  sync.WaitGroup
	front    *balancer
	frontURL string
	inURL    string // the merchant's endpoint
	pspURL   string // the PSP as the receivers know it
	askURL   string // the referee
	at       psp.Addresses
	psp      *child
	receiver []*member
	ctx      context.Context // ends with the house
	stop     context.CancelFunc
	watching sync.WaitGroup
}

// build starts everything. On an error nothing is left.
func build(ctx context.Context, binary, databaseURL string, h habits, c commander, merchant http.Handler, logTo io.Writer) (*house, error) {
	w := &house{binary: binary, habits: h, commander: c, front: newBalancer()}
	w.ctx, w.stop = context.WithCancel(ctx)
	err := w.start(databaseURL, merchant, logTo)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *house) start(databaseURL string, merchant http.Handler, logTo io.Writer) (err error) {
	if w.folder, err = pgcluster.MakeFolder(w.ctx, "live"); err != nil {
		return err
	}
	w.dir = w.folder.Path()
	w.secret = pix.Secret{ID: "k1", Key: []byte(rand.Text())}
	for _, s := range []*string{&w.client, &w.endpointKey, &w.lab, &w.api, &w.admin, &w.control} {
		*s = rand.Text()
	}
	if w.db, err = openDatabase(w.ctx, databaseURL, logTo); err != nil {
		return err
	}
	for _, s := range []struct {
		url *string
		h   http.Handler
	}{{&w.frontURL, w.front}, {&w.inURL, merchant}, {&w.askURL, controlHandler(w.commander, w.control)}} {
		if *s.url, err = w.serve(s.h); err != nil {
			return err
		}
	}
	if err = w.startPSP(); err != nil {
		return err
	}
	for i := range w.habits.instances {
		m := &member{house: w, number: i + 1}
		w.receiver = append(w.receiver, m)
		if err = m.start(); err != nil {
			return err
		}
		w.watching.Go(m.watch)
	}
	return nil
}

// serve serves on a free port of loopback until the house is closed.
func (w *house) serve(h http.Handler) (url string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: 10 * time.Second}
	w.servers = append(w.servers, s)
	w.serving.Go(func() { _ = s.Serve(l) }) // ends by Close alone
	return "http://" + l.Addr().String(), nil
}

// encoded is a secret as the environment holds it.
func encoded(id, key string) string { return id + ":" + base64.StdEncoding.EncodeToString([]byte(key)) }

func (w *house) startPSP() (err error) {
	h := w.habits
	args := []string{
		"psp", "--listen", "127.0.0.1:0", "--lab-listen", "127.0.0.1:0", "--webhook", w.frontURL, "--client-id", clientID,
		"--pix-keys", string(merchantKey), "--retry", psp.Retry().Name, "--callback-timeout", h.callbackTimeout.String(),
		"--statement-lag", h.lag.String(), "--refund-repeat", h.refundRepeat, "--grace", "1s",
	}
	env := []string{
		"PIXLAB_CALLBACK_SECRET=" + encoded(w.secret.ID, string(w.secret.Key)), "PIXLAB_CLIENT_SECRET=" + w.client, "PIXLAB_LAB_TOKEN=" + w.lab,
	}
	if w.psp, err = spawn(w.ctx, w.binary, w.dir, "psp", args, env, &w.at); err != nil {
		return err
	}
	w.pspURL = w.at.API
	if h.before != nil {
		w.pspURL, err = w.serve(h.before)
	}
	return err
}

// teller speaks to the PSP's lab port.
func (w *house) teller() *psp.Client { return &psp.Client{URL: w.at.Lab, Token: w.lab} }

// close stops everything that runs and removes what is on disk.
func (w *house) close() error {
	w.stop()
	w.watching.Wait()
	for _, m := range w.receiver {
		m.kill()
	}
	if w.psp != nil {
		w.psp.kill()
	}
	var errs []error
	for _, s := range w.servers {
		errs = append(errs, s.Close())
	}
	w.serving.Wait()
	if w.db != nil {
		errs = append(errs, w.db.close(context.WithoutCancel(w.ctx)))
	}
	if w.folder != nil {
		errs = append(errs, w.folder.Remove())
	}
	return errors.Join(errs...)
}

// member is one instance of the receiver, through all its lives.
type member struct {
	house  *house
	number int

	mu    sync.Mutex
	child *child
	url   receiverURL
	lives int
	held  bool   // not to be started again before release
	died  string // how it ended although nobody had ordered it
	shot  bool   // the run killed it from outside
}

// receiverURL is where a receiver listens.
type receiverURL struct {
	Public string `json:"public"`
	Admin  string `json:"admin"`
}

func (m *member) args() []string {
	w, h := m.house, m.house.habits
	n := strconv.Itoa
	return append([]string{
		"receiver", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--name", "receiver/" + n(m.number),
		"--psp-url", w.pspURL, "--token-url", w.pspURL + "/oauth/token", "--client-id", clientID,
		"--callback-url", w.frontURL, "--endpoint-url", w.inURL + "/events", "--pix-keys", string(merchantKey),
		"--workers", n(h.workers), "--page-size", n(h.pageSize), "--call-timeout", callTimeout.String(), "--lease", lease.String(),
		"--backoff-base", "100ms", "--backoff-cap", "1s", "--poll", "50ms", "--proof-after", proofAfter.String(),
		"--sweep-every", h.sweepEvery.String(), "--changed-every", h.sweepEvery.String(), "--reconcile-every", h.sweepEvery.String(),
		"--key-window", (6 * callTimeout).String(), "--overlap", "1m", "--sweep-back", "1h", "--reconcile-grace", h.grace.String(), "--stop-grace", "2s", "--database-conns", "8",
	}, h.more...)
}

func (m *member) env() []string {
	w := m.house
	return []string{
		"PIXLAB_DATABASE_URL=" + w.db.url(), "PIXLAB_CLIENT_SECRET=" + w.client,
		"PIXLAB_CALLBACK_SECRET=" + encoded(w.secret.ID, string(w.secret.Key)), "PIXLAB_ENDPOINT_SECRET=" + encoded("m1", w.endpointKey),
		"PIXLAB_API_TOKEN=" + w.api, "PIXLAB_ADMIN_TOKEN=" + w.admin,
		EnvControl + "=" + w.askURL, EnvToken + "=" + w.control, EnvInstance + "=" + strconv.Itoa(m.number),
	}
}

// start gives the instance a life.
func (m *member) start() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var at receiverURL
	c, err := spawn(m.house.ctx, m.house.binary, m.house.dir, "receiver-"+strconv.Itoa(m.number), m.args(), m.env(), &at)
	if err != nil {
		return err
	}
	m.child, m.url, m.shot = c, at, false
	m.lives++
	m.house.front.put(m.number, at.Public)
	return nil
}

// kill is kill -9 from outside; the instance starts again by its watch.
func (m *member) kill() {
	m.mu.Lock()
	c := m.child
	m.shot = true
	m.mu.Unlock()
	if c != nil {
		c.kill()
	}
}

// running is the life that goes on, nil if the instance is dead.
func (m *member) running() *child {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.child == nil || m.child.ended() {
		return nil
	}
	return m.child
}

// restarts tells how long an instance that died by order stays dead.
type restarts interface {
	restartAfter(instance int) (time.Duration, bool)
}

// watch starts the instance again whenever it has died, as whatever manages
// processes in production does; while the database is down that takes some tries.
func (m *member) watch() {
	w := m.house
	for {
		m.mu.Lock()
		c := m.child
		m.mu.Unlock()
		select {
		case <-c.done:
		case <-w.ctx.Done():
			return
		}
		w.front.put(m.number, "")
		c.leash.Close()
		pause := m.mourn(c)
		for again := true; again; {
			select {
			case <-time.After(pause):
			case <-w.ctx.Done():
				return
			}
			again = m.isHeld() || m.start() != nil
			pause = 100 * time.Millisecond
		}
	}
}

// mourn notes how a life ended, and says how long the instance stays dead.
func (m *member) mourn(c *child) time.Duration {
	pause, ordered := 50*time.Millisecond, false
	if r, ok := m.house.commander.(restarts); ok {
		if d, told := r.restartAfter(m.number); told {
			pause, ordered = d, true
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := c.log.panicked(); p != "" && m.died == "" {
		m.died = fmt.Sprintf("receiver %d: %s", m.number, p)
	}
	if !ordered && !m.shot && m.died == "" {
		m.died = fmt.Sprintf("receiver %d ended of itself (%s): %s", m.number, c.cmd.ProcessState, c.log.last())
	}
	return pause
}

func (m *member) isHeld() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held
}

// hold keeps a dead instance dead, or lets it live again.
func (m *member) hold(held bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = held
}

// death is how an instance ended, or panicked and went on, although it was not
// to; "" if none did.
func (w *house) death() string {
	for _, m := range w.receiver {
		m.mu.Lock()
		died, c := m.died, m.child
		m.mu.Unlock()
		if died != "" {
			return died
		}
		if c != nil && c.log.panicked() != "" {
			return fmt.Sprintf("receiver %d: %s", m.number, c.log.panicked())
		}
	}
	return ""
}
