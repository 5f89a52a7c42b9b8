package proptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/fakepsp"
	"github.com/pixlab/pixlab/pix"
	"github.com/pixlab/pixlab/receiver"
	"github.com/pixlab/pixlab/scenarios"
)

// text writes cents as the wire does, by a rule of the test's own.
func text(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// drawCents draws an amount that the wire can carry; small ones, whole reais
// and those next to a power of two come up often.
func drawCents() *rapid.Generator[int64] {
	most := int64(pix.MaxAmount)
	return rapid.OneOf(
		rapid.Int64Range(1, most),
		rapid.Map(rapid.Int64Range(1, most/100), func(reais int64) int64 { return reais * 100 }),
		rapid.Map(rapid.IntRange(1, 38), func(bits int) int64 { return 1<<bits + 1 }),
		rapid.SampledFrom([]int64{1, 9, 10, 99, 100, 101, 19_800, 23_775, 34_948, 59_980, most - 1, most}),
	)
}

// An amount's text is its digits and two decimals, in JSON and out of it, and
// is read back as the same cents.
func TestAmountsAreTheirText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cents := drawCents().Draw(t, "cents")
		want := text(cents)
		got, err := pix.ParseAmount(want)
		if err != nil || got != pix.Amount(cents) || got.String() != want {
			t.Fatalf("%s is read as %d (%v) and written as %s", want, got, err, got)
		}
		raw, err := json.Marshal(map[string]pix.Amount{"valor": got})
		if err != nil || string(raw) != `{"valor":"`+want+`"}` {
			t.Fatalf("%s is written as %s (%v)", want, raw, err)
		}
		var back map[string]pix.Amount
		if err := json.Unmarshal(raw, &back); err != nil || back["valor"] != got {
			t.Fatalf("%s is read back as %d (%v)", raw, back["valor"], err)
		}
		for _, bad := range []string{want[:len(want)-1], want + "0", "+" + want, "-" + want, " " + want, strings.Replace(want, ".", ",", 1)} {
			if a, err := pix.ParseAmount(bad); err == nil && bad != want {
				t.Fatalf("%q is read as %d cents, want it refused", bad, a)
			}
		}
	})
}

// drawJSON draws any JSON value: whole numbers of any length, fractions,
// escapes, nesting, and spaces where they may stand.
func drawJSON(depth int) *rapid.Generator[string] {
	kinds := []*rapid.Generator[string]{
		rapid.StringMatching(`-?[1-9][0-9]{15,39}`), // beyond 2^53, and beyond 2^64
		rapid.SampledFrom([]string{"9223372036854775807", "-9223372036854775808", "18446744073709551615", "9007199254740993",
			"0", "-0", "1e400", "1.10", "0.1e-7", "true", "false", "null", `""`, `"a\u0000b"`, `"\ud83d\ude00 ação"`, "[]", "{}", "[ 1 , 2 ]"}),
		rapid.Map(rapid.String(), func(s string) string {
			raw, err := json.Marshal(s)
			if err != nil {
				panic(err)
			}
			return string(raw)
		}),
	}
	if depth > 0 {
		inner := drawJSON(depth - 1)
		kinds = append(kinds,
			rapid.Map(rapid.SliceOfN(inner, 0, 3), func(v []string) string { return "[" + strings.Join(v, ",") + "]" }),
			rapid.Map(rapid.SliceOfN(inner, 0, 3), func(v []string) string {
				for i := range v {
					v[i] = fmt.Sprintf(`"m%d": %s`, i, v[i])
				}
				return "{" + strings.Join(v, ", ") + "}"
			}))
	}
	return rapid.OneOf(kinds...)
}

// strangers are names of members that nobody knows; some only look known.
func strangers() []string {
	return []string{"id", "idTransacaoLegada", "Valor", "VALOR", "endToEndID", "componentesValor", "gnExtras", "valor ", "ação", "", "pix"}
}

