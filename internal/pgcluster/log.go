package pgcluster

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// keptLog is how many bytes of a log are kept, to say why a server ended.
const keptLog = 8 << 10

// serverLog passes on what a program writes and keeps the end of it. It can be
// written to from several goroutines.
type serverLog struct {
	mu   sync.Mutex
	to   io.Writer
	kept []byte
}

// Write passes p on. An error of the reader's is not the program's, so it is
// dropped and the program goes on.
func (l *serverLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	if extra := len(l.kept) - keptLog; extra > 0 {
		l.kept = l.kept[extra:]
	}
	_, _ = l.to.Write(p)
	return len(p), nil
}

// printf writes a line of our own.
func (l *serverLog) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(l, "pgcluster: "+format+"\n", args...)
}

// forget empties what is kept, before another program writes.
func (l *serverLog) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = nil
}

// contains tells whether the end of the log has the text.
func (l *serverLog) contains(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(string(l.kept), text)
}

// reason gives the lines of the log's end that name an error, or else its last
// line, all on one line.
func (l *serverLog) reason() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(l.kept)), "\n")
	var named []string
	for _, line := range lines {
		if strings.Contains(line, "FATAL:") || strings.Contains(line, "error:") {
			named = append(named, strings.TrimSpace(line))
		}
	}
	if len(named) == 0 {
		return lines[len(lines)-1]
	}
	return strings.Join(named, "; ")
}
