package film

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// Take runs a plan and films it. The run is the one that [scenarios.World.Run]
// carries out without a film: same order, same hash.
func Take(plan *chaos.Plan, o scenarios.Options) (*Film, *scenarios.Report, error) {
	var trace bytes.Buffer
	o.Trace = &trace
	c := newCamera(plan)
	o.Watch = c.commit
	world, err := scenarios.NewWorld(plan, o)
	if err != nil {
		return nil, nil, err
	}
	report, err := world.Run()
	if err != nil {
		return nil, nil, err
	}
	if err := c.develop(trace.Bytes(), world.Statement()); err != nil {
		return nil, nil, err
	}
	c.judge(report)
	c.film.Receiver = scenarios.Reference().Name
	if o.Receiver != nil {
		c.film.Receiver = o.Receiver.Name
	}
	return c.film, report, nil
}

// camera collects what a film is made of.
type camera struct {
	plan   *chaos.Plan
	faults *chaos.Faults
	film   *Film
	bySub  map[string]*chaos.Payment
	known  map[string]int     // endToEndId → index in film.Pix
	open   map[string]int     // attempt → index in film.Callbacks
	batch  map[int]traceEvent // an instance's last commit of a gathered batch
	sent   map[string][]sent  // payouts that the PSP was asked for, by subject ("" is none of the plan's)
	told   map[string]sent    // of these, those that a callback tells of, by its first attempt
	events []traceEvent
}

// traceEvent is one line of the trace.
type traceEvent struct {
	N      int64             `json:"n"`
	T      chaos.Instant     `json:"t"`
	Actor  string            `json:"actor"`
	Kind   string            `json:"kind"`
	IDs    map[string]string `json:"ids"`
	Detail string            `json:"detail"`
}

func newCamera(plan *chaos.Plan) *camera {
	c := &camera{
		plan: plan, faults: plan.Merge(), bySub: map[string]*chaos.Payment{},
		known: map[string]int{}, open: map[string]int{}, batch: map[int]traceEvent{},
		sent: map[string][]sent{}, told: map[string]sent{},
		film: &Film{
			Format: Format, Seed: plan.Seed.String(), Profile: plan.Profile, Start: plan.Start,
			Instances: plan.Settings.Instances, Story: []Step{}, Wrongs: []Wrong{}, Outages: []Outage{},
			Callbacks: []Callback{}, Lines: []Line{}, Postings: []Posting{}, Inbox: []InboxStep{}, Cases: []CaseStep{},
		},
	}
	references := map[string]string{}
	for _, ch := range plan.Charges {
		references[ch.ID] = ch.Reference
	}
	for i := range plan.Payments {
		p := &plan.Payments[i]
		c.bySub[p.ID] = p
		c.known[p.EndToEndID] = len(c.film.Pix)
		c.film.Pix = append(c.film.Pix, Pix{EndToEndID: p.EndToEndID, Subject: p.ID, Cents: p.AmountCents, Charge: references[p.Charge]})
	}
	return c
}

// commit notes one change set.
func (c *camera) commit(at chaos.Instant, actor string, event int64, cs *receiver.ChangeSet) {
	f := c.film
	for _, t := range cs.Transactions {
		f.Postings = append(f.Postings, posting(at, actor, event, t))
	}
	for _, e := range cs.Events {
		a := e.After
		f.Inbox = append(f.Inbox, InboxStep{
			T: at, ID: a.ID, Key: a.Key, EndToEndID: string(a.EndToEndID()), State: string(a.State),
			Quarantine: string(a.Quarantine), Reason: a.Reason, Attempts: a.Attempts,
		})
		if a.Credit != nil {
			c.speakOf(string(a.Credit.EndToEndID), string(a.Credit.TxID), int64(a.Credit.Amount))
		}
	}
	for _, x := range cs.Cases {
		f.Cases = append(f.Cases, CaseStep{
			T: at, ID: x.After.ID, EndToEndID: string(x.After.EndToEndID), Account: string(x.After.Account), Reason: strings.Join(x.After.Reasons, "; "),
			State: string(x.After.State), Cents: int64(x.After.Amount),
		})
	}
}

// speakOf adds a Pix that the plan does not hold, and completes one that it does.
func (c *camera) speakOf(e2e, txid string, cents int64) {
	i, ok := c.known[e2e]
	if !ok {
		i = len(c.film.Pix)
		c.known[e2e] = i
		c.film.Pix = append(c.film.Pix, Pix{EndToEndID: e2e, Cents: cents})
	}
	if c.film.Pix[i].TxID == "" {
		c.film.Pix[i].TxID = txid
	}
}

func posting(at chaos.Instant, actor string, event int64, t receiver.Transaction) Posting {
	p := Posting{N: event, T: at, Reference: t.Reference, Actor: actor, Instance: instanceOf(actor), Accounts: map[string]int64{}}
	for _, e := range t.Entries {
		p.Accounts[string(e.Account)] += int64(e.Cents)
		if e.EndToEndID != "" {
			p.E2E = string(e.EndToEndID)
		}
		if e.Account == receiver.AccountSettlement {
			p.Key, p.Cents = lineKey(string(e.EndToEndID), string(e.ReturnID)), p.Cents+int64(e.Cents)
		}
	}
	return p
}

// lineKey names a line of the statement: a Pix, or a return of one.
func lineKey(e2e, returned string) string {
	if returned == "" {
		return e2e
	}
	return e2e + "/" + returned
}

// instanceOf is the number in an actor's name "receiver/2/…", 0 if it is none.
func instanceOf(actor string) int {
	rest, ok := strings.CutPrefix(actor, "receiver/")
	if !ok {
		return 0
	}
	number, _, _ := strings.Cut(rest, "/")
	number, _, _ = strings.Cut(number, "#")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return n
}

// develop reads the trace and the statement and fills the film in.
func (c *camera) develop(trace []byte, statement []pix.StatementLine) error {
	f, sum := c.film, sha256.New()
	for line := range bytes.Lines(trace) {
		var e traceEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("read trace event %d: %w", len(c.events)+1, err)
		}
		c.events = append(c.events, e)
		sum.Write(line)
		f.Events = append(f.Events, Event{
			N: e.N, T: e.T, Actor: e.Actor, Kind: e.Kind, Detail: e.Detail, Subject: e.subject(),
			Hash: hex.EncodeToString(sum.Sum(nil)[:4]),
		})
		c.follow(e)
	}
	for _, l := range statement {
		f.Lines = append(f.Lines, Line{
			Key: lineKey(string(l.EndToEndID), l.ID), EndToEndID: string(l.EndToEndID), Kind: string(l.Kind),
			Cents: l.Signed(), T: chaos.Span(l.SettledAt.Sub(c.plan.Start)),
		})
		c.speakOf(string(l.EndToEndID), "", l.Cents)
	}
	c.outages()
	c.book()
	c.compare()
	return nil
}

func (e traceEvent) subject() string {
	if s := e.IDs["subject"]; s != "" {
		return s
	}
	return e.IDs["e2e"]
}

// judge takes the report over, and ends the film.
func (c *camera) judge(r *scenarios.Report) {
	f := c.film
	f.Hash, f.Verdict, f.Pending = r.Hash, string(r.Verdict), r.Pending
	for _, i := range r.Invariants {
		v := Invariant{ID: i.ID, Held: i.Held, Detail: i.Detail, N: i.Event}
		if n := int(i.Event); !i.Held && n > 0 && n <= len(c.events) {
			v.T = c.events[n-1].T
		}
		f.Invariants = append(f.Invariants, v)
	}
	c.end()
	c.tell()
}
