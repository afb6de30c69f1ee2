package manifold

// Kernels of path lengths: rows are near if a way through dense regions joins them.
//
//	density   k(i, j) = exp(-D_ij / (2 sigma^2))
//	scaling   k(i, j) = z_i'z_j,  z the classical scaling of D or, with a sigma, of the distances 2 - 2 exp(-D/(2 sigma^2))
//
// Symbols   D_ij is the squared length of the path from row i to row j, softened by rho, on the graph
//           of nearest neighbours of all n rows, labelled or not (graph.NewPaths).
// Negative  D is no squared Euclidean distance, so exp(-D/..) can have negative eigenvalues. They
//           are set to zero (Clipped says which): K~ = U max(Lambda, 0) U'.
// Scaling   B = -1/2 H D H = U Lambda U', H = I - 11'/n; with a sigma B = H exp(-D/(2 sigma^2)) H.
//           z are the first p columns of U Lambda^1/2, p the least with
//           sum_(i > p) lambda_i < delta sum lambda_i  and  lambda_(p+1) < delta lambda_1
//           over the positive eigenvalues: what comes after is little, each of it and all together. The mean
//           of |z_i|^2 is then made one, so that C counts in units of one over the variance, as the source's.
// New rows  D is known of the n rows. A function with the values v at them is carried to others as
//           the function of least norm of the Laplacian kernel e through these values,
//           f(x) = e_x' (E + r I)^-1 v, E its n x n matrix and r a ridge of rounding
//           (kernel.NewProjection). That kernel is rough enough to pass through any values without
//           waves between them, and gives the rows their own values back. A model then is an
//           expansion of the Laplacian kernel over the n rows and knows no graph.
// Cost      the paths n m log n, once for rows and rho; n^3/3 for the projection, once; for every
//           sigma n^3/3, and 9 n^3 where eigenvalues are negative or scaled. Five n x n tables.
// Source    Chapelle and Zien, AISTATS 2005: density is their algorithm 1, scaling steps 1 to 4 of
//           their algorithm 3 (compared in Sindhwani 2007 as Graph-density and LDS). Clipping and
//           new rows are ours; they train on the rows that are there.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Survey are rows and what is known of the paths between them. It is safe for concurrent use.
type Survey struct {
	Recipe graph.Recipe // of the graph
	// Softness is rho times the mean length of an edge: 0 for shortest paths, +Inf for bottlenecks.
	Softness float64
	Bridges  int     // edges that joined components of the graph
	Median   float64 // length of a path between two rows, 1 where it would be 0

	rows   data.Rows
	length *mat.Dense
	carry  *carrier

	mu      sync.Mutex
	clipped map[float64]Clipping // by sigma
}

// Clipping is what was set to zero of a kernel's eigenvalues.
type Clipping struct {
	Count   int     // of negative eigenvalues
	Least   float64 // the smallest
	Largest float64 // the largest eigenvalue
	Kept    int     // coordinates of a scaling
}

// NewSurvey measures the paths between rows on the graph of a recipe.
func NewSurvey(ctx context.Context, rows data.Rows, recipe graph.Recipe, softness float64) (*Survey, error) {
	if !(softness >= 0) {
		return nil, fmt.Errorf("manifold: paths of softness %g; it must be from 0 to +Inf", softness)
	}
	g, err := recipe.Build(ctx, rows, nil)
	if err != nil {
		return nil, err
	}
	rho := softness
	if g.MeanEdge > 0 {
		rho /= g.MeanEdge
	}
	p, err := graph.NewPaths(ctx, g, rows, rho)
	if err != nil {
		return nil, err
	}
	s := &Survey{Recipe: recipe, Softness: softness, Bridges: p.Bridges, rows: rows, length: p.Length, clipped: map[float64]Clipping{}}
	s.Median = median(p.Length)
	s.carry, err = newCarrier(ctx, rows)
	return s, err
}

