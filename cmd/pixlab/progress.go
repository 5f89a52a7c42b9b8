package main

import (
	"fmt"
	"io"
	"sync"
)

// progress is one line on a terminal that is written over and over; on
// anything else it stays silent. It may be used by many goroutines.
type progress struct {
	mu   sync.Mutex
	to   io.Writer // nil when nobody is looking
	text string
}

func (c *cli) progress() *progress {
	if !onTerminal(c.err) {
		return &progress{}
	}
	return &progress{to: c.err}
}

// say shows a new text.
func (p *progress) say(format string, args ...any) {
	if p.to == nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	if text != p.text {
		fmt.Fprintf(p.to, "\r\x1b[K%s", text)
		p.text = text
	}
}

// steps shows how far one run is.
func (p *progress) steps(n int64) { p.say("running: %s steps", grouped(n)) }

// clear takes the line away, so that the result stands alone.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil && p.text != "" {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.text = ""
	}
}
