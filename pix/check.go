package pix

import (
	"fmt"
	"unicode/utf8"
)

// check gathers the violations of an object already held in Go, where finding
// gathers those of its bytes.
type check struct {
	at   string
	list []Violation
}

func (c *check) add(name, value, reason string) {
	c.list = append(c.list, Violation{Reason: reason, Property: c.at + name, Value: cut(value)})
}

// money wants an amount the wire can carry and that is more than 0.00.
func (c *check) money(name string, a Amount) {
	switch {
	case !a.Valid():
		c.add(name, a.String(), "want 0.01 to "+MaxAmount.String())
	case a == 0:
		c.add(name, a.String(), errZero.Error())
	}
}

// length wants at most most characters.
func (c *check) length(name, s string, most int) {
	if n := utf8.RuneCountInString(s); n > most {
		c.add(name, s, fmt.Sprintf("%d characters, want at most %d", n, most))
	}
}

// filled wants 1 to most characters.
func (c *check) filled(name, s string, most int) {
	if s == "" {
		c.add(name, s, errMissing.Error())
	}
	c.length(name, s, most)
}

// pixKey wants a chave of the right form.
func (c *check) pixKey(name string, k PixKey) {
	if k == "" {
		c.add(name, "", errMissing.Error())
		return
	}
	if _, err := ParsePixKey(string(k)); err != nil {
		c.add(name, string(k), err.Error())
	}
}
