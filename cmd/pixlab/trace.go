package main

import (
	"bufio"
	"io"
)

// traceSink is where a trace goes: nowhere, to a file, or to a stream.
type traceSink struct {
	file *newFile
	out  *bufio.Writer
}

// openTrace opens --trace NAME; "-" is the given stream.
func openTrace(name string, stdout io.Writer) (*traceSink, error) {
	switch name {
	case "":
		return &traceSink{}, nil
	case "-":
		return &traceSink{out: bufio.NewWriterSize(stdout, 1<<16)}, nil
	}
	f, err := createFile("--trace", name)
	if err != nil {
		return nil, err
	}
	return &traceSink{file: f}, nil
}

// writer is what to hand to a run, nil for no trace.
func (s *traceSink) writer() io.Writer {
	switch {
	case s.file != nil:
		return s.file
	case s.out != nil:
		return s.out
	}
	return nil
}

// abandon leaves no trace, for a run that does not take place.
func (s *traceSink) abandon() {
	if s.file != nil {
		s.file.abandon()
	}
}

// finish makes the trace whole.
func (s *traceSink) finish() error {
	switch {
	case s.file != nil:
		return s.file.finish()
	case s.out != nil:
		return wrapWrite("the trace", s.out.Flush())
	}
	return nil
}
