package mercer

import (
	"context"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// Load reads a model that Save or `mercer fit -o` wrote, in a format of this version or an earlier one. Of a model that was fitted with
// Recipe.KernelValue, own is a kernel of that type, whatever its parameters.
func Load(ctx context.Context, path string, own ...kernel.Kernel) (*model.Model, error) {
	return model.Load(ctx, path, own...)
}
