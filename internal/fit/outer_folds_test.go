package fit

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// TestOuterFold: the outer folds of a recipe are those that are drawn with its seed, 1 where it has none; each is learned without its
// labels, and without its rows where every other row is labelled.
func TestOuterFold(t *testing.T) {
	const n, k = 30, 3
	for _, unlabelled := range []int{0, 6} {
		set := &data.Set{Source: "set", Features: []string{"a"}, Rows: data.Rows{Dense: mat.NewDense(n, 1, nil)}}
		for i := range n {
			set.Rows.Dense.Set(i, 0, float64(i))
			set.Answers = append(set.Answers, "")
			if i >= unlabelled {
				set.Answers[i] = []string{"no", "yes"}[i%2]
			}
		}
		drawn := map[uint64][][]int{}
		for _, seed := range []uint64{0, 1, 2} {
			r := result.Recipe{Method: "rls", CV: k, Seed: seed}
			labels, err := Interpret(set, r)
			if err != nil {
				t.Fatal(err)
			}
			part, err := data.Folds(labels, k, max(seed, 1))
			if err != nil {
				t.Fatal(err)
			}
			for number := range k {
				_, fold, err := outerRows(set, labels, r, number)
				if err != nil {
					t.Fatal(err)
				}
				train, _, err := outerFold(set, labels, r, number)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%d without a label, seed %d, fold %d", unlabelled, seed, number)
				if want := part.Groups()[number]; !reflect.DeepEqual(fold, want) {
					t.Errorf("%s: rows %v, want %v", name, fold, want)
				}
				rows := n
				if unlabelled == 0 {
					rows -= len(fold)
				}
				if train.Rows.Len() != rows || len(train.Answers.Answered()) != n-unlabelled-len(fold) {
					t.Errorf("%s: learned from %d rows, %d of them labelled", name, train.Rows.Len(), len(train.Answers.Answered()))
				}
				drawn[seed] = append(drawn[seed], fold)
			}
		}
		if !reflect.DeepEqual(drawn[0], drawn[1]) || reflect.DeepEqual(drawn[1], drawn[2]) {
			t.Errorf("without a seed %v, of 1 %v, of 2 %v", drawn[0], drawn[1], drawn[2])
		}
	}
}

// cells are rows of one column of numbers with these answers.
func cells(answers ...string) *data.Set {
	set := &data.Set{Source: "set", Features: []string{"a"}, Rows: data.Rows{Dense: mat.NewDense(len(answers), 1, nil)}, Answers: answers}
	for i := range answers {
		set.Rows.Dense.Set(i, 0, math.Sin(float64(7*i)))
	}
	return set
}

// TestOuterFoldsHaveOneTask: where the rows are of classes, the rows that a fold leaves are, however few of a class there are left.
func TestOuterFoldsHaveOneTask(t *testing.T) {
	var answers []string
	for i := range 15 {
		answers = append(answers, strconv.Itoa(i%5))
	}
	in, r := result.Input{Set: cells(answers...)}, result.Recipe{Method: "rls", Tune: "none", CV: 3}
	_, res, err := Fit(context.Background(), in, r, result.Options{})
	if err != nil || res.Task != "classification" {
		t.Fatalf("%v, %v", res, err)
	}
	for number := range r.CV {
		losses, err := OuterFold(context.Background(), in, r, result.Options{}, number)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range losses {
			if v != 0 && v != 1 {
				t.Errorf("fold %d of rows of classes: losses %v", number, losses)
				break
			}
		}
	}
}

// TestOuterFoldsOfOneClass: what a fold of one class judges has not been learned from, whatever the answers are, and every row of it is
// judged as one of the class.
func TestOuterFoldsOfOneClass(t *testing.T) {
	some := make([]string, 30)
	for i := range 12 {
		some[i] = "good"
	}
	some[20] = "-1"
	for _, set := range []*data.Set{cells(some...), cells(make([]string, 30)...)} {
		for _, answers := range []data.Answers{set.Answers, nil} {
			set.Answers = answers
			r := result.Recipe{Method: "one-class", CV: 3}
			labels, err := Interpret(set, r)
			if err != nil {
				t.Fatal(err)
			}
			known := len(labels.Labelled())
			judged := 0
			for number := range r.CV {
				train, fold, err := outerFold(set, labels, r, number)
				if err != nil {
					t.Fatal(err)
				}
				if train.Rows.Len()+fold.Rows.Len() != 30 {
					t.Errorf("learned from %d rows, judged by %d of 30", train.Rows.Len(), fold.Rows.Len())
				}
				judged += len(fold.Answers.Answered())
			}
			if judged != known {
				t.Errorf("%d rows judged, want %d", judged, known)
			}
			_, res, err := Fit(context.Background(), result.Input{Set: set}, r, result.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if e := res.Estimate; e == nil || e.Rows != known || e.Error > 0.5 {
				t.Errorf("estimate %+v", e)
			}
		}
	}
}

// TestTrivialOfOuterFolds: of rows in order the most frequent class, and the mean, are those of the rows before each outer fold.
func TestTrivialOfOuterFolds(t *testing.T) {
	classes := slices.Repeat([]string{"late"}, 60)
	for i := range 40 {
		classes[i] = []string{"early", "early", "late", "early"}[i%4]
	}
	numbers := make([]string, 60)
	for i := range numbers {
		numbers[i] = fmt.Sprintf("%d.5", []int{0, 3, 7}[i/20])
	}
	for _, c := range []struct {
		answers []string
		want    float64
	}{
		{classes, 0.625},                        // early, of which there are 15 in the middle 20, and none in the last
		{numbers, math.Sqrt((9 + 5.5*5.5) / 2)}, // 0.5 for 3.5, and (0.5+3.5)/2 for 7.5
	} {
		set := cells(c.answers...)
		for i := range c.answers {
			set.Order = append(set.Order, float64(i))
		}
		_, res, err := Fit(context.Background(), result.Input{Set: set}, result.Recipe{Method: "rls", Tune: "holdout:0.2", CV: 2},
			result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if e := res.Estimate; e == nil || e.Rows != 40 || e.Trivial == nil || math.Abs(*e.Trivial-c.want) > 1e-12 {
			t.Errorf("estimate %+v, expected %g of what needs no model", e, c.want)
		}
	}
}
