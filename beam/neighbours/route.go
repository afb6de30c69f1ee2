package neighbours

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/internal/replace"
)

// Two files of every shard lie in the shared folder after the second pass, little-endian:
//
//	rows-N     the scaled rows, d doubles each
//	routes-N   for each table leaves+1 uint64, where its buckets begin among the rows, and then the rows by bucket, uint32 each

func rowsPath(folder string, number int) string {
	return filepath.Join(folder, fmt.Sprintf("rows-%d", number))
}

func routesPath(folder string, number int) string {
	return filepath.Join(folder, fmt.Sprintf("routes-%d", number))
}

// Routed is what the second pass knows of some shards.
type Routed struct {
	Counts [][]int  // rows of each bucket of each table
	Exact  [][]Near // the lists of the queries
	K      int
}

// Join takes in what is known of other shards.
func (r *Routed) Join(o *Routed) {
	for t, counts := range o.Counts {
		for b, n := range counts {
			r.Counts[t][b] += n
		}
	}
	for q, list := range o.Exact {
		for _, n := range list {
			r.Exact[q] = offer(r.Exact[q], r.K, n)
		}
	}
}

// Route goes over one shard and leaves its rows and their buckets in the folder.
func Route(ctx context.Context, file string, number int, o shard.Options, p *Plan, folder string) (*Routed, error) {
	temporary, err := os.CreateTemp(folder, ".rows.*.tmp")
	if err != nil {
		return nil, err
	}
	defer os.Remove(temporary.Name()) //nolint:errcheck // it has been renamed, unless there was an error
	defer temporary.Close()           //nolint:errcheck // closed below, unless there was an error
	out := bufio.NewWriterSize(temporary, 1<<20)
	var r *Routed
	var leaf [][]uint32 // of each row, by table
	var fault error
	begin := func() {
		r = &Routed{Counts: make([][]int, len(p.Trees)), Exact: make([][]Near, len(p.Queries)), K: p.K}
		leaf = make([][]uint32, len(p.Trees))
		for t := range p.Trees {
			r.Counts[t] = make([]int, p.Trees[t].Leaves)
		}
		_, err := temporary.Seek(0, io.SeekStart)
		fault = errors.Join(err, temporary.Truncate(0))
		out.Reset(temporary)
	}
	var unit []float64
	_, err = p.each(ctx, file, o, begin, func(from int, x *mat.Dense) error {
		if fault != nil {
			return fault
		}
		x = p.scaled(x)
		n, _ := x.Dims()
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			row := x.RawRowView(i)
			unit = p.unit(unit, row)
			for t := range p.Trees {
				b := p.Trees[t].bucket(unit)
				r.Counts[t][b]++
				leaf[t] = append(leaf[t], uint32(b)) //nolint:gosec // trees have fewer than 2^32 leaves
			}
			r.measure(p, p.First[number]+from+i, unit)
			if err := writeRow(out, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = errors.Join(out.Flush(), temporary.Close())
	}
	if err != nil {
		return nil, err
	}
	if n := p.First[number+1] - p.First[number]; len(leaf[0]) != n {
		return nil, fmt.Errorf("%s: has %d rows, and had %d when it was read first; leave shards alone while they are worked on",
			file, len(leaf[0]), n)
	}
	if err := os.Rename(temporary.Name(), rowsPath(folder, number)); err != nil {
		return nil, err
	}
	return r, replace.File(routesPath(folder, number), func(w io.Writer) error { return writeRoutes(w, leaf, r.Counts) })
}

// measure offers a row to the exact lists of the queries.
func (r *Routed) measure(p *Plan, row int, unit []float64) {
	for q, query := range p.Queries {
		if query.Row != row {
			r.Exact[q] = offer(r.Exact[q], p.K, Near{row, p.distance(query.Value, unit)})
		}
	}
}

func writeRow(w io.Writer, row []float64) error {
	var one [8]byte
	for _, v := range row {
		binary.LittleEndian.PutUint64(one[:], math.Float64bits(v))
		if _, err := w.Write(one[:]); err != nil {
			return err
		}
	}
	return nil
}

// writeRoutes writes the rows of a shard by bucket.
func writeRoutes(w io.Writer, leaf [][]uint32, counts [][]int) error {
	for t, of := range leaf {
		begin := make([]uint64, len(counts[t])+1)
		for b, n := range counts[t] {
			begin[b+1] = begin[b] + uint64(n) //nolint:gosec // a count
		}
		if err := binary.Write(w, binary.LittleEndian, begin); err != nil {
			return err
		}
		rows := make([]uint32, len(of))
		for i, b := range of {
			rows[begin[b]] = uint32(i) //nolint:gosec // a shard has fewer than 2^32 rows
			begin[b]++
		}
		if err := binary.Write(w, binary.LittleEndian, rows); err != nil {
			return err
		}
	}
	return nil
}

// Share makes the plan of the third pass: groups of buckets, which are elements of its work.
func (p *Plan) Share(r *Routed) (largest int) {
	p.Groups = nil
	for t, counts := range r.Counts {
		from, rows := 0, 0
		for b, n := range counts {
			largest = max(largest, n)
			if rows += n; rows >= groupRows || b+1 == len(counts) {
				p.Groups = append(p.Groups, Group{t, from, b + 1})
				from, rows = b+1, 0
			}
		}
	}
	return largest
}
