package fakepsp

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
)

func TestChargeIsBornActive(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var c pix.Charge
	l.want(http.StatusCreated, "PUT", cobPath(1), cobBody("37.00"), &c)
	if c.Status != pix.ChargeActive || c.Revision != 0 || c.Amount != 3700 || c.ExpiresIn != time.Hour || !c.CreatedAt.Equal(labStart) {
		t.Errorf("got %+v", c)
	}
	if !strings.HasPrefix(c.Location, "pix.example.com/qr/v2/") || !strings.Contains(c.BRCode, c.Location) {
		t.Errorf("location %q, copia e cola %q", c.Location, c.BRCode)
	}
	if got := l.getCharge(1); len(got.Payments) != 0 || got.BRCode != c.BRCode {
		t.Errorf("GET: got %+v", got)
	}
}

func TestPostChoosesATxIDNobodyHas(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var a, b pix.Charge
	l.want(http.StatusCreated, "PUT", "/v2/cob/99999008"+strings.Repeat("0", 23)+"1", cobBody("1.00"), nil)
	l.want(http.StatusCreated, "POST", "/v2/cob", cobBody("1.00"), &a)
	l.want(http.StatusCreated, "POST", "/v2/cob", cobBody("1.00"), &b)
	if a.TxID == b.TxID || !strings.HasSuffix(string(a.TxID), "2") {
		t.Errorf("got %s and %s", a.TxID, b.TxID)
	}
}

func TestPutAgain(t *testing.T) {
	t.Parallel()
	t.Run("the same is answered with the same bytes", func(t *testing.T) {
		l := newLab(t)
		first := l.call("PUT", cobPath(1), cobBody("10.00"))
		l.at(time.Minute)
		second := l.call("PUT", cobPath(1), cobBody("10.00"))
		if second.Status != http.StatusCreated || string(first.Body) != string(second.Body) {
			t.Errorf("got %d %s, want %s", second.Status, second.Body, first.Body)
		}
	})
	t.Run("the same on a paid charge is answered too", func(t *testing.T) {
		l := newLab(t)
		l.charge(1, "10.00")
		l.pay(order(1, "10.00"))
		l.want(http.StatusCreated, "PUT", cobPath(1), cobBody("10.00"), nil)
	})
	t.Run("another amount makes a revision", func(t *testing.T) {
		l := newLab(t)
		l.charge(1, "10.00")
		l.charge(1, "12.00")
		if c := l.getCharge(1); c.Revision != 1 || c.Amount != 1200 {
			t.Errorf("got revision %d of %s", c.Revision, c.Amount)
		}
		var old pix.Charge
		l.want(http.StatusOK, "GET", cobPath(1)+"?revisao=0", "", &old)
		if old.Revision != 0 || old.Amount != 1000 {
			t.Errorf("revision 0: got %d of %s", old.Revision, old.Amount)
		}
		l.want(http.StatusOK, "GET", cobPath(1)+"?revisao=1", "", nil)
		l.problem(pix.ProblemChargeNotFound, "GET", cobPath(1)+"?revisao=2", "")
		l.problem(pix.ProblemChargeQueryInvalid, "GET", cobPath(1)+"?revisao=x", "")
	})
	t.Run("another amount on a paid charge is refused", func(t *testing.T) {
		l := newLab(t)
		l.charge(1, "10.00")
		l.pay(order(1, "10.00"))
		if at := l.problem(pix.ProblemChargeInvalid, "PUT", cobPath(1), cobBody("12.00")); !slices.Equal(at, []string{"cob.status"}) {
			t.Errorf("violations at %v", at)
		}
	})
}

func TestPatch(t *testing.T) {
	t.Parallel()
	remove := `{"status":"REMOVIDA_PELO_USUARIO_RECEBEDOR"}`
	t.Run("alters what it gives", func(t *testing.T) {
		l := newLab(t)
		l.charge(1, "10.00")
		var c pix.Charge
		l.want(http.StatusOK, "PATCH", cobPath(1), `{"valor":{"original":"11.00"}}`, &c)
		if c.Revision != 1 || c.Amount != 1100 || c.ExpiresIn != time.Hour {
			t.Errorf("got %+v", c)
		}
		l.want(http.StatusOK, "PATCH", cobPath(1), `{}`, &c)
		if c.Revision != 1 {
			t.Errorf("empty change: revision %d", c.Revision)
		}
	})
	t.Run("removes, once and for all", func(t *testing.T) {
		l := newLab(t)
		l.charge(1, "10.00")
		for range 2 {
			l.want(http.StatusOK, "PATCH", cobPath(1), remove, nil)
		}
		if c := l.getCharge(1); c.Status != pix.ChargeRemovedByMerchant || c.Revision != 1 {
			t.Errorf("got %s, revision %d", c.Status, c.Revision)
		}
		l.problem(pix.ProblemChargeInvalid, "PATCH", cobPath(1), `{"valor":{"original":"11.00"}}`)
	})
	t.Run("refuses to remove what is paid", func(t *testing.T) {
		l := newLab(t)
		l.charge(1, "10.00")
		l.pay(order(1, "10.00"))
		l.problem(pix.ProblemChargeInvalid, "PATCH", cobPath(1), remove)
	})
	t.Run("refuses a removal with another change", func(t *testing.T) {
		l := newLab(t)
		l.charge(1, "10.00")
		body := `{"status":"REMOVIDA_PELO_USUARIO_RECEBEDOR","solicitacaoPagador":"?"}`
		if at := l.problem(pix.ProblemChargeInvalid, "PATCH", cobPath(1), body); !slices.Equal(at, []string{"cob.status"}) {
			t.Errorf("violations at %v", at)
		}
	})
	t.Run("does not find what is not there", func(t *testing.T) {
		newLab(t).problem(pix.ProblemChargeNotFound, "PATCH", cobPath(1), remove)
	})
}

