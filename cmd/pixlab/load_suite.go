package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pixlab/pixlab/internal/pgcluster"
	"github.com/pixlab/pixlab/receiver/postgres"
)

// suiteLoad is one load of the suite.
type suiteLoad struct {
	Name  string
	flags func(*loadFlags)
}

// suiteLoads are the loads, in the order in which one house takes them.
func suiteLoads() []suiteLoad {
	load := func(name string, seconds int, set func(*loadFlags)) suiteLoad {
		return suiteLoad{name, func(f *loadFlags) {
			f.duration.d = min(f.duration.d, time.Duration(seconds)*time.Second)
			set(f)
		}}
	}
	return []suiteLoad{
		load("500 callbacks/s, 30% twice", 20, func(f *loadFlags) { f.rate.n, f.redeliver = 500, 30 }),
		load("acknowledging, 1 Pix", 10, func(f *loadFlags) { f.saturate, f.connections.n = true, 128 }),
		load("acknowledging, 100 Pix", 4, func(f *loadFlags) { f.saturate, f.items.n, f.connections.n = true, 100, 16 }),
		load("end to end, 4,200 Pix/s", 60, func(f *loadFlags) { f.rate.n = 4200 }),
	}
}

// suiteRows is how many Pix the second house of a round has booked already.
const suiteRows = 1_000_000

// suiteRound is what one round came to: reports by load, without and with rows.
type suiteRound struct {
	PgBench map[string]float64     `json:"pgbench_tps"` // by clients
	Empty   map[string]*loadReport `json:"empty"`
	Full    map[string]*loadReport `json:"full"`
}

// suiteReport is all of them.
type suiteReport struct {
	Fsync  string       `json:"pg_test_fsync"`
	Rounds []suiteRound `json:"rounds"`
}

// loadSuite runs the suite and shows medians. It judges no speed: the machine
// decides that; what has to hold whatever the speed ends it with exit code 1.
func (c *cli) loadSuite(ctx context.Context, f *loadFlags, capped bool) error {
	collectSeldom()
	show := c.progress()
	defer show.clear()
	if !capped {
		f.duration.d = time.Hour
	}
	var all suiteReport
	all.Fsync = testFsync(ctx, os.TempDir())
	for n := range f.rounds.n {
		round, err := c.suiteRound(ctx, f, show)
		if err != nil {
			return err
		}
		all.Rounds = append(all.Rounds, *round)
		fmt.Fprintf(c.err, "round %d of %d\n", n+1, f.rounds.n)
	}
	show.clear()
	page := encodeJSON(all)
	if !f.json {
		page = c.suitePage(&all)
	}
	if err := write(c.out, page); err != nil {
		return err
	}
	for _, r := range all.Rounds {
		for _, reports := range []map[string]*loadReport{r.Empty, r.Full} {
			for _, one := range reports {
				if !one.held() {
					return outcome{exitBroke}
				}
			}
		}
	}
	return nil
}

func (c *cli) suiteRound(ctx context.Context, f *loadFlags, show *progress) (r *suiteRound, err error) {
	r = &suiteRound{}
	if r.PgBench, err = c.pgbench(ctx, f, show); err != nil {
		return nil, err
	}
	if r.Empty, err = c.suiteHouse(ctx, f, 0, show); err != nil {
		return nil, err
	}
	r.Full, err = c.suiteHouse(ctx, f, suiteRows, show)
	return r, err
}

// suiteHouse runs all loads on one house.
func (c *cli) suiteHouse(ctx context.Context, f *loadFlags, rows int, show *progress) (out map[string]*loadReport, err error) {
	h, err := buildHouse(ctx, f, show.say)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	mine := *f
	mine.rows.n = rows
	if err := h.furnish(ctx, &mine, show); err != nil {
		return nil, err
	}
	out = map[string]*loadReport{}
	for _, l := range suiteLoads() {
		one := mine
		l.flags(&one)
		if out[l.Name], err = c.loadHouse(ctx, &one, h, show); err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
	}
	return out, nil
}

// pgbenchScript stores the row of one callback, as the receiver does, in a
// transaction of its own. pgbench takes every colon before a name for a
// variable, hence the odd spelling of keys and times.
const pgbenchScript = `\set r random(1, 9000000000000000)
\set s random(0, 9999999)
INSERT INTO inbox_event (id, source, event_key, channel, about, end_to_end_id, txid, pix_key, amount_cents, paid_at, refund_id,
    return_id, nature, refund_status, confirmed, raw, received_at, state, quarantine, reason, due_at, attempts, version, holder)
VALUES (nextval('inbox_event_id'), 'psp', 'pix' || chr(58) || 'E12345678' || lpad((:r::bigint)::text, 16, '0') || lpad((:s::bigint)::text, 7, '0'),
    'callback', 'credit', 'E12345678' || lpad((:r::bigint)::text, 16, '0') || lpad((:s::bigint)::text, 7, '0'),
    'carga' || lpad((:r::bigint)::text, 26, '0'), 'carga@loja.example', 1000, '20260102T120000Z', '', '', '', '', false,
    convert_to(repeat('x', 190), 'UTF8'), '20260102T120000Z', 'RECEIVED', '', '', '20260102T120000Z', 0, 0, '')
ON CONFLICT (source, event_key) DO NOTHING;
`

// pgbenchSeconds is how long it runs for each number of clients.
const pgbenchSeconds = 10

