package neighbours

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
)

// Drawn is what the first pass knows of some shards.
type Drawn struct {
	Rows  []int // of each shard
	Stats *data.ColumnStats
	Some  []Row // drawn, in the order of their hashes
	Most  int   // that are drawn

	Skipped []string // lines left out, as FILE:LINE
}

// Row is one that was drawn, as it was read.
type Row struct {
	Hash       uint64
	Shard, Row int
	Value      []float64
}

func (r Row) before(o Row) int {
	return cmp.Or(cmp.Compare(r.Hash, o.Hash), cmp.Compare(r.Shard, o.Shard), cmp.Compare(r.Row, o.Row))
}

// Draw goes over one shard. A row is drawn if its hash is among the smallest, so that every row has the same chance and shards may be
// joined in any order.
func Draw(ctx context.Context, file string, number int, o shard.Options, p *Plan) (*Drawn, error) {
	var d *Drawn
	var last *Row // only rows before it are drawn
	begin := func() { d, last = &Drawn{Rows: []int{0}}, nil }
	notes, err := p.each(ctx, file, o, begin, func(from int, x *mat.Dense) error {
		n, columns := x.Dims()
		if d.Stats == nil {
			d.Stats, d.Most = data.NewColumnStats(columns), max(1000, min(sampleRows, sampleNumbers/columns))
		}
		for i := range n {
			row := x.RawRowView(i)
			d.Stats.Add(row)
			one := Row{Hash: mixed(p.Seed, uint64(number), uint64(from+i)), Shard: number, Row: from + i} //nolint:gosec // counts
			if last != nil && one.before(*last) >= 0 {
				continue
			}
			one.Value = slices.Clone(row)
			if d.Some = append(d.Some, one); len(d.Some) == 2*d.Most {
				d.least()
				last = &d.Some[d.Most-1]
			}
		}
		d.Rows[0] += n
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for _, line := range notes.Skipped {
		d.Skipped = append(d.Skipped, fmt.Sprintf("%s:%d", file, line))
	}
	d.least()
	return d, nil
}

// least leaves the rows of the smallest hashes.
func (d *Drawn) least() {
	slices.SortFunc(d.Some, Row.before)
	d.Some = d.Some[:min(d.Most, len(d.Some))]
}

// Join takes in what is known of later shards.
func (d *Drawn) Join(o *Drawn) {
	d.Rows, d.Skipped = append(d.Rows, o.Rows...), append(d.Skipped, o.Skipped...)
	switch {
	case o.Stats == nil:
		return
	case d.Stats == nil:
		d.Stats, d.Most = o.Stats, o.Most
	default:
		d.Stats.Merge(o.Stats)
	}
	d.Some = append(d.Some, o.Some...)
	d.least()
}

// Cut makes the plan of the second pass: scaling, trees, and rows whose exact lists are to be found.
func (p *Plan) Cut(d *Drawn) error {
	p.First = []int{0}
	for _, n := range d.Rows {
		p.First = append(p.First, p.First[len(p.First)-1]+n)
	}
	n := p.First[len(d.Rows)]
	if n <= p.K {
		return fmt.Errorf("%d rows have no %d neighbours each; ask for fewer by -k, or give more rows", n, p.K)
	}
	var err error
	if p.Scaling, _, err = data.ScalingOf(p.Scale, false, func() *data.ColumnStats { return d.Stats }); err != nil {
		return err
	}
	x := mat.NewDense(len(d.Some), len(d.Some[0].Value), nil)
	for i, r := range d.Some {
		x.SetRow(i, r.Value)
	}
	x = p.scaled(x)
	units := make([][]float64, len(d.Some))
	p.Queries = nil
	for i, r := range d.Some {
		units[i] = p.unit(nil, x.RawRowView(i))
		if i < queries {
			p.Queries = append(p.Queries, Query{p.First[r.Shard] + r.Row, units[i]})
		}
	}
	p.Trees = nil
	for table := range p.Tables {
		p.Trees = append(p.Trees, p.grow(table, units, n))
		if p.Trees[0].Leaves == 1 {
			break // more trees would find the same
		}
	}
	return nil
}

// mixed is a hash of three numbers (the finaliser of SplitMix64, once each).
func mixed(list ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, v := range list {
		h += v + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
