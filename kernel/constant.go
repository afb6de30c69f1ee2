package kernel

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Constant is k(x, z) = 1, positive semi-definite: the offset as a feature. In a Sum,
// Scaled by w, it is an offset with the penalty b^2/(2 w), whose weight can be learned
// beside the others; w to infinity is the free offset (Klatzer 2014, sections 2.4 and
// 5.3.1, c_bias = 1/w).
type Constant struct{}

var constantKind = kindOf[Constant](param.Words{
	ID: "constant", Title: "constant",
	Formula: "1",
	About:   "in a sum, an offset with a penalty of its own: weight w makes it b^2/(2 w)",
	Source:  cite.Klatzer + ", section 2.4",
	Example: "mercer fit iris --method logistic --kernel \"ard-linear+10*constant\" --offset no",
}, nil)

// Space is empty.
func (k Constant) Space() param.Space { return nil }

// With returns the kernel itself; theta must be empty.
func (k Constant) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return k, nil
}

// Adapt returns the kernel itself.
func (k Constant) Adapt(data.Rows) Kernel { return k }

// Bind keeps the rows.
func (k Constant) Bind(ctx context.Context, train data.Rows, _ *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	return constantGram{train}, nil
}

func (k Constant) unnumbered() {}

type constantGram struct{ train data.Rows }

func (g constantGram) Len() int           { return g.train.Len() }
func (g constantGram) Semidefinite() bool { return true }

func (g constantGram) Block(dst *mat.Dense, _, _ []int) { ones(dst) }

func (g constantGram) Cross(dst *mat.Dense, x data.Rows, _ []int) error {
	if d := g.train.Dim(); x.Dim() != d {
		return fmt.Errorf("kernel: the new rows have %d columns, the training rows %d; give both the same features", x.Dim(), d)
	}
	ones(dst)
	return nil
}

func ones(dst *mat.Dense) {
	r, _ := dst.Dims()
	for i := range r {
		to := row(dst, i)
		for j := range to {
			to[j] = 1
		}
	}
}

func (g constantGram) Pull(grad []float64, _ Cotangent) error {
	checkGrad(grad, Constant{})
	return nil
}

func (g constantGram) features() (data.Rows, bool) {
	x := mat.NewDense(g.Len(), 1, nil)
	ones(x)
	return data.Rows{Dense: x, ID: g.train.ID}, true
}

func (g constantGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(Constant{}, g.train, alpha, j), nil
}
