package dual

import (
	"context"
	"sync"

	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// convexity says whether the dual problems on labelled rows are convex, which is what their
// gap needs. It is known of kernels that are semi-definite by construction; of others the
// matrix is looked at once, up to tableRows rows whole, of more only a sample, where a
// negative eigenvalue proves that there is one but none proves nothing. The zero value knows
// nothing.
type convexity struct {
	gram   kernel.Gram
	rows   []int
	offset bool // directions have sum 0

	once    sync.Once
	least   float64
	certain bool
	err     error
}

// find returns the smallest eigenvalue, of the sample at least, if it is negative, and
// whether the problems are known to be convex.
func (c *convexity) find(ctx context.Context) (least float64, certain bool, err error) {
	c.once.Do(func() {
		if c.gram == nil {
			return
		}
		if kernel.Semidefinite(c.gram) {
			c.certain = true
			return
		}
		sample := c.rows
		if l := len(c.rows); l > tableRows {
			sample = make([]int, tableRows)
			for i := range sample {
				sample[i] = c.rows[i*l/tableRows]
			}
		}
		k := mat.NewDense(len(sample), len(sample), nil)
		c.gram.Block(k, sample, sample)
		c.least, c.err = kernel.Least(context.WithoutCancel(ctx), k, c.offset) // its end must not be remembered
		c.certain = c.err == nil && c.least == 0 && len(sample) == len(c.rows)
	})
	return c.least, c.certain, c.err
}
