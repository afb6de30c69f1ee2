package kernel

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// mapped is a kernel <phi(x), phi(z)> of an explicit feature map.
type mapped interface {
	Kernel
	checker
	Map(rows data.Rows) (data.Rows, error)
}

// bindMapped binds the linear kernel to the mapped rows, whose tables are kept in w.
func bindMapped(ctx context.Context, k mapped, train data.Rows, w *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	rows, err := k.Map(train)
	if err != nil {
		return nil, err
	}
	base, err := Linear{}.Bind(ctx, rows, w)
	if err != nil {
		return nil, err
	}
	return &mappedGram{Gram: base, k: k, train: train}, nil
}

// mappedGram is the linear kernel bound to the mapped rows; only what meets rows as they
// are differs.
type mappedGram struct {
	Gram
	k     mapped
	train data.Rows
}

func (g *mappedGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if d := g.train.Dim(); x.Dim() != d {
		return fmt.Errorf("kernel: the new rows have %d columns, the training rows %d; give both the same features", x.Dim(), d)
	}
	rows, err := g.k.Map(x)
	if err != nil {
		return err
	}
	return g.Gram.Cross(dst, rows, j)
}

func (g *mappedGram) features() (data.Rows, bool) { return Features(g.Gram) }

func (g *mappedGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}
