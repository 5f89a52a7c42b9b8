package chaos

// The notices of one payment; those of its refunds and MED cases are named by
// [RefundNotice] and [DisputeNotice], those of a payout by [NoticePayout] and
// [ReturnNotice].
const (
	// NoticeCredit is the callback that says that a Pix arrived.
	NoticeCredit = "credit"
	// NoticeForged is an extra callback of money that never was, from somebody
	// who does not hold the PSP's key. It is sent at its Change.AtMS.
	NoticeForged = "forged"
	// NoticePhantom is an extra callback, validly signed, of a Pix that never
	// settles. It is sent at its Change.AtMS.
	NoticePhantom = "phantom"
	// NoticeFalseRefund is an extra callback, validly signed, of a refund that
	// never was. It is sent at its Change.AtMS.
	NoticeFalseRefund = "false_refund"
)

// extraNotice says whether a notice exists because of a fault alone.
func extraNotice(notice string) bool {
	return notice == NoticeForged || notice == NoticePhantom || notice == NoticeFalseRefund
}

// CallbackAddress names one HTTP attempt of one callback. A retry raises
// Attempt (from 1), a duplicate is another Copy (from 0); a group belongs to
// its lowest payment. Attempts nobody addressed are clean.
type CallbackAddress struct {
	Subject string `json:"subject"`
	Notice  string `json:"notice"`
	Copy    int    `json:"copy"`
	Attempt int    `json:"attempt"`
}

// APIAddress names the nth call (from 1) of one route about one subject, as
// the PSP counts arrivals. Subject is the ID of a charge, a
// payment, a refund or a payout.
type APIAddress struct {
	Route   string `json:"route"`
	Subject string `json:"subject"`
	Nth     int    `json:"nth"`
}

// Routes of the PSP's API, as fault addresses name them.
const (
	RouteChargePut     = "cob.put"
	RouteChargeGet     = "cob.get"
	RoutePixGet        = "pix.get"
	RoutePixList       = "pix.list"
	RouteStatementList = "extrato.list"
	RouteRefundPut     = "devolucao.put"
	RouteRefundGet     = "devolucao.get"
	RoutePayoutPost    = "pagamento.post"
	RoutePayoutGet     = "pagamento.get" // by its key, or by its endToEndId
	RouteToken         = "oauth.token"
)

// CommandAddress names the nth execution (from 1) of a store command whose
// batch holds the subject: the nth that one instance ("1", "2", …) makes, or,
// on [AnyInstance], the nth that all of them make together.
type CommandAddress struct {
	Instance string `json:"instance"`
	Command  string `json:"command"`
	Subject  string `json:"subject"`
	Edge     string `json:"edge"`
	Nth      int    `json:"nth"`
}

// The edges of a store command at which it can be struck.
const (
	EdgeBefore = "before"
	EdgeAfter  = "after"
)

// The store commands that fault kinds strike. CreateCharges and RecordCalls hold
// charges, the three of refunds hold refunds, those of payouts payouts, the two of a duty hold its name,
// and the others hold payments.
// Claims and leases name their subjects only when they have run, so they have
// no edge before.
const (
	CommandCreateCharges  = "CreateCharges"
	CommandRecordCalls    = "RecordCalls"
	CommandAppendInbox    = "AppendInbox"
	CommandClaimEvents    = "ClaimEvents"
	CommandApplyEvents    = "ApplyEvents"
	CommandLeaseOutbox    = "LeaseOutbox"
	CommandMatchStatement = "MatchStatement"
	CommandReserveRefunds = "ReserveRefunds"
	CommandRecordRefunds  = "RecordRefunds"
	CommandLeaseRefunds   = "LeaseRefunds"
	CommandReservePayouts = "ReservePayouts"
	CommandRecordPayouts  = "RecordPayouts"
	CommandLeasePayouts   = "LeasePayouts"
	CommandBeginDuty      = "BeginDuty"
	CommandSaveDuty       = "SaveDuty"
)

