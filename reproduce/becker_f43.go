package reproduce

import (
	"context"
	"fmt"
)

// beckerF43 adds unlabelled rows to few labels at fixed hyper-parameters: the
// test error falls as u grows.
func beckerF43(d dataset, id string, few, many int) experiment {
	return experiment{
		Experiment: Experiment{ID: id, Title: fmt.Sprintf("unlabelled rows help: Laplacian RLS against RLS, %s, %d and %d labels", d.name, few, many),
			Source: "Becker 2013, fig. " + id[len("becker-f"):] + ", section 4.3.3", Data: d.file, Expected: "10 s"},
		runs: beckerRuns,
		run: func(ctx context.Context, l *lab) error {
			g, err := l.load(d)
			if err != nil {
				return err
			}
			for _, labelled := range []int{few, many} {
				all := g.rows.Len() - d.test - labelled
				for _, u := range []int{0, all / 2, all} {
					name := fmt.Sprintf("%s l=%d u=%d", d.name, labelled, u)
					if u == 0 {
						name += " (RLS)"
					}
					l.say("%s", name)
					for run := range l.runs {
						t := g.split(l.seed, run, labelled, u, d.test)
						e, err := t.errorAt(ctx, t.machine(), t.literature(d))
						if err != nil {
							return err
						}
						l.add(name, testError, e)
					}
				}
			}
			l.notes = append(l.notes, d.notes...)
			l.note(splitNote)
			l.notes = append(l.notes, restNote(d))
			l.note(machineNote)
			l.note(literatureNote)
			l.note("the intermediate u is not stated: half of all")
			return nil
		},
	}
}

const testError = "test error %"
