package fit

import (
	"fmt"
	"reflect"
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
				train, fold, err := outerFold(set, labels, r, number)
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
