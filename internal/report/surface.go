package report

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mercer-ml/mercer/search/param"
)

// Surface is the score on a grid of two parameters, Z[i][j] at X[j], Y[i]; +Inf where it
// is infeasible.
type Surface struct {
	XName, YName string
	X, Y         []float64
	Z            [][]float64
}

// NewSurface scores a grid over the two free parameters of a space, from the least to the
// largest value of each that the search visited and half that far beyond (in the
// scale of the search), within the bounds. It is nil where other than two are free, or one
// of them has no scale. Cost: points^2 evaluations of the score; 15 points show contours
// that bend, narrow valleys take 25.
func NewSurface(
	ctx context.Context,
	space param.Space,
	visited [][]float64,
	points int,
	score func(context.Context, []float64) (float64, error),
) (*Surface, error) {
	free := space.Free()
	if len(free) != 2 || len(visited) == 0 {
		return nil, nil
	}
	var axes [2][]float64
	for a, i := range free {
		v := make([]float64, len(visited))
		for k, theta := range visited {
			v[k] = theta[i]
		}
		if axes[a] = axis(space[i], v, points); axes[a] == nil {
			return nil, nil
		}
	}
	s := &Surface{XName: space[free[0]].Name, YName: space[free[1]].Name, X: axes[0], Y: axes[1]}
	theta := slices.Clone(visited[0])
	for _, y := range s.Y {
		row := make([]float64, len(s.X))
		for j, x := range s.X {
			theta[free[0]], theta[free[1]] = x, y
			v, err := score(ctx, theta)
			if err != nil {
				return nil, err
			}
			row[j] = v
		}
		s.Z = append(s.Z, row)
	}
	return s, nil
}

// axis is the grid over one parameter, or nil.
func axis(d param.Dim, visited []float64, points int) []float64 {
	to, from := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	switch d.Kind {
	case param.Real:
	case param.Log:
		to, from = math.Log2, math.Exp2
	default:
		return nil
	}
	lo, hi, ok := span(visited)
	if !ok || lo == hi {
		return nil
	}
	lo, hi = to(lo), to(hi)
	beyond := (hi - lo) / 4
	lo, hi = max(lo-beyond, to(d.Lo)), min(hi+beyond, to(d.Hi))
	v := make([]float64, points)
	for k := range v {
		v[k] = from(lo + (hi-lo)*float64(k)/float64(points-1))
	}
	return v
}

// of says whether the surface is over the two parameters.
func (s *Surface) of(x, y string) bool { return s.XName == x && s.YName == y }

// contours returns lines at quantiles of the scores (every tenth, so that they
// spread evenly over the figure), from the least, and their levels.
func (s *Surface) contours() (levels []float64, lines plot.Plotter) {
	var values []float64
	for _, row := range s.Z {
		for _, z := range row {
			if finite(z) {
				values = append(values, z)
			}
		}
	}
	if len(values) == 0 {
		return nil, nil
	}
	slices.Sort(values)
	top := values[len(values)-1]
	for q := 1; q < 20; q += 2 {
		v := values[q*(len(values)-1)/20]
		if n := len(levels); v < top && v > values[0] && (n == 0 || v > levels[n-1]) {
			levels = append(levels, v)
		}
	}
	if len(levels) == 0 {
		return nil, nil
	}
	c := contours{lattice: grid{s, top}, levels: levels}
	for k := range levels {
		c.styles = append(c.styles, draw.LineStyle{Color: shade(float64(k) / float64(max(len(levels)-1, 1))), Width: 1.1})
	}
	return levels, c
}

// grid is a surface with infeasible points at its top.
type grid struct {
	*Surface
	top float64
}

func (g grid) Dims() (c, r int)   { return len(g.Surface.X), len(g.Surface.Y) }
func (g grid) X(c int) float64    { return g.Surface.X[c] }
func (g grid) Y(r int) float64    { return g.Surface.Y[r] }
func (g grid) Z(c, r int) float64 { return min(g.Surface.Z[r][c], g.top) }
