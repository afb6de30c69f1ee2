package model

import (
	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
)

// Calibration makes probabilities of outputs.
type Calibration interface {
	// Probabilities stores in dst (rows x classes) the probabilities of the rows of
	// outputs scores, of which winner are the predicted classes: rows sum to 1, every
	// entry is positive, and the greatest of a row is that of its winner. Outputs that are
	// not finite are an error that names the row.
	Probabilities(dst, scores *mat.Dense, winner []int) error
	// Check returns what makes the values no calibration, or nil: for values read
	// from a file.
	Check() error
}

// calibration is one of the calibrations under its name.
type calibration struct {
	Sigmoid  *calibrate.Sigmoid  `json:"sigmoid,omitempty"`
	Isotonic *calibrate.Isotonic `json:"isotonic,omitempty"`
	Softmax  *calibrate.Softmax  `json:"softmax,omitempty"`
	Pairs    *calibrate.Pairs    `json:"pairs,omitempty"`
	Shares   *calibrate.Shares   `json:"shares,omitempty"`
}

func named(c Calibration) *calibration {
	switch c := c.(type) {
	case calibrate.Sigmoid:
		return &calibration{Sigmoid: &c}
	case calibrate.Isotonic:
		return &calibration{Isotonic: &c}
	case calibrate.Softmax:
		return &calibration{Softmax: &c}
	case calibrate.Pairs:
		return &calibration{Pairs: &c}
	case calibrate.Shares:
		return &calibration{Shares: &c}
	}
	return nil
}

func (c *calibration) value() Calibration {
	switch {
	case c == nil:
	case c.Sigmoid != nil:
		return *c.Sigmoid
	case c.Isotonic != nil:
		return *c.Isotonic
	case c.Softmax != nil:
		return *c.Softmax
	case c.Pairs != nil:
		return *c.Pairs
	case c.Shares != nil:
		return *c.Shares
	}
	return nil
}

// calibrates says whether the calibration is for the outputs that the model has.
func (m *Model) calibrates() error {
	fits := false
	switch c := m.Calibration.(type) {
	case calibrate.Sigmoid, calibrate.Isotonic:
		fits = m.Outputs() == 1
	case calibrate.Softmax:
		fits = len(m.Classes) > 2 && !m.Pairs
	case calibrate.Shares:
		fits = !m.Pairs && len(c.Offset) == len(m.Classes)
	case calibrate.Pairs:
		fits = m.Pairs && c.Classes == len(m.Classes)
	}
	if !fits || m.Task != data.Classification {
		return corrupt("a calibration %T for %d classes with %d outputs", m.Calibration, len(m.Classes), m.Outputs())
	}
	return nil
}
