package design

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/relevance"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"gonum.org/v1/gonum/mat"
)

// waves is a regression on the first of three columns.
func waves(n int) *learn.Problem {
	r := rand.New(rand.NewPCG(11, 1))
	x, y := mat.NewDense(n, 3, nil), mat.NewDense(n, 1, nil)
	p := &learn.Problem{Task: data.Regression, Rows: data.Rows{Dense: x}, Y: y}
	for i := range n {
		for k := range 3 {
			x.Set(i, k, r.NormFloat64())
		}
		y.Set(i, 0, math.Sin(2*x.At(i, 0))+0.1*r.NormFloat64())
		p.Labelled = append(p.Labelled, i)
	}
	return p
}

func makeHalves(t *testing.T, h Halves, p *learn.Problem) *choose.Machine {
	t.Helper()
	m, err := h.Make(context.Background(), &score.LeaveOut{Problem: p, Criterion: score.Press{}, Offset: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func halvesOf(p *learn.Problem, exact int) Halves {
	learner := relevance.Widths{Start: kernel.ARDRational{Power: 1}.Adapt(p.Rows), Steps: 6}
	return Halves{Learner: learner, Rows: 20, Exact: exact, Marks: Landmarks{30, 1e9}, Seed: 4}
}

// The label of a row has no part in its left-out output: neither in the widths, nor in the coefficients. That of another row has.
func TestHalvesAreHonest(t *testing.T) {
	for _, exact := range []int{1000, 10} {
		p := waves(60)
		before := makeHalves(t, halvesOf(p, exact), p).LeftOut
		for _, i := range []int{0, 7, 33, 59} {
			changed := *p
			changed.Y = mat.DenseCopyOf(p.Y)
			changed.Y.Set(i, 0, p.Y.At(i, 0)+2)
			after := makeHalves(t, halvesOf(p, exact), &changed).LeftOut
			teaches := slices.ContainsFunc(halvesOf(p, exact).draw(p), func(rows []int) bool { return slices.Contains(rows, i) })
			judged := teaches // of rows that teach no half's widths the ridge may be that of another row's label
			if folds := halvesOf(p, exact).Folds(p); folds != nil {
				if judged = slices.Contains(slices.Concat(folds...), i); judged == teaches {
					t.Errorf("row %d teaches %t and is judged %t", i, teaches, judged)
				}
			}
			if d := math.Abs(after.At(i, 0) - before.At(i, 0)); judged && d > 1e-9 {
				t.Errorf("exact up to %d: the label of row %d changes its own left-out output by %g", exact, i, d)
			}
			var most float64
			for q := range 60 {
				most = max(most, math.Abs(after.At(q, 0)-before.At(q, 0)))
			}
			if most < 1e-4 {
				t.Errorf("exact up to %d: the label of row %d changes no left-out output by more than %g", exact, i, most)
			}
		}
	}
}

// With a landmark for every row both ways are one machine, but for their folds.
func TestHalvesOnAllLandmarks(t *testing.T) {
	p := waves(60)
	exact, marks := halvesOf(p, 1000), halvesOf(p, 10)
	marks.Marks = Landmarks{60, 1e9}
	a, b := makeHalves(t, exact, p), makeHalves(t, marks, p)
	x := waves(20).Rows
	f, g := valuesOf(t, a, x), valuesOf(t, b, x)
	var most float64
	for i, v := range f {
		most = max(most, math.Abs(v-g[i]))
	}
	if most > 0.1 { // the ridge may be another: four times, or a quarter
		t.Errorf("outputs differ by %g", most)
	}
}

// Machines of halves and of screened columns are stopped wherever they ask.
func TestHalvesStop(t *testing.T) {
	p := waves(40)
	leaveOut := score.LeaveOut{Problem: p, Criterion: score.Press{}, Offset: true}
	screened := Screened{Start: kernel.ARDRational{Power: 1}.Adapt(p.Rows).(kernel.ARDRational), Factor: 0.5, Seed: 3}
	for name, maker := range map[string]choose.Maker{"exact": halvesOf(p, 1000), "landmarks": halvesOf(p, 10), "screened": screened} {
		t.Run(name, func(t *testing.T) {
			stoptest.Everywhere(t, func(ctx context.Context) error { _, err := maker.Make(ctx, &leaveOut); return err })
		})
	}
}

// The outputs that a machine keeps are those of its expansions.
func TestHalvesOutputs(t *testing.T) {
	p := waves(50)
	m := makeHalves(t, halvesOf(p, 1000), p)
	for i, v := range valuesOf(t, m, p.Rows) {
		if math.Abs(v-m.Outputs.At(i, 0)) > 1e-9 {
			t.Fatalf("row %d: output %g, of the expansions %g", i, m.Outputs.At(i, 0), v)
		}
	}
}

// valuesOf are the outputs of a machine's expansions.
func valuesOf(t *testing.T, m *choose.Machine, rows data.Rows) []float64 {
	t.Helper()
	out := make([]float64, rows.Len())
	for _, e := range m.Expansions {
		g, err := e.Kernel.Bind(context.Background(), e.Centres, nil)
		if err != nil {
			t.Fatal(err)
		}
		k := mat.NewDense(rows.Len(), e.Centres.Len(), nil)
		if err := g.Cross(k, rows, nil); err != nil {
			t.Fatal(err)
		}
		var f mat.Dense
		f.Mul(k, e.Coef)
		for i := range out {
			out[i] += f.At(i, 0)
		}
	}
	for i := range out {
		out[i] += m.B[0]
	}
	return out
}

// Of a rare class more rows teach than their share, of all classes no more than there are.
func TestTeachers(t *testing.T) {
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, 400)}
	for i := range 400 {
		p.Labelled = append(p.Labelled, i)
		if i%20 == 0 {
			p.Class[i] = 1
		}
	}
	halves := Halves{Rows: 50, Exact: 400, Seed: 2}.draw(p)
	if len(halves) != 2 {
		t.Fatalf("%d halves", len(halves))
	}
	for _, rows := range halves {
		rare := 0
		for _, i := range rows {
			rare += p.Class[i]
		}
		if len(rows) != 50 || rare < 8 || rare > 10 || !slices.IsSorted(rows) {
			t.Errorf("%d teachers, %d of the rare class", len(rows), rare)
		}
	}
	for _, i := range halves[0] {
		if slices.Contains(halves[1], i) {
			t.Errorf("row %d teaches both halves", i)
		}
	}
}

// Of each class the same share is judged, at least half of it, however rare it is: all rows of a rare class may not teach, since those
// that are left would promise no error at all.
func TestJudgedClasses(t *testing.T) {
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b", "c"}, Rows: data.Rows{Dense: mat.NewDense(4000, 1, nil)}}
	all := []float64{100, 900, 3000}
	for c, n := range all {
		for range int(n) {
			p.Labelled, p.Class = append(p.Labelled, len(p.Class)), append(p.Class, c)
		}
	}
	h := Halves{Rows: 500, Exact: 10, Seed: 3}
	judged, halves := make([]float64, 3), h.draw(p)
	for _, rows := range h.Folds(p) {
		for _, i := range rows {
			judged[p.Class[i]]++
			for _, half := range halves {
				if slices.Contains(half, i) {
					t.Fatalf("row %d teaches and is judged", i)
				}
			}
		}
	}
	share := judged[0] / all[0]
	if share < 0.49 {
		t.Errorf("%g of 100 rows of the rare class are judged", judged[0])
	}
	for c, n := range judged {
		if math.Abs(n-share*all[c]) > 1 {
			t.Errorf("%g of %g rows of class %d are judged, a share of %g of the first", n, all[c], c, share)
		}
	}
}

// Each draw of the halves is by the seed: the halves themselves, who of them teaches, who is judged and in which fold, and the landmarks.
func TestSeedsOfHalves(t *testing.T) {
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b", "c"}, Rows: data.Rows{Dense: mat.NewDense(1200, 1, nil)}}
	for i := range 1200 {
		p.Labelled, p.Class = append(p.Labelled, i), append(p.Class, min(i%10, 2))
	}
	p.Y = learn.Coding{Classes: 3}.Code(p.Class)
	p.Rows.Dense.Apply(func(i, _ int, _ float64) float64 { return math.Sin(float64(i)) }, p.Rows.Dense)
	type drawn struct {
		halves   [][]int
		at       []int // places in the first half of those who teach
		out      []int // neither teach nor are judged
		fold     map[int]int
		landmark float64
	}
	of := func(seed uint64) drawn {
		d := drawn{halves: Halves{Rows: 1200, Exact: 1200, Seed: seed}.draw(p), fold: map[int]int{}}
		for _, i := range (Halves{Rows: 100, Exact: 1200, Seed: seed}).draw(p)[0] {
			d.at = append(d.at, slices.Index(d.halves[0], i))
		}
		h := Halves{Rows: 200, Exact: 10, Marks: Landmarks{20, 1e9}, Seed: seed}
		teach, judged := slices.Concat(h.draw(p)...), h.judged(p)
		for i, is := range judged {
			if !is && !slices.Contains(teach, i) {
				d.out = append(d.out, i)
			}
		}
		folds := h.Folds(p)
		if len(folds) != 5 {
			t.Errorf("%d folds", len(folds))
		}
		for f, rows := range folds {
			for _, i := range rows {
				d.fold[i] = f
			}
		}
		g, _, err := h.sums(t.Context(), p, kernel.Linear{}, nil, 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range kernel.Diagonal(g, nil) {
			d.landmark += v
		}
		return d
	}
	a, b, again := of(1), of(2), of(1)
	if !reflect.DeepEqual(a, again) {
		t.Error("one seed draws two ways")
	}
	common := func(a, b []int) (share float64) {
		for _, i := range a {
			if slices.Contains(b, i) {
				share += 1 / float64(len(a))
			}
		}
		return share
	}
	var same, both float64 // of the rows that both judge
	for i, f := range a.fold {
		if g, there := b.fold[i]; there {
			if both++; f == g {
				same++
			}
		}
	}
	for what, share := range map[string]float64{
		"halves": common(a.halves[0], b.halves[0]), "places of who teaches": common(a.at, b.at), "folds": same / both,
		"who is left out": common(a.out, b.out),
	} {
		if share > 0.7 {
			t.Errorf("%s: two seeds have a share of %.2f in common", what, share)
		}
	}
	if len(a.out) == 0 || a.landmark == b.landmark {
		t.Errorf("%d are left out, landmarks of two seeds have the squares %g and %g", len(a.out), a.landmark, b.landmark)
	}
}
