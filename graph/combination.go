package graph

// R = sum_j mu_j R_j / c_j with c_j = 1, trace(R_j)/n or the largest eigenvalue
// of R_j (Becker 2013, eq. 4.4, c_j = 1): the intrinsic norm of C-LapRLS, which
// makes the choice of neighbours and degree continuous.
//
//	dR/dmu_j   = R_j/c_j
//	dR/dtheta  = mu_j (dR_j/c_j - R_j dc_j/c_j^2)     theta a parameter of R_j
//	dc_j       = trace(dR_j)/n, or v'dR_j v with v the top eigenvector
//
// Powers of the same Laplacian (the same *sparse.CSR) share their products: p up
// to P costs P products for all of them; those without weight cost none.

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Combination is sum_j mu_j R_j / c_j. Make it with Combine. Its parameters are
// mu[j], weights of one simplex, then those of the terms as name[j].
type Combination struct {
	Mu        []float64
	Terms     []Operator
	Normalise Normalisation

	scales  []*scale
	order   []run
	scratch pool
}

// scale is c_j, and its derivatives, computed when a Pull first needs them.
type scale struct {
	c     float64
	top   *mat.Dense // eigenvector of c, for Spectral
	once  sync.Once
	slope []float64
}

// run is a set of terms computed together: the powers of l, members[p-1] those
// of degree p; or, l nil, one term.
type run struct {
	l       *data.CSR
	members [][]int
	term    int
}

// Combine makes the combination with weights mu >= 0; a nil mu is 1/q for each
// of q terms. Trace costs n products by unit vectors for powers above two,
// Spectral a Lanczos run for each term.
func Combine(mu []float64, terms []Operator, normalise Normalisation) (*Combination, error) {
	if len(terms) == 0 {
		return nil, fmt.Errorf("graph: a combination needs at least one operator")
	}
	if mu == nil {
		mu = make([]float64, len(terms))
		for j := range mu {
			mu[j] = 1 / float64(len(mu))
		}
	}
	if len(mu) != len(terms) {
		return nil, fmt.Errorf("graph: %d weights for %d operators", len(mu), len(terms))
	}
	for j, t := range terms {
		if t.Len() != terms[0].Len() {
			return nil, fmt.Errorf("graph: operator %d of a combination has %d rows, the first has %d", j, t.Len(), terms[0].Len())
		}
	}
	if normalise < None || normalise > Spectral {
		return nil, fmt.Errorf("graph: normalise %d is none of none, trace, spectral", normalise)
	}
	o := &Combination{Mu: mu, Terms: terms, Normalise: normalise, scales: make([]*scale, len(terms))}
	for j := range terms {
		if err := o.setScale(j); err != nil {
			return nil, err
		}
	}
	return o, o.finish()
}

// finish checks mu and plans the products.
func (o *Combination) finish() error {
	for j, m := range o.Mu {
		if !(m >= 0) || math.IsInf(m, 1) {
			return fmt.Errorf("graph: mu[%d] = %g must be at least 0 and finite", j, m)
		}
	}
	at := map[*data.CSR]int{}
	for j, t := range o.Terms {
		p, ok := t.(*Power)
		if !ok {
			o.order = append(o.order, run{term: j})
			continue
		}
		k, seen := at[p.L]
		if !seen {
			k = len(o.order)
			at[p.L] = k
			o.order = append(o.order, run{l: p.L})
		}
		r := &o.order[k]
		for len(r.members) < p.P {
			r.members = append(r.members, nil)
		}
		r.members[p.P-1] = append(r.members[p.P-1], j)
	}
	return nil
}

func (o *Combination) setScale(j int) error {
	s := &scale{c: 1}
	o.scales[j] = s
	t := o.Terms[j]
	switch o.Normalise {
	case Trace:
		if tr, ok := t.(interface{ Trace() float64 }); ok {
			s.c = tr.Trace() / float64(t.Len())
		} else {
			s.c = traceByProducts(t) / float64(t.Len())
		}
	case Spectral:
		var err error
		if s.c, s.top, err = largestEigen(t); err != nil {
			return fmt.Errorf("graph: operator %d of a combination: %w", j, err)
		}
	}
	if !(s.c > 0) { // an operator without edges
		s.c = 1
	}
	return nil
}

// slopes are the derivatives of c_j in the parameters of term j.
func (o *Combination) slopes(j, params int) []float64 {
	s, t := o.scales[j], o.Terms[j]
	s.once.Do(func() {
		s.slope = make([]float64, params)
		switch o.Normalise {
		case Trace:
			byUnits(t.Len(), func(_ int, units *mat.Dense) { t.Pull(s.slope, units, units) })
			for k := range s.slope {
				s.slope[k] /= float64(t.Len())
			}
		case Spectral:
			t.Pull(s.slope, s.top, s.top)
		}
	})
	return s.slope
}

// Len is n.
func (o *Combination) Len() int { return o.Terms[0].Len() }

