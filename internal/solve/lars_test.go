package solve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// gaussians returns the centred columns scale k_sigma(x_i, x_j) of n seeded points
// in the plane for every width, with noisy targets of mean zero.
func gaussians(n int, seed uint64, widths ...float64) (StoredColumns, []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	p := make([][2]float64, n)
	y := make([]float64, n)
	for i := range p {
		p[i] = [2]float64{rng.NormFloat64(), rng.NormFloat64()}
		y[i] = math.Sin(2*p[i][0])*p[i][1] + 0.05*rng.NormFloat64()
	}
	centre(y)
	t := mat.NewDense(n*len(widths), n, nil)
	for w, sigma := range widths {
		for j := range n {
			row := t.RawRowView(w*n + j)
			for i := range row {
				dx, dy := p[i][0]-p[j][0], p[i][1]-p[j][1]
				row[i] = sigma * sigma * math.Exp(-(dx*dx+dy*dy)/(2*sigma*sigma))
			}
			centre(row)
		}
	}
	return StoredColumns{t}, y
}

func centre(x []float64) {
	var m float64
	for _, v := range x {
		m += v / float64(len(x))
	}
	for i := range x {
		x[i] -= m
	}
}

// noise returns m Gaussian columns of n values.
func noise(n, m int, seed uint64) (StoredColumns, []float64) {
	rng := rand.New(rand.NewPCG(seed, 8))
	t, y := mat.NewDense(m, n, nil), make([]float64, n)
	for j := range m {
		for i := range n {
			t.Set(j, i, rng.NormFloat64())
		}
	}
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	return StoredColumns{t}, y
}

// failer is what testing and rapid have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkPath checks every knot against the definition: SSE and |alpha|_1 as said,
// |h_j'r| <= lambda/2 everywhere, equal with the right sign on the non-zeros.
func checkPath(t failer, x StoredColumns, y []float64, p *LassoPath, tol float64) {
	t.Helper()
	n, m := x.Dims()
	r, c := mat.NewVecDense(n, nil), mat.NewVecDense(m, nil)
	for q, node := range p.Nodes {
		copy(r.RawVector().Data, y)
		var l1 float64
		sign := map[int]float64{}
		for k, j := range node.Index {
			if k > 0 && j <= node.Index[k-1] || node.Coef[k] == 0 {
				t.Fatalf("knot %d: index %d coefficient %g", q, j, node.Coef[k])
			}
			r.AddScaledVec(r, -node.Coef[k], mat.NewVecDense(n, x.T.RawRowView(int(j))))
			l1 += math.Abs(node.Coef[k])
			sign[int(j)] = math.Copysign(1, node.Coef[k])
		}
		sse := mat.Dot(r, r)
		if math.Abs(sse-node.SSE) > 1e-10*(1e-6*p.Nodes[0].SSE+sse) || math.Abs(l1-node.L1) > 1e-12*(1+l1) {
			t.Fatalf("knot %d: SSE %.15g, really %.15g; L1 %.15g, really %.15g", q, node.SSE, sse, node.L1, l1)
		}
		if q > 0 && (node.L1 <= p.Nodes[q-1].L1 || node.Lambda >= p.Nodes[q-1].Lambda || node.SSE > p.Nodes[q-1].SSE*(1+1e-12)) {
			t.Fatalf(
				"knot %d: L1 %g after %g, lambda %g after %g, SSE %g after %g",
				q,
				node.L1,
				p.Nodes[q-1].L1,
				node.Lambda,
				p.Nodes[q-1].Lambda,
				node.SSE,
				p.Nodes[q-1].SSE,
			)
		}
		c.MulVec(x.T, r)
		bound := node.Lambda / 2
		slack := tol*bound + 1e-12*p.Nodes[0].Lambda
		for j := range m {
			if s, on := sign[j]; on && math.Abs(c.AtVec(j)-s*bound) > slack {
				t.Fatalf("knot %d of %d: active column %d has %.15g, bound %.15g", q, len(p.Nodes), j, c.AtVec(j), s*bound)
			} else if math.Abs(c.AtVec(j)) > bound+slack {
				t.Fatalf("knot %d of %d: column %d has %.15g, bound %.15g", q, len(p.Nodes), j, c.AtVec(j), bound)
			}
		}
	}
}

