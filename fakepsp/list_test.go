package fakepsp

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pixlab/pixlab/pix"
)

const wholeDay = "inicio=2026-03-02T00:00:00Z&fim=2026-03-02T23:59:59Z"

func (l *lab) pixPage(query string) pix.PaymentPage {
	l.t.Helper()
	var page pix.PaymentPage
	l.want(http.StatusOK, "GET", "/v2/pix?"+query, "", &page)
	return page
}

func ids(list []pix.Payment) []pix.EndToEndID {
	out := []pix.EndToEndID{}
	for _, p := range list {
		out = append(out, p.EndToEndID)
	}
	return out
}

// walk reads all pages and gives the ids in the order seen.
func (l *lab) walk(query string, perPage int, between func(page int)) []pix.EndToEndID {
	l.t.Helper()
	var seen []pix.EndToEndID
	for page := 0; ; page++ {
		got := l.pixPage(fmt.Sprintf("%s&paginacao.itensPorPagina=%d&paginacao.paginaAtual=%d", query, perPage, page))
		seen = append(seen, ids(got.Payments)...)
		if page+1 >= got.Paging.Pages {
			return seen
		}
		between(page)
	}
}

func TestPagesOfOneInstantHoldEachPixOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for n := 156; n > 0; n-- { // latest id first: the order is not that of arrival
		l.pay(PayOrder{EndToEndID: e2eOf(n), Amount: 100})
	}
	seen := l.walk(wholeDay, 40, func(int) {})
	if len(seen) != 156 || !slices.IsSorted(seen) || len(slices.Compact(seen)) != 156 {
		t.Errorf("got %d pix, sorted %v", len(seen), slices.IsSorted(seen))
	}
	page := l.pixPage(wholeDay + "&paginacao.itensPorPagina=40&paginacao.paginaAtual=3")
	if page.Paging != (pix.Paging{Page: 3, PerPage: 40, Pages: 4, Items: 156}) || len(page.Payments) != 36 {
		t.Errorf("last page: %+v with %d", page.Paging, len(page.Payments))
	}
}

func TestRowsThatArriveBetweenPagesAreFoundByTheNextSweep(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for n := 1; n <= 156; n++ {
		l.pay(PayOrder{EndToEndID: e2eOf(10 * n), Amount: 100})
	}
	late := []int{5, 15, 401, 1001, 9999}
	first := l.walk(wholeDay, 40, func(page int) {
		if page == 0 {
			for _, n := range late {
				l.pay(PayOrder{EndToEndID: e2eOf(n), Amount: 100})
			}
		}
	})
	all := slices.Concat(first, l.walk(wholeDay, 40, func(int) {}))
	slices.Sort(all)
	if all = slices.Compact(all); len(all) != 161 {
		t.Errorf("two sweeps found %d pix, want 161", len(all))
	}
}

func TestEmptyListHasOnePage(t *testing.T) {
	t.Parallel()
	page := newLab(t).pixPage(wholeDay)
	if page.Paging != (pix.Paging{Page: 0, PerPage: 100, Pages: 1, Items: 0}) || len(page.Payments) != 0 {
		t.Errorf("got %+v", page)
	}
}

func TestTheLastInstantOfTheDay(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	midnight := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	offsets := []time.Duration{-time.Second, -642 * time.Millisecond, -time.Microsecond, 0, time.Millisecond}
	for n, d := range offsets {
		l.now = midnight.Add(d)
		l.pay(PayOrder{EndToEndID: e2eOf(n), Amount: 100})
	}
	for _, tc := range []struct {
		query string
		want  []pix.EndToEndID
	}{
		{"inicio=2026-03-02T00:00:00Z&fim=2026-03-02T23:59:59Z", []pix.EndToEndID{e2eOf(0)}},
		{"inicio=2026-03-02T00:00:00Z&fim=2026-03-02T23:59:59.358Z", []pix.EndToEndID{e2eOf(0), e2eOf(1)}},
		{"inicio=2026-03-02T00:00:00Z&fim=2026-03-02T23:59:59.999Z", []pix.EndToEndID{e2eOf(0), e2eOf(1), e2eOf(2)}},
		{"inicio=2026-03-02T23:59:59.358001Z&fim=2026-03-02T23:59:59.999999Z", []pix.EndToEndID{e2eOf(2)}},
		{"inicio=2026-03-03T00:00:00Z&fim=2026-03-03T00:00:00Z", []pix.EndToEndID{e2eOf(3)}},
		{"inicio=2026-03-03T00:00:00Z&fim=2026-03-04T00:00:00Z", []pix.EndToEndID{e2eOf(3), e2eOf(4)}},
	} {
		if got := ids(l.pixPage(tc.query).Payments); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.query, got, tc.want)
		}
	}
}

