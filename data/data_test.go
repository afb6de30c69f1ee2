package data

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func interpret(t *testing.T, raw Answers, name string, task Task) Labels {
	t.Helper()
	l, err := Interpret(raw, name, LabelOptions{Task: task})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestInterpret(t *testing.T) {
	l := interpret(t, Answers{"+1", "10", " 1.0", "2", "?", "NA", "nan", "", "N/A", "null", "None", "NaN", "-0"}, "label", Classification)
	if want := []string{"-0", "+1", "2", "10"}; !slices.Equal(l.Classes, want) {
		t.Errorf("classes %q", l.Classes)
	}
	if want := []int{1, 3, 1, 2, -1, -1, -1, -1, -1, -1, -1, -1, 0}; !slices.Equal(l.Class, want) {
		t.Errorf("class %v", l.Class)
	}
	if !slices.Equal(l.Labelled(), []int{0, 1, 2, 3, 12}) || !slices.Equal(l.Counts(), []int{1, 2, 1, 1}) {
		t.Errorf("labelled %v, counts %v", l.Labelled(), l.Counts())
	}
	if want := "4 classes, as asked; without an answer: 1 N/A, 1 NA, 1 NaN, 1 None, 1 nan, 1 null"; l.Decided != want {
		t.Errorf("decided %q", l.Decided)
	}
	l = interpret(t, Answers{"b", "10", "a", "9"}, "label", TaskAuto)
	if want := []string{"9", "10", "a", "b"}; !slices.Equal(l.Classes, want) || l.Decided != "4 classes" {
		t.Errorf("classes %q, %q", l.Classes, l.Decided)
	}

	l = interpret(t, Answers{"3", "", "4"}, "label", Regression)
	if l.Value[0] != 3 || !math.IsNaN(l.Value[1]) || l.Value[2] != 4 || l.Class != nil || !slices.Equal(l.Labelled(), []int{0, 2}) {
		t.Errorf("regression %+v", l)
	}
	if l = interpret(t, Answers{"1.5", "1.5", "2"}, "x", Classification); !slices.Equal(l.Classes, []string{"1.5", "2"}) {
		t.Errorf("forced classes %v", l.Classes)
	}

	for _, c := range []struct {
		raw  Answers
		task Task
		row  int
	}{
		{Answers{"", "?"}, TaskAuto, -1},
		{nil, Regression, -1},
		{Answers{"1", "+1", ""}, TaskAuto, -1},
		{Answers{"", "1", "x"}, Regression, 2},
		{Answers{"1", "inf"}, Regression, 1},
	} {
		_, err := Interpret(c.raw, "label", LabelOptions{Task: c.task})
		var le *LabelError
		if !errors.As(err, &le) || le.Row != c.row || le.What == "" || le.Remedy == "" {
			t.Errorf("%q: %v", c.raw, err)
		}
	}
}

// Blanking hidden answers in the file must change nothing, and hidden answers
// must map to the classes of the visible.
func TestHiddenAnswersAreNotUsed(t *testing.T) {
	raw := Answers{"2", "0.5", "1", "2.0", "x", "1"}
	visible, hidden := Hide(raw, []int{0, 2})
	blanked := Answers{"2", "", "1", "", "", ""}
	if !slices.Equal(visible, blanked) || !slices.Equal(hidden, Answers{"", "0.5", "", "2.0", "x", "1"}) || raw[0] != "2" {
		t.Fatalf("visible %q, hidden %q", visible, hidden)
	}
	l, m := interpret(t, visible, "label", TaskAuto), interpret(t, blanked, "label", TaskAuto)
	if !reflect.DeepEqual(l, m) || l.Task != Classification {
		t.Fatalf("%+v, blanked %+v", l, m)
	}
	h, unseen, err := l.Of(hidden)
	if err != nil || !slices.Equal(h.Class, []int{-1, Unseen, -1, 1, Unseen, 0}) ||
		!reflect.DeepEqual(unseen, map[string]int{"0.5": 1, "x": 1}) {
		t.Fatalf("hidden %v, unseen %v, %v", h.Class, unseen, err)
	}
	reg := interpret(t, Answers{"1.5", "2"}, "y", TaskAuto)
	if _, _, err := reg.Of(Answers{"", "x"}); err == nil {
		t.Error("text among hidden values of a regression accepted")
	}
}

func TestTaskText(t *testing.T) {
	for _, task := range []Task{TaskAuto, Classification, Regression} {
		b, err := json.Marshal(task)
		var back Task
		if err != nil || json.Unmarshal(b, &back) != nil || back != task {
			t.Errorf("%v as %s is %v", task, b, back)
		}
	}
	if json.Unmarshal([]byte(`"guess"`), new(Task)) == nil {
		t.Error("unknown task accepted")
	}
}

func drawLabels(t *rapid.T) Labels {
	k := rapid.IntRange(2, 5).Draw(t, "classes")
	l := Labels{Task: Classification, Classes: strings.Split("a b c d e", " ")[:k]}
	for c := range k {
		for range rapid.IntRange(1, 12).Draw(t, "rows") {
			l.Class = append(l.Class, c)
		}
	}
	for range rapid.IntRange(0, 5).Draw(t, "unlabelled") {
		l.Class = append(l.Class, Unlabelled)
	}
	l.Class = rapid.Permutation(l.Class).Draw(t, "order")
	return l
}

func TestDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, seed := drawLabels(t), rapid.Uint64().Draw(t, "seed")
		counts, total := l.Counts(), len(l.Labelled())

		n := rapid.IntRange(1, slices.Min(counts)).Draw(t, "per class")
		keep, err := DrawPerClass(l, n, seed)
		got := l.countOf(keep)
		if err != nil || !slices.IsSorted(keep) || slices.Min(got) != n || slices.Max(got) != n {
			t.Fatalf("%d of each: %v, %v", n, got, err)
		}
		// What was kept is all there is when the others are blanked: the same draw.
		blank := l
		blank.Class = slices.Repeat([]int{Unlabelled}, l.Len())
		for _, i := range keep {
			blank.Class[i] = l.Class[i]
		}
		if again, err := DrawPerClass(blank, n, seed); err != nil || !slices.Equal(again, keep) {
			t.Fatalf("blanked: %v, %v; was %v", again, err, keep)
		}
		if _, err := DrawPerClass(l, slices.Min(counts)+1, seed); err == nil {
			t.Fatal("more than a class has accepted")
		}

		n = rapid.IntRange(1, total).Draw(t, "total")
		keep, err = DrawTotal(l, n, seed)
		got = l.countOf(keep)
		if err != nil || len(slices.Compact(keep)) != n || !slices.IsSorted(keep) {
			t.Fatalf("%d in all: %v, %v", n, keep, err)
		}
		if n >= len(counts) {
			for c, k := range got {
				// one of each first, so small classes may push others down
				if ideal := float64(n*counts[c]) / float64(total); k < 1 || float64(k) > ideal+1 {
					t.Fatalf("class %d has %d of %d, ideal %.2f", c, k, n, ideal)
				}
			}
		}
		if _, err := DrawTotal(l, total+1, seed); err == nil {
			t.Fatal("more than all accepted")
		}
	})
}