// The receiver's periodic duties, as subjects of BeginDuty and SaveDuty.
const (
	DutySweep     = "sweep"     // the list of new Pix
	DutyChanged   = "changed"   // the list of Pix with refunds
	DutyPending   = "pending"   // waiting events by id
	DutyReconcile = "reconcile" // the account statement
	DutyRegister  = "register"  // the callback URL at the PSP
	DutyKeys      = "keys"      // answers kept long enough
)

// AnyInstance in a command address stands for every receiver process.
const AnyInstance = "any"

// Window names a stretch of virtual time at one place.
type Window struct {
	Place  string `json:"place"`
	FromMS int64  `json:"from_ms"`
	ToMS   int64  `json:"to_ms"`
}

// Places that a window can strike. An instance's place carries its number:
// "instance/1/clock".
const (
	PlacePSP       = "psp/api"           // every route of the PSP's API
	PlaceList      = "psp/list"          // GET /pix
	PlaceStatement = "psp/statement"     // GET /extrato
	PlaceWebhook   = "psp/webhook"       // the registration of our callback URL
	PlaceToken     = "psp/token"         // the giving out of access tokens
	PlaceStore     = "store"             // the receiver's database
	PlaceEndpoint  = "merchant/endpoint" // each of the merchant's own webhooks; EndpointPlace is one
	PlaceClock     = "clock"             // instance/N/clock
	PlaceWorker    = "worker"            // instance/N/worker
)

// InstancePlace is the place of one instance, such as "instance/1/clock".
func InstancePlace(instance int, what string) string {
	return "instance/" + itoa(instance) + "/" + what
}

// Endpoints is how many webhooks of its own the merchant has in every plan.
const Endpoints = 2

// EndpointPlace is the place of one of the merchant's webhooks, from 1 on.
func EndpointPlace(n int) string { return PlaceEndpoint + "/" + itoa(n) }

// endpointPlaces are all places that a webhook of the merchant's can be struck at.
func endpointPlaces() []string {
	places := []string{PlaceEndpoint}
	for n := range Endpoints {
		places = append(places, EndpointPlace(n+1))
	}
	return places
}

// endpoint draws where the merchant's side fails: at one webhook, or at all.
func (st *Stream) endpoint() string {
	places := endpointPlaces()
	return places[st.Below(uint64(len(places)))]
}

// Target says what a deviation strikes; exactly one member is set. Payment is
// the ID of a payment whose payer deviates, Request that of a charge or refund
// for which the merchant asks otherwise than planned.
type Target struct {
	Callback *CallbackAddress `json:"callback,omitempty"`
	API      *APIAddress      `json:"api,omitempty"`
	Command  *CommandAddress  `json:"command,omitempty"`
	Window   *Window          `json:"window,omitempty"`
	Payment  string           `json:"payment,omitempty"`
	Request  string           `json:"request,omitempty"`
}

// String is the address in one word, such as "callback/p3/credit/0/1".
func (t Target) String() string {
	switch {
	case t.Callback != nil:
		a := t.Callback
		return "callback/" + a.Subject + "/" + a.Notice + "/" + itoa(a.Copy) + "/" + itoa(a.Attempt)
	case t.API != nil:
		return "api/" + t.API.Route + "/" + t.API.Subject + "/" + itoa(t.API.Nth)
	case t.Command != nil:
		a := t.Command
		return "command/" + a.Instance + "/" + a.Command + "/" + a.Subject + "/" + a.Edge + "/" + itoa(a.Nth)
	case t.Window != nil:
		a := t.Window
		return "window/" + a.Place + "/" + MS(a.FromMS).Duration().String() + ".." + MS(a.ToMS).Duration().String()
	case t.Payment != "":
		return "payment/" + t.Payment
	case t.Request != "":
		return "request/" + t.Request
	}
	return "nothing"
}

// Deviation is one thing that goes wrong: which fault kind wanted it, where it
// strikes, and what changes there.
type Deviation struct {
	Kind   string `json:"kind"`
	Target Target `json:"target"`
	Set    Change `json:"set"`
}
