package model

import (
	"errors"
	"fmt"
)

// decides returns what makes its decision none of this model, or nil.
func (m *Model) decides() error {
	d := m.Decision
	switch {
	case d == nil:
		return nil
	case len(d.Weight) != len(m.Classes) || len(m.Classes) == 0:
		return fmt.Errorf("decision: %d weights of %d classes", len(d.Weight), len(m.Classes))
	case m.Calibration == nil:
		return errors.New("decision: there are no probabilities to decide by")
	}
	for k, w := range d.Weight {
		if !(w > 0) || w-w != 0 {
			return fmt.Errorf("decision: weight %d is %g", k+1, w)
		}
	}
	return nil
}
