package model

import "fmt"

// Front is what a model was chosen from: members by increasing complexity that no other
// member is better than in both risk and complexity. Their functions are expansions over the
// same rows.
type Front struct {
	Chosen  int
	Members []Member
}

// Member is one function of a front.
type Member struct {
	Risk, Complexity float64
	Parts            []Part
}

// Member is the model that member k of the front is, k from 0. Probabilities and intervals belong to
// the chosen member alone.
func (m *Model) Member(k int) (*Model, error) {
	if m.Front == nil {
		return nil, fmt.Errorf("the model is not a front; it has one member")
	}
	if k < 0 || k >= len(m.Front.Members) {
		return nil, fmt.Errorf("the front has %d members; give a number from 1 to %d", len(m.Front.Members), len(m.Front.Members))
	}
	one := *m
	one.Front = nil
	if k != m.Front.Chosen {
		one.Parts, one.Calibration, one.Decision, one.Residuals = m.Front.Members[k].Parts, nil, nil, nil
		one.profile = m.profile.OfColumns()
	}
	return &one, nil
}
