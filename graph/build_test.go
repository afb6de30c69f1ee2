package graph

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func eigenvalues(t testing.TB, a *mat.Dense) []float64 {
	t.Helper()
	n, _ := a.Dims()
	values := make([]float64, n)
	if err := blas.SymEigen(mat.DenseCopyOf(a), values, mat.NewDense(n, n, nil)); err != nil {
		t.Fatal(err)
	}
	slices.Sort(values)
	return values
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

// The golden example G1 of the hyper-parameter specification, edges from 1.
func TestGoldenEdgesG1(t *testing.T) {
	for k, want := range map[int][][2]int{
		2: {{1, 4}, {1, 8}, {2, 5}, {2, 6}, {3, 7}, {3, 8}, {4, 5}, {6, 7}},
		3: {{1, 4}, {1, 5}, {1, 8}, {2, 4}, {2, 5}, {2, 6}, {3, 6}, {3, 7}, {3, 8}, {4, 5}, {4, 8}, {5, 6}, {6, 7}, {7, 8}},
	} {
		got := edges(build(t, Recipe{Neighbours: k}, rowsOf(golden8())))
		for p := range got {
			got[p][0]++
			got[p][1]++
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("k = %d:\n%s", k, d)
		}
	}
}

// The golden values of the manifold regularisation specification, M0.
func TestGoldenM0(t *testing.T) {
	rows := rowsOf(goldenM0())
	g := build(t, Recipe{Neighbours: 2, Laplacian: Combinatorial}, rows)
	want := [][2]int{{0, 2}, {0, 3}, {0, 6}, {1, 4}, {1, 5}, {1, 7}, {2, 3}, {2, 6}, {4, 5}, {4, 7}}
	if d := cmp.Diff(want, edges(g)); d != "" {
		t.Error(d)
	}
	near(t, "mean edge", g.MeanEdge, 0.7773141429324435, 1e-15)
	for p, v := range eigenvalues(t, g.Laplacian().ToDense()) {
		near(t, "eigenvalue of L", v, []float64{0, 0, 2, 2, 4, 4, 4, 4}[p], 1e-13)
	}
	g = build(t, Recipe{Neighbours: 2}, rows)
	for p, v := range eigenvalues(t, g.Laplacian().ToDense()) {
		near(t, "eigenvalue of Ln", v, []float64{0, 0, 1, 1, 4. / 3, 4. / 3, 5. / 3, 5. / 3}[p], 1e-13)
	}
	w := build(t, Recipe{Neighbours: 2, Weights: Heat}, rows).W.ToDense()
	near(t, "W_02", w.At(0, 2), 0.786643674614, 1e-12)
	near(t, "W_03", w.At(0, 3), 0.364375407984, 1e-12)
	near(t, "W_06", w.At(0, 6), 0.474845781428, 1e-12)
}

// drawGraph makes a random graph of any recipe on rows with ties, duplicates and
// zero rows.
func drawGraph(t *rapid.T) (*Graph, *mat.Dense) {
	n := rapid.IntRange(3, 25).Draw(t, "n")
	x := integers(rapid.Uint64().Draw(t, "seed"), n, rapid.IntRange(1, 3).Draw(t, "d"))
	r := Recipe{
		Kind:       Kind(rapid.IntRange(0, 2).Draw(t, "kind")),
		Neighbours: rapid.IntRange(1, n-1).Draw(t, "k"),
		Radius:     rapid.SampledFrom([]float64{0.3, 1, 1.5}).Draw(t, "radius"),
		Metric:     Metric(rapid.IntRange(0, 1).Draw(t, "metric")),
		Symmetry:   Symmetry(rapid.IntRange(0, 2).Draw(t, "symmetry")),
		Weights:    Weights(rapid.IntRange(0, 3).Draw(t, "weights")),
		Laplacian:  Laplacian(rapid.IntRange(0, 1).Draw(t, "laplacian")),
		Degree:     rapid.IntRange(1, 3).Draw(t, "degree"),
	}
	rows := rowsOf(x)
	if rapid.Bool().Draw(t, "sparse") {
		rows = sparseOf(x)
	}
	g, err := r.Build(context.Background(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g, x
}

func TestLaplacianProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := drawGraph(t)
		w, l := g.W.ToDense(), g.Laplacian().ToDense()
		if !mat.Equal(w, w.T()) || !mat.Equal(l, l.T()) {
			t.Fatal("not symmetric")
		}
		deg := make([]float64, g.N)
		for i := range deg {
			if w.At(i, i) != 0 {
				t.Fatal("a row is joined with itself")
			}
			for j := range deg {
				if v := w.At(i, j); !(v >= 0 && v <= 1) {
					t.Fatalf("weight %g", v)
				}
				deg[i] += w.At(i, j)
			}
		}
		// f'Lf as a sum over pairs, and Lf = 0 at the null vector.
		rng := rand.New(rand.NewPCG(uint64(g.N), 1))
		f, null := mat.NewVecDense(g.N, nil), mat.NewVecDense(g.N, nil)
		scaled := make([]float64, g.N)
		for i := range g.N {
			f.SetVec(i, rng.NormFloat64())
			scaled[i] = f.AtVec(i)
			null.SetVec(i, 1)
			if g.Recipe.Laplacian == Normalised {
				null.SetVec(i, math.Sqrt(deg[i]))
				if deg[i] > 0 {
					scaled[i] /= math.Sqrt(deg[i])
				}
			}
		}
		want := 0.0
		for i := range g.N {
			for j := range g.N {
				d := scaled[i] - scaled[j]
				if v := w.At(i, j); v > 0 {
					want += v * d * d / 2
				}
			}
		}
		if got := mat.Inner(f, l, f); math.Abs(got-want) > 1e-11*(1+want) {
			t.Fatalf("f'Lf = %g, want %g", got, want)
		}
		var zero mat.VecDense
		zero.MulVec(l, null)
		if e := mat.Norm(&zero, math.Inf(1)); e > 1e-12*float64(g.N) {
			t.Fatalf("L null = %g", e)
		}
	})
}

