package fakepsp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/pix"
)

const payee = pix.PixKey("fulana@example.com")

// payoutLab is a lab with 100.00 in the account, whose payouts have the terms given.
func payoutLab(t *testing.T, terms PayoutTerms, change func(*Config), faults ...chaos.Deviation) *lab {
	t.Helper()
	l := newLabWith(t, func(c *Config) {
		c.PayoutTerms = func(string) PayoutTerms { return terms }
		if change != nil {
			change(c)
		}
	}, faults...)
	l.pay(PayOrder{EndToEndID: e2eOf(1), Amount: 100_00})
	return l
}

// post asks for a payout under a key and wants a status.
func (l *lab) post(status int, key, amount string, id pix.EndToEndID) pix.Payout {
	l.t.Helper()
	cents, err := pix.ParseAmount(amount)
	if err != nil {
		l.t.Fatal(err)
	}
	body, err := json.Marshal(pix.PayoutRequest{Amount: cents, PixKey: payee, EndToEndID: id})
	if err != nil {
		l.t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/pagamentos/pix", strings.NewReader(string(body)))
	if key != "" {
		r.Header.Set(payoutKeyHeader, key)
	}
	reply := l.psp.Handle(r)
	if reply.Status != status {
		l.t.Fatalf("post %q %s: got %d %s, want %d", key, amount, reply.Status, reply.Body, status)
	}
	var p pix.Payout
	if status == http.StatusCreated {
		if err := json.Unmarshal(reply.Body, &p); err != nil {
			l.t.Fatal(err)
		}
	}
	return p
}

// byKey asks for a payout by its key.
func (l *lab) byKey(key string) (p pix.Payout) {
	l.t.Helper()
	l.want(http.StatusOK, "GET", "/pagamentos/pix/chave-idempotencia/"+key, "", &p)
	return p
}

func TestPayoutUnderOneKeyIsOne(t *testing.T) {
	t.Parallel()
	l := payoutLab(t, PayoutTerms{}, func(c *Config) { c.PayoutKeyTTL = time.Hour })
	first := l.post(http.StatusCreated, "k1", "30.00", "")
	if first.Status != pix.PayoutConfirmed || first.EndToEndID == "" {
		t.Errorf("got %+v", first)
	}
	if again := l.post(http.StatusCreated, "k1", "30.00", ""); again.EndToEndID != first.EndToEndID {
		t.Errorf("another payout: %+v", again)
	}
	l.post(http.StatusUnprocessableEntity, "k1", "30.01", "")
	l.post(http.StatusBadRequest, "", "30.00", "")
	l.now = l.now.Add(time.Hour - time.Millisecond)
	if again := l.post(http.StatusCreated, "k1", "30.00", ""); again.EndToEndID != first.EndToEndID {
		t.Errorf("the key's time is not over: %+v", again)
	}
	l.now = l.now.Add(time.Millisecond)
	second := l.post(http.StatusCreated, "k1", "30.00", "")
	if second.EndToEndID == first.EndToEndID {
		t.Error("the key's time is over, and no second payout")
	}
	if got := l.byKey("k1"); got.EndToEndID != second.EndToEndID {
		t.Errorf("the key shows %+v", got)
	}
	var p pix.Payout
	if l.want(http.StatusOK, "GET", "/pagamentos/pix/"+string(first.EndToEndID), "", &p); p.Amount != 30_00 {
		t.Errorf("by its id: %+v", p)
	}
	if got := l.psp.Balance(); got != 40_00 {
		t.Errorf("balance %s", got)
	}
}

func TestPayoutsNeverTakeTheBalanceBelowZero(t *testing.T) {
	t.Parallel()
	l := payoutLab(t, PayoutTerms{SettleAfter: time.Minute}, nil)
	l.post(http.StatusCreated, "k1", "60.00", "")
	l.post(http.StatusUnprocessableEntity, "k2", "40.01", "") // the first holds its money
	l.post(http.StatusCreated, "k3", "40.00", "")
	l.call("PUT", refundPath(1, "A"), `{"valor":"0.01"}`)
	if rows := l.psp.Refunds(); len(rows) != 0 {
		t.Errorf("refunded from nothing: %+v", rows)
	}
	l.at(time.Minute)
	l.byKey("k1")
	if got := l.psp.Balance(); got != 0 || l.psp.Reserved() != 0 {
		t.Errorf("balance %s, reserved %s", got, l.psp.Reserved())
	}
}

func TestPayoutOutcomes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		terms   PayoutTerms
		status  pix.PayoutStatus
		balance pix.Amount
		kinds   string
	}{
		"confirmed":     {PayoutTerms{SettleAfter: time.Minute}, pix.PayoutConfirmed, 40_00, "pix_in pix_out"},
		"rejected late": {PayoutTerms{SettleAfter: time.Minute, Rejects: true}, pix.PayoutRejected, 100_00, "pix_in"},
		"come back": {PayoutTerms{Returns: []ReturnTerms{{After: time.Minute, Amount: 20_00}, {After: 2 * time.Minute, Amount: 40_00}}},
			pix.PayoutConfirmed, 100_00, "pix_in pix_out return_in return_in"},
		"in part": {PayoutTerms{Returns: []ReturnTerms{{After: time.Minute, Amount: 20_00}}}, pix.PayoutConfirmed, 60_00, "pix_in pix_out return_in"},
	} {
		t.Run(name, func(t *testing.T) {
			l := payoutLab(t, tc.terms, nil)
			l.post(http.StatusCreated, "k1", "60.00", "")
			l.at(3 * time.Minute)
			if got := l.byKey("k1"); got.Status != tc.status {
				t.Errorf("got %s", got.Status)
			}
			if got := l.psp.Balance(); got != tc.balance {
				t.Errorf("balance %s, want %s", got, tc.balance)
			}
			var kinds []string
			for _, s := range l.psp.Statement(labStart, l.now.Add(time.Hour)) {
				kinds = append(kinds, string(s.Kind))
			}
			if got := strings.Join(kinds, " "); got != tc.kinds {
				t.Errorf("statement %q, want %q", got, tc.kinds)
			}
		})
	}
}

