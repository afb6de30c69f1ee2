package reproduce

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/kernel"
)

// sindhwaniF36 draws the toy sets with the boundaries of the algorithms of table 3.4.
func sindhwaniF36(ctx context.Context, l *lab) error {
	for q, pair := range [][2]int{{10, 110}, {0, 150}} {
		s := toySets[q]
		t, err := pairToy(s.spec, pair)
		if err != nil {
			return err
		}
		wrong, err := t.gridded(ctx, toyRivals())
		if err != nil {
			return err
		}
		picture := t.picture(s.name, s.name+": the boundary of each algorithm with its best parameters of the grid")
		lambdas := len(thin(ctx, "lambda", 1, toyGrid.lambdas))
		for k, r := range toyRivals() {
			best := slices.Index(wrong[k], slices.Min(wrong[k]))
			sigma, lambda := toyGrid.sigmas[best/lambdas], toyGrid.lambdas[best%lambdas]
			learner := s3vm.Learner{Solver: r.solver, Shares: t.shares()}
			g, m, err := t.train(ctx, kernel.Gaussian{Sigma: sigma}, learner, strengthOfMeans(lambda, len(t.problem.Labelled), r.halved))
			if err != nil {
				return err
			}
			name := s.name + " " + r.name
			l.add(name, unlabelledError, wrong[k][best])
			l.add(name, "sigma", sigma)
			l.add(name, "lambda", lambda)
			v, err := t.boundary(ctx, r.name, g, m)
			if err != nil {
				return err
			}
			picture.Levels = append(picture.Levels, v)
		}
		l.draw(*picture)
	}
	return nil
}