func (l Labels) countOf(rows []int) []int {
	n := make([]int, len(l.Classes))
	for _, i := range rows {
		n[l.Class[i]]++
	}
	return n
}

func TestDrawsVaryWithSeed(t *testing.T) {
	l := Labels{Task: Regression, Value: make([]float64, 50)}
	a, _ := DrawTotal(l, 10, 1)
	b, _ := DrawTotal(l, 10, 2)
	if slices.Equal(a, b) {
		t.Error("seeds 1 and 2 draw the same rows")
	}
	if _, err := DrawPerClass(l, 1, 1); err == nil {
		t.Error("classes of a regression accepted")
	}
}

func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLabels(t)
		total := len(l.Labelled())
		k := rapid.IntRange(2, total).Draw(t, "k")
		p, err := Folds(l, k, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		size := make([]int, k)
		short := map[string]int{}
		for c, name := range l.Classes {
			of := make([]int, k)
			for i, f := range p.Fold {
				if l.Class[i] == c {
					of[f]++
					size[f]++
				}
				if (l.Class[i] < 0) != (f < 0) {
					t.Fatalf("row %d of class %d is in fold %d", i, l.Class[i], f)
				}
			}
			if slices.Max(of)-slices.Min(of) > 1 {
				t.Fatalf("class %s: %v", name, of)
			}
			for _, n := range of {
				if n == 0 {
					short[name]++
				}
			}
		}
		if slices.Max(size)-slices.Min(size) > 1 {
			t.Fatalf("fold sizes %v", size)
		}
		for _, s := range p.Short {
			if short[s.Class] != s.Missing {
				t.Fatalf("reported %+v, counted %v", s, short)
			}
			delete(short, s.Class)
		}
		if len(short) > 0 {
			t.Fatalf("not reported: %v", short)
		}
		for f, g := range p.Groups() {
			if len(g) != size[f] || !slices.IsSorted(g) {
				t.Fatalf("group %d: %v", f, g)
			}
		}
	})
	if _, err := Folds(Labels{Task: Regression, Value: make([]float64, 3)}, 4, 1); err == nil {
		t.Error("more folds than rows accepted")
	}
}

