package pix_test

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/pix"
)

// notAmounts are texts near an amount that a looser reader would take.
var notAmounts = [...]string{
	"", "39.9", "97", "10.", ".50", "6,95", "1.234,56", "1,234.56", " 10.00", "10.00 ", "+10.00",
	"10.000", "98.9009", "-1.00", "1e2", "1e2.00", "12345678901.00", "１０.５０", "10．50", "10,50",
	"0x1.00", "1_0.00", "10.0O", "NaN", "10.5\u0660", "10.00\x00", "\ufeff10.00", "..00", "1..00", "1.0.0",
}

func TestParseAmountAccepts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pix.Amount{
		"0.00": 0, "0.01": 1, "10.50": 1050, "00.50": 50, "0000000001.00": 100, "9999999999.99": pix.MaxAmount,
	} {
		if got, err := pix.ParseAmount(text); err != nil || got != want {
			t.Errorf("ParseAmount(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestParseAmountRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range notAmounts {
		if got, err := pix.ParseAmount(text); err == nil {
			t.Errorf("ParseAmount(%q) = %d, want an error", text, got)
		}
	}
}

func TestMustAmountPanicsOnNoAmount(t *testing.T) {
	t.Parallel()
	if got := pix.MustAmount("10.50"); got != 1050 {
		t.Errorf("MustAmount = %d, want 1050", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("want a panic")
		}
	}()
	pix.MustAmount("10.5")
}

func TestAmountIsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a         pix.Amount
		text, brl string
	}{
		{0, "0.00", "R$ 0,00"},
		{5, "0.05", "R$ 0,05"},
		{1050, "10.50", "R$ 10,50"},
		{123456, "1234.56", "R$ 1.234,56"},
		{100000, "1000.00", "R$ 1.000,00"},
		{pix.MaxAmount, "9999999999.99", "R$ 9.999.999.999,99"},
		{-100, "-1.00", "-R$ 1,00"},
		{math.MinInt64, "-92233720368547758.08", "-R$ 92.233.720.368.547.758,08"},
	} {
		if got := c.a.String(); got != c.text {
			t.Errorf("%d.String() = %q, want %q", int64(c.a), got, c.text)
		}
		if got := c.a.BRL(); got != c.brl {
			t.Errorf("%d.BRL() = %q, want %q", int64(c.a), got, c.brl)
		}
	}
}

func TestAmountInJSON(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(pix.Amount(1050))
	if err != nil || string(got) != `"10.50"` {
		t.Errorf("Marshal(1050) = %s, %v", got, err)
	}
	for _, a := range []pix.Amount{-1, pix.MaxAmount + 1} {
		if got, err := json.Marshal(a); err == nil {
			t.Errorf("Marshal(%d) = %s, want an error", int64(a), got)
		}
	}
	for _, text := range []string{`10.5`, `10.50`, `null`, `true`, `["10.50"]`, `"10.5"`, `""`} {
		a := pix.Amount(7)
		if err := json.Unmarshal([]byte(text), &a); err == nil || a != 7 {
			t.Errorf("Unmarshal(%s) = %d, %v, want an error and no change", text, a, err)
		}
	}
	if err := new(pix.Amount).UnmarshalJSON([]byte(`"10.500`)); err == nil {
		t.Error("a string without its closing quote was read")
	}
}

func TestAmountRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := pix.Amount(rapid.Int64Range(0, int64(pix.MaxAmount)).Draw(t, "cents"))
		got, err := pix.ParseAmount(want.String())
		if err != nil || got != want {
			t.Fatalf("ParseAmount(%q) = %d, %v", want.String(), got, err)
		}
	})
}

func FuzzParseAmount(f *testing.F) {
	for _, text := range notAmounts {
		f.Add(text)
	}
	f.Add("10.50")
	f.Add("0000000001.00")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := pix.ParseAmount(text)
		if err != nil {
			return
		}
		if !a.Valid() {
			t.Fatalf("ParseAmount(%q) = %d, outside the wire", text, a)
		}
		// The same bytes but for leading zeros, which the pattern allows.
		for len(text) > len("0.00") && text[0] == '0' {
			text = text[1:]
		}
		if a.String() != text {
			t.Fatalf("%q came back as %q", text, a)
		}
	})
}