func TestOneInstantInAnyZoneIsTheSameQuestion(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.pay(PayOrder{EndToEndID: e2eOf(1), Amount: 100})
	l.at(time.Second)
	l.pay(PayOrder{EndToEndID: e2eOf(2), Amount: 100})
	for _, from := range []string{
		"2026-03-02T12:00:01Z", "2026-03-02T09:00:01-03:00", "2026-03-02T12:00:01.000Z", "2026-03-02T12:00:01+00:00",
	} {
		query := "inicio=" + url.QueryEscape(from) + "&fim=2026-03-03T00:00:00Z"
		if got := ids(l.pixPage(query).Payments); !slices.Equal(got, []pix.EndToEndID{e2eOf(2)}) {
			t.Errorf("%s: got %v", from, got)
		}
	}
}

func TestPixFilters(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.charge(1, "10.00")
	l.pay(order(1, "10.00"))
	l.pay(PayOrder{EndToEndID: e2eOf(2), TxID: "CAFE", Static: true, Amount: 100, Payer: "12345678901"})
	l.pay(PayOrder{EndToEndID: e2eOf(3), TxID: "CAFE", Static: true, Amount: 100, Payer: "ABCDEF12345678"})
	l.pay(PayOrder{EndToEndID: e2eOf(4), Amount: 100, Payer: "12345678901"})
	for _, tc := range []struct {
		filter string
		want   []int
	}{
		{"", []int{1, 2, 3, 4}},
		{"&txid=CAFE", []int{2, 3}},
		{"&txid=cafe", nil},
		{"&txid=" + string(txidOf(1)), []int{1}},
		{"&txIdPresente=true", []int{1, 2, 3}},
		{"&txIdPresente=false", []int{4}},
		{"&devolucaoPresente=true", nil},
		{"&devolucaoPresente=false", []int{1, 2, 3, 4}},
		{"&cpf=12345678901", []int{2, 4}},
		{"&cpf=12345678901&txIdPresente=true", []int{2}},
		{"&cnpj=ABCDEF12345678", []int{3}},
		{"&paginacao.itensPorPagina=1&paginacao.paginaAtual=2", []int{3}},
		{"&txid=CAFE&paginacao.itensPorPagina=1&paginacao.paginaAtual=1", []int{3}},
	} {
		var want []pix.EndToEndID
		for _, n := range tc.want {
			want = append(want, e2eOf(n))
		}
		if got := ids(l.pixPage(wholeDay + tc.filter).Payments); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", tc.filter, got, want)
		}
	}
}

func TestListViolations(t *testing.T) {
	t.Parallel()
	cases := []struct{ query, at string }{
		{"fim=2026-03-02T00:00:00Z", "inicio"},
		{"inicio=2026-03-02T00:00:00Z", "fim"},
		{"inicio=2026-03-02T00:00:00&fim=2026-03-03T00:00:00Z", "inicio"},
		{"inicio=2026-03-02&fim=2026-03-03T00:00:00Z", "inicio"},
		{"inicio=2026-03-02T00:00:00+00:00&fim=2026-03-03T00:00:00Z", "inicio"}, // a bare plus is a space
		{"inicio=2026-03-03T00:00:00Z&fim=2026-03-02T23:59:59Z", "fim"},
		{wholeDay + "&cpf=12345678901&cnpj=12345678901234", "cpf"},
		{wholeDay + "&cpf=1234567890", "cpf"},
		{wholeDay + "&cnpj=1234567890123a", "cnpj"},
		{wholeDay + "&paginacao.paginaAtual=-1", "paginacao.paginaAtual"},
		{wholeDay + "&paginacao.paginaAtual=x", "paginacao.paginaAtual"},
		{wholeDay + "&paginacao.itensPorPagina=0", "paginacao.itensPorPagina"},
		{wholeDay + "&paginacao.itensPorPagina=-5", "paginacao.itensPorPagina"},
		{wholeDay + "&paginacao.itensPorPagina=1001", "paginacao.itensPorPagina"},
	}
	for _, tc := range cases {
		t.Run(tc.query, func(t *testing.T) {
			l := newLab(t)
			for _, list := range []struct {
				path string
				kind pix.ProblemKind
			}{{"/v2/pix?", pix.ProblemPaymentQueryInvalid}, {"/v2/cob?", pix.ProblemChargeQueryInvalid}} {
				if at := l.problem(list.kind, "GET", list.path+tc.query, ""); !slices.Contains(at, tc.at) {
					t.Errorf("%s: violations at %v, want %s", list.path, at, tc.at)
				}
			}
		})
	}
	only := []struct{ query, at string }{
		{"&txid=a-b", "txid"}, {"&txid=" + strings.Repeat("a", 36), "txid"},
		{"&txIdPresente=1", "txIdPresente"}, {"&devolucaoPresente=sim", "devolucaoPresente"},
	}
	for _, tc := range only {
		at := newLab(t).problem(pix.ProblemPaymentQueryInvalid, "GET", "/v2/pix?"+wholeDay+tc.query, "")
		if !slices.Equal(at, []string{tc.at}) {
			t.Errorf("%s: violations at %v", tc.query, at)
		}
	}
}

