package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

const diffDoc = `Compare two traces, as pixlab run --trace writes them, and show the first event that differs,
with those before it that are the same. Exit code 4 if they differ.`

func (c *cli) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use: "diff FILE FILE", Short: "Show the first event in which two traces differ", Long: diffDoc,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("%d arguments; want two traces, as pixlab run --trace FILE writes them (-: standard input)", len(args))
			}
			return c.diff(args[0], args[1])
		},
	}
}

func (c *cli) diff(a, b string) error {
	if a == "-" && b == "-" {
		return usagef("both traces are -; want a file for one of them")
	}
	var readers [2]*traceReader
	for i, name := range []string{a, b} {
		r, err := c.openForDiff(name)
		if err != nil {
			return err
		}
		defer r.close()
		readers[i] = r
	}
	d, err := firstDifference(readers[0], readers[1])
	if err != nil {
		return err
	}
	p := &page{colour: coloured(c.out)}
	if d == nil {
		p.line("the same: %s", counted(int(readers[0].n), "event", "events"))
		return write(c.out, p.Bytes())
	}
	p.line("the first event that differs is %s", p.bold(grouped(d.event)))
	for _, l := range readers[0].before {
		p.line("  both        %s", l)
	}
	p.line("  %s  %s", pad("first", 10), orEnd(d.first, false))
	p.line("  %s  %s", pad("second", 10), orEnd(d.second, false))
	if err := write(c.out, p.Bytes()); err != nil {
		return err
	}
	return outcome{exitNotDeterministic}
}

// traceReader reads a trace line by line and keeps the last few.
type traceReader struct {
	name   string
	file   io.Closer // nil for standard input
	lines  *bufio.Reader
	before []string
	n      int64
}

func (c *cli) openForDiff(name string) (*traceReader, error) {
	if name == "-" {
		return &traceReader{name: name, lines: bufio.NewReader(c.in)}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, usagef("%s: %s; want a trace as pixlab run --trace FILE writes it", name, reason(err))
	}
	return &traceReader{name: name, file: f, lines: bufio.NewReaderSize(f, 1<<16)}, nil
}

func (r *traceReader) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// next is the next line without its end, "" after the last.
func (r *traceReader) next() (string, error) {
	line, err := r.line()
	if err != nil && err != io.EOF {
		return "", usagef("%s: %s; want a trace as pixlab run --trace FILE writes it", r.name, reason(err))
	}
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if line != "" && line[0] != '{' {
		return "", usagef("%s: line %d is no event; want a trace as pixlab run --trace FILE writes it", r.name, r.n+1)
	}
	return line, nil
}

// longestLine bounds an event's line, in bytes: what has no line's end for longer
// is no trace, and perhaps never ends.
const longestLine = 1 << 20

// line reads up to a line's end, which it keeps.
func (r *traceReader) line() (string, error) {
	var line []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		if len(line)+len(part) > longestLine {
			return "", fmt.Errorf("line %d is longer than %s bytes", r.n+1, grouped(longestLine))
		}
		if line = append(line, part...); !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}

// contextLines is how many equal events are shown before the first that differs.
const contextLines = 3

// firstDifference walks two traces side by side; nil if they are the same.
func firstDifference(a, b *traceReader) (*difference, error) {
	for {
		left, err := a.next()
		if err != nil {
			return nil, err
		}
		right, err := b.next()
		if err != nil {
			return nil, err
		}
		switch {
		case left != right:
			return &difference{event: a.n + 1, first: left, second: right}, nil
		case left == "":
			return nil, nil
		}
		a.n++
		a.before = append(a.before, left)
		if len(a.before) > contextLines {
			a.before = a.before[1:]
		}
	}
}
