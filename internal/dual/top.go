package dual

import "math"

// candidate is a variable and how much it violates the conditions.
type candidate struct {
	v float64
	t int32
}

// top keeps the quota largest of the candidates pushed; among equals the first.
// items is a heap with the smallest on top once it is full.
type top struct {
	quota int
	items []candidate
	least float64 // what a further candidate must exceed
}

func (w *top) reset(quota int) {
	w.quota, w.items, w.least = max(quota, 1), w.items[:0], math.Inf(-1)
}

// push adds a candidate with v > least.
func (w *top) push(v float64, t int32) {
	if len(w.items) < w.quota {
		w.items = append(w.items, candidate{v, t})
		if len(w.items) == w.quota {
			for i := w.quota/2 - 1; i >= 0; i-- {
				w.down(i)
			}
			w.least = w.items[0].v
		}
		return
	}
	w.items[0] = candidate{v, t}
	w.down(0)
	w.least = w.items[0].v
}

func (w *top) down(i int) {
	items := w.items
	x := items[i]
	for {
		c := 2*i + 1
		if c >= len(items) {
			break
		}
		if c+1 < len(items) && items[c+1].v < items[c].v {
			c++
		}
		if !(items[c].v < x.v) {
			break
		}
		items[i] = items[c]
		i = c
	}
	items[i] = x
}
