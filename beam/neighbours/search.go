package neighbours

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/replace"
)

// After the third pass every group of buckets has left a file, little-endian:
//
//	lists-N   shards+1 uint64, where the entries of each shard begin, and then the entries, by row: row, neighbour, distance, 8 bytes each

func listsPath(folder string, number int) string {
	return filepath.Join(folder, fmt.Sprintf("lists-%d", number))
}

// entry is a neighbour of a row; a file has it as words.
type entry struct {
	of int
	Near
}

// words are those of an entry.
const words = 3

// Found says what the third pass did.
type Found struct{ Pieces int }

// Join takes in what was done elsewhere.
func (f *Found) Join(o *Found) { f.Pieces += o.Pieces }

// Search finds the exact lists inside the buckets of one group and leaves them in the folder.
func Search(ctx context.Context, number int, p *Plan, folder string) (*Found, error) {
	g := p.Groups[number]
	done := new(Found)
	var list []entry
	for b := g.From; b < g.To; b++ {
		rows, x, err := p.gather(g.Table, b, folder)
		if err != nil {
			return nil, err
		}
		if len(rows) < 2 {
			continue
		}
		units := make([][]float64, len(rows))
		for i := range rows {
			units[i] = p.unit(nil, x.RawRowView(i))
		}
		for _, piece := range pieces(units, p.Bucket, p.Seed, uint64(g.Table), uint64(b), mostLevels) { //nolint:gosec // counts
			done.Pieces++
			if len(piece) < 2 {
				continue
			}
			own := data.Rows{Dense: x}
			if len(piece) < len(rows) {
				own = own.Select(piece)
			}
			k := min(p.K, len(piece)-1)
			lists, err := graph.Neighbours(ctx, own, k, p.Metric)
			if err != nil {
				return nil, err
			}
			for i, at := range piece {
				index, dist := lists.Row(i, k)
				for q, j := range index {
					list = append(list, entry{rows[at], Near{rows[piece[j]], dist[q]}})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return a.of - b.of })
	return done, replace.File(listsPath(folder, number), func(w io.Writer) error { return p.writeEntries(w, list) })
}

// writeEntries writes entries, which are by row, and where those of each shard begin.
func (p *Plan) writeEntries(w io.Writer, list []entry) error {
	text := make([]uint64, 0, len(p.First)+words*len(list))
	for _, first := range p.First {
		at, _ := slices.BinarySearchFunc(list, first, func(e entry, first int) int { return e.of - first })
		text = append(text, uint64(at)) //nolint:gosec // a count
	}
	for _, e := range list {
		text = append(text, uint64(e.of), uint64(e.Row), math.Float64bits(e.Distance)) //nolint:gosec // row numbers
	}
	return binary.Write(w, binary.LittleEndian, text)
}

// gather reads the rows of a bucket from all shards, in order, and their numbers.
func (p *Plan) gather(table, bucket int, folder string) (rows []int, x *mat.Dense, err error) {
	var values []float64
	d := len(p.Features)
	for s := range len(p.First) - 1 {
		if p.First[s] == p.First[s+1] {
			continue
		}
		at, err := p.routes(table, bucket, s, folder)
		if err != nil {
			return nil, nil, err
		}
		if len(at) == 0 {
			continue
		}
		f, err := os.Open(rowsPath(folder, s))
		if err != nil {
			return nil, nil, err
		}
		text := make([]byte, 8*d)
		for _, i := range at {
			if _, err = f.ReadAt(text, int64(i)*int64(len(text))); err != nil {
				break
			}
			for j := range d {
				values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(text[8*j:])))
			}
			rows = append(rows, p.First[s]+int(i))
		}
		_ = f.Close() // nothing was written
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", rowsPath(folder, s), err)
		}
	}
	if len(rows) == 0 {
		return nil, nil, nil
	}
	return rows, mat.NewDense(len(rows), d, values), nil
}

// routes are the rows of a shard that lie in a bucket.
func (p *Plan) routes(table, bucket, number int, folder string) ([]uint32, error) {
	n := int64(p.First[number+1] - p.First[number])
	at := int64(0)
	for _, t := range p.Trees[:table] {
		at += 8*int64(t.Leaves+1) + 4*n
	}
	f, err := os.Open(routesPath(folder, number))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var ends [2]uint64
	if err := binary.Read(io.NewSectionReader(f, at+8*int64(bucket), 16), binary.LittleEndian, &ends); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	rows := make([]uint32, ends[1]-ends[0])
	at += 8*int64(p.Trees[table].Leaves+1) + 4*int64(ends[0]) //nolint:gosec // a count
	err = binary.Read(io.NewSectionReader(f, at, 4*int64(len(rows))), binary.LittleEndian, rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return rows, nil
}
