package chaos

// Kind is one thing that can go wrong. It proposes deviations from streams of
// its own and reads the base plan alone, so no kind can see, or move, what
// another one proposes.
type Kind struct {
	Name   string
	Family string
	// Doc says in one sentence what happens.
	Doc string
	// Mixed and Hostile are the rates in those profiles, each time one subject
	// (in most kinds, one payment) could be struck. Alone is the rate when the
	// kind stands by itself: high enough to happen in every run of usual length.
	Mixed, Hostile, Alone Rate
	Propose               func(p Proposer) []Deviation
}

// The families of kinds, by who misbehaves.
const (
	FamilyCallback = "callback" // the PSP's callbacks, or somebody posing as it
	FamilyAPI      = "api"      // the PSP's API
	FamilyReceiver = "receiver" // the receiver's own processes, store and clocks
	FamilyPayer    = "payer"    // the one who pays
	FamilyEndpoint = "endpoint" // the merchant's own webhook
	FamilyConsumer = "consumer" // the merchant as a caller of the receiver's API
)

// Kinds lists every fault kind, in the order of all listings. A new kind is a
// file of its own and a line here.
func Kinds() []Kind {
	return []Kind{
		delayKind(), duplicateKind(), reorderKind(), dropKind(), ackLostKind(),
		forgedKind(), replayKind(), resendKind(), alteredKind(), phantomKind(),
		falseRefundKind(),
		truncatedKind(), oversizedKind(), groupedKind(), rootArrayKind(),
		unknownFieldsKind(), unknownEnumsKind(), nullShapeKind(), refundObjectKind(),
		stormKind(), webhookRemovedKind(),

		apiSlowKind(), api5xxKind(), api5xxAfterKind(), apiCutKind(), api429Kind(),
		api409Kind(), apiHiddenKind(), statementLagKind(), pageShiftKind(), pspDownKind(),
		tokenExpiredKind(), tokenDownKind(),
		payoutRejectedLateKind(), payoutReturnedKind(), payoutNoBalanceKind(), payoutToldFirstKind(),
		payoutSilentKind(),

		crashKind(), commitLostKind(), storeDownKind(), workerPausedKind(), clockSkewKind(),

		underpaidKind(), overpaidKind(), secondPaymentKind(), expiredPaidKind(), removedPaidKind(),

		endpointDownKind(), endpointSlowKind(),

		requestRepeatedKind(), requestAlteredKind(), requestAnswerLostKind(),
	}
}

// KindNamed finds a kind by name.
func KindNamed(name string) (Kind, bool) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

func kindNames() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return names
}
