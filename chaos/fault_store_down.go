package chaos

func storeDownKind() Kind {
	return Kind{
		Name: "store_down", Family: FamilyReceiver,
		Doc:   "The receiver's database refuses everything for two seconds to twenty minutes.",
		Mixed: Rate{1, 200}, Hostile: Rate{1, 30}, Alone: Rate{1, 4},
		Propose: proposeStoreDown,
	}
}

func proposeStoreDown(p Proposer) (out []Deviation) {
	for s, st := range p.struck((*sale).any) {
		out = append(out, p.window(st, PlaceStore, s.dueMS, 2*secondMS, 20*minuteMS, Change{Down: true}))
	}
	return out
}
