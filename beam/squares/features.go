package squares

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Features are what a machine is linear in: the scaled columns of a row, or what centres give of a kernel (kernel.LowRank).
type Features struct {
	Scaling data.Scaling
	Kernel  []byte    // as JSON; nil: the columns
	Centres data.Rows // scaled

	projector *kernel.Projector
}

// bind prepares features that came from another process.
func (f *Features) bind(ctx context.Context) error {
	if f.Kernel == nil || f.projector != nil {
		return nil
	}
	k, err := kernel.Unmarshal(f.Kernel)
	if err != nil {
		return err
	}
	if f.projector, err = (kernel.LowRank{Base: k, Centres: f.Centres}).Projector(ctx); err != nil {
		return fmt.Errorf("the kernel on its centres: %w", err)
	}
	return nil
}

// of are the features of rows as they were read, one row each.
func (f *Features) of(ctx context.Context, rows data.Rows) (*mat.Dense, error) {
	scaled := f.Scaling.Apply(rows)
	if f.Kernel == nil {
		return dense(scaled, false), nil
	}
	return f.projector.Features(ctx, scaled)
}

// rows is how many are read at a time.
func (f *Features) rows() int {
	if f.Kernel == nil {
		return batchRows
	}
	return projectedRows
}

// projectedRows bound what features of a batch take: 16 MB for a thousand centres.
const projectedRows = 2048
