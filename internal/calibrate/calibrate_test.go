package calibrate

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// winners returns the decisions of package learn: two classes, the second from 0
// on; pairs by votes, zero for the second, ties to the first class; else one output
// a class, the largest, the first on ties.
func winners(scores *mat.Dense, classes int, pairs bool) []int {
	out := make([]int, scores.RawMatrix().Rows)
	for i := range out {
		f := scores.RawRowView(i)
		switch {
		case len(f) == 1:
			if f[0] >= 0 {
				out[i] = 1
			}
		case pairs:
			votes := make([]float64, classes)
			o := 0
			for a := range classes {
				for b := a + 1; b < classes; b++ {
					if f[o] >= 0 {
						votes[b]++
					} else {
						votes[a]++
					}
					o++
				}
			}
			out[i] = first(votes)
		default:
			out[i] = first(f)
		}
	}
	return out
}

func first(v []float64) int {
	best := 0
	for j := range v {
		if v[j] > v[best] {
			best = j
		}
	}
	return best
}

// agrees fails unless p are probabilities of which the winner's leads by Margin.
func agrees(t rapid.TB, p []float64, w int) {
	t.Helper()
	sum := 0.0
	for j, v := range p {
		sum += v
		if !(v > 0 && v < 1) || j != w && !(p[w]-v >= Margin*(1-1e-6)) {
			t.Fatalf("winner %d of %v: class %d", w, p, j)
		}
	}
	if math.Abs(sum-1) > 1e-12*float64(len(p)) {
		t.Fatalf("%v adds up to %.17g", p, sum)
	}
}

// drawOutputs draws outputs of all sizes, with zeros and ties.
func drawOutputs(r *rand.Rand, n, c int) *mat.Dense {
	m := mat.NewDense(n, c, nil)
	unit := math.Pow(10, float64(r.IntN(600)-300))
	if r.IntN(2) == 0 {
		unit = 1
	}
	kind := r.IntN(4)
	for i := range n {
		for j := range c {
			v := r.NormFloat64()
			switch kind {
			case 0:
				v = math.Round(v) // ties and zeros
			case 1:
				v *= math.Pow(10, float64(r.IntN(40)-20))
			case 2:
				v = math.Copysign(1, v) * math.MaxFloat64 / 1e301
			}
			m.Set(i, j, min(max(v*unit, -math.MaxFloat64), math.MaxFloat64))
		}
	}
	return m
}

// TestAgreement: whatever the outputs, and whatever they were fitted on, each kind
// of calibration agrees with the winner, survives JSON and passes its own Check.
func TestAgreement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		n, k := 1+r.IntN(30), 2+r.IntN(6)
		try := func(c Calibration, err error, outputs, classes int) {
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Check(); err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			text, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			back := reflect.New(reflect.TypeOf(c))
			if err := json.Unmarshal(text, back.Interface()); err != nil || !reflect.DeepEqual(back.Elem().Interface(), any(c)) {
				t.Fatalf("%s read as %+v, %v", text, back.Elem(), err)
			}
			const rows = 40
			scores := drawOutputs(r, rows, outputs)
			dst := mat.NewDense(rows, classes, nil)
			_, pairs := c.(Pairs)
			w := winners(scores, classes, pairs)
			if r.IntN(3) == 0 {
				for i := range w {
					w[i] = r.IntN(classes)
				}
			}
			if err := c.Probabilities(dst, scores, w); err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			for i := range rows {
				agrees(t, dst.RawRowView(i), w[i])
			}
			i, bad := r.IntN(rows), []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)]
			scores.Set(i, r.IntN(outputs), bad)
			if err := c.Probabilities(dst, scores, w); err == nil {
				t.Fatalf("%g accepted", bad)
			}
		}
		class, second := make([]int, n), make([]bool, n)
		for i := range class {
			class[i] = r.IntN(k)
			second[i] = r.IntN(2) == 0
		}
		one := drawOutputs(r, n, 1).RawMatrix().Data
		s, err := FitSigmoid(one, second, nil)
		try(s, err, 1, 2)
		soft, err := FitSoftmax(drawOutputs(r, n, k), class, nil)
		try(soft, err, k, k)
		p := Pairs{Classes: k}
		if r.IntN(2) == 0 {
			for len(p.Pair) < k*(k-1)/2 {
				p.Pair = append(p.Pair, Sigmoid{math.Exp(3 * r.NormFloat64()), r.NormFloat64()})
			}
		} else {
			class := make([]int, n+k)
			for i := range class {
				class[i] = i % k
			}
			p, err = FitPairs(drawOutputs(r, n+k, k*(k-1)/2), class, k, nil)
		}
		try(p, err, k*(k-1)/2, k)
	})
}

