package demo

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"

	"github.com/pixlab/pixlab/chaos"
	"github.com/pixlab/pixlab/scenarios/film"
)

//go:embed scenes
var sceneFiles embed.FS

// Words are one text in both languages.
type Words struct {
	English    string `json:"en"`
	Portuguese string `json:"pt"`
}

// Scene is one scene of the talk: a small plan, the receiver that stands on the
// left, and one line to say.
type Scene struct {
	ID    string `json:"id"`
	Title Words  `json:"title"`
	Line  Words  `json:"line"`
	// Receiver stands on the left; Breaks is an invariant that it breaks.
	Receiver string `json:"receiver"`
	Breaks   string `json:"breaks"`
	// Again names the scene whose plan is run a second time, to compare hashes.
	Again string `json:"again,omitempty"`
	// The play goes from FromMS to ToMS.
	FromMS int64 `json:"from_ms"`
	ToMS   int64 `json:"to_ms"`
	// Plan is the plan file; absent where the scene is another one again.
	Plan json.RawMessage `json:"plan,omitempty"`
}

// Scenes are the talk's, in order.
func Scenes() ([]Scene, error) {
	entries, err := sceneFiles.ReadDir("scenes")
	if err != nil {
		return nil, err
	}
	var out []Scene
	for _, e := range entries {
		raw, err := sceneFiles.ReadFile(path.Join("scenes", e.Name()))
		if err != nil {
			return nil, err
		}
		d, s := json.NewDecoder(bytes.NewReader(raw)), Scene{}
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			return nil, fmt.Errorf("scene %s: %w", e.Name(), err)
		}
		for _, earlier := range out {
			if earlier.ID == s.Again {
				s.Plan = earlier.Plan
			}
		}
		if len(s.Plan) == 0 {
			return nil, fmt.Errorf("scene %s has no plan", e.Name())
		}
		out = append(out, s)
	}
	return out, nil
}

// Read is the scene's plan.
func (s Scene) Read() (*chaos.Plan, error) {
	p, err := chaos.ReadPlan(bytes.NewReader(s.Plan))
	if err != nil {
		return nil, fmt.Errorf("scene %s: %w", s.ID, err)
	}
	return p, nil
}

// OnStage is the scene that a session shows.
type OnStage struct {
	Number int           `json:"number"` // from 1
	Of     int           `json:"of"`
	ID     string        `json:"id"`
	Title  Words         `json:"title"`
	Line   Words         `json:"line"`
	From   chaos.Instant `json:"from"`
	To     chaos.Instant `json:"to"`
	// First is the hash that the same plan gave before, where the scene is
	// another one again.
	First string `json:"first,omitempty"`
}

// Play brings the nth scene (from 1) on stage, run anew.
func (s *Session) Play(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 1 || n > len(s.scenes) {
		return fmt.Errorf("scene %d is %w: want 1 to %d", n, ErrUnknown, len(s.scenes))
	}
	scene := s.scenes[n-1]
	plan, err := scene.Read()
	if err != nil {
		return err
	}
	if _, ok := s.find(scene.Receiver); !ok {
		return fmt.Errorf("receiver %q is %w", scene.Receiver, ErrUnknown)
	}
	on := &OnStage{
		Number: n, Of: len(s.scenes), ID: scene.ID, Title: scene.Title, Line: scene.Line,
		From: chaos.MS(scene.FromMS), To: chaos.MS(scene.ToMS),
	}
	if scene.Again != "" {
		before, _, err := film.Take(plan, s.options(scene.Receiver))
		if err != nil {
			return err
		}
		on.First = before.Hash
	}
	return s.film(plan, scene.Receiver, 0, on)
}

// Talk gives the session scenes, and begins with the first.
func (s *Session) Talk(scenes []Scene) error {
	s.mu.Lock()
	s.scenes = scenes
	s.mu.Unlock()
	return s.Play(1)
}
