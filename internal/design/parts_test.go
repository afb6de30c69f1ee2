package design

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// TestHeatsAndFolds: the numbers of rows, folds and machines at which a race changes, and on both sides of them.
func TestHeatsAndFolds(t *testing.T) {
	for _, c := range []struct {
		l, first, last int
		want           []int
	}{
		{1500, 0, 0, []int{1500}}, {1501, 0, 0, []int{1000, 1501}}, {4500, 0, 0, []int{1000, 4500}},
		{4501, 0, 0, []int{1000, 3000, 4501}}, {5000, 0, 1200, []int{1200}}, {5000, 0, 1600, []int{1000, 1600}},
		{100, 10, 200, []int{10, 30, 100}}, {20, 5, 0, []int{5, 20}}, {3, 0, 1, []int{1}},
	} {
		if got := Rounds(c.l, c.first, c.last); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for l, want := range map[int][2]int{
		1: {1, 1}, 3: {3, 3}, 5: {5, 5}, 6: {5, 5}, 2000: {5, 5}, 2001: {3, 3}, 10000: {3, 3}, 10001: {4, 1},
	} {
		if k, judged := Folds(l); k != want[0] || judged != want[1] {
			t.Errorf("%d rows: %d folds, of which %d are judged", l, k, judged)
		}
	}
	r := Race{Problem: &learn.Problem{Labelled: make([]int, 100)}}
	for _, c := range []struct {
		field  int
		rounds []int
		want   int
	}{
		{30, []int{10, 30, 100}, 30 + 10 + 3}, {30, []int{10, 99}, 30 + 10 + 4}, {2, []int{10, 30, 100}, 6}, {4, []int{100}, 4},
		{8, []int{50, 100}, 8 + 3}, {12, []int{10, 30, 100}, 12 + 4 + 3},
	} {
		if got := r.foreseen(c.field, c.rounds); got != c.want {
			t.Errorf("%d entrants in rounds of %v: %d machines, want %d", c.field, c.rounds, got, c.want)
		}
	}
}

// Every beginning of the order has each class in its proportion, to one row.
func TestOrderOfRace(t *testing.T) {
	p := &learn.Problem{Classes: []string{"a", "b", "c"}, Labelled: make([]int, 70), Class: make([]int, 70)}
	for i := range p.Class {
		p.Class[i] = min(i/10, 2) // 10, 10 and 50
	}
	r := Race{Problem: p, Seed: 3}
	list := r.order()
	seen, count := [3]float64{}, [3]float64{10, 10, 50}
	for n, q := range list {
		seen[p.Class[q]]++
		for a := range 3 {
			for b := range 3 {
				if (seen[a]-1)/count[a] > (seen[b]+1)/count[b] {
					t.Fatalf("the first %d rows have %v of the classes", n+1, seen)
				}
			}
		}
	}
	other := (&Race{Problem: p, Seed: 4}).order()
	if slices.Equal(list, other) || !slices.Equal(list, r.order()) {
		t.Error("the order is not that of the seed")
	}
	p.Class = nil
	for _, l := range [][]int{list, other, r.order()} {
		slices.Sort(l)
		for i, q := range l {
			if i != q {
				t.Fatalf("the order leaves row %d out: %v", i, l)
			}
		}
	}
}

// The folds of a round part the rows: classes evenly, groups as a whole. Of many rows one fold of four is judged.
func TestPartsOfHeat(t *testing.T) {
	r := Race{Seed: 5}
	p := &learn.Problem{Labelled: make([]int, 45), Class: make([]int, 45)}
	for i := range p.Class {
		p.Class[i] = i / 15 // each class three times five rows
	}
	plain := partsOf(&r, p)
	for q, f := range plain {
		var each [3]int
		for _, i := range f {
			each[p.Class[i]]++
		}
		if each != [3]int{3, 3, 3} || !slices.IsSorted(f) {
			t.Errorf("fold %d of %v has %v of the classes", q, f, each)
		}
	}
	if all := slices.Concat(plain...); len(plain) != 5 || len(all) != 45 {
		t.Errorf("%d rows in %d folds", len(all), len(plain))
	}
	if slices.EqualFunc(plain, partsOf(&Race{Seed: 6}, p), slices.Equal) {
		t.Error("another seed gives the same folds")
	}

	// Without groups of more than one row the folds are those without any.
	p.Group = make([]string, 45)
	if !slices.EqualFunc(plain, partsOf(&r, p), slices.Equal) {
		t.Error("rows without a group are parted otherwise than where there are no groups")
	}
	for i := range 30 {
		p.Group[i] = string(rune('a' + i%10)) // three rows each; fifteen rows are on their own
	}
	folds := partsOf(&r, p)
	fold := map[string]int{}
	for q, f := range folds {
		if len(f) == 0 || !slices.IsSorted(f) {
			t.Errorf("fold %d: %v", q, f)
		}
		for _, i := range f {
			if at, known := fold[p.Group[i]]; p.Group[i] != "" && known && at != q {
				t.Errorf("group %s is in folds %d and %d", p.Group[i], at, q)
			}
			fold[p.Group[i]] = q
		}
	}
	all := slices.Sorted(slices.Values(slices.Concat(folds...)))
	if len(folds) != 5 || len(all) != 45 || len(slices.Compact(all)) != 45 {
		t.Errorf("%d folds of %v", len(folds), all)
	}
	for i := range p.Group {
		p.Group[i] = "one"
	}
	if got := partsOf(&r, p); len(got) != 0 {
		t.Errorf("a single group is left out as a whole: %v", got)
	}
	p.Group[7] = "other"
	for seed := range uint64(20) { // wherever the row of the other group comes to lie
		if got := partsOf(&Race{Seed: seed}, p); len(got) != 2 || len(got[0])+len(got[1]) != 45 {
			t.Errorf("two groups: %v", got)
		}
		if got := parts(p, seed, 2, 2); len(got) != 2 {
			t.Errorf("two groups in two halves: %v", got)
		}
	}

	many := &learn.Problem{Labelled: make([]int, 10001)}
	one := partsOf(&r, many)
	if len(one) != 1 || len(one[0]) != 2501 {
		t.Errorf("%d folds of many rows", len(one))
	}
	many.Group = make([]string, 10001)
	if got := partsOf(&r, many); len(got) != 1 || !slices.Equal(got[0], one[0]) {
		t.Errorf("%d folds of many rows without groups", len(got))
	}
}

// A race whose first rows are of one group would judge by nothing, and is refused.
func TestRaceOfOneGroup(t *testing.T) {
	p := noughts()
	p.Group = make([]string, len(p.Labelled))
	for i := range p.Group {
		p.Group[i] = "one"
	}
	_, err := (&Race{Problem: p}).Run(t.Context(), []*Entrant{{Method: "rls", Kernel: kernel.Gaussian{Sigma: 1}, Offset: true}})
	if err == nil || !strings.Contains(err.Error(), "are of one group, so that none of them can be left out; choose one method") {
		t.Errorf("a race of one group: %v", err)
	}
}

// TestNumbersOfLeastSquares: how many landmarks, which lambdas, in which order.
func TestNumbersOfLeastSquares(t *testing.T) {
	for _, c := range []struct {
		l       Landmarks
		n, want int
	}{
		{Landmarks{100, 1e12}, 50, 50}, {Landmarks{100, 1e12}, 500, 100}, {Landmarks{100, 8100}, 100, 9}, {Landmarks{100, 8099}, 100, 8},
	} {
		if got := c.l.Of(c.n); got != c.want {
			t.Errorf("%+v of %d rows: %d", c.l, c.n, got)
		}
	}
	near := func(got []float64, want ...float64) {
		t.Helper()
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-14*b }) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	s := math.Sqrt(10)
	near(span{-1, 2}.from(3), 30, 3*s, 3, 3/s)
	e := &Entrant{Rows: 100, Theta: []float64{2}}
	near(e.near(199, 1), 2)
	near(e.near(200, 1), 2*s, 2, 2/s)
	near(e.near(199, 2), 2*s, 2, 2/s)
	near(e.near(200, 2), 20, 2*s, 2, 2/s, 0.2)
	near(e.only([]float64{1, 2}), 1, 2)
	e.ridge = 7
	near(e.only([]float64{1, 2}), 7)
	for _, c := range []struct {
		task   data.Task
		linear bool
		hi, lo float64
		n      int
	}{
		{data.Regression, true, 100, 1e-8, 21}, {data.Regression, false, 100, 1e-8, 21}, {data.Classification, true, 100, 1e-4, 13},
		{data.Classification, false, 1, 1e-6, 13},
	} {
		list := Ridges(c.task, c.linear, 5)
		if len(list) != c.n {
			t.Fatalf("%+v: %v", c, list)
		}
		near([]float64{list[0], list[c.n-1]}, 5*c.hi, 5*c.lo)
	}
}

