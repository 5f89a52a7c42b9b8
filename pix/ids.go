package pix

import (
	"errors"
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"
)

// EndToEndID names one Pix in the whole arrangement: 32 of [a-zA-Z0-9].
// Strictly made ones are "E", the payer institution's ISPB (8), the UTC minute
// of creation (12) and 11 free characters. Two ids are the same Pix only if
// their bytes are the same; letter case counts.
type EndToEndID string

// TxID names a charge to its merchant. In a charge it has 26 to 35 of
// [a-zA-Z0-9]; inside a Pix it may be as short as 1, since static codes carry
// up to 25. It is not unique among payments.
type TxID string

// ReturnID (rtrId) names one return of money in the arrangement: 32 of
// [a-zA-Z0-9], strictly "D", the returning institution's ISPB, minute, 11 free.
type ReturnID string

// RefundID names a refund (devolução) within its Pix alone: 1 to 35 of
// [a-zA-Z0-9], chosen by whoever asked for the refund.
type RefundID string

// PixKey (chave) is a key of the DICT directory: a CPF, CNPJ, e-mail, phone
// or random UUID, 1 to 77 bytes.
type PixKey string

const (
	arrangementIDLen = 32 // endToEndId and rtrId
	shortIDMax       = 35 // txid and devolução id
	chargeTxIDMin    = 26 // txid of a charge
	pixKeyMax        = 77 // chave
)

// ParseEndToEndID takes s as an endToEndId by API Pix's loose rule, 32 of
// [a-zA-Z0-9], which leaves the inside to the institution that made it. The
// text is never trimmed, cut or case-folded.
func ParseEndToEndID(s string) (EndToEndID, error) {
	return parseAlnum[EndToEndID]("endToEndId", s, arrangementIDLen, arrangementIDLen)
}

// ParseTxID takes s as the txid found inside a Pix: 1 to 35 of [a-zA-Z0-9].
func ParseTxID(s string) (TxID, error) {
	return parseAlnum[TxID]("txid", s, 1, shortIDMax)
}

// ParseChargeTxID takes s as the txid of a charge: 26 to 35 of [a-zA-Z0-9].
func ParseChargeTxID(s string) (TxID, error) {
	return parseAlnum[TxID]("txid of a charge", s, chargeTxIDMin, shortIDMax)
}

// ParseReturnID takes s as an rtrId: 32 of [a-zA-Z0-9].
func ParseReturnID(s string) (ReturnID, error) {
	return parseAlnum[ReturnID]("rtrId", s, arrangementIDLen, arrangementIDLen)
}

// ParseRefundID takes s as a devolução's id: 1 to 35 of [a-zA-Z0-9].
func ParseRefundID(s string) (RefundID, error) {
	return parseAlnum[RefundID]("devolução id", s, 1, shortIDMax)
}

// ParsePixKey takes s as a chave: 1 to 77 bytes of UTF-8 without control
// characters. Which kind of key it is, and whether it exists, only the
// directory knows.
func ParsePixKey(s string) (PixKey, error) {
	if len(s) < 1 || len(s) > pixKeyMax {
		return "", fmt.Errorf("chave %s: %d bytes, want 1 to %d", excerpt(s), len(s), pixKeyMax)
	}
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("chave %s: not UTF-8", excerpt(s))
	}
	for _, r := range s {
		if unicode.IsControl(r) {
			return "", fmt.Errorf("chave %s: control character", excerpt(s))
		}
	}
	return PixKey(s), nil
}

// NewEndToEndID makes a strict endToEndId: "E", ispb (8 of [0-9A-Z]), the
// minute in UTC as yyyyMMddHHmm, and suffix (11 of [a-zA-Z0-9]). It is an
// error for parts of another form.
func NewEndToEndID(ispb string, minute time.Time, suffix string) (EndToEndID, error) {
	s, err := newArrangementID('E', ispb, minute, suffix)
	return EndToEndID(s), err
}

// NewReturnID makes a strict rtrId, as NewEndToEndID with "D" and the ISPB of
// the institution that returns the money.
func NewReturnID(ispb string, minute time.Time, suffix string) (ReturnID, error) {
	s, err := newArrangementID('D', ispb, minute, suffix)
	return ReturnID(s), err
}

func newArrangementID(kind byte, ispb string, minute time.Time, suffix string) (string, error) {
	const layout = "200601021504"
	if len(ispb) != 8 || !upperAlnum(ispb) {
		return "", fmt.Errorf("ispb %s: want 8 of [0-9A-Z]", excerpt(ispb))
	}
	if len(suffix) != 11 || !alnum(suffix) {
		return "", fmt.Errorf("suffix %s: want 11 of [a-zA-Z0-9]", excerpt(suffix))
	}
	minute = minute.UTC()
	if y := minute.Year(); y < 0 || y > 9999 {
		return "", errors.New("minute: year outside 0000 to 9999")
	}
	b := make([]byte, 0, arrangementIDLen)
	b = append(append(b, kind), ispb...)
	b = minute.AppendFormat(b, layout)
	return string(append(b, suffix...)), nil
}

func parseAlnum[T ~string](what, s string, least, most int) (T, error) {
	if len(s) >= least && len(s) <= most && alnum(s) {
		return T(s), nil
	}
	if least == most {
		return "", fmt.Errorf("%s %s: want %d of [a-zA-Z0-9]", what, excerpt(s), least)
	}
	return "", fmt.Errorf("%s %s: want %d to %d of [a-zA-Z0-9]", what, excerpt(s), least, most)
}

func alnum(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

func upperAlnum(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// excerpt quotes s for an error text, cut where it is long: an error must not
// carry a whole body into a log line.
func excerpt(s string) string {
	const most = 48
	if len(s) > most {
		return fmt.Sprintf("%q… (%d bytes)", s[:most], len(s))
	}
	return fmt.Sprintf("%q", s)
}
