package reproduce

import (
	"context"
	"fmt"
)

// noIsolet are the experiments on spoken letters that no other set stands in for.
func noIsolet(_ context.Context, l *lab) error {
	return fmt.Errorf("%s needs the Isolet set of spoken letters, which is not available: no file of docs/datasets.md holds it; "+
		"sindhwani-t2.3 runs the same machines on printed letters", l.id)
}
