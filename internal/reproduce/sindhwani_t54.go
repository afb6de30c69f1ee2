package reproduce

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/internal/learner/sparsemanifold"
	"github.com/mercer-ml/mercer/kernel"
)

var sparsePrinted54 = map[string][2]float64{
	"2MOONS": {2.21, 0.47}, "G50C": {14.37, 11.30}, "COIL20BIN": {8.85, 4.09}, "USPS25": {11.10, 6.11}, "PCMAC": {7.86, 6.42},
}

// sindhwaniT54 tightens the intrinsic norm.
func sindhwaniT54(ctx context.Context, l *lab) error {
	declare(ctx, "printed", sparsePrinted54)
	err := l.eachDraw(ctx, func(ctx context.Context, s sparseSet, d *sparseDraw) error {
		graphs, widths := numbersTo(len(d.grid.graphs)), numbersTo(len(d.grid.widths))
		list := d.grid.each(graphs, widths, false)
		best, err := d.tuned(ctx, list, d.greedy)
		if err != nil {
			return err
		}
		sup, err := d.tuned(ctx, []sparseTheta{best.theta}, func(ctx context.Context, t sparseTheta) ([]int, *mat.Dense, error) {
			return d.chosen(ctx, t, basis.Supervised{Greedy: d.pursuit(), Targets: d.truth()})
		})
		if err != nil {
			return err
		}
		l.shown(s.name, "SPLAPRLS", sparsePrinted54[s.name][0], sup.hidden)
		for _, form := range []struct {
			name   string
			oracle bool
		}{{"SIGMOID from the coefficients of all labels", true}, {"SIGMOID along the path of rho", false}} {
			r, err := d.tuned(ctx, d.grid.each([]int{best.theta.graph}, []int{best.theta.width}, false),
				func(ctx context.Context, t sparseTheta) ([]int, *mat.Dense, error) {
					return d.sigmoid(ctx, t, sup.centres, form.oracle)
				})
			if err != nil {
				return err
			}
			l.shown(s.name, form.name, sparsePrinted54[s.name][1], r.hidden)
		}
		return nil
	})
	return err
}

// sigmoid is the machine of squashed outputs on the centres; with oracle it starts at what all labels give.
func (d *sparseDraw) sigmoid(ctx context.Context, t sparseTheta, centres []int, oracle bool) ([]int, *mat.Dense, error) {
	f, err := kernel.NewNystrom(ctx, d.gram[t.width], len(d.y), centres, nil)
	if err != nil {
		return nil, nil, err
	}
	var start []float64
	if oracle {
		fit, err := basis.Fit(ctx, basis.Targets(d.gram[t.width], d.truth(), nil, t.a), centres)
		if err != nil {
			return nil, nil, err
		}
		w := mat.NewDense(len(centres), 1, nil)
		w.Mul(f.Factor().T(), fit.Beta)
		start = w.RawMatrix().Data
	}
	one := sparsemanifold.Sigmoid{Phi: f.Phi, Norm: d.norm[t.graph], Labelled: d.labelled, Y: d.target.RawMatrix().Data,
		GammaA: t.a, GammaI: t.a * t.ratio, Rho: sparsemanifold.DefaultRho}
	w, _, err := one.Solve(ctx, start)
	if err != nil {
		return nil, nil, err
	}
	beta := mat.NewDense(len(w), 1, w)
	f.Coefficients(beta)
	return centres, beta, nil
}
