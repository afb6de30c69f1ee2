package param

import (
	"fmt"
	"math"
)

// simplexBox bounds the softmax coordinates of weights: the ratio of two
// weights stays within exp(2*12) = 2.6e10.
const simplexBox = 12

// Transform maps the free dimensions of a space to the coordinates z of a
// search and back. One coordinate a free dimension, in the order of the space:
//
//	Real      z = theta                 in Lo..Hi
//	Log       z = log2 theta            in log2 Lo..log2 Hi
//	Integer   z = theta, relaxed        in Lo..Hi; FromSearch rounds
//	Choice    as Integer
//	Simplex   mu_j = m exp(z_j) / sum_k exp(z_k)   z in -12..12
//
// where m is one less the fixed weights of the group. The softmax has one
// coordinate more than its simplex has dimensions: adding a constant to a
// group's z changes nothing. Everything costs O(len(space)).
type Transform struct {
	space Space
	free  []int // coordinate -> dimension
	group []span
}

// span is the coordinates of one simplex and the mass they share.
type span struct {
	at   []int
	mass float64
}

// NewTransform prepares the transform of s. It returns the faults that Check
// finds in the bounds of s and in the values of its Fixed dimensions; other
// defaults need not be valid.
func NewTransform(s Space) (*Transform, error) {
	t := &Transform{space: append(Space(nil), s...), free: s.Free()}
	index := map[int]int{}
	for k, i := range t.free {
		if d := s[i]; d.Kind == Simplex {
			g, ok := index[d.Group]
			if !ok {
				g = len(t.group)
				index[d.Group] = g
				t.group = append(t.group, span{mass: 1})
			}
			t.group[g].at = append(t.group[g].at, k)
		}
	}
	for _, d := range s {
		if g, ok := index[d.Group]; ok && d.Kind == Simplex && d.Fixed {
			t.group[g].mass -= d.Default
		}
	}
	for g := range t.group {
		t.group[g].mass = left(t.group[g].mass)
	}
	t.restLoneWeights()
	mid, _, _ := t.start()
	if err := s.Check(t.FromSearch(mid)); err != nil {
		return nil, err
	}
	return t, nil
}

// restLoneWeights gives a group's only loose weight what the fixed ones leave.
func (t *Transform) restLoneWeights() {
	for i, d := range t.space {
		if d.Kind != Simplex || d.Fixed || t.isFree(i) {
			continue
		}
		rest := 1.0
		for j, e := range t.space {
			if j != i && e.Kind == Simplex && e.Group == d.Group {
				rest -= e.Default
			}
		}
		t.space[i].Default = left(rest)
	}
	for i, d := range t.space { // Lo = Hi leaves one value, whatever the default
		if d.Kind != Simplex && !d.Fixed && !t.isFree(i) {
			t.space[i].Default = d.Lo
		}
	}
}

func (t *Transform) isFree(i int) bool {
	for _, k := range t.free {
		if k == i {
			return true
		}
	}
	return false
}

// Len returns the number of search coordinates.
func (t *Transform) Len() int { return len(t.free) }

// Dim returns the index in the space of coordinate k.
func (t *Transform) Dim(k int) int { return t.free[k] }

// Bounds returns the box of z.
func (t *Transform) Bounds() (lo, hi []float64) {
	_, lo, hi = t.start()
	return lo, hi
}

// Midpoint returns the centre of the box of z, whole where the dimension is;
// a Choice, whose order means nothing, begins at its Default when that is in
// its list. It is the start of the published experiments.
func (t *Transform) Midpoint() []float64 {
	mid, _, _ := t.start()
	return mid
}

func (t *Transform) start() (mid, lo, hi []float64) {
	mid, lo, hi = make([]float64, len(t.free)), make([]float64, len(t.free)), make([]float64, len(t.free))
	for k, i := range t.free {
		d := t.space[i]
		switch d.Kind {
		case Simplex:
			lo[k], hi[k] = -simplexBox, simplexBox
		case Log:
			lo[k], hi[k] = math.Log2(d.Lo), math.Log2(d.Hi)
		default:
			lo[k], hi[k] = d.Lo, d.Hi
		}
		mid[k] = lo[k] + (hi[k]-lo[k])/2
		if d.Kind.discrete() {
			mid[k] = d.Round(mid[k])
		}
		if d.Kind == Choice && d.Default == d.Round(d.Default) {
			mid[k] = d.Default
		}
	}
	return mid, lo, hi
}

