package learn

// Inexact is a Learner whose training can stop earlier, at less cost.
type Inexact interface {
	Learner
	// Loose returns the learner that stops at the relative gradient tol, or at its own
	// tolerance if that is larger.
	Loose(tol float64) Learner
}
