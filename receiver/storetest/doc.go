// Package storetest holds every receiver.Store to the same behaviour. A store's
// own test calls [Run] with a function that opens an empty store; each subtest
// opens one of its own and is named by what must come out.
//
// The suite speaks to the store through the interface alone, and reads what it
// did the same way:
//
//	event, variant   ListEvents, and what a further AppendInbox answers
//	charge           FindCharges
//	payment          UnseenPayments, while its line of the statement was not matched
//	refund           FindRefunds for the merchant's; of the PSP's what the payment
//	                 says is returned
//	memo             what ReserveRefunds still takes
//	ledger           MatchStatement for the net of a Pix and of each refund, what
//	                 the payment holds, Settled of its charge, the amounts of open
//	                 cases
//	outbox           LeaseOutbox and FinishOutbox, to the last event
//
// It assumes whole milliseconds of time, and nothing of ids but that they rise.
package storetest