// pgbench measures the same single-row insert on a server like the load's.
func (c *cli) pgbench(ctx context.Context, f *loadFlags, show *progress) (map[string]float64, error) {
	program, err := serverProgram("pgbench")
	if err != nil {
		return nil, nil // shown as not measured
	}
	cluster, err := pgcluster.Start(ctx, pgcluster.Options{Settings: f.settings()})
	if err != nil {
		return nil, environmentError{"start PostgreSQL", err}
	}
	defer cluster.Close()
	folder, err := pgcluster.MakeFolder(ctx, "pgbench")
	if err != nil {
		return nil, environmentError{"load", err}
	}
	defer folder.Remove()
	script := filepath.Join(folder.Path(), "insert.sql")
	if err := os.WriteFile(script, []byte(pgbenchScript), 0o600); err != nil {
		return nil, environmentError{"write the script of pgbench", err}
	}
	if err := errors.Join(cluster.CreateDatabase(ctx, "bench"), postgres.Migrate(ctx, cluster.SocketURL("bench"))); err != nil {
		return nil, environmentError{"prepare pgbench", err}
	}
	out := map[string]float64{}
	seconds := int(min(pgbenchSeconds*time.Second, max(f.duration.d, time.Second)).Seconds())
	for _, clients := range []string{"16", "64"} {
		show.say("pgbench with %s clients", clients)
		text, err := exec.CommandContext(ctx, program, "-n", "-M", "prepared", "-f", script, "-c", clients, "-j", "2",
			"-T", strconv.Itoa(seconds), cluster.SocketURL("bench")).CombinedOutput()
		found := regexp.MustCompile(`(?m)^tps = ([0-9.]+)`).FindSubmatch(text)
		if err != nil || found == nil {
			return nil, environmentError{"run pgbench", fmt.Errorf("%w: %s", err, text)}
		}
		out[clients], _ = strconv.ParseFloat(string(found[1]), 64)
	}
	return out, nil
}

// serverProgram finds a program that comes with the server.
func serverProgram(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	more, _ := filepath.Glob("/opt/homebrew/opt/postgresql*/bin/" + name)
	if found = append(found, more...); len(found) > 0 {
		return found[len(found)-1], nil
	}
	return "", exec.ErrNotFound
}

// testFsync is what pg_test_fsync says of the ways to make one write durable.
func testFsync(ctx context.Context, dir string) string {
	program, err := serverProgram("pg_test_fsync")
	if err != nil {
		return ""
	}
	file := filepath.Join(dir, "pixlab-fsync-"+strconv.Itoa(os.Getpid()))
	defer os.Remove(file)
	text, err := exec.CommandContext(ctx, program, "-s", "1", "-f", file).Output()
	if err != nil {
		return ""
	}
	_, text2, _ := strings.Cut(string(text), "one 8kB write:")
	text2, _, _ = strings.Cut(text2, "Compare file sync methods using two")
	return strings.TrimRight(text2, "\n ")
}

// median is that of the values that one load's reports have.
func (r *suiteReport) median(of func(*suiteRound) (float64, bool)) (float64, bool) {
	var all []float64
	for i := range r.Rounds {
		if v, ok := of(&r.Rounds[i]); ok {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	slices.Sort(all)
	return all[len(all)/2], true
}

// suitePage shows the medians.
func (c *cli) suitePage(r *suiteReport) []byte {
	p := &page{colour: coloured(c.out)}
	p.line("pg_test_fsync, one 8 kB write:%s", r.Fsync)
	p.line("")
	p.line("medians of %s", counted(len(r.Rounds), "round", "rounds"))
	for _, clients := range []string{"16", "64"} {
		if v, ok := r.median(func(s *suiteRound) (float64, bool) { v, ok := s.PgBench[clients]; return v, ok }); ok {
			p.line("pgbench -M prepared, %s clients: %.0f inserts/s", clients, v)
		}
	}
	p.line("")
	p.line("%s", p.dim("                              rows   acks/s    Pix/s  ack p50   p99 ms  credits/s  ledger p99  rest ms   MB  elsewhere"))
	for _, l := range suiteLoads() {
		for _, rows := range []int{0, suiteRows} {
			c.suiteLine(p, r, l.Name, rows)
		}
	}
	return p.Bytes()
}

func (c *cli) suiteLine(p *page, r *suiteReport, name string, rows int) {
	get := func(of func(*loadReport) float64) float64 {
		v, _ := r.median(func(s *suiteRound) (float64, bool) {
			reports := s.Empty
			if rows > 0 {
				reports = s.Full
			}
			one := reports[name]
			if one == nil {
				return 0, false
			}
			return of(one), true
		})
		return v
	}
	spreadPart := func(of func(*loadReport) *spread, part func(*spread) float64) float64 {
		return get(func(r *loadReport) float64 {
			if s := of(r); s != nil {
				return part(s)
			}
			return 0
		})
	}
	ack := func(r *loadReport) *spread { return r.Ack }
	p99 := func(s *spread) float64 { return s.P99 }
	p.line("%s %9s %8.0f %8.0f %8.1f %8.1f %10.0f %11.1f %8.0f %4.0f %9.0f%%", pad(name, 25), grouped(rows),
		get(func(r *loadReport) float64 { return r.Rate }), get(func(r *loadReport) float64 { return r.PixRate }),
		spreadPart(ack, func(s *spread) float64 { return s.P50 }), spreadPart(ack, p99),
		get(func(r *loadReport) float64 { return r.CreditRate }), spreadPart(func(r *loadReport) *spread { return r.Ledger }, p99),
		get(func(r *loadReport) float64 { return r.RestMS }), get(func(r *loadReport) float64 { return r.PeakMB }),
		get(func(r *loadReport) float64 {
			if r.Elsewhere == nil {
				return 0
			}
			return *r.Elsewhere
		}))
}
