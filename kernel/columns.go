package kernel

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Columns is the Base kernel on the listed columns of the rows (numbers from 0,
// in this order). Names, if given, are the columns' names, for people only. The
// parameters are the base's. Sums of Columns are kernels of feature groups.
type Columns struct {
	Base    Kernel
	Columns []int
	Names   []string
}

var columnsKind = kindOf(param.Words{
	ID: "columns", Title: "kernel on some columns",
	Formula: "KERNEL[FIRST..LAST], KERNEL[a,b,c]",
	About:   "columns by their names, else by number from 1; in a sum its parameters are called sigma[FIRST..LAST]",
	Source:  cite.Becker + ", eq. 2.22: each kernel may read its own features",
	Example: "mercer fit iris --kernel 'gaussian[sepal_length..sepal_width]+linear[petal_length]'",
}, func(k *Columns) []field {
	return []field{{name: "columns", value: &k.Columns}, {name: "names", value: &k.Names}, {name: "base", value: &k.Base}}
})

// Space is the base's.
func (k Columns) Space() param.Space { return k.Base.Space() }

// With hands theta to the base.
func (k Columns) With(theta []float64) (Kernel, error) {
	base, err := k.Base.With(theta)
	if err != nil {
		return nil, err
	}
	k.Base = base
	return k, nil
}

// Adapt adapts the base to the columns of the rows. If the rows lack one of them
// nothing changes; Bind reports it.
func (k Columns) Adapt(rows data.Rows) Kernel {
	if k.inside(rows.Dim()) != nil {
		return k
	}
	k.Base = k.Base.Adapt(rows.SelectColumns(k.Columns))
	return k
}

// Bind binds the base to a copy of the columns. A column that the rows do not
// have is an error.
func (k Columns) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	if err := k.inside(train.Dim()); err != nil {
		return nil, err
	}
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	base, err := k.Base.Bind(ctx, train.SelectColumns(k.Columns), w.Scope(fmt.Sprintf("columns %v: ", k.Columns)))
	if err != nil {
		return nil, err
	}
	return &columnsGram{Gram: base, k: k, train: train}, nil
}

func (k Columns) inside(d int) error {
	for _, c := range k.Columns {
		if c < 0 || c >= d {
			return fmt.Errorf("kernel: column number %d (from 0) of rows with %d columns; choose among the rows' features", c, d)
		}
	}
	return nil
}

func (k Columns) check(at stage) error {
	if len(k.Columns) == 0 {
		return errors.New("columns: none listed; name at least one")
	}
	if len(k.Names) != 0 && len(k.Names) != len(k.Columns) {
		return fmt.Errorf("columns: %d names for %d columns; name all or none", len(k.Names), len(k.Columns))
	}
	for _, c := range k.Columns {
		if c < 0 {
			return fmt.Errorf("columns: column number %d; numbers start at 0", c)
		}
	}
	if err := check(k.Base, at); err != nil {
		return fmt.Errorf("columns: %w", err)
	}
	return nil
}

// columnsGram is the base bound to the columns; only what meets whole rows differs.
type columnsGram struct {
	Gram
	k     Columns
	train data.Rows
}

func (g *columnsGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if d := g.train.Dim(); x.Dim() != d {
		return fmt.Errorf("kernel: the new rows have %d columns, the training rows %d; give both the same features", x.Dim(), d)
	}
	return g.Gram.Cross(dst, x.SelectColumns(g.k.Columns), j)
}

func (g *columnsGram) features() (data.Rows, bool) { return Features(g.Gram) }

func (g *columnsGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expandPlain(g.k, g.train, alpha, j)
}
