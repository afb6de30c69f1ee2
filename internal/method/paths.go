package method

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/manifold"
)

// pathSpace is the space of a machine whose kernel is made of lengths of paths between all rows, in the place of the
// task's kernel.
type pathSpace struct {
	scaled bool // classical scaling, else exp(-D/(2 sigma^2))
}

// These settings belong to machines on path lengths only.
var (
	softness = setting.Setting{
		Name:    "softness",
		Range:   setting.NotNegative(),
		Words:   []string{"bottleneck"},
		Default: "4",
		About: "rho times the mean length of an edge: 0 for shortest paths; the larger, the more a path is as long as its " +
			"longest edge, so " +
			"that rows of a dense region are near each other however far apart they lie; bottleneck: its longest edge alone",
	}
	pathWidth = setting.Setting{
		Name:    "sigma",
		Range:   setting.Positive(),
		Default: "tuned, from the median length of a path",
		About:   "width of the kernel exp(-D/(2 sigma^2)) of the squared lengths D of paths",
	}
	scaledWidth = setting.Setting{
		Name:    pathWidth.Name,
		Range:   setting.Positive(),
		Default: "none: D itself is scaled",
		About:   "scales the distances 2 - 2 exp(-D/(2 sigma^2)) of the squared lengths D of paths",
	}
	leftOut = setting.Setting{
		Name:    "delta",
		Range:   setting.Share(),
		Default: "0.1",
		About: "coordinates are kept until those left out have less than this share of the variance, and each less than this share " +
			"of the first's",
	}
	pathNeighbours = setting.Setting{
		Name:    task.Neighbours.Name,
		Range:   task.Neighbours.Range,
		Default: "10",
		About:   task.Neighbours.About,
	}
)

const (
	usualSoftness       = 4
	usualPathNeighbours = 10
)

// task is the task with the kernel of paths in the place of its own.
func (p *pathSpace) task(ctx context.Context, t *task.Task) (*task.Task, error) {
	n, v := t.Problem.Rows.Len(), t.Values
	recipe := graph.Recipe{Neighbours: min(usualPathNeighbours, n-1)}
	if v.Given(pathNeighbours) {
		recipe.Neighbours = int(v.Number(pathNeighbours))
	}
	rho := float64(usualSoftness)
	switch {
	case v.Is(softness, "bottleneck"):
		rho = math.Inf(1)
	case v.Given(softness):
		rho = v.Number(softness)
	}
	survey, err := manifold.NewSurvey(ctx, t.Problem.Rows, recipe, rho)
	if err != nil {
		return nil, err
	}
	k := manifold.Paths{Survey: survey, Scaled: p.scaled, Delta: v.Number(leftOut)}
	moved := *t
	switch {
	case v.Given(pathWidth):
		k.Sigma = v.Number(pathWidth)
		moved.Kernel, moved.Fixed = map[string][]float64{pathWidth.Name: {k.Sigma}}, []int{0}
	case p.scaled:
		k.Sigma = math.Inf(1)
	}
	moved.Base = k.Adapt(t.Problem.Rows)
	return &moved, nil
}

// warn says what the kernel of the chosen machine left out.
func (p *pathSpace) warn(t *task.Task, s *choose.Candidates) {
	if p.scaled || len(s.Members) == 0 {
		return
	}
	best := s.Members[0]
	for _, m := range s.Members {
		if m.Score < best.Score {
			best = m
		}
	}
	if k, ok := best.Kernel.(manifold.Paths); ok {
		if c := k.Clipped(); c.Count > 0 {
			t.Warn(
				"the kernel of paths had %d negative eigenvalues, the smallest %.2g beside the largest %.2g; they were set to zero",
				c.Count,
				c.Least,
				c.Largest,
			)
		}
	}
}

// params adds the parameters of the paths.
func (p *pathSpace) params(out map[string]any, k kernel.Kernel) {
	paths, ok := k.(manifold.Paths)
	if !ok {
		return // the supervised machine, where no row is unlabelled
	}
	out[pathNeighbours.Name], out[softness.Name] = paths.Survey.Recipe.Neighbours, paths.Survey.Softness
	if math.IsInf(paths.Survey.Softness, 1) {
		out[softness.Name] = "bottleneck"
	}
	if p.scaled {
		out["coordinates"] = paths.Clipped().Kept
	}
}

// widths is how many kernels the design has.
func (p *pathSpace) widths(r task.Request) float64 {
	if p.scaled || r.Scoring.None || r.Values.Given(pathWidth) {
		return 1
	}
	return 5
}

// work measures the paths: as many searches with a heap as rows, over all edges, and the factor of the kernel that
// carries functions to new rows.
func (p *pathSpace) work(z size) Work {
	edges := 1.5 * usualPathNeighbours * z.n
	return z.graphWork().Plus(Work{Passes: 5 * z.n * edges * math.Log2(2+z.n)}, cost.Gram(z.n, z.n, z.d), cost.Cholesky(z.n))
}

// numbers are the lengths, the kernel that carries functions and its factor.
func (p *pathSpace) numbers(n float64) float64 { return 3 * n * n }
