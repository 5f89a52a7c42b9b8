package fakepsp

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
)

func TestPayCompletesTheCharge(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.charge(1, "10.00")
	l.at(time.Minute + 999*time.Microsecond)
	o := order(1, "10.00")
	o.PayerNote = "obrigada"
	receipt, err := l.psp.Pay(o)
	if err != nil {
		t.Fatal(err)
	}
	if receipt.Pix.Subject != "p1" || !receipt.Pix.PaidAt.Equal(labStart.Add(time.Minute)) {
		t.Errorf("receipt %+v: want whole milliseconds", receipt)
	}
	c := l.getCharge(1)
	if c.Status != pix.ChargeCompleted || len(c.Payments) != 1 || c.Payments[0].EndToEndID != o.EndToEndID || c.Revision != 0 {
		t.Errorf("got %+v", c)
	}
	var got pix.Payment
	l.want(http.StatusOK, "GET", "/v2/pix/"+string(o.EndToEndID), "", &got)
	if got.TxID != o.TxID || got.PixKey != ourKey || got.PayerNote != "obrigada" || got.Amount != 1000 {
		t.Errorf("got %+v", got)
	}
	if l.psp.Balance() != 1000 || len(l.psp.Settled()) != 1 || len(l.psp.SettledSince(1)) != 0 {
		t.Errorf("balance %s, settled %v", l.psp.Balance(), l.psp.Settled())
	}
}

func TestAConformingPSPRefuses(t *testing.T) {
	t.Parallel()
	remove := func(l *lab) {
		l.want(http.StatusOK, "PATCH", cobPath(1), `{"status":"REMOVIDA_PELO_USUARIO_RECEBEDOR"}`, nil)
	}
	cases := []struct {
		name   string
		before func(l *lab)
		amount string
		status pix.ChargeStatus // after the lax payment
	}{
		{"another amount", func(*lab) {}, "10.01", pix.ChargeCompleted},
		{"a second Pix", func(l *lab) { o := order(1, "10.00"); o.EndToEndID = e2eOf(9); l.pay(o) }, "10.00", pix.ChargeCompleted},
		{"an expired charge", func(l *lab) { l.at(time.Hour + time.Millisecond) }, "10.00", pix.ChargeCompleted},
		{"a removed charge", remove, "10.00", pix.ChargeRemovedByMerchant},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t)
			l.charge(1, "10.00")
			tc.before(l)
			version, n := l.psp.Version(), len(l.psp.Settled())
			o := order(1, tc.amount)
			var refused *NotPayable
			if _, err := l.psp.Pay(o); !errors.As(err, &refused) {
				t.Fatalf("got %v, want NotPayable", err)
			}
			if l.psp.Version() != version || len(l.psp.Settled()) != n {
				t.Error("a void payment changed the truth")
			}
			o.Lax = true
			l.pay(o)
			if c := l.getCharge(1); c.Status != tc.status || len(c.Payments) != n+1 {
				t.Errorf("lax: got %s with %d pix", c.Status, len(c.Payments))
			}
		})
	}
	t.Run("a charge that is not there, lax or not", func(t *testing.T) {
		l := newLab(t)
		o := order(1, "10.00")
		o.Lax = true
		var refused *NotPayable
		if _, err := l.psp.Pay(o); !errors.As(err, &refused) {
			t.Fatalf("got %v, want NotPayable", err)
		}
	})
	t.Run("not the last instant before expiry", func(t *testing.T) {
		l := newLab(t)
		l.charge(1, "10.00")
		l.at(time.Hour)
		l.pay(order(1, "10.00"))
	})
}