// TestAgree compares the projection with the nearest of all candidates: for every
// set of classes that may share the winner's level, the level that keeps the sum.
func TestAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 6))
		k := 2 + r.IntN(5)
		p := make([]float64, k)
		sum := 0.0
		for j := range p {
			p[j] = math.Round(-1e3*math.Log(r.Float64()))/1e3 + 1e-3*float64(r.IntN(2))
			sum += p[j]
		}
		if sum == 0 {
			p[0], sum = 1, 1
		}
		for j := range p {
			p[j] = max(p[j]/sum, 1e-9) // above least, so that nothing is raised
		}
		sum = 0
		for _, v := range p {
			sum += v
		}
		w := r.IntN(k)
		best, nearest := math.Inf(1), make([]float64, k)
		for set := range 1 << k {
			if set>>w&1 == 0 {
				continue
			}
			c, m := -Margin, 0
			for j := range p {
				if set>>j&1 == 1 {
					c += p[j] / sum
					m++
				}
			}
			c /= float64(m)
			q := make([]float64, k)
			feasible, d := true, 0.0
			for j := range q {
				q[j] = p[j] / sum
				if set>>j&1 == 1 {
					q[j] = c
				}
			}
			q[w] += Margin
			if set == 1<<w {
				q[w] = p[w] / sum
			}
			for j := range q {
				feasible = feasible && (j == w || q[w]-q[j] >= Margin*(1-1e-9))
				d += (q[j] - p[j]/sum) * (q[j] - p[j]/sum)
			}
			if feasible && d < best {
				best = d
				copy(nearest, q)
			}
		}
		before := slices.Clone(p)
		if err := Agree(p, w); err != nil {
			t.Fatal(err)
		}
		agrees(t, p, w)
		for j := range p {
			if math.Abs(p[j]-nearest[j]) > 1e-11 {
				t.Fatalf("winner %d of %v: %v, nearest %v", w, before, p, nearest)
			}
		}
		again := slices.Clone(p)
		if err := Agree(again, w); err != nil {
			t.Fatal(err)
		}
		for j := range p {
			if math.Abs(p[j]-again[j]) > 1e-14 {
				t.Fatalf("a second time: %v, %v", p, again)
			}
		}
	})
	for _, p := range [][]float64{{math.NaN(), 1}, {-1e-9, 1}, {0, 0}, {math.Inf(1), 1}, {math.MaxFloat64, math.MaxFloat64}} {
		if err := Agree(slices.Clone(p), 0); err == nil {
			t.Errorf("%v accepted", p)
		}
	}
	p := []float64{0.2, 0.5, 0.3}
	if err := Agree(p, 2); err != nil || math.Abs(p[1]-0.4) > Margin || math.Abs(p[2]-0.4) > Margin || p[0] != 0.2 {
		t.Errorf("%v %v", p, err)
	}
}

// logisticRows draws outputs and classes with log odds slope f + offset.
func logisticRows(n int, slope, offset float64, seed uint64) ([]float64, []bool) {
	r := rand.New(rand.NewPCG(seed, 7))
	f, y := make([]float64, n), make([]bool, n)
	for i := range f {
		f[i] = 2 * r.NormFloat64()
		y[i] = r.Float64() < logistic(slope*f[i]+offset)
	}
	return f, y
}

