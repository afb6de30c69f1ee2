package dual

import (
	"errors"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// A fold whose rows make no problem, as of too large a nu, says so.
func TestFoldWithoutProblem(t *testing.T) {
	impossible := errors.New("impossible")
	tr := &trainer{dual: func(learn.Part, []float64, []float64) (Problem, error) { return Problem{}, impossible }}
	if _, err := (&foldTraining{trainer: tr}).output(t.Context(), learn.Part{Rows: []int{0}}, nil, nil); !errors.Is(err, impossible) {
		t.Errorf("the error is %v", err)
	}
}
