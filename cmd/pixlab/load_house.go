package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	psplive "github.com/pixlab/pixlab/fakepsp/live"
	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// loadHouse is what a load runs against: a database, a PSP, receivers. Its own
// ones are in throwaway folders and end with it.
type loadHouse struct {
	database string
	lab      *psplive.Client
	targets  []*url.URL
	secret   pix.Secret
	key      pix.PixKey
	api      string   // the token of the merchant's API
	slow     *slowPSP // between the receivers and the PSP, where payouts are made

	cluster   *pgcluster.Cluster
	name      string // of the database there
	folder    *pgcluster.Folder
	dir       string // its path
	psp       *child
	receivers []*child
}

// settings are those of the load's own server: durable, with room for a
// minute's writes between two checkpoints, as a server in production has it.
func (f *loadFlags) settings() map[string]string {
	all := map[string]string{
		"shared_buffers": "256MB", "max_wal_size": "4GB", "min_wal_size": "1GB", "checkpoint_timeout": "15min",
		"track_commit_timestamp": "on", // tells when each credit was committed
	}
	for _, s := range f.serverSettings {
		name, value, _ := strings.Cut(s, "=")
		all[name] = value
	}
	return all
}

// buildHouse starts what the load needs.
func buildHouse(ctx context.Context, f *loadFlags, say func(string, ...any)) (h *loadHouse, err error) {
	h = &loadHouse{key: loadKey}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	if h.folder, err = pgcluster.MakeFolder(ctx, "load"); err != nil {
		return h, environmentError{"load", err}
	}
	h.dir = h.folder.Path()
	say("starting PostgreSQL")
	if h.cluster, err = pgcluster.Start(ctx, pgcluster.Options{Settings: f.settings()}); err != nil {
		return h, environmentError{"start PostgreSQL", err}
	}
	h.name = "pixlab_load_" + strings.ToLower(rand.Text()[:8])
	if err = h.cluster.CreateDatabase(ctx, h.name); err != nil {
		return h, environmentError{"start PostgreSQL", err}
	}
	h.database = h.cluster.SocketURL(h.name)
	if err = postgres.Migrate(ctx, h.database); err != nil {
		return h, environmentError{"migrate the database", err}
	}
	err = h.startProcesses(ctx, f, say)
	return h, err
}

// startProcesses starts the PSP and the receivers.
func (h *loadHouse) startProcesses(ctx context.Context, f *loadFlags, say func(string, ...any)) (err error) {
	say("starting the PSP and the receiver")
	h.secret = pix.Secret{ID: "load", Key: []byte(rand.Text())}
	token, client := rand.Text(), rand.Text()
	env := []string{
		"PIXLAB_CALLBACK_SECRET=" + h.secret.ID + ":" + base64.StdEncoding.EncodeToString(h.secret.Key),
		"PIXLAB_CLIENT_SECRET=" + client, "PIXLAB_LAB_TOKEN=" + token, "PIXLAB_ADMIN_TOKEN=" + token, "PIXLAB_API_TOKEN=" + token,
		"PIXLAB_PIX_KEYS=" + string(loadKey), "PIXLAB_CLIENT_ID=load", "PIXLAB_DATABASE_URL=" + h.database,
	}
	var at psplive.Addresses
	if h.psp, err = startChild(ctx, h.dir, "psp", env, &at, "psp"); err != nil {
		return err
	}
	h.lab = &psplive.Client{URL: at.Lab, Token: token}
	h.api = token
	api := at.API
	if f.payouts.n > 0 {
		if h.slow, err = startSlowPSP(ctx, at.API); err != nil {
			return err
		}
		api = h.slow.url
	}
	for i := range f.receivers.n {
		if err := h.startReceiver(ctx, f, "receiver-"+strconv.Itoa(i+1), env, api); err != nil {
			return err
		}
	}
	return nil
}

// startReceiver starts one whose PSP is there.
func (h *loadHouse) startReceiver(ctx context.Context, f *loadFlags, name string, env []string, api string) error {
	one := receiverAddresses{}
	if f.profiles != "" {
		env = append(env[:len(env):len(env)], envProfile+"="+f.profiles+"/"+name+".pprof")
	}
	args := []string{
		"receiver", "--name", name, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--migrate=false",
		"--psp-url", api, "--token-url", api + "/oauth/token", "--callback-url", "http://127.0.0.1/load",
		"--sweep-every", "12h", "--changed-every", "12h", "--reconcile-every", "12h", "--max-conns", "1024",
	}
	if f.payouts.n > 0 {
		args = append(args, payoutFlags()...)
	}
	c, err := startChild(ctx, h.dir, name, env, &one, append(args, f.receiverFlags...)...)
	if err != nil {
		return err
	}
	h.receivers = append(h.receivers, c)
	u, err := url.Parse(one.Public + "/load/pix")
	h.targets = append(h.targets, u)
	return err
}

// close ends everything that was started.
func (h *loadHouse) close() error {
	for _, c := range append(h.receivers, h.psp) {
		if c != nil {
			c.stop()
		}
	}
	var err error
	if h.slow != nil {
		err = h.slow.close()
	}
	if h.cluster != nil {
		if h.cluster.Given() && h.name != "" {
			err = errors.Join(err, h.cluster.DropDatabase(context.Background(), h.name))
		}
		err = errors.Join(err, h.cluster.Close())
	}
	if h.folder != nil {
		err = errors.Join(err, h.folder.Remove())
	}
	return err
}

// peakMB is the most memory that one of our receivers has had.
func (h *loadHouse) peakMB() float64 {
	most := 0.0
	for _, c := range h.receivers {
		most = max(most, c.peakMB())
	}
	return most
}

// given is a house that others run.
func (f *loadFlags) given() (*loadHouse, error) {
	h := &loadHouse{database: f.databaseURL, key: pix.PixKey(f.pixKey)}
	for text := range strings.SplitSeq(f.receiverURL, ",") {
		u, err := url.Parse(strings.TrimRight(text, "/") + "/pix")
		if err != nil || u.Scheme != "http" || u.Host == "" {
			return nil, usagef("--receiver-url is %q; want the callback URL as http://host:port/path, several with commas between", f.receiverURL)
		}
		if u.Port() == "" {
			u.Host += ":80"
		}
		h.targets = append(h.targets, u)
	}
	secrets, err := receiverSecrets{callback: os.Getenv("PIXLAB_CALLBACK_SECRET")}.callbackSecrets()
	if err != nil {
		return nil, err
	}
	h.secret = secrets[0]
	if f.labURL != "" {
		h.lab = &psplive.Client{URL: f.labURL, Token: os.Getenv("PIXLAB_LAB_TOKEN")}
	}
	return h, nil
}

// defaultSettle is how long the inbox has to come to rest.
const defaultSettle = 2 * time.Minute
