package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// clip is where the loss of unlabelled rows ends to rise.
var clip = setting.Setting{
	Name:    "clip",
	Range:   &setting.Range{Lo: -1, Hi: 0, Bounded: setting.Both, OpenLo: true},
	Default: "0",
	About:   "the margin below which the loss of an unlabelled row rises no more; at 0 a row costs what its cheaper label does",
}

// concaveConvex is the transductive support vector machine by the concave-convex procedure.
func concaveConvex() Method {
	k := machine{id: "cccp-tsvm", family: Transductive, losses: []string{"hinge"}}
	d := transductive{
		specific: []setting.Setting{clip, shareOf},
		machine:  k,
		stops:    tolerance("1e-4", ofDual),
		solver: func(t *task.Task) s3vm.Solver {
			return s3vm.Concave{Clip: t.Values.Number(clip), Decisions: decided(t), Tolerance: t.Recipe.Tolerance}
		},
		numbers: func(n float64, _ task.Request) float64 { return n*n + tableDualNumbers(n, 2*n) },
		training: func(n float64, r task.Request) Work {
			trainings := 5.
			if r.Values.Is(shareOf, "decisions") {
				trainings *= 8
			}
			return Work{Passes: trainings * 20 * 8 * n * n}
		},
	}
	return d.method(Method{
		Title:   "transductive support vector machine by the concave-convex procedure",
		Formula: transductiveFormula("= max(0, 1 - t)"),
		About: "the loss of an unlabelled row is that of its cheaper label, a convex function less a concave one, which is " +
			"replaced by its " +
			"tangent again and again, with the mean of its outputs given; a baseline, " +
			"which ends at a minimum near to where it begins",
		Cost: "n x n numbers twice; some five trainings of duals of 2 n variables, eight times as many where the decisions " +
			"have the shares",
		Source: cite.Sindhwani + ", 3.2.3; Collobert, Sinz, Weston & Bottou 2006", SciKit: "none",
		Example:  "mercer fit two-moons:labelled=5 --method cccp-tsvm --set sigma=0.3 --tune none",
		Settings: d.settings(),
	})
}