// drawBody writes payments as a callback with strangers among the known
// members, in any order, and gives the bytes of each item too.
func drawBody(t *rapid.T, payments ...pix.Payment) (body []byte, items [][]byte) {
	for _, p := range payments {
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var known map[string]json.RawMessage
		if err := json.Unmarshal(raw, &known); err != nil {
			t.Fatal(err)
		}
		var members []string
		for _, name := range []string{"endToEndId", "txid", "valor", "chave", "horario", "infoPagador"} {
			if v, ok := known[name]; ok {
				members = append(members, fmt.Sprintf("%q:%s", name, v))
			}
		}
		for range rapid.IntRange(0, 4).Draw(t, "strangers") {
			name, err := json.Marshal(rapid.SampledFrom(strangers()).Draw(t, "name"))
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, string(name)+" : "+drawJSON(2).Draw(t, "value"))
		}
		members = rapid.Permutation(members).Draw(t, "order")
		items = append(items, []byte("{"+strings.Join(members, rapid.SampledFrom([]string{",", ", ", ",\n\t"}).Draw(t, "space"))+"}"))
	}
	return slices.Concat([]byte(`{"pix":[`), bytes.Join(items, []byte(",")), []byte(`]}`)), items
}

// A payment is read out of a callback as it was put in, whatever stands beside
// its members; its raw bytes are those that were sent.
func TestStrangersChangeNoPayment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var sent []pix.Payment
		for i, cents := range rapid.SliceOfN(drawCents(), 1, 4).Draw(t, "cents") {
			sent = append(sent, pix.Payment{
				EndToEndID: pix.EndToEndID(fmt.Sprintf("E99999008202603021200amounts%04d", i)),
				TxID:       rapid.SampledFrom([]pix.TxID{"", "7978c0c97ea847e78e8849634473c1f1", "CAIXA1"}).Draw(t, "txid"),
				Amount:     pix.Amount(cents), PixKey: rapid.SampledFrom([]pix.PixKey{ourKey, ""}).Draw(t, "key"),
				PaidAt:    time.UnixMilli(rapid.Int64Range(1_600_000_000_000, 2_500_000_000_000).Draw(t, "paid")).UTC(),
				PayerNote: rapid.SampledFrom([]string{"", "obrigado", `"valor":"1.00"`}).Draw(t, "note"),
			})
		}
		body, raws := drawBody(t, sent...)
		items, err := pix.ParseCallback(body)
		if err != nil || len(items) != len(sent) {
			t.Fatalf("%d items of %d (%v):\n%s", len(items), len(sent), err, body)
		}
		for i, it := range items {
			if it.Err != nil || !reflect.DeepEqual(it.Payment, sent[i]) {
				t.Fatalf("sent %+v, read %+v (%v) out of\n%s", sent[i], it.Payment, it.Err, raws[i])
			}
			if !bytes.Equal(it.Raw, raws[i]) {
				t.Fatalf("sent the bytes\n%s\nkept\n%s", raws[i], it.Raw)
			}
		}
		again, err := pix.ParseCallback(pix.EncodeCallback(sent))
		if err != nil || len(again) != len(sent) || !reflect.DeepEqual(again[0].Payment, sent[0]) {
			t.Fatalf("written again it is %+v (%v)", again, err)
		}
	})
}

// Cents asked for are cents charged, paid, told, booked, reported to the
// merchant and stated; and the inbox keeps the very bytes that came.
func TestCentsInAreCentsBooked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, centsBooked(nil, stockOf(t)))
}

