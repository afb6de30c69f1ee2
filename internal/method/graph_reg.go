package method

import (
	"fmt"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/propagate"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/search/param"
)

// penalty is gamma of the source.
var penalty = setting.Setting{
	Name:    "penalty",
	Range:   setting.NotNegative(),
	Default: "0.001",
	About:   "weight gamma of f'L^degree f against the mean squared error of the labelled rows; 0: the targets are met exactly",
}

// graphRegularisation is regularisation on the graph.
func graphRegularisation() Method {
	degree := task.WholeDegree
	degree.Default = fmt.Sprintf("2; 1 beyond %d rows", propagate.DirectPowers)
	k := spread{
		id: "graph-reg", laplacian: graph.Normalised, fall: 1,
		algorithms: func(t *task.Task) ([]propagate.Algorithm, error) {
			return []propagate.Algorithm{regularised(t.Request, t.Problem.Rows.Len())}, nil
		},
		solved: func(s task.Size, r task.Request) solutions {
			c := sizeOf(s).machines() + 1 // and a column of ones
			if regularised(r, s.Rows).Degree > 1 {
				return systems(s, r, 1, c, 20*walking(s.Rows), propagate.DirectPowers) // where they are not factored
			}
			return systems(s, r, 1, c, walking(s.Rows), propagate.DirectRows)
		},
		params: func(a propagate.Algorithm) param.Space {
			r, _ := a.(propagate.Regularised)
			return param.Space{
				{Name: penalty.Name, Kind: param.Real, Default: r.Gamma},
				{Name: task.Degree.Name, Kind: param.Integer, Default: float64(r.Degree)},
			}
		},
	}
	return k.method(Method{
		Title: "regularisation on a graph",
		Formula: lines("minimise 1/l sum_i (f_i - (y_i - ybar))^2 + penalty f'L^degree f   subject to   sum over all rows f_i = 0",
			"f = (l penalty L^degree + J)^-1 (y - ybar + mu 1) on the rows, J the labelled ones, mu from the sum; outputs f + ybar"),
		About: "a function on the rows of a graph, smooth along it, near the targets or, with penalty 0, equal to them: the limit " +
			"of lap-rls " +
			"without an ambient norm; rows that no label reaches get the mean; the rows of the fit keep these outputs, and new rows get " +
			"their weighted mean (Delalleau, Bengio & Le Roux 2005)",
		Cost: "graph n^2 d; n^3/3 for each graph up to 2000 rows; beyond products of the graph with n x C numbers, some hundreds to " +
			"thousands, and as many with n x l numbers for all labels left out",
		Certificate: Certificate{Objective: "the value of the formula, with penalty=0 of f'L^degree f, summed over outputs"},
		Source:      cite.Sindhwani + ", table 2.6 compares with it; Belkin, Matveeva & Niyogi 2004",
		SciKit:      "none",
		Example:     "mercer fit two-moons:labelled=1 --method graph-reg --set penalty=0",
		Settings:    k.settings(penalty, degree, task.Laplacian),
	})
}

// regularised is the machine that is asked for. Without a degree it has the square of the Laplacian, the best on
// the design sets, as far as its systems are factored: for conjugate gradients its condition is too large.
func regularised(r task.Request, rows int) propagate.Regularised {
	m := propagate.Regularised{Gamma: 1e-3, Degree: int(r.Values.Number(task.Degree))}
	if r.Values.Given(penalty) {
		m.Gamma = r.Values.Number(penalty)
	}
	if m.Degree == 0 {
		m.Degree = 2
		if rows > propagate.DirectPowers {
			m.Degree = 1
		}
	}
	return m
}
