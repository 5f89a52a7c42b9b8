// Package demo is the lab as a stage: one plan, two receivers, and buttons that
// add faults to the plan while it plays.
//
// A [Session] holds the plan and the films of both receivers. Each button
// appends to the plan at a virtual instant and films both runs anew: what lies
// before that instant stays as it was, event by event, since a fault is
// addressed by its subject and moves no other decision. So playing, pausing and
// going back are the page's business alone, and what is saved is a plan that
// gives the same hash wherever it is run.
//
// [Server] serves the page and the session on one address.
package demo
