package data

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The weights of a small table by the formula, worked out by hand: idf of the columns is 1, 1 + ln(7/2) and
// 1 + ln(7/3). Dense and sparse rows agree, rows of zeros stay, and the rows given do too.
func TestTFIDF(t *testing.T) {
	counts := mat.NewDense(6, 3, []float64{3, 0, 1, 2, 0, 0, 0, 0, 0, 4, 0, 0, 3, 2, 0, 3, 0, 2})
	counts.Set(2, 0, 3)
	want := mat.NewDense(6, 3, nil)
	idf := []float64{1, 1 + math.Log(7./2), 1 + math.Log(7./3)}
	for i := range 6 {
		norm := 0.0
		for j := range 3 {
			norm = math.Hypot(norm, counts.At(i, j)*idf[j])
		}
		for j := range 3 {
			want.Set(i, j, counts.At(i, j)*idf[j]/norm)
		}
	}
	if got := want.At(0, 0); math.Abs(got-0.85151335) > 1e-8 { // as scikit-learn prints it
		t.Fatalf("the formula gives %g", got)
	}
	for _, rows := range []Rows{{Dense: counts}, {Sparse: CSRFromDense(counts)}} {
		s, reason, err := FitScaling(ScaleTFIDF, rows)
		if err != nil || s.Check(3) != nil || reason != "words weighted by TF-IDF, rows scaled to length 1, as asked" {
			t.Fatal(s, reason, err)
		}
		for _, more := range []Rows{rows, {Dense: mat.NewDense(2, 3, []float64{0, 0, 0, 0, 5, 0})}} {
			out := s.Apply(more)
			for i := range more.Len() {
				row, by := rowOf(out, i), want.RawRowView(i)
				if more.Len() == 2 {
					by = [][]float64{{0, 0, 0}, {0, 1, 0}}[i]
				}
				for j, v := range row {
					if math.Abs(v-by[j]) > 1e-15 {
						t.Errorf("sparse %t: row %d is %v, want %v", rows.IsSparse(), i, row, by)
					}
				}
			}
		}
		if v := rowOf(rows, 0)[0]; v != 3 {
			t.Errorf("the rows given were changed: %g", v)
		}
	}
}

// Generated text is what TF-IDF makes of its counts: weighing them twice divides by the lengths alone.
func TestTextIsTFIDF(t *testing.T) {
	set, err := Builtin("two-topics:n=40")
	if err != nil {
		t.Fatal(err)
	}
	x := set.Rows.Sparse
	idf := inverseFrequencies(40, set.Rows.ColumnStats().NonZero)
	counts := copied(x, func(index []int32, row []float64) {
		least := math.Inf(1)
		for p, j := range index {
			row[p] /= idf[j]
			least = min(least, row[p])
		}
		for p := range row {
			row[p] = math.Round(row[p] / least * 12) // a row's least count is 1 to 4
		}
	})
	s, _, err := FitScaling(ScaleTFIDF, Rows{Sparse: counts})
	if err != nil {
		t.Fatal(err)
	}
	for p, v := range s.Apply(Rows{Sparse: counts}).Sparse.Value {
		if math.Abs(v-x.Value[p]) > 1e-14 {
			t.Fatalf("entry %d is %g, generated %g", p, v, x.Value[p])
		}
	}
}

// What is no count is refused by row and column, when the weights are learned and later.
func TestTFIDFIsOfCounts(t *testing.T) {
	good, _, err := FitScaling(ScaleTFIDF, dense(2, 2, 0, 1, 2, 3))
	if err != nil {
		t.Fatal(err)
	}
	const remedy = "; TF-IDF is of counts, which are finite and not negative: give counts, or choose --scale unit or standard"
	for what, rows := range map[string]Rows{
		"row 1, column 0 is -1":   dense(2, 2, 0, 1, -1, 3),
		"row 0, column 1 is NaN":  dense(1, 2, 0, math.NaN()),
		"row 0, column 0 is +Inf": dense(1, 2, math.Inf(1), 0),
		"row 7, column 1 is -2":   {Sparse: CSRFromDense(mat.NewDense(1, 2, []float64{0, -2})), ID: []int{7}},
	} {
		if _, _, err := FitScaling(ScaleTFIDF, rows); err == nil || err.Error() != what+remedy {
			t.Errorf("learned: %v, want %s", err, what)
		}
		if err := good.Refuses(rows); err == nil || err.Error() != what+remedy {
			t.Errorf("applied: %v, want %s", err, what)
		}
	}
	if err := (Scaling{Kind: ScaleUnit}).Refuses(dense(1, 1, -1)); err != nil {
		t.Error(err)
	}
}

// Auto is TF-IDF for text, and whatever is asked for is done.
func TestAutoOfText(t *testing.T) {
	set := &Set{Rows: dense(2, 2, 0, 1, 2, 3), Text: &Text{Column: "body"}}
	for kind, want := range map[string]string{"": ScaleTFIDF, ScaleAuto: ScaleTFIDF, ScaleNone: ScaleNone, ScaleUnit: ScaleUnit} {
		if s, _, err := set.FitScaling(kind); err != nil || s.Kind != want {
			t.Errorf("%q: %s, %v", kind, s.Kind, err)
		}
	}
	set.Text = nil
	if s, _, err := set.FitScaling(""); err != nil || s.Kind != ScaleNone {
		t.Errorf("no text: %s, %v", s.Kind, err)
	}
	if n := dense(3, 2, 0, 0, 0, 1, 0, 0).Zero(); n != 2 {
		t.Errorf("%d rows of zeros", n)
	}
}
