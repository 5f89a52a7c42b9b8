package chaos

func workerPausedKind() Kind {
	return Kind{
		Name: "worker_paused", Family: FamilyReceiver,
		Doc:   "A worker stands still with its work claimed, past its lease of thirty seconds.",
		Mixed: Rate{1, 80}, Hostile: Rate{1, 10}, Alone: Rate{1, 2},
		Propose: proposeWorkerPaused,
	}
}

func proposeWorkerPaused(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		place := InstancePlace(p.instance(st), PlaceWorker)
		set := Change{PauseMS: st.octave(31*secondMS, 5*minuteMS)}
		out = append(out, p.window(st, place, s.dueMS, secondMS, 30*secondMS, set))
	}
	return out
}
