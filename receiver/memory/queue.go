package memory

// slot is a row's fixed place in its table: the row may be replaced, the slot
// stays, and knows where in its queue it stands.
type slot[T any] struct {
	row *T
	pos int // place in the queue plus one; zero while not in it
}

// queue is a binary heap of slots, ordered by their rows.
type queue[T any] struct {
	heap []*slot[T]
	less func(a, b *T) bool
}

// first is the row that comes first, nil if there is none.
func (q *queue[T]) first() *T {
	if len(q.heap) == 0 {
		return nil
	}
	return q.heap[0].row
}

// put brings s into the queue, or to its right place after its row changed.
func (q *queue[T]) put(s *slot[T]) {
	if s.pos == 0 {
		q.heap = append(q.heap, s)
		s.pos = len(q.heap)
	}
	if !q.up(s.pos - 1) {
		q.down(s.pos - 1)
	}
}

// drop takes s out of the queue, if it is in.
func (q *queue[T]) drop(s *slot[T]) {
	if s.pos == 0 {
		return
	}
	i, last := s.pos-1, len(q.heap)-1
	q.swap(i, last)
	q.heap[last] = nil
	q.heap = q.heap[:last]
	s.pos = 0
	if i < last && !q.up(i) {
		q.down(i)
	}
}

// set is put or drop.
func (q *queue[T]) set(s *slot[T], in bool) {
	if in {
		q.put(s)
	} else {
		q.drop(s)
	}
}

// take drops up to limit rows from the front while due says so, and returns
// them in order. The caller puts each back as it is afterwards.
func (q *queue[T]) take(limit int, due func(*T) bool) []*T {
	var out []*T
	for len(out) < limit && len(q.heap) > 0 && due(q.heap[0].row) {
		out = append(out, q.heap[0].row)
		q.drop(q.heap[0])
	}
	return out
}

func (q *queue[T]) swap(i, j int) {
	h := q.heap
	h[i], h[j] = h[j], h[i]
	h[i].pos, h[j].pos = i+1, j+1
}

func (q *queue[T]) up(i int) bool {
	moved := false
	for i > 0 {
		parent := (i - 1) / 2
		if !q.less(q.heap[i].row, q.heap[parent].row) {
			break
		}
		q.swap(i, parent)
		i, moved = parent, true
	}
	return moved
}

func (q *queue[T]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(q.heap) {
			return
		}
		if right := child + 1; right < len(q.heap) && q.less(q.heap[right].row, q.heap[child].row) {
			child = right
		}
		if !q.less(q.heap[child].row, q.heap[i].row) {
			return
		}
		q.swap(i, child)
		i = child
	}
}
