// Package live runs a receiver as a process: on the machine's clock, with
// goroutines, sockets and signals. What it runs is the same code that a lab
// steps by hand; everything that waits, listens or counts is here.
//
//	callback ─> Server ─> handler ─> Batcher ─┐
//	            limits,   receiver            ├─> Bell ─> Metrics ─> store
//	            TLS       Handler    steps ───┘     │
//	                                   ^            │
//	                                   └── loops <──┘ wake; else polled
//
// [Run] loops the receiver's steps: each has a turn when its queue is due in the
// store, or when a command of this process gave the queue work ([Bell]).
// [RunBatcher] loops the receiver's batcher, by which callbacks that arrive
// together share one commit; they wait at a [NewLatch]. [Metrics] count what
// happens, [NewAdmin] lets operators and machines look and decide, [Server] is
// one port with its limits, and [Process] puts all of it together and stops it
// in an order that loses nothing that was acknowledged.
package live
