package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/fakepsp/live"
)

// pspSpan is a length of time from least to an hour; zero means that none was
// given, or zero itself where least allows it.
type pspSpan struct{ d, least time.Duration }

// Set reads the flag's text.
func (f *pspSpan) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < f.least || d > 24*time.Hour {
		return fmt.Errorf("want a length of time from %s to 24h, such as 500ms or 2s", f.least)
	}
	f.d = d
	return nil
}

// String is the length, empty until one was given.
func (f *pspSpan) String() string {
	if f.d == 0 {
		return ""
	}
	return f.d.String()
}

// Type names the value in a usage text.
func (f *pspSpan) Type() string { return "TIME" }

// pspRetry is a retry table, by its name or by its pauses.
type pspRetry struct{ chaos.RetryTable }

// Set reads the flag's text.
func (f *pspRetry) Set(text string) error {
	known := append([]chaos.RetryTable{live.Retry()}, chaos.RetryTables()...)
	if i := slices.IndexFunc(known, func(t chaos.RetryTable) bool { return t.Name == text }); i >= 0 {
		f.RetryTable = known[i]
		return nil
	}
	table := chaos.RetryTable{Name: "own", Source: "the command line", Timeout: live.Retry().Timeout}
	for part := range strings.SplitSeq(text, ",") {
		d, err := time.ParseDuration(strings.TrimSpace(part))
		if err != nil || d <= 0 || d > chaos.RetryBound {
			return errors.New("want pauses such as 200ms,1s,5s, or one of " + pspTableNames(known))
		}
		table.Delays = append(table.Delays, d)
	}
	f.RetryTable = table
	return nil
}

// String is the table's name, or its pauses where it has none of its own.
func (f *pspRetry) String() string {
	if f.Name != "own" {
		return f.Name
	}
	parts := make([]string, len(f.Delays))
	for i, d := range f.Delays {
		parts[i] = d.String()
	}
	return strings.Join(parts, ",")
}

// Type names the value in a usage text.
func (f *pspRetry) Type() string { return "TABLE" }

func pspTableNames(known []chaos.RetryTable) string {
	names := make([]string, len(known))
	for i, t := range known {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}
