package reproduce

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/basis"
	"github.com/mercer-ml/mercer/kernel"
)

// choosers53 are the rows of table 5.3.
var choosers53 = [9]string{"random", "uniform", "greedy", "greedy(r)", "LASSO", "LARS", "sup", "RLS(l)", "greedy(ms)"}

var sparsePrinted53 = map[string][9]float64{
	"2MOONS":    {17.50, 10.71, 8.42, 8.97, 17.03, 17.57, 2.21, 20.04, 18.44},
	"G50C":      {15.17, 16.50, 18.11, 15.75, 17.60, 18.06, 14.37, 18.90, 43.30},
	"COIL20BIN": {12.99, 12.43, 9.97, 10.37, 12.75, 13.01, 8.85, 13.04, 12.82},
	"USPS25":    {14.31, 14.58, 11.36, 11.37, 11.87, 12.67, 11.10, 11.29, 15.07},
	"PCMAC":     {12.25, 11.67, 10.40, 10.21, 39.05, 22.27, 7.86, 14.78, 39.72},
}

// sindhwaniT53 compares choices of the basis.
func sindhwaniT53(ctx context.Context, l *lab) error {
	declare(ctx, "printed", sparsePrinted53)
	err := l.eachDraw(ctx, func(ctx context.Context, s sparseSet, d *sparseDraw) error {
		graphs, widths := numbersTo(len(d.grid.graphs)), numbersTo(len(d.grid.widths))
		best, err := d.tuned(ctx, d.grid.each(graphs, widths, false), d.greedy)
		if err != nil {
			return err
		}
		for q, c := range d.choosers(best) {
			centres, beta, err := d.chosen(ctx, best.theta, c)
			if err != nil {
				return err
			}
			r, err := d.judge(best.theta.width, centres, beta)
			if err != nil {
				return err
			}
			l.shown(s.name, choosers53[q], sparsePrinted53[s.name][q], r.hidden)
		}
		centres, beta, err := d.supervised(ctx, best.theta, d.labelled)
		if err != nil {
			return err
		}
		r, err := d.judge(best.theta.width, centres, beta)
		if err != nil {
			return err
		}
		l.shown(s.name, choosers53[7], sparsePrinted53[s.name][7], r.hidden)
		hidden, err := d.multiScale(ctx, best.theta)
		l.shown(s.name, choosers53[8], sparsePrinted53[s.name][8], hidden)
		return err
	})
	return err
}

// multiScale is the error of functions of seven widths, with the penalty of their coefficients.
func (d *sparseDraw) multiScale(ctx context.Context, t sparseTheta) (float64, error) {
	scales, err := basis.Octaves(ctx, kernel.Gaussian{Sigma: d.grid.widths[t.width] * d.sigma0}, d.x)
	if err != nil {
		return 0, err
	}
	g := basis.GreedyRidge{Greedy: d.pursuit()}
	g.Scales = scales
	path, err := g.Choose(ctx, d.plain(t), d.size)
	if err != nil {
		return 0, err
	}
	beta := path.Beta(len(path.Centres))
	out, column := make([]float64, len(d.y)), mat.NewDense(len(d.y), 1, nil)
	for q, j := range path.Centres {
		scales[path.Scales[q]].Block(column, nil, []int{j})
		floats.AddScaled(out, beta.At(q, 0), column.RawMatrix().Data)
	}
	return d.hiddenError(out), nil
}

// choosers are those of the table, for the plain machine's parameters.
func (d *sparseDraw) choosers(best sparseResult) []basis.Chooser {
	plain := d.pursuit()
	plain.Plain = basis.PlainGamma(d.plain(best.theta), best.centres, best.beta)
	return []basis.Chooser{basis.Random{Seed: d.seed}, basis.Uniform{}, d.pursuit(), plain, basis.L1{}, basis.L1{LARS: true},
		basis.Supervised{Greedy: d.pursuit(), Targets: d.truth()}}
}
