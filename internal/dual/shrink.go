package dual

import (
	"context"
	"slices"
)

// shrinkShare is the share of the active columns that must go before the rows in the
// store are worth rewriting.
const shrinkShare = 0.2

// group is a set of columns set aside together. Their f is that of the beta
// remembered, so that bringing it up to date takes only what has changed since.
type group struct {
	cols []int32
	beta []float64
}

// shrink sets aside the variables at a bound whose residual says that they stay
// there (Chang and Lin 2011, section 5.1): those that cannot grow with F above every F
// of U, those that cannot shrink with F below every F of L. A column goes when
// all its variables do. Nothing happens unless more than share of the columns go.
func (d *decomposition) shrink(most, least [2]float64, share float64) bool {
	if d.o.NoShrink || d.seed != nil { // rows in the store are for others too
		return false
	}
	if !d.p.Offset && !d.p.Nu {
		most[0], least[0] = max(most[0], 0), min(least[0], 0)
	}
	stays := make([]bool, len(d.active))
	count := 0
	for _, t := range d.vars {
		c := d.place[d.col[t]]
		if stays[c] {
			continue
		}
		part := 0
		if d.second != nil && d.second[t] {
			part = 1
		}
		v := d.h[t] - d.fa[c]
		if d.beta[t] >= d.hi[t] && v > most[part] || d.beta[t] <= d.lo[t] && v < least[part] {
			continue
		}
		stays[c] = true
		count++
	}
	if count == len(d.active) || float64(len(d.active)-count) < share*float64(len(d.active)) {
		return false
	}
	g := group{beta: slices.Clone(d.beta)}
	keep := make([]int32, 0, count)
	active := make([]int32, 0, count)
	fa := make([]float64, 0, count)
	for c, r := range d.active {
		if !stays[c] {
			g.cols = append(g.cols, r)
			d.f[r] = d.fa[c]
			d.place[r] = -1
			continue
		}
		d.place[r] = int32(len(active))
		keep = append(keep, int32(c))
		active = append(active, r)
		fa = append(fa, d.fa[c])
	}
	d.aside = append(d.aside, g)
	old := len(d.active)
	d.active, d.fa = active, fa
	d.vars = slices.DeleteFunc(d.vars, func(t int32) bool { return d.place[d.col[t]] < 0 })
	if d.store.width == old {
		d.store.narrow(d.kernelRows(active), keep, func(r int32) bool { return d.place[r] >= 0 })
	} else {
		d.store.reset(d.kernelRows(active), len(active))
	}
	return true
}

// restore brings the f of all rows up to date, in d.f.
func (d *decomposition) restore(ctx context.Context) error {
	for i, r := range d.active {
		d.f[r] = d.fa[i]
	}
	for _, g := range d.aside {
		f := make([]float64, len(g.cols))
		for i, r := range g.cols {
			f[i] = d.f[r]
		}
		rows, delta := d.support(func(t int) float64 { return d.beta[t] - g.beta[t] })
		if err := d.accumulate(ctx, f, d.kernelRows(g.cols), rows, delta); err != nil {
			return err
		}
		for i, r := range g.cols {
			d.f[r] = f[i]
		}
	}
	return nil
}