func TestSpectrumAndComponents(t *testing.T) {
	for seed := range uint64(4) {
		x := integers(seed, 40, 2)
		for _, r := range []Recipe{{Neighbours: 1}, {Neighbours: 3, Symmetry: Mutual}, {Neighbours: 2, Symmetry: Mean},
			{Kind: Epsilon, Radius: 1}} {
			for _, r.Laplacian = range []Laplacian{Normalised, Combinatorial} {
				g := build(t, r, rowsOf(x))
				values := eigenvalues(t, g.Laplacian().ToDense())
				zeros := 0
				for _, v := range values {
					if v < -1e-12 || r.Laplacian == Normalised && v > 2+1e-12 {
						t.Errorf("%+v: eigenvalue %g", r, v)
					}
					if v < 1e-9 {
						zeros++
					}
				}
				if _, count := g.Components(); zeros != count {
					t.Errorf("%+v: %d zero eigenvalues, %d components", r, zeros, count)
				}
			}
		}
	}
}

func TestWeightsAreTheirDefinition(t *testing.T) {
	x := normal(2, 60, 3)
	const k = 6
	for _, metric := range []Metric{Euclidean, Cosine} {
		index, _ := naiveNeighbours(x, k, metric)
		length := func(i, j int) float64 {
			if metric == Cosine {
				return naiveDistance(x, i, j, Cosine)
			}
			return math.Sqrt(naiveDistance(x, i, j, Euclidean))
		}
		scale := func(i int) float64 { return length(i, index[i][k-1]) }
		for weights, w := range map[Weights]func(i, j int) float64{
			Binary:        func(int, int) float64 { return 1 },
			Heat:          func(i, j int) float64 { return math.Exp(-length(i, j) * length(i, j) / 0.7) },
			CosineWeights: func(i, j int) float64 { return math.Max(0, 1-naiveDistance(x, i, j, Cosine)) },
			SelfTuned:     func(i, j int) float64 { return math.Exp(-length(i, j) * length(i, j) / 0.7 / scale(i) / scale(j)) },
		} {
			a := mat.NewDense(60, 60, nil)
			for i := range index {
				for _, j := range index[i] {
					a.Set(i, j, w(i, j))
				}
			}
			for symmetry, merge := range map[Symmetry]func(a, b float64) float64{
				Union: math.Max, Mutual: math.Min, Mean: func(a, b float64) float64 { return (a + b) / 2 },
			} {
				var want mat.Dense
				want.Apply(func(i, j int, v float64) float64 { return merge(v, a.At(j, i)) }, a)
				r := Recipe{Neighbours: k, Metric: metric, Weights: weights, Symmetry: symmetry, Width: 0.7}
				for _, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
					if got := build(t, r, rows).W.ToDense(); !mat.EqualApprox(got, &want, 1e-13) {
						t.Errorf("%v %v %v: weights differ from the definition", metric, weights, symmetry)
					}
				}
			}
		}
	}
}

