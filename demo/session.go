package demo

import (
	"errors"
	"fmt"
	"sync"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios"
	"github.com/pixlab/pixlab/scenarios/film"
)

// Session is one plan on two receivers. It is safe for concurrent use.
type Session struct {
	mu        sync.Mutex
	receivers []scenarios.Receiver // that can stand on the left
	state     State
	plan      *chaos.Plan
	changed   chan struct{} // closed at the next change
}

// State is what the page shows. Version rises with every change.
type State struct {
	Version  int    `json:"version"`
	Seed     string `json:"seed"`
	Profile  string `json:"profile"`
	Receiver string `json:"receiver"` // on the left
	// Left and Right are the two films, the reference's on the right.
	Left  *film.Film `json:"left"`
	Right *film.Film `json:"right"`
	// Command repeats the right column's run, once the plan is saved.
	Command string `json:"command"`
	// Added is how many faults were added by hand.
	Added int `json:"added"`
}

// ErrUnknown is an order that names nothing known: a receiver, a profile, a button.
var ErrUnknown = errors.New("unknown")

// New opens a session. The first of receivers stands on the left.
func New(o chaos.Options, receivers []scenarios.Receiver) (*Session, error) {
	if len(receivers) == 0 {
		return nil, errors.New("demo: want a receiver for the left")
	}
	s := &Session{receivers: receivers, changed: make(chan struct{})}
	s.state.Receiver = receivers[0].Name
	return s, s.Reset(o)
}

// Reset draws another plan.
func (s *Session) Reset(o chaos.Options) error {
	plan, err := chaos.Generate(o)
	if err != nil {
		return err
	}
	return s.Load(plan)
}

// Load takes a plan as it is.
func (s *Session) Load(plan *chaos.Plan) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.film(plan, s.state.Receiver, 0)
}

// Face puts another receiver on the left.
func (s *Session) Face(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.find(name); !ok {
		return fmt.Errorf("receiver %q is %w", name, ErrUnknown)
	}
	return s.film(s.plan, name, s.state.Added)
}

func (s *Session) find(name string) (scenarios.Receiver, bool) {
	for _, r := range s.receivers {
		if r.Name == name {
			return r, true
		}
	}
	return scenarios.Receiver{}, false
}

// Press carries out a button at an instant of the play; see [Button].
func (s *Session) Press(b Button, at chaos.Instant) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	plan, err := written(s.plan)
	if err != nil {
		return err
	}
	if err := press(plan, s.state.Right, b, at); err != nil {
		return err
	}
	return s.film(plan, s.state.Receiver, s.state.Added+1)
}

// Rate has a kind strike tenths payments in ten from an instant on.
func (s *Session) Rate(b Button, tenths int, at chaos.Instant) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	plan, err := written(s.plan)
	if err != nil {
		return err
	}
	if err := rate(plan, b, tenths, at); err != nil {
		return err
	}
	return s.film(plan, s.state.Receiver, s.state.Added+1)
}

// film runs a plan on both receivers and takes it over, or leaves all as it was.
func (s *Session) film(plan *chaos.Plan, receiver string, added int) error {
	plan, err := written(plan)
	if err != nil {
		return err
	}
	r, _ := s.find(receiver)
	left, _, err := film.Take(plan, scenarios.Options{Receiver: &r})
	if err != nil {
		return err
	}
	right, _, err := film.Take(plan, scenarios.Options{})
	if err != nil {
		return err
	}
	s.plan = plan
	s.state = State{
		Version: s.state.Version + 1, Seed: plan.Seed.String(), Profile: plan.Profile, Receiver: receiver,
		Left: left, Right: right, Added: added, Command: command(plan, added),
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

// command runs the plan again: from its seed while nothing was added.
func command(plan *chaos.Plan, added int) string {
	if added == 0 {
		return fmt.Sprintf("pixlab run --seed %s --profile %s", plan.Seed, plan.Profile)
	}
	return "pixlab run --plan " + PlanName(plan)
}

// PlanName is the name under which a plan is saved.
func PlanName(plan *chaos.Plan) string {
	return fmt.Sprintf("pixlab-demo-%s.json", plan.Seed)
}

// State is the session as it stands, and a channel that is closed when it changes.
func (s *Session) State() (State, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.changed
}

// Plan is the plan as it stands, with all that was added.
func (s *Session) Plan() *chaos.Plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plan
}

// Receivers lists those that can stand on the left.
func (s *Session) Receivers() []scenarios.Receiver { return s.receivers }
