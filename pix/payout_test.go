package pix

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func samplePayout() Payout {
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	return Payout{
		Key: "K1", EndToEndID: "E99999008202603021200abcdefghijk", Amount: 8000, PixKey: "pay@ex.example", Status: PayoutConfirmed,
		RequestedAt: at, SettledAt: at.Add(time.Second), Reason: "",
		Returns: []PayoutReturn{{ReturnID: "D99999008202603021200abcdefghijk", Amount: 100, SettledAt: at.Add(time.Hour)}},
	}
}

func TestPayoutKeepsItsMembers(t *testing.T) {
	t.Parallel()
	want := samplePayout()
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Payout
	if err := json.Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read back %+v, %v; want %+v", got, err, want)
	}
	items, err := ParsePayoutCallback(EncodePayoutCallback([]Payout{want, {}}))
	if err != nil || len(items) != 2 {
		t.Fatalf("callback: %v, %v", items, err)
	}
	if items[0].Err != nil || !reflect.DeepEqual(items[0].Payout, want) {
		t.Errorf("first item: %+v, %v", items[0].Payout, items[0].Err)
	}
	if items[1].Err == nil || items[1].Payout.Key != "" {
		t.Errorf("an empty payout passed as %+v", items[1].Payout)
	}
}

func TestPayoutCallbackThatIsNone(t *testing.T) {
	t.Parallel()
	for _, body := range []string{``, `[]`, `{}`, `{"pagamentos":null}`, `{"pagamentos":7}`, `{"pagamentos":[`} {
		if _, err := ParsePayoutCallback([]byte(body)); !errors.Is(err, ErrCallback) {
			t.Errorf("%s: %v", body, err)
		}
	}
	good := string(EncodePayoutCallback([]Payout{samplePayout()}))
	for _, change := range [][2]string{
		{`"8.00"`, `8`}, {`"80.00"`, `"0.00"`}, {`"80.00"`, `"80,00"`}, {`"rtrId"`, `"rtr"`}, {`"E9`, `"E`}, {`"status"`, `"estado"`},
	} {
		items, err := ParsePayoutCallback([]byte(strings.Replace(good, change[0], change[1], 1)))
		if err != nil || len(items) != 1 {
			t.Fatalf("%v: %v", change, err)
		}
		if bad := strings.Contains(good, change[0]); bad != (items[0].Err != nil) {
			t.Errorf("%v: item error %v", change, items[0].Err)
		}
	}
}

func TestPayoutRequest(t *testing.T) {
	t.Parallel()
	want := PayoutRequest{Amount: 8000, PixKey: "pay@ex.example", EndToEndID: "E99999008202603021200abcdefghijk"}
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, found := ParsePayoutRequest(raw); got != want || len(found) > 0 {
		t.Errorf("got %+v, %v", got, found)
	}
	for _, body := range []string{``, `{}`, `{"valor":"0.00","chave":"a"}`, `{"valor":"1.00"}`, `{"valor":"1.00","chave":""}`, `{"valor":"1.00","chave":"a","endToEndId":"x"}`} {
		if _, found := ParsePayoutRequest([]byte(body)); len(found) == 0 {
			t.Errorf("%s passed", body)
		}
	}
	l := PayeeLookup{PixKey: "a", EndToEndID: want.EndToEndID}
	raw, _ = json.Marshal(l)
	var back PayeeLookup
	if err := json.Unmarshal(raw, &back); err != nil || back != l {
		t.Errorf("look-up read back as %+v, %v", back, err)
	}
}
