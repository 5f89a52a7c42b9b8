// Package broken holds receivers that are each wrong in one known way, as the
// field builds them, and fake PSPs that contradict themselves. They are the
// proof that the checks can fail: a checker that lets all of them pass is
// worth nothing.
//
// Each is the reference receiver with one piece replaced, so that what is
// wrong stands in a few lines. Where reconciliation would repair the harm
// before anyone sees it, the receiver's repairs nothing: that too is how the
// field builds them, and its Doc says so.
package broken
