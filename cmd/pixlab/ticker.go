package main

import (
	"fmt"
	"io"
	"time"
)

// ticker tells how a long search goes: on a terminal one line that is written
// over and over, elsewhere, in a job's log say, a line every now and then.
type ticker struct {
	*progress
	log  io.Writer // nil on a terminal
	last time.Time
}

// tickEvery is the pause between two lines of a log.
const tickEvery = 10 * time.Second

func newTicker(to io.Writer) *ticker {
	if onTerminal(to) {
		return &ticker{progress: &progress{to: to}}
	}
	return &ticker{progress: &progress{}, log: to, last: time.Now()}
}

// say shows a new text, or logs it if it is time to.
func (t *ticker) say(format string, args ...any) {
	if t.log == nil {
		t.progress.say(format, args...)
		return
	}
	if now := time.Now(); now.Sub(t.last) >= tickEvery {
		t.last = now
		fmt.Fprintf(t.log, "pixlab: "+format+"\n", args...)
	}
}
