package dual

import (
	"math"
	"slices"
)

// scan finds the extremes over the active variables and the best candidates for
// a working set. bad is a row whose f is not finite, -1 without one.
func (d *decomposition) scan() (most, least [2]float64, bad int) {
	quota := (d.quota + 2*d.parts - 1) / (2 * d.parts)
	for q := range d.tops {
		d.tops[q].reset(quota)
	}
	for part := range 2 {
		most[part], least[part] = math.Inf(-1), math.Inf(1)
	}
	bad = -1
	// While the sets overshoot, the violation being above that of the start, all
	// that violate by half the largest amount count as equally bad and are
	// taken from all over the rows: the worst alone are much alike.
	var most0, least0 [2]float64
	for part := range d.parts {
		w := math.Inf(1)
		if d.sets > 0 && d.violation > d.first {
			w = d.violation / 4
		}
		most0[part], least0[part] = d.mid[part]+w, w-d.mid[part]
	}
	m := len(d.vars)
	// Before the first step residuals are equal by classes: take the candidates
	// from all over the rows.
	stride, at := 1, 0
	if d.sets == 0 || d.violation > d.first {
		stride = coprime(m)
	}
	for range m {
		t := d.vars[at]
		if at += stride; at >= m {
			at -= m
		}
		v := d.h[t] - d.fa[d.place[d.col[t]]]
		b := d.beta[t]
		part := 0
		if d.second != nil && d.second[t] {
			part = 1
		}
		if v-v != 0 {
			bad = int(d.col[t])
		}
		if b < d.hi[t] {
			if v > most[part] {
				most[part] = v
			}
			if w := &d.tops[2*part]; min(v, most0[part]) > w.least {
				w.push(min(v, most0[part]), t)
			}
		}
		if b > d.lo[t] {
			if v < least[part] {
				least[part] = v
			}
			if w := &d.tops[2*part+1]; min(-v, least0[part]) > w.least {
				w.push(min(-v, least0[part]), t)
			}
		}
	}
	return most, least, bad
}

// coprime is a stride near the golden section of m that visits every place.
func coprime(m int) int {
	for s := int(float64(m) * 0.6180339887498949); s > 1; s-- {
		a, b := m, s
		for b > 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return s
		}
	}
	return 1
}

// middle is the threshold by which the side of a residual is judged: that of the
// optimum lies between the extremes.
func (d *decomposition) middle(most, least float64) float64 {
	switch {
	case !d.p.Offset && !d.p.Nu:
		return 0
	case math.IsInf(most, 0):
		return least
	case math.IsInf(least, 0):
		return most
	}
	return most/2 + least/2
}

// choose makes the working set: at most half of it variables on the wrong side of
// the threshold, the worst of U and of L alike; then free variables, those of the
// set before first. Parts stand one after the other, each in ascending order and
// padded with -1 to a multiple of 8.
func (d *decomposition) choose() {
	size := min(d.o.WorkingSet, len(d.vars))
	old := slices.Clone(d.set)
	d.round++
	d.set = d.set[:0]
	take := func(t int32) {
		if d.in[t] != d.round && len(d.set) < size {
			d.in[t] = d.round
			d.set = append(d.set, t)
		}
	}
	for q := range d.tops {
		for _, c := range d.tops[q].items {
			v := d.h[c.t] - d.fa[d.place[d.col[c.t]]] - d.mid[q/2]
			if q&1 == 0 && v > 0 || q&1 == 1 && v < 0 {
				take(c.t)
			}
		}
	}
	d.fresh = len(d.set)
	free := func(t int32) bool { return d.beta[t] > d.lo[t] && d.beta[t] < d.hi[t] }
	for _, t := range old {
		if t >= 0 && d.place[d.col[t]] >= 0 && free(t) {
			take(t)
		}
	}
	for _, t := range d.vars {
		if len(d.set) == size {
			break
		}
		if free(t) {
			take(t)
		}
	}
	slices.SortFunc(d.set, func(a, b int32) int {
		if d.second != nil && d.second[a] != d.second[b] {
			if d.second[b] {
				return -1
			}
			return 1
		}
		return int(a) - int(b)
	})
	b := d.block
	b.parts = b.parts[:0]
	padded := make([]int32, 0, len(d.set)+16)
	for i := 0; i < len(d.set); {
		lo := len(padded)
		part := d.second != nil && d.second[d.set[i]]
		for ; i < len(d.set) && (d.second != nil && d.second[d.set[i]]) == part; i++ {
			padded = append(padded, d.set[i])
		}
		for len(padded)%8 != 0 {
			padded = append(padded, -1)
		}
		b.parts = append(b.parts, [2]int{lo, len(padded)})
	}
	d.set = padded
}
