package scenarios

// replayChangesNothing is I11: the world delivers everything again and looks
// whether the ledger, a charge, the outbox or a case moved.
type replayChangesNothing struct{}

func (replayChangesNothing) id() string       { return "I11" }
func (replayChangesNothing) sentence() string { return "Delivering everything again changes nothing" }

func (replayChangesNothing) end(f *final) string { return f.replayed }