// The share is what was asked, every class of two rows is on both sides, and one row in k
// is the first of k folds.
func TestHoldOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, seed := drawLabels(t), rapid.Uint64().Draw(t, "seed")
		counts := l.Counts()
		if slices.Max(counts) == 1 {
			if _, err := HoldOut(l, 0.5, seed); err == nil {
				t.Fatal("one row of each class accepted")
			}
			return
		}
		share := float64(rapid.IntRange(1, 19).Draw(t, "twentieths")) / 20
		p, err := HoldOut(l, share, seed)
		if err != nil || p.K != 1 || len(p.Fold) != l.Len() {
			t.Fatal(p, err)
		}
		out := p.Groups()[0]
		held, moved, dealtRows := l.countOf(out), 0, 0
		var alone []Shortage
		for c, n := range counts {
			if n == 1 {
				alone = append(alone, Shortage{l.Classes[c], 1, 1})
				continue
			}
			dealtRows += n
			if held[c] < 1 || held[c] == n {
				t.Fatalf("class %d of %d rows has %d held out", c, n, held[c])
			}
			if off := float64(held[c]) - float64(share*float64(n)); off > 1 || off < -1 { // as dealt
				t.Fatalf("class %d of %d rows has %d held out of a share of %g", c, n, held[c], share)
			} else if held[c] == 1 || held[c] == n-1 {
				moved++
			}
		}
		if off := float64(len(out)) - float64(share*float64(dealtRows)); off < -float64(moved) || off > float64(1+moved) {
			t.Fatalf("%d of %d rows held out for a share of %g", len(out), dealtRows, share)
		}
		if !slices.Equal(p.Short, alone) {
			t.Fatalf("alone are %v, reported %v", alone, p.Short)
		}
	})
}

func TestHoldOutShares(t *testing.T) {
	l := Labels{Task: Classification, Classes: []string{"a", "b"}}
	for i := range 120 {
		l.Class = append(l.Class, min(1, i%3))
	}
	for k := 2; k <= 12; k++ {
		p, err := HoldOut(l, 1/float64(k), 3)
		folds, err2 := Folds(l, k, 3)
		if err != nil || err2 != nil || !slices.Equal(p.Groups()[0], folds.Groups()[0]) {
			t.Errorf("1/%d: %v %v, %v, %v", k, p.Groups()[0], folds.Groups()[0], err, err2)
		}
	}
	for _, share := range []float64{0.5, 0.7, 0.9, 0.07} {
		if p, err := HoldOut(l, share, 1); err != nil || math.Abs(float64(len(p.Groups()[0]))-120*share) >= 1 {
			t.Errorf("%g of 120 rows: %d, %v", share, len(p.Groups()[0]), err)
		}
	}
	numbers := Labels{Task: Regression, Value: make([]float64, 10)}
	if p, err := HoldOut(numbers, 0.3, 1); err != nil || len(p.Groups()[0]) != 3 || p.Short != nil {
		t.Errorf("numbers: %v, %v", p, err)
	}
	a, _ := HoldOut(l, 0.3, 1)
	b, _ := HoldOut(l, 0.3, 1)
	c, _ := HoldOut(l, 0.3, 2)
	if !slices.Equal(a.Fold, b.Fold) || slices.Equal(a.Fold, c.Fold) {
		t.Error("a seed does not repeat, or two draw the same rows")
	}
	for _, share := range []float64{0, 1, -0.5, math.NaN()} {
		if _, err := HoldOut(l, share, 1); err == nil {
			t.Errorf("share %g accepted", share)
		}
	}
	if _, err := HoldOut(Labels{Task: Regression, Value: make([]float64, 1)}, 0.5, 1); err == nil {
		t.Error("one row held out")
	}
}

