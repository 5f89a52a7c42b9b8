package chaos

// Each kind that adds copies has copy numbers of its own, or two of them would
// meet in one copy: duplicate 1 to 3, resend 11, replay 21, storm from 101.
const (
	resendCopy = 11
	replayCopy = 21
	stormCopy  = 101
)

func replayKind() Kind {
	return Kind{
		Name: "replay", Family: FamilyCallback,
		Doc:   "The very bytes of a callback, old timestamp and signature included, come again at least ten minutes later.",
		Mixed: Rate{1, 100}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeReplay,
	}
}

func proposeReplay(p Proposer) (out []Deviation) {
	for n, st := range p.callbacks() {
		old := p.least(10 * minuteMS)
		if p.left(n.dueMS) < old {
			continue
		}
		after := st.octave(old, p.left(n.dueMS))
		out = append(out, n.on(replayCopy, 1, Change{CopyAfterMS: after, Frozen: true}))
	}
	return out
}