func centsBooked(build scenarios.Build, s stock) func(*rapid.T) {
	return func(t *rapid.T) {
		h, err := newHand(t, s, build, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		cents := drawCents().Draw(t, "cents")
		c := saleAsked{
			reference: "PED-1", due: pix.Amount(cents),
			kind: rapid.SampledFrom([]receiver.ChargeKind{receiver.ChargeDynamic, receiver.ChargeStatic}).Draw(t, "kind"),
		}
		body := fmt.Appendf(nil, `{"reference":"PED-1","kind":%q,"amount":%q}`, c.kind, text(cents))
		if rec := h.send(context.Background(), 0, http.MethodPost, "/charges", nil, body); rec.Code != http.StatusCreated {
			t.Fatalf("a charge of %s was answered with %d: %s", text(cents), rec.Code, rec.Body)
		}
		receipt, err := h.psp.Pay(fakepsp.PayOrder{
			EndToEndID: "E99999008202603021200amounts0001", TxID: h.txid(c), Static: c.kind == receiver.ChargeStatic,
			Amount: pix.Amount(cents), PayerNote: "pago", // a charge of other cents is not payable
		})
		if err != nil {
			t.Fatal(err)
		}
		sent, raws := drawBody(t, receipt.Pix.Payment)
		if status := h.callback(context.Background(), 0, h.secret, sent); status != http.StatusOK {
			t.Fatalf("%s\nwas answered with %d", sent, status)
		}
		// Told again in other bytes it is the same event, with the bytes of the first.
		other, _ := drawBody(t, receipt.Pix.Payment)
		if status := h.callback(context.Background(), 1, h.secret, other); status != http.StatusOK {
			t.Fatalf("%s\nwas answered with %d", other, status)
		}
		if err := h.rest(); err != nil {
			t.Fatal(err)
		}
		checkCents(t, h, c, cents, raws[0])
	}
}

// checkCents looks at every place where the cents have to stand.
func checkCents(t *rapid.T, h *hand, c saleAsked, cents int64, raw []byte) {
	events, err := h.events()
	if err != nil || len(events) != 1 || !bytes.Equal(events[0].Raw, raw) {
		t.Fatalf("sent the bytes\n%s\nand the inbox has %d events (%v), the first with\n%s", raw, len(events), err, events[0].Raw)
	}
	id := events[0].Credit.EndToEndID
	b := readBooks(h.store)
	if b.credits[id] != 1 || b.net[id] != pix.Amount(cents) || b.balance[receiver.AccountRevenue] != -pix.Amount(cents) {
		t.Fatalf("paid %d cents; %d credits, %d cents in the ledger, revenue %d", cents, b.credits[id], b.net[id], b.balance[receiver.AccountRevenue])
	}
	if wrong := b.complaint(h.store); wrong != "" {
		t.Fatal(wrong)
	}
	told, err := h.merchantCents(id)
	if err != nil || !slices.Equal(told, []int64{cents}) {
		t.Fatalf("paid %d cents; the merchant was told of %v (%v)", cents, told, err)
	}
	answer := h.send(context.Background(), 0, http.MethodGet, "/charges/"+c.reference, nil, nil)
	if !strings.Contains(answer.Body.String(), `"settled":"`+text(cents)+`"`) {
		t.Fatalf("paid %s; the charge is %s", text(cents), answer.Body)
	}
	if lines := h.psp.Statement(h.now.Add(-time.Hour), h.now.Add(time.Hour)); len(lines) != 1 || lines[0].Cents != cents {
		t.Fatalf("paid %d cents; the statement has %+v", cents, lines)
	}
	if err := h.settle(); err != nil {
		t.Fatal(err)
	}
	if after := readBooks(h.store); len(after.references) != len(b.references) {
		t.Fatal("the reconciliation found something to book")
	}
}

// A receiver that reads callbacks by way of float64 and a map, as
// encoding/json offers it, keeps other bytes; the property notices.
func TestCentsBookedCanFail(t *testing.T) {
	huntFlags(t)
	tr := try(t, centsBooked(throughMaps(t), stockOf(t)))
	if !tr.failed || !strings.Contains(tr.output(), "sent the bytes") {
		t.Fatalf("nobody noticed that the bytes are others:\n%s", tr.output())
	}
}

func throughMaps(t *testing.T) scenarios.Build {
	return func(e scenarios.Env) (scenarios.Built, error) {
		b, err := scenarios.Reference().Build(e)
		next := b.Handler
		b.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/pix" {
				next.ServeHTTP(w, r)
				return
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			var v any
			if json.Unmarshal(body, &v) == nil {
				if body, err = json.Marshal(v); err != nil {
					t.Error(err)
				}
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Set(pix.SignatureHeader, pix.Sign(e.Config.Secrets[0], e.Config.Clock.Now(), body))
			next.ServeHTTP(w, r)
		})
		return b, err
	}
}
