package reproduce

// Protocol of Becker 2013, chapter 4: two classes made of the groups of COIL20 or USPST, random splits into labelled,
// unlabelled and test rows, and the box of table 4.1 in the ridges of the system matrix,
//
//	a = l gamma_A,   g = l gamma_I/(l+u)^2,   C = J K + a I + g L^p K
//
//	hyper-parameter   lower  middle  upper
//	log2 a (lambda)   -20    -10     0
//	log2 sigma        -2     2       5
//	nu                2      10      50
//	p                 1      2       5
//	log2 g            -20    0       10

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// grouped is a set of the chapter with what the source leaves out: the grouping
// of its classes, the scaling, and the values of the column "Literature".
type grouped struct {
	dataset
	scale string
	first []int // classes of the first group
	test  int   // test rows of the semi-supervised experiments

	sigma              float64
	neighbours, degree int
}

// The "literature" values are those of Melacci & Belkin 2011, which the source cites and does not print; gamma_A and
// gamma_I below are Sindhwani's (2007, table 2.6), without the factor 1/(l+u)^2.
const literatureGammaA, literatureGammaI = 1e-6, 1e-2

var (
	coil20 = grouped{dataset{"COIL20", "coil20.csv.gz", 1440, 0}, data.ScaleUnit, indices.To(11)[1:], 400, 0.6, 2, 1}
	uspst  = grouped{dataset{"USPST", "uspst.csv.gz", 2007, 0}, data.ScaleNone, indices.To(5), 907, 9.4, 10, 2}
	digits = grouped{dataset: dataset{"digits", "", 1797, 0}, scale: "1/16", first: indices.To(5), test: 1197}
)

// load reads the set and forms the two classes.
func (l *lab) load(ctx context.Context, d grouped) *classified {
	g := l.classified(ctx, d.dataset)
	for i, k := range g.class {
		g.class[i] = 0
		if !slices.Contains(d.first, k) {
			g.class[i] = 1
		}
	}
	if d.scale == "1/16" {
		var scaled mat.Dense
		scaled.Scale(1./16, g.x.Dense)
		g.x = data.Rows{Dense: &scaled}
		return g
	}
	s, _ := must2(data.FitScaling(d.scale, g.x))
	g.x = s.Apply(g.x)
	return g
}

// trial is one split: the rows that train, the labelled ones first, and the rest that tests.
type trial struct {
	problem *learn.Problem
	work    *kernel.Work
	test    data.Rows
	class   []int // of the test rows
}

// split draws the permutation of a run: its first rows are labelled, the next
// unlabelled, its last are the test rows, which so do not depend on the others.
func (c *classified) split(seed uint64, run, labelled, unlabelled, test int) *trial {
	n := c.x.Len()
	perm := rand.New(rand.NewPCG(seed, uint64(run))).Perm(n)
	train, rest := perm[:labelled+unlabelled], perm[n-test:]
	labels := known(twoClasses(), indices.Of(c.class, train), indices.To(labelled))
	// Row numbers are of the training rows, as the tables of the work are.
	return &trial{learn.NewProblem(data.Rows{Dense: c.x.Select(train).Dense}, labels), new(kernel.Work), c.x.Select(rest),
		indices.Of(c.class, rest)}
}

// machine is a score over the box of table 4.1.
type machine interface {
	param.Objective
	// Machine returns the closed form and its parameters at theta.
	Machine(theta []float64) (*score.LeaveOut, []float64, error)
}

// lapRLS has theta = (sigma, neighbours, degree, gamma_i, gamma_a).
type lapRLS struct {
	*score.Laplacian
	space param.Space
}

func (m lapRLS) Space() param.Space { return m.space }

// supervised is RLS on the labelled rows, theta = (sigma, lambda).
type supervised struct {
	*score.LeaveOut
	space param.Space
}

func (m supervised) Space() param.Space { return m.space }

func (m supervised) Machine(theta []float64) (*score.LeaveOut, []float64, error) {
	return m.LeaveOut, theta, nil
}

// machine is Laplacian RLS, or RLS where no row is unlabelled.
func (t *trial) machine() machine {
	l, n := float64(len(t.problem.Labelled)), float64(t.problem.Rows.Len())
	if l == n {
		return supervised{
			LeaveOut: &score.LeaveOut{Kernel: kernel.Gaussian{Sigma: 1}, Problem: t.problem, Work: t.work, Criterion: score.Press{}},
			space:    param.Space{logDim("sigma", -2, 5, 1), logDim("lambda", -20, 0, 1)},
		}
	}
	return lapRLS{
		Laplacian: &score.Laplacian{Base: kernel.Gaussian{Sigma: 1}, Problem: t.problem, Work: t.work, Criterion: score.Press{}},
		space: param.Space{
			logDim("sigma", -2, 5, 1),
			{Name: "neighbours", Kind: param.Integer, Lo: 2, Hi: 50, Default: 10},
			{Name: "degree", Kind: param.Integer, Lo: 1, Hi: 5, Default: 2},
			logDim("gamma_i", -20, 10, n*n/l), // of g
			logDim("gamma_a", -20, 0, 1/l),    // of a
		},
	}
}

