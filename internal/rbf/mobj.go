package rbf

// Problem   Over all Gaussian networks whose units share one width of a grid, minimise
//           (SSE, Q), Q = |alpha|_1/sigma^q (Kokshenev 2010, sections 4.2 and 4.3).
// Method    One LASSO path a width, on centred columns that are not rescaled, followed
//           to Q_max; each is a curve of parabolas in Q. Their lower envelope is the
//           front: sampled at i Q_max/R_Q, i = 0..R_Q, as the source does (eqs 4.18 to
//           4.22 corrected: the residual for Y, divided by sigma^q), or exact, whose
//           elements are the ends of all pieces of the envelope. A path ends where its
//           tangent lies above the envelope of the widths before it: exact, and short for
//           widths that are too narrow or too wide.
// Cost      a width: the columns, N M d multiplications once and N M exponentials; the
//           path, N M a unit and 2 M units a step (internal/solve/lars_gram.go). Widths run side by
//           side; of the widths done only those on the envelope are kept. Memory:
//           distances (N+M)^2, and two N x M tables a goroutine.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/pareto"
	"github.com/mercer-ml/mercer/internal/solve"
)

// MOBJ is the recipe of multi-objective learning of networks with one width each.
type MOBJ struct {
	Widths  Widths  `json:"widths"`
	Centres Centres `json:"centres"`
	Order   float64 `json:"order,omitempty"` // q of the complexity; default 2
	// MaxQ is the complexity up to which the front is followed. Default
	// |y-mean|_1/sigma^q at the middle of the grid, the greatest over the outputs.
	MaxQ     float64 `json:"max_q,omitempty"`
	Steps    int     `json:"steps,omitempty"` // R_Q, default 250
	Exact    bool    `json:"exact,omitempty"` // the exact envelope instead of Steps+1 samples
	NoOffset bool    `json:"no_offset,omitempty"`
}

// wave is the number of widths between two looks at the envelope. It is fixed, so that
// the result does not depend on the number of goroutines.
const wave = 8

// start is what all networks of the package begin with.
func start(
	ctx context.Context,
	rows data.Rows,
	y *mat.Dense,
	widths Widths,
	centres Centres,
	plain bool,
) (*points, data.Rows, []float64, error) {
	n, outputs := y.Dims()
	if n != rows.Len() {
		panic(fmt.Sprintf("rbf: %d rows, %d targets", rows.Len(), n))
	}
	if err := rows.Check(); err != nil {
		return nil, data.Rows{}, nil, fmt.Errorf("rbf: %w", err)
	}
	for i := range n {
		for c := range outputs {
			if v := y.At(i, c); v-v != 0 {
				return nil, data.Rows{}, nil, fmt.Errorf("rbf: target of row %d, output %d is %g; it must be finite", i, c, v)
			}
		}
	}
	sigma, err := widths.Grid(ctx, rows)
	if err != nil {
		return nil, data.Rows{}, nil, err
	}
	c, err := centres.find(ctx, rows, sigma[len(sigma)-1])
	if err != nil {
		return nil, data.Rows{}, nil, err
	}
	p, err := newPoints(rows, c, plain)
	return p, c, sigma, err
}

// columnsOf returns the centred columns of y and their means.
func (p *points) columnsOf(y *mat.Dense) (bar [][]float64, mean []float64) {
	_, c := y.Dims()
	bar, mean = make([][]float64, c), make([]float64, c)
	for k := range c {
		bar[k], mean[k] = p.centred(mat.Col(nil, k, y))
	}
	return bar, mean
}

// defaultMaxQ is |y|_1/sigma^q, the greatest over the outputs.
func defaultMaxQ(bar [][]float64, sigma, order float64) float64 {
	var most float64
	for _, y := range bar {
		var s float64
		for _, v := range y {
			s += math.Abs(v)
		}
		most = max(most, s)
	}
	return most / math.Pow(sigma, order)
}