func dense(r, c int, v ...float64) Rows { return Rows{Dense: mat.NewDense(r, c, v)} }

func TestRows(t *testing.T) {
	d := dense(3, 2, 1, 0, 0, 2, 3, 4)
	for _, r := range []Rows{d, {Sparse: CSRFromDense(d.Dense)}} {
		s := r.Select([]int{2, 0}).Select([]int{1, 0, 0})
		if !slices.Equal(s.ID, []int{0, 2, 2}) || !slices.Equal(s.SquaredNorms(), []float64{1, 25, 25}) || s.RowID(1) != 2 ||
			r.RowID(1) != 1 {
			t.Errorf("select %v %v", s.ID, s.SquaredNorms())
		}
		if e := r.Select(nil); e.Len() != 0 {
			t.Errorf("empty selection has %d rows", e.Len())
		}
		if c := s.SelectColumns([]int{1}); !slices.Equal(c.SquaredNorms(), []float64{0, 16, 16}) || !slices.Equal(c.ID, s.ID) {
			t.Errorf("columns %v", c.SquaredNorms())
		}
		for _, b := range []Rows{d, {Sparse: CSRFromDense(d.Dense)}} {
			a, err := r.Append(b)
			if err != nil || a.IsSparse() != r.IsSparse() || !slices.Equal(a.SquaredNorms(), []float64{1, 4, 25, 1, 4, 25}) || a.ID != nil {
				t.Errorf("append %+v, %v", a, err)
			}
		}
		if _, err := r.Append(dense(1, 3, 1, 2, 3)); err == nil {
			t.Error("rows of 3 columns appended to rows of 2")
		}
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bad := dense(2, 2, 0, 1, 2, v)
		for _, r := range []Rows{bad, {Sparse: CSRFromDense(bad.Dense)}} {
			if err := r.Check(); err == nil || !strings.Contains(err.Error(), "row 1, column 1") {
				t.Errorf("%v: %v", v, err)
			}
		}
	}
	if (Rows{}).Len() != 0 || (Rows{}).Dim() != 0 || (Rows{}).Check() != nil {
		t.Error("the zero Rows is not empty")
	}
}

// One-pass statistics, dense and sparse, against two passes over the columns.
func TestColumnStats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 12).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
		m := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				if rapid.Bool().Draw(t, "stored") {
					m.Set(i, j, rapid.Float64Range(-1e3, 1e3).Draw(t, "v"))
				}
			}
		}
		for _, r := range []Rows{{Dense: m}, {Sparse: CSRFromDense(m)}} {
			s := r.ColumnStats()
			for j := range d {
				col := mat.Col(nil, j, m)
				mean, ss := 0.0, 0.0
				for _, v := range col {
					mean += v / float64(n)
				}
				for _, v := range col {
					ss += (v - mean) * (v - mean)
				}
				if math.Abs(s.Mean[j]-mean) > 1e-10 || math.Abs(s.SD(j)-math.Sqrt(ss/float64(n))) > 1e-9 || s.Min[j] != slices.Min(col) ||
					s.Max[j] != slices.Max(col) {
					t.Fatalf(
						"sparse %v, column %d: mean %v sd %v range %v..%v of %v",
						r.IsSparse(),
						j,
						s.Mean[j],
						s.SD(j),
						s.Min[j],
						s.Max[j],
						col,
					)
				}
			}
		}
	})
}

