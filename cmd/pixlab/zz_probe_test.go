package main

import (
	"os"
	"testing"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/broken"
	"github.com/pixlab/pixlab/scenarios/film"
	"github.com/pixlab/pixlab/web"
)

func TestProbe(t *testing.T) {
	for _, name := range []string{"reference", "check-then-insert", "dedupe-by-delivery"} {
		r, ok := broken.ByName(name)
		if !ok {
			r = scenarios.Reference()
		}
		plan, _ := chaos.Generate(chaos.Options{Seed: 42})
		f, _, err := film.Take(plan, scenarios.Options{Receiver: &r})
		if err != nil {
			t.Fatal(err)
		}
		b, err := web.Viewer(web.Page{Film: f, Command: "pixlab run --seed 42 --profile mixed --receiver " + name, Title: "pixlab"})
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile("/tmp/ft/"+name+".html", b, 0o644)
		t.Log(len(b))
	}
}
