package reproduce

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// TestOpen: a set is opened where it has its rows and columns, or any number of them where none is said, and a class for each row.
func TestOpen(t *testing.T) {
	const name, text = "set.csv", "x,y,label\n1,2,1\n3,4,2\n5,7,1\n"
	for _, c := range []struct {
		d    dataset
		text string
		want string // in the error
	}{
		{dataset{"", name, 3, 2}, text, ""},
		{dataset{"", name, 0, 0}, text, ""},
		{dataset{"", name, 4, 2}, text, "3 rows in place of 4"},
		{dataset{"", name, 2, 2}, text, "3 rows in place of 2"},
		{dataset{"", name, 3, 1}, text, "2 features in place of 1"},
		{dataset{"", name, 3, 3}, text, "2 features in place of 3"},
		{dataset{"", name, 3, 2}, strings.Replace(text, "7,1", "7,one", 1), `row 3 has class "one", not a whole number`},
		{dataset{"", "other.csv", 3, 2}, text, "x needs other.csv, which is not in "},
	} {
		l := newLab(t, "", 1)
		l.id, l.dataDir = "x", t.TempDir()
		if err := os.WriteFile(filepath.Join(l.dataDir, name), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var set *classified
		err := caught(func() { set = l.classified(t.Context(), c.d) })
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %q", c.d, err, c.want)
			}
		case err != nil || !slices.Equal(set.class, []int{1, 2, 1}) || !slices.Equal(set.columns, []string{"x", "y"}):
			t.Errorf("%+v: %+v, %v", c.d, set, err)
		}
	}
	l := newLab(t, "", 1)
	if err := caught(func() { l.open(t.Context(), dataset{file: name}) }); err == nil || !strings.Contains(err.Error(), "say where it is") {
		t.Errorf("no folder: %v", err)
	}
}

// TestClassesOfRows: targets and rows of a set as classes, signs and numbers, by hand.
func TestClassesOfRows(t *testing.T) {
	c := &classified{
		x:       data.Rows{Dense: mat.NewDense(3, 2, []float64{0, 10, 1, 30, 4, 20}), ID: []int{5, 6, 7}},
		columns: []string{"a", "b"}, class: []int{4, 9, 7},
	}
	s := c.selected([]int{2, 0})
	if !slices.Equal(s.class, []int{7, 4}) || s.x.ID != nil ||
		!slices.Equal(s.x.Dense.RawRowView(0), []float64{4, 20}) || len(s.columns) != 2 {
		t.Errorf("selected %+v", s)
	}
	c.span(-1, 2)
	if want := mat.NewDense(3, 2, []float64{-1, -1, -0.25, 2, 2, 0.5}); !mat.EqualApprox(c.x.Dense, want, 1e-12) {
		t.Errorf("scaled to -1..2: %v", mat.Formatted(c.x.Dense))
	}
	is := c.against(9)
	if !slices.Equal(is, []bool{false, true, false}) || !slices.Equal(signs(is), []float64{-1, 1, -1}) ||
		indicator(is[0]) != 0 || indicator(is[1]) != 1 {
		t.Errorf("%v, %v", is, signs(is))
	}
	labels := labelsOf([]float64{1, -1, -1, 1})
	if !slices.Equal(labels.Class, []int{1, 0, 0, 1}) || !slices.Equal(labels.Classes, []string{"-1", "1"}) ||
		labels.Task != data.Classification {
		t.Errorf("%+v", labels)
	}
	part := known([]string{"a", "b"}, []int{1, 0, 1}, []int{0, 1})
	if !slices.Equal(part.Class, []int{1, 0, data.Unlabelled}) || part.Classes[1] != "b" || part.Task != data.Classification {
		t.Errorf("%+v", part)
	}
	if v := wrongOf([]int{1, 0, 0, 1}, []int{1, 1, 0, 1}); v != 25 {
		t.Errorf("one of four rows is wrong: %g %%", v)
	}
}

// TestLeastOf: the first of equal values, none of what is no number.
func TestLeastOf(t *testing.T) {
	for _, c := range []struct {
		of   []float64
		want int
	}{
		{nil, -1}, {[]float64{math.NaN(), math.Inf(1)}, -1}, {[]float64{3, 1, 2, 1}, 1}, {[]float64{math.NaN(), 5, 7}, 1},
		{[]float64{-2, 0}, 0},
	} {
		if got := leastOf(len(c.of), func(i int) float64 { return c.of[i] }); got != c.want {
			t.Errorf("%v: %d, want %d", c.of, got, c.want)
		}
	}
}

// TestDrawsOfRuns: numbers lie between their limits and go to both, a run and a seed have draws of their own, and labels are refused
// where there are fewer than the classes need or more than rows.
func TestDrawsOfRuns(t *testing.T) {
	l := &lab{seed: 3}
	v := uniform(l.stream(2), -1, 4, 400)
	if lo, hi := slices.Min(v), slices.Max(v); lo < -1 || lo > -0.9 || hi > 4 || hi < 3.9 || math.Abs(mean(v)-1.5) > 0.3 || len(v) != 400 {
		t.Errorf("%d numbers from %g to %g", len(v), lo, hi)
	}
	if !slices.Equal(v, uniform(l.stream(2), -1, 4, 400)) {
		t.Error("a run is drawn otherwise a second time")
	}
	if v[0] == uniform(l.stream(1), -1, 4, 1)[0] || v[0] == uniform((&lab{seed: 2}).stream(2), -1, 4, 1)[0] ||
		v[0] == uniform((&lab{seed: 2}).stream(3), -1, 4, 1)[0] {
		t.Error("another run or seed has the same draw")
	}
	class := []int{0, 1, 2, 0, 1, 2, 0}
	for n, fails := range map[int]bool{5: true, 6: false, 7: false, 8: true} {
		var rows []int
		err := caught(func() { rows = drawAtLeast(class, 3, n, 2, rand.New(rand.NewPCG(1, 0))) })
		if (err != nil) != fails || !fails && (len(rows) != n || len(slices.Compact(rows)) != n) {
			t.Errorf("%d labels: %v, %v", n, rows, err)
		}
	}
}