// Only equal rows with equal numbers are stored once, dense or sparse.
func TestCopies(t *testing.T) {
	dense := func(v ...float64) data.Rows { return data.Rows{Dense: mat.NewDense(len(v)/2, 2, v)} }
	thin := func(d int, v ...float64) data.Rows {
		return data.Rows{Sparse: data.CSRFromDense(mat.NewDense(len(v)/d, d, v))}
	}
	named := func(r data.Rows, id ...int) data.Rows { r.ID = id; return r }
	some, few := dense(1, 0, 0, 2), thin(2, 1, 0, 0, 2)
	for name, c := range map[string]struct {
		a, b data.Rows
		want bool
	}{
		"the same":         {some, some, true},
		"a copy":           {some, dense(1, 0, 0, 2), true},
		"another value":    {some, dense(1, 0, 0, 3), false},
		"fewer":            {some, dense(1, 0), false},
		"other numbers":    {some, named(some, 0, 2), false},
		"the same numbers": {named(dense(1, 0, 0, 2), 0, 1), some, true},
		"first number":     {named(some, 1, 1), some, false},
		"sparse":           {few, few, true},
		"a sparse copy":    {few, thin(2, 1, 0, 0, 2), true},
		"a sparse value":   {few, thin(2, 1, 0, 0, 3), false},
		"a sparse place":   {few, thin(2, 1, 0, 2, 0), false},
		"a sparse start":   {thin(2, 1, 2, 0, 0), thin(2, 1, 0, 0, 2), false},
		"more columns":     {few, thin(3, 1, 0, 0, 0, 2, 0), false},
		"of two kinds":     {some, few, false},
	} {
		if equalRows(c.a, c.b) != c.want || equalRows(c.b, c.a) != c.want {
			t.Errorf("%s: equal %v", name, !c.want)
		}
	}
	known := copies{some}
	if known.of(dense(1, 0, 0, 2)).Dense != some.Dense || len(known) != 1 {
		t.Error("a copy is stored again")
	}
	other := dense(5, 5)
	if known.of(other).Dense != other.Dense || known.of(dense(5, 5)).Dense != other.Dense || len(known) != 2 {
		t.Error("other rows are not stored once")
	}
}

