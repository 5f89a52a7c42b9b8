package fakepsp

import (
	"strconv"
	"time"

	"github.com/pixlab/pixlab/pix"
)

// listQuery is the part of a question that all lists of the standard share.
type listQuery struct {
	c             *call
	from, to      time.Time // both inclusive, as asked: finer than a millisecond too
	cpf, cnpj     string
	page, perPage int
	found         []pix.Violation
}

// Whether a list wants inicio and fim.
const (
	windowRequired = true
	windowOptional = false
)

// readListQuery reads the window and the paging.
func readListQuery(c *call, window bool) *listQuery {
	q := &listQuery{c: c, perPage: pix.DefaultPerPage}
	q.from = q.instant("inicio", window)
	q.to = q.instant("fim", window)
	if !q.from.IsZero() && !q.to.IsZero() && q.to.Before(q.from) {
		q.bad("fim", "is before inicio")
	}
	q.page = q.number("paginacao.paginaAtual", 0, 0, 1<<31-1)
	q.perPage = q.number("paginacao.itensPorPagina", pix.DefaultPerPage, 1, pix.MaxPerPage)
	return q
}

// person reads cpf and cnpj, of which one may be given.
func (q *listQuery) person() {
	q.cpf, q.cnpj = q.c.query.Get("cpf"), q.c.query.Get("cnpj")
	if q.cpf != "" && !allOf(q.cpf, 11, false) {
		q.bad("cpf", "want 11 digits")
	}
	if q.cnpj != "" && !allOf(q.cnpj, 14, true) {
		q.bad("cnpj", "want 14 of [0-9A-Z]")
	}
	if q.cpf != "" && q.cnpj != "" {
		q.bad("cpf", "not together with cnpj")
	}
}

func (q *listQuery) bad(name, reason string) {
	q.found = append(q.found, pix.Violation{Reason: reason, Property: name, Value: q.c.query.Get(name)})
}

// instant reads a time with its zone. The standard's own objects carry
// milliseconds; a question may be finer, and is taken at its word.
func (q *listQuery) instant(name string, required bool) time.Time {
	text := q.c.query.Get(name)
	if text == "" {
		if required {
			q.bad(name, "is required")
		}
		return time.Time{}
	}
	if _, err := pix.ParseTime(text); err != nil {
		q.bad(name, "want an RFC 3339 date-time with its zone")
		return time.Time{}
	}
	var t time.Time
	if err := t.UnmarshalText([]byte(text)); err != nil { // cannot happen: ParseTime took it
		q.bad(name, err.Error())
	}
	return t.UTC()
}

func (q *listQuery) number(name string, absent, least, most int) int {
	text := q.c.query.Get(name)
	if text == "" {
		return absent
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		q.bad(name, "want a whole number from "+strconv.Itoa(least)+" to "+strconv.Itoa(most))
		return absent
	}
	return n
}

func (q *listQuery) boolean(name string) *bool {
	switch text := q.c.query.Get(name); text {
	case "":
		return nil
	case "true", "false":
		v := text == "true"
		return &v
	}
	q.bad(name, "want true or false")
	return nil
}

// debtor tells whether the person asked for, if any, is this one.
func (q *listQuery) debtor(d *pix.Debtor) bool {
	if q.cpf == "" && q.cnpj == "" {
		return true
	}
	return d != nil && d.CPF == q.cpf && d.CNPJ == q.cnpj
}

// payer is debtor for somebody known by a number alone.
func (q *listQuery) payer(document string) bool {
	return q.cpf == "" && q.cnpj == "" || document == q.cpf+q.cnpj
}

// cut is the page's part of n rows.
func (q *listQuery) cut(n int) (lo, hi int) { return cutPage(q.page, q.perPage, n) }

func cutPage(page, perPage, n int) (lo, hi int) {
	lo = min(page*perPage, n)
	return lo, min(lo+perPage, n)
}

// allOf tells whether s has n digits, or digits and capitals.
func allOf(s string, n int, capitals bool) bool {
	for i := range len(s) {
		digit := s[i] >= '0' && s[i] <= '9'
		if !digit && (!capitals || s[i] < 'A' || s[i] > 'Z') {
			return false
		}
	}
	return len(s) == n
}
