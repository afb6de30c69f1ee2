package reproduce

import (
	"context"
	"fmt"
)

// sindhwaniIsolet are the experiments on spoken letters that no other set stands in for.
func sindhwaniIsolet() []experiment {
	var all []experiment
	for _, e := range []struct{ id, title, source string }{
		{"sindhwani-f2.6", "Isolet, first against last 13 letters, one speaker labelled", "fig. 2.6, section 2.7.2"},
		{"sindhwani-f2.7", "Isolet, errors on unseen against unlabelled rows", "fig. 2.7, section 2.7.2"},
	} {
		all = append(all, experiment{
			Experiment: Experiment{
				ID:       e.id,
				Title:    e.title,
				Source:   "Sindhwani 2007, " + e.source,
				Data:     "Isolet not available",
				Expected: "-",
			},
			runs: 1,
			run: func(context.Context, *lab) error {
				return fmt.Errorf(
					"%s needs the Isolet set of spoken letters, which is not available: no file of docs/datasets.md holds it; sindhwani-t2.3 "+
						"runs the same machines on printed letters",
					e.id,
				)
			},
		})
	}
	return all
}
