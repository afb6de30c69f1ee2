package dual_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/mat"
)

// bounded is a problem for bounds: two overlapping clouds.
type bounded struct {
	rows    data.Rows
	gram    kernel.Gram
	k       *mat.Dense
	y, c    []float64
	offset  bool
	squared bool
}

func newBounded(t *testing.T, kern kernel.Kernel, l int, apart, c float64, offset, squared bool, seed uint64) bounded {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	x := mat.NewDense(l, 2, nil)
	p := bounded{y: make([]float64, l), c: make([]float64, l), offset: offset, squared: squared}
	for i := range l {
		p.y[i] = float64(1 - 2*(i%2))
		x.Set(i, 0, rng.NormFloat64()+apart*p.y[i]/2)
		x.Set(i, 1, rng.NormFloat64())
		p.c[i] = c * (1 + float64(i%3)/2)
	}
	var err error
	p.rows = data.Rows{Dense: x}
	if p.gram, err = kern.Bind(context.Background(), p.rows, nil); err != nil {
		t.Fatal(err)
	}
	p.k = mat.NewDense(l, l, nil)
	p.gram.Block(p.k, nil, nil)
	return p
}

// doubles is a matrix in hand.
type doubles struct{ k *mat.Dense }

func (d doubles) Len() int           { n, _ := d.k.Dims(); return n }
func (d doubles) Double() *mat.Dense { return d.k }
func (d doubles) Diagonal(dst []float64) {
	for i := range dst {
		dst[i] = d.k.At(i, i)
	}
}
func (d doubles) Block(dst []float32, i, j []int) {
	pick := func(idx []int, q int) int {
		if idx == nil {
			return q
		}
		return idx[q]
	}
	rows, columns := d.Len(), d.Len()
	if i != nil {
		rows = len(i)
	}
	if j != nil {
		columns = len(j)
	}
	for a := range rows {
		for b := range columns {
			dst[a*columns+b] = float32(d.k.At(pick(i, a), pick(j, b)))
		}
	}
}

