package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// width is the number of columns that reports are made for.
const width = 100

// page is a report in the making.
type page struct {
	bytes.Buffer
	colour bool
}

// line adds one line.
func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// field adds one "label  value" line; an empty label continues the last one.
func (p *page) field(label, format string, args ...any) {
	p.line("%s%s", p.dim(pad(label, 12)), fmt.Sprintf(format, args...))
}

func (p *page) paint(code, s string) string {
	if !p.colour {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *page) good(s string) string { return p.paint("32", s) }
func (p *page) bad(s string) string  { return p.paint("1;31", s) }
func (p *page) dim(s string) string  { return p.paint("2", s) }
func (p *page) bold(s string) string { return p.paint("1", s) }

// mark is a tick or a cross.
func (p *page) mark(ok bool) string {
	if ok {
		return p.good("✓")
	}
	return p.bad("✗")
}

// pad fills s with spaces up to n characters.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

// wrapped adds a text whose lines all begin at an indentation.
func (p *page) wrapped(indent int, text string) {
	for _, l := range wrap(text, width-indent) {
		p.line("%s%s", strings.Repeat(" ", indent), l)
	}
}

// wrap breaks a text into lines of at most n characters; a longer word has a
// line to itself, and "R$ 10,00" is one word.
func wrap(text string, n int) []string {
	const glue = "R$\x00"
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, "R$ ", glue)) {
		word = strings.ReplaceAll(word, glue, "R$ ")
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= n:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// grouped writes a number with its thousands apart: 1,949.
func grouped[T int | int64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// counted writes a number and what it counts: "1 charge", "2 charges".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// virtual writes a length of virtual time: "36 h 00 min 09 s".
func virtual(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	h, m, s := int64(d/time.Hour), int64(d/time.Minute)%60, int64(d/time.Second)%60
	if h == 0 {
		return fmt.Sprintf("%d min %02d s", m, s)
	}
	return fmt.Sprintf("%s h %02d min %02d s", grouped(h), m, s)
}

// elapsed writes a length of real time with as many digits as matter.
func elapsed(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// padLeft fills s with spaces on its left up to n characters.
func padLeft(s string, n int) string {
	return strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s))) + s
}
