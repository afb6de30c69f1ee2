// Package param describes hyper-parameters: their names, kinds, bounds and the
// transforms that searches work in. Everywhere else a parameter vector theta is
// in natural units.
//
// Change here what kinds of hyper-parameters there are and how searches see them.
package param

// Kind says how a dimension is searched.
type Kind int

const (
	// Real is searched as it is.
	Real Kind = iota
	// Log is positive and searched as log2.
	Log
	// Integer takes whole values only; it has no derivative.
	Integer
	// Choice is an index 0..Hi into a list without order; it has no derivative.
	Choice
	// Simplex is a weight; the weights of one Group are non-negative and sum to
	// one. Searched by softmax coordinates.
	Simplex
)

// Dim is one hyper-parameter. Fixed dimensions keep Default and are not
// searched. Group joins the weights of one simplex (0 for no group).
type Dim struct {
	Name    string
	Kind    Kind
	Lo, Hi  float64
	Default float64
	Group   int
	Fixed   bool
}

// Space is an ordered list of hyper-parameters; a theta is one value a Dim.
type Space []Dim
