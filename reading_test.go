package mercer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
)

// graded are rows with answers that are whole numbers of a noisy sum, times a step.
func graded(step, least, most float64) *data.Set {
	r := rand.New(rand.NewPCG(8, 2))
	x := mat.NewDense(200, 2, nil)
	answers := make([]string, 200)
	for i := range answers {
		x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
		v := math.Round(1.5*(x.At(i, 0)+x.At(i, 1)) + 0.5*r.NormFloat64())
		answers[i] = strconv.Itoa(int(step * max(least, min(most, v))))
	}
	return &data.Set{Source: "graded", Rows: data.Rows{Dense: x}, Features: []string{"a", "b"}, LabelName: "grade",
		Answers: answers}
}

// readingOf is what a fit says of the reading that it did not take.
func readingOf(t *testing.T, set *data.Set, task string) string {
	t.Helper()
	_, res, err := mercer.Fit(context.Background(), mercer.Input{Set: set}, mercer.Recipe{Method: "rls", Task: task}, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range res.Guesses {
		if strings.Contains(g, "may be") {
			return g
		}
	}
	return ""
}

// Grades are classes that may be numbers: the figure told is near that of the other fit, and the field is told. Where the task is given, or
// where wrong answers are not mostly one step away, nothing is said.
func TestOtherReading(t *testing.T) {
	set := graded(1, -3, 3)
	told := readingOf(t, set, "")
	var rmse, trivial float64
	form := "its classes may be numbers (Recipe.Task regression): their mean by probability has rmse %g, always the mean %g"
	if _, err := fmt.Sscanf(told, form, &rmse, &trivial); err != nil {
		t.Fatalf("%q: %v", told, err)
	}
	_, res, err := mercer.Fit(context.Background(), mercer.Input{Set: set}, mercer.Recipe{Method: "rls", Task: "regression"}, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := res.Estimate.Error; math.Abs(rmse/v-1) > 0.25 {
		t.Errorf("rmse %g is told, as numbers it is %g", rmse, v)
	}
	if v := *res.Estimate.Trivial; math.Abs(trivial/v-1) > 0.01 {
		t.Errorf("always the mean: %g is told, as numbers it is %g", trivial, v)
	}
	if told := readingOf(t, set, "classification"); told != "" {
		t.Errorf("the task is given, and the fit says %q", told)
	}
	few := graded(1, -1, 1)
	if told := readingOf(t, few, ""); told != "" {
		t.Errorf("of three classes the fit says %q", told)
	}
	shuffled := graded(1, -3, 3)
	for i, a := range shuffled.Answers {
		n, _ := strconv.Atoi(a)
		shuffled.Answers[i] = strconv.Itoa((3*(n+3) + 1) % 7) // neighbours are three apart
	}
	if told := readingOf(t, shuffled, ""); told != "" {
		t.Errorf("of classes in no order the fit says %q", told)
	}
	wide := graded(5, -4, 4)
	if told := readingOf(t, wide, ""); !strings.Contains(told, "may be") {
		t.Errorf("of steps of five the fit says %q", told)
	}
}
