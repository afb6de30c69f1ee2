package dual

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// A fold whose rows make no problem, as of too large a nu, says so.
func TestFoldWithoutProblem(t *testing.T) {
	impossible := errors.New("impossible")
	tr := &trainer{dual: func(learn.Part, []float64, []float64) (Problem, error) { return Problem{}, impossible }}
	if _, err := (&foldTraining{trainer: tr}).output(t.Context(), learn.Part{Rows: []int{0}}, nil, nil); !errors.Is(err, impossible) {
		t.Errorf("the error is %v", err)
	}
}

// A fold without a margin, and one whose kernel values are no numbers, say so.
func TestFoldThatFails(t *testing.T) {
	fold, y := []int{0, 1}, make([]float64, 10)
	for i := range y {
		y[i] = float64(1 - 2*(i%2))
	}
	nu := func(part learn.Part, weight, theta []float64) (Problem, error) {
		return NuSVC(part.Rows, part.Y, weight, theta[0])
	}
	for _, v := range []float64{0, math.NaN()} {
		k := &dense{n: 12, k: make([]float32, 144)}
		k.k[5*12+7], k.k[7*12+5] = float32(v), float32(v)
		words := "svm: the margin of nu-SVC is "
		if v != 0 {
			words = "svm: kernel value (5, 7) is NaN"
		}
		one := &foldTraining{trainer: &trainer{matrix: k, offset: true, dual: nu}, theta: []float64{0.5}}
		part := learn.Part{Rows: learn.Others(12, fold), Y: y}
		if _, err := one.output(t.Context(), part, fold, mat.NewDense(12, 1, nil)); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("values of %g: the error is %v, expected %q in it", v, err, words)
		}
	}
}
