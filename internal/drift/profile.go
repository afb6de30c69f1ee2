package drift

import (
	"errors"
	"math"
	"slices"
)

// Profile is what a model remembers of the rows it was learned from; what it does not have is nil.
type Profile struct {
	Columns  []Sketch `json:"columns,omitempty"`  // of the features, unscaled
	Distance *Sketch  `json:"distance,omitempty"` // from a row to the nearest other one that the model keeps, scaled
	Score    *Sketch  `json:"score,omitempty"`    // outputs of rows that were not learned from; of several, by how much the first leads
}

// OfColumns is the profile without what depends on the model's function and centres; nil of nil.
func (p *Profile) OfColumns() *Profile {
	if p == nil {
		return nil
	}
	return &Profile{Columns: p.Columns}
}

// Check is an error for a profile, of a model of so many features, that no fit can have made.
func (p *Profile) Check(columns int) error {
	if p == nil {
		return nil
	}
	if p.Columns != nil && len(p.Columns) != columns {
		return errors.New("a profile of another number of columns")
	}
	all := slices.Clone(p.Columns)
	for _, s := range []*Sketch{p.Distance, p.Score} {
		if s != nil {
			all = append(all, *s)
		}
	}
	for _, s := range all {
		if s.Rows < 0 || len(s.At) != len(s.Share) || len(s.At) > Points || !slices.IsSorted(s.At) || !slices.IsSorted(s.Share) {
			return errors.New("a profile that is no distribution")
		}
		for k, v := range s.Share {
			if !(v >= 0 && v <= 1) || math.IsInf(s.At[k], 0) {
				return errors.New("a profile that is no distribution")
			}
		}
		if !(s.Missing >= 0 && s.Missing <= 1) {
			return errors.New("a profile that is no distribution")
		}
	}
	return nil
}
