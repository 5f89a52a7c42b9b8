package main

import (
	"fmt"
	"strings"

	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/film"
	"github.com/pixlab/pixlab/web"
)

// openPage begins the file of --html; nil where none is asked for.
func openPage(name string) (*newFile, error) {
	if name == "" {
		return nil, nil
	}
	return createFile("--html", name)
}

// show runs the plan once more, filmed, and writes the page. The same hash
// proves that what the page shows is the run that the report tells of.
func (r *finished) show(file *newFile, f *runFlags, receiver scenarios.Receiver, turning *turningPoint) error {
	if file == nil {
		return nil
	}
	html, err := r.film(scenarios.Options{Receiver: &receiver, HealAt: int64(f.healAt.n)}, turning)
	if err != nil {
		file.abandon()
		return err
	}
	file.Write(html) // a bufio.Writer keeps its first error for Flush
	return file.finish()
}

func (r *finished) film(o scenarios.Options, turning *turningPoint) ([]byte, error) {
	f, report, err := film.Take(r.source.plan, o)
	if err != nil {
		return nil, err
	}
	if report.Hash != r.Hash {
		return nil, fmt.Errorf("the filmed run has %s, the reported one %s: not deterministic", report.Hash, r.Hash)
	}
	if turning != nil && turning.event > 0 && turning.event <= int64(len(f.Events)) {
		f.Return = &film.Point{N: turning.event, T: f.Events[turning.event-1].T}
	}
	p := &page{}
	r.text(p)
	command, _, _ := strings.Cut(r.repeat(), "   #")
	return web.Viewer(web.Page{
		Film: f.Slim(), Command: command, Text: p.String(),
		Title: "pixlab · seed " + f.Seed + " · " + string(report.Verdict),
	})
}