// ToSearch returns the z of theta, clipped to the box. Weights of zero become
// the smallest that the box allows.
func (t *Transform) ToSearch(theta []float64) []float64 {
	t.mustMatch(theta)
	_, lo, hi := t.start()
	z := make([]float64, len(t.free))
	for k, i := range t.free {
		v := theta[i]
		switch t.space[i].Kind {
		case Log:
			v = math.Log2(v)
		case Simplex:
			continue
		}
		z[k] = min(max(v, lo[k]), hi[k])
	}
	for _, g := range t.group {
		most := 0.0
		for _, k := range g.at {
			most = max(most, theta[t.free[k]])
		}
		// Centre between the largest and the smallest logarithm: what fits in
		// the box at all then fits.
		least := 0.0
		for _, k := range g.at {
			z[k] = math.Log(theta[t.free[k]] / most) // most = 0 gives NaN
			if !(z[k] >= -2*simplexBox) {
				z[k] = -2 * simplexBox
			}
			least = min(least, z[k])
		}
		for _, k := range g.at {
			z[k] = min(max(z[k]-least/2, -simplexBox), simplexBox)
		}
	}
	return z
}

// FromSearch returns the theta of z: always a point that Check accepts. z is
// clipped to the box, Integer and Choice are rounded, Fixed dimensions have
// their Default.
func (t *Transform) FromSearch(z []float64) []float64 {
	if len(z) != len(t.free) {
		panic(fmt.Sprintf("param: z has %d coordinates, want %d", len(z), len(t.free)))
	}
	theta := t.space.Defaults()
	for k, i := range t.free {
		switch d := t.space[i]; d.Kind {
		case Simplex:
			theta[i] = min(max(z[k], -simplexBox), simplexBox)
		case Log:
			theta[i] = d.Round(math.Exp2(z[k]))
		default:
			theta[i] = d.Round(z[k])
		}
	}
	for _, g := range t.group {
		sum := 0.0
		for _, k := range g.at {
			i := t.free[k]
			theta[i] = math.Exp(theta[i])
			sum += theta[i]
		}
		for _, k := range g.at {
			theta[t.free[k]] *= g.mass / sum
		}
	}
	return theta
}

// Round returns z with its Integer and Choice coordinates rounded.
func (t *Transform) Round(z []float64) []float64 {
	r := append([]float64(nil), z...)
	for k, i := range t.free {
		if t.space[i].Kind.discrete() {
			r[k] = t.space[i].Round(z[k])
		}
	}
	return r
}

// Gradient returns dF/dz from grad = dF/dtheta at theta:
//
//	Real      g
//	Log       ln 2 theta g
//	Simplex   mu_j (g_j - sum_k mu_k g_k / m)
//	Integer   0, as Choice: F is piecewise constant in z
func (t *Transform) Gradient(theta, grad []float64) []float64 {
	t.mustMatch(theta)
	t.mustMatch(grad)
	gz := make([]float64, len(t.free))
	for k, i := range t.free {
		switch t.space[i].Kind {
		case Real:
			gz[k] = grad[i]
		case Log:
			gz[k] = math.Ln2 * theta[i] * grad[i]
		}
	}
	for _, g := range t.group {
		mean := 0.0
		for _, k := range g.at {
			mean += theta[t.free[k]] * grad[t.free[k]]
		}
		if g.mass > 0 {
			mean /= g.mass
		}
		for _, k := range g.at {
			i := t.free[k]
			gz[k] = theta[i] * (grad[i] - mean)
		}
	}
	return gz
}

func (t *Transform) mustMatch(v []float64) {
	if len(v) != len(t.space) {
		panic(fmt.Sprintf("param: vector has %d values, the space %d dimensions", len(v), len(t.space)))
	}
}
