package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pixlab/pixlab/chaos"
)

// mostPayments keeps a mistyped number from eating the machine.
const mostPayments = 1_000_000

// drawing is what a plan is drawn from.
type drawing struct {
	seed     seedFlag
	profile  string
	payments countFlag
	faults   []string
}

func (d *drawing) addTo(flags *pflag.FlagSet) {
	d.payments.most = mostPayments
	flags.Var(&d.seed, "seed", "draw everything from `N`")
	flags.StringVar(&d.profile, "profile", chaos.DefaultProfile, "draw faults as often as profile `NAME` has them")
	flags.Var(&d.payments, "payments", "draw `N` Pix in place of the profile's number")
	flags.StringArrayVar(&d.faults, "fault", nil, "draw this `KIND` of fault alone, and often; may be repeated")
}

// draw makes the plan.
func (d *drawing) draw() (*chaos.Plan, error) {
	if !d.seed.given {
		return nil, usagef("no seed; want --seed N, so that the same can be had again")
	}
	plan, err := chaos.Generate(chaos.Options{Seed: d.seed.seed, Profile: d.profile, Payments: d.payments.n, Faults: d.faults})
	if err != nil {
		return nil, usageError{err.Error()}
	}
	return plan, nil
}

// args are the arguments that draw the same plan again.
func (d *drawing) args() []string {
	args := []string{"--seed", d.seed.seed.String(), "--profile", d.profile}
	if d.payments.n > 0 {
		args = append(args, "--payments", strconv.Itoa(d.payments.n))
	}
	for _, kind := range d.faults {
		args = append(args, "--fault", kind)
	}
	return args
}

// source is a plan and how to have it again.
type source struct {
	plan *chaos.Plan
	// args bring the plan again; with piped, only while its writer goes on.
	args []string
	// file holds the plan, if a file does.
	file  string
	piped bool
}

// drawn is the source of a plan from a seed.
func (d *drawing) drawn() (*source, error) {
	plan, err := d.draw()
	if err != nil {
		return nil, err
	}
	d.profile = plan.Profile
	return &source{plan: plan, args: d.args()}, nil
}

// readPlan is the source of a plan from a file, or from standard input if the
// name is "-".
func readPlan(name string, stdin io.Reader) (*source, error) {
	if name == "-" {
		plan, err := chaos.ReadPlan(stdin)
		if err != nil {
			return nil, usagef("--plan -: %s", planError(err))
		}
		return &source{plan: plan, args: redrawn(plan), piped: true}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, usagef("--plan %s: %s; want a file as pixlab plan writes it, or - for standard input", name, reason(err))
	}
	defer f.Close()
	plan, err := chaos.ReadPlan(f)
	if err != nil {
		return nil, usagef("--plan %s: %s", name, planError(err))
	}
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return &source{plan: plan, args: redrawn(plan), piped: true}, nil
	}
	return &source{plan: plan, args: []string{"--plan", name}, file: name}, nil
}

// planError is what is wrong with a plan, without the word that the flag says.
func planError(err error) string { return strings.TrimPrefix(reason(err), "plan: ") }

// writeTo writes the plan to a file, which from then on is where a piped plan
// can be had again.
func (s *source) writeTo(name string) error {
	if err := writeFile("--plan-out", name, s.plan.Encode()); err != nil {
		return err
	}
	if s.piped {
		s.args, s.file = []string{"--plan", name}, name
	}
	return nil
}

// redrawn are the arguments that draw a piped plan, if its seed and its number
// of payments do; otherwise it has to be piped again.
func redrawn(plan *chaos.Plan) []string {
	d := drawing{seed: seedFlag{seed: plan.Seed, given: true}, profile: plan.Profile}
	profile, _ := chaos.ProfileNamed(plan.Profile)
	if n := len(plan.Payments); n != profile.Payments {
		d.payments.n = n
	}
	again, err := d.draw()
	if err != nil || again.Hash() != plan.Hash() {
		return []string{"--plan", "-"}
	}
	return d.args()
}

// reason is why a file could not be used, without the name that the message
// has already.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