func TestLassoKnotsSatisfyKKT(t *testing.T) {
	for _, k := range []struct {
		name string
		n, m int
	}{{"tall", 60, 20}, {"square", 40, 40}, {"wide", 20, 70}, {"one", 5, 1}} {
		x, y := noise(k.n, k.m, 1)
		p, err := Lasso(context.Background(), x, y, LassoOptions{})
		if err != nil || p.End != LassoComplete {
			t.Fatalf("%s: %v, %v", k.name, p.End, err)
		}
		checkPath(t, x, y, p, 1e-10)
		if p.Violation > 1e-10 {
			t.Errorf("%s: certificate %g", k.name, p.Violation)
		}
		// The end is least squares.
		last := p.Nodes[len(p.Nodes)-1]
		var want mat.Dense
		if k.n > k.m {
			if err := want.Solve(x.T.T(), mat.NewDense(k.n, 1, y)); err != nil {
				t.Fatal(err)
			}
			for q, j := range last.Index {
				if math.Abs(last.Coef[q]-want.At(int(j), 0)) > 1e-8 {
					t.Errorf("%s: coefficient %d is %g, least squares %g", k.name, j, last.Coef[q], want.At(int(j), 0))
				}
			}
		} else if last.SSE > 1e-12*p.Nodes[0].SSE {
			t.Errorf("%s: SSE %g at the end", k.name, last.SSE)
		}
	}
}

func TestLassoOnGaussians(t *testing.T) {
	// Beyond these shares the active Gaussians of the widest are dependent to working
	// precision, columns are set aside and the certificate says so.
	for sigma, share := range map[float64]float64{0.1: 1e-5, 0.5: 1e-5, 3: 1e-3} {
		x, y := gaussians(120, 3, sigma)
		p, err := Lasso(context.Background(), x, y, LassoOptions{MinShare: share})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("sigma %g: %d knots, %d drops, %d aside, violation %.1e, %v", sigma, len(p.Nodes), p.Drops, p.Aside, p.Violation, p.End)
		checkPath(t, x, y, p, 1e-6)
	}
}

// descend minimises |y - H alpha|^2 + lambda |alpha|_1 in one coefficient after the other, until a sweep over all of them changes
// nothing, and returns the square error (Friedman, Hastie and Tibshirani, J. Stat. Software 33, 2010).
func descend(x StoredColumns, y []float64, lambda float64, alpha []float64) (sse float64) {
	r := slices.Clone(y)
	for range 100_000 {
		changed := false
		for j, a := range alpha {
			h := x.T.RawRowView(j)
			norm := floats.Dot(h, h)
			b := floats.Dot(h, r) + norm*a
			b = math.Copysign(max(math.Abs(b)-lambda/2, 0), b) / norm
			floats.AddScaled(r, a-b, h)
			changed = changed || math.Abs(b-a) > 1e-14*math.Abs(b)
			alpha[j] = b
		}
		if !changed {
			break
		}
	}
	return floats.Dot(r, r)
}

