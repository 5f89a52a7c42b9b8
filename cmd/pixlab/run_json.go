package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/pixlab/pixlab/scenarios"
)

// runJSON is the report of a run for machines.
type runJSON struct {
	Verdict    scenarios.Verdict    `json:"verdict"`
	Seed       string               `json:"seed"`
	Profile    string               `json:"profile"`
	Mode       string               `json:"mode"`
	Receiver   string               `json:"receiver"`
	Version    string               `json:"version"`
	PlanHash   string               `json:"plan_hash"`
	Hash       *string              `json:"hash"` // null in live
	Events     int64                `json:"events"`
	Payments   int                  `json:"payments"`
	Faults     map[string]faultJSON `json:"faults"`
	Invariants []invariantJSON      `json:"invariants"`
	Totals     totalsJSON           `json:"totals"`
	Inbox      inboxJSON            `json:"inbox"`
	Refunds    refundsJSON          `json:"refunds"`
	Payouts    payoutsJSON          `json:"payouts"`
	CasesOpen  int                  `json:"cases_open"`
	Voids      []voidJSON           `json:"voids"`
	Pending    []string             `json:"pending"`
	Skipped    []string             `json:"skipped,omitempty"`
	Inevitable *turningJSON         `json:"inevitable,omitempty"`
	Simulated  int64                `json:"simulated_ms"`
	Elapsed    int64                `json:"elapsed_ms"`
	Repeat     string               `json:"repeat"`
}

type faultJSON struct {
	Planned int `json:"planned"`
	Fired   int `json:"fired"`
}

type invariantJSON struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Held   bool   `json:"held"`
	Detail string `json:"detail"`
}

type totalsJSON struct {
	Statement int64 `json:"statement_cents"`
	Ledger    int64 `json:"ledger_cents"`
}

type inboxJSON struct {
	Processed   int `json:"processed"`
	Quarantined int `json:"quarantined"`
	Pending     int `json:"pending"`
}

type refundsJSON struct {
	Returned  int   `json:"returned"`
	Cents     int64 `json:"returned_cents"`
	InProcess int64 `json:"in_process_cents"`
}

type payoutsJSON struct {
	Confirmed int   `json:"confirmed"`
	Cents     int64 `json:"confirmed_cents"`
	Returned  int64 `json:"returned_cents"`
	InTransit int64 `json:"in_transit_cents"`
}

type voidJSON struct {
	Payment string `json:"payment"`
	Reason  string `json:"reason"`
}

// The modes that a plan is run in.
const (
	modeModel = "model"
	modeLive  = "live"
)

// mode is the run's.
func (r *finished) mode() string {
	if r.live {
		return modeLive
	}
	return modeModel
}

func (r *finished) encode() []byte {
	plan := r.source.plan
	out := runJSON{
		Verdict: r.Verdict, Seed: plan.Seed.String(), Profile: plan.Profile, Mode: r.mode(), Receiver: r.receiver,
		Version: version(), PlanHash: plan.Hash(), Hash: r.hash(), Events: r.Events, Payments: len(plan.Payments),
		Faults: map[string]faultJSON{}, Invariants: []invariantJSON{}, Voids: []voidJSON{},
		Totals:    totalsJSON{Statement: r.StatementCents, Ledger: r.LedgerCents},
		Inbox:     inboxJSON{Processed: r.Processed, Quarantined: r.Quarantined, Pending: r.PendingInbox},
		Refunds:   refundsJSON{Returned: r.Refunds, Cents: r.RefundedCents, InProcess: r.InProcessCents},
		Payouts:   payoutsJSON{r.Payouts, r.PaidCents, r.ReturnedCents, r.InTransitCents},
		CasesOpen: r.CasesOpen, Pending: append([]string{}, r.Pending...), Skipped: r.skipped,
		Simulated: r.SimulatedMS, Elapsed: r.elapsed.Milliseconds(), Repeat: r.repeat(),
	}
	if r.turning != nil {
		out.Inevitable = r.turning.encode()
	}
	if r.differs != nil {
		out.Pending = append(out.Pending, r.differs.sentence())
	}
	for _, k := range r.Faults {
		out.Faults[k.Kind] = faultJSON{Planned: k.Planned, Fired: k.Fired}
	}
	for _, i := range r.Invariants {
		out.Invariants = append(out.Invariants, invariantJSON{ID: i.ID, Name: i.Name, Held: i.Held, Detail: i.Detail})
	}
	for _, v := range r.Void {
		out.Voids = append(out.Voids, voidJSON(v))
	}
	return encodeJSON(out)
}

// hash is the trace's, nil where there is none.
func (r *finished) hash() *string {
	if r.live {
		return nil
	}
	return &r.Hash
}

// encodeJSON writes a result as indented JSON.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err)) // results hold strings and numbers alone
	}
	return b.Bytes()
}
