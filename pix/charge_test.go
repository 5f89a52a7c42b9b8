package pix_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pixlab/pixlab/pix"
)

func TestChargeRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		roundTrip(t, drawCharge().Draw(t, "charge"))
	})
}

func TestChargeRequestRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		roundTrip(t, pix.ChargeRequest{
			ExpiresIn:   drawSeconds(1).Draw(t, "expiracao"),
			Amount:      drawMoney(1).Draw(t, "valor"),
			PixKey:      drawKey().Draw(t, "chave"),
			Debtor:      drawDebtor().Draw(t, "devedor"),
			PayerPrompt: drawNote().Filter(storable).Draw(t, "solicitacaoPagador"),
			Extra:       drawExtra().Draw(t, "infoAdicionais"),
		})
	})
}

// storable is what a request's text has to be, U+FFFD being a sign of loss.
func storable(s string) bool { return !strings.Contains(s, "\uFFFD") }

func TestChargeIsWrittenInTheStandardsNames(t *testing.T) {
	t.Parallel()
	c := pix.Charge{
		TxID: testTxID, CreatedAt: time.Date(2020, 9, 9, 20, 15, 0, 358e6, time.UTC), ExpiresIn: time.Hour,
		Revision: 1, Status: pix.ChargeActive, Amount: 56789, PixKey: testKey,
		Debtor: &pix.Debtor{CNPJ: "12345678000195", Name: "Empresa"}, PayerPrompt: "Informe",
		Extra:    []pix.ExtraInfo{{Name: "Campo", Value: "Valor"}},
		Location: "pix.example.com/qr/v2/1", BRCode: "0002",
	}
	want := `{"calendario":{"criacao":"2020-09-09T20:15:00.358Z","expiracao":3600},"txid":"` + testTxID +
		`","revisao":1,"location":"pix.example.com/qr/v2/1","status":"ATIVA",` +
		`"devedor":{"cnpj":"12345678000195","nome":"Empresa"},"valor":{"original":"567.89"},"chave":"` + testKey +
		`","solicitacaoPagador":"Informe","infoAdicionais":[{"nome":"Campo","valor":"Valor"}],"pixCopiaECola":"0002"}`
	got, err := json.Marshal(c)
	if err != nil || string(got) != want {
		t.Errorf("Marshal:\n got %s, %v\nwant %s", got, err, want)
	}
	if got, want := pix.FormatTime(c.ExpiresAt()), "2020-09-09T21:15:00.358Z"; got != want {
		t.Errorf("ExpiresAt() = %s, want %s", got, want)
	}
}

func TestChargeWithoutExpiryLastsADay(t *testing.T) {
	t.Parallel()
	var c pix.Charge
	err := json.Unmarshal([]byte(`{"txid":"`+testTxID+`","calendario":{"criacao":"2020-09-09T17:15:00-03:00"},
		"status":"ATIVA","valor":{"original":"0.00","modalidadeAlteracao":1},"chave":"k","loc":{"id":9007199254740993}}`), &c)
	if err != nil || c.ExpiresIn != pix.DefaultExpiry {
		t.Errorf("got %v, %v, want %v", c.ExpiresIn, err, pix.DefaultExpiry)
	}
}