func TestRangeGraphs(t *testing.T) {
	x := integers(5, 50, 2)
	for _, rows := range []data.Rows{rowsOf(x), sparseOf(x)} {
		for _, metric := range []Metric{Euclidean, Cosine} {
			for _, radius := range []float64{0.5, 1, math.Sqrt2} {
				w := build(t, Recipe{Kind: Epsilon, Radius: radius, Metric: metric}, rows).W.ToDense()
				for i := range 50 {
					for j := range 50 {
						d := naiveDistance(x, i, j, metric)
						if metric == Euclidean {
							d = math.Sqrt(d)
						}
						// Cosine distances at the radius itself are a matter of rounding.
						if metric == Cosine && math.Abs(d-radius) < 1e-12 {
							continue
						}
						if joined := w.At(i, j) == 1; joined != (i != j && d <= radius) {
							t.Fatalf("%v radius %g: rows %d and %d at %g joined: %v", metric, radius, i, j, d, joined)
						}
					}
				}
			}
		}
		full := build(t, Recipe{Kind: Full, Weights: Heat, Width: 2}, rows)
		if full.W.NNZ() != 50*49 {
			t.Errorf("full graph has %d entries", full.W.NNZ())
		}
		near(t, "full weight", full.W.ToDense().At(3, 9), math.Exp(-naiveDistance(x, 3, 9, Euclidean)/2), 1e-15)
		for _, r := range []Recipe{{Kind: Full, MaxEdges: 50*49 - 1}, {Kind: Epsilon, Radius: 100, MaxEdges: 2000}} {
			if _, err := r.Build(context.Background(), rows, nil); err == nil || !strings.Contains(err.Error(), "max_edges") {
				t.Errorf("%v: limit of edges: %v", r.Kind, err)
			}
		}
	}
}

func TestRowOrderDoesNotMatter(t *testing.T) {
	const n = 80
	x := normal(6, n, 3)
	perm := rand.New(rand.NewPCG(8, 8)).Perm(n)
	y := mat.NewDense(n, 3, nil)
	for i, p := range perm {
		y.SetRow(i, x.RawRowView(p))
	}
	for _, r := range []Recipe{{Weights: Heat, Degree: 2}, {Weights: SelfTuned, Metric: Cosine}, {Symmetry: Mean},
		{Kind: Epsilon, Radius: 0.8, Weights: CosineWeights}} {
		a, b := matrix(build(t, r, rowsOf(x)).Operator()), matrix(build(t, r, rowsOf(y)).Operator())
		for i, p := range perm {
			for j, q := range perm {
				near(t, "permuted entry", b.At(i, j), a.At(p, q), 1e-13)
			}
		}
	}
}