func TestPayWithoutACharge(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.register()
	l.pay(PayOrder{Payment: "p1", EndToEndID: e2eOf(1), TxID: "CAFE01", Static: true, Amount: 500})
	l.pay(PayOrder{Payment: "p2", EndToEndID: e2eOf(2), TxID: "CAFE01", Static: true, Amount: 700})
	l.pay(PayOrder{Payment: "p3", EndToEndID: e2eOf(3), Amount: 900, PixKey: ourKey2})
	for _, want := range []string{"p1", "p2"} {
		if a := l.take(); a.Address.Subject != want {
			t.Errorf("got callback of %s, want %s", a.Address.Subject, want)
		}
	}
	if a := l.psp.Take(); a != nil {
		t.Errorf("a Pix to the bare key has no callback, got %s", name(a.Address))
	}
	if l.psp.Balance() != 2100 {
		t.Errorf("balance %s", l.psp.Balance())
	}
}

func TestPayingThePlanTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.charge(1, "10.00")
	first := order(1, "10.00")
	bare := PayOrder{Payment: "p2", EndToEndID: e2eOf(2), Amount: 100}
	l.pay(first)
	l.pay(bare)
	version := l.psp.Version()
	due, _ := l.psp.Due()
	for _, o := range []PayOrder{first, bare} {
		if _, err := l.psp.Pay(o); !errors.Is(err, ErrExists) {
			t.Errorf("%s again: got %v, want ErrExists", o.Payment, err)
		}
		o.Amount++
		if _, err := l.psp.Pay(o); !errors.Is(err, ErrExists) {
			t.Errorf("%s of another amount: got %v, want ErrExists", o.Payment, err)
		}
	}
	if again, _ := l.psp.Due(); l.psp.Version() != version || l.psp.Balance() != 1100 || !again.Equal(due) {
		t.Error("the second time changed something")
	}
}

func TestIDsThatDifferInOneBitAreTwoPix(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ids := []pix.EndToEndID{
		"E12345678202603021200abcdefghijk", "E12345678202603021200abcdefghijK",
		"e12345678202603021200abcdefghijk", "E12345678202603021200abcdefghij1",
	}
	for _, id := range ids {
		l.pay(PayOrder{EndToEndID: id, Amount: 100})
	}
	if n := len(l.psp.Settled()); n != len(ids) {
		t.Errorf("got %d pix, want %d", n, len(ids))
	}
}

func TestOrdersNoPayerCanSend(t *testing.T) {
	t.Parallel()
	good := PayOrder{EndToEndID: e2eOf(1), Amount: 100}
	for name, change := range map[string]func(*PayOrder){
		"short endToEndId":  func(o *PayOrder) { o.EndToEndID = "E1" },
		"amount of zero":    func(o *PayOrder) { o.Amount = 0 },
		"too large":         func(o *PayOrder) { o.Amount = pix.MaxAmount + 1 },
		"key not ours":      func(o *PayOrder) { o.PixKey = "outra@example.com" },
		"static of 26":      func(o *PayOrder) { o.TxID, o.Static = "abcdefghijklmnopqrstuvwxyz", true },
		"static without id": func(o *PayOrder) { o.Static = true },
		"txid with a dash":  func(o *PayOrder) { o.TxID = "a-b" },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			o := good
			change(&o)
			var refused *NotPayable
			if _, err := l.psp.Pay(o); err == nil || errors.As(err, &refused) {
				t.Errorf("got %v, want a plain error", err)
			}
		})
	}
}

func TestConfigSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"no keys":   func(c *Config) { c.PixKeys = nil },
		"empty key": func(c *Config) { c.PixKeys = []pix.PixKey{""} },
		"no clock":  func(c *Config) { c.Now = nil },
		"no secret": func(c *Config) { c.Secret.Key = nil },
		"bad ispb":  func(c *Config) { c.ISPB = "123" },
		"bad lag":   func(c *Config) { c.StatementLag = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{PixKeys: []pix.PixKey{ourKey}, Now: func() time.Time { return labStart }, Secret: pix.Secret{Key: []byte("k")}}
			change(&cfg)
			if _, err := New(cfg); err == nil {
				t.Error("New took it")
			}
		})
	}
}