// Space is mu[0], mu[1], ... in simplex group 1, then the terms' parameters;
// their simplex groups are renumbered.
func (o *Combination) Space() param.Space {
	var s param.Space
	for j, m := range o.Mu {
		s = append(s, param.Dim{Name: fmt.Sprintf("mu[%d]", j), Kind: param.Simplex, Lo: 0, Hi: 1, Default: m, Group: 1})
	}
	last := 1
	for j, t := range o.Terms {
		offset := last
		for _, d := range t.Space() {
			d.Name = fmt.Sprintf("%s[%d]", d.Name, j)
			if d.Group > 0 {
				d.Group += offset
				last = max(last, d.Group)
			}
			s = append(s, d)
		}
	}
	return s
}

// With returns the combination with other weights and parameters of the terms.
func (o *Combination) With(theta []float64) (Operator, error) {
	q := len(o.Terms)
	if len(theta) != len(o.Space()) {
		panic(fmt.Sprintf("graph: %d parameters given for a combination with %d", len(theta), len(o.Space())))
	}
	c := &Combination{
		Mu:        append([]float64(nil), theta[:q]...),
		Terms:     append([]Operator(nil), o.Terms...),
		Normalise: o.Normalise,
		scales:    append([]*scale(nil), o.scales...),
	}
	theta = theta[q:]
	for j, t := range c.Terms {
		k := len(t.Space())
		if k == 0 {
			continue
		}
		tunable, ok := t.(Tunable)
		if !ok {
			return nil, fmt.Errorf("graph: operator %d of a combination has parameters but no With", j)
		}
		var err error
		if c.Terms[j], err = tunable.With(theta[:k]); err != nil {
			return nil, fmt.Errorf("graph: operator %d of a combination: %w", j, err)
		}
		if err := c.setScale(j); err != nil {
			return nil, err
		}
		theta = theta[k:]
	}
	return c, c.finish()
}

// each computes R_j x for the j wanted, in a fixed order; y is valid during emit.
func (o *Combination) each(x *mat.Dense, wanted func(j int) bool, emit func(j int, y *mat.Dense)) {
	a := o.scratch.get(x.Dims())
	b := o.scratch.get(x.Dims())
	defer o.scratch.put(a)
	defer o.scratch.put(b)
	for _, r := range o.order {
		if r.l == nil {
			if wanted(r.term) {
				o.Terms[r.term].MulTo(a, x)
				emit(r.term, a)
			}
			continue
		}
		powers := r.members
		for len(powers) > 0 && !slices.ContainsFunc(powers[len(powers)-1], wanted) {
			powers = powers[:len(powers)-1]
		}
		from, to, spare := x, a, b
		for _, members := range powers {
			r.l.MulTo(to, from)
			for _, j := range members {
				if wanted(j) {
					emit(j, to)
				}
			}
			from, to, spare = to, spare, to
		}
	}
}

// MulTo stores R x in dst.
func (o *Combination) MulTo(dst, x *mat.Dense) {
	checkMul(o, dst, x)
	dst.Zero()
	n, _ := dst.Dims()
	weighs := func(j int) bool { return o.Mu[j] != 0 }
	o.each(x, weighs, func(j int, y *mat.Dense) {
		w := o.Mu[j] / o.scales[j].c
		parallel.Pieces(n, 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				out := dst.RawRowView(i)
				for c, v := range y.RawRowView(i) {
					out[c] += w * v
				}
			}
		})
	})
}

// Pull adds <U V', dR/dtheta> to grad.
func (o *Combination) Pull(grad []float64, u, v *mat.Dense) {
	checkPull(o, o.Space(), grad, u, v)
	pairs := make([]float64, len(o.Terms)) // <U V', R_j>
	every := func(int) bool { return true }
	o.each(v, every, func(j int, y *mat.Dense) { pairs[j] = dotDense(u, y) })
	for j, pair := range pairs {
		grad[j] += pair / o.scales[j].c
	}
	grad = grad[len(o.Terms):]
	for j, t := range o.Terms {
		k := len(t.Space())
		if k == 0 {
			continue
		}
		own := make([]float64, k)
		t.Pull(own, u, v)
		c, slope := o.scales[j].c, o.slopes(j, k)
		for i := range own {
			grad[i] += o.Mu[j] / c * (own[i] - pairs[j]/c*slope[i])
		}
		grad = grad[k:]
	}
}

// dotDense is sum_ij a_ij b_ij, summed by fixed blocks of rows.
func dotDense(a, b *mat.Dense) float64 {
	const grain = 256
	n, _ := a.Dims()
	part := make([]float64, (n+grain-1)/grain)
	parallel.Pieces(n, grain, func(lo, hi int) {
		sum := 0.0
		for i := lo; i < hi; i++ {
			bi := b.RawRowView(i)
			for c, v := range a.RawRowView(i) {
				sum += v * bi[c]
			}
		}
		part[lo/grain] = sum
	})
	total := 0.0
	for _, s := range part {
		total += s
	}
	return total
}
