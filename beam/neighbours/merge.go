package neighbours

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/replace"
)

// Merged is what became of some shards.
type Merged struct {
	Rows, Pairs int
	Short       int            // rows with fewer neighbours than were asked for
	Queries     map[int][]Near // the lists of those queries that lie there, by their numbers
}

// Join takes in what became of others.
func (m *Merged) Join(o *Merged) {
	m.Rows, m.Pairs, m.Short = m.Rows+o.Rows, m.Pairs+o.Pairs, m.Short+o.Short
	if m.Queries == nil {
		m.Queries = map[int][]Near{}
	}
	for q, list := range o.Queries {
		m.Queries[q] = list
	}
}

// Merge joins the lists that all tables have of the rows of one shard, and writes them as CSV row,neighbour,distance: Euclidean or
// cosine distances, rows numbered from 0 over all shards.
func Merge(ctx context.Context, number int, p *Plan, folder, output string) (*Merged, error) {
	first, n := p.First[number], p.First[number+1]-p.First[number]
	lists := make([][]Near, n)
	for g := range p.Groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		own, err := p.entries(g, number, folder)
		if err != nil {
			return nil, err
		}
		for _, e := range own {
			at := e.of - first
			lists[at] = offer(lists[at], p.K, e.Near)
		}
	}
	m := &Merged{Rows: n, Queries: map[int][]Near{}}
	for _, list := range lists {
		m.Pairs += len(list)
		if len(list) < p.K {
			m.Short++
		}
	}
	for q, query := range p.Queries {
		if query.Row >= first && query.Row < first+n {
			m.Queries[q] = lists[query.Row-first]
		}
	}
	return m, replace.File(output, func(w io.Writer) error { return p.write(w, first, lists) })
}

// entries are those of a group that belong to a shard.
func (p *Plan) entries(group, number int, folder string) ([]entry, error) {
	f, err := os.Open(listsPath(folder, group))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var ends [2]uint64
	if err := binary.Read(io.NewSectionReader(f, 8*int64(number), 16), binary.LittleEndian, &ends); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	text := make([]uint64, words*(ends[1]-ends[0]))
	at := 8 * (int64(len(p.First)) + words*int64(ends[0])) //nolint:gosec // a count
	if err := binary.Read(io.NewSectionReader(f, at, 8*int64(len(text))), binary.LittleEndian, text); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	list := make([]entry, len(text)/words)
	for i := range list {
		e := text[words*i:]
		list[i] = entry{int(e[0]), Near{int(e[1]), math.Float64frombits(e[2])}} //nolint:gosec // row numbers
	}
	return list, nil
}

// write writes lists as CSV.
func (p *Plan) write(w io.Writer, first int, lists [][]Near) error {
	line := []byte("row,neighbour,distance\n")
	if _, err := w.Write(line); err != nil {
		return err
	}
	for i, list := range lists {
		for _, n := range list {
			d := n.Distance
			if p.Metric != graph.Cosine {
				d = math.Sqrt(d)
			}
			line = strconv.AppendInt(line[:0], int64(first+i), 10)
			line = strconv.AppendInt(append(line, ','), int64(n.Row), 10)
			line = append(strconv.AppendFloat(append(line, ','), d, 'g', -1, 64), '\n')
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// Recall is the share of the exact neighbours of the queries that were found, and of how many rows.
func (p *Plan) Recall(r *Routed, m *Merged) (share float64, rows int) {
	found, all := 0, 0
	for q, exact := range r.Exact {
		is := map[int]bool{}
		for _, n := range m.Queries[q] {
			is[n.Row] = true
		}
		for _, n := range exact {
			if all++; is[n.Row] {
				found++
			}
		}
	}
	return float64(found) / float64(max(all, 1)), len(r.Exact)
}
