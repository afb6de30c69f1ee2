package data

import (
	"fmt"
	"math"
	"testing"
)

// TestGroupsStayWhole: every fold has whole groups and a fair share of each class, no fold is empty, and the seed matters.
func TestGroupsStayWhole(t *testing.T) {
	l := Labels{Task: Classification, Classes: []string{"a", "b"}}
	for i := range 200 {
		l.Class = append(l.Class, []int{0, 0, 1, Unlabelled}[i%4])
		l.Group = append(l.Group, fmt.Sprint("g", i/7))
	}
	l.Group[3], l.Group[100], l.Group[101] = "", "", "" // each on its own
	var draws []string
	for _, seed := range []uint64{1, 1, 2} {
		for _, k := range []int{2, 5, 20} {
			p, err := Folds(l, k, seed)
			if err != nil {
				t.Fatal(err)
			}
			of := map[string]int{}
			for i, f := range p.Fold {
				if (f < 0) != (l.Class[i] < 0) {
					t.Fatalf("row %d of class %d is in fold %d", i, l.Class[i], f)
				}
				if g := l.Group[i]; f >= 0 && g != "" {
					if old, seen := of[g]; seen && old != f {
						t.Fatalf("group %s is in folds %d and %d", g, old, f)
					}
					of[g] = f
				}
			}
			for f, rows := range p.Groups() {
				n := [2]float64{}
				for _, i := range rows {
					n[l.Class[i]]++
				}
				if len(rows) == 0 || k < 20 && (math.Abs(n[0]-100/float64(k)) > 5 || math.Abs(n[1]-50/float64(k)) > 4) {
					t.Errorf("fold %d of %d has %v rows of the classes", f, k, n)
				}
			}
			if k == 5 {
				draws = append(draws, fmt.Sprint(p.Fold))
			}
		}
	}
	if draws[0] != draws[1] || draws[0] == draws[2] {
		t.Error("the seed does not decide the folds")
	}
	if _, err := Folds(l, 33, 1); err == nil {
		t.Error("more folds than groups are drawn")
	}
	p, err := HoldOut(l, 0.3, 1)
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for i, f := range p.Fold {
		for j, g := range p.Fold {
			if l.Group[i] != "" && l.Group[i] == l.Group[j] && l.Class[i] >= 0 && l.Class[j] >= 0 && f != g {
				t.Fatalf("rows %d and %d of one group are apart", i, j)
			}
		}
		if f == 0 {
			held++
		}
	}
	if math.Abs(float64(held)-45) > 4 {
		t.Errorf("%d of 150 rows are held out, want 0.3 of them", held)
	}
	for i := range l.Group {
		l.Group[i] = "one"
	}
	if _, err := HoldOut(l, 0.3, 1); err == nil || l.Groups() != 1 {
		t.Error("the only group is held out")
	}
}

// TestGroupsOfOne: rows that are each a group are dealt out as evenly as rows are.
func TestGroupsOfOne(t *testing.T) {
	l := Labels{Task: Regression, Value: make([]float64, 23), Group: make([]string, 23)}
	p, err := Folds(l, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	for f, rows := range p.Groups() {
		if len(rows) < 4 || len(rows) > 5 {
			t.Errorf("fold %d has %d rows", f, len(rows))
		}
	}
}

// TestUnfair: the change of the sum of the squared shares of classes, in units of a fair share.
func TestUnfair(t *testing.T) {
	if got := unfair([]int{1, 2, 3}, []int{1, 0, 3}, []int{4, 4, 12}, 2); got != 1-0.25+1-0.25 {
		t.Errorf("%g", got)
	}
}
