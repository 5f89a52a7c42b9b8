package pix_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/pix"
)

// item writes the least a Pix needs, with more members before its end.
func item(more string) string {
	return `{"endToEndId":"` + testE2E + `","valor":"10.50","horario":"2020-09-09T20:15:00.358Z"` + more + `}`
}

func refund(more string) string {
	return `{"id":"D1","rtrId":"` + testRtr + `","valor":"1.00","status":"DEVOLVIDO"` + more + `}`
}

func TestCallbackShapes(t *testing.T) {
	t.Parallel()
	one := item("")
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"standard":              {`{"pix":[` + one + `]}`, 1},
		"two":                   {`{"pix":[` + one + `,` + one + `]}`, 2},
		"root array":            {`[` + one + `]`, 1},
		"single object":         {`{"pix":` + one + `}`, 1},
		"empty array":           {`{"pix":[]}`, 0},
		"empty root array":      {` [ ] `, 0},
		"white space":           {" {\n\t\"pix\" : [ " + one + " , " + one + " ]\r\n} \n", 2},
		"unknown before":        {`{"x":{"pix":[1,"]"]},"pix":[` + one + `]}`, 1},
		"unknown after":         {`{"pix":[` + one + `],"pIx":null,"pixs":[{}],"n":-1.5e+300}`, 1},
		"escaped name":          {`{"\u0070ix":[` + one + `]}`, 1},
		"same pix twice":        {`{"pix":[` + one + `],"pix":[` + one + `]}`, 1},
		"elements of any type":  {`{"pix":[1,null,"x",[],{},true,` + one + `]}`, 7},
		"brackets inside texts": {`{"pix":[` + item(`,"infoPagador":"]}[{\"\\"`) + `]}`, 1},
	} {
		items, err := pix.ParseCallback([]byte(c.body))
		if err != nil || len(items) != c.want {
			t.Errorf("%s: got %d items, %v, want %d", name, len(items), err, c.want)
		}
	}
}

func TestCallbackRefusesOtherBodies(t *testing.T) {
	t.Parallel()
	one := item("")
	for name, body := range map[string]string{
		"empty":           ``,
		"blank":           ` `,
		"no JSON":         `pix=1`,
		"no pix":          `{}`,
		"other case":      `{"PIX":[` + one + `]}`,
		"only a payment":  one,
		"null pix":        `{"pix":null}`,
		"text pix":        `{"pix":"[]"}`,
		"number pix":      `{"pix":0}`,
		"null":            `null`,
		"text":            `"pix"`,
		"trailing":        `{"pix":[` + one + `]}x`,
		"two documents":   `{"pix":[` + one + `]}{"pix":[]}`,
		"cut":             `{"pix":[` + one + `,` + one[:40],
		"trailing comma":  `{"pix":[` + one + `,]}`,
		"byte order mark": "\ufeff" + `{"pix":[]}`,
		"NUL after":       `{"pix":[]}` + "\x00",
		"other pix twice": `{"pix":[` + one + `],"pix":[]}`,
		"absurd depth":    `{"pix":[` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `]}`,
	} {
		items, err := pix.ParseCallback([]byte(body))
		if !errors.Is(err, pix.ErrCallback) || items != nil {
			t.Errorf("%s: got %d items, %v, want ErrCallback", name, len(items), err)
		}
	}
}

