package manifold_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"gonum.org/v1/gonum/mat"
)

// precise is a matrix of numbers of 300 bits.
type precise [][]*big.Float

func number(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }

func exactly(a mat.Matrix) precise {
	r, c := a.Dims()
	e := make(precise, r)
	for i := range e {
		for j := range c {
			e[i] = append(e[i], number(a.At(i, j)))
		}
	}
	return e
}

// mul returns a b + v I.
func (a precise) mul(b precise, v float64) precise {
	c, t := exactly(mat.NewDense(len(a), len(b[0]), nil)), number(0)
	for i := range a {
		for k, x := range a[i] {
			if x.Sign() == 0 {
				continue
			}
			for j := range c[i] {
				c[i][j].Add(c[i][j], t.Mul(x, b[k][j]))
			}
		}
		if v != 0 {
			c[i][i].Add(c[i][i], number(v))
		}
	}
	return c
}

func (a precise) scale(v float64) precise {
	for i := range a {
		for _, x := range a[i] {
			x.Mul(x, number(v))
		}
	}
	return a
}

// solve replaces b by a^-1 b, and a by what elimination leaves.
func (a precise) solve(b precise) precise {
	t, f := number(0), number(0)
	for p := range a {
		for i := p; i < len(a); i++ {
			if number(0).Abs(a[i][p]).Cmp(number(0).Abs(a[p][p])) > 0 {
				a[p], a[i], b[p], b[i] = a[i], a[p], b[i], b[p]
			}
		}
		for i := range a {
			if i == p || a[i][p].Sign() == 0 {
				continue
			}
			f.Quo(a[i][p], a[p][p])
			for j := p; j < len(a); j++ {
				a[i][j].Sub(a[i][j], t.Mul(f, a[p][j]))
			}
			for j := range b[i] {
				b[i][j].Sub(b[i][j], t.Mul(f, b[p][j]))
			}
		}
	}
	for i := range b {
		for j := range b[i] {
			b[i][j].Quo(b[i][j], a[i][i])
		}
	}
	return b
}

// graphs are the norms of Laplacian RLS at these degrees and kinds of Laplacian.
func graphs(neighbours int, kind graph.Laplacian, degree int) manifold.Graph {
	return manifold.Graph{Recipe: graph.Recipe{Neighbours: neighbours, Degree: degree, Laplacian: kind}}
}

