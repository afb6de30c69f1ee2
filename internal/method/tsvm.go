package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/task"
)

// switching is Joachims' transductive support vector machine.
func switching() Method {
	k := machine{id: "tsvm", family: Transductive, losses: []string{"hinge", "squared-hinge"}}
	d := transductive{
		machine: k,
		stops:   tolerance("1e-4", ofDual+"; the squared hinge is solved directly and meets any"),
		solver: func(t *task.Task) s3vm.Solver {
			return s3vm.Switching{Loss: k.lossSet(t.Values), Tolerance: t.Recipe.Tolerance}
		},
		numbers:  switchingNumbers,
		training: switchingWork,
	}
	return d.method(Method{
		Title:   "transductive support vector machine by label switching",
		Formula: transductiveFormula("the loss that is set"),
		About: "Joachims' machine, SVMlight's: the machine of the labels alone labels the other rows; as their weight rises, " +
			"pairs of them " +
			"exchange their labels while that lowers the objective; a baseline, which ends at a minimum near to where it begins",
		Cost:   "n x n numbers; some twenty trainings with the weights of all n rows, and one for each exchange",
		Source: cite.Sindhwani + ", 2.6 and 3.1; Joachims 1999", SciKit: "none",
		Example:  "mercer fit two-moons:labelled=5 --method tsvm --set sigma=0.3 --tune none",
		Settings: d.settings(),
	})
}

// switchingNumbers are the factor of the rows inside the margin, or the dual.
func switchingNumbers(n float64, r task.Request) float64 {
	if r.Values.Is(loss_, "squared-hinge") {
		return n*n + 20*n
	}
	return tableDualNumbers(n, n)
}

// switchingWork is that of seventeen doublings and as many exchanges as a twentieth of the rows.
func switchingWork(n float64, r task.Request) Work {
	trainings := 17 + n/20
	if r.Values.Is(loss_, "squared-hinge") {
		return cost.Cholesky(n).Plus(Work{Passes: trainings * 3 * 8 * n * n})
	}
	return Work{Passes: trainings * 10 * 8 * n * n}
}
