package propagate

// Problem   new rows are given the mean of the outputs f_j of all n rows of the graph,
//
//	          f(x) = sum_j w(x, x_j) f_j / sum_j w(x, x_j),   w(x, z) = exp(-|x - z|^2/(2 sigma^2))
//
//           which is what minimises the graph's own objective over f(x) when x is one more row of it and
//           the outputs of the others stay (Delalleau, Bengio & Le Roux, AISTATS 2005, eqs 6 and 7, the
//           constant epsilon left out). Their w are the graph's weights, between all rows; here the graph
//           has few neighbours for each row, and weights that its rows' own distances scale, which a new
//           row does not have.
// Method    so sigma is chosen: of the median distance between rows, times 1, 1/2, .., 1/1024 and then
//           the best of these times sqrt 2 and its inverse, the one with the least sum of squares
//
//	          sum_i |f_i - f_(-i)(x_i)|^2,   f_(-i) the mean without row i itself
//
//           over all rows, or over as many of them, evenly spaced, as make sampleValues weights.
// Cost      2 n d flops and n exponentials a row and width.

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/rbf"
	"github.com/mercer-ml/mercer/kernel"
)

const (
	sampleValues = 1 << 20 // weights of a width: some 20 ms
	leastSample  = 50      // rows, however many there are
)

// Width is sigma for the outputs f of the rows.
func Width(ctx context.Context, rows data.Rows, f *mat.Dense) (float64, error) {
	n := rows.Len()
	first := kernel.Gaussian{}.Adapt(rows).(kernel.Gaussian).Sigma
	if n < 2 {
		return first, ctx.Err()
	}
	m := min(n, max(leastSample, sampleValues/n))
	which := make([]int, m)
	for a := range which {
		which[a] = a * n / m
	}
	best, least := first, math.Inf(1)
	try := func(sigma float64) error {
		out, err := rbf.NadarayaWatson{Sigma: sigma}.LeaveOut(ctx, rows, f, which)
		if err != nil {
			return err
		}
		var total float64
		for a, i := range which {
			for j, v := range out.RawRowView(a) {
				total += (v - f.At(i, j)) * (v - f.At(i, j))
			}
		}
		if total < least {
			best, least = sigma, total
		}
		return nil
	}
	for k := range 11 {
		if err := try(math.Ldexp(first, -k)); err != nil {
			return 0, err
		}
	}
	middle := best
	for _, by := range []float64{math.Sqrt2, 1 / math.Sqrt2} {
		if err := try(middle * by); err != nil {
			return 0, err
		}
	}
	return best, nil
}