// Names of widths are recognised wherever a kernel has them, and those alone are multiplied.
func TestWidths(t *testing.T) {
	for name, want := range map[string]bool{
		"sigma": true, "2.sigma": true, "sigma[3]": true, "sigma[a..c]": true, "1.sigma[a.b]": true,
		"scale": false, "sigma.scale": false, "degree": false, "scale[sigma]": false, "": false, "1.2.sigma": true,
	} {
		if IsWidth(name) != want {
			t.Errorf("%q: a width: %v", name, !want)
		}
	}
	k, err := Widened(kernel.Product{Terms: []kernel.Kernel{kernel.Gaussian{Sigma: 2}, kernel.Sigmoid{Scale: 3, Offset: 4}}}, 5)
	if err != nil {
		t.Fatal(err)
	}
	if got := k.Space().Defaults(); !slices.Equal(got, []float64{10, 3, 4}) || !HasWidth(k) {
		t.Errorf("five times as wide: %v", got)
	}
	if same, err := Widened(k, 1); err != nil || !reflect.DeepEqual(same, k) {
		t.Errorf("as wide: %v, %v", same, err)
	}
	if HasWidth(kernel.Linear{}) || HasWidth(kernel.Sigmoid{Scale: 1}) {
		t.Error("kernels without a width have one")
	}
}

