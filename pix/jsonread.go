package pix

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// This file reads JSON objects by hand, after json.Valid has accepted the
// whole text. encoding/json alone would match member names whatever their
// case, let the last of two equal names win in silence and replace broken
// UTF-8 inside an id; each of these can turn one payment into another.

var (
	errNotJSON   = errors.New("not one JSON value")
	errNotObject = errors.New("not a JSON object")
	errNotString = errors.New("not a JSON string")
	errNotInt    = errors.New("not a JSON whole number in range")
	errNotBool   = errors.New("not true or false")
	errNotList   = errors.New("not a JSON array or object")
	errText      = errors.New("not UTF-8 text without NUL")
	errCode      = errors.New("want 1 to 140 bytes without control characters")
	errClash     = errors.New("member occurs twice with different content")
	errMissing   = errors.New("required")
)

// member is one member of an object: the name looked for and, after
// readMembers, the bytes of its value (none if it is not there).
type member struct {
	name  string
	raw   []byte
	clash bool // it occurs again with other bytes
}

// absent is true of a member that is missing or null.
func (m member) absent() bool {
	return !m.clash && (len(m.raw) == 0 || m.raw[0] == 'n')
}

// readMembers fills the raw values of want from the valid JSON text raw and
// skips every other member. It reports false if raw is no object. Names are
// compared as decoded bytes, letter case included.
func readMembers(raw []byte, want []member) bool {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return false
	}
	i = skipSpace(raw, i+1)
	for i < len(raw) && raw[i] == '"' {
		end := skipString(raw, i)
		name := raw[i:end]
		i = skipSpace(raw, end)    // the colon
		i = skipSpace(raw, i+1)    // the value
		end, _ = skipValue(raw, i) // after it
		keep(want, name, raw[i:end:end])
		i = skipSpace(raw, end)
		if i < len(raw) && raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return true
}

func keep(want []member, quoted, value []byte) {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(unquote(quoted))
	}
	for k := range want {
		m := &want[k]
		if m.name != string(name) {
			continue
		}
		if m.raw == nil {
			m.raw = value
		} else if !bytes.Equal(m.raw, value) {
			m.clash = true
		}
		return
	}
}

// elements calls each with the elements of a JSON array and how deep each
// nests, or with raw itself if raw is no array.
func elements(raw []byte, each func(value []byte, depth int)) {
	i := skipSpace(raw, 0)
	if i < len(raw) && raw[i] != '[' {
		end, depth := skipValue(raw, i)
		each(raw[i:end:end], depth)
		return
	}
	i = skipSpace(raw, i+1)
	for i < len(raw) && raw[i] != ']' {
		end, depth := skipValue(raw, i)
		each(raw[i:end:end], depth)
		i = skipSpace(raw, end)
		if i < len(raw) && raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that opens at b[i].
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// skipValue returns the index after the value at b[i] and how many arrays and
// objects it nests. It loops where a reader would recurse, so depth costs no
// stack.
func skipValue(b []byte, i int) (end, depth int) {
	level := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
		case '{', '[':
			level++
			depth = max(depth, level)
			i++
		case '}', ']':
			level--
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
			continue
		default:
			i = skipLiteral(b, i)
		}
		if level == 0 {
			break
		}
	}
	return i, depth
}

// skipLiteral returns the index after a number, true, false or null.
func skipLiteral(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ',', ':', '}', ']', '{', '[', '"', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
	return i
}

// unquote decodes a JSON string. Broken UTF-8 and lone surrogates become
// U+FFFD.
func unquote(quoted []byte) string {
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return ""
	}
	return s
}

// inner returns what stands between the quotes of a JSON string.
func (m member) inner() ([]byte, error) {
	if m.clash {
		return nil, errClash
	}
	if n := len(m.raw); n < 2 || m.raw[0] != '"' || m.raw[n-1] != '"' {
		return nil, errNotString
	}
	return m.raw[1 : len(m.raw)-1], nil
}

// plain is true of bytes that need no decoding: ASCII without backslash.
func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// text reads a string whose bytes matter: an id, a key, an amount, a code.
// Broken UTF-8, lone surrogates, U+FFFD and NUL are errors.
func (m member) text() (string, error) {
	in, err := m.inner()
	if err != nil {
		return "", err
	}
	if plain(in) {
		return string(in), nil
	}
	s := unquote(m.raw)
	if !utf8.Valid(in) || strings.ContainsRune(s, utf8.RuneError) || strings.ContainsRune(s, 0) {
		return "", errText
	}
	return s, nil
}

// note reads a string written for people. What no store could keep as text
// (broken UTF-8, lone surrogates, NUL) becomes U+FFFD: a payer's note must
// not cost a merchant the payment.
func (m member) note() (string, error) {
	in, err := m.inner()
	if err != nil {
		return "", err
	}
	if plain(in) {
		return string(in), nil
	}
	return strings.ReplaceAll(unquote(m.raw), "\x00", "\uFFFD"), nil
}

func (m member) amount() (Amount, error) {
	in, err := m.inner()
	if err != nil {
		return 0, err
	}
	if !plain(in) {
		in = []byte(unquote(m.raw))
	}
	if a, ok := scanAmount(in); ok {
		return a, nil
	}
	return 0, errAmountText
}

func (m member) time() (time.Time, error) {
	in, err := m.inner()
	if err != nil {
		return time.Time{}, err
	}
	if !plain(in) {
		in = []byte(unquote(m.raw))
	}
	return scanTime(in)
}

func (m member) int(bits int) (int64, error) {
	if m.clash {
		return 0, errClash
	}
	n, err := strconv.ParseInt(string(m.raw), 10, bits)
	if err != nil {
		return 0, errNotInt
	}
	return n, nil
}

func (m member) bool() (bool, error) {
	switch {
	case m.clash:
		return false, errClash
	case string(m.raw) == "true":
		return true, nil
	case string(m.raw) == "false":
		return false, nil
	}
	return false, errNotBool
}

// parseCode reads a word of an enumeration that may grow: a status or a
// natureza. Any word is kept as it is, within the bounds of a storable key.
func parseCode[T ~string](s string) (T, error) {
	const most = 140
	if len(s) < 1 || len(s) > most || strings.ContainsFunc(s, unicode.IsControl) {
		return "", errCode
	}
	return T(s), nil
}
