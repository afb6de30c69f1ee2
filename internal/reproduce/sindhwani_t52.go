package reproduce

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/basis"
)

// machines52 are the columns of table 5.2.
var machines52 = [6]string{"LapRLS", "greedy, parameters of LapRLS", "greedy, tuned", "RLS(l)", "RLS(n,dmax)", "RLS(n)"}

var sparsePrinted52 = map[string][6]float64{
	"2MOONS":    {0.44, 16.45, 8.42, 20.04, 0, 0},
	"G50C":      {11.20, 26.79, 18.11, 18.90, 4.37, 4.35},
	"COIL20BIN": {6.63, 19.09, 9.97, 13.04, 2.22, 0.28},
	"USPS25":    {7.26, 12.49, 11.36, 11.29, 4.27, 4.0},
	"PCMAC":     {9.60, 14.65, 10.40, 14.78, 3.08, 2.26},
}

// sparseValid is the metric of machines that know all labels of the graph's rows.
const sparseValid = "error % of validation"

// sindhwaniT52 shows what few functions lose.
func sindhwaniT52(ctx context.Context, l *lab) error {
	declare(ctx, "printed", sparsePrinted52)
	err := l.eachDraw(ctx, func(ctx context.Context, s sparseSet, d *sparseDraw) error {
		all, err := d.losses(ctx)
		if err != nil {
			return err
		}
		for q, r := range all {
			if q < 4 {
				l.shown(s.name, machines52[q], sparsePrinted52[s.name][q], r.hidden)
				continue
			}
			l.printed(s.name+", "+machines52[q], sparseValid, sparsePrinted52[s.name][q])
			l.add(s.name+", "+machines52[q], sparseValid, r.valid)
		}
		l.interim(s.name+", "+machines52[2], sparseError)
		return nil
	})
	return err
}

// losses are the best machines of table 5.2 on a draw.
func (d *sparseDraw) losses(ctx context.Context) (all [6]sparseResult, err error) {
	graphs, widths := numbersTo(len(d.grid.graphs)), numbersTo(len(d.grid.widths))
	list := d.grid.each(graphs, widths, false)
	if all[0], err = d.tuned(ctx, list, d.full); err != nil {
		return all, err
	}
	if all[1], err = d.tuned(ctx, []sparseTheta{all[0].theta}, d.greedy); err != nil {
		return all, err
	}
	if all[2], err = d.tuned(ctx, list, d.greedy); err != nil {
		return all, err
	}
	rows := numbersTo(len(d.y))
	var alone []sparseTheta
	for _, w := range widths {
		for _, a := range append([]float64{1e-6, 1}, d.grid.a...) {
			alone = append(alone, sparseTheta{width: w, a: a})
		}
	}
	for q, machine := range map[int]func(context.Context, sparseTheta) ([]int, *mat.Dense, error){
		3: func(ctx context.Context, t sparseTheta) ([]int, *mat.Dense, error) {
			return d.supervised(ctx, t, d.labelled)
		},
		4: d.oracle,
		5: func(ctx context.Context, t sparseTheta) ([]int, *mat.Dense, error) { return d.supervised(ctx, t, rows) },
	} {
		if all[q], err = d.tuned(ctx, alone, machine); err != nil {
			return all, err
		}
	}
	return all, nil
}

// oracle is RLS on few functions with the labels of all rows of the graph.
func (d *sparseDraw) oracle(ctx context.Context, t sparseTheta) ([]int, *mat.Dense, error) {
	p := basis.Targets(d.gram[t.width], d.truth(), nil, t.a)
	path, err := d.pursuit().Choose(ctx, p, d.size)
	if err != nil {
		return nil, nil, err
	}
	f, err := basis.Fit(ctx, p, path.Centres)
	if err != nil {
		return nil, nil, err
	}
	return path.Centres, f.Beta, nil
}