// median is that of the entries below the diagonal.
func median(a *mat.Dense) float64 {
	n, _ := a.Dims()
	all := make([]float64, 0, n*(n-1)/2)
	for i := range n {
		all = append(all, a.RawRowView(i)[:i]...)
	}
	slices.Sort(all)
	if len(all) == 0 || all[len(all)/2] == 0 {
		return 1
	}
	return all[len(all)/2]
}

// of is the survey itself for its own rows, else one of these rows.
func (s *Survey) of(ctx context.Context, rows data.Rows) (*Survey, error) {
	if rows.Dense == s.rows.Dense && rows.Sparse == s.rows.Sparse && slices.Equal(rows.ID, s.rows.ID) {
		return s, nil
	}
	return NewSurvey(ctx, rows, s.Recipe, s.Softness)
}

// Paths is one of the kernels above on surveyed rows. Bound to other rows, it is that of the paths between
// these. With a finite Sigma it has the parameter "sigma".
type Paths struct {
	Survey *Survey
	Sigma  float64 // 0: the median path; of a scaling +Inf: D itself
	Scaled bool
	Delta  float64 // of a scaling; 0: 0.1
}

var _ kernel.Kernel = Paths{}

// usualDelta is that of Chapelle and Zien's experiments.
const usualDelta = 0.1

// Space is the width, within a factor 64 of its present value.
func (k Paths) Space() param.Space {
	if math.IsInf(k.Sigma, 1) {
		return nil
	}
	return param.Space{{Name: "sigma", Kind: param.Log, Lo: k.Sigma / 64, Hi: k.Sigma * 64, Default: k.Sigma}}
}

// With replaces the width.
func (k Paths) With(theta []float64) (kernel.Kernel, error) {
	if len(theta) != len(k.Space()) {
		panic(fmt.Sprintf("manifold: %d parameters for a kernel of paths with %d", len(theta), len(k.Space())))
	}
	if len(theta) == 1 {
		if !(theta[0] > 0) || math.IsInf(theta[0], 1) {
			return nil, fmt.Errorf("manifold: sigma of a kernel of paths = %g; it must be positive and finite", theta[0])
		}
		k.Sigma = theta[0]
	}
	return k, nil
}

// Adapt replaces a zero width by the median path of the survey.
func (k Paths) Adapt(data.Rows) kernel.Kernel {
	if k.Sigma == 0 {
		k.Sigma = k.Survey.Median
	}
	return k
}

// Clipped is what the kernel left out when it was bound to the rows of its survey.
func (k Paths) Clipped() Clipping {
	k.Survey.mu.Lock()
	defer k.Survey.mu.Unlock()
	return k.Survey.clipped[k.Sigma]
}

// Bind computes the table of the rows.
func (k Paths) Bind(ctx context.Context, train data.Rows, _ *kernel.Work) (kernel.Gram, error) {
	switch {
	case !(k.Sigma > 0):
		return nil, fmt.Errorf("manifold: sigma of a kernel of paths = %g; give it or take it from the rows with Adapt", k.Sigma)
	case math.IsInf(k.Sigma, 1) && !k.Scaled:
		return nil, errors.New("manifold: a kernel of paths without a width; only their scaling has none")
	}
	s, err := k.Survey.of(ctx, train)
	if err != nil {
		return nil, err
	}
	g := &paths{Gram: s.carry.base, k: k, survey: s}
	var c Clipping
	if k.Scaled {
		c, err = g.scale(ctx)
	} else {
		c, err = g.clip(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.clipped[k.Sigma] = c
	s.mu.Unlock()
	return g, nil
}

// values are D, or exp(-D/(2 sigma^2)), or -D/2 without a width.
func (k Paths) values(length *mat.Dense) *mat.Dense {
	n, _ := length.Dims()
	v := mat.NewDense(n, n, nil)
	for i := range n {
		to := v.RawRowView(i)
		for j, d := range length.RawRowView(i) {
			if math.IsInf(k.Sigma, 1) {
				to[j] = -d * d / 2
			} else {
				to[j] = math.Exp(-d * d / (2 * k.Sigma * k.Sigma))
			}
		}
	}
	return v
}
