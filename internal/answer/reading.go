package answer

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/model"
)

const (
	// leastLevels is the number of whole labels from which they may be meant as numbers: grades and counts have five and more.
	leastLevels = 5
	// mostLevels is the number of whole labels up to which they may be meant as classes.
	mostLevels = 20
)

// otherReading scores the reading of whole-number labels that was not taken, by the same left-out outputs: of classes the mean of their
// numbers by probability, of numbers the nearest label there is. It is empty where the task was given or the labels leave no doubt.
func (a *Answer) otherReading(m *model.Model, judged []int, out *mat.Dense) string {
	p := a.Task.Problem
	if given := a.Task.Recipe.Task; given != "" && given != "auto" || a.Task.Coding.OneClass || len(judged) == 0 {
		return ""
	}
	if p.Task == data.Regression {
		return a.asClasses(judged, out)
	}
	return a.asNumbers(m, judged, out)
}

// asNumbers is the reading of classes whose names are whole numbers.
func (a *Answer) asNumbers(m *model.Model, judged []int, out *mat.Dense) string {
	p := a.Task.Problem
	if len(p.Classes) < leastLevels || !m.HasProbabilities() {
		return ""
	}
	number := make([]float64, len(p.Classes))
	for c, name := range p.Classes {
		n, err := strconv.Atoi(name)
		if err != nil {
			return ""
		}
		number[c] = float64(n)
	}
	probability, err := m.Probabilities(out)
	if err != nil {
		return "" // an output is not finite
	}
	if !a.stepwise(m.Decide(out), judged, number) {
		return ""
	}
	y := data.Labels{Task: data.Regression, Value: indices.Of(number, p.Class)}
	var squares float64
	for q, i := range judged {
		var mean float64
		for c, v := range probability.RawRowView(q) {
			mean += v * number[c]
		}
		squares += (mean - y.Value[i]) * (mean - y.Value[i])
	}
	return fmt.Sprintf("its classes may be numbers (--task regression): their mean by probability has rmse %.3g, always the mean %.3g",
		math.Sqrt(squares/float64(len(judged))), *Trivial(y, a.split(judged)))
}

// stepwise says whether most wrong decisions are for the next greater or smaller class, as those of grades are.
func (a *Answer) stepwise(decided, judged []int, number []float64) bool {
	order := slices.Sorted(slices.Values(number))
	place := func(c int) int { return slices.Index(order, number[c]) }
	wrong, near := 0, 0
	for q, i := range judged {
		switch place(decided[q]) - place(a.Task.Problem.Class[i]) {
		case 0:
		case -1, 1:
			wrong, near = wrong+1, near+1
		default:
			wrong++
		}
	}
	return 2*near > wrong
}

// asClasses is the reading of numbers that are all whole, and few, where the nearest is more often right than the most frequent. The
// number of a class is its place among the levels.
func (a *Answer) asClasses(judged []int, out *mat.Dense) string {
	p := a.Task.Problem
	y := mat.Col(nil, 0, p.Y)
	levels := slices.Compact(slices.Sorted(slices.Values(y)))
	if len(levels) < 2 || len(levels) > mostLevels || slices.ContainsFunc(levels, func(v float64) bool { return v != math.Trunc(v) }) {
		return ""
	}
	classes := data.Labels{Task: data.Classification, Classes: make([]string, len(levels)), Class: make([]int, len(y))}
	for i, v := range y {
		classes.Class[i], _ = slices.BinarySearch(levels, v)
	}
	wrong := 0
	for q, i := range judged {
		if nearest(levels, out.At(q, 0)) != y[i] {
			wrong++
		}
	}
	share, trivial := float64(wrong)/float64(len(judged)), *Trivial(classes, a.split(judged))
	if share >= trivial {
		return "" // the machine knows nothing of them as classes
	}
	return fmt.Sprintf("its numbers may be classes (--task classification): the nearest of %d is wrong in %.3g %% of rows, always the "+
		"most frequent in %.3g %%", len(levels), 100*share, 100*trivial)
}

// nearest is the element of an ascending list that is nearest to v, the smaller of two.
func nearest(levels []float64, v float64) float64 {
	at, _ := slices.BinarySearch(levels, v)
	if at == len(levels) || at > 0 && v-levels[at-1] <= levels[at]-v {
		at--
	}
	return levels[at]
}