// The path is what coordinate descent finds, at knots and between them; the size
// constrained solution is the same as the penalised one.
func TestLassoEqualsDescent(t *testing.T) {
	x, y := gaussians(50, 5, 0.6)
	p, err := Lasso(context.Background(), x, y, LassoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, m := x.Dims()
	for _, share := range []float64{0.9, 0.5, 0.1, 0.03, 0.011} {
		lambda := share * p.Nodes[0].Lambda
		alpha := make([]float64, m)
		sse := descend(x, y, lambda, alpha)
		at := p.AtLambda(lambda)
		got := make([]float64, m)
		for q, j := range at.Index {
			got[j] = at.Coef[q]
		}
		for j := range got {
			if math.Abs(got[j]-alpha[j]) > 1e-6*(1+at.L1) {
				t.Errorf("lambda %g: alpha_%d = %.12g, descent %.12g", lambda, j, got[j], alpha[j])
			}
		}
		if math.Abs(at.SSE-sse) > 1e-9*p.Nodes[0].SSE {
			t.Errorf("lambda %g: SSE %.15g, descent %.15g", lambda, at.SSE, sse)
		}
		if by := p.At(at.L1); math.Abs(by.Lambda-lambda) > 1e-9*lambda {
			t.Errorf("size %g gives lambda %.15g, not %.15g", at.L1, by.Lambda, lambda)
		}
	}
}

// Interpolated SSE is the SSE of the interpolated coefficients.
func TestLassoBetweenKnots(t *testing.T) {
	x, y := gaussians(40, 6, 0.5)
	p, err := Lasso(context.Background(), x, y, LassoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(p.Nodes) - 1 {
		between := *p
		between.Nodes = []LassoNode{p.Nodes[0], p.Between(i, 0.37)}
		if i == 0 {
			between.Nodes[0].Lambda *= 2
		}
		checkPath(t, x, y, &between, 1e-7)
	}
}

func TestLassoLimits(t *testing.T) {
	x, y := gaussians(60, 2, 0.5)
	full, err := Lasso(context.Background(), x, y, LassoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	size := full.Nodes[10].L1*0.3 + full.Nodes[11].L1*0.7
	p, _ := Lasso(context.Background(), x, y, LassoOptions{MaxL1: size})
	last := p.Nodes[len(p.Nodes)-1]
	if want := full.At(size); p.End != LassoL1 || math.Abs(last.L1-size) > 1e-13*size || math.Abs(last.SSE-want.SSE) > 1e-12*want.SSE ||
		len(p.Nodes) != 12 {
		t.Errorf("size: %v, %+v, want %+v", p.End, last, want)
	}
	p, _ = Lasso(context.Background(), x, y, LassoOptions{MinSSE: full.Nodes[10].SSE * (1 + 1e-9)})
	if p.End != LassoSSE || len(p.Nodes) != 11 {
		t.Errorf("SSE: %v with %d knots", p.End, len(p.Nodes))
	}
	p, _ = Lasso(context.Background(), x, y, LassoOptions{MaxSteps: 7})
	if p.End != LassoSteps || p.Steps != 7 {
		t.Errorf("steps: %v after %d", p.End, p.Steps)
	}
	p, _ = Lasso(context.Background(), x, y, LassoOptions{MinShare: 0.1})
	if last := p.Nodes[len(p.Nodes)-1]; p.End != LassoComplete || math.Abs(last.Lambda-0.1*p.Nodes[0].Lambda) > 1e-14 {
		t.Errorf("share: %v at %g", p.End, last.Lambda)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Lasso(ctx, x, y, LassoOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if p, err := Lasso(context.Background(), x, make([]float64, 60), LassoOptions{}); err != nil || p.End != LassoComplete ||
		len(p.Nodes) != 1 {
		t.Errorf("targets of zero: %+v, %v", p, err)
	}
	y[3] = math.NaN()
	if _, err := Lasso(context.Background(), x, y, LassoOptions{}); err == nil {
		t.Error("NaN target accepted")
	}
}

// Duplicates, negatives and zero columns; integer entries make exact ties.
func TestLassoDegenerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(2, 12).Draw(t, "n"), rapid.IntRange(1, 16).Draw(t, "m")
		x, y := mat.NewDense(m, n, nil), make([]float64, n)
		entry := rapid.IntRange(-2, 2)
		for j := range m {
			if kind := rapid.IntRange(0, 5).Draw(t, "kind"); kind == 0 && j > 0 {
				copy(x.RawRowView(j), x.RawRowView(rapid.IntRange(0, j-1).Draw(t, "of")))
				continue
			}
			for i := range n {
				x.Set(j, i, float64(entry.Draw(t, "x")))
			}
		}
		for i := range y {
			y[i] = float64(entry.Draw(t, "y"))
		}
		p, err := Lasso(context.Background(), StoredColumns{x}, y, LassoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if p.End != LassoComplete && p.End != LassoSaturated {
			t.Fatalf("%v", p.End)
		}
		checkPath(t, StoredColumns{x}, y, p, 1e-9)
		if last := p.Nodes[len(p.Nodes)-1]; last.Lambda > 1e-6*p.Nodes[0].Lambda {
			t.Fatalf("ended at lambda %g of %g: %v", last.Lambda, p.Nodes[0].Lambda, p.End)
		}
	})
}

// computed are stored columns that pretend to be computed.
type computed struct{ StoredColumns }

func (c computed) Block(lo, hi int, buf *mat.Dense) *mat.Dense {
	_, n := c.T.Dims()
	dst := buf.Slice(0, hi-lo, 0, n).(*mat.Dense)
	dst.Copy(c.T.Slice(lo, hi, 0, n))
	return dst
}

func TestLassoScreenedEqualsAll(t *testing.T) {
	for name, make := range map[string]func() (StoredColumns, []float64){
		"gaussians": func() (StoredColumns, []float64) {
			return gaussians(80, 4, 0.1, 0.15, 0.22, 0.33, 0.5, 0.75, 1.1, 1.6, 2.4)
		},
		"noise": func() (StoredColumns, []float64) { return noise(50, 900, 3) },
	} {
		x, y := make()
		all, err := Lasso(context.Background(), x, y, LassoOptions{MinShare: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		checkPath(t, x, y, all, 1e-9)
		for _, batch := range []int{1, 5, 32} {
			some, err := Lasso(
				context.Background(),
				computed{x},
				y,
				LassoOptions{MinShare: 1e-3, Working: 10, Batch: batch, MaxSteps: 1 << 20},
			)
			if err != nil || some.End != all.End || len(some.Nodes) != len(all.Nodes) {
				t.Fatalf(
					"%s, batch %d: %v with %d knots, all columns %v with %d; %v",
					name,
					batch,
					some.End,
					len(some.Nodes),
					all.End,
					len(all.Nodes),
					err,
				)
			}
			checkPath(t, x, y, some, 1e-8)
			if some.Violation > 1e-8 {
				t.Errorf("%s: certificate %g", name, some.Violation)
			}
			for q := range all.Nodes {
				if a, b := all.Nodes[q], some.Nodes[q]; !reflect.DeepEqual(a.Index, b.Index) || math.Abs(a.SSE-b.SSE) > 1e-9*(a.SSE+1e-3) {
					t.Fatalf(
						"%s, batch %d, knot %d: SSE %g with %v, all columns %g with %v",
						name,
						batch,
						q,
						b.SSE,
						b.Index,
						a.SSE,
						a.Index,
					)
				}
			}
			t.Logf("%s, batch %d: %d knots, %d steps", name, batch, len(some.Nodes), some.Steps)
		}
	}
}

func TestLassoDoesNotDependOnThreads(t *testing.T) {
	x, y := gaussians(200, 9, 0.7)
	old := runtime.GOMAXPROCS(1)
	one, err := Lasso(context.Background(), x, y, LassoOptions{MinShare: 1e-3})
	runtime.GOMAXPROCS(4)
	two, err2 := Lasso(context.Background(), x, y, LassoOptions{MinShare: 1e-3})
	runtime.GOMAXPROCS(old)
	if err != nil || err2 != nil || !reflect.DeepEqual(one, two) {
		t.Errorf("paths differ: %v, %v", err, err2)
	}
}

// y -> a y scales the path; the columns' order does not matter.
func TestLassoScalesWithTargets(t *testing.T) {
	x, y := noise(30, 20, 4)
	p, _ := Lasso(context.Background(), x, y, LassoOptions{})
	z := append([]float64(nil), y...)
	blas64.Scal(-4, vector(z))
	n, m := x.Dims()
	back := mat.NewDense(m, n, nil)
	for j := range m {
		back.SetRow(m-1-j, x.T.RawRowView(j))
	}
	q, _ := Lasso(context.Background(), StoredColumns{back}, z, LassoOptions{})
	if len(p.Nodes) != len(q.Nodes) {
		t.Fatalf("%d knots, scaled %d", len(p.Nodes), len(q.Nodes))
	}
	for i := range p.Nodes {
		a, b := p.Nodes[i], q.Nodes[i]
		if math.Abs(4*a.L1-b.L1) > 1e-11*b.L1 || math.Abs(16*a.SSE-b.SSE) > 1e-11*(1+b.SSE) || math.Abs(4*a.Lambda-b.Lambda) > 1e-11 {
			t.Errorf("knot %d: %g %g %g, scaled %g %g %g", i, a.L1, a.SSE, a.Lambda, b.L1, b.SSE, b.Lambda)
		}
		for k, j := range a.Index {
			if at := len(a.Index) - 1 - k; int(b.Index[at]) != m-1-int(j) || math.Abs(b.Coef[at]+4*a.Coef[k]) > 1e-10 {
				t.Fatalf("knot %d: coefficient %d is %g, scaled %g", i, j, a.Coef[k], b.Coef[at])
			}
		}
	}
}

func BenchmarkLasso(b *testing.B) {
	for _, k := range []struct {
		n      int
		widths []float64
	}{{1000, []float64{0.1}}, {1000, []float64{0.5}}} {
		x, y := gaussians(k.n, 1, k.widths...)
		b.Run(fmt.Sprintf("n%d-sigma%g", k.n, k.widths[0]), func(b *testing.B) {
			for b.Loop() {
				p, err := Lasso(context.Background(), x, y, LassoOptions{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(p.Steps), "steps")
			}
		})
	}
}

// Thirty widths of a thousand centres: 30 000 columns, to 1 % of the first SSE.
func BenchmarkLassoJoint(b *testing.B) {
	var widths []float64
	for q := range 30 {
		widths = append(widths, 0.05*math.Pow(40, float64(q)/29))
	}
	x, y := gaussians(1000, 1, widths...)
	for b.Loop() {
		yy := blas64.Dot(vector(y), vector(y))
		p, err := Lasso(context.Background(), x, y, LassoOptions{MinSSE: 0.01 * yy, MaxSteps: 20000})
		if err != nil || p.End != LassoSSE {
			b.Fatal(p.End, err)
		}
		b.ReportMetric(float64(len(p.Nodes)), "knots")
		b.ReportMetric(float64(p.Steps), "steps")
		b.ReportMetric(p.Violation*1e9, "violation-e-9")
	}
}

// Inner products kept give the path that passes over all columns give, also where they are
// given up half way.
func TestLassoGramEqualsPasses(t *testing.T) {
	for name, k := range map[string]struct {
		n     int
		sigma float64
		share float64
	}{"narrow": {400, 0.1, 1e-2}, "middle": {400, 0.5, 1e-3}, "wide": {400, 3, 1e-2}, "kept": {400, 0.5, 0.2}} {
		x, y := gaussians(k.n, 31, k.sigma)
		run := func(gram bool) *LassoPath {
			o := LassoOptions{MinShare: k.share, MaxSteps: 600, Workers: 2}
			h := newHomotopy(x, y, o)
			h.o.MaxL1 = math.Inf(1)
			if gram {
				h.gram = newLassoGram(h)
			}
			p, err := h.whole(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if gram && name == "kept" && h.gram == nil {
				t.Errorf("inner products were given up after %d knots", len(p.Nodes))
			}
			t.Logf("%s, gram %v to its end %v: %d knots, violation %.1e, %v", name, gram, h.gram != nil, len(p.Nodes), p.Violation, p.End)
			return p
		}
		want, got := run(false), run(true)
		if len(want.Nodes) != len(got.Nodes) || got.End != want.End || got.Violation > 1e-8 {
			t.Fatalf(
				"%s: %d knots, %v, violation %g; by passes %d, %v",
				name,
				len(got.Nodes),
				got.End,
				got.Violation,
				len(want.Nodes),
				want.End,
			)
		}
		for q := range want.Nodes {
			if a, b := want.Nodes[q], got.Nodes[q]; !reflect.DeepEqual(a.Index, b.Index) || math.Abs(a.SSE-b.SSE) > 1e-9*a.SSE {
				t.Fatalf(
					"%s, knot %d: SSE %.12g with %d columns, by passes %.12g with %d",
					name,
					q,
					b.SSE,
					len(b.Index),
					a.SSE,
					len(a.Index),
				)
			}
		}
		checkPath(t, x, y, got, 1e-7)
	}
}

// Stop ends the path at the knot it says, also that of a working set.
func TestLassoStop(t *testing.T) {
	x, y := gaussians(80, 32, 0.5, 1)
	full, err := Lasso(context.Background(), x, y, LassoOptions{MinShare: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	at := full.Nodes[20].L1 * (1 - 1e-9)
	for _, working := range []int{0, 10} {
		p, err := Lasso(
			context.Background(),
			x,
			y,
			LassoOptions{MinShare: 1e-3, Working: working, Stop: func(l1, sse, lambda float64) bool {
				if tangent := sse - lambda*(full.Nodes[30].L1-l1); tangent > full.Nodes[30].SSE*(1+1e-9) && l1 < full.Nodes[30].L1 {
					t.Errorf("the tangent at %g is above the path", l1)
				}
				return l1 >= at
			}},
		)
		if err != nil || p.End != LassoStopped || len(p.Nodes) != 21 {
			t.Errorf("%v with %d knots, %v", p.End, len(p.Nodes), err)
		}
	}
}

// A path is read between its knots by the formulas of a segment: coefficients and lambda linear, SSE quadratic with the slope -lambda.
func TestLassoPathIsRead(t *testing.T) {
	p := &LassoPath{Nodes: []LassoNode{
		{Lambda: 4, SSE: 10},
		{Lambda: 2, L1: 1, SSE: 7, Index: []int32{3}, Coef: []float64{1}},
		{Lambda: 0, L1: 3, SSE: 5, Index: []int32{1, 7}, Coef: []float64{-0.5, 2.5}},
	}}
	half := LassoNode{Lambda: 3, L1: 0.5, SSE: 8.25, Index: []int32{3}, Coef: []float64{0.5}}
	late := LassoNode{Lambda: 0.5, L1: 2.5, SSE: 5.125, Index: []int32{1, 3, 7}, Coef: []float64{-0.375, 0.25, 1.875}}
	for what, c := range map[string]struct{ got, want LassoNode }{
		"at 0": {p.At(0), p.Nodes[0]}, "at a half": {p.At(0.5), half}, "at 1": {p.At(1), p.Nodes[1]}, "at 5/2": {p.At(2.5), late},
		"at 3": {p.At(3), p.Nodes[2]}, "beyond": {p.At(9), p.Nodes[2]},
		"at lambda 5": {p.AtLambda(5), p.Nodes[0]}, "at lambda 4": {p.AtLambda(4), p.Nodes[0]}, "at lambda 3": {p.AtLambda(3), half},
		"at lambda 2": {p.AtLambda(2), p.Nodes[1]}, "at lambda 1/2": {p.AtLambda(0.5), late}, "at lambda 0": {p.AtLambda(0), p.Nodes[2]},
		"at lambda -1": {p.AtLambda(-1), p.Nodes[2]}, "the first of a segment": {p.Between(1, 0), p.Nodes[1]},
		"the last of a segment": {p.Between(1, 1), p.Nodes[2]},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %+v, want %+v", what, c.got, c.want)
		}
	}
	if a, b := p.Bend(0), p.Bend(1); a != 1 || b != 2 {
		t.Errorf("bends %g and %g, want 1 and 2", a, b)
	}
}

// A working set heeds every limit as all columns do, and refuses what they refuse.
func TestLassoScreenedLimits(t *testing.T) {
	x, y := gaussians(60, 2, 0.5)
	full, err := Lasso(t.Context(), x, y, LassoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stopAt := full.Nodes[6].L1 * (1 - 1e-9)
	for name, c := range map[string]struct {
		o   LassoOptions
		end LassoEnd
	}{
		"L1":       {LassoOptions{MaxL1: full.Nodes[10].L1*0.3 + full.Nodes[11].L1*0.7}, LassoL1},
		"SSE":      {LassoOptions{MinSSE: full.Nodes[10].SSE * (1 + 1e-9)}, LassoSSE},
		"all SSE":  {LassoOptions{MinSSE: full.Nodes[0].SSE}, LassoSSE},
		"share":    {LassoOptions{MinShare: 0.1}, LassoComplete},
		"stop":     {LassoOptions{Stop: func(l1, _, _ float64) bool { return l1 >= stopAt }}, LassoStopped},
		"lambda":   {LassoOptions{Stop: func(_, _, lambda float64) bool { return lambda <= full.Nodes[6].Lambda*(1+1e-9) }}, LassoStopped},
		"error":    {LassoOptions{Stop: func(_, sse, _ float64) bool { return sse <= full.Nodes[6].SSE*(1+1e-9) }}, LassoStopped},
		"no limit": {LassoOptions{MinShare: 1e-3, MaxL1: -1}, LassoComplete},
	} {
		whole, err1 := Lasso(t.Context(), x, y, c.o)
		c.o.Working, c.o.Batch = 8, 4
		some, err2 := Lasso(t.Context(), x, y, c.o)
		if err1 != nil || err2 != nil {
			t.Fatal(name, err1, err2)
		}
		a, b := whole.Nodes[len(whole.Nodes)-1], some.Nodes[len(some.Nodes)-1]
		if whole.End != c.end || some.End != c.end || len(whole.Nodes) != len(some.Nodes) || math.Abs(a.SSE-b.SSE) > 1e-9*a.SSE ||
			math.Abs(a.L1-b.L1) > 1e-9*a.L1 {
			t.Errorf("%s: %v after %d knots, %v after %d by working sets", name, whole.End, len(whole.Nodes), some.End, len(some.Nodes))
		}
		if c.end == LassoStopped && len(whole.Nodes) != 7 {
			t.Errorf("%s: stopped at knot %d, want 6", name, len(whole.Nodes)-1)
		}
	}
	if p, err := Lasso(t.Context(), x, y, LassoOptions{MaxSteps: 7, Working: 8, Batch: 4}); err != nil || p.End != LassoSteps || p.Steps != 7 {
		t.Errorf("steps: %v after %d, %v", p.End, p.Steps, err)
	}
	for _, working := range []int{0, 8} {
		bad := StoredColumns{mat.DenseCopyOf(x.T)}
		bad.T.Set(17, 3, math.Inf(1))
		if _, err := Lasso(t.Context(), bad, y, LassoOptions{Working: working}); err == nil ||
			!strings.Contains(err.Error(), "column 17 times the targets") {
			t.Errorf("working set of %d, a column that is not finite: %v", working, err)
		}
		p, err := Lasso(t.Context(), x, make([]float64, 60), LassoOptions{Working: working})
		if err != nil || p.End != LassoComplete || len(p.Nodes) != 1 || p.Nodes[0].Lambda != 0 {
			t.Errorf("working set of %d, targets of zero: %+v, %v", working, p, err)
		}
	}
	y[5] = math.Inf(-1)
	if _, err := Lasso(t.Context(), x, y, LassoOptions{}); err == nil || !strings.Contains(err.Error(), "target 5 is -Inf") {
		t.Errorf("an infinite target: %v", err)
	}
}

// followed is a path of all columns after at most so many steps, with inner products or without.
func followed(t *testing.T, x StoredColumns, y []float64, steps int, gram bool) *homotopy {
	t.Helper()
	h := newHomotopy(x, y, LassoOptions{MinShare: 1e-3, MaxSteps: steps, MaxL1: math.Inf(1), Workers: 1})
	if gram {
		h.gram = newLassoGram(h)
	}
	if _, err := h.whole(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

// A path that is not told where to end does so at 1e-10 of the first lambda.
func TestLassoEndsAtItsDefault(t *testing.T) {
	x, y := noise(60, 20, 1)
	p, err := Lasso(t.Context(), x, y, LassoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	last := p.Nodes[len(p.Nodes)-1]
	if share := last.Lambda / p.Nodes[0].Lambda; p.End != LassoComplete || math.Abs(share-1e-10) > 1e-13 || len(last.Index) != 20 {
		t.Errorf("%v at %g of the first lambda, with %d columns", p.End, share, len(last.Index))
	}
}

// Correlations by inner products are looked at every 64 knots, and twice as often each time they are off by more than 1e-9 of the bound;
// off by more than 1e-7 they are given up.
func TestDriftOfInnerProducts(t *testing.T) {
	x, y := gaussians(400, 31, 0.5)
	h := followed(t, x, y, 8, true)
	g := h.gram
	if g == nil {
		t.Fatal("inner products were given up on the way")
	}
	for _, c := range []struct {
		off  float64 // of the bound
		most int
		kept bool
	}{{0.5e-9, 64, true}, {2e-9, 32, true}, {0.9e-7, 16, true}, {1.1e-7, 8, false}} {
		g.steps = 1
		g.anchor[3] += c.off * h.bound
		g.look(h, nil)
		if g.most != c.most || (h.gram != nil) != c.kept {
			t.Errorf("off by %g: %d knots, kept %v, want %d and %v", c.off, g.most, h.gram != nil, c.most, c.kept)
		}
	}
}

// What a factor that is off by a millionth makes of a direction is put right to 1e-9, and coefficients that are off by 1e-8 to 1e-10 of the
// bound: knots are solutions whatever the steps before.
func TestLassoRefines(t *testing.T) {
	x, y := noise(60, 20, 1)
	h := followed(t, x, y, 12, false)
	last := h.chol.Row(h.chol.Len() - 1)
	last[len(last)-1] *= 1 + 1e-6
	if left := h.direct(true); left > 1e-9 {
		t.Errorf("a direction is off by %g", left)
	}
	h = followed(t, x, y, 12, false)
	first := x.T.RowView(int(h.act[0].id))
	h.alpha[0] += 1e-8 * h.bound / mat.Dot(first, first)
	h.settle()
	h.correlate()
	r := mat.NewVecDense(len(h.r), h.r)
	for _, e := range h.act {
		if off := math.Abs(mat.Dot(x.T.RowView(int(e.id)), r) - h.bound*e.sign); off > 1.1e-10*h.bound {
			t.Errorf("column %d: the correlation is off by %g of the bound", e.id, off/h.bound)
		}
	}
}