func TestScaling(t *testing.T) {
	// columns: sd 1, sd 100 (ratio 100), constant
	r := dense(2, 3, 1, 100, 0.1, 3, 300, 0.1)
	keep := slices.Clone(r.Dense.RawMatrix().Data)
	sp := Rows{Sparse: CSRFromDense(r.Dense)}
	for _, c := range []struct {
		kind string
		rows Rows
		want []float64
		got  string
	}{
		{"", r, []float64{-1, -1, 0, 1, 1, 0}, ScaleStandard},
		{ScaleAuto, dense(2, 2, 1, 1, 2, 3), []float64{1, 1, 2, 3}, ScaleNone},
		{ScaleAuto, sp, keep, ScaleNone},
		{ScaleNone, r, keep, ScaleNone},
		{ScaleStandard, sp, []float64{1, 1, 0.1, 3, 3, 0.1}, ScaleStandard},
		{ScaleMinMax, r, []float64{0, 0, 0, 1, 1, 0}, ScaleMinMax},
		{ScaleMinMax, sp, []float64{1. / 3, 1. / 3, 0.1, 1, 1, 0.1}, ScaleMinMax},
		{ScaleUnit, dense(2, 2, 3, 4, 0, 0), []float64{0.6, 0.8, 0, 0}, ScaleUnit},
		{ScaleUnit, Rows{Sparse: CSRFromDense(mat.NewDense(2, 2, []float64{3, 4, 0, 0}))}, []float64{0.6, 0.8, 0, 0}, ScaleUnit},
	} {
		c.rows.ID = []int{7, 8}
		s, reason, err := FitScaling(c.kind, c.rows)
		if err != nil || s.Kind != c.got || reason == "" {
			t.Errorf("%s: %s, %q, %v", c.kind, s.Kind, reason, err)
		}
		var back Scaling
		if b, err := json.Marshal(s); err != nil || json.Unmarshal(b, &back) != nil || !reflect.DeepEqual(back, s) {
			t.Errorf("%s: JSON gives %+v for %+v", c.kind, back, s)
		}
		out := back.Apply(c.rows)
		m := out.Dense
		if out.IsSparse() {
			m = out.Sparse.ToDense()
		}
		if out.IsSparse() != c.rows.IsSparse() || !slices.Equal(out.ID, c.rows.ID) ||
			!slices.EqualFunc(m.RawMatrix().Data, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
			t.Errorf("%s: %v, want %v", c.kind, m.RawMatrix().Data, c.want)
		}
	}
	if !slices.Equal(r.Dense.RawMatrix().Data, keep) || !mat.Equal(sp.Sparse.ToDense(), r.Dense) {
		t.Error("input changed")
	}
	s, _, _ := FitScaling(ScaleStandard, r)
	if s.Constant != 1 || s.Scale[2] != 1 {
		t.Errorf("constant columns: %+v", s)
	}
	// Dense scaling of sparse rows fills them in.
	if out := s.Apply(sp); out.IsSparse() || out.Dense.At(1, 1) != 1 {
		t.Error("shifted sparse rows")
	}
	if _, _, err := FitScaling("z-score", r); err == nil {
		t.Error("unknown kind accepted")
	}
	if s, _, _ := FitScaling(ScaleStandard, dense(2, 1, -1e300, 1e300)); s.Apply(dense(1, 1, 1e300)).Check() != nil {
		t.Errorf("huge values: %+v", s)
	}
	for u, want := range map[float64]string{
		0.9e-70: ScaleStandard, 1.1e-70: ScaleNone, 1e-68: ScaleNone, 0.9e70: ScaleNone, 1.1e70: ScaleStandard,
	} { // the standard deviation
		if s, reason, _ := FitScaling(ScaleAuto, dense(2, 1, u, -u)); s.Kind != want {
			t.Errorf("values of size %g: %+v, %s", u, s, reason)
		}
	}
	for _, u := range []float64{1e-320, 1e-300, 1e-160, 1e160, 1e300} {
		far := dense(2, 2, 3*u, 4*u, -3*u, 4*u)
		if s, _, _ := FitScaling(ScaleAuto, far); s.Kind != ScaleStandard || !(s.Apply(far).Dense.At(0, 0) > 0.4) {
			t.Errorf("values of size %g: %+v", u, s)
		}
		if out := (Scaling{Kind: ScaleUnit}).Apply(far).Dense; math.Abs(out.At(0, 0)-0.6) > 1e-3 {
			t.Errorf("row of size %g scaled to %v", u, out.RawRowView(0))
		}
	}
}