// Fit returns the front of each output (column of y, N x outputs). Outputs share
// centres, widths and columns; each has its own front. Where the context ends, the fronts
// are what was nondominated until then, Partial; it is an error only if there was nothing.
func (m MOBJ) Fit(ctx context.Context, rows data.Rows, y *mat.Dense) ([]*Front, error) {
	p, c, sigma, err := start(ctx, rows, y, m.Widths, m.Centres, m.NoOffset)
	if err != nil {
		return nil, err
	}
	bar, mean := p.columnsOf(y)
	order := cmp.Or(m.Order, 2)
	maxQ := cmp.Or(m.MaxQ, defaultMaxQ(bar, math.Sqrt(sigma[0]*sigma[len(sigma)-1]), order))
	paths := make([][]widthPath, len(bar)) // by output and width
	parts := make([][]Part, len(bar))
	for k := range paths {
		paths[k], parts[k] = make([]widthPath, len(sigma)), make([]Part, len(sigma))
	}
	for _, some := range waves(len(sigma)) {
		if ctx.Err() != nil {
			break
		}
		useless := make([]func(q, sse, lambda float64) bool, len(bar))
		for k := range bar {
			useless[k] = above(curves(paths[k]), maxQ)
		}
		done, err := targets{bar, mean, order, maxQ, useless}.paths(ctx, p, sigma, some)
		if err != nil {
			return nil, err
		}
		for k := range bar {
			for i, w := range some {
				if done[i] != nil {
					paths[k][w] = done[i][k]
					parts[k][w] = partOf(sigma[w], done[i][k].path)
				}
			}
			prune(paths[k])
		}
	}
	fronts := make([]*Front, len(bar))
	found := false
	for k := range bar {
		f := &Front{Centres: c, Widths: sigma, Order: order, NoOffset: m.NoOffset, Rows: p.n, MaxQ: maxQ, Partial: ctx.Err() != nil}
		for _, part := range parts[k] {
			if len(part.Q) > 1 {
				f.Parts = append(f.Parts, part)
			}
		}
		if f.assemble(paths[k], m.Exact, cmp.Or(m.Steps, 250)); len(f.Elements) == 0 {
			f.Elements = []Element{constant(bar[k], mean[k])}
		}
		if f.Violation, err = f.certify(context.WithoutCancel(ctx), p, bar[k]); err != nil {
			return nil, err
		}
		found = found || len(f.Elements) > 1
		fronts[k] = f
	}
	if err := ctx.Err(); err != nil && !found {
		return nil, err
	}
	return fronts, nil
}

// waves lists the widths between two looks at the envelope: first some over the whole
// range, so that the others have something to be measured by.
func waves(widths int) [][]int {
	first := make([]bool, widths)
	for k := range min(wave, widths) {
		first[k*(widths-1)/max(min(wave, widths)-1, 1)] = true
	}
	var order []int
	for _, now := range [2]bool{true, false} {
		for w, in := range first {
			if in == now {
				order = append(order, w)
			}
		}
	}
	return slices.Collect(slices.Chunk(order, wave))
}

// above returns the rule by which a path ends early: from a knot (q, SSE) on it stays above
// the tangent there, SSE - lambda (q' - q); once that is above the envelope of other widths
// up to maxQ, nothing more of the path is nondominated. The pieces of the envelope are
// convex, so their ends are enough. nil where there is no envelope.
func above(others []pareto.Curve, maxQ float64) func(q, sse, lambda float64) bool {
	var at, risk []float64
	for _, piece := range pareto.Envelope(others) {
		s := others[piece.Curve][piece.Segment]
		for _, q := range [2]float64{piece.From, piece.To} {
			r := s.R1
			if !piece.Past {
				_, r = s.At((q - s.Q0) / (s.Q1 - s.Q0))
			}
			at, risk = append(at, q), append(risk, r)
		}
	}
	if len(at) == 0 {
		return nil
	}
	slack := 1e-9 * risk[0] // what rounding may make of a path that is on the envelope
	return func(q, sse, lambda float64) bool {
		from, _ := slices.BinarySearch(at, q)
		// The piece that q is on begins before it, where its risk is higher.
		for i := max(from-1, 0); i < len(at); i++ {
			if risk[i] > sse-lambda*(max(at[i], q)-q)-slack {
				return false
			}
		}
		return risk[len(risk)-1] <= sse-lambda*(maxQ-q)-slack
	}
}

// constant is the network without units.
func constant(bar []float64, mean float64) Element {
	e := Element{Offset: mean}
	for _, v := range bar {
		e.SSE += v * v
	}
	return e
}

// widthPath is the path of one width and output; nil where it has none, or is dominated.
type widthPath struct {
	width   int
	curve   pareto.Curve
	path    *solve.LassoPath
	element func(solve.LassoNode) Element
}

// targets are the outputs that paths are followed for: centred, with their means, up to a norm of maxQ, or to where one is useless.
type targets struct {
	bar         [][]float64
	mean        []float64
	order, maxQ float64
	useless     []func(q, sse, lambda float64) bool
}

