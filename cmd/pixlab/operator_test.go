package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/live"
	"github.com/pixlab/pixlab/receiver/memory"
)

// desk is an administrators' port and the command line at it. Its tests set the
// environment, so they do not run beside others.
type desk struct {
	*testing.T
	store *memory.Store
	now   time.Time
}

const deskPix = pix.EndToEndID("E1234567820260302115900000000001")

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{T: t, now: time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)}
	rules := receiver.Rules{Keys: []pix.PixKey{"shop@ex"}, Endpoints: []string{"shop", "books"}}
	d.store = memory.New(memory.Config{Rules: rules, Now: func() time.Time { return d.now }})
	handler, err := live.NewAdmin(live.AdminConfig{
		Token: "a token of the admins", Store: d.store, Consumer: "merchant", Metrics: http.NotFoundHandler(),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	t.Setenv("PIXLAB_ADMIN_URL", s.URL)
	t.Setenv("PIXLAB_ADMIN_TOKEN", "a token of the admins")
	t.Setenv("PIXLAB_OPERATOR", "")
	return d
}

// run runs a command line and wants its exit code.
func (d *desk) run(code int, args ...string) (out, errs string) {
	d.Helper()
	var stdout, stderr bytes.Buffer
	if got := newCLI(strings.NewReader(""), &stdout, &stderr).execute(args); got != code {
		d.Fatalf("%q: exit code %d, want %d: %s%s", args, got, code, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

// says wants a command line to print some words.
func (d *desk) says(code int, words string, args ...string) {
	d.Helper()
	out, errs := d.run(code, args...)
	if !strings.Contains(out+errs, words) {
		d.Errorf("%q says %q, want %q", args, out+errs, words)
	}
}

// decides is a command line with an operator's name and note.
func decides(args ...string) []string {
	return append(args, "--operator", "ana", "--note", "she asked")
}

// aside puts a bad item and an unidentified Pix of 10.00 into the store.
func (d *desk) aside() {
	d.Helper()
	ctx := d.Context()
	c := receiver.Credit{EndToEndID: deskPix, PixKey: "shop@ex", Amount: 1000, PaidAt: d.now}
	_, err := d.store.AppendInbox(ctx, []receiver.InboxItem{
		{Source: "psp", Key: "invalid:x", Channel: receiver.ChannelCallback, Invalid: "no JSON", Raw: []byte("{"), ReceivedAt: d.now},
		{Source: "psp", Key: receiver.CreditKey(deskPix), Channel: receiver.ChannelSweep, Credit: &c, Confirmed: true, ReceivedAt: d.now},
	})
	if err != nil {
		d.Fatal(err)
	}
	events, err := d.store.ClaimEvents(ctx, receiver.Lease{Now: d.now, For: time.Minute, Limit: 9})
	if err != nil || len(events) != 1 {
		d.Fatalf("claimed %d, error %v", len(events), err)
	}
	apps := []receiver.Application{{EventID: events[0].ID, Version: events[0].Version, Now: d.now}}
	if _, err := d.store.ApplyEvents(ctx, apps); err != nil {
		d.Fatal(err)
	}
}

func TestAnOperatorDecidesAboutTheQuarantineFromTheCommandLine(t *testing.T) {
	d := newDesk(t)
	d.says(0, "none", "quarantine", "list")
	d.aside()
	d.says(0, "invalid:x", "quarantine", "list")
	d.says(0, "none", "quarantine", "list", "--kind", "waiting")
	d.says(2, "kind", "quarantine", "list", "--kind", "odd")
	d.says(0, `"key":"invalid:x"`, "quarantine", "show", "1", "--json")
	d.says(2, "no id", "quarantine", "show", "one")
	d.says(2, "no event 9", "quarantine", "show", "9")
	d.says(2, "--operator", "quarantine", "drop", "1")
	d.says(0, "dropped 1", decides("quarantine", "drop", "1")...)
	d.says(2, "not in quarantine", decides("quarantine", "requeue", "2")...)
	d.says(0, "drop event", "records")
	d.says(0, `"note":"she asked"`, "records", "--json")
}

func TestAnOperatorDecidesAboutCasesFromTheCommandLine(t *testing.T) {
	d := newDesk(t)
	d.aside()
	id := receiver.UnidentifiedCase(deskPix)
	d.says(0, id, "cases", "list")
	d.says(0, "none", "cases", "list", "--state", "closed")
	d.says(0, "suspense:nao_identificado", "cases", "show", id)
	d.says(2, "no case", "cases", "show", "other")
	d.says(2, "--reference", decides("cases", "attach", string(deskPix))...)
	d.says(2, receiver.ReasonNoCharge, decides("cases", "attach", string(deskPix), "--reference", "sale-1")...)
	d.says(2, "needs an account", decides("cases", "close", id)...)
	d.says(0, "closed "+id, decides("cases", "close", id, "--to", string(receiver.AccountToReturn))...)
	d.says(0, "close case", "records")
}

func TestAnOperatorReplaysAndSkipsDeadLettersFromTheCommandLine(t *testing.T) {
	d := newDesk(t)
	d.aside()
	d.says(0, "none", "outbox", "list")
	d.says(0, "waiting", "outbox", "list", "--all")
	var ids []string
	for _, endpoint := range []string{"shop", "books"} {
		out, err := d.store.LeaseOutbox(d.Context(), receiver.Lease{Now: d.now, For: time.Minute, Limit: 9, Endpoint: endpoint})
		if err != nil || len(out) != 1 {
			t.Fatalf("leased %d, error %v", len(out), err)
		}
		dead := receiver.OutboxResult{ID: out[0].ID, Version: out[0].Version, Dead: true}
		if _, err := d.store.FinishOutbox(d.Context(), []receiver.OutboxResult{dead}); err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(out[0].ID)
		ids = append(ids, string(raw))
	}
	d.says(0, "shop", "outbox", "list", "--endpoint", "shop")
	d.says(0, "none", "outbox", "list", "--endpoint", "nobody")
	d.says(0, "replayed "+ids[0], decides("outbox", "replay", ids[0])...)
	d.says(0, "skipped "+ids[1], decides("outbox", "skip", ids[1])...)
	d.says(2, "no dead letter", decides("outbox", "skip", ids[1])...)
	d.says(0, "none", "outbox", "list")
	d.says(0, "to books", "records")
}

// queued puts a payout of 6.00 into the conciliation queue, out of a Pix of 10.00.
func (d *desk) queued(reference string) {
	d.Helper()
	ctx := d.Context()
	if _, err := d.store.MatchStatement(ctx, []pix.StatementLine{{
		Kind: pix.KindPixIn, EndToEndID: deskPix, Cents: 1000, SettledAt: d.now,
	}}); err != nil {
		d.Fatal(err)
	}
	out, err := d.store.ReservePayouts(ctx, []receiver.NewPayout{{At: d.now, Payout: receiver.Payout{
		Consumer: "merchant", Reference: reference, PixKey: "payee@ex", Amount: 600, Key: "key of " + reference, DueAt: d.now,
	}}})
	if err != nil || out[0].Result != receiver.ReserveDone {
		d.Fatalf("reserve: %+v, error %v", out, err)
	}
	d.queuedAgain(reference)
}

// queuedAgain has the next call about an open payout end in the queue.
func (d *desk) queuedAgain(reference string) {
	d.Helper()
	ctx := d.Context()
	held, err := d.store.LeasePayouts(ctx, receiver.Lease{Now: d.now, For: time.Minute, Limit: 1})
	if err != nil || len(held) != 1 {
		d.Fatalf("leased %d, error %v", len(held), err)
	}
	if _, err := d.store.RecordPayouts(ctx, []receiver.PayoutCall{{
		Ref: receiver.PayoutRef{Consumer: "merchant", Reference: reference}, Version: held[0].Version, Queue: true, Now: d.now, DueAt: d.now,
	}}); err != nil {
		d.Fatal(err)
	}
}

func TestAnOperatorDecidesAboutTheConciliationQueueFromTheCommandLine(t *testing.T) {
	d := newDesk(t)
	d.says(0, "none", "payouts", "list")
	d.aside()
	d.queued("rent")
	d.says(0, "key of rent", "payouts", "list")
	d.says(0, `"queued":true`, "payouts", "list", "--json")
	d.says(2, "not both", "payouts", "list", "--open", "--all")
	d.says(0, "payee@ex", "payouts", "show", "rent")
	d.says(2, `no payout "wages" of merchant`, "payouts", "show", "wages")
	d.says(2, `no payout "rent" of kiosk`, "payouts", "show", "rent", "--consumer", "kiosk")
	d.says(2, "--note", "payouts", "fail", "rent", "--operator", "ana")
	d.says(2, "not in the conciliation queue", decides("payouts", "fail", "wages")...)
	d.says(2, "of kiosk is not in the conciliation queue", decides("payouts", "retry", "rent", "--consumer", "kiosk")...)
	d.says(0, "to be sent again: rent", decides("payouts", "retry", "rent")...)
	d.says(0, "none", "payouts", "list")
	d.says(0, "reserved", "payouts", "list", "--open")
	d.says(2, "not in the conciliation queue", decides("payouts", "retry", "rent")...)
	d.now = d.now.Add(time.Minute)
	d.queuedAgain("rent")
	d.says(0, "put back: rent", decides("payouts", "fail", "rent", "--consumer", "merchant")...)
	d.says(0, "none", "payouts", "list", "--open")
	d.says(0, "failed", "payouts", "list", "--all")
	d.says(0, "she asked", "payouts", "show", "rent")
	d.says(0, receiver.ResolveRetry+"  payout rent of merchant", "records")
	d.says(0, receiver.ResolveFailed+"   payout rent of merchant", "records")
}

func TestReportsAreReadFromTheCommandLine(t *testing.T) {
	d := newDesk(t)
	report := receiver.Report{Day: "2026-03-01", Lines: []receiver.KindTotal{{Kind: pix.KindPixIn, LineTotal: receiver.LineTotal{Lines: 3, Cents: 3000}}}}
	if _, err := d.store.CloseDay(d.Context(), receiver.DayClosing{Day: "2026-03-01", Body: report.Encode(), Now: d.now}); err != nil {
		t.Fatal(err)
	}
	d.says(0, "day 2026-03-01, closed", "report", "--day", "2026-03-01")
	d.says(0, "lines,,pix_in,,,3,3000", "report", "--day", "2026-03-01", "--format", "csv")
	if out, _ := d.run(0, "report", "--day", "2026-03-01", "--json"); out != string(report.Encode()) {
		t.Errorf("the report as stored: %s", out)
	}
	d.says(2, "not closed", "report", "--day", "2026-03-02")
	d.says(2, "want year, month and day", "report", "--day", "yesterday")
	d.says(2, "--format", "report", "--day", "2026-03-01", "--format", "pdf")
}

func TestAnOperatorHasAWindowReconciledFromTheCommandLine(t *testing.T) {
	d := newDesk(t)
	window := []string{"reconcile", "--from", "2026-03-01T00:00:00-03:00", "--to", "2026-03-02T00:00:00-03:00"}
	d.says(2, "--operator", window...)
	d.says(2, "--from", decides("reconcile", "--from", "monday", "--to", "2026-03-02T00:00:00-03:00")...)
	d.says(2, "after --from", decides("reconcile", "--from", "2026-03-01T00:00:00-03:00", "--to", "2026-02-02T00:00:00-03:00")...)
	d.says(3, "not reconciled yet", decides(append(window, "--wait", "0s")...)...)
	done := make(chan error, 1)
	go func() { done <- d.finishWindows(context.WithoutCancel(t.Context()), 2) }()
	d.says(0, "reconciliation of a window", decides(window...)...)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	d.says(0, receiver.ActionWindow, "records")
}

// finishWindows does what a receiver's reconciliation does, once so many windows
// were asked for.
func (d *desk) finishWindows(ctx context.Context, n int) error {
	for {
		open, err := d.store.ListWindows(ctx, receiver.WindowQuery{Open: true})
		if err != nil {
			return err
		}
		if len(open) < n {
			if err := (live.Clock{}).Sleep(ctx, time.Millisecond); err != nil {
				return err
			}
			continue
		}
		for _, w := range open {
			w.FinishedAt, w.Report = d.now, receiver.Report{From: w.From, To: w.To}.Encode()
			if _, err := d.store.FinishWindow(ctx, w); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestAnOperatorWithoutAReceiverIsTold(t *testing.T) {
	d := newDesk(t)
	t.Setenv("PIXLAB_ADMIN_TOKEN", "another token, of nobody")
	d.says(5, "PIXLAB_ADMIN_TOKEN", "cases", "list")
	t.Setenv("PIXLAB_ADMIN_TOKEN", "")
	d.says(2, "PIXLAB_ADMIN_TOKEN", "cases", "list")
	t.Setenv("PIXLAB_ADMIN_TOKEN", "a token of the admins")
	d.says(2, "--admin-url", "cases", "list", "--admin-url", "nowhere")
	d.says(5, "ask the receiver", "cases", "list", "--admin-url", "http://127.0.0.1:1")
	d.says(2, "want one of", "cases")
	d.says(2, "argument", "cases", "show")
}