func TestChargeRefusesAnswersWithoutTheNeedful(t *testing.T) {
	t.Parallel()
	c, err := json.Marshal(pix.Charge{
		TxID: testTxID, CreatedAt: time.UnixMilli(0), Status: pix.ChargeActive, Amount: 1, PixKey: testKey})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"txid", "calendario", "status", "valor", "chave"} {
		body := strings.Replace(string(c), `"`+name+`"`, `"x"`, 1)
		err := json.Unmarshal([]byte(body), new(pix.Charge))
		if err == nil || !strings.Contains(err.Error(), "cob."+name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	for _, body := range []string{`null`, `[]`, `"x"`, `{}`} {
		if err := json.Unmarshal([]byte(body), new(pix.Charge)); err == nil {
			t.Errorf("read a charge from %s", body)
		}
	}
}

func TestChargeRequestViolations(t *testing.T) {
	t.Parallel()
	const rest = `"chave":"` + testKey + `"`
	const amount = `"valor":{"original":"37.00"}`
	with := func(more string) string { return `{` + amount + `,` + rest + `,` + more + `}` }
	long := strings.Repeat("x", 201)
	for name, c := range map[string]struct{ body, property string }{
		"good":                   {with(`"calendario":{"expiracao":3600},"novo":[{}]`), ""},
		"no calendar":            {`{` + amount + `,` + rest + `}`, ""},
		"null members":           {with(`"calendario":null,"devedor":null,"loc":null,"infoAdicionais":null`), ""},
		"no object":              {`[]`, "cob"},
		"cut":                    {`{` + amount, "cob"},
		"expiry 0":               {with(`"calendario":{"expiracao":0}`), "cob.calendario.expiracao"},
		"expiry negative":        {with(`"calendario":{"expiracao":-1}`), "cob.calendario.expiracao"},
		"expiry text":            {with(`"calendario":{"expiracao":"3600"}`), "cob.calendario.expiracao"},
		"expiry beyond int32":    {with(`"calendario":{"expiracao":2147483648}`), "cob.calendario.expiracao"},
		"calendar text":          {with(`"calendario":"x"`), "cob.calendario"},
		"no value":               {`{` + rest + `}`, "cob.valor"},
		"no original":            {`{"valor":{},` + rest + `}`, "cob.valor.original"},
		"value short":            {`{"valor":{"original":"37.0"},` + rest + `}`, "cob.valor.original"},
		"value number":           {`{"valor":{"original":37.00},` + rest + `}`, "cob.valor.original"},
		"value zero":             {`{"valor":{"original":"0.00"},` + rest + `}`, "cob.valor.original"},
		"value twice":            {`{"valor":{"original":"1.00","original":"2.00"},` + rest + `}`, "cob.valor.original"},
		"alterable":              {`{"valor":{"original":"1.00","modalidadeAlteracao":1},` + rest + `}`, "cob.valor.modalidadeAlteracao"},
		"not alterable":          {`{"valor":{"original":"1.00","modalidadeAlteracao":0},` + rest + `}`, ""},
		"withdrawal":             {`{"valor":{"original":"1.00","retirada":{}},` + rest + `}`, "cob.valor.retirada"},
		"location":               {with(`"loc":{"id":1}`), "cob.loc"},
		"no key":                 {`{` + amount + `}`, "cob.chave"},
		"key empty":              {`{` + amount + `,"chave":""}`, "cob.chave"},
		"key long":               {`{` + amount + `,"chave":"` + long + `"}`, "cob.chave"},
		"debtor CPF":             {with(`"devedor":{"cpf":"12345678909","nome":"F"}`), ""},
		"debtor CNPJ of letters": {with(`"devedor":{"cnpj":"12ABC34501DE35","nome":"F"}`), ""},
		"debtor both":            {with(`"devedor":{"cpf":"12345678909","cnpj":"12345678000195","nome":"F"}`), "cob.devedor"},
		"debtor neither":         {with(`"devedor":{"nome":"F"}`), "cob.devedor"},
		"debtor CPF short":       {with(`"devedor":{"cpf":"1234567890","nome":"F"}`), "cob.devedor.cpf"},
		"debtor CNPJ lower":      {with(`"devedor":{"cnpj":"12abc34501de35","nome":"F"}`), "cob.devedor.cnpj"},
		"debtor unnamed":         {with(`"devedor":{"cpf":"12345678909"}`), "cob.devedor.nome"},
		"debtor name long":       {with(`"devedor":{"cpf":"12345678909","nome":"` + long + `"}`), "cob.devedor.nome"},
		"prompt long":            {with(`"solicitacaoPagador":"` + long + `"`), "cob.solicitacaoPagador"},
		"prompt number":          {with(`"solicitacaoPagador":1`), "cob.solicitacaoPagador"},
		"extra object":           {with(`"infoAdicionais":{}`), "cob.infoAdicionais"},
		"extra unnamed":          {with(`"infoAdicionais":[{"nome":"","valor":"v"}]`), "cob.infoAdicionais[0].nome"},
		"extra value long":       {with(`"infoAdicionais":[{"nome":"n","valor":"` + long + `"}]`), "cob.infoAdicionais[0].valor"},
		"extra without value":    {with(`"infoAdicionais":[{"nome":"n"}]`), "cob.infoAdicionais.valor"},
		"extra too many":         {with(`"infoAdicionais":[` + strings.Repeat(`{"nome":"n","valor":"v"},`, 50) + `{"nome":"n","valor":"v"}]`), "cob.infoAdicionais"},
	} {
		_, found := pix.ParseChargeRequest([]byte(c.body))
		wantViolation(t, name, found, c.property)
	}
}

func TestChargeRequestNamesEveryViolation(t *testing.T) {
	t.Parallel()
	r := pix.ChargeRequest{ExpiresIn: time.Millisecond, Amount: -1, Debtor: &pix.Debtor{}}
	var got []string
	for _, v := range r.Validate() {
		got = append(got, v.Property)
	}
	want := []string{"cob.calendario.expiracao", "cob.valor.original", "cob.chave", "cob.devedor", "cob.devedor.nome"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestChargeRequestExpiryOfZeroIsNotRead(t *testing.T) {
	t.Parallel()
	body := `{"calendario":{"expiracao":0},"valor":{"original":"1.00"},"chave":"k"}`
	if err := json.Unmarshal([]byte(body), new(pix.ChargeRequest)); err == nil {
		t.Error("an explicit expiry of 0 was taken for one not given")
	}
}

func TestChargePatchViolations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, property string }{
		"nothing":        {`{}`, ""},
		"remove":         {`{"status":"REMOVIDA_PELO_USUARIO_RECEBEDOR"}`, ""},
		"complete":       {`{"status":"CONCLUIDA"}`, "cob.status"},
		"status number":  {`{"status":1}`, "cob.status"},
		"status empty":   {`{"status":""}`, "cob.status"},
		"amount zero":    {`{"valor":{"original":"0.00"}}`, "cob.valor.original"},
		"amount text":    {`{"valor":"1.00"}`, "cob.valor"},
		"key empty":      {`{"chave":""}`, "cob.chave"},
		"expiry 0":       {`{"calendario":{"expiracao":0}}`, "cob.calendario.expiracao"},
		"calendar alone": {`{"calendario":{}}`, ""},
		"no JSON":        {``, "cob"},
	} {
		_, found := pix.ParseChargePatch([]byte(c.body))
		wantViolation(t, name, found, c.property)
	}
}

func TestChargePatchTellsGivenFromAbsent(t *testing.T) {
	t.Parallel()
	for _, want := range []pix.ChargePatch{
		{},
		{Status: new(pix.ChargeRemovedByMerchant)},
		{PayerPrompt: new("")},
		{Extra: []pix.ExtraInfo{}},
		{ExpiresIn: new(time.Minute), Amount: new(pix.Amount(5)), PixKey: new(pix.PixKey("k")), Debtor: &pix.Debtor{CPF: "1"}},
	} {
		body, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got pix.ChargePatch
		if err := json.Unmarshal(body, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("read %s: got %+v, %v, want %+v", body, got, err, want)
		}
	}
}
