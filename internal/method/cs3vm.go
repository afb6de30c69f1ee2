package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/task"
)

// continuation is the semi-supervised support vector machine by continuation.
func continuation() Method {
	d := descending("cs3vm", func(t *task.Task) s3vm.Solver {
		return s3vm.Continuation{Decisions: decided(t), Tolerance: t.Recipe.Tolerance}
	})
	return d.method(Method{
		Title:   "semi-supervised support vector machine by continuation",
		Formula: descentFormula,
		About: "the objective of grad-tsvm, first smoothed by a Gaussian so wide that it is convex, then by narrower ones in ten " +
			"steps, each " +
			"from the minimum before; the minimum is a local one; for classes that are clusters; one-versus-rest for more classes",
		Cost:     "as grad-tsvm",
		Source:   "Chapelle, Chi & Zien 2006, 3-4, as compared by " + cite.Sindhwani + ", tables 3.1-3.2",
		SciKit:   "none",
		Example:  "mercer fit two-moons:labelled=1 --method cs3vm --set sigma=0.3 --set C=10 --tune none",
		Settings: d.settings(),
	})
}
