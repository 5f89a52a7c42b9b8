package pix

import (
	"errors"
	"fmt"
	"strconv"
)

// MaxAmount is the largest value API Pix can write: ten digits before the
// point and two after it, 9999999999.99.
const MaxAmount Amount = 999_999_999_999

// errAmountText is the reason given for a text that is no amount.
var errAmountText = errors.New(`want \d{1,10}\.\d{2}`)

// Amount is money in whole cents (centavos) of real. It is never a float: the
// wire carries a decimal string and every sum is done on integers.
//
// An Amount in a program may be negative, as a difference; the wire has no
// negative amounts.
type Amount int64

// ParseAmount reads the text of API Pix 2.9's valor, the whole of it:
// one to ten ASCII digits, a point, two ASCII digits. Nothing is trimmed,
// rounded or guessed, so "10", "10.5", "10,50", "1.234,56", "+10.00" and
// " 10.00" are errors. "0.00" is an amount; that it may not be the value of a
// Pix or of a charge is a rule of those objects.
func ParseAmount(s string) (Amount, error) {
	a, ok := scanAmount(s)
	if !ok {
		return 0, fmt.Errorf("amount %s: %w", excerpt(s), errAmountText)
	}
	return a, nil
}

// scanAmount is ParseAmount without the error text, for strings and for bytes
// still inside a body.
func scanAmount[T string | []byte](s T) (Amount, bool) {
	const shortest, longest = len("0.00"), len("9999999999.99")
	if len(s) < shortest || len(s) > longest {
		return 0, false
	}
	point := len(s) - 3
	var cents Amount
	for i := 0; i < len(s); i++ {
		c := s[i]
		if i == point {
			if c != '.' {
				return 0, false
			}
			continue
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		cents = cents*10 + Amount(c-'0')
	}
	return cents, true
}

// MustAmount is ParseAmount for amounts written in source code. It panics on
// a text that is no amount.
func MustAmount(s string) Amount {
	a, err := ParseAmount(s)
	if err != nil {
		panic(err)
	}
	return a
}

// Valid reports whether the wire can carry a: from 0.00 to MaxAmount.
func (a Amount) Valid() bool { return a >= 0 && a <= MaxAmount }

// String writes a as the wire does, "10.50", with a minus sign before a
// negative one.
func (a Amount) String() string {
	return string(a.append(make([]byte, 0, 24)))
}

func (a Amount) append(b []byte) []byte {
	n := a.magnitude()
	if a < 0 {
		b = append(b, '-')
	}
	b = strconv.AppendUint(b, n/100, 10)
	return append(b, '.', byte('0'+n/10%10), byte('0'+n%10))
}

// BRL writes a for a Brazilian reader: "R$ 1.234,56", "-R$ 1,00".
func (a Amount) BRL() string {
	n := a.magnitude()
	b := make([]byte, 0, 40)
	if a < 0 {
		b = append(b, '-')
	}
	b = append(b, "R$ "...)
	whole := strconv.FormatUint(n/100, 10)
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b = append(b, '.')
		}
		b = append(b, whole[i])
	}
	return string(append(b, ',', byte('0'+n/10%10), byte('0'+n%10)))
}

// magnitude is |a|, which for the smallest int64 fits only without a sign.
func (a Amount) magnitude() uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// MarshalJSON writes a as a JSON string. It is an error for an amount the
// wire cannot carry.
func (a Amount) MarshalJSON() ([]byte, error) {
	if !a.Valid() {
		return nil, fmt.Errorf("write amount %s: outside 0.00 to %s", a, MaxAmount)
	}
	b := append(make([]byte, 0, 16), '"')
	return append(a.append(b), '"'), nil
}

// UnmarshalJSON reads a JSON string under the rule of ParseAmount. A JSON
// number is an error, since it may have been a binary fraction on its way,
// and so is null.
func (a *Amount) UnmarshalJSON(raw []byte) error {
	s, err := member{raw: raw}.text()
	if err != nil {
		return fmt.Errorf("read amount: %w", err)
	}
	got, err := ParseAmount(s)
	if err != nil {
		return err
	}
	*a = got
	return nil
}
