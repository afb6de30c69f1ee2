package s3vm

// Continuation: the objective is smoothed until it is convex, then less and less.
//
//	J_tau(w) = E J(w + tau e),   e standard normal in the free directions,
//
// for tau falling from tau_0 in ten geometric steps, and then 0, each from the minimum before; J,
// its mean in closed form and the constraint mean_U f = m are those of outputmean.go. Here C_u has its
// full weight from the start.
//
// First     tau_0 makes J_tau convex. Its curvature is at least that of 1/2 w'w less that of the bells:
//           B'' >= -6 (1 + 6 v)^-3/2 > -6^-1/2 v^-3/2 with v_j = tau^2 |a_j|^2, so 1 is enough of
//           C_u 6^-1/2 tau^-3 lambda_max(sum_U a_j a_j'/|a_j|^3) = 1.
// Last      6 tau^2 mean_U |a_j|^2 = 0.01: a bell is then 0.5 % wider than its own.
// Known     of the minimum: the gradient. The one of the first problem is global; which minimum it
//           leads to is not.
// Cost      as Gradient, whose problems have one width and several weights; an eigenvalue of the
//           unlabelled rows more.
// Source    Chapelle, Chi and Zien, ICML 2006, sections 3 and 4: tau_0 is theirs (gamma_0 = 2 tau_0^2), the
//           last tau is ours (compared in Sindhwani 2007 as cS3VM).

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/solve"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Continuation is the algorithm.
type Continuation struct {
	Decisions bool    // as of Gradient
	Tolerance float64 // as of Gradient

	table *coordinateTable
}

var _ Preparer = Continuation{}

// Prepare computes the coordinates of the rows.
func (c Continuation) Prepare(ctx context.Context, gram kernel.Gram, k *mat.Dense) (Solver, error) {
	var err error
	c.table, err = newCoordinateTable(ctx, gram, k)
	return c, err
}

// Solve implements Solver.
func (c Continuation) Solve(ctx context.Context, p *Problem, warm *Solution) (Solution, error) {
	d, err := newDescent(ctx, c.table, p)
	if err != nil {
		return Solution{}, err
	}
	stages, err := d.widths(ctx)
	if err != nil {
		return Solution{}, err
	}
	return d.solve(ctx, p, schedule{stages, c.Tolerance, c.Decisions}, warm)
}

const (
	// widthSteps is the number of widths above 0.
	widthSteps = 10
	// lastVariance is 6 v of the last of them.
	lastVariance = 0.01
)

// widths are the stages.
func (d *descent) widths(ctx context.Context) ([]stage, error) {
	var mean, cost float64
	for i, l := range d.lengths() {
		if d.y[i] == 0 {
			mean += l / float64(d.count)
			cost = d.cost[i]
		}
	}
	if mean == 0 { // the unlabelled rows are all the same
		return []stage{finalStage}, nil
	}
	curvature, err := d.sharpest(ctx)
	if err != nil {
		return nil, err
	}
	low := math.Sqrt(lastVariance / (2 * sharpness * mean))
	high := max(low, math.Cbrt(cost*curvature/math.Sqrt(2*sharpness)))
	stages := make([]stage, 0, widthSteps+1)
	for i := range widthSteps {
		stages = append(stages, stage{weight: 1, width: high * math.Pow(low/high, float64(i)/(widthSteps-1))})
	}
	return append(stages, finalStage), nil
}

// sharpest is lambda_max(sum_U a a'/|a|^3), rows at their mean left out.
func (d *descent) sharpest(ctx context.Context) (float64, error) {
	n, dim := d.c.Z.Dims()
	along := mat.NewVecDense(n, nil)
	product := func(dst, x *mat.Dense) {
		_, k := x.Dims()
		v := make([]float64, dim)
		for j := range k {
			mat.Col(v, j, x)
			d.free(v)
			along.MulVec(d.c.Z, mat.NewVecDense(dim, v))
			var shift, sum float64
			if d.offset {
				shift = floats.Dot(d.mean, v)
			}
			for i, l := range d.length {
				var f float64
				if d.y[i] == 0 && l > 0 {
					f = (along.AtVec(i) - shift) / (l * math.Sqrt(l))
				}
				along.SetVec(i, f)
				sum += f
			}
			mat.NewVecDense(dim, v).MulVec(d.c.Z.T(), along)
			if d.offset {
				floats.AddScaled(v, -sum, d.mean)
			}
			d.free(v)
			dst.SetCol(j, v)
		}
	}
	e, err := solve.Eigen(ctx, product, dim, 1, solve.EigenOptions{Largest: true, Tolerance: 1e-3})
	if err != nil {
		return 0, err
	}
	return e.Values[0], nil
}