// paths follows some widths for all outputs, side by side. Where the context ends, those
// begun are as long as they got and the others nil.
func (t targets) paths(ctx context.Context, p *points, sigma []float64, widths []int) ([][]widthPath, error) {
	out := make([][]widthPath, len(widths))
	workers := min(runtime.GOMAXPROCS(0), len(widths))
	each := max(1, runtime.GOMAXPROCS(0)/workers)
	err := parallel.Each(workers, len(widths), func(k int) (err error) {
		out[k], err = t.path(ctx, p, sigma, widths[k], each)
		return err
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return out, nil
}

// path follows the width of number w for all outputs, by so many workers.
func (t targets) path(ctx context.Context, p *points, sigma []float64, w, workers int) ([]widthPath, error) {
	d, err := p.newDictionary(ctx, sigma[w:w+1], t.order, nil, true)
	if err != nil {
		return nil, err
	}
	means := d.mean
	light := &dictionary{p: p, sigma: d.sigma, order: t.order, mean: means} // without the columns
	out := make([]widthPath, len(t.bar))
	for k, y := range t.bar {
		path, err := solve.Lasso(ctx, d, y, solve.LassoOptions{MaxL1: t.maxQ, Workers: workers, Working: p.m, Stop: t.useless[k]})
		if err != nil && (ctx.Err() == nil || len(path.Nodes) == 0) {
			return nil, err
		}
		out[k] = widthPath{width: w, path: path, element: func(n solve.LassoNode) Element {
			e := light.element(n.Index, n.Coef, t.mean[k], w)
			e.SSE, e.Q, e.Lambda = n.SSE, n.L1, n.Lambda
			return e
		}}
		out[k].curve = curveOf(path)
	}
	return out, nil
}

// partPoints are the points of a width's own front that are kept.
const partPoints = 100

// partOf is the front of one width, thinned.
func partOf(sigma float64, p *solve.LassoPath) Part {
	out := Part{Sigma: sigma}
	last := len(p.Nodes) - 1
	for k := range min(partPoints, last+1) {
		n := &p.Nodes[k*last/max(min(partPoints-1, last), 1)]
		out.Q, out.SSE = append(out.Q, n.L1), append(out.SSE, n.SSE)
	}
	return out
}

// curveOf is a path as a curve of SSE over |beta|_1 = Q.
func curveOf(p *solve.LassoPath) pareto.Curve {
	c := make(pareto.Curve, len(p.Nodes)-1)
	for i := range c {
		a, b := &p.Nodes[i], &p.Nodes[i+1]
		c[i] = pareto.Segment{Q0: a.L1, Q1: b.L1, R0: a.SSE, R1: b.SSE, Bend: p.Bend(i)}
	}
	return c
}

func curves(paths []widthPath) []pareto.Curve {
	out := make([]pareto.Curve, len(paths))
	for i := range paths {
		out[i] = paths[i].curve
	}
	return out
}

// prune forgets the paths that have no piece of the envelope; what is dominated now
// stays so.
func prune(paths []widthPath) {
	used := make([]bool, len(paths))
	for _, piece := range pareto.Envelope(curves(paths)) {
		used[piece.Curve] = true
	}
	for i := range paths {
		if !used[i] {
			paths[i].curve, paths[i].path = nil, nil
		}
	}
}

// assemble makes the elements out of the envelope of the paths.
func (f *Front) assemble(paths []widthPath, exact bool, steps int) {
	add := func(curve, segment int, beta float64) {
		w := paths[curve]
		f.Elements = append(f.Elements, w.element(w.path.Between(segment, beta)))
	}
	all := curves(paths)
	switch {
	case exact:
		for _, piece := range pareto.Envelope(all) {
			if piece.Past {
				continue
			}
			s := all[piece.Curve][piece.Segment]
			for _, q := range [2]float64{piece.From, piece.To} {
				add(piece.Curve, piece.Segment, min(1, max(0, (q-s.Q0)/(s.Q1-s.Q0))))
			}
		}
	default:
		q := make([]float64, steps+1)
		for i := range q {
			q[i] = float64(i) * f.MaxQ / float64(steps)
		}
		for _, s := range pareto.Sample(all, q) {
			if s.Curve >= 0 {
				add(s.Curve, s.Segment, s.Beta)
			}
		}
	}
	f.filter()
}