// TestSigmoidRecovers: with n rows the slope and offset of logistic data are found
// to a few standard errors, which are about 0.02 and 0.01 at n = 40 000.
func TestSigmoidRecovers(t *testing.T) {
	for _, want := range []Sigmoid{{1.5, 0}, {0.5, -1}, {3, 2}} {
		f, y := logisticRows(40000, want.Slope, want.Offset, 1)
		got, err := FitSigmoid(f, y, nil)
		if err != nil || math.Abs(got.Slope-want.Slope) > 0.12 || math.Abs(got.Offset-want.Offset) > 0.08 {
			t.Errorf("%+v, %v; drawn with %+v", got, err, want)
		}
	}
}

// golden minimises f on [lo, hi].
func golden(f func(float64) float64, lo, hi float64) (x, fx float64) {
	g := (math.Sqrt(5) - 1) / 2
	a, b := hi-g*(hi-lo), lo+g*(hi-lo)
	fa, fb := f(a), f(b)
	for range 90 {
		if fa < fb {
			hi, b, fb = b, a, fa
			a = hi - g*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + g*(hi-lo)
			fb = f(b)
		}
	}
	return (lo + hi) / 2, f((lo + hi) / 2)
}

// TestSigmoidTwin: Newton's minimum is that of nested golden sections over slopes
// that are not negative, and its gradient vanishes where the slope is positive.
func TestSigmoidTwin(t *testing.T) {
	for seed := range uint64(8) {
		slope := float64(seed%4) - 1 // also none and negative
		f, y := logisticRows(40, slope, 0.5*slope-0.3, seed)
		got, err := FitSigmoid(f, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := newPlatt(f, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		value := func(a, b float64) float64 { // the textbook's formula
			var s float64
			for i, x := range p.x {
				q := 1 / (1 + math.Exp(-a*x-b))
				s -= p.t[i]*math.Log(q) + (1-p.t[i])*math.Log(1-q)
			}
			return s
		}
		_, best := golden(func(a float64) float64 {
			_, v := golden(func(b float64) float64 { return value(a, b) }, -10, 10)
			return v
		}, 0, 30)
		a, b := got.Slope*p.unit, got.Offset
		if v := value(a, b); v > best+1e-9 || math.Abs(v-p.value(a, b)) > 1e-9 {
			t.Errorf("seed %d: %+v has %.12g, golden sections %.12g", seed, got, v, best)
		}
		ga, gb, haa, hab, hbb := p.derivatives(a, b)
		if math.Abs(gb) > 1e-7 || got.Slope > 0 && math.Abs(ga) > 1e-7 || got.Slope == 0 && ga < -1e-7 {
			t.Errorf("seed %d: gradient %g %g at %+v", seed, ga, gb, got)
		}
		const h = 1e-5
		da, db := (p.value(a+h, b)-p.value(a-h, b))/(2*h), (p.value(a, b+h)-p.value(a, b-h))/(2*h)
		pa, _, _, _, _ := p.derivatives(a+h, b)
		ma, mb, _, _, _ := p.derivatives(a-h, b)
		_, pb, _, _, _ := p.derivatives(a, b+h)
		_, lb, _, _, _ := p.derivatives(a, b-h)
		_, qb, _, _, _ := p.derivatives(a+h, b)
		for _, c := range [][2]float64{{ga, da}, {gb, db}, {haa, (pa - ma) / (2 * h)}, {hbb, (pb - lb) / (2 * h)}, {hab, (qb - mb) / (2 * h)}} {
			if math.Abs(c[0]-c[1]) > 1e-6*(1+math.Abs(c[1])) {
				t.Errorf("derivative %g, by differences %g", c[0], c[1])
			}
		}
	}
}

// TestDegenerate: one class, equal outputs, separable classes, a single row.
func TestDegenerate(t *testing.T) {
	yes, no := []bool{true, true, true}, []bool{false, false, false}
	for _, c := range []struct {
		f    []float64
		y    []bool
		want float64 // probability at f[0], 0: only finite
	}{
		{[]float64{1, 2, 3}, yes, 4.0 / 5}, {[]float64{1, 2, 3}, no, 1.0 / 5},
		{[]float64{2, 2, 2}, []bool{true, true, false}, (2*0.75 + 1.0/3) / 3},
		{[]float64{0, 0, 0}, yes, 4.0 / 5}, {[]float64{-2, -1, 1, 2}, []bool{false, false, true, true}, 0},
		{[]float64{5}, []bool{true}, 2.0 / 3},
		{[]float64{-2, -1, 1, 2}, []bool{true, true, false, false}, 0.5}, {[]float64{1e300, -1e300}, []bool{true, false}, 0},
		{[]float64{1e-300, -1e-300}, []bool{true, false}, 0},
	} {
		s, err := FitSigmoid(c.f, c.y, nil)
		if err != nil || s.Check() != nil {
			t.Fatalf("%v %v: %+v %v", c.f, c.y, s, err)
		}
		if p := s.Probability(c.f[0]); c.want != 0 && math.Abs(p-c.want) > 1e-6 || !(p > 0 && p < 1) {
			t.Errorf("%v %v: %+v, p = %g, want %g", c.f, c.y, s, p, c.want)
		}
	}
	for name, err := range map[string]error{
		"sigmoid": second(FitSigmoid(nil, nil, nil)), "softmax": second(FitSoftmax(new(mat.Dense), nil, nil)),
		"pairs":       second(FitPairs(mat.NewDense(2, 3, nil), []int{0, 0}, 3, nil)),
		"nan sigmoid": second(FitSigmoid([]float64{1, math.NaN()}, []bool{true, false}, nil)),
		"nan softmax": second(FitSoftmax(mat.NewDense(1, 2, []float64{0, math.NaN()}), []int{0}, nil)),
		"nan pairs":   second(FitPairs(mat.NewDense(1, 1, []float64{math.NaN()}), []int{0}, 2, nil)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "calibrate: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestMonotone: probabilities of two classes do not decrease with the output, and
// scaling the outputs changes nothing.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		f, y := logisticRows(3+r.IntN(60), 2*r.NormFloat64(), r.NormFloat64(), r.Uint64())
		if r.IntN(2) == 0 {
			for i := range f {
				f[i] = math.Round(f[i])
			}
		}
		g := make([]float64, len(f))
		for i := range g {
			g[i] = 8 * f[i]
		}
		at := mat.NewDense(200, 1, nil)
		for i := range 200 {
			at.Set(i, 0, float64(i-100)/20)
		}
		var wide mat.Dense
		wide.Scale(8, at)
		fit := func(f []float64) []Calibration {
			s, err := FitSigmoid(f, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			return []Calibration{s}
		}
		a, b := fit(f), fit(g)
		w := winners(at, 2, false)
		for c := range a {
			p, q := mat.NewDense(200, 2, nil), mat.NewDense(200, 2, nil)
			if err := a[c].Probabilities(p, at, w); err != nil {
				t.Fatal(err)
			}
			if err := b[c].Probabilities(q, &wide, w); err != nil {
				t.Fatal(err)
			}
			for i := range 200 {
				if i > 0 && p.At(i, 1) < p.At(i-1, 1)-1e-15 {
					t.Fatalf("%+v: %g after %g", a[c], p.At(i, 1), p.At(i-1, 1))
				}
				if math.Abs(p.At(i, 1)-q.At(i, 1)) > 1e-8 {
					t.Fatalf("%+v: %g, of scaled outputs %g", a[c], p.At(i, 1), q.At(i, 1))
				}
			}
		}
	})
}

// TestCouple: Qp is the same in all classes, which with sum 1 and p >= 0 is the
// minimum; consistent pairs give their p back; and the iteration goes where the solution is, or
// stops when it is as near as asked.
func TestCouple(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 10))
		k := 2 + src.IntN(7)
		pairs := NewCoupling(k)
		r := mat.NewDense(k, k, nil)
		consistent := src.IntN(2) == 0
		want := make([]float64, k)
		sum := 0.0
		for a := range want {
			want[a] = math.Exp(2 * src.NormFloat64())
			sum += want[a]
		}
		for a := range k {
			for b := a + 1; b < k; b++ {
				v := want[a] / (want[a] + want[b])
				if !consistent {
					v = min(max(logistic(6*src.NormFloat64()), leastPair), 1-leastPair)
				}
				pairs.Set(a, b, v)
				r.Set(a, b, v)
				r.Set(b, a, 1-v)
			}
		}
		spread := func(p []float64) (lo, hi, total float64) {
			lo, hi = math.Inf(1), math.Inf(-1)
			for a := range k {
				total += p[a]
				var v float64
				for b := range k {
					if b != a {
						v += r.At(b, a)*r.At(b, a)*p[a] - r.At(b, a)*r.At(a, b)*p[b]
					}
				}
				lo, hi = min(lo, v), max(hi, v)
			}
			return lo, hi, total
		}
		p := make([]float64, k)
		pairs.Solve(p)
		if lo, hi, total := spread(p); hi-lo > 1e-12 || math.Abs(total-1) > 1e-12 || slices.Min(p) < 0 {
			t.Fatalf("Qp from %g to %g at %v", lo, hi, p)
		}
		for a := range k {
			if consistent && math.Abs(p[a]-want[a]/sum) > 1e-10 {
				t.Fatalf("%v, want %v / %g", p, want, sum)
			}
		}
		near, work := make([]float64, k), make([]float64, k)
		pairs.Iterate(near, work, 0.005/float64(k), max(100, k))
		if lo, hi, total := spread(near); hi-lo > 2*0.005/float64(k) || math.Abs(total-1) > 1e-12 {
			t.Fatalf("the iteration stops with Qp from %g to %g at %v", lo, hi, near)
		}
		pairs.Iterate(near, work, 1e-13, 1e6)
		for a := range k {
			if math.Abs(near[a]-p[a]) > 1e-6 {
				t.Fatalf("the iteration ends at %v, the solution is %v", near, p)
			}
		}
	})
}

