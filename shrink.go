package mercer

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/shrink"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// Shrink returns a model of at most size centres that answers nearly as m does where the rows, unscaled, are, and what
// changed on them (package shrink says how, and at what cost). A model without centres, or with no more than size, is an error.
func Shrink(ctx context.Context, m *model.Model, rows data.Rows, size int, seed uint64) (*model.Model, *result.Shrunk, error) {
	small, change, err := shrink.Model(ctx, m, rows, size, shrink.Options{Seed: seed})
	return small, change, fitting().fault(err)
}