// Two machines are the same where they are so but for rounding, and neighbours of a winner enter only if they are not yet there.
func TestNeighboursOfTheWinner(t *testing.T) {
	one := func(sigma, c float64) *Entrant {
		return &Entrant{Method: "m", Kernel: kernel.Gaussian{Sigma: sigma}, Learner: stub{}, Theta: []float64{c, 4}}
	}
	w := one(1, 1)
	for name, c := range map[string]struct {
		change func(*Entrant)
		want   bool
	}{
		"nothing":   {func(*Entrant) {}, true},
		"rounding":  {func(e *Entrant) { e.Theta[0], e.Kernel = 1.009, kernel.Gaussian{Sigma: 0.992} }, true},
		"strength":  {func(e *Entrant) { e.Theta[0] = 1.02 }, false},
		"second":    {func(e *Entrant) { e.Theta[1] = 5 }, false},
		"width":     {func(e *Entrant) { e.Kernel = kernel.Gaussian{Sigma: 0.98} }, false},
		"kernel":    {func(e *Entrant) { e.Kernel = kernel.Laplacian{Sigma: 1} }, false},
		"method":    {func(e *Entrant) { e.Method = "n" }, false},
		"pairs":     {func(e *Entrant) { e.Pairs = true }, false},
		"unlearned": {func(e *Entrant) { e.Learner = nil }, false},
	} {
		o := one(1, 1)
		c.change(o)
		if same(o, w) != c.want {
			t.Errorf("%s: the same %v", name, !c.want)
		}
	}
	s := math.Sqrt(10)
	field := []*Entrant{w, one(1, s), one(0.5, 1)}
	list := refined(w, field, []float64{0.5, 2})
	if len(list) != 2 || !same(list[0], one(1, 1/s)) || !same(list[1], one(2, 1)) {
		t.Errorf("%d neighbours enter", len(list))
	}
	if w.Theta[0] != 1 {
		t.Error("the winner has changed")
	}
	w.Name, w.Pairs, w.Offset = "name", true, true
	if list = refined(w, nil, nil); len(list) != 2 || list[0].Name != "name" || !list[0].Pairs || !list[1].Offset {
		t.Errorf("neighbours are not as the winner: %+v", list)
	}
	w.Theta = nil
	if refined(w, nil, []float64{2}) != nil || refined(&Entrant{Theta: []float64{1}, Kernel: w.Kernel}, nil, []float64{2}) != nil {
		t.Error("what has no strength has neighbours")
	}
}

