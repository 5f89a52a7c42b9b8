package live

// The environment by which a receiver is told that it runs in a lab: where to
// ask, with which token, and as which instance. Without the first there is no
// lab, and nothing of this package is at work.
const (
	EnvControl  = "PIXLAB_LAB_CONTROL"
	EnvToken    = "PIXLAB_LAB_CONTROL_TOKEN"
	EnvInstance = "PIXLAB_LAB_INSTANCE"
	// EnvLeash, not empty, has a process end when its standard input does.
	EnvLeash = "PIXLAB_LAB_LEASH"
)

// Hello is what the run tells a receiver at its start.
type Hello struct {
	Seed string `json:"seed"`
	// Commands are those about whose edges the receiver asks.
	Commands []string `json:"commands"`
	// SkewMS is how far the receiver's own clock is off; negative is behind.
	SkewMS int64 `json:"skew_ms,omitempty"`
}

// Question is a receiver's, at one edge of one execution of a store command.
type Question struct {
	Instance int    `json:"instance"`
	Command  string `json:"command"`
	Edge     string `json:"edge"`
	// IDs are what the batch's items are about: endToEndIds, references, a duty.
	IDs []string `json:"ids"`
	// Counts are those of the answer at the edge before, none where there was none.
	Counts []Count `json:"counts,omitempty"`
}

// Count says the how manieth execution of its command this one is for a subject.
type Count struct {
	Subject    string `json:"subject"`
	Here       int    `json:"here"`
	Everywhere int    `json:"everywhere"`
}

// Order is the answer.
type Order struct {
	Counts []Count `json:"counts,omitempty"`
	// Kill has the receiver end itself as kill -9 does. LoseCommit has it take
	// what was committed for unknown. PauseMS holds the caller.
	Kill       bool  `json:"kill,omitempty"`
	LoseCommit bool  `json:"lose_commit,omitempty"`
	PauseMS    int64 `json:"pause_ms,omitempty"`
}
