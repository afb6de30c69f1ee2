package mercer

import (
	"context"

	"github.com/mercer-ml/mercer/model"
)

// Load reads a model that Save or `mercer fit -o` wrote.
func Load(path string) (*model.Model, error) { return model.Load(context.Background(), path) }
