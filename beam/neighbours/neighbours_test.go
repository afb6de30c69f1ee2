package neighbours

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/splitmix"
)

// cloud are rows of a plane in d dimensions, with noise; every tenth is that before it again, and one is zero.
func cloud(n, d int, seed uint64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		a, b := r.NormFloat64(), r.NormFloat64()
		for j := range d {
			x.Set(i, j, a*math.Sin(float64(j))+b*math.Cos(float64(2*j))+0.1*r.NormFloat64())
		}
		if i%10 == 9 {
			x.SetRow(i, x.RawRowView(i-1))
		}
	}
	x.SetRow(n/2, make([]float64, d))
	return x
}

// written writes rows to shards of different length.
func written(t *testing.T, x *mat.Dense) (folder string, files []string) {
	t.Helper()
	folder = t.TempDir()
	n, d := x.Dims()
	for k, from := 0, 0; from < n; k++ {
		to := min(n, from+n/5+7*k)
		var b strings.Builder
		for j := range d {
			fmt.Fprintf(&b, "x%d,", j)
		}
		b.WriteString("label\n")
		for i := from; i < to; i++ {
			for j := range d {
				b.WriteString(strconv.FormatFloat(x.At(i, j), 'g', -1, 64) + ",")
			}
			b.WriteString("a\n")
		}
		path := filepath.Join(folder, fmt.Sprintf("p%d.csv", k))
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		files, from = append(files, path), to
	}
	return folder, files
}

// found is what all passes give.
type found struct {
	plan   *Plan
	routed *Routed
	merged *Merged
	lists  [][]Near // Euclidean distances not squared
	text   string
}