// train solves the problem without row `without` (-1: with all) and returns the dual
// coefficients and the outputs on all rows.
func (p bounded) train(t *testing.T, without int) (a, f []float64) {
	t.Helper()
	l := len(p.y)
	c := append([]float64(nil), p.c...)
	if without >= 0 {
		c[without] = 0
	}
	a, f = make([]float64, l), make([]float64, l)
	var b float64
	if p.squared {
		o := smooth.None
		if p.offset {
			o = smooth.Free
		}
		q := &learn.Problem{Rows: p.rows, Labelled: p.rows.Whole(), Y: mat.NewDense(l, 1, p.y), Weight: c}
		trainer, err := smooth.Learner{Loss: learn.SquaredHinge(), Offset: o, Tolerance: 1e-12}.Bind(t.Context(), p.gram, q)
		if err != nil {
			t.Fatal(err)
		}
		s, err := trainer.Train(t.Context(), nil, []float64{1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p.offset {
			b = s.Offset[0]
		}
		for i := range l {
			a[i] = p.y[i] * s.Coef.At(i, 0)
		}
	} else {
		var rows []int
		var y, upper []float64
		for i := range l {
			if i != without {
				rows, y, upper = append(rows, i), append(y, p.y[i]), append(upper, c[i])
			}
		}
		d := dual.SVC(rows, y, upper)
		d.Offset = p.offset
		s, err := dual.Solve(context.Background(), doubles{p.k}, d, dual.Options{Tolerance: 1e-8})
		if err != nil {
			t.Fatal(err)
		}
		for q, i := range rows {
			a[i] = s.A[q]
		}
		b = -s.Rho
	}
	for i := range l {
		f[i] = b
		for j := range l {
			f[i] += p.k.At(i, j) * p.y[j] * a[j]
		}
	}
	return a, f
}

func (p bounded) evidence(a, f []float64) dual.Evidence {
	rows := make([]int, len(p.y))
	for i := range rows {
		rows[i] = i
	}
	return dual.Evidence{Gram: p.gram, Rows: rows, Y: p.y, A: a, F: f, C: p.c, Squared: p.squared, Offset: p.offset}
}

// leftOut are the margins of rows left out one by one, and for which of them the free
// support vectors of both machines have room for the row's coefficient.
func (p bounded) leftOut(t *testing.T, a []float64) (margin []float64, stable []bool) {
	// room for moving s_i a_i to free variables of b, or with -1 away from them.
	room := func(b []float64, i int, sign float64) float64 {
		var sum float64
		for j, v := range b {
			if j == i || !(v > 1e-6*p.c[j] && (p.squared || v < p.c[j]*(1-1e-6))) {
				continue
			}
			if p.y[i]*p.y[j]*sign < 0 {
				sum += v
			} else if p.squared {
				return math.Inf(1)
			} else {
				sum += p.c[j] - v
			}
		}
		return sum
	}
	for i, y := range p.y {
		b, f := p.train(t, i)
		margin = append(margin, y*f[i])
		stable = append(stable, !p.offset || a[i] == 0 || room(a, i, 1) >= a[i] && room(b, i, -1) >= a[i])
	}
	return margin, stable
}

func bound(t *testing.T, b dual.Bound, e dual.Evidence) dual.Estimate {
	t.Helper()
	s, err := b.Of(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Bounds are above the leave-one-out error of machines trained again, and their margins
// below the true ones, for the rows they are about; the estimate by the span is near.
func TestBoundsHold(t *testing.T) {
	l := 26
	if testing.Short() {
		l = 14
	}
	misses, rows, unstable := 0, 0, 0
	for q, kern := range []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Linear{}} {
		for _, c := range []float64{0.1, 1, 20} {
			for _, offset := range []bool{false, true} {
				for _, squared := range []bool{false, true} {
					p := newBounded(t, kern, l, 1.5+float64(q), c, offset, squared, 1)
					a, f := p.train(t, -1)
					e := p.evidence(a, f)
					truth, stable := p.leftOut(t, a)
					errors := 0
					for i, m := range truth {
						if !stable[i] {
							unstable++
						} else if !(m > 0) {
							errors++
						}
					}
					name := fmt.Sprintf("%T C=%g offset=%v squared=%v", kern, c, offset, squared)
					for _, b := range []dual.Bound{dual.SupportVectors, dual.JaakkolaHaussler, dual.XiAlpha, dual.Span, dual.RadiusMargin} {
						if b == dual.JaakkolaHaussler && offset {
							if _, err := b.Of(context.Background(), e); err == nil || !strings.Contains(err.Error(), "xi-alpha") {
								t.Errorf("%v with an offset: %v", b, err)
							}
							continue
						}
						s := bound(t, b, e)
						if b == dual.RadiusMargin {
							if want := p.radiusMargin(t, a, f); math.Abs(s.Value-want) > 1e-5*want {
								t.Errorf("%s: %v %g, by its formula %g", name, b, s.Value, want)
							}
						}
						if b != dual.Span && s.Value < float64(errors)/float64(l)-1e-12 {
							t.Errorf("%s: %v %g, leave-one-out error %g", name, b, s.Value, float64(errors)/float64(l))
						}
						for i, m := range s.Margin {
							switch {
							case !stable[i]:
							case b == dual.Span:
								rows++
								if m > 0 != (truth[i] > 0) {
									misses++
								}
							case m > truth[i]+1e-5*(1+math.Abs(truth[i])):
								t.Errorf("%s: %v margin %d is %g, bounded by %g", name, b, i, truth[i], m)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("the span is wrong about %d of %d rows; %d are not stable", misses, rows, unstable)
	share := 0.03
	if testing.Short() {
		share = 0.08 // fewer rows, more influence each
	}
	if float64(misses) > share*float64(rows) || rows < 15*l {
		t.Errorf("the span is wrong about %d of %d rows", misses, rows)
	}
}

// radiusMargin is the bound by its formula, the norm from the matrix.
func (p bounded) radiusMargin(t *testing.T, a, f []float64) float64 {
	var norm, losses, square float64
	least := math.Inf(1)
	for i, y := range p.y {
		for j, z := range p.y {
			norm += y * a[i] * p.k.At(i, j) * z * a[j]
		}
		square = max(square, p.k.At(i, i))
		least = min(least, p.c[i])
		xi := max(0, 1-y*f[i])
		if p.squared {
			xi *= xi
		}
		losses += p.c[i] * xi
	}
	ratio, factor := 1/least, 1.0
	if p.squared {
		ratio /= 2
	}
	if p.offset {
		ball, err := dual.EnclosingBall(context.Background(), p.gram, p.evidence(a, f).Rows)
		if err != nil {
			t.Fatal(err)
		}
		square, factor = ball.Square, 4
	}
	return factor * (square + ratio) * (norm + 2*losses) / float64(len(p.y))
}

// The span is exact for rows without which the same support vectors stay free and at
// the bound; that of the squared hinge is compared in package smooth.
func TestSpanIsExact(t *testing.T) {
	kind := func(a, c float64) int {
		switch {
		case !(a > 1e-7*c):
			return 0
		case a > c*(1-1e-7):
			return 2
		}
		return 1
	}
	for _, offset := range []bool{false, true} {
		exact := 0
		for seed := range uint64(3) {
			p := newBounded(t, kernel.Gaussian{Sigma: 2}, 30, 2, 0.5, offset, false, seed)
			a, f := p.train(t, -1)
			s := bound(t, dual.Span, p.evidence(a, f))
			for i, y := range p.y {
				if a[i] == 0 {
					continue
				}
				b, g := p.train(t, i)
				same := true
				for j := range a {
					same = same && (j == i || kind(a[j], p.c[j]) == kind(b[j], p.c[j]))
				}
				if !same {
					continue
				}
				exact++
				if math.Abs(s.Margin[i]-y*g[i]) > 1e-4*(1+math.Abs(g[i])) {
					t.Errorf("offset %v, row %d: margin %g, trained again %g", offset, i, s.Margin[i], y*g[i])
				}
			}
		}
		if exact < 4 {
			t.Errorf("offset %v: only %d rows leave the set as it is", offset, exact)
		}
	}
}

// The ball is the smallest of those through two or three points that hold all.
func TestEnclosingBall(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 3))
		const n = 12
		x := mat.NewDense(n, 2, nil)
		for i := range n {
			x.Set(i, 0, 100+rng.NormFloat64())
			x.Set(i, 1, 3*rng.NormFloat64())
		}
		g, err := kernel.Linear{}.Bind(context.Background(), data.Rows{Dense: x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		ball, err := dual.EnclosingBall(context.Background(), g, rows)
		if err != nil {
			t.Fatal(err)
		}
		want := math.Inf(1)
		try := func(cx, cy float64) {
			var r float64
			for i := range n {
				r = max(r, math.Pow(x.At(i, 0)-cx, 2)+math.Pow(x.At(i, 1)-cy, 2))
			}
			want = min(want, r)
		}
		for i := range n {
			for j := range i {
				try((x.At(i, 0)+x.At(j, 0))/2, (x.At(i, 1)+x.At(j, 1))/2)
				for k := range j { // the circle through three points
					ax, ay := x.At(j, 0)-x.At(i, 0), x.At(j, 1)-x.At(i, 1)
					bx, by := x.At(k, 0)-x.At(i, 0), x.At(k, 1)-x.At(i, 1)
					d := 2 * (ax*by - ay*bx)
					a2, b2 := ax*ax+ay*ay, bx*bx+by*by
					try(x.At(i, 0)+(by*a2-ay*b2)/d, x.At(i, 1)+(ax*b2-bx*a2)/d)
				}
			}
		}
		if math.Abs(ball.Square-want) > ball.Gap+1e-9*1e4 {
			t.Errorf("R^2 %g, gap %g; the smallest is %g", ball.Square, ball.Gap, want)
		}
		if !(ball.Gap <= 1e-2*want) {
			t.Errorf("gap %g of R^2 %g", ball.Gap, ball.Square)
		}
		var sum float64
		for _, v := range ball.Weight {
			sum += v
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("weights sum to %g", sum)
		}
	}
}

// Rows that are equal, free and alone do not stop the span.
func TestSpanOfEqualRows(t *testing.T) {
	p := newBounded(t, kernel.Gaussian{Sigma: 1}, 20, 2, 1, true, false, 1)
	p.c[0], p.c[1] = 1, 1
	x := mat.NewDense(20, 2, nil)
	for i := range 20 {
		x.Set(i, 0, float64(i/4))
	}
	var err error
	if p.gram, err = (kernel.Gaussian{Sigma: 1}).Bind(context.Background(), data.Rows{Dense: x}, nil); err != nil {
		t.Fatal(err)
	}
	p.gram.Block(p.k, nil, nil)
	a, f := p.train(t, -1)
	for i, m := range bound(t, dual.Span, p.evidence(a, f)).Margin {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			t.Errorf("margin %d is %g", i, m)
		}
	}
	e := p.evidence(a, f)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, b := range []dual.Bound{dual.XiAlpha, dual.Span, dual.RadiusMargin} {
		if _, err := b.Of(ctx, e); err == nil {
			t.Errorf("%v heeds no context", b)
		}
	}
	if s := dual.Bound(0).String(); s != "Bound(0)" {
		t.Error(s)
	}
}

// The span of two free rows without an offset is what the one leaves of the other, 1 - r^2, to ten digits; equal rows leave nothing.
func TestSpanOfTwoRows(t *testing.T) {
	for _, r := range []float64{0, 0.5, 0.999, 1} {
		k := kernel.Precomputed{K: mat.NewDense(2, 2, []float64{1, r, r, 1})}
		g, err := k.Bind(t.Context(), data.Rows{Dense: mat.NewDense(2, 1, nil)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		e := dual.Evidence{Gram: g, Rows: []int{0, 1}, Y: []float64{1, -1}, A: []float64{0.5, 0.5}, F: []float64{1, -1}, C: []float64{1, 1}}
		for i, got := range bound(t, dual.Span, e).Margin {
			if want := 1 - 0.5*(1-r*r); math.Abs(got-want) > 1e-9 {
				t.Errorf("kernel value %g, row %d: a margin of %.12g, want %.12g", r, i, got, want)
			}
		}
	}
}

// No row lies farther outside of its ball than some units of 1e-7 of the mean diagonal, and the gap is as small for each.
func TestEnclosingBallIsFine(t *testing.T) {
	const n = 12
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 5))
		x, k := mat.NewDense(n, 2, nil), mat.NewDense(n, n, nil)
		x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
		g, err := kernel.Gaussian{Sigma: 1}.Bind(t.Context(), data.Rows{Dense: x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ball, err := dual.EnclosingBall(t.Context(), g, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
		if err != nil {
			t.Fatal(err)
		}
		g.Block(k, nil, nil)
		w := mat.NewVecDense(n, ball.Weight)
		var f mat.VecDense
		f.MulVec(k, w)
		for i := range n {
			if square := 1 - 2*f.AtVec(i) + mat.Dot(w, &f); square > ball.Square+5e-7 {
				t.Errorf("seed %d: row %d is %.9g away, squared, of a ball of %.9g", seed, i, square, ball.Square)
			}
		}
		if ball.Gap > 2*n*1e-7 {
			t.Errorf("seed %d: a gap of %g", seed, ball.Gap)
		}
	}
}
