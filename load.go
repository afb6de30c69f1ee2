package mercer

import (
	"context"

	"github.com/mercer-ml/mercer/model"
)

// Load reads a model that Save or `mercer fit -o` wrote, in a format of this version or an earlier one.
func Load(ctx context.Context, path string) (*model.Model, error) { return model.Load(ctx, path) }
