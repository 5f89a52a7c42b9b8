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
// [Batcher] lets callbacks that arrive together share one commit. [Metrics]
// count what happens, [NewAdmin] lets operators and machines look and decide,
// [Server] is one port with its limits, and [Process] puts all of it together
// and stops it in an order that loses nothing that was acknowledged.
//
// Batching is here and no step of package receiver: a caller of the batcher
// waits for a flush that another goroutine makes, and package receiver has no
// wait but its clock's that a simulated world could park.
package live
