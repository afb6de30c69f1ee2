package cli

import "github.com/mercer-ml/mercer/model"

// bounded is the flag for intervals around predictions.
type bounded struct {
	Interval *float64 `help:"${bounded_interval}" placeholder:"LEVEL"`
}

// bounds are what is to be added to the outputs of the model of a file for lower and upper.
func (b *bounded) bounds(file string, m *model.Model) ([]float64, error) {
	if level := *b.Interval; !(level > 0 && level < 1) {
		return nil, usage("--interval %g: give a share between 0 and 1, as 0.9", level)
	}
	lower, upper, err := m.Interval(*b.Interval)
	if err != nil {
		return nil, &fault{file: file, what: err.Error()}
	}
	return []float64{lower, upper}, nil
}
