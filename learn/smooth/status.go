package smooth

import "github.com/mercer-ml/mercer/internal/solve"

// status says why a solver stopped. Its String is the sentence to print.
type status int

const (
	// unfinished is the zero value: the context ended the work.
	unfinished = status(solve.Unfinished)
	// gradientSmall means: the first-order conditions hold to tolerance.
	gradientSmall = status(solve.GradientSmall)
	// noProgress means: rounding errors allow no further decrease.
	noProgress = status(solve.NoProgress)
	// budgetSpent means: the limit on steps was reached.
	budgetSpent = status(solve.BudgetSpent)
)

func (s status) String() string { return solve.Status(s).String() }