// combined is C-LapRLS with the Laplacian of a graph and those of table 4.1, all nine if it is not one of them.
func (m lapRLS) combined(neighbours, degree int) lapRLS {
	lap := *m.Laplacian
	first := manifold.Graph{Recipe: graph.Recipe{Neighbours: neighbours, Degree: degree}, Longest: 50}
	norm := manifold.Combined{Terms: []manifold.Graph{first}}
	for _, g := range manifold.Cartesian(graph.Recipe{}, []int{2, 10, 50}, []int{1, 2, 5}) {
		if g != first {
			norm.Terms = append(norm.Terms, g)
		}
	}
	lap.Norm = norm
	s := m.space
	return lapRLS{&lap, slices.Concat(s[:1], norm.Space(), s[3:])}
}

// logDim is unit times 2^lo to 2^hi.
func logDim(name string, lo, hi, unit float64) param.Dim {
	return param.Dim{Name: name, Kind: param.Log, Lo: unit * math.Exp2(lo), Hi: unit * math.Exp2(hi), Default: unit * math.Exp2((lo+hi)/2)}
}

// middle lists the values of table 4.1, for the grid.
func middle(m machine) map[string][]float64 {
	values := map[string][]float64{}
	for _, d := range m.Space() {
		v, ok := map[string]float64{"sigma": 4, "neighbours": 10, "degree": 2}[d.Name]
		if !ok { // gamma_i, gamma_a, lambda: ten octaves below the upper end
			v = d.Hi * 0x1p-10
		}
		values[d.Name] = []float64{d.Lo, v, d.Hi}
	}
	return values
}

// literature is the fixed theta of the set.
func (t *trial) literature(d grouped) []float64 {
	l, n := float64(len(t.problem.Labelled)), float64(t.problem.Rows.Len())
	if l == n {
		return []float64{d.sigma, l * literatureGammaA}
	}
	return []float64{d.sigma, float64(d.neighbours), float64(d.degree), literatureGammaI * n * n, literatureGammaA}
}

// fit trains at theta and returns the outputs of the test rows.
func (t *trial) fit(ctx context.Context, m machine, theta []float64) *mat.Dense {
	s, inner := must2(m.Machine(theta))
	k := len(inner) - 1
	gram, path := must2(s.Bind(ctx, inner[:k]))
	f := must(path.At(inner[k]))
	cross := mat.NewDense(t.test.Len(), len(t.problem.Labelled), nil)
	check(gram.Cross(cross, t.test, t.problem.Labelled))
	return outputs(cross, f)
}

func outputs(cross *mat.Dense, f *rls.Fit) *mat.Dense {
	return blas.Product(blas.N(cross), blas.N(f.Alpha))
}

// errorAt is the test error of theta in percent.
func (t *trial) errorAt(ctx context.Context, m machine, theta []float64) float64 {
	return percentWrong(t.fit(ctx, m, theta), t.class)
}

// percentWrong compares the classes of outputs with the true ones.
func percentWrong(out *mat.Dense, class []int) float64 {
	return wrongOf(learn.Coding{Classes: 2}.Decide(out), class)
}

// searching runs a search with the budget of the source, 243 evaluations.
func searching(ctx context.Context, o param.Objective, s search.Search) search.Result {
	return searchWithin(ctx, search.DefaultBudget, o, s)
}

func searchWithin(ctx context.Context, budget int, o param.Objective, s search.Search) search.Result {
	// Two evaluations at a time keep the cores busy in what BLAS does not do.
	res := must(search.Driver{Budget: atMost(ctx, "evaluations", 3, budget), Parallel: 2}.Run(ctx, o, s))
	check(ctx.Err()) // an interrupted search is no result here
	return res
}

// warpOf is the warped kernel at theta and its parameters with lambda.
func warpOf(m machine, theta []float64) (manifold.Warp, []float64, error) {
	s, inner, err := m.Machine(theta)
	if err != nil {
		return manifold.Warp{}, nil, err
	}
	return s.Kernel.(manifold.Warp), inner, nil
}