func TestSharedListsGiveTheSameGraph(t *testing.T) {
	rows := rowsOf(integers(7, 70, 2))
	lists := neighbours(t, rows, 20, Euclidean)
	for _, r := range []Recipe{{Neighbours: 1}, {Neighbours: 7, Symmetry: Mutual, Weights: SelfTuned}, {Neighbours: 20, Weights: Heat}} {
		shared, err := r.Build(context.Background(), rows, lists)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(shared.W.ToDense(), build(t, r, rows).W.ToDense()) {
			t.Errorf("%+v: graph of shared lists differs", r)
		}
	}
	for want, r := range map[string]Recipe{"hold 20 neighbours": {Neighbours: 21}, "by euclidean distance": {Metric: Cosine}} {
		if _, err := r.Build(context.Background(), rows, lists); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestDuplicatesOnly(t *testing.T) {
	x := mat.NewDense(6, 2, nil)
	for _, w := range []Weights{Heat, SelfTuned} {
		g := build(t, Recipe{Neighbours: 2, Weights: w}, rowsOf(x))
		for _, v := range g.W.Value {
			near(t, w.String()+" weight of duplicates", v, 1, 0)
		}
	}
}

func TestRecipeCheckReportsEverything(t *testing.T) {
	r := Recipe{Kind: Epsilon, Metric: 9, Neighbours: -3, Width: -1, Degree: -2, MaxEdges: -1}
	err := r.Check()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, field := range []string{"metric", "neighbours", "radius", "width", "degree", "max_edges"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("%q does not name %s", err, field)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Error("more than one line")
	}
	if err := (Recipe{}).Check(); err != nil {
		t.Error(err)
	}
}

func TestRecipeJSON(t *testing.T) {
	r := Recipe{Kind: Epsilon, Radius: 2, Metric: Cosine, Symmetry: Mean, Weights: SelfTuned, Laplacian: Combinatorial, Degree: 3}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"kind":"epsilon","radius":2,"metric":"cosine","symmetry":"mean","weights":"self-tuned",` +
		`"laplacian":"combinatorial","degree":3}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	var back Recipe
	if err := json.Unmarshal(text, &back); err != nil || back != r {
		t.Errorf("%+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"weights":"hot"}`), &back); err == nil ||
		!strings.Contains(err.Error(), "binary, heat, cosine, self-tuned") {
		t.Errorf("unknown name: %v", err)
	}
}

// Three rows on a line with the edges 3 and 5 have the width 2 * 4^2, and duplicates the width 1.
func TestDefaultWidth(t *testing.T) {
	line := rowsOf(mat.NewDense(3, 1, []float64{0, 3, 8}))
	r := Recipe{Neighbours: 1, Weights: Heat}
	g := build(t, r, line)
	near(t, "mean edge", g.MeanEdge, 4, 0)
	near(t, "width", g.Recipe.Width, 32, 0)
	near(t, "weight of the edge 5", g.W.ToDense().At(1, 2), math.Exp(-25.0/32), 1e-15)
	near(t, "width of duplicates", build(t, r, rowsOf(mat.NewDense(3, 1, nil))).Recipe.Width, 1, 0)
	r.Width = 7
	near(t, "weight of a width that is given", build(t, r, line).W.ToDense().At(0, 1), math.Exp(-9.0/7), 1e-15)
}

// Scales by hand: the second neighbours of 0, 1, 3, 7 are 3, 2, 3 and 6 away; all duplicates have scale one.
func TestSelfTunedByHand(t *testing.T) {
	line := rowsOf(mat.NewDense(4, 1, []float64{0, 1, 3, 7}))
	for _, width := range []float64{0, 2} {
		g := build(t, Recipe{Neighbours: 2, Weights: SelfTuned, Width: width}, line)
		w := max(width, 1)
		near(t, "weight of 0 and 1", g.W.ToDense().At(0, 1), math.Exp(-1/(w*3*2)), 1e-15)
		near(t, "weight of 3 and 7", g.W.ToDense().At(2, 3), math.Exp(-16/(w*3*6)), 1e-15)
	}
}

// With more neighbours than seven a row's own scale is its distance to the seventh.
func TestScaleOfTheSeventhNeighbour(t *testing.T) {
	const k = 10
	x := normal(3, 40, 2)
	index, dist := naiveNeighbours(x, k, Euclidean)
	w := build(t, Recipe{Neighbours: k, Weights: SelfTuned}, rowsOf(x)).W.ToDense()
	for i, list := range index {
		for p, j := range list {
			near(t, "weight", w.At(i, j), math.Exp(-dist[i][p]/math.Sqrt(dist[i][6]*dist[j][6])), 1e-12)
		}
	}
}
