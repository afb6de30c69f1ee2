package reproduce

import (
	"context"

	"github.com/mercer-ml/mercer/search"
)

// klatzerF54 is the valley of H(c, gamma) on fourclass and the ways into it.
func klatzerF54() experiment {
	return experiment{
		Experiment: Experiment{ID: "klatzer-f5.4", Title: "the valley of H(c, gamma) on fourclass and the ways into it",
			Source: "Klatzer 2014, figs 5.3 to 5.5, section 5.2.2", Data: fourclassSet.file, Expected: "1 min"},
		runs: 1,
		run: func(ctx context.Context, l *lab) error {
			t, err := l.fourclassTask()
			if err != nil {
				return err
			}
			for _, v := range klatzerLosses {
				b := gaussianModel().outer(t, v.loss)
				grid, err := b.grid(ctx, fourclassGrid())
				if err != nil {
					return err
				}
				low := 0.0
				for _, r := range grid.Trace {
					if r.F <= 2*grid.F {
						low += 100 / float64(len(grid.Trace))
					}
				}
				name := v.name + ", grid of c 0.1 to 4.1, gamma 0.2 to 4.2"
				l.add(name, "least H", grid.F)
				l.add(name, "cells with H up to twice the least, %", low)
				for _, s := range []outerSearch{rawSearch, rpropSearch, logSearch} {
					for _, start := range fourclassStarts {
						res, err := b.tune(ctx, s, start)
						if err != nil {
							return err
						}
						name := v.name + ", " + s.name
						l.add(name, "evaluations until H is within 10 % of its end", float64(reached(res.Trace, 1.1*res.F)))
						l.add(name, "turns of c and gamma on the way", float64(turns(res.Trace)))
					}
				}
			}
			l.note("the figures are contours: a broad valley, into which L-BFGS-B jumps at once while RPROP goes in zigzags. Means of the four starts of table 5.3; a turn is a change of direction in c or gamma")
			l.note(fourclassNote)
			return nil
		},
	}
}

// reached is the number of the first evaluation with F up to h.
func reached(trace []search.Record, h float64) int {
	for _, r := range trace {
		if r.F <= h {
			return r.N
		}
	}
	return len(trace)
}

// turns counts the changes of direction in all coordinates.
func turns(trace []search.Record) int {
	n := 0
	for k := 2; k < len(trace); k++ {
		for i, x := range trace[k].Theta {
			if (x-trace[k-1].Theta[i])*(trace[k-1].Theta[i]-trace[k-2].Theta[i]) < 0 {
				n++
			}
		}
	}
	return n
}
