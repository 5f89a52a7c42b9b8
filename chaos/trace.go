package chaos

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"unicode/utf8"
)

// Trace is the proof of a run: one JSON line an event, and the SHA-256 of all
// lines so far. The hash is that of the text written, line feeds included, so
// sha256sum of a stored trace gives the same digits.
//
// A Trace is not safe for concurrent use.
type Trace struct {
	w    io.Writer
	sum  hash.Hash
	line []byte
	n    int64
	err  error
}

// NewTrace makes a trace that writes to w, or only hashes when w is nil.
func NewTrace(w io.Writer) *Trace {
	return &Trace{w: w, sum: sha256.New(), line: make([]byte, 0, 512)}
}

// Emit records one event: when (t, microseconds from the plan's start), which
// actor, what kind, some ids as name and value by turns, and a detail for
// people. Members are always n, t, actor, kind, ids, detail; what is empty is
// left out, an id with an empty value too.
func (t *Trace) Emit(at Instant, actor, kind, detail string, ids ...string) {
	t.n++
	b := append(t.line[:0], `{"n":`...)
	b = strconv.AppendInt(b, t.n, 10)
	b = append(b, `,"t":`...)
	b = strconv.AppendInt(b, int64(at), 10)
	b = appendMember(b, `,"actor":`, actor)
	b = appendMember(b, `,"kind":`, kind)
	b = appendIDs(b, ids)
	b = appendMember(b, `,"detail":`, detail)
	b = append(b, '}', '\n')
	t.line = b
	t.sum.Write(b)
	if t.w != nil && t.err == nil {
		if _, err := t.w.Write(b); err != nil {
			t.err = fmt.Errorf("write trace event %d: %w", t.n, err)
		}
	}
}

// Hash is "sha256:" and 64 hex digits over the events so far.
func (t *Trace) Hash() string { return hashText(t.sum.Sum(nil)) }

// Count is the number of events so far.
func (t *Trace) Count() int64 { return t.n }

// Err is the first error of the writer; the hash goes on without it.
func (t *Trace) Err() error { return t.err }

func hashText(sum []byte) string { return "sha256:" + hex.EncodeToString(sum) }

func appendMember(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return appendQuoted(append(b, name...), value)
}

func appendIDs(b []byte, ids []string) []byte {
	open := false
	for i := 0; i+1 < len(ids); i += 2 {
		if ids[i+1] == "" {
			continue
		}
		if open {
			b = append(b, ',')
		} else {
			b = append(b, `,"ids":{`...)
			open = true
		}
		b = append(appendQuoted(b, ids[i]), ':')
		b = appendQuoted(b, ids[i+1])
	}
	if open {
		b = append(b, '}')
	}
	return b
}

// appendQuoted appends s as a JSON string. Bytes that are no UTF-8 become
// U+FFFD, as encoding/json has them.
func appendQuoted(b []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		b = append(b, s[start:i]...)
		if c == '"' || c == '\\' {
			b = append(b, '\\', c)
		} else {
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// Diff finds the first line in which two traces differ, counted from 1. Where
// one ends early its line is empty. Line 0 means that they are the same.
func Diff(a, b io.Reader) (line int64, left, right string, err error) {
	ra, rb := bufio.NewReader(a), bufio.NewReader(b)
	for line = 1; ; line++ {
		left, err = nextLine(ra)
		if err != nil {
			return line, "", "", fmt.Errorf("read left trace: %w", err)
		}
		right, err = nextLine(rb)
		if err != nil {
			return line, "", "", fmt.Errorf("read right trace: %w", err)
		}
		switch {
		case left != right:
			return line, trimFeed(left), trimFeed(right), nil
		case left == "":
			return 0, "", "", nil
		}
	}
}

// nextLine is the next line with its line feed, empty at the end.
func nextLine(r *bufio.Reader) (string, error) {
	s, err := r.ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return s, err
}

func trimFeed(s string) string {
	if n := len(s); n > 0 && s[n-1] == '\n' {
		return s[:n-1]
	}
	return s
}