func TestCallbackAcceptsItems(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"least":                item(``),
		"nulls":                item(`,"txid":null,"chave":null,"infoPagador":null,"devolucoes":null`),
		"no refunds":           item(`,"devolucoes":[]`),
		"one refund":           item(`,"devolucoes":[` + refund(``) + `]`),
		"refund as object":     item(`,"devolucoes":` + refund(``)),
		"refund of new words":  item(`,"devolucoes":[` + refund(`,"natureza":"MED_NOVA_2027","novo":{"a":[1]}`) + `]`),
		"refund without times": item(`,"devolucoes":[` + refund(`,"horario":{}`) + `]`),
		"unknown members":      item(`,"gnExtras":{"a":[[1,[2]],{"endToEndId":"x"}]},"n":9007199254740993`),
		"same value twice":     item(`,"valor":"10.50"`),
		"unknown member twice": item(`,"x":1,"x":2`),
		"other case":           item(`,"VALOR":"99.99","EndToEndId":"x","Valor":0`),
		"escaped digits":       strings.Replace(item(``), "10.50", `1\u0030.50`, 1),
		"note not UTF-8":       item(`,"infoPagador":"` + "a\xffb" + `"`),
		"note with NUL":        item(`,"infoPagador":"\u0000"`),
		"long note":            item(`,"infoPagador":"` + strings.Repeat("x", 5000) + `"`),
		"deep unknown":         item(`,"x":` + strings.Repeat("[", 60) + strings.Repeat("]", 60)),
	} {
		got := parseOne(t, body)
		if got.Err != nil || got.Payment.Amount != 1050 || got.EndToEndID != testE2E {
			t.Errorf("%s: got %+v", name, got)
		}
		if string(got.Raw) != body {
			t.Errorf("%s: Raw = %s", name, got.Raw)
		}
	}
}

// parseOne reads body as one item between two good ones, which must stay good.
func parseOne(t *testing.T, body string) pix.CallbackItem {
	t.Helper()
	items, err := pix.ParseCallback([]byte(`{"pix":[` + item(``) + `,` + body + `,` + item(``) + `]}`))
	if err != nil || len(items) != 3 {
		t.Fatalf("%s: got %d items, %v", body, len(items), err)
	}
	if items[0].Err != nil || items[2].Err != nil {
		t.Errorf("%s sank a neighbour: %v, %v", body, items[0].Err, items[2].Err)
	}
	return items[1]
}

