package dual

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// sample is the number of rows on which the residuals are checked.
const sample = 256

// verify compares f with f computed anew on a sample: the rows with the extreme
// residuals and rows spread over all. If they differ by more than the tolerance all
// are computed anew and fresh is true. Sums are double precision, so a difference
// comes from kernel values whose last bits depend on the block they are read in.
// Cost: 256 values a support vector.
func (d *decomposition) verify(ctx context.Context) (fresh bool, err error) {
	var places []int32
	seen := make([]bool, d.n)
	add := func(c int32) {
		if !seen[c] {
			seen[c] = true
			places = append(places, c)
		}
	}
	for q := range d.tops {
		items := d.tops[q].items
		slices.SortFunc(items, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.v, a.v), cmp.Compare(a.t, b.t))
		})
		for i := 0; i < len(items) && i < sample/8; i++ {
			add(d.col[items[i].t])
		}
	}
	spread := min(sample/2, d.n)
	for i := range spread {
		add(int32(i * d.n / spread))
	}
	rows, beta := d.support(func(t int) float64 { return d.beta[t] })
	v := make([]float64, len(places))
	if err := d.accumulate(ctx, v, d.kernelRows(places), rows, beta); err != nil {
		return false, err
	}
	d.drift = 0
	for i, c := range places {
		d.drift = max(d.drift, math.Abs(v[i]-d.f[c]))
	}
	if d.drift <= d.o.Tolerance {
		return false, nil
	}
	clear(d.f)
	return true, d.accumulate(ctx, d.f, d.whole(), rows, beta)
}

// fault names a kernel value that made the residual of row c not finite.
func (d *decomposition) fault(c int) error {
	if err := d.checkBlock(); err != nil {
		return err
	}
	rows, _ := d.support(func(t int) float64 { return d.beta[t] })
	v := make([]float32, len(rows))
	d.k.Block(v, []int{d.rows[c]}, rows)
	for i, x := range v {
		if x-x != 0 {
			return notFinite(d.rows[c], rows[i], float64(x))
		}
	}
	return notFinite(d.rows[c], d.rows[c], math.NaN())
}

// checkBlock looks for values that are not finite in the block.
func (d *decomposition) checkBlock() error {
	for i, v := range d.block.k {
		if v-v != 0 {
			return notFinite(d.list[i/d.block.n], d.list[i%d.block.n], float64(v))
		}
	}
	return nil
}
