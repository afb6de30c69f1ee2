package dual

// The smallest ball around rows in the space of the kernel (Tax and Duin 1999; Ben-Hur et
// al. 2001):
//
//	minimise R^2 over R, a:  |phi(x_i) - a|^2 <= R^2
//	dual:  R^2 = max over g >= 0, sum g = 1:  sum_i g_i K_ii - g'Kg,   a = sum_i g_i phi(x_i)
//
// which is (D) with p_i = -K_ii/2, no bound and the sum 1, R^2 = -2 objective.

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/kernel"
)

// Ball is the smallest ball around rows.
type Ball struct {
	Square float64   // R^2 of the dual's point; the smallest one is at most Gap larger
	Gap    float64   // certified
	Weight []float64 // g: the centre as a combination of the rows
}

// ballTolerance is the violation at which the ball is found, in units of the mean
// diagonal.
const ballTolerance = 1e-7

// EnclosingBall finds the smallest ball around the rows of a bound kernel.
func EnclosingBall(ctx context.Context, g kernel.Gram, rows []int) (Ball, error) {
	l := len(rows)
	if l == 0 {
		panic("svm: a ball around no row")
	}
	var k Matrix = subset{kernel.NewSingle(g), rows}
	if l <= tableRows {
		table, err := newTable(g, rows)
		if err != nil {
			return Ball{}, err
		}
		k = table
	}
	p := Problem{
		Row:    rowNumbers(nil, l),
		Sign:   make([]float64, l),
		Linear: make([]float64, l),
		Upper:  make([]float64, l),
		Start:  make([]float64, l),
		Offset: true,
	}
	diag := kernel.Diagonal(g, rows)
	var mean float64
	for i, v := range diag {
		p.Sign[i], p.Upper[i], p.Linear[i] = 1, 1, -v/2
		mean += math.Abs(v) / float64(l)
	}
	p.Start[0] = 1
	s, err := Solve(ctx, k, p, Options{Tolerance: ballTolerance * max(mean, 0x1p-1022)})
	if err != nil {
		return Ball{}, err
	}
	if s.Status == Cancelled {
		return Ball{}, ctx.Err()
	}
	b := Ball{Square: max(0, -2*s.Objective), Gap: 2 * s.Gap, Weight: s.A}
	if s.Status == LimitReached {
		return b, fmt.Errorf("svm: the ball around %d rows: %v", l, s.Status)
	}
	return b, nil
}
