package pix_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
)

func TestSignMatchesAKnownVector(t *testing.T) {
	t.Parallel()
	got := pix.Sign(pix.Secret{ID: "k1", Key: []byte("key")}, time.UnixMilli(1600000000999), []byte(`{"pix":[]}`))
	// printf '1600000000.{"pix":[]}' | openssl dgst -sha256 -hmac key
	const want = "t=1600000000,kid=k1,v1=fe17ab6862818c16f6c0263a3e58d93ced26b114c6288566d12c1be4f1664cc3"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	old, young := pix.Secret{ID: "k1", Key: []byte("one")}, pix.Secret{ID: "k2", Key: []byte("two")}
	v := pix.Verifier{Secrets: []pix.Secret{old, young}, Tolerance: 5 * time.Minute}
	body := []byte(`{ "pix" : [] , "x":"\u00e9" }`)
	at := time.Unix(1600000000, 0)
	good := pix.Sign(old, at, body)
	sum := good[strings.Index(good, "v1="):]
	for name, c := range map[string]struct {
		header string
		body   string
		now    time.Time
		want   error
	}{
		"good":                  {good, string(body), at, nil},
		"second secret":         {pix.Sign(young, at, body), string(body), at, nil},
		"other order and field": {sum + ",v2=x,kid=k1,t=1600000000", string(body), at, nil},
		"missing":               {"", string(body), at, pix.ErrSignatureMissing},
		"no fields":             {"x", string(body), at, pix.ErrSignatureMalformed},
		"no time":               {"kid=k1," + sum, string(body), at, pix.ErrSignatureMalformed},
		"time twice":            {good + ",t=1600000000", string(body), at, pix.ErrSignatureMalformed},
		"sum twice":             {good + "," + sum, string(body), at, pix.ErrSignatureMalformed},
		"time with zero":        {strings.Replace(good, "t=1", "t=01", 1), string(body), at, pix.ErrSignatureMalformed},
		"time signed":           {strings.Replace(good, "t=1", "t=+1", 1), string(body), at, pix.ErrSignatureMalformed},
		"time absurd":           {strings.Replace(good, "t=1", "t=9999999991", 1), string(body), at, pix.ErrSignatureMalformed},
		"sum cut":               {good[:len(good)-2], string(body), at, pix.ErrSignatureMalformed},
		"sum not hex":           {good[:len(good)-1] + "g", string(body), at, pix.ErrSignatureMalformed},
		"unknown key":           {strings.Replace(good, "k1", "k3", 1), string(body), at, pix.ErrSignatureUnknownKey},
		"other key":             {strings.Replace(good, "k1", "k2", 1), string(body), at, pix.ErrSignatureMismatch},
		"other time":            {strings.Replace(good, "t=1600000000", "t=1600000001", 1), string(body), at, pix.ErrSignatureMismatch},
		"one byte changed":      {good, strings.Replace(string(body), "e9", "e8", 1), at, pix.ErrSignatureMismatch},
		"written again":         {good, `{"pix":[],"x":"é"}`, at, pix.ErrSignatureMismatch},
		"old at the edge":       {good, string(body), at.Add(5 * time.Minute), nil},
		"future at the edge":    {good, string(body), at.Add(-5 * time.Minute), nil},
		"too old":               {good, string(body), at.Add(5*time.Minute + 1), pix.ErrSignatureExpired},
		"too young":             {good, string(body), at.Add(-5*time.Minute - 1), pix.ErrSignatureExpired},
		"old and wrong":         {good, "x", at.Add(time.Hour), pix.ErrSignatureMismatch},
		"centuries away":        {good, string(body), at.AddDate(400, 0, 0), pix.ErrSignatureExpired},
		"centuries before":      {good, string(body), at.AddDate(-400, 0, 0), pix.ErrSignatureExpired},
	} {
		if got := v.Verify(c.header, []byte(c.body), c.now); !errors.Is(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestVerifierWithoutKeysRefusesAll(t *testing.T) {
	t.Parallel()
	at := time.Unix(1600000000, 0)
	empty := pix.Secret{ID: "k1"}
	header := pix.Sign(empty, at, nil)
	for name, v := range map[string]pix.Verifier{"zero": {}, "empty key": {Secrets: []pix.Secret{empty}}} {
		if got := v.Verify(header, nil, at); !errors.Is(got, pix.ErrSignatureUnknownKey) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestVerifyTriesEverySecretOfOneID(t *testing.T) {
	t.Parallel()
	at := time.Unix(1600000000, 0)
	v := pix.Verifier{Secrets: []pix.Secret{{ID: "k", Key: []byte("one")}, {ID: "k", Key: []byte("two")}}}
	for _, s := range v.Secrets {
		if err := v.Verify(pix.Sign(s, at, []byte("b")), []byte("b"), at); err != nil {
			t.Errorf("%s: %v", s.Key, err)
		}
	}
}
