package proptest

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// usualChecks is how often each property is checked unless somebody asks for
// another number.
const usualChecks = "1000"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := setFlags(os.LookupEnv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// setFlags gives rapid's flags our defaults. A flag on the command line wins,
// then PIXLAB_CHECKS, then rapid's own variables.
func setFlags(lookup func(string) (string, bool)) error {
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, d := range []struct{ name, ours, theirs, usual string }{
		{"rapid.checks", "PIXLAB_CHECKS", "RAPID_CHECKS", usualChecks},
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
			return fmt.Errorf("%s is %q; want a whole number such as %s", d.ours, value, usualChecks)
		}
	}
	return nil
}
