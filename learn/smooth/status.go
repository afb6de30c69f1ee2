package smooth

import "github.com/mercer-ml/mercer/internal/solve"

// Status says why a solver stopped. Its String is the sentence to print.
type Status int

const (
	// Unfinished is the zero value: the context ended the work.
	Unfinished = Status(solve.Unfinished)
	// GradientSmall means: the first-order conditions hold to tolerance.
	GradientSmall = Status(solve.GradientSmall)
	// NoProgress means: rounding errors allow no further decrease.
	NoProgress = Status(solve.NoProgress)
	// BudgetSpent means: the limit on steps was reached.
	BudgetSpent = Status(solve.BudgetSpent)
)

func (s Status) String() string { return solve.Status(s).String() }

// Converged tells whether a tolerance was met.
func (s Status) Converged() bool { return solve.Status(s).Converged() }
