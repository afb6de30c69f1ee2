package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
)

// The figure is of this set and of moves up to one standard deviation.
const (
	plotted   = "breast-cancer"
	plotSteps = 20
)

// seen are the shares of draws, in %, in which a move of one column, by 0 to 1 standard deviations, is told by so many rows.
func seen(counts []int, draws int) ([]plotter.XYs, error) {
	ctx := context.Background()
	set, err := data.Builtin(plotted)
	if err != nil {
		return nil, err
	}
	lines := make([]plotter.XYs, len(counts))
	for q := range lines {
		lines[q] = make(plotter.XYs, plotSteps+1)
	}
	for seed := range uint64(draws) {
		rng := rand.New(rand.NewPCG(seed, 0xd1f7))
		order := rng.Perm(set.Rows.Len())
		half := len(order) / 2
		m, _, err := mercer.Fit(ctx, mercer.Input{Set: set.Select(order[:half])}, mercer.Recipe{Method: "rls"}, mercer.Options{})
		if err != nil {
			return nil, err
		}
		j := rng.IntN(set.Rows.Dim())
		by := stat.StdDev(mat.Col(nil, j, set.Rows.Dense), nil)
		for q, rows := range counts {
			asked := set.Rows.Select(order[half : half+rows])
			for k := range lines[q] {
				size := float64(k) / plotSteps
				other := mat.DenseCopyOf(asked.Dense)
				for i := range rows {
					other.Set(i, j, other.At(i, j)+size*by)
				}
				d, err := m.Drift(ctx, data.Rows{Dense: other})
				if err != nil {
					return nil, err
				}
				lines[q][k].X = size
				if len(d.Moved) > 0 {
					lines[q][k].Y += 100 / float64(draws)
				}
			}
		}
	}
	return lines, nil
}

// draw plots how large a move so many rows show.
func draw(draws int, file string) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "one column moved by, standard deviations", "told, % of draws"
	p.Y.Min, p.Y.Max = 0, 100
	p.Add(plotter.NewGrid())
	counts := []int{25, 50, 100, 280}
	lines, err := seen(counts, draws)
	if err != nil {
		return err
	}
	for k, rows := range counts {
		line, err := plotter.NewLine(lines[k])
		if err != nil {
			return err
		}
		line.Color, line.Dashes, line.Width = plotutil.Color(k), plotutil.Dashes(k), vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(fmt.Sprintf("%d rows", rows), line)
	}
	return p.Save(vg.Points(340), vg.Points(230), file)
}
