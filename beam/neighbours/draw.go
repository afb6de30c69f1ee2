package neighbours

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/splitmix"
)

// Drawn is what the first pass knows of some shards.
type Drawn struct {
	Rows  []int // of each shard
	Stats *data.ColumnStats
	Some  []Row  // all whose hash is below Below, in the order of their hashes
	Below uint64 // of the rows drawn; 0: all rows are
	Most  int    // rows that are drawn of all shards

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

// Draw goes over one shard. A row is drawn if its hash is below a bound, so that every row has the same chance. The bound is that of the
// smallest hashes of the shard, of which it gives four times its part if all have the same number of rows, 2000 at least;
// shards that are joined take the least of their bounds.
func Draw(ctx context.Context, file string, number int, o shard.Options, p *Plan) (*Drawn, error) {
	var d *Drawn
	most := 0
	begin := func() { d = &Drawn{Rows: []int{0}} }
	notes, err := p.each(ctx, file, o, begin, func(from int, x *mat.Dense) error {
		n, columns := x.Dims()
		if d.Stats == nil {
			d.Stats, d.Most = data.NewColumnStats(columns), max(1000, min(sampleRows, sampleNumbers/columns))
			most = min(d.Most, max(shardRows, 4*d.Most/max(1, p.Shards)))
		}
		for i := range n {
			row := x.RawRowView(i)
			d.Stats.Add(row)
			one := Row{Hash: splitmix.Hash(p.Seed, uint64(number), uint64(from+i)), Shard: number, Row: from + i} //nolint:gosec // counts
			if d.Below > 0 && one.Hash >= d.Below {
				continue
			}
			one.Value = slices.Clone(row)
			if d.Some = append(d.Some, one); len(d.Some) == 2*most {
				d.least(most)
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
	d.least(most)
	return d, nil
}

// least leaves so many rows of the smallest hashes at most, all below the bound.
func (d *Drawn) least(most int) {
	slices.SortFunc(d.Some, Row.before)
	if len(d.Some) > most {
		if bound := max(d.Some[most].Hash, 1); d.Below == 0 || bound < d.Below {
			d.Below = bound
		}
	}
	if d.Below > 0 {
		k := sort.Search(len(d.Some), func(k int) bool { return d.Some[k].Hash >= d.Below })
		clear(d.Some[k:])
		d.Some = d.Some[:k]
	}
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
	if o.Below > 0 && (d.Below == 0 || o.Below < d.Below) {
		d.Below = o.Below
	}
	d.Some = append(d.Some, o.Some...)
	d.least(d.Most)
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