func TestCallbackMalformedItemsSinkNoNeighbour(t *testing.T) {
	t.Parallel()
	without := func(name string) string { return strings.Replace(item(""), `"`+name+`"`, `"x"`, 1) }
	id := func(s string) string { return strings.Replace(item(""), `"`+testE2E+`"`, s, 1) }
	for name, c := range map[string]struct{ body, id, about string }{
		"no object":            {`[]`, "", "object"},
		"null":                 {`null`, "", "object"},
		"empty object":         {`{}`, "", "endToEndId"},
		"no id":                {without("endToEndId"), "", "endToEndId"},
		"no value":             {without("valor"), testE2E, "valor"},
		"no time":              {without("horario"), testE2E, "horario"},
		"id null":              {id(`null`), "", "endToEndId"},
		"id number":            {id(`12`), "", "endToEndId"},
		"id short":             {id(`"E1"`), "E1", "endToEndId"},
		"id spaced":            {id(`" ` + testE2E + `"`), " " + testE2E, "endToEndId"},
		"id escaped newline":   {id(`"` + testE2E + `\n"`), testE2E + "\n", "endToEndId"},
		"id not UTF-8":         {id("\"" + testE2E[:31] + "\xff\""), "", "endToEndId"},
		"id of a surrogate":    {id(`"` + testE2E[:31] + `\ud800"`), "", "endToEndId"},
		"id with NUL":          {id(`"` + testE2E[:31] + `\u0000"`), "", "endToEndId"},
		"id twice":             {item(`,"endToEndId":"` + strings.ToLower(testE2E) + `"`), "", "endToEndId"},
		"id twice, one null":   {item(`,"endToEndId":null`), "", "endToEndId"},
		"value twice":          {item(`,"valor":"10.51"`), testE2E, "valor"},
		"value twice, escaped": {item(`,"\u0076alor":"10.51"`), testE2E, "valor"},
		"txid twice":           {item(`,"txid":"a","txid":"b"`), testE2E, "txid"},
		"refunds twice":        {item(`,"devolucoes":[],"devolucoes":[` + refund(``) + `]`), testE2E, "devolucoes"},
		"time without zone":    {strings.Replace(item(""), "358Z", "358", 1), testE2E, "horario"},
		"time number":          {strings.Replace(item(""), `"2020-09-09T20:15:00.358Z"`, "1599682500", 1), testE2E, "horario"},
		"txid empty":           {item(`,"txid":""`), testE2E, "txid"},
		"txid long":            {item(`,"txid":"` + strings.Repeat("a", 36) + `"`), testE2E, "txid"},
		"txid number":          {item(`,"txid":1`), testE2E, "txid"},
		"key long":             {item(`,"chave":"` + strings.Repeat("a", 78) + `"`), testE2E, "chave"},
		"key not UTF-8":        {item(",\"chave\":\"\xff\""), testE2E, "chave"},
		"note number":          {item(`,"infoPagador":1`), testE2E, "infoPagador"},
		"refunds text":         {item(`,"devolucoes":"x"`), testE2E, "devolucoes"},
		"refund null":          {item(`,"devolucoes":[null]`), testE2E, "devolucoes"},
		"refund empty":         {item(`,"devolucoes":[{}]`), testE2E, "devolucoes.id"},
		"refund of nothing":    {item(`,"devolucoes":{}`), testE2E, "devolucoes.id"},
		"second refund bad":    {item(`,"devolucoes":[` + refund(``) + `,{"id":"D2"}]`), testE2E, "devolucoes.rtrId"},
		"refund value twice":   {item(`,"devolucoes":[` + refund(`,"valor":"2.00"`) + `]`), testE2E, "devolucoes.valor"},
		"refund zero":          {item(`,"devolucoes":[` + strings.Replace(refund(``), "1.00", "0.00", 1) + `]`), testE2E, "devolucoes.valor"},
		"refund status number": {item(`,"devolucoes":[` + strings.Replace(refund(``), `"DEVOLVIDO"`, "1", 1) + `]`), testE2E, "devolucoes.status"},
		"refund status absurd": {item(`,"devolucoes":[` + strings.Replace(refund(``), `DEVOLVIDO`, strings.Repeat("X", 141), 1) + `]`), testE2E, "devolucoes.status"},
		"refund time bad":      {item(`,"devolucoes":[` + refund(`,"horario":{"liquidacao":"ontem"}`) + `]`), testE2E, "devolucoes.horario.liquidacao"},
		"too deep":             {item(`,"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64)), testE2E, "deep"},
	} {
		got := parseOne(t, c.body)
		if got.Err == nil || !strings.Contains(got.Err.Error(), c.about) {
			t.Errorf("%s: Err = %v, want one about %s", name, got.Err, c.about)
		}
		if got.EndToEndID != c.id || string(got.Raw) != c.body {
			t.Errorf("%s: id %q raw %s, want id %q", name, got.EndToEndID, got.Raw, c.id)
		}
		if !reflect.DeepEqual(got.Payment, pix.Payment{}) {
			t.Errorf("%s: a malformed item has a payment: %+v", name, got.Payment)
		}
	}
}

func TestCallbackTakesNoAmountButTheExactForm(t *testing.T) {
	t.Parallel()
	bad := []string{`"0.00"`, `10.5`, `10.50`, `null`, `{}`, `["10.50"]`}
	for _, text := range notAmounts {
		quoted := strings.ReplaceAll(text, "\x00", `\u0000`)
		bad = append(bad, `"`+quoted+`"`)
	}
	for _, text := range bad {
		got := parseOne(t, strings.Replace(item(""), `"10.50"`, text, 1))
		if got.Err == nil || got.EndToEndID != testE2E {
			t.Errorf("valor %s: got %+v, want it malformed with its id", text, got)
		}
	}
}

func TestCallbackKeepsNewWords(t *testing.T) {
	t.Parallel()
	got := parseOne(t, item(`,"devolucoes":[`+refund(`,"natureza":"MED_NOVA_2027"`)+`,`+
		strings.Replace(refund(`,"natureza":""`), "DEVOLVIDO", "AGUARDANDO_X", 1)+`]`))
	if got.Err != nil || len(got.Payment.Refunds) != 2 {
		t.Fatalf("got %+v", got)
	}
	first, second := got.Payment.Refunds[0], got.Payment.Refunds[1]
	if first.Nature != "MED_NOVA_2027" || !first.Status.Final() {
		t.Errorf("first refund: %+v", first)
	}
	if second.Status != "AGUARDANDO_X" || second.Status.Final() || second.Nature != "" {
		t.Errorf("second refund: %+v", second)
	}
}

func TestCallbackErrorsAreStorableText(t *testing.T) {
	t.Parallel()
	got := parseOne(t, strings.Replace(item(""), "10.50", "\xff"+strings.Repeat(`\u0000é`, 300), 1))
	if got.Err == nil {
		t.Fatal("want an error")
	}
	if s := got.Err.Error(); len(s) > 1000 || !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\n") {
		t.Errorf("Err is %d bytes: %q", len(s), s)
	}
}

func TestCallbackRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(drawPayment(), 0, 4).Draw(t, "payments")
		body := pix.EncodeCallback(want)
		if !bytes.Equal(body, pix.EncodeCallback(want)) {
			t.Fatal("two encodings differ")
		}
		items, err := pix.ParseCallback(body)
		if err != nil || len(items) != len(want) {
			t.Fatalf("got %d items, %v, want %d", len(items), err, len(want))
		}
		for i, got := range items {
			if got.Err != nil || !reflect.DeepEqual(got.Payment, want[i]) {
				t.Fatalf("item %d: got %+v, want %+v", i, got, want[i])
			}
		}
	})
}

func FuzzParseCallback(f *testing.F) {
	p, _ := standardPayment()
	f.Add(pix.EncodeCallback([]pix.Payment{p, p}))
	for _, body := range []string{
		``, `{}`, `[]`, `{"pix":null}`, `{"pix":` + item(``) + `}`, `[` + item(`,"txid":null`) + `]`,
		`{"pix":[` + item(`,"devolucoes":`+refund(`,"horario":{"solicitacao":null}`)) + `]}`,
		`{"pix":[` + item(`,"valor":"10.51"`) + `,1,"x"]}`,
		`{"pix":[` + item(",\"infoPagador\":\"\xff\\u0000\\ud800\\\"\",\"chave\":\"\\u00e9\"") + `]}`,
		`{"\u0070ix":[{"endToEndId":"` + "\xff" + `","valor":"1.00"}],"x":[[{"y":"]"}]]}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		items, err := pix.ParseCallback(body)
		if err != nil && items != nil {
			t.Fatalf("both items and %v", err)
		}
		if !bytes.Equal(body, before) {
			t.Fatal("the body was changed")
		}
		for _, it := range items {
			if !bytes.Contains(body, it.Raw) {
				t.Fatalf("Raw %q is not of the body", it.Raw)
			}
			if it.Err != nil {
				continue
			}
			checkAccepted(t, it)
		}
	})
}

// checkAccepted holds a well-formed item to its promises.
func checkAccepted(t *testing.T, it pix.CallbackItem) {
	t.Helper()
	if it.Payment.Amount <= 0 || !it.Payment.Amount.Valid() || string(it.Payment.EndToEndID) != it.EndToEndID {
		t.Fatalf("accepted %+v", it)
	}
	body := pix.EncodeCallback([]pix.Payment{it.Payment})
	again, err := pix.ParseCallback(body)
	if err != nil || len(again) != 1 || again[0].Err != nil {
		t.Fatalf("wrote %q, read %+v, %v", body, again, err)
	}
	if !reflect.DeepEqual(again[0].Payment, it.Payment) {
		t.Fatalf("wrote %q:\n got %+v\nwant %+v", body, again[0].Payment, it.Payment)
	}
}

func BenchmarkParseCallback(b *testing.B) {
	p, _ := standardPayment()
	plain := p
	plain.Refunds = nil
	for _, c := range []struct {
		name string
		body []byte
	}{
		{"one", pix.EncodeCallback([]pix.Payment{plain})},
		{"one with refund", pix.EncodeCallback([]pix.Payment{p})},
		{"hundred", pix.EncodeCallback(paymentsLike(plain, 100))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			for b.Loop() {
				if items, err := pix.ParseCallback(c.body); err != nil || items[0].Err != nil {
					b.Fatal(err, items[0].Err)
				}
			}
		})
	}
}

func paymentsLike(p pix.Payment, n int) []pix.Payment {
	list := make([]pix.Payment, n)
	for i := range list {
		list[i] = p
		list[i].EndToEndID = pix.EndToEndID(fmt.Sprintf("%s%03d", testE2E[:29], i))
	}
	return list
}

func BenchmarkEncodeCallback(b *testing.B) {
	p, _ := standardPayment()
	list := []pix.Payment{p}
	b.ReportAllocs()
	for b.Loop() {
		pix.EncodeCallback(list)
	}
}
