package scenarios

import "iter"

// coroutine runs one body after another, each up to its next yield. Exactly one
// coroutine of a world runs at a time, on the caller's thread: no goroutine is
// left to the Go scheduler's mood.
type coroutine struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	body  func() // nil between bodies
}

func newCoroutine() *coroutine {
	c := &coroutine{}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		for {
			if c.body != nil {
				c.body()
				c.body = nil
			}
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return c
}

// coroutines keeps finished ones for the next body: their stacks have grown.
type coroutines struct{ free []*coroutine }

func (p *coroutines) take(body func()) *coroutine {
	var c *coroutine
	if n := len(p.free); n > 0 {
		c = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		c = newCoroutine()
	}
	c.body = body
	return c
}

func (p *coroutines) give(c *coroutine) { p.free = append(p.free, c) }

func (p *coroutines) close() {
	for _, c := range p.free {
		c.stop()
	}
	p.free = nil
}
