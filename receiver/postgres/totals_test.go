package postgres_test

import (
	"testing"

	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/receiver/postgres"
)

func TestTotalsTellWhatIsThere(t *testing.T) {
	t.Parallel()
	s := open(t, postgres.Config{Rules: rules(), Now: start})
	_, err := s.CreateCharges(t.Context(), []receiver.NewCharge{charge(1)})
	must(t, true, err)
	bad := item(3, 3)
	bad.Key, bad.Credit, bad.Invalid = "invalid:3", nil, "no Pix"
	_, err = s.AppendInbox(t.Context(), []receiver.InboxItem{item(1, 1), item(2, 2), bad})
	must(t, true, err)
	events, err := s.ClaimEvents(t.Context(), lease(1))
	apps := applications(must(t, events, err))
	apps[0].Confirmed = &receiver.Credit{EndToEndID: e2e(1), TxID: txid(1), PixKey: ourKey, Amount: 1000, PaidAt: start()}
	_, err = s.ApplyEvents(t.Context(), apps)
	must(t, true, err)
	got, err := s.Totals(t.Context())
	want := postgres.Totals{Received: 1, Bad: 1, Oldest: start(), Settlement: 1000}
	if must(t, got, err) != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
