package dual

import "sync"

// spare is memory that one training left for the next on the same matrix: a search trains hundreds of times, and
// each training would clear tables of its own. Nothing in it has a meaning. A nil spare only allocates.
type spare struct {
	mu   sync.Mutex
	list [][]float32
}

// take returns n numbers. Where nothing left is large enough, the smallest of it goes, so that no more is held than
// was at one time.
func (s *spare) take(n int) []float32 {
	if s == nil {
		return make([]float32, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	best, least := -1, 0
	for i, b := range s.list {
		if cap(b) < cap(s.list[least]) {
			least = i
		}
		if cap(b) >= n && (best < 0 || cap(b) < cap(s.list[best])) {
			best = i
		}
	}
	got := best
	if best < 0 {
		got = least
	}
	var b []float32
	if len(s.list) > 0 {
		b = s.list[got]
		last := len(s.list) - 1
		s.list[got], s.list[last] = s.list[last], nil
		s.list = s.list[:last]
	}
	if best < 0 {
		return make([]float32, n)
	}
	return b[:n]
}

// give leaves b, which the caller uses no more.
func (s *spare) give(b []float32) {
	if s == nil || cap(b) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, b)
}