// run does all passes, the elements of each in the order of their numbers or backwards.
func run(t *testing.T, x *mat.Dense, j Job, backwards bool) *found {
	t.Helper()
	folder, files := written(t, x)
	o := shard.Options{Unlabelled: true}
	table, err := shard.Survey(t.Context(), files, o)
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{Job: j, Features: table.Features, Label: table.LabelName, Shards: len(files)}
	n := len(files)
	f := &found{plan: p}
	drawn := done(t, n, backwards, func(i int) (*Drawn, error) { return Draw(t.Context(), files[i], i, o, p) }, (*Drawn).Join)
	if err := p.Cut(drawn); err != nil {
		t.Fatal(err)
	}
	f.routed = done(t, n, backwards, func(i int) (*Routed, error) { return Route(t.Context(), files[i], i, o, p, folder) }, (*Routed).Join)
	p.Share(f.routed)
	done(t, len(p.Groups), backwards, func(i int) (*Found, error) { return Search(t.Context(), i, p, folder) }, (*Found).Join)
	out := func(i int) string { return filepath.Join(folder, fmt.Sprintf("out-%d", i)) }
	f.merged = done(t, n, backwards, func(i int) (*Merged, error) { return Merge(t.Context(), i, p, folder, out(i)) }, (*Merged).Join)
	rows, _ := x.Dims()
	f.lists = make([][]Near, rows)
	for i := range n {
		text, err := os.ReadFile(out(i))
		if err != nil {
			t.Fatal(err)
		}
		f.text += string(text)
		records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records[1:] {
			of, _ := strconv.Atoi(r[0])
			to, _ := strconv.Atoi(r[1])
			d, err := strconv.ParseFloat(r[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			f.lists[of] = append(f.lists[of], Near{to, d})
		}
	}
	return f
}

// done does n elements of a pass and joins their answers in order.
func done[T any](t *testing.T, n int, backwards bool, do func(i int) (*T, error), join func(a, b *T)) *T {
	t.Helper()
	list := make([]*T, n)
	for k := range n {
		i := k
		if backwards {
			i = n - 1 - k
		}
		var err error
		if list[i], err = do(i); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range list[1:] {
		join(list[0], o)
	}
	return list[0]
}

// exact are the lists of package graph of all rows in one piece.
func exact(t *testing.T, x *mat.Dense, j Job) [][]Near {
	t.Helper()
	rows := data.Rows{Dense: x}
	s, _, err := data.FitScaling(j.Scale, rows)
	if err != nil {
		t.Fatal(err)
	}
	l, err := graph.Neighbours(t.Context(), s.Apply(rows), j.K, j.Metric)
	if err != nil {
		t.Fatal(err)
	}
	lists := make([][]Near, rows.Len())
	for i := range lists {
		index, dist := l.Row(i, j.K)
		for q, to := range index {
			d := dist[q]
			if j.Metric != graph.Cosine {
				d = math.Sqrt(d)
			}
			lists[i] = append(lists[i], Near{int(to), d})
		}
	}
	return lists
}

// TestOneBucket: a bucket that takes all rows gives the exact lists, ties and copies of rows included.
func TestOneBucket(t *testing.T) {
	x := cloud(150, 6, 2)
	for _, j := range []Job{
		{K: 5, Tables: 3, Bucket: 150, Scale: data.ScaleNone},
		{K: 7, Tables: 1, Bucket: 1000, Scale: data.ScaleNone, Metric: graph.Cosine},
		{K: 149, Tables: 1, Bucket: 300, Scale: data.ScaleNone},
		{K: 5, Tables: 1, Bucket: 150, Scale: data.ScaleStandard},
	} {
		f, want := run(t, x, j, false), exact(t, x, j)
		for i, list := range f.lists {
			if j.Scale == data.ScaleNone && !slices.Equal(list, want[i]) {
				t.Fatalf("%+v: row %d has %v, exactly %v", j, i, list, want[i])
			}
			for q, n := range list { // sums of shards are rounded otherwise, so that copies may change places
				if math.Abs(n.Distance-want[i][q].Distance) > 1e-12 {
					t.Fatalf("%+v: row %d has %v, exactly %v", j, i, list, want[i])
				}
			}
		}
		if share, rows := f.plan.Recall(f.routed, f.merged); share != 1 || rows != 150 || f.merged.Short != 0 || len(f.plan.Trees) != 1 {
			t.Errorf("%+v: recall %g of %d rows, %d short", j, share, rows, f.merged.Short)
		}
	}
}

// TestBuckets: with many buckets distances are true ones, in order, the recall that is measured is that of all rows where all
// are asked, and a further table makes no list worse.
func TestBuckets(t *testing.T) {
	x := cloud(190, 6, 3)
	for _, metric := range []graph.Metric{graph.Euclidean, graph.Cosine} {
		j := Job{K: 6, Bucket: 40, Scale: data.ScaleNone, Metric: metric, Seed: 4}
		all := j
		all.K = 189
		distance, best := make([]map[int]float64, 190), exact(t, x, j)
		for i, list := range exact(t, x, all) {
			distance[i] = map[int]float64{}
			for _, n := range list {
				distance[i][n.Row] = n.Distance
			}
		}
		var before [][]Near
		last := 0.0
		for j.Tables = 1; j.Tables <= 4; j.Tables++ {
			f := run(t, x, j, false)
			hits := 0
			for i, list := range f.lists {
				if !slices.IsSortedFunc(list, Near.before) || len(list) > j.K {
					t.Fatalf("row %d: %v", i, list)
				}
				for q, n := range list {
					if n.Row == i || n.Distance != distance[i][n.Row] {
						t.Fatalf("row %d to %d: %g, is %g", i, n.Row, n.Distance, distance[i][n.Row])
					}
					if slices.Contains(best[i], n) {
						hits++
					}
					if before != nil && q < len(before[i]) && before[i][q].before(n) < 0 {
						t.Fatalf("row %d: %v, with a table less %v", i, list, before[i])
					}
				}
				if before != nil && len(list) < len(before[i]) {
					t.Fatalf("row %d: %d neighbours, with a table less %d", i, len(list), len(before[i]))
				}
			}
			share, rows := f.plan.Recall(f.routed, f.merged)
			if rows != 190 || math.Abs(share-float64(hits)/(6*190)) > 1e-12 || share < last {
				t.Errorf("%d tables: recall %g of %d rows, by hand %g, with a table less %g", j.Tables, share, rows, float64(hits)/(6*190),
					last)
			}
			before, last = f.lists, share
		}
		if last < 0.9 || last > 1 {
			t.Errorf("recall %g of 4 tables", last)
		}
	}
}

// TestOrder: neither the order of elements nor the processors show in the lists.
func TestOrder(t *testing.T) {
	j := Job{K: 4, Tables: 3, Bucket: 30, Scale: data.ScaleStandard, Seed: 9}
	x := cloud(200, 5, 5)
	a, b := run(t, x, j, false), run(t, x, j, true)
	if a.text != b.text {
		t.Error("the order of elements changes the lists")
	}
	j.Seed++
	if c := run(t, x, j, false); c.text == a.text {
		t.Error("the seed changes nothing")
	}
}

// TestCopies: rows that no projection parts are shared out all the same.
func TestCopies(t *testing.T) {
	x := mat.NewDense(100, 3, nil)
	for i := range 100 {
		x.SetRow(i, []float64{1, 2, 3})
	}
	j := Job{K: 3, Tables: 2, Bucket: 10, Scale: data.ScaleNone}
	f := run(t, x, j, false)
	for i, list := range f.lists {
		if len(list) != 3 || list[2].Distance != 0 {
			t.Fatalf("row %d: %v", i, list)
		}
	}
}

// TestPieces: pieces have no more rows than is asked, and every row is in one of them.
func TestPieces(t *testing.T) {
	x := cloud(101, 4, 6)
	rows := make([][]float64, 101)
	for i := range rows {
		rows[i] = x.RawRowView(i)
	}
	for most := 2; most < 120; most += 13 {
		seen := make([]bool, len(rows))
		for _, piece := range pieces(rows, most, 1, 2) {
			if len(piece) > most || !slices.IsSorted(piece) {
				t.Fatalf("%d rows of %d: %v", len(piece), most, piece)
			}
			for _, i := range piece {
				if seen[i] {
					t.Fatalf("row %d twice", i)
				}
				seen[i] = true
			}
		}
		if slices.Contains(seen, false) {
			t.Fatal("a row is in no piece")
		}
	}
}

// TestTree: a row that was drawn lies in the bucket that its part became, and buckets have at most as many as they should by their share.
func TestTree(t *testing.T) {
	x := cloud(800, 4, 7)
	rows := make([][]float64, 800)
	for i := range rows {
		rows[i] = x.RawRowView(i)
	}
	p := &Plan{Job: Job{Bucket: 100}}
	tree := p.grow(1, rows, 800)
	count := make([]int, tree.Leaves)
	for _, r := range rows {
		count[tree.bucket(r)]++
	}
	if least, most := slices.Min(count), slices.Max(count); most > 80 || least < 1 || tree.Leaves < 10 {
		t.Errorf("buckets of %v", count)
	}
}

// TestDrawnRows: what shards give together are the rows of the smallest hashes of all of them, however many rows each has, and enough
// of them where they have the same number.
func TestDrawnRows(t *testing.T) {
	part := func(from, to, most int) *Drawn {
		d := &Drawn{Rows: []int{to - from}, Stats: data.NewColumnStats(1), Most: 50}
		for i := from; i < to; i++ {
			d.Some = append(d.Some, Row{Hash: splitmix.Hash(1, uint64(i)), Row: i})
		}
		d.least(most)
		return d
	}
	all := part(0, 1000, 1000)
	if len(all.Some) != 1000 || all.Below != 0 {
		t.Fatalf("%d rows of 1000", len(all.Some))
	}
	for _, ends := range [][]int{{0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}, {0, 5, 900, 905, 950, 1000}, {0, 1000}} {
		one := part(ends[0], ends[1], 20)
		for k := 1; k+1 < len(ends); k++ {
			one.Join(part(ends[k], ends[k+1], 20))
		}
		for i, r := range one.Some {
			if r.Row != all.Some[i].Row {
				t.Fatalf("shards to %v: row %d is drawn, of all %d", ends, r.Row, all.Some[i].Row)
			}
		}
		if n := len(one.Some); n > 50 || n < 20 || len(ends) == 11 && n != 50 || len(one.Rows) != len(ends)-1 {
			t.Errorf("shards to %v: %d rows drawn of %d shards", ends, n, len(one.Rows))
		}
	}
}

// TestFaults: what cannot be done is told.
func TestFaults(t *testing.T) {
	for _, j := range []Job{
		{K: 0, Tables: 1, Bucket: 10}, {K: 5, Bucket: 100}, {K: 5, Tables: 1, Bucket: 11}, {K: 5, Tables: 1, Bucket: 1 << 30},
	} {
		if j.Check() == nil {
			t.Errorf("%+v", j)
		}
	}
	folder, files := written(t, cloud(50, 3, 8))
	o := shard.Options{Unlabelled: true}
	p := &Plan{Job: Job{K: 60, Tables: 1, Bucket: 200}, Features: []string{"x0", "x1", "x2"}, Label: "label", Shards: len(files)}
	drawn := done(t, len(files), false, func(i int) (*Drawn, error) { return Draw(t.Context(), files[i], i, o, p) }, (*Drawn).Join)
	if err := p.Cut(drawn); err == nil || !strings.Contains(err.Error(), "50 rows") {
		t.Errorf("%v", err)
	}
	p.K = 3
	if err := p.Cut(drawn); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], append(text, text[strings.Index(string(text), "\n")+1:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Route(t.Context(), files[0], 0, o, p, folder); err == nil || !strings.Contains(err.Error(), "leave shards alone") {
		t.Errorf("a shard that has grown: %v", err)
	}
	if err := os.WriteFile(files[0], []byte("x0,x1,x2\n1,2,3\n,,\n4,5,6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Draw(t.Context(), files[0], 0, o, p); err == nil || !strings.Contains(err.Error(), ":3:1:") {
		t.Errorf("a row without any value, which has a number: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Route(ctx, files[1], 1, o, p, folder); err == nil {
		t.Error("a pass that was interrupted ended well")
	}
}