// TestPairsTwo: of two classes the coupling is the sigmoid.
func TestPairsTwo(t *testing.T) {
	f, y := logisticRows(100, 1, 0.3, 4)
	class := make([]int, len(y))
	for i, v := range y {
		if v {
			class[i] = 1
		}
	}
	scores := mat.NewDense(len(f), 1, f)
	p, err := FitPairs(scores, class, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b := mat.NewDense(len(f), 2, nil), mat.NewDense(len(f), 2, nil)
	w := winners(scores, 2, true)
	if err := p.Probabilities(a, scores, w); err != nil {
		t.Fatal(err)
	}
	if err := p.Pair[0].Probabilities(b, scores, w); err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(a, b, 1e-12) {
		t.Error("differs from the sigmoid")
	}
}

// TestPairsPower: no other power has less loss on the rows it was fitted to, probabilities
// are those of the pairs alone raised to it, and without all outputs there is none.
func TestPairsPower(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const n, k = 400, 5
	scores, class := mat.NewDense(n, k*(k-1)/2, nil), make([]int, n)
	for i := range n {
		class[i] = i % k
		o := 0
		for a := range k {
			for b := a + 1; b < k; b++ {
				f := r.NormFloat64()
				switch class[i] {
				case a:
					f -= 2
				case b:
					f += 2
				}
				scores.Set(i, o, f)
				o++
			}
		}
	}
	p, err := FitPairs(scores, class, k, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := winners(scores, k, true)
	loss := func(power float64) float64 {
		p.Power = power
		dst := mat.NewDense(n, k, nil)
		if err := p.each(dst, scores, func(int, []float64) error { return nil }); err != nil {
			t.Fatal(err)
		}
		var sum float64
		e := 1.0 / (n + 2)
		for i, y := range class {
			row := dst.RawRowView(i)
			var z float64
			for j := range row {
				row[j] = math.Pow(row[j], power)
				z += row[j]
			}
			for j, v := range row {
				if j == y {
					sum -= (1 - e) * math.Log(v/z)
				} else {
					sum -= e / (k - 1) * math.Log(v/z)
				}
			}
			final := mat.NewDense(1, k, nil)
			if err := p.Probabilities(final, scores.Slice(i, i+1, 0, k*(k-1)/2).(*mat.Dense), w[i:i+1]); err != nil {
				t.Fatal(err)
			}
			if top := slices.Max(row) / z; w[i] == slices.Index(row, slices.Max(row)) &&
				math.Abs(slices.Max(final.RawRowView(0))-top) > 1e-4 {
				t.Fatalf("row %d: %v, want largest %g", i, final.RawRowView(0), top)
			}
		}
		return sum
	}
	fitted := p.Power
	if !(fitted > 1) {
		t.Fatalf("power %g; pairs of other classes dilute", fitted)
	}
	at := loss(fitted)
	for _, v := range []float64{1, 0.99 * fitted, 1.01 * fitted} {
		if loss(v) < at {
			t.Errorf("power %g has less loss than %g", v, fitted)
		}
	}
	scores.Set(0, k, math.NaN()) // pair (1, 2), of which row 0 is none
	if p, err = FitPairs(scores, class, k, nil); err != nil || p.Power != 0 {
		t.Errorf("power %g, %v, of rows without all outputs", p.Power, err)
	}
}

// TestSoftmaxTwin: the temperature is the golden section's, the derivatives are
// differences, and the drawn temperature is recovered.
func TestSoftmaxTwin(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 11))
		const want = 1.7
		n, k := []int{30, 6000}[seed%2], 3
		f, class := mat.NewDense(n, k, nil), make([]int, n)
		p := make([]float64, k)
		for i := range n {
			for c := range k {
				f.Set(i, c, r.NormFloat64())
			}
			softmax(p, f.RawRowView(i), want)
			for u := r.Float64() - p[0]; u > 0 && class[i] < k-1; u -= p[class[i]] {
				class[i]++
			}
		}
		s, err := FitSoftmax(f, class, nil)
		if err != nil {
			t.Fatal(err)
		}
		value := func(t float64) float64 {
			e, sum := 1/float64(n+2), 0.0
			for i, y := range class {
				softmax(p, f.RawRowView(i), t)
				for c := range p {
					w := e / float64(k-1)
					if c == y {
						w = 1 - e
					}
					sum -= w * math.Log(p[c]) / float64(n)
				}
			}
			return sum
		}
		x, fx := golden(value, 0, 20)
		if v := value(s.Temperature); v > fx+1e-12 || math.Abs(s.Temperature-x) > 1e-5*(1+x) {
			t.Errorf("seed %d: t = %g with %.15g, golden section %g with %.15g", seed, s.Temperature, v, x, fx)
		}
		if n > 1000 && math.Abs(s.Temperature-want) > 0.15 {
			t.Errorf("t = %g, drawn with %g", s.Temperature, want)
		}
		const h = 1e-5
		tempered := func(t float64) (loss, d, dd float64) {
			for i, y := range class {
				l, d1, d2 := Smoothed(p, f.RawRowView(i), y, t, 1, Unseen(n))
				loss, d, dd = loss+l/float64(n), d+d1/float64(n), dd+d2/float64(n)
			}
			return loss, d, dd
		}
		at, d, dd := tempered(1)
		if math.Abs(at-value(1)) > 1e-12*at {
			t.Errorf("loss %.15g, want %.15g", at, value(1))
		}
		_, up, _ := tempered(1 + h)
		_, down, _ := tempered(1 - h)
		if g := (value(1+h) - value(1-h)) / (2 * h); math.Abs(d-g) > 1e-6 || math.Abs(dd-(up-down)/(2*h)) > 1e-6 {
			t.Errorf("derivatives %g %g, by differences %g %g", d, dd, g, (up-down)/(2*h))
		}
	}
}