// What auto takes for different units: a column far above the others, or a tenth of the
// columns far below in deviation and in range.
func TestUneven(t *testing.T) {
	// columns of two values each, so far apart, and how many rows have the second one
	columns := func(apart []float64, rows, second int) Rows {
		m := mat.NewDense(rows, len(apart), nil)
		for j, c := range apart {
			for i := range second {
				m.Set(i, j, c)
			}
		}
		return Rows{Dense: m}
	}
	alike := slices.Repeat([]float64{1}, 20)
	with := func(v ...float64) []float64 { return append(slices.Clone(alike[len(v):]), v...) }
	for _, c := range []struct {
		what string
		rows Rows
		want string
	}{
		{"alike", columns(alike, 100, 50), ""},
		{"one above", columns(with(10.5), 100, 50), "the largest standard deviation is 10.5 times the median"},
		{"one not far above", columns(with(9), 100, 50), ""},
		{"two of 20 below", columns(with(0.09, 0.01), 100, 50), "2 of 20 standard deviations are below a tenth of the median"},
		{"two of 20 not far below", columns(with(0.11, 0.11), 100, 50), ""},
		{"one of 20 below", columns(with(0.01), 100, 50), ""},
		{"one of 8 below", columns([]float64{1, 1, 1, 1, 1, 1, 1, 0.095}, 100, 50),
			"1 of 8 standard deviations are below a tenth of the median"},
		{"constant columns apart", columns([]float64{0, 0, 0, 0, 0, 0, 1, 1, 1, 0.01}, 100, 50),
			"1 of 4 standard deviations are below a tenth of the median"},
		{"a rare value in the range of all", columns([]float64{1, 1}, 10000, 5000).Beside(columns([]float64{1}, 10000, 1)), ""},
	} {
		got := Uneven(c.rows)
		if got != c.want || Uneven(Rows{Sparse: CSRFromDense(c.rows.Dense)}) != "" && c.want == "" {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
		s, reason, err := FitScaling(ScaleAuto, c.rows)
		if err != nil || (s.Kind == ScaleStandard) != (c.want != "") || c.want != "" && reason != "features standardised: "+c.want {
			t.Errorf("%s: %s, %q, %v", c.what, s.Kind, reason, err)
		}
	}
	text := Rows{Sparse: CSRFromDense(columns([]float64{1, 1, 1000}, 100, 10).Dense)}
	if got := Uneven(text); got != "" {
		t.Errorf("text is uneven: %s", got)
	}
}

func TestWithUnlabelled(t *testing.T) {
	a := &Set{Name: "a", Rows: dense(2, 1, 1, 2), Answers: Answers{"x", "y"}, Lines: []int{2, 3}}
	b := &Set{Rows: dense(1, 1, 3), Answers: Answers{"z"}, Lines: []int{2}}
	s, err := a.WithUnlabelled(b)
	if err != nil || s.Name != "a" || s.Rows.Len() != 3 || s.Rows.Dense.At(2, 0) != 3 || !slices.Equal(s.Answers, Answers{"x", "y", ""}) ||
		!slices.Equal(s.Lines, []int{2, 3, 0}) || len(a.Answers) != 2 || len(a.Lines) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	a.Order, a.Weight, a.Group = []float64{5, 6}, []float64{7, 8}, []string{"g", "h"}
	s, err = a.WithUnlabelled(b)
	if err != nil || len(s.Order) != 3 || s.Order[1] != 6 || !math.IsNaN(s.Order[2]) || !slices.Equal(s.Weight, []float64{7, 8, 1}) ||
		!slices.Equal(s.Group, []string{"g", "h", ""}) || s.ID != nil || len(a.Order) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := a.WithUnlabelled(&Set{Rows: dense(1, 2, 3, 4)}); err == nil {
		t.Error("rows of other width accepted")
	}
}

// Identifiers beyond what a float64 tells apart are classes of their own.
func TestLongClasses(t *testing.T) {
	l := interpret(t, Answers{"12345678901234567", "+12345678901234568", "5", "-9007199254740993"}, "label", Classification)
	want := []string{"-9007199254740993", "5", "12345678901234567", "+12345678901234568"}
	if !slices.Equal(l.Classes, want) || !slices.Equal(l.Class, []int{2, 3, 1, 0}) {
		t.Errorf("%v %v, want %v", l.Classes, l.Class, want)
	}
	for want, raws := range map[string][]string{
		"1000000000000000":       {"1000000000000000.0", "1000000000000000", "+1000000000000000"},
		"-12345678901234567":     {"-12345678901234567.00"},
		"12345678901234568":      {"12345678901234567.9"},
		"1152921504606846976":    {"1152921504606846976"},
		"1e+25":                  {"10000000000000000905969664"},
		"1000000000000000000007": {"1000000000000000000007"},
		"1":                      {"+1", " 1.0"},
		"0":                      {"-0", "0.0", "+0"},
		"01":                     {"01"},
		"-01":                    {"-01"},
		"1e3":                    {"1e3 "},
	} {
		for _, raw := range raws {
			if got := ClassName(raw); got != want || ClassName(got) != got {
				t.Errorf("%s is named %s, then %s, want %s", raw, got, ClassName(got), want)
			}
		}
	}
}

// Folds and rows held out that are dealt by numbers alone are those of the rows, each by its place among the rows of its class.
func TestDealtByNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, seed := drawLabels(t), rapid.Uint64().Draw(t, "seed")
		counts := l.Counts()
		k := rapid.IntRange(2, len(l.Labelled())).Draw(t, "k")
		share := float64(rapid.IntRange(1, 9).Draw(t, "tenths")) / 10
		folds, err := Folds(l, k, seed)
		if err != nil {
			t.Fatal(err)
		}
		held, errHeld := HoldOut(l, share, seed)
		dealt := make([][]int, len(counts))
		for c, n := range counts {
			dealt[c] = slices.Repeat([]int{-1}, n)
		}
		put := func(class, row, fold int) { dealt[class][row] = fold }
		same := func(want []int) {
			t.Helper()
			at := make([]int, len(counts))
			for i, c := range l.Class {
				if c < 0 {
					continue
				}
				if dealt[c][at[c]] != want[i] {
					t.Fatalf("row %d, number %d of class %d, is in fold %d, not %d", i, at[c], c, dealt[c][at[c]], want[i])
				}
				dealt[c][at[c]] = -1
				at[c]++
			}
		}
		if err := DealFolds(counts, k, seed, put); err != nil {
			t.Fatal(err)
		}
		same(folds.Fold)
		if err := DealHeldOut(counts, share, seed, put); (err == nil) != (errHeld == nil) {
			t.Fatal(err, errHeld)
		} else if err == nil {
			same(held.Fold)
		}
	})
	for _, share := range []float64{0, 1, math.NaN()} {
		if err := DealHeldOut([]int{4, 4}, share, 1, func(int, int, int) {}); err == nil {
			t.Errorf("a share of %g is held out", share)
		}
	}
	// The draw is part of what a seed means: models of the same file and seed are the same.
	l := Labels{Task: Regression, Value: make([]float64, 12)}
	p, err := Folds(l, 3, 1)
	if err != nil || !slices.Equal(p.Fold, []int{0, 0, 1, 2, 0, 2, 2, 1, 1, 1, 2, 0}) {
		t.Errorf("%v, %v", p.Fold, err)
	}
}
