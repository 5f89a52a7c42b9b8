package pix

import (
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// jsonWriter appends JSON in the order it is told, so that equal objects are
// equal bytes. It puts the commas itself, by looking at the last byte.
type jsonWriter struct{ b []byte }

func (w *jsonWriter) comma() {
	if n := len(w.b); n > 0 {
		switch w.b[n-1] {
		case '{', '[', ':':
		default:
			w.b = append(w.b, ',')
		}
	}
}

// open begins an object or array, closing ends it. A name of "" is for
// elements and the root.
func (w *jsonWriter) open(name string, bracket byte) {
	w.name(name)
	w.b = append(w.b, bracket)
}

func (w *jsonWriter) closing(bracket byte) { w.b = append(w.b, bracket) }

func (w *jsonWriter) name(name string) {
	w.comma()
	if name != "" {
		w.b = append(append(append(w.b, '"'), name...), '"', ':')
	}
}

func (w *jsonWriter) text(name, s string) {
	w.name(name)
	w.b = appendQuoted(w.b, s)
}

// optText leaves an empty text out.
func (w *jsonWriter) optText(name, s string) {
	if s != "" {
		w.text(name, s)
	}
}

func (w *jsonWriter) int(name string, n int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

func (w *jsonWriter) optBool(name string, v *bool) {
	if v != nil {
		w.name(name)
		w.b = strconv.AppendBool(w.b, *v)
	}
}

func (w *jsonWriter) amount(name string, a Amount) {
	w.name(name)
	w.b = append(a.append(append(w.b, '"')), '"')
}

func (w *jsonWriter) time(name string, t time.Time) {
	w.name(name)
	w.b = t.UTC().AppendFormat(append(w.b, '"'), TimeLayout)
	w.b = append(w.b, '"')
}

// optTime leaves the zero time out.
func (w *jsonWriter) optTime(name string, t time.Time) {
	if !t.IsZero() {
		w.time(name, t)
	}
}

// appendQuoted writes s as a JSON string: quotes, backslashes and control
// characters escaped, broken UTF-8 as U+FFFD, all else as it is.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += size
			continue
		}
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
		i++
	}
	return append(b, '"')
}

// carried is an error if an amount cannot be written on the wire.
func carried(what string, a Amount) error {
	if !a.Valid() {
		return fmt.Errorf("write %s: amount %s outside 0.00 to %s", what, a, MaxAmount)
	}
	return nil
}
