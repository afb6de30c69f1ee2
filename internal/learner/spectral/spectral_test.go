package spectral

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/mixture"
	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func graphOf(t testing.TB, r graph.Recipe, rows data.Rows) *graph.Graph {
	t.Helper()
	g, err := r.Build(context.Background(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// set is a built-in set with its classes as numbers.
func set(t testing.TB, spec string) (data.Rows, []int) {
	t.Helper()
	s, err := data.Builtin(spec)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	of := make([]int, len(s.Answers))
	for i, a := range s.Answers {
		if of[i] = slices.Index(names, a); of[i] < 0 {
			of[i] = len(names)
			names = append(names, a)
		}
	}
	return s.Rows, of
}

func clusters(t testing.TB, c Clustering, g *graph.Graph, rows data.Rows) *Clusters {
	t.Helper()
	out, err := c.Fit(context.Background(), g, rows)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The points of the specification, and its golden example G3.
func golden() *mat.Dense {
	return mat.NewDense(8, 2, []float64{0, 0, 2, 1, 0.5, 0.2, 1.1, 0.1, 2.4, 0.7, 1.6, 1.3, 0.3, 0.9, 2.9, 1.4})
}

func TestGoldenRegularised(t *testing.T) {
	rows := data.Rows{Dense: golden()}
	g := graphOf(t, graph.Recipe{Neighbours: 2, Laplacian: graph.Combinatorial}, rows)
	e, err := Regularised{Kernel: kernel.Gaussian{Sigma: 1}, Gamma: 0.1}.Fit(context.Background(), g, rows, 3)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{0.068004564716, 2.270408485908, 2.367480297215} {
		if math.Abs(e.Values[j]-want) > 1e-11 {
			t.Errorf("eigenvalue %d is %.12f, want %.12f", j, e.Values[j], want)
		}
	}
	alpha := make([]float64, 8)
	for p := range 8 {
		alpha[e.Expansion.Centres.RowID(p)] = e.Expansion.Coef.At(p, 0)
	}
	for what, c := range map[string]struct{ got, want []float64 }{
		"f": {mat.Col(nil, 0, e.Coordinates), []float64{0.348180155772, -0.369027168096, 0.389504539662, 0.327783937634,
			-0.34555625845, -0.327974726327, 0.346451478358, -0.369361958554}},
		"alpha": {alpha, []float64{0.440600690642, 0.402757698128, -1.184272197559, 1.055903649547,
			-0.520117397778, -0.797550116031, 0.695247614894, 0.002049321391}},
	} {
		for i, v := range c.want {
			if math.Abs(c.got[i]-v) > 1e-10 {
				t.Errorf("%s[%d] is %.12f, want %.12f", what, i, c.got[i], v)
			}
		}
	}
}

// T3 of the specification: exact splits, and the error where gamma is too large.
func TestRegularisedToySets(t *testing.T) {
	for _, c := range []struct {
		set                 string
		sigma, gamma, share float64
	}{
		{"moons-det", 0.25, 1, 1},
		{"moons-det", 0.25, 1e-4, 1},
		{"moons-det", 0.5, 1e-4, 1},
		{"moons-det", 0.5, 1, 0.835},
		{"circles-det", 0.1, 1e-2, 1},
		{"circles-det", 0.25, 1e-2, 1},
		{"circles-det", 0.5, 1e-2, 1},
	} {
		rows, class := set(t, c.set)
		g := graphOf(t, graph.Recipe{Neighbours: 6, Laplacian: graph.Combinatorial}, rows)
		out := clusters(
			t,
			Clustering{Clusters: 2, Regularised: &Regularised{Kernel: kernel.Gaussian{Sigma: c.sigma}, Gamma: c.gamma}},
			g,
			rows,
		)
		if right := 1 - Matching(out.Of, class); math.Abs(right-c.share) > 1e-9 {
			t.Errorf("%s, sigma %g, gamma %g: %.4f right, want %g", c.set, c.sigma, c.gamma, right, c.share)
		}
	}
}

// Eigenmaps against the dense pencil L f = lambda D f, and the definition.
func TestEigenmapIsThePencil(t *testing.T) {
	rows, _ := set(t, "two-moons:n=500,noise=0.25")
	for _, kind := range []graph.Laplacian{graph.Normalised, graph.Combinatorial} {
		g := graphOf(t, graph.Recipe{Neighbours: 8, Laplacian: kind, Weights: graph.Heat}, rows)
		const m = 4
		e, err := Eigenmap{Tolerance: 1e-10}.Fit(context.Background(), g, m)
		if err != nil {
			t.Fatal(err)
		}
		if e.Components != 1 {
			t.Fatalf("%d components", e.Components)
		}
		w := g.W.ToDense()
		l, d := mat.NewDense(g.N, g.N, nil), make([]float64, g.N)
		for i := range g.N {
			d[i] = mat.Sum(w.RowView(i))
			for j := range g.N {
				l.Set(i, j, -w.At(i, j))
			}
			l.Set(i, i, d[i])
			if kind == graph.Combinatorial {
				d[i] = 1
			}
		}
		var lf mat.Dense
		lf.Mul(l, e.Coordinates)
		for j := range m {
			for i := range g.N {
				if r := lf.At(i, j) - e.Values[j]*d[i]*e.Coordinates.At(i, j); math.Abs(r) > 1e-8 {
					t.Fatalf("%v: L f - lambda D f = %g in row %d of function %d", kind, r, i, j)
				}
			}
			for k := range m {
				dot := 0.0
				for i := range g.N {
					dot += d[i] * e.Coordinates.At(i, j) * e.Coordinates.At(i, k)
				}
				if want := map[bool]float64{true: 1}[j == k]; math.Abs(dot-want) > 1e-9 {
					t.Errorf("%v: <f_%d, f_%d> = %g", kind, j, k, dot)
				}
			}
			if i := slices.IndexFunc(mat.Col(nil, j, e.Coordinates), func(v float64) bool { return math.Abs(v) > 1e-6 }); e.Coordinates.At(
				i,
				j,
			) < 0 {
				t.Errorf("%v: function %d begins negative", kind, j)
			}
		}
		s := mat.NewDense(g.N, g.N, nil)
		for i := range g.N {
			for j := range g.N {
				s.Set(i, j, l.At(i, j)/math.Sqrt(d[i]*d[j]))
			}
		}
		values := make([]float64, g.N)
		if err := blas.SymEigen(s, values, mat.NewDense(g.N, g.N, nil)); err != nil {
			t.Fatal(err)
		}
		for j, v := range e.Values {
			if math.Abs(v-values[j+1]) > 1e-9 {
				t.Errorf("%v: eigenvalue %d is %g, want %g", kind, j, v, values[j+1])
			}
		}
	}
}

// Of a graph in pieces the contrasts come first; they are orthonormal with the
// rest, and do not depend on the order of rows but for their sign.
func TestEigenmapOfPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(100, 2, nil)
	for i := range 100 {
		c := float64(min(i/30, 2)) // 30, 30, 40 rows
		x.SetRow(i, []float64{100*c + rng.NormFloat64(), rng.NormFloat64()})
	}
	rows := data.Rows{Dense: x}
	for _, kind := range []graph.Laplacian{graph.Normalised, graph.Combinatorial} {
		r := graph.Recipe{Neighbours: 6, Laplacian: kind}
		g := graphOf(t, r, rows)
		e, err := Eigenmap{}.Fit(context.Background(), g, 5)
		if err != nil {
			t.Fatal(err)
		}
		if e.Components != 3 || e.Values[0] != 0 || e.Values[1] != 0 || e.Values[2] < 1e-3 {
			t.Fatalf("%d components, values %v", e.Components, e.Values)
		}
		p := newPieces(g)
		u := mat.DenseCopyOf(e.Coordinates)
		for i, s := range p.root {
			for j := range 5 {
				u.Set(i, j, s*u.At(i, j))
			}
		}
		var gram mat.Dense
		gram.Mul(u.T(), u)
		for i := range 5 {
			gram.Set(i, i, gram.At(i, i)-1)
		}
		if !mat.EqualApprox(&gram, mat.NewDense(5, 5, nil), 1e-9) {
			t.Errorf("%v: not orthonormal:\n%v", kind, mat.Formatted(&gram))
		}
		perm := rng.Perm(100)
		moved, err := Eigenmap{}.Fit(context.Background(), graphOf(t, r, rows.Select(perm)), 5)
		if err != nil {
			t.Fatal(err)
		}
		for at, i := range perm {
			for j := range 2 {
				// The two pieces of 30 rows may change places: the largest does not.
				if j == 0 && math.Abs(math.Abs(moved.Coordinates.At(at, j))-math.Abs(e.Coordinates.At(i, j))) > 1e-9 {
					t.Fatalf("row %d: %g after shuffling, %g before", i, moved.Coordinates.At(at, j), e.Coordinates.At(i, j))
				}
			}
		}
	}
}

// gamma -> 0 gives the eigenmap, where the kernel is rich enough.
func TestSmallGammaIsTheEigenmap(t *testing.T) {
	rows, _ := set(t, "two-moons:n=120,noise=0.25")
	for _, r := range []graph.Recipe{{Neighbours: 8}, {Neighbours: 8, Laplacian: graph.Combinatorial}} {
		g := graphOf(t, r, rows)
		want, err := Eigenmap{Tolerance: 1e-12}.Fit(context.Background(), g, 3)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Regularised{Kernel: kernel.Gaussian{Sigma: 0.02}, Gamma: 1e-11}.Fit(context.Background(), g, rows, 3)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(got.Coordinates, want.Coordinates, 1e-6) {
			t.Errorf("%v: coordinates differ", r.Laplacian)
		}
		for j := range 3 {
			if math.Abs(got.Values[j]-want.Values[j]) > 1e-8 {
				t.Errorf("%v: value %d is %g, want %g", r.Laplacian, j, got.Values[j], want.Values[j])
			}
		}
	}
}

// New rows: at the training rows the expansion gives the coordinates, dense and
// sparse; a basis of fewer rows is near the full one.
func TestNewRows(t *testing.T) {
	rows, class := set(t, "two-moons:n=400,noise=0.05,seed=2")
	g := graphOf(t, graph.Recipe{Neighbours: 6, Degree: 2}, rows)
	recipe := Regularised{Kernel: kernel.Gaussian{Sigma: 0.3}, Gamma: 1e-3}
	full, err := recipe.Fit(context.Background(), g, rows, 3)
	if err != nil {
		t.Fatal(err)
	}
	at, err := full.At(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(at, full.Coordinates, 1e-6) {
		t.Error("the expansion at the training rows is not their coordinates")
	}
	recipe.Rank = 150
	reduced, err := recipe.Fit(context.Background(), g, rows, 3)
	if err != nil {
		t.Fatal(err)
	}
	if n := reduced.Expansion.Centres.Len(); n != 150 {
		t.Errorf("%d centres", n)
	}
	for j := range 3 {
		// A smaller space cannot do better.
		if a, b := reduced.Values[j], full.Values[j]; a < b*(1-1e-9) || a > 1.05*b {
			t.Errorf("value %d is %g with 150 rows, %g with all", j, a, b)
		}
	}
	fresh, freshClass := set(t, "two-moons:n=300,noise=0.05,seed=9")
	c := clusters(t, Clustering{Clusters: 2, Regularised: &recipe}, g, rows)
	if e := Matching(c.Of, class); e > 0.02 {
		t.Errorf("error %g on the rows", e)
	}
	of, err := c.At(context.Background(), fresh)
	if err != nil {
		t.Fatal(err)
	}
	if e := Matching(of, freshClass); e > 0.02 {
		t.Errorf("error %g on new rows", e)
	}
	again, err := c.At(context.Background(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again, c.Of) {
		t.Error("the rows as new rows are in other clusters")
	}
	if _, err := clusters(t, Clustering{Clusters: 2}, g, rows).At(context.Background(), fresh); err == nil {
		t.Error("an eigenmap places new rows")
	}
}

// Figures 2.10 and 2.11 of the source: two moons and two spirals, both ways.
func TestMoonsAndSpirals(t *testing.T) {
	for _, c := range []struct {
		set   string
		k     int
		sigma float64
	}{
		{"two-moons:n=400,noise=0.05", 6, 0.25},
		{"two-spirals:n=500", 2, 0.25},
	} {
		rows, class := set(t, c.set)
		g := graphOf(t, graph.Recipe{Neighbours: c.k}, rows)
		for _, r := range []*Regularised{nil, {Kernel: kernel.Gaussian{Sigma: c.sigma}, Gamma: 1e-4},
			{Kernel: kernel.Gaussian{Sigma: c.sigma}, Gamma: 1e-6}} {
			for _, k := range []int{2, 0} {
				if r != nil && k == 0 {
					continue
				}
				out := clusters(t, Clustering{Clusters: k, Regularised: r}, g, rows)
				if e := Matching(out.Of, class); out.K != 2 || e > 0.01 {
					t.Errorf("%s, %+v: %d clusters, error %g, gaps %.3g", c.set, r, out.K, e, out.Gaps)
				}
			}
		}
	}
}

func blobs(sizes ...int) (data.Rows, []int) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := 0
	for _, s := range sizes {
		n += s
	}
	x, class := mat.NewDense(n, 2, nil), make([]int, 0, n)
	i := 0
	for c, s := range sizes {
		for range s {
			angle := 2 * math.Pi * float64(c) / float64(len(sizes))
			x.SetRow(i, []float64{8*math.Cos(angle) + rng.NormFloat64(), 8*math.Sin(angle) + rng.NormFloat64()})
			class = append(class, c)
			i++
		}
	}
	return data.Rows{Dense: x}, class
}

// Several clusters, connected or in pieces; their number found; rows shuffled.
func TestSeveralClusters(t *testing.T) {
	rows, class := blobs(80, 50, 60, 70)
	for _, k := range []int{5, 12, 40} {
		g := graphOf(t, graph.Recipe{Neighbours: k}, rows)
		for _, want := range []int{4, 0} {
			out := clusters(t, Clustering{Clusters: want}, g, rows)
			if r := Rand(out.Of, class); out.K != 4 || r < 0.97 {
				t.Errorf("%d neighbours, %d components: %d clusters, adjusted Rand %g, gaps %.3g", k, out.Components, out.K, r, out.Gaps)
			}
		}
		perm := rand.New(rand.NewPCG(1, 1)).Perm(len(class))
		shuffled := rows.Select(perm)
		a := clusters(t, Clustering{Clusters: 4}, g, rows)
		b := clusters(t, Clustering{Clusters: 4}, graphOf(t, graph.Recipe{Neighbours: k}, shuffled), shuffled)
		back := make([]int, len(perm))
		for at, i := range perm {
			back[i] = b.Of[at]
		}
		if r := Rand(a.Of, back); r < 0.97 {
			t.Errorf("%d neighbours: adjusted Rand %g after shuffling", k, r)
		}
	}
}

// TestMedianOfTies: two clusters at the median are two where many rows have the middle value, and new rows are where equal ones were.
func TestMedianOfTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for trial := range 40 {
		n := 12 + trial
		x := mat.NewDense(n, 1, nil)
		for i := range n {
			x.Set(i, 0, float64(rng.IntN(2+trial%4)))
		}
		x.Set(0, 0, 0)
		x.Set(1, 0, 1)
		rows := data.Rows{Dense: x}
		g := graphOf(t, graph.Recipe{Kind: graph.Full, Weights: graph.Heat}, rows)
		regularised := &Regularised{Kernel: kernel.Gaussian{Sigma: 1}, Gamma: 0.1}
		out := clusters(t, Clustering{Clusters: 2, Split: Median, Regularised: regularised}, g, rows)
		again, err := out.At(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(out.Of, 0) || !slices.Contains(out.Of, 1) || !slices.Equal(again, out.Of) {
			t.Errorf("rows %v: clusters %v, as new rows %v", mat.Col(nil, 0, x), out.Of, again)
		}
	}
}

// Fewer clusters than components join the nearest; strays follow their
// neighbours.
func TestPiecesAndStrays(t *testing.T) {
	x := mat.NewDense(123, 1, nil)
	for i := range 40 {
		x.Set(i, 0, 0.01*float64(i))
		x.Set(40+i, 0, 5+0.01*float64(i))
		x.Set(80+i, 0, 100+0.01*float64(i))
	}
	x.Set(120, 0, 90) // three strays of one component
	x.Set(121, 0, 90.1)
	x.Set(122, 0, 90.2)
	rows := data.Rows{Dense: x}
	g := graphOf(t, graph.Recipe{Neighbours: 2}, rows)
	out := clusters(t, Clustering{Clusters: 2}, g, rows)
	if out.Components != 4 || out.Aside != 3 || !slices.Equal(out.Size, []int{80, 43}) || out.Cut != 0 {
		t.Errorf("%d components, %d aside, sizes %v, cut %g", out.Components, out.Aside, out.Size, out.Cut)
	}
	three := clusters(t, Clustering{Clusters: 3}, g, rows)
	if !slices.Equal(three.Size, []int{40, 40, 43}) {
		t.Errorf("sizes %v", three.Size)
	}
	moons, _ := set(t, "two-moons:n=151,noise=0.2")
	half := clusters(t, Clustering{Clusters: 2, Split: Median}, graphOf(t, graph.Recipe{}, moons), moons)
	if d := half.Size[0] - half.Size[1]; d < -1 || d > 1 {
		t.Errorf("median split of sizes %v", half.Size)
	}
	if _, err := (Clustering{Clusters: 2}).Fit(context.Background(), graphOf(t, graph.Recipe{Kind: graph.Epsilon, Radius: 1e-6}, rows),
		rows); err == nil {
		t.Error("a graph without edges makes clusters")
	}
}

// The cut against its definition: q'Lq/4 for two clusters of weight 1.
func TestNormalisedCut(t *testing.T) {
	rows, class := blobs(30, 40)
	g := graphOf(t, graph.Recipe{Neighbours: 39, Laplacian: graph.Combinatorial}, rows)
	q, lq := mat.NewDense(g.N, 1, nil), mat.NewDense(g.N, 1, nil)
	volume := make([]float64, 2)
	for i, c := range class {
		q.Set(i, 0, float64(2*c-1))
		_, w := g.W.Row(i)
		volume[c] += total(w)
	}
	g.Laplacian().MulTo(lq, q)
	cut := mat.Dot(q.ColView(0), lq.ColView(0)) / 4
	if got, want := normalisedCut(g, class, 2), cut/volume[0]+cut/volume[1]; math.Abs(got-want) > 1e-12 {
		t.Errorf("normalised cut %g, want %g", got, want)
	}
}

func TestThreadsChangeNothing(t *testing.T) {
	rows, _ := set(t, "two-moons:n=2500,noise=0.15")
	g := graphOf(t, graph.Recipe{}, rows)
	recipe := Clustering{Clusters: 5, Starts: 2, Regularised: &Regularised{Kernel: kernel.Gaussian{Sigma: 0.4}, Rank: 50}}
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	one := clusters(t, recipe, g, rows)
	runtime.GOMAXPROCS(3)
	many := clusters(t, recipe, g, rows)
	if !slices.Equal(one.Of, many.Of) || !mat.Equal(one.Embedding.Coordinates, many.Embedding.Coordinates) {
		t.Error("one thread and three differ")
	}
}

// late is a context whose time ends after some looks at it.
type late struct {
	context.Context
	looks *int
}

func (c late) Err() error {
	if *c.looks--; *c.looks < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// At the end of its time a fit returns the best so far and says so; a cancelled
// one returns nothing.
func TestEndOfTime(t *testing.T) {
	rows, _ := set(t, "two-moons:n=1500,noise=0.15")
	g := graphOf(t, graph.Recipe{}, rows)
	looks := 40
	e, err := Eigenmap{}.Fit(late{context.Background(), &looks}, g, 3)
	if err != nil || e.Status != solve.Unfinished || e.Status.Converged() || e.Residual[0] == 0 {
		t.Fatalf("%+v, %v", e, err)
	}
	looks = 0
	if _, err := (Eigenmap{}).Fit(late{context.Background(), &looks}, g, 3); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no time at all: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []Clustering{{Clusters: 3}, {Clusters: 3, Regularised: &Regularised{}}} {
		if _, err := c.Fit(ctx, g, rows); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

func TestFaults(t *testing.T) {
	rows, _ := set(t, "moons-det:n=40")
	g := graphOf(t, graph.Recipe{Neighbours: 4}, rows)
	ctx := context.Background()
	for what, err := range map[string]error{
		"no dimension":   second(Eigenmap{}.Fit(ctx, g, 0)),
		"too many":       second(Eigenmap{}.Fit(ctx, g, 40)),
		"negative gamma": second(Regularised{Gamma: -1}.Fit(ctx, g, rows, 2)),
		"no norm":        second(Regularised{Kernel: kernel.Sigmoid{Scale: 1}}.Fit(ctx, g, rows, 2)),
		"a poor kernel":  second(Regularised{Kernel: kernel.Linear{}}.Fit(ctx, g, rows, 2)),
		"one cluster":    second(Clustering{Clusters: 1}.Fit(ctx, g, rows)),
		"all clusters":   second(Clustering{Clusters: 40}.Fit(ctx, g, rows)),
	} {
		if err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// K-means draws its starts by the seed: one start from other rows may end elsewhere, the same again.
func TestKMeansSeed(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 0))
	x := mat.NewDense(60, 2, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	of := func(seed uint64) float64 {
		_, _, value, err := mixture.KMeans(t.Context(), x, 9, 1, seed)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	values := map[float64]bool{}
	for seed := range uint64(8) {
		values[of(seed)] = true
		if of(seed) != of(seed) {
			t.Errorf("seed %d does not repeat", seed)
		}
	}
	if len(values) < 2 {
		t.Error("eight seeds are one")
	}
}

// Where there are more pieces than eigenvalues are computed, the pieces are the clusters.
func TestManyPieces(t *testing.T) {
	for _, pieces := range []int{9, 10, 11, 12, 15} {
		sizes := slices.Repeat([]int{20}, pieces)
		rows, class := blobs(sizes...)
		for i, c := range class {
			rows.Dense.Set(i, 0, rows.Dense.At(i, 0)+100*float64(c))
		}
		out := clusters(t, Clustering{}, graphOf(t, graph.Recipe{Neighbours: 5}, rows), rows)
		if r := Rand(out.Of, class); out.K != pieces || out.Components != pieces || r != 1 || slices.Min(out.Size) != 20 {
			t.Errorf("%d pieces: %d clusters of sizes %v, adjusted Rand %g", pieces, out.K, out.Size, r)
		}
	}
}