// matrixOf returns the operator of a norm on the rows.
func matrixOf(t *testing.T, norm manifold.Norm, x data.Rows) *mat.Dense {
	t.Helper()
	op, err := norm.Bind(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, id := mat.NewDense(x.Len(), x.Len(), nil), mat.NewDense(x.Len(), x.Len(), nil)
	for i := range x.Len() {
		id.Set(i, i, 1)
	}
	op.MulTo(r, id)
	return r
}

// laplacianRLS returns the outputs on all rows.
func laplacianRLS(t *testing.T, g kernel.Gram, lab []int, y []float64, lambda float64) []float64 {
	t.Helper()
	p, err := rls.NewPath(context.Background(), block(g, lab, lab), mat.NewDense(len(y), 1, y), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.At(lambda)
	if err != nil {
		t.Fatal(err)
	}
	out := mat.NewDense(g.Len(), 1, nil)
	g.(interface {
		Values(dst, alpha *mat.Dense, j []int)
	}).Values(out, f.Alpha, lab)
	return out.RawMatrix().Data
}

var (
	few    = []int{0, 5, 11, 40, 57, 33}
	labels = []float64{1, -1, 1, 1, -1, -1}
)

// Laplacian RLS with the sources' small gamma_A must give what numbers of 300 bits give,
// for kernels of full and of small rank and every degree. f is of the size of the labels.
func TestSmallAmbientEqualsExact(t *testing.T) {
	const n, gammaI = 60, 0.01
	x := cloud(n, 3, 9)
	sigmas := []float64{1, 20}
	if slowtest.Asked() {
		sigmas = append(sigmas, 5)
	}
	for _, sigma := range sigmas {
		k := block(bind(t, kernel.Gaussian{Sigma: sigma}, x), nil, nil)
		for _, kind := range []graph.Laplacian{graph.Combinatorial, graph.Normalised} {
			l := exactly(matrixOf(t, graphs(6, kind, 1), x))
			rk := exactly(k)
			for degree := 1; degree <= 3; degree++ {
				rk = l.mul(rk, 0)
				for gammaA, tol := range map[float64]float64{1e-6: 1e-6, 1e-8: 1e-4, 1e-10: 3e-2} {
					ratio, lambda := gammaI/gammaA, float64(len(few))*gammaA
					system := exactly(mat.NewDense(n, n, nil))
					for i := range rk {
						for j := range rk[i] {
							system[i][j].Set(rk[i][j])
						}
					}
					system.scale(ratio)
					unit := mat.NewDense(n, len(few), nil)
					for q, i := range few {
						unit.Set(i, q, 1)
					}
					for i := range n {
						system[i][i].Add(system[i][i], number(1))
					}
					kt := exactly(k).mul(system.solve(exactly(unit)), 0)
					lab := make(precise, len(few))
					for q, i := range few {
						lab[q] = kt[i]
					}
					identity := exactly(mat.NewDiagDense(len(few), []float64{1, 1, 1, 1, 1, 1}))
					alpha := lab.mul(identity, lambda).solve(exactly(mat.NewDense(len(few), 1, labels)))
					want := kt.mul(alpha, 0)
					w := manifold.Warp{Base: kernel.Gaussian{Sigma: sigma}, Norm: graphs(6, kind, degree), Ratio: ratio}
					for _, norm := range []manifold.Norm{w.Norm, opaque{w.Norm}} {
						if norm != w.Norm && degree > 1 {
							continue
						}
						w.Norm = norm
						for i, got := range laplacianRLS(t, bind(t, w, x), few, labels, lambda) {
							f, _ := want[i][0].Float64()
							if !(math.Abs(got-f) <= tol) {
								t.Errorf("sigma %g, Laplacian %d, degree %d, gamma_A %g: f(%d) = %.10g, exactly %.10g", sigma, kind, degree,
									gammaA, i, got, f)
								break
							}
						}
					}
				}
			}
		}
	}
}

// As gamma_A vanishes Laplacian RLS is graph regularisation, f = (J + l gamma_I R)^-1 J y, the kernel
// forgotten; as gamma_I does too f is harmonic, f_u = -R_uu^-1 R_ul y.
func TestGraphLimits(t *testing.T) {
	const n = 60
	x := cloud(n, 3, 9)
	known := make([]float64, n)
	for q, i := range few {
		known[i] = labels[q]
	}
	for degree := 1; degree <= 3; degree++ {
		norm := graphs(8, graph.Combinatorial, degree)
		r := matrixOf(t, norm, x)
		limit := func(weight float64) []float64 {
			a, b := mat.NewDense(n, n, nil), mat.NewDense(n, 1, nil)
			a.Scale(weight, r)
			for q, i := range few {
				a.Set(i, i, a.At(i, i)+1)
				b.Set(i, 0, labels[q])
			}
			var f mat.Dense
			if err := f.Solve(a, b); err != nil {
				t.Fatal(err)
			}
			return f.RawMatrix().Data
		}
		for _, c := range []struct{ gammaA, gammaI, tol float64 }{
			{1e-6, 0.01, 1e-2}, {1e-8, 0.01, 1e-4}, {1e-10, 0.01, 1e-5},
		} {
			w := manifold.Warp{Base: kernel.Gaussian{Sigma: 0.7}, Norm: norm, Ratio: c.gammaI / c.gammaA}
			got := laplacianRLS(t, bind(t, w, x), few, labels, float64(len(few))*c.gammaA)
			for i, f := range limit(float64(len(few)) * c.gammaI) {
				if !(math.Abs(got[i]-f) <= c.tol) {
					t.Errorf("degree %d, gamma_A %g: f(%d) = %.9g, graph regularisation %.9g", degree, c.gammaA, i, got[i], f)
				}
			}
		}
		w := manifold.Warp{Base: kernel.Gaussian{Sigma: 0.7}, Norm: norm, Ratio: 1e8}
		gammaI := 1e-5 * math.Pow(20, -float64(degree)) // |R| is about 20^degree
		got := laplacianRLS(t, bind(t, w, x), few, labels, float64(len(few))*gammaI/w.Ratio)
		for i, f := range harmonic(t, r, known) {
			if !(math.Abs(got[i]-f) <= 1e-3) {
				t.Errorf("degree %d: f(%d) = %.9g, harmonic %.9g", degree, i, got[i], f)
			}
		}
	}
}

// harmonic solves R_uu f_u = -R_ul y, the labelled rows being those with y != 0.
func harmonic(t *testing.T, r *mat.Dense, y []float64) []float64 {
	t.Helper()
	n := len(y)
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, 1, y)
	for i := range n {
		if y[i] != 0 {
			a.Set(i, i, 1)
			continue
		}
		a.SetRow(i, r.RawRowView(i))
	}
	var f mat.Dense
	if err := f.Solve(a, b); err != nil {
		t.Fatal(err)
	}
	return f.RawMatrix().Data
}

// Digits with two labels a class and the smallest gamma_A of the sources: the labelled rows
// must come out right, and most others.
func TestDigitsSmallAmbient(t *testing.T) {
	if testing.Short() {
		t.Skip("1797 rows")
	}
	set, err := data.Builtin("digits")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	var lab []int
	for i, a := range set.Answers {
		if seen[a]++; seen[a] <= 2 {
			lab = append(lab, i)
		}
	}
	w := manifold.Warp{Base: kernel.Gaussian{Sigma: 24}, Norm: graphs(10, graph.Combinatorial, 1), Ratio: 0.01 / 1e-10}
	g := bind(t, w, set.Rows)
	best, decided := make([]float64, g.Len()), make([]string, g.Len())
	for _, q := range lab {
		class := set.Answers[q]
		y := make([]float64, len(lab))
		for p, i := range lab {
			if y[p] = -1; set.Answers[i] == class {
				y[p] = 1
			}
		}
		for i, f := range laplacianRLS(t, g, lab, y, float64(len(lab))*1e-10) {
			if decided[i] == "" || f > best[i] {
				best[i], decided[i] = f, class
			}
		}
	}
	wrong := 0
	for i, a := range set.Answers {
		if decided[i] != a {
			wrong++
		}
	}
	for _, i := range lab {
		if decided[i] != set.Answers[i] {
			t.Errorf("labelled row %d of class %s comes out as %s", i, set.Answers[i], decided[i])
		}
	}
	if wrong > g.Len()/5 {
		t.Errorf("%d of %d rows are wrong", wrong, g.Len())
	}
}
