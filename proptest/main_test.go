package proptest

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/pixlab/pixlab/internal/pgcluster/pgtest"
)

// usualChecks is how often each property is checked unless somebody asks for
// another number; usualOnPostgres the same with -pg, where a check takes longer.
const (
	usualChecks     = "1000"
	usualOnPostgres = "10"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := setFlags(os.LookupEnv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(pgtest.Main(m))
}

// setFlags gives rapid's flags our defaults. A flag on the command line wins,
// then PIXLAB_CHECKS, or with -pg PIXLAB_PG_CHECKS, then rapid's own variables.
func setFlags(lookup func(string) (string, bool)) error {
	ours, usual := "PIXLAB_CHECKS", usualChecks
	if *onPostgres {
		ours, usual = "PIXLAB_PG_CHECKS", usualOnPostgres
	}
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, d := range []struct{ name, ours, theirs, usual string }{
		{"rapid.checks", ours, "RAPID_CHECKS", usual},
		{"rapid.nofailfile", "", "RAPID_NOFAILFILE", "true"},
	} {
		value := d.usual
		if _, ok := lookup(d.theirs); ok {
			value = flag.Lookup(d.name).Value.String()
		}
		if v, ok := lookup(d.ours); ok {
			value = v
		}
		if given[d.name] {
			continue
		}
		if err := flag.Set(d.name, value); err != nil {
			return fmt.Errorf("%s is %q; want a whole number such as %s", d.ours, value, usual)
		}
	}
	return nil
}
