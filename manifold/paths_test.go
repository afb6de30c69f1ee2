package manifold_test

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/kerneltest"
	"github.com/mercer-ml/mercer/manifold"
	"gonum.org/v1/gonum/mat"
)

func survey(t testing.TB, x data.Rows, k int, softness float64) *manifold.Survey {
	t.Helper()
	s, err := manifold.NewSurvey(t.Context(), x, graph.Recipe{Neighbours: k}, softness)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// full is the graph of all edges, whose shortest paths are the distances.
func full(t testing.TB, x data.Rows) *manifold.Survey {
	t.Helper()
	s, err := manifold.NewSurvey(t.Context(), x, graph.Recipe{Kind: graph.Full}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lattice are rows so far from each other that nothing is ill-conditioned.
func lattice() data.Rows {
	x := mat.NewDense(20, 2, nil)
	for i := range 20 {
		x.Set(i, 0, float64(i%5)+0.2*math.Sin(float64(3*i)))
		x.Set(i, 1, float64(i/5)+0.2*math.Cos(float64(5*i)))
	}
	return data.Rows{Dense: x}
}

func TestPathsConform(t *testing.T) {
	x := lattice()
	// Of all edges the kernel is the Gaussian one, which is positive definite, so that no eigenvalue is clipped.
	kerneltest.Run(t, manifold.Paths{Survey: full(t, x), Sigma: 1}, x)
	kerneltest.Run(t, manifold.Paths{Survey: full(t, x), Sigma: math.Inf(1), Scaled: true}, x)
	kerneltest.Run(t, manifold.Paths{Survey: survey(t, x, 3, 4), Sigma: math.Inf(1), Scaled: true}, x)
}

// On the graph of all edges shortest paths are the Euclidean distances: the kernel is the Gaussian one, and the
// scaling recovers the rows but for where they lie.
func TestPathsOfAllEdges(t *testing.T) {
	x := lattice()
	s := full(t, x)
	near := func(name string, got, want *mat.Dense) {
		if !mat.EqualApprox(got, want, 1e-10) {
			t.Error(name)
		}
	}
	near("density", block(bind(t, manifold.Paths{Survey: s, Sigma: 1.5}, x), nil, nil),
		block(bind(t, kernel.Gaussian{Sigma: 1.5}, x), nil, nil))
	linear := block(bind(t, kernel.Linear{}, x), nil, nil)
	kernel.Centre(linear)
	scaling := manifold.Paths{Survey: s, Sigma: math.Inf(1), Scaled: true}
	g := bind(t, scaling, x)
	near("scaling", block(g, nil, nil), unit(linear))
	z := g.(interface{ Coordinates() *mat.Dense }).Coordinates()
	if _, p := z.Dims(); p != 2 || scaling.Clipped().Kept != 2 {
		t.Errorf("%d coordinates of rows in the plane, %+v", p, scaling.Clipped())
	}
	var zz, square mat.Dense
	zz.Mul(z, z.T())
	near("coordinates", &zz, linear)
	square.Mul(z.T(), z)
	if math.Abs(square.At(0, 1)) > 1e-9 {
		t.Errorf("columns with the inner product %g", square.At(0, 1))
	}
	gauss := block(bind(t, kernel.Gaussian{Sigma: 1.5}, x), nil, nil)
	kernel.Centre(gauss)
	near("scaling of a density", block(bind(t, manifold.Paths{Survey: s, Sigma: 1.5, Scaled: true, Delta: 1e-13}, x), nil, nil),
		unit(gauss))
}

// unit divides a table by its mean diagonal.
func unit(k *mat.Dense) *mat.Dense {
	n, _ := k.Dims()
	k.Scale(float64(n)/mat.Trace(k), k)
	return k
}

// Coordinates are kept until what is left is little, each of it and all together.
func TestScalingKeepsEnough(t *testing.T) {
	x := lattice()
	s := survey(t, x, 3, 2)
	all := manifold.Paths{Survey: s, Sigma: math.Inf(1), Scaled: true, Delta: 1e-12}
	var e mat.EigenSym
	b := block(bind(t, all, x), nil, nil)
	e.Factorize(mat.NewSymDense(20, b.RawMatrix().Data), false)
	values := e.Values(nil)
	total := 0.0
	for _, v := range values {
		total += max(v, 0)
	}
	for _, delta := range []float64{0.5, 0.1, 0.01} {
		k := manifold.Paths{Survey: s, Sigma: math.Inf(1), Scaled: true, Delta: delta}
		bind(t, k, x)
		kept := k.Clipped().Kept
		left := func(p int) (sum, next float64) {
			for _, v := range values[:20-p] {
				sum += max(v, 0)
			}
			return sum, values[19-p]
		}
		if sum, next := left(kept); sum >= delta*total || next >= delta*values[19] {
			t.Errorf("delta %g: %d kept, %g and %g left", delta, kept, sum/total, next/values[19])
		}
		if sum, next := left(kept - 1); kept > 1 && sum < delta*total && next < delta*values[19] {
			t.Errorf("delta %g: %d kept, fewer would do", delta, kept)
		}
	}
}

// Negative eigenvalues are set to zero, said, and nothing else is changed.
func TestPathsClipped(t *testing.T) {
	// The paths of a ring of four are those of no Euclidean space.
	x := rows([]float64{0, 0}, []float64{1, 0}, []float64{1, 1}, []float64{0, 1})
	k := manifold.Paths{Survey: survey(t, x, 2, 0), Sigma: 2}
	got := block(bind(t, k, x), nil, nil)
	a, b := math.Exp(-1./8), math.Exp(-4./8)
	ring := mat.NewDense(4, 4, []float64{1, a, b, a, a, 1, a, b, b, a, 1, a, a, b, a, 1})
	least := 1 - 2*a + b // the eigenvalue of (1, -1, 1, -1)/2
	if c := k.Clipped(); c.Count != 1 || math.Abs(c.Least-least) > 1e-12 || math.Abs(c.Largest-(1+2*a+b)) > 1e-12 {
		t.Errorf("%+v, the least eigenvalue is %g", c, least)
	}
	for i := range 4 {
		for j := range 4 {
			sign := 1 - 2*float64((i+j)%2)
			if want := ring.At(i, j) - least*sign/4; math.Abs(got.At(i, j)-want) > 1e-12 {
				t.Errorf("k(%d, %d) = %g, want %g", i, j, got.At(i, j), want)
			}
		}
	}
	if g := bind(t, k, x); !kernel.Semidefinite(g) || g.Pull([]float64{0}, kernel.Cotangent{}) == nil {
		t.Error("a clipped kernel has no derivative, and is semi-definite")
	}
}

// By soft paths every row of a moon is nearer than any of the other moon, by shortest ones that is not so.
func TestPathsSeeClusters(t *testing.T) {
	set, err := data.Builtin("moons-det:n=200")
	if err != nil {
		t.Fatal(err)
	}
	for _, softness := range []float64{0, 20, math.Inf(1)} {
		k := block(bind(t, manifold.Paths{Survey: survey(t, set.Rows, 6, softness)}.Adapt(set.Rows), set.Rows), nil, nil)
		inside, across := math.Inf(1), 0.0
		for i := range 200 {
			for j := range 200 {
				if (i < 100) == (j < 100) {
					inside = min(inside, k.At(i, j))
				} else {
					across = max(across, k.At(i, j))
				}
			}
		}
		if (inside > across) != (softness > 0) {
			t.Errorf("softness %g: similarity from %g in a moon, to %g between them", softness, inside, across)
		}
	}
}

// New rows take the values of the rows nearby, and rows of the survey their own.
func TestPathsCarried(t *testing.T) {
	set, err := data.Builtin("moons-det:n=200")
	if err != nil {
		t.Fatal(err)
	}
	x := set.Rows
	g := bind(t, manifold.Paths{Survey: survey(t, x, 6, 4), Sigma: math.Inf(1), Scaled: true}, x)
	k := block(g, nil, nil)
	moved := mat.DenseCopyOf(x.Dense)
	for i := range 200 {
		moved.Set(i, 0, moved.At(i, 0)+0.01)
	}
	for name, c := range map[string]struct {
		rows *mat.Dense
		tol  float64
	}{"the same": {x.Dense, 1e-9}, "moved": {moved, 0.1}} {
		got := mat.NewDense(200, 200, nil)
		if err := g.Cross(got, data.Rows{Dense: c.rows}, nil); err != nil {
			t.Fatal(err)
		}
		var d mat.Dense
		d.Sub(got, k)
		if worst := max(mat.Max(&d), -mat.Min(&d)); worst > c.tol*mat.Max(k) {
			t.Errorf("%s rows: a kernel value differs by %g of %g", name, worst, mat.Max(k))
		}
	}
	// Other rows have paths of their own.
	few := make([]int, 100)
	for i := range few {
		few[i] = 2 * i
	}
	part := x.Select(few)
	own := block(bind(t, manifold.Paths{Survey: survey(t, part, 6, 4), Sigma: 1}, part), nil, nil)
	if !mat.Equal(own, block(bind(t, manifold.Paths{Survey: survey(t, x, 6, 4), Sigma: 1}, part), nil, nil)) {
		t.Error("bound to other rows, the kernel is not that of their paths")
	}
}

func TestPathsFaults(t *testing.T) {
	x := lattice()
	s := survey(t, x, 3, 1)
	for name, k := range map[string]kernel.Kernel{
		"no width": manifold.Paths{Survey: s}, "infinite": manifold.Paths{Survey: s, Sigma: math.Inf(1)},
		"duplicates": manifold.Paths{
			Survey: survey(t, rows([]float64{1}, []float64{1}, []float64{1}), 1, 1), Sigma: math.Inf(1), Scaled: true,
		},
	} {
		train := x
		if name == "duplicates" {
			train = rows([]float64{1}, []float64{1}, []float64{1})
		}
		if _, err := k.Bind(t.Context(), train, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := manifold.NewSurvey(t.Context(), x, graph.Recipe{Neighbours: 3}, -1); err == nil {
		t.Error("a negative softness was taken")
	}
	if k := (manifold.Paths{Survey: s}).Adapt(x).(manifold.Paths); k.Sigma != s.Median || !(s.Median > 0) {
		t.Errorf("default width %g, median %g", k.Sigma, s.Median)
	}
}

func TestPathsStopped(t *testing.T) {
	x := lattice()
	stoptest.Everywhere(t, func(ctx context.Context) error {
		_, err := manifold.NewSurvey(ctx, x, graph.Recipe{Neighbours: 3}, 1)
		return err
	})
	ring := rows([]float64{0, 0}, []float64{1, 0}, []float64{1, 1}, []float64{0, 1})
	for _, k := range []manifold.Paths{
		{Survey: survey(t, ring, 2, 0), Sigma: 2}, {Survey: survey(t, ring, 2, 0), Sigma: math.Inf(1), Scaled: true},
	} {
		stoptest.Everywhere(t, func(ctx context.Context) error {
			_, err := k.Bind(ctx, ring, nil)
			return err
		})
	}
}

// TestMedianOfPaths: of all edges it is the median distance, the upper one of an even number.
func TestMedianOfPaths(t *testing.T) {
	for want, x := range map[float64]data.Rows{
		2: rows([]float64{0}, []float64{1}, []float64{3}),               // 1 2 3
		4: rows([]float64{0}, []float64{1}, []float64{3}, []float64{7}), // 1 2 3 4 6 7
	} {
		if got := full(t, x).Median; math.Abs(got-want) > 1e-9 {
			t.Errorf("%d rows: the median is %g, want %g", x.Len(), got, want)
		}
	}
}

// A scaling that is told nothing leaves a tenth.
func TestUsualShareOfAScaling(t *testing.T) {
	x := lattice()
	for _, k := range []int{2, 3, 4} {
		for _, softness := range []float64{0, 1, 2, 8} {
			s := survey(t, x, k, softness)
			usual := manifold.Paths{Survey: s, Sigma: math.Inf(1), Scaled: true}
			named := usual
			named.Delta = 0.1
			got := block(bind(t, usual, x), nil, nil)
			kept := usual.Clipped().Kept
			if want := block(bind(t, named, x), nil, nil); !mat.Equal(got, want) || kept != named.Clipped().Kept {
				t.Errorf("%d neighbours, softness %g: %d coordinates are kept, %d of a tenth", k, softness, kept, named.Clipped().Kept)
			}
		}
	}
}
