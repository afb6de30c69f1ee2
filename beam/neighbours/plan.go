// Package neighbours finds the nearest neighbours of rows that are too many for one machine, in four passes over shards:
//
//	draw    rows are counted and some of them drawn; trees of random projections cut the space so that about so many rows lie in a
//	        bucket, several trees ("tables") because near rows may lie on two sides of a cut
//	route   each row goes to its bucket in every tree; for a few rows the exact lists are found on the way
//	search  exact lists inside every bucket (package graph)
//	merge   the lists that the tables have of a row are joined, nearest first, ties by the lower row
//
// A list is right but for neighbours that share no bucket with their row; the share of those that were found is measured on the rows
// whose exact lists are known (Recall). With one bucket lists are exact. Trees depend on the seed and the rows, on nothing else, so that
// neither workers nor the order of their work show in the result.
//
// Cost: a pass of reading, tables x depth products of length d a row for routing, as many distances a row as Queries, and
// bucket x tables distances a row for the lists. Disk in the shared folder: 8 d + 4 tables bytes a row, and 24 k tables for the lists.
// Source: Dasgupta and Freund, Random projection trees and low dimensional manifolds, STOC 2008.
//
// Change here how rows are shared out among buckets; package graph has the lists of one.
package neighbours

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/vec"
)

// Job is what is asked for.
type Job struct {
	K      int          // neighbours of a row
	Tables int          // trees
	Bucket int          // rows of a bucket at most
	Metric graph.Metric // of the scaled columns
	Scale  string       // as of mercer: "" is auto
	Seed   uint64
}

// Check says what cannot be asked for.
func (j Job) Check() error {
	switch {
	case j.K < 1:
		return fmt.Errorf("-k %d: ask for at least 1 neighbour", j.K)
	case j.Tables < 1 || j.Tables > mostTables:
		return fmt.Errorf("--tables %d: must be from 1 to %d", j.Tables, mostTables)
	case j.Bucket < 2*j.K+2:
		return fmt.Errorf("--bucket %d: a bucket needs at least %d rows for lists of %d", j.Bucket, 2*j.K+2, j.K)
	case j.Bucket > mostBucket:
		return fmt.Errorf("--bucket %d: at most %d, because each row of a bucket is compared with all others", j.Bucket, mostBucket)
	}
	return nil
}

const (
	mostTables = 64
	mostBucket = 1 << 17
	// batchRows are read at a time.
	batchRows = 4096
	// sampleRows and sampleNumbers bound the rows that are drawn.
	sampleRows    = 20_000
	sampleNumbers = 4 << 20
	shardRows     = 2000 // that a shard may give of them in any case
	// queries are the rows on which the recall is measured.
	queries = 200
	// groupRows are searched in one element of work, a bucket at least.
	groupRows = 1 << 15
)

// Plan is what the passes are asked; each adds to it what the next one needs.
type Plan struct {
	Job
	Features []string
	Label    string
	Shards   int // how many there are; 0: one

	Scaling data.Scaling // since the first pass
	First   []int        // the number of the first row of each shard, and at last that of all rows
	Trees   []Tree
	Queries []Query

	Groups []Group // since the second pass
}

// Query is a row whose exact list is found.
type Query struct {
	Row   int
	Value []float64 // scaled
}

// Group are the buckets From to To-1 of a tree.
type Group struct{ Table, From, To int }

// Near is a neighbour.
type Near struct {
	Row      int
	Distance float64 // squared Euclidean, or cosine
}

// before orders neighbours of one row.
func (a Near) before(b Near) int {
	return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
}

// offer puts a neighbour into a list of the k nearest, if it is one of them and not there yet.
func offer(list []Near, k int, n Near) []Near {
	if len(list) == k && list[k-1].before(n) <= 0 {
		return list
	}
	at, found := slices.BinarySearchFunc(list, n, Near.before)
	if found {
		return list
	}
	list = slices.Insert(list, at, n)
	return list[:min(k, len(list))]
}

// each goes over the rows of a shard, which take gets as they were read with the number of the first among the shard's, and returns
// what there is to tell.
func (p *Plan) each(
	ctx context.Context, file string, o shard.Options, begin func(), take func(from int, x *mat.Dense) error,
) (shard.Notes, error) {
	reading := o.Reading()
	reading.Part = false // rows are numbered: one without any value is a fault, and not left out
	reading.Want, reading.Features, reading.Drop, reading.Label = p.Features, nil, nil, p.Label
	from := 0
	return shard.Each(ctx, file, o, reading, batchRows, shard.Taker{Begin: func() { from = 0; begin() }, Batch: func(set *data.Set) error {
		x := set.Rows.Dense
		if x == nil {
			return &read.Error{File: file, What: "columns are numbered", Remedy: "give CSV or Parquet, whose columns have names"}
		}
		err := take(from, x)
		from += set.Rows.Len()
		return err
	}})
}

// scaled are rows after the scaling.
func (p *Plan) scaled(x *mat.Dense) *mat.Dense { return p.Scaling.Apply(data.Rows{Dense: x}).Dense }

// unit is what of a row is projected and compared: the row itself, or, by cosines, divided by its length.
func (p *Plan) unit(dst, row []float64) []float64 {
	dst = append(dst[:0], row...)
	if p.Metric == graph.Cosine {
		sum := 0.0
		for _, v := range row {
			sum += v * v
		}
		if sum > 0 {
			scale := 1 / math.Sqrt(sum)
			for j := range dst {
				dst[j] *= scale
			}
		}
	}
	return dst
}

// distance of two rows that unit has been done to, as package graph measures it.
func (p *Plan) distance(a, b []float64) float64 {
	if p.Metric != graph.Cosine {
		return vec.SquaredDistance(a, b)
	}
	if empty(a) || empty(b) {
		return 1
	}
	return vec.SquaredDistance(a, b) / 2
}

func empty(row []float64) bool {
	return !slices.ContainsFunc(row, func(v float64) bool { return v != 0 })
}
