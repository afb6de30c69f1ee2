package methodtest

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
)

// The sets that methods are tried on, of few rows, no two of them alike.
const (
	flowers  = "flowers"  // three classes of unequal numbers of labels, columns of two decades, most labels hidden
	pairs    = "pairs"    // two of the classes
	labelled = "labelled" // the same as flowers with every label seen
	widths   = "widths"   // a number to be learned from the other columns
	moons    = "moons"    // two classes that a graph tells apart
)

// every is the distance between the rows of iris that are taken.
const every = 4

// labelsKept is how many labels each class keeps, and how many numbers are kept.
var labelsKept = map[string]int{"0": 3, "1": 4, "2": 5}

// wholeIris is read once.
var wholeIris = sync.OnceValues(func() (*data.Set, error) { return data.Builtin("iris") })

// sample makes a set of rows of iris.
func sample(t testing.TB, name string) mercer.Input {
	t.Helper()
	if name == moons {
		return crescents(t)
	}
	iris, err := wholeIris()
	if err != nil {
		t.Fatal(err)
	}
	if name == widths {
		return numbers(iris)
	}
	set := &data.Set{Source: name, LabelName: iris.LabelName, Features: iris.Features}
	var rows []int
	for i := 0; i < iris.Rows.Len(); i += every {
		if name == pairs && iris.Answers[i] == "0" {
			continue
		}
		rows = append(rows, i)
		set.Answers = append(set.Answers, iris.Answers[i])
	}
	x := mat.DenseCopyOf(iris.Rows.Select(rows).Dense)
	for i := range rows {
		x.Set(i, 1, 20*x.At(i, 1))
	}
	set.Rows = data.Rows{Dense: x}
	if name == labelled {
		return mercer.Input{Set: set}
	}
	seen := map[string]int{}
	return hide(set, func(a string) bool {
		seen[a]++
		return seen[a] <= labelsKept[a]
	})
}

// crescents are two interleaved half circles.
func crescents(t testing.TB) mercer.Input {
	set, err := data.Builtin("two-moons:n=60,noise=0.1,seed=3")
	if err != nil {
		t.Fatal(err)
	}
	for i := range set.Rows.Len() {
		set.Rows.Dense.Set(i, 1, 20*set.Rows.Dense.At(i, 1))
	}
	seen := map[string]int{}
	return hide(set, func(a string) bool {
		seen[a]++
		return seen[a] <= 3
	})
}

// numbers learns the last column of iris from the others.
func numbers(iris *data.Set) mercer.Input {
	set := &data.Set{Source: widths, LabelName: iris.Features[3], Features: iris.Features[:3]}
	x := mat.NewDense(iris.Rows.Len()/every, 3, nil)
	for q := range x.RawMatrix().Rows {
		row := iris.Rows.Dense.RawRowView(q * every)
		x.SetRow(q, []float64{row[0] + 0.1*math.Sin(float64(q)), 20 * row[1], row[2] + 0.1*math.Cos(3*float64(q))}) // no two alike
		set.Answers = append(set.Answers, fmt.Sprint(row[3]+0.01*float64(q%7)))
	}
	set.Rows = data.Rows{Dense: x}
	n := 0
	return hide(set, func(string) bool {
		n++
		return n%3 == 0
	})
}

// hide moves the answers that are not kept to Hidden.
func hide(set *data.Set, keep func(answer string) bool) mercer.Input {
	var rows []int
	for i, a := range set.Answers {
		if keep(a) {
			rows = append(rows, i)
		}
	}
	in := mercer.Input{Set: set}
	set.Answers, in.Hidden = data.Hide(set.Answers, rows)
	return in
}

// plain is the set that a method is tried on where nothing else is said.
func plain(m method.Method) string {
	switch {
	case m.For == data.Regression:
		return widths
	case m.ID == method.Auto:
		return moons
	}
	return flowers
}
