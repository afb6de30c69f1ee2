package kernel

// Centres as landmarks: k-means by Lloyd's iteration.
//
// Problem   minimise over c_1..c_m: sum_i min_j |x_i - c_j|^2
// Method    start at rows drawn by D^2 sampling (Landmarks, PlusPlus); then each row goes to its nearest
//           centre, the first of equal ones, and each centre to the mean of its rows, until no row
//           changes or the limit of steps is reached. A centre without rows stays.
// Why       the error of the Nystrom approximation is bounded by that of this quantisation
//           (Zhang, Tsang and Kwok, ICML 2008), and a mean is without most of the noise of its
//           rows: at equal m centres represent functions on noisy surfaces better than rows do.
// Cost      2 n m d flops a step, after D^2 sampling; memory m d and a panel of 512 x m.

import (
	"context"
	"errors"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// centreSteps limits Lloyd's iteration: the sum has lost most of what it will lose
// after a few steps, and landmarks need no minimum.
const centreSteps = 10

// Centres returns at most count means of the rows, which must be dense: fewer where the rows
// have fewer distinct values.
func Centres(ctx context.Context, rows data.Rows, count int, seed uint64) (*mat.Dense, error) {
	if rows.Dense == nil {
		return nil, errors.New("kernel: centres of sparse rows; choose rows as landmarks")
	}
	// Rows far from the origin are moved to their mean first, as points are: distances, differences of norms here, do not change.
	mean, far := farMean(rows.Dense)
	if far {
		rows = data.Rows{Dense: newPoints(rows, distance, nil).dense, ID: rows.ID}
	}
	g, err := Linear{}.Bind(ctx, rows, nil)
	if err != nil {
		return nil, err
	}
	z, err := Landmarks{Count: count, Choice: PlusPlus, Seed: seed}.Choose(ctx, g, nil)
	if err != nil {
		return nil, err
	}
	c := mat.DenseCopyOf(chosen(rows.Dense, z))
	if err := lloyd(ctx, rows.Dense, c); err != nil {
		return nil, err
	}
	if far {
		for j := range z {
			to := row(c, j)
			for k, v := range mean {
				to[k] += v
			}
		}
	}
	return c, nil
}

// lloyd moves the centres c to the means of the rows of x that are nearest to them, some times.
func lloyd(ctx context.Context, x, c *mat.Dense) error {
	n, d := x.Dims()
	m, _ := c.Dims()
	sum, size, norm := mat.NewDense(m, d, nil), make([]int, m), make([]float64, m)
	at := make([]int, n)
	panel := mat.NewDense(min(nystromRows, n), m, nil)
	for step := range centreSteps {
		for j := range m {
			norm[j] = square(row(c, j))
		}
		sum.Zero()
		clear(size)
		changed := 0
		for lo := 0; lo < n; lo += nystromRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+nystromRows, n)
			p := panel.Slice(0, hi-lo, 0, m).(*mat.Dense)
			blas.Gemm(-2, blas.N(x.Slice(lo, hi, 0, d).(*mat.Dense)), blas.T(c), 0, p)
			best := make([]int, hi-lo)
			parallel.Pieces(hi-lo, chunk, func(a, b int) {
				for i := a; i < b; i++ {
					least := math.Inf(1)
					for j, v := range row(p, i) {
						if v += norm[j]; v < least {
							least, best[i] = v, j
						}
					}
				}
			})
			for i, j := range best { // one after another: sums do not depend on threads
				if step == 0 || at[lo+i] != j {
					changed++
				}
				at[lo+i] = j
				size[j]++
				to := row(sum, j)
				for k, v := range row(x, lo+i) {
					to[k] += v
				}
			}
		}
		for j, s := range size {
			if s > 0 {
				to := row(c, j)
				for k, v := range row(sum, j) {
					to[k] = v / float64(s)
				}
			}
		}
		if changed == 0 {
			break
		}
	}
	return nil
}
