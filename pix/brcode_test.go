package pix_test

import (
	"strings"
	"testing"

	"github.com/pixlab/pixlab/pix"
)

func TestBRCodeVectors(t *testing.T) {
	t.Parallel()
	// The sample of the Central Bank's manual.
	static := pix.StaticBRCode{Key: "123e4567-e12b-12d1-a456-426655440000", Name: "Fulano de Tal", City: "BRASILIA"}
	const wantStatic = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000" +
		"5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D"
	if got := static.String(); got != wantStatic {
		t.Errorf("static:\n got %s\nwant %s", got, wantStatic)
	}
	dynamic := pix.DynamicBRCode{
		URL:  "pix.example.com/qr/v2/2353c790eefb11eaadc10242ac120002",
		Name: "LOJA DE TESTE", City: "SAO PAULO",
	}
	const wantDynamic = "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/2353c790eefb11eaadc10242ac120002" +
		"5204000053039865802BR5913LOJA DE TESTE6009SAO PAULO62070503***6304A45A"
	if got := dynamic.String(); got != wantDynamic {
		t.Errorf("dynamic:\n got %s\nwant %s", got, wantDynamic)
	}
}

func TestStaticBRCodeCarriesItsParts(t *testing.T) {
	t.Parallel()
	got := pix.StaticBRCode{
		Key: "k", Text: "Pedido nº 7: açaí", Amount: 1050, Name: "José Ação Comércio de Alimentos", City: "São João del-Rei", TxID: "A1",
	}.String()
	for _, part := range []string{
		"0101k", "0217Pedido no 7: acai", "540510.50", "5925Jose Acao Comercio de Ali", "6015Sao Joao del-Re", "62060502A1",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%s lacks %s", got, part)
		}
	}
	for i := range len(got) {
		if got[i] >= 0x80 {
			t.Fatalf("not ASCII: %s", got)
		}
	}
}

func TestBRCodeTakesAccentsOff(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏ": "AAAAAACEEEEIIII", "ÑÒÓÔÕÖØÙÚÛÜÝ": "NOOOOOOUUUUY",
		"àáâãäåçèéêëìíîï": "aaaaaaceeeeiiii", "ñòóôõöøùúûüýÿ": "noooooouuuuyy",
		"Straße ªº Æon": "Strasse ao aeon", "Jose\u0301 \n": "Jose",
	} {
		got := pix.DynamicBRCode{URL: "x/1", Name: name, City: "C"}.String()
		if !strings.Contains(got, want+"6001C") {
			t.Errorf("%s: %s lacks %s", name, got, want)
		}
	}
}

func TestStaticBRCodeCutsTheTextAndNeverTheKey(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 60, 72, 73, 74, 77} {
		key := strings.Repeat("k", n)
		got := pix.StaticBRCode{Key: pix.PixKey(key), Text: strings.Repeat("t", 99), Name: "N", City: "C"}.String()
		if !strings.Contains(got, key) {
			t.Fatalf("the key of %d is not in %s", n, got)
		}
		if wantText := n < 73; strings.Contains(got, "t5204") != wantText {
			t.Errorf("key of %d: text present %v, want %v: %s", n, !wantText, wantText, got)
		}
	}
}

func TestBRCodeIsEmptyWhereThePartsMakeNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]interface{ String() string }{
		"no key":        pix.StaticBRCode{Name: "N", City: "C"},
		"key long":      pix.StaticBRCode{Key: pix.PixKey(strings.Repeat("k", 78)), Name: "N", City: "C"},
		"txid long":     pix.StaticBRCode{Key: "k", Name: "N", City: "C", TxID: testTxID},
		"txid dashed":   pix.StaticBRCode{Key: "k", Name: "N", City: "C", TxID: "a-1"},
		"negative":      pix.StaticBRCode{Key: "k", Name: "N", City: "C", Amount: -1},
		"no name":       pix.StaticBRCode{Key: "k", Name: "日本", City: "C"},
		"no city":       pix.DynamicBRCode{URL: "x/1", Name: "N"},
		"no URL":        pix.DynamicBRCode{Name: "N", City: "C"},
		"URL of scheme": pix.DynamicBRCode{URL: "https://x/1", Name: "N", City: "C"},
		"URL long":      pix.DynamicBRCode{URL: strings.Repeat("x", 78), Name: "N", City: "C"},
	} {
		if got := c.String(); got != "" {
			t.Errorf("%s: got %s", name, got)
		}
	}
}