func TestListsLagAndGetsDoNot(t *testing.T) {
	t.Parallel()
	l := newLabWith(t, func(c *Config) { c.StatementLag = 30 * time.Second })
	l.pay(PayOrder{EndToEndID: e2eOf(1), Amount: 100})
	l.want(http.StatusOK, "GET", "/v2/pix/"+string(e2eOf(1)), "", nil)
	for _, tc := range []struct {
		at   time.Duration
		want int
	}{{0, 0}, {30*time.Second - time.Microsecond, 0}, {30 * time.Second, 1}} {
		l.at(tc.at)
		if got := len(l.pixPage(wholeDay).Payments); got != tc.want {
			t.Errorf("list after %s: got %d, want %d", tc.at, got, tc.want)
		}
		if got := len(l.statement("").Lines); got != tc.want {
			t.Errorf("statement after %s: got %d, want %d", tc.at, got, tc.want)
		}
	}
	if got := len(l.psp.Statement(labStart, labStart.Add(1))); got != 1 {
		t.Errorf("Statement: got %d lines, lag or not", got)
	}
}

func (l *lab) statement(query string) pix.StatementPage {
	l.t.Helper()
	var page pix.StatementPage
	l.want(http.StatusOK, "GET", "/extrato?"+query, "", &page)
	return page
}

func TestStatementPagesHoldWhileRowsArrive(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for n := 1; n <= 25; n++ {
		l.at(time.Duration(n/2) * time.Second)
		l.pay(PayOrder{EndToEndID: e2eOf(n), Amount: pix.Amount(n)})
	}
	var lines []pix.StatementLine
	for cursor, rounds := "", 0; ; rounds++ {
		page := l.statement("limit=10&cursor=" + cursor)
		lines = append(lines, page.Lines...)
		if cursor = page.Next; cursor == "" {
			break
		}
		l.at(time.Minute + time.Duration(rounds)*time.Second)
		l.pay(PayOrder{EndToEndID: e2eOf(100 + rounds), Amount: 1})
	}
	if len(lines) != 27 {
		t.Errorf("got %d lines, want 27", len(lines))
	}
	for i := 1; i < len(lines); i++ {
		if compareLines(lines[i-1], lines[i]) >= 0 {
			t.Errorf("line %d out of order", i)
		}
	}
	if l := lines[0]; l.Kind != pix.KindPixIn || l.Cents != 1 || !l.SettledAt.Equal(labStart) {
		t.Errorf("first line %+v", l)
	}
	within := l.statement("from=2026-03-02T12:00:01Z&to=2026-03-02T12:00:02Z")
	if len(within.Lines) != 2 {
		t.Errorf("one second holds %d lines, want 2: its end is not included", len(within.Lines))
	}
}

func TestStatementViolations(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for query, at := range map[string]string{
		"from=2026-03-02T12:00:00":                          "from",
		"from=2026-03-02T12:00:00Z&to=2026-03-02T11:00:00Z": "to",
		"limit=0":        "limit",
		"limit=1001":     "limit",
		"cursor=x":       "cursor",
		"cursor=x~a~b~c": "cursor",
	} {
		if got := l.problem(pix.ProblemInvalidRequest, "GET", "/extrato?"+query, ""); !slices.Equal(got, []string{at}) {
			t.Errorf("%s: violations at %v", query, got)
		}
	}
}

func TestUnknownPlaces(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, target := range []string{"/", "/v2", "/v2/pix/", "//v2/pix", "/v2//pix", "/v2/pix/a/b", "/pix", "/v2/cobv/x"} {
		l.problem(pix.ProblemNotFound, "GET", target, "")
	}
	l.problem(pix.ProblemPaymentNotFound, "GET", "/v2/pix/"+string(e2eOf(1)), "")
	for _, tc := range []struct{ verb, target, allow string }{
		{"DELETE", cobPath(1), "GET, PUT, PATCH"},
		{"POST", "/v2/pix", "GET"},
		{"PUT", "/extrato", "GET"},
		{"POST", "/v2/webhook/k", "GET, PUT, DELETE"},
	} {
		reply := l.call(tc.verb, tc.target, "")
		if reply.Status != http.StatusMethodNotAllowed || reply.Header.Get("Allow") != tc.allow {
			t.Errorf("%s %s: got %d, Allow %q", tc.verb, tc.target, reply.Status, reply.Header.Get("Allow"))
		}
		if p, err := pix.ParseProblem(reply.Body); err != nil || p.Status != http.StatusMethodNotAllowed {
			t.Errorf("%s %s: body %s", tc.verb, tc.target, reply.Body)
		}
	}
	l.problem(pix.ProblemInvalidRequest, "PUT", cobPath(1), strings.Repeat(" ", maxRequestBody+1))
}
