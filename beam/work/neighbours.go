package work

import (
	"context"
	"os"

	"github.com/mercer-ml/mercer/beam/neighbours"
	"github.com/mercer-ml/mercer/beam/squares"
)

// neighbours does one element of a pass of package neighbours.
func (s Spec) neighbours(ctx context.Context, element int) (any, error) {
	text, err := os.ReadFile(s.Plan)
	if err != nil {
		return nil, err
	}
	p := new(neighbours.Plan)
	if err := squares.Decode(text, p); err != nil {
		return nil, err
	}
	switch s.Kind {
	case Draw:
		return neighbours.Draw(ctx, s.Shards[element], element, s.Read, p)
	case Route:
		return neighbours.Route(ctx, s.Shards[element], element, s.Read, p, s.Folder)
	case Search:
		return neighbours.Search(ctx, element, p, s.Folder)
	}
	return neighbours.Merge(ctx, element, p, s.Folder, s.Outputs[element])
}