// TestGoOn: who leaves after a round of a hundred rows, or of more than two thousand, and what it says.
func TestGoOn(t *testing.T) {
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b"}, Class: make([]int, 10)}
	for i := range 5 {
		p.Class[i] = 1
	}
	rare := *p
	rare.Class = make([]int, 10)
	numbers := learn.Problem{Task: data.Regression}
	for name, c := range map[string]struct {
		p       *learn.Problem
		n       int
		scores  []float64 // of machines of a learner
		squares []float64
		want    string // a mark for each that stays, "-" for one that leaves
	}{
		"a third, at least three": {p, 100, []float64{.11, .10, .12, .13}, nil, "+++-"},
		"of twelve four":          {p, 100, []float64{.1, .11, .12, .13, .14, .15, .16, .1, .11, .12, .13, .14}, nil, "++-----++---"},
		"far":                     {p, 100, []float64{.1, .189, .191}, nil, "++-"},
		"far from nought":         {p, 100, []float64{0, .029, .031}, nil, "++-"},
		"numbers are not far":     {&numbers, 100, []float64{1, 100, 1000, 2000}, nil, "+++-"},
		"rare are not far":        {&rare, 100, []float64{.1, .5, .9, 1}, nil, "+++-"},
		"rare: three":             {&rare, 100, []float64{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1}, nil, "+++---------"},
		"least squares aside":     {p, 100, []float64{.1, .11, .12}, []float64{.1, .1, .1, .1}, "++++++-"},
		"far of the others":       {p, 100, []float64{.3, .31}, []float64{.05, .2, .06}, "+++-+"},
		"of many one":             {p, 2001, []float64{.1}, []float64{.1, .1}, "++-"},
		"of no more than many":    {p, 2000, []float64{.1}, []float64{.1, .1}, "+++"},
		"alone of many":           {p, 2001, nil, []float64{.1, .1, .1, .1}, "+++-"},
	} {
		var field []*Entrant
		for _, s := range c.scores {
			field = append(field, &Entrant{Learner: stub{}, Rows: c.n, Score: s, Loss: float64(len(field))})
		}
		for _, s := range c.squares {
			field = append(field, &Entrant{Rows: c.n, Score: s, Loss: float64(len(field))})
		}
		elsewhere := &Entrant{Rows: c.n - 1}
		(&Race{Problem: c.p}).goOn(append(field, elsewhere), c.n)
		var got string
		for _, e := range field {
			switch e.Left {
			case "":
				got += "+"
			case map[int]string{100: "not among the best on 100 rows", 2001: "not among the best on 2001 rows"}[c.n]:
				got += "-"
			default:
				t.Errorf("%s: it says %q", name, e.Left)
			}
		}
		if got != c.want || elsewhere.Left != "" {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	gone := &Entrant{Rows: 9}
	(&Race{Problem: p}).goOn([]*Entrant{gone}, 10)
	if gone.Left != "" {
		t.Error("what was not judged leaves")
	}
}

// Least squares that go beyond the last round are the best four of those that came farthest.
func TestSquaresBeyond(t *testing.T) {
	var field []*Entrant
	for _, e := range []Entrant{
		{Rows: 10, Score: .1}, {Rows: 30, Score: .5}, {Rows: 30, Score: .4, Left: "x"}, {Rows: 10, Score: .2}, {Rows: 0},
		{Rows: 30, Score: .1, Learner: stub{}}, {Rows: 10, Score: .05, Left: "y"},
	} {
		field = append(field, &e)
	}
	list := squares(field)
	if want := []*Entrant{field[2], field[1], field[6], field[0]}; !slices.Equal(list, want) {
		t.Fatalf("%d of them", len(list))
	}
	for _, e := range list {
		if e.Left != "" {
			t.Error("one is not in the race again")
		}
	}
}

// The root of the mean square is that of judged rows, weighted; Platt's loss is that of the sigmoid's probabilities.
func TestScoresOfHeats(t *testing.T) {
	p := &learn.Problem{Y: mat.NewDense(4, 1, []float64{1, 2, 3, 4})}
	out := mat.NewDense(4, 1, []float64{0, 4, 3, 7})
	if got := rootMeanSquare(p, []int{0, 1, 3}, out); math.Abs(got-math.Sqrt(14.0/3)) > 1e-15 {
		t.Errorf("%v without weights", got)
	}
	p.Weight = []float64{4, 1, 9, 2}
	if got := rootMeanSquare(p, []int{0, 1, 3}, out); math.Abs(got-math.Sqrt(26.0/7)) > 1e-15 {
		t.Errorf("%v with weights", got)
	}
	draw := rand.New(rand.NewPCG(1, 2))
	const n = 60
	q := &learn.Problem{Class: make([]int, n)}
	scores := mat.NewDense(n, 1, nil)
	var rows []int
	for i := range n {
		q.Class[i] = i % 2
		scores.Set(i, 0, float64(q.Class[i])+draw.NormFloat64())
		if i%3 > 0 {
			rows = append(rows, i)
		}
	}
	got, shifted := plattLoss(q, rows, scores), mat.NewDense(n, 1, nil)
	for i := range n {
		shifted.Set(i, 0, scores.At(i, 0)-30)
	}
	// The loss of the best slope and offset, found by trying many.
	best := math.Inf(1)
	for slope := 0.0; slope < 3; slope += 0.02 {
		for offset := -2.0; offset < 2; offset += 0.02 {
			var sum float64
			for _, i := range rows {
				prob := 1 / (1 + math.Exp(-(slope*scores.At(i, 0) + offset)))
				if q.Class[i] == 0 {
					prob = 1 - prob
				}
				sum -= math.Log(prob)
			}
			best = min(best, sum/float64(len(rows)))
		}
	}
	if got < best-1e-4 || got > best+0.01 { // Platt's targets are not quite 0 and 1
		t.Errorf("Platt's loss is %v, that of the best sigmoid %v", got, best)
	}
	if moved := plattLoss(q, rows, shifted); math.Abs(moved-got) > 1e-6 {
		t.Errorf("another threshold makes the loss %v, not %v", moved, got)
	}
	scores.Set(1, 0, math.NaN())
	if !math.IsInf(plattLoss(q, rows, scores), 1) {
		t.Error("an output that is no number has a loss")
	}
}

// A linear machine has its weights for coefficients, of unit vectors in the form of the rows.
func TestUnits(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	for _, r := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		u := units(r)
		if u.IsSparse() != r.IsSparse() || u.Len() != 3 || u.Dim() != 3 {
			t.Fatalf("%d rows of %d columns", u.Len(), u.Dim())
		}
		g, err := kernel.Linear{}.Bind(t.Context(), u, nil)
		if err != nil {
			t.Fatal(err)
		}
		cross := mat.NewDense(2, 3, nil)
		if err := g.Cross(cross, r, nil); err != nil || !mat.Equal(cross, x) {
			t.Errorf("products with the rows: %v, %v", cross, err)
		}
	}
}

// The weights of a linear machine are kept where they are fewer numbers than its rows.
func TestWeighs(t *testing.T) {
	dense := *learn.NewProblem(data.Rows{Dense: mat.NewDense(3, 4, nil)},
		data.Labels{Task: data.Classification, Classes: []string{"a", "b", "c"}, Class: []int{0, 1, 2}}) // three outputs
	thin := dense
	thin.Rows = data.Rows{Sparse: data.CSRFromDense(mat.NewDense(4, 4, []float64{1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0}))}
	for _, c := range []struct {
		k    kernel.Kernel
		p    *learn.Problem
		rows int
		want bool
	}{
		{kernel.Linear{}, &dense, 3, false}, {kernel.Linear{}, &dense, 4, true}, {kernel.ARDLinear{}, &dense, 4, true},
		{kernel.Gaussian{}, &dense, 9, false}, {kernel.Linear{}, &thin, 6, false}, {kernel.Linear{}, &thin, 7, true},
	} {
		if weighs(c.k, c.p, c.rows) != c.want {
			t.Errorf("%T, %d rows: %v", c.k, c.rows, !c.want)
		}
	}
}

// TestHeldRows: of rows that are held out a race's standard error is that of as many, the last round judges them alone, and late entrants
// are made without them.
func TestHeldRows(t *testing.T) {
	p := &learn.Problem{Task: data.Classification, Classes: []string{"a", "b"}, Rows: data.Rows{Dense: mat.NewDense(120, 1, nil)}}
	for i := range 100 {
		p.Labelled, p.Class = append(p.Labelled, i), append(p.Class, i%2)
	}
	p.Y = learn.Coding{Classes: 2}.Code(p.Class)
	held := indices.To(100)[75:]
	free, kept := &Race{Problem: p, Landmarks: Landmarks{30, 1e9}}, &Race{Problem: p, Held: held, Landmarks: Landmarks{40, 1e9}}
	best := &Entrant{Score: 0.1, Rows: 100}
	for score, far := range map[float64][2]bool{0.18: {false, false}, 0.2: {true, false}, 0.27: {true, false}, 0.29: {true, true}} {
		e := &Entrant{Score: score, Rows: 100}
		if got := [2]bool{free.far(e, best), kept.far(e, best)}; got != far {
			t.Errorf("an error of %g is far %v, of held rows expected %v", score, got, far)
		}
	}
	// Of no error at all the least deviation is one row in all.
	if e := (&Entrant{Score: 0.031, Rows: 100}); !free.far(e, &Entrant{Rows: 100}) || kept.far(e, &Entrant{Rows: 100}) {
		t.Error("of no error")
	}
	last := &round{rows: []int{5, 7, 9, 11}, folds: [][]int{{0, 3}, {1}}}
	for r, want := range map[*Race]struct {
		folds [][]int
		most  int
	}{free: {[][]int{{5, 11}, {7}}, 30}, kept: {[][]int{held}, 40}} {
		h := r.all(last, nil)
		if !reflect.DeepEqual(h.folds, want.folds) || h.most != want.most || len(h.rows) != 100 || h.problem.Rows.Len() != 100 {
			t.Errorf("all rows are judged by %v, with %d centres", h.folds, h.most)
		}
	}
	for r, want := range map[*Race]int{free: 40, kept: 15} {
		var rows int
		r.Late = func(_ context.Context, p *learn.Problem) ([]*Entrant, error) {
			rows = len(p.Labelled)
			return nil, nil
		}
		if _, err := r.late(t.Context(), indices.To(100)[20:], &round{rows: make([]int, 40)}); err != nil || rows != want {
			t.Errorf("late entrants are made with %d rows, expected %d; %v", rows, want, err)
		}
	}
}

// partsOf are the judged folds of a round of all rows.
func partsOf(r *Race, p *learn.Problem) [][]int {
	k, judged := Folds(len(p.Labelled))
	return parts(p, r.Seed, k, judged)
}
