package cli

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/model"
)

// bounds are what --interval adds to an output for lower and upper.
func (c *predictCmd) bounds(m *model.Model) (lower, upper float64, err error) {
	if level := *c.Interval; !(level > 0 && level < 1) {
		return 0, 0, usage("--interval %g: give a share between 0 and 1, as 0.9", level)
	}
	if lower, upper, err = m.Interval(*c.Interval); err != nil {
		return 0, 0, &fault{file: c.Model, what: err.Error()}
	}
	return lower, upper, nil
}

// shifted is the only column of out with d added.
func shifted(out *mat.Dense, d float64) *mat.Dense {
	var moved mat.Dense
	moved.Apply(func(_, _ int, v float64) float64 { return v + d }, out)
	return &moved
}