func TestPayoutIDOfTheLookUp(t *testing.T) {
	t.Parallel()
	l := payoutLab(t, PayoutTerms{}, func(c *Config) { c.PayoutIDs = PayoutIDsLookup })
	var look pix.PayeeLookup
	l.want(http.StatusOK, "GET", "/pagamentos/chaves/"+string(payee), "", &look)
	l.post(http.StatusUnprocessableEntity, "k1", "1.00", e2eOf(9)) // was not handed out
	if p := l.post(http.StatusCreated, "k2", "1.00", look.EndToEndID); p.EndToEndID != look.EndToEndID {
		t.Errorf("got %s, want %s", p.EndToEndID, look.EndToEndID)
	}
	l.post(http.StatusUnprocessableEntity, "k3", "1.00", look.EndToEndID) // is used
	if got := l.psp.Balance(); got != 99_00 {
		t.Errorf("balance %s", got)
	}
	assigned := payoutLab(t, PayoutTerms{}, nil)
	assigned.want(http.StatusNotFound, "GET", "/pagamentos/chaves/"+string(payee), "", nil)
}

func TestCheckCatchesABrokenTruthOfPayouts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]InsertPayoutFunc{
		"loses a payout": func(*Truth, PayoutRow) error { return nil },
		"takes it twice": func(truth *Truth, row PayoutRow) error {
			truth.AppendPayout(row)
			truth.AppendPayout(row)
			return nil
		},
		"writes another amount": func(truth *Truth, row PayoutRow) error {
			row.Amount++
			return StrictInsertPayout(truth, row)
		},
		"writes another key": func(truth *Truth, row PayoutRow) error {
			row.Key += "x"
			return StrictInsertPayout(truth, row)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := payoutLab(t, PayoutTerms{SettleAfter: time.Hour}, func(c *Config) { c.InsertPayout = tc })
			body := `{"valor":"1.00","chave":"` + string(payee) + `"}`
			r := httptest.NewRequest(http.MethodPost, "/pagamentos/pix", strings.NewReader(body))
			r.Header.Set(payoutKeyHeader, "k1")
			if reply := l.psp.Handle(r); reply.Status == http.StatusBadRequest {
				t.Fatalf("%s", reply.Body)
			}
			if err := l.psp.Check(); err == nil {
				t.Error("nothing noticed")
			}
		})
	}
}
