package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/basis"
)

// sindhwaniF51 draws errors against the number of basis functions.
func sindhwaniF51(ctx context.Context, l *lab) error {
	curves := map[string]*sizeCurves{}
	err := l.eachDraw(ctx, func(ctx context.Context, s sparseSet, d *sparseDraw) error {
		if curves[s.name] == nil {
			curves[s.name] = &sizeCurves{sums: map[string][]float64{}}
		}
		return d.bySize(ctx, curves[s.name])
	})
	if err != nil {
		return err
	}
	for _, s := range sparseSets() {
		c := curves[s.name]
		if c == nil {
			continue
		}
		f := Figure{Name: s.name, Title: s.name + ": error % of rows without a label", X: Axis{Name: "basis functions", Log: true},
			Y: Axis{Name: "error %"}}
		for _, name := range sizeNames {
			y := make([]float64, len(c.sizes))
			for q, v := range c.sums[name] {
				y[q] = v / float64(c.draws)
				if c.sizes[q] == float64(c.basis) {
					l.add(fmt.Sprintf("%s, %s, d %d", s.name, name, c.basis), sparseError, y[q])
				}
			}
			f.Curves = append(f.Curves, Curve{Name: name, X: c.sizes, Y: y})
		}
		l.draw(f)
	}
	return nil
}

var sizeNames = [4]string{"greedy", "random", "RLS(n,d)", "RLS(l)"}

// sizeCurves are sums of errors over draws.
type sizeCurves struct {
	sizes []float64
	basis int
	draws int
	sums  map[string][]float64
}

// bySize adds the errors of a draw.
func (d *sparseDraw) bySize(ctx context.Context, c *sizeCurves) error {
	graphs, widths := numbersTo(len(d.grid.graphs)), numbersTo(len(d.grid.widths))
	lap, err := d.tuned(ctx, d.grid.each(graphs, widths, false), d.full)
	if err != nil {
		return err
	}
	t := lap.theta
	if c.sizes == nil {
		c.basis = d.size
		most := float64(len(d.y)) / 2
		for v := 1.0; v <= most; v = math.Max(v+1, math.Round(v*1.6)) {
			if len(c.sizes) > 0 && c.sizes[len(c.sizes)-1] < float64(d.size) && v > float64(d.size) {
				c.sizes = append(c.sizes, float64(d.size))
			}
			c.sizes = append(c.sizes, v)
		}
	}
	c.draws++
	most := int(c.sizes[len(c.sizes)-1])
	plain, known := d.plain(t), basis.Targets(d.gram[t.width], d.truth(), nil, t.a)
	random, err := basis.Random{Seed: d.seed}.Choose(ctx, plain, most)
	if err != nil {
		return err
	}
	drawn, err := basis.Along(ctx, plain, random.Centres)
	if err != nil {
		return err
	}
	greedy, err := d.pursuit().Choose(ctx, plain, most)
	if err != nil {
		return err
	}
	oracle, err := d.pursuit().Choose(ctx, known, most)
	if err != nil {
		return err
	}
	for name, path := range map[string]basis.Path{sizeNames[0]: greedy, sizeNames[1]: drawn, sizeNames[2]: oracle} {
		if c.sums[name] == nil {
			c.sums[name] = make([]float64, len(c.sizes))
		}
		for q, size := range c.sizes {
			m := min(int(size), len(path.Objective)) // a path ends where nothing adds to it
			r, err := d.judge(t.width, path.Centres[:m], path.Beta(m))
			if err != nil {
				return err
			}
			c.sums[name][q] += r.hidden
		}
	}
	rows, beta, err := d.supervised(ctx, t, d.labelled)
	if err != nil {
		return err
	}
	r, err := d.judge(t.width, rows, beta)
	if c.sums[sizeNames[3]] == nil {
		c.sums[sizeNames[3]] = make([]float64, len(c.sizes))
	}
	for q := range c.sizes {
		c.sums[sizeNames[3]][q] += r.hidden
	}
	return err
}
