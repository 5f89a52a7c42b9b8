package chaos

func webhookRemovedKind() Kind {
	return Kind{
		Name: "webhook_removed", Family: FamilyCallback,
		Doc:   "The PSP forgets the callback address for a minute to two hours.",
		Mixed: Rate{1, 400}, Hostile: Rate{1, 40}, Alone: Rate{1, 4},
		Propose: proposeWebhookRemoved,
	}
}

func proposeWebhookRemoved(p Proposer) (out []Deviation) {
	for n, st := range p.callbacks() {
		out = append(out, p.window(st, PlaceWebhook, n.dueMS, minuteMS, 2*hourMS, Change{Removed: true}))
	}
	return out
}