func TestChargeViolations(t *testing.T) {
	t.Parallel()
	with := func(member string) string {
		return strings.TrimSuffix(cobBody("10.00"), "}") + "," + member + "}"
	}
	replace := func(old, new string) string { return strings.Replace(cobBody("10.00"), old, new, 1) }
	long := strings.Repeat("x", 141)
	cases := []struct{ name, body, at string }{
		{"no expiry", replace("3600", "0"), "cob.calendario.expiracao"},
		{"negative expiry", replace("3600", "-1"), "cob.calendario.expiracao"},
		{"amount of another form", replace("10.00", "10.0"), "cob.valor.original"},
		{"amount as a number", replace(`"10.00"`, "10.00"), "cob.valor.original"},
		{"amount of zero", replace("10.00", "0.00"), "cob.valor.original"},
		{"no amount", replace(`"original":"10.00"`, ""), "cob.valor.original"},
		{"debtor with both numbers", with(`"devedor":{"cpf":"12345678901","cnpj":"12345678901234","nome":"A"}`), "cob.devedor"},
		{"debtor with a short cpf", with(`"devedor":{"cpf":"1234567890","nome":"A"}`), "cob.devedor.cpf"},
		{"debtor without a name", with(`"devedor":{"cpf":"12345678901"}`), "cob.devedor.nome"},
		{"key of another form", replace(string(ourKey), strings.Repeat("k", 78)), "cob.chave"},
		{"key of somebody else", replace(string(ourKey), "outra@example.com"), "cob.chave"},
		{"long question", with(`"solicitacaoPagador":"` + long + `"`), "cob.solicitacaoPagador"},
		{"extra without a value", with(`"infoAdicionais":[{"nome":"a"}]`), "cob.infoAdicionais.valor"},
		{"a location of its own", with(`"loc":{"id":7}`), "cob.loc"},
		{"no object", `[]`, "cob"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			l := newLab(t)
			for verb, target := range map[string]string{"PUT": cobPath(1), "POST": "/v2/cob"} {
				at := l.problem(pix.ProblemChargeInvalid, verb, target, tc.body)
				if !slices.Contains(at, tc.at) {
					t.Errorf("%s: violations at %v, want %s", verb, at, tc.at)
				}
			}
			l.problem(pix.ProblemChargeNotFound, "GET", cobPath(1), "")
		})
	}
	t.Run("short txid", func(t *testing.T) {
		at := newLab(t).problem(pix.ProblemChargeInvalid, "PUT", "/v2/cob/short", cobBody("1.00"))
		if !slices.Equal(at, []string{"cob.txid"}) {
			t.Errorf("violations at %v", at)
		}
	})
	t.Run("patch of a status nobody may set", func(t *testing.T) {
		l := newLab(t)
		l.charge(1, "1.00")
		at := l.problem(pix.ProblemChargeInvalid, "PATCH", cobPath(1), `{"status":"CONCLUIDA"}`)
		if !slices.Equal(at, []string{"cob.status"}) {
			t.Errorf("violations at %v", at)
		}
	})
	t.Run("patch to a key of somebody else", func(t *testing.T) {
		l := newLab(t)
		l.charge(1, "1.00")
		l.problem(pix.ProblemChargeInvalid, "PATCH", cobPath(1), `{"chave":"outra@example.com"}`)
	})
}

func TestChargeList(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for n := 1; n <= 5; n++ {
		l.charge(n, "10.00")
		l.at(time.Duration(n) * time.Minute)
	}
	l.pay(order(2, "10.00"))
	body := strings.TrimSuffix(cobBody("1.00"), "}") + `,"devedor":{"cpf":"12345678901","nome":"Ana"}}`
	l.want(http.StatusCreated, "PUT", cobPath(6), body, nil)
	list := func(query string) []pix.Charge {
		var page pix.ChargePage
		l.want(http.StatusOK, "GET", "/v2/cob?"+query, "", &page)
		return page.Charges
	}
	all := "inicio=2026-03-02T12:00:00Z&fim=2026-03-02T13:00:00Z"
	for _, tc := range []struct {
		query string
		want  int
	}{
		{all, 6},
		{"inicio=2026-03-02T12:01:00Z&fim=2026-03-02T12:03:00Z", 3},
		{all + "&status=CONCLUIDA", 1},
		{all + "&status=NOVA", 0},
		{all + "&cpf=12345678901", 1},
		{all + "&cnpj=12345678901234", 0},
		{all + "&locationPresente=true", 6},
		{all + "&locationPresente=false", 0},
		{all + "&paginacao.itensPorPagina=4&paginacao.paginaAtual=1", 2},
		{all + "&paginacao.paginaAtual=9", 0},
	} {
		if got := list(tc.query); len(got) != tc.want {
			t.Errorf("%s: got %d charges, want %d", tc.query, len(got), tc.want)
		}
	}
	if got := list(all + "&status=CONCLUIDA"); len(got[0].Payments) != 1 {
		t.Errorf("completed charge without its pix: %+v", got[0])
	}
}
