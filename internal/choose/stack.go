package choose

// Problem  weights v >= 0 of sum one of the members' left-out outputs, so that their mean is nearest to the answers.
// Method   numbers: least squares with a ridge on the weights, by L-BFGS-B over v = x / sum x; classes: the greatest likelihood of
//          probabilities made of the mean, their calibration found together with the weights (calibrate.FitShares). Members whose
//          weight is below a hundredth leave, and the others are weighed again.
// Cost     rows x outputs x members times some tens of steps.
// Source   Wolpert, Neural Networks 5, 1992; Breiman, Machine Learning 24, 1996 (weights that are not negative).

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/solve"
)

// Stack joins all members into a weighted mean. Members must be of one coding, with left-out outputs.
type Stack struct{}

const (
	// stackRidge is the price of the squared weights, in units of the answers' variance: members that do alike share.
	stackRidge = 1e-3
	// stackShare is the weight below which a member is left out.
	stackShare = 0.01
	// StackRows are the rows at most, evenly spaced, that weights are found on: so many say them to a percent.
	StackRows = 20000
)

// Choose implements Rule.
func (Stack) Choose(ctx context.Context, s *Candidates) (*Choice, error) {
	if len(s.Members) == 0 {
		return nil, ErrNothing
	}
	rows := thinned(s.judged(), StackRows)
	members := slices.Clone(s.Members)
	for {
		c, err := s.stacked(ctx, members, rows)
		if err != nil {
			return nil, err
		}
		kept := members[:0]
		for _, m := range c.Members {
			if m.Weight >= stackShare {
				kept = append(kept, m.Candidate)
			}
		}
		if len(kept) == len(c.Members) || len(kept) == 0 { // of very many that do alike none has a share
			c.Baseline = s.Baseline
			return c, nil
		}
		members = kept
	}
}

// thinned are at most so many of the rows, evenly spaced.
func thinned(rows []int, most int) []int {
	if len(rows) <= most {
		return rows
	}
	list := make([]int, most)
	for q := range list {
		list[q] = rows[q*len(rows)/most]
	}
	return list
}

// stacked are the members with their weights.
func (s *Candidates) stacked(ctx context.Context, members []*Candidate, rows []int) (*Choice, error) {
	p, c := s.Problem, &Choice{}
	outputs := make([]*mat.Dense, len(members))
	for k, m := range members {
		outputs[k] = mat.NewDense(len(rows), p.Outputs(), nil)
		for q, i := range rows {
			outputs[k].SetRow(q, m.LeftOut.RawRowView(i))
		}
	}
	var weight []float64
	if p.Weight != nil {
		for _, i := range rows {
			weight = append(weight, p.Weight[i])
		}
	}
	var v []float64
	var err error
	if p.Task == data.Regression {
		y := make([]float64, len(rows))
		for q, i := range rows {
			y[q] = p.Y.At(i, 0)
		}
		v, err = leastSquares(ctx, outputs, y, weight)
	} else {
		class := make([]int, len(rows))
		for q, i := range rows {
			class[q] = p.Class[i]
		}
		var shares calibrate.Shares
		if v, shares, err = calibrate.FitShares(ctx, outputs, class, len(p.Classes), weight); err == nil {
			c.Shares = &shares
		}
	}
	if err != nil {
		return nil, err
	}
	for k, m := range members {
		c.Members = append(c.Members, Weighted{m, v[k]})
	}
	slices.SortStableFunc(c.Members, func(a, b Weighted) int { return cmp.Compare(b.Weight, a.Weight) })
	c.Score = s.Criterion.Eval(p, s.Judged, LeftOut(p, c.Members), nil)
	return c, nil
}

// leastSquares are the weights of outputs whose mean is nearest to y.
func leastSquares(ctx context.Context, outputs []*mat.Dense, y, weight []float64) ([]float64, error) {
	m := len(outputs)
	of := func(q int) float64 {
		if weight == nil {
			return 1
		}
		return weight[q]
	}
	var total, mean, variance float64
	for q, t := range y {
		total += of(q)
		mean += of(q) * t
	}
	mean /= total
	for q, t := range y {
		variance += of(q) * (t - mean) * (t - mean) / total
	}
	if variance == 0 {
		variance = 1
	}
	// Errors' products: the loss is v' E v of weights of sum one.
	e := mat.NewDense(m, m, nil)
	for a, one := range outputs {
		for b, other := range outputs[:a+1] {
			var sum float64
			for q, t := range y {
				sum += of(q) * (one.At(q, 0) - t) * (other.At(q, 0) - t)
			}
			e.Set(a, b, sum/total/variance)
			e.Set(b, a, sum/total/variance)
		}
		e.Set(a, a, e.At(a, a)+stackRidge)
	}
	x, lo, hi := make([]float64, m), make([]float64, m), make([]float64, m)
	for k := range x {
		x[k], hi[k] = 1/float64(m), 1.5
	}
	v := make([]float64, m)
	normalise := func(x []float64) (sum float64) {
		for k := range x {
			v[k] = max(x[k], 1e-9)
			sum += v[k]
		}
		for k := range v {
			v[k] /= sum
		}
		return sum
	}
	r, err := solve.LBFGSB(ctx, func(_ context.Context, x, grad []float64) (float64, error) {
		sum := normalise(x)
		var ev mat.VecDense
		ev.MulVec(e, mat.NewVecDense(m, v))
		loss := mat.Dot(&ev, mat.NewVecDense(m, v))
		for k := range grad {
			grad[k] = 2 * (ev.AtVec(k) - loss) / sum
		}
		if math.IsNaN(loss) {
			return math.Inf(1), nil
		}
		return loss, nil
	}, x, lo, hi, solve.LBFGSBOptions{MaxEvaluations: 300})
	if err != nil {
		return nil, err
	}
	normalise(r.X)
	return v, nil
}
