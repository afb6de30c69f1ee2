package method

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/propagate"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/search/param"
)

// The parameters of the spectral graph transducer.
var (
	eigenvectors = setting.Setting{
		Name:    "eigenvectors",
		Range:   setting.From(1),
		Default: "80, or one less than there are rows",
		About:   "d, how many eigenvectors of the Laplacian functions are made of",
	}
	labelCost = setting.Setting{
		Name:    "cost",
		Range:   setting.Positive(),
		Default: "3200",
		About:   "c, the weight of the squared errors on labelled rows",
	}
)

// spectralTransducer is the spectral graph transducer.
func spectralTransducer() Method {
	k := spread{
		id: "sgt", laplacian: graph.Normalised, fall: 0.25,
		algorithms: func(t *task.Task) ([]propagate.Algorithm, error) {
			s := propagate.Spectral{Eigenvectors: int(t.Values.Number(eigenvectors)), C: t.Values.Number(labelCost)}
			if n := t.Problem.Rows.Len(); s.Eigenvectors >= n {
				return nil, fmt.Errorf("%s: --set eigenvectors=%d of %d rows; ask for at most %d", t.Input.Set.Source, s.Eigenvectors, n,
					n-1)
			}
			return []propagate.Algorithm{s.Defaults(t.Problem.Rows.Len())}, nil
		},
		solved: func(s task.Size, r task.Request) solutions {
			again, closed := leavings(sizeOf(s), r)
			d := propagate.Spectral{Eigenvectors: int(r.Values.Number(eigenvectors))}.Defaults(max(s.Rows, 2)).Eigenvectors
			return solutions{vectors: float64(d), spheres: sizeOf(s).machines() * (1 + again + closed)}
		},
		params: func(a propagate.Algorithm) param.Space {
			s, _ := a.(propagate.Spectral)
			return param.Space{
				{Name: labelCost.Name, Kind: param.Log, Default: s.C},
				{Name: eigenvectors.Name, Kind: param.Integer, Default: float64(s.Eigenvectors)},
			}
		},
	}
	return k.method(Method{
		Title: "spectral graph transducer",
		For:   data.Classification,
		Formula: lines("minimise w'D w + c (V w - g)'C (V w - g)   subject to   w'w = n,   f = V w",
			"V the eigenvectors 2 to d+1 of the Laplacian, D = diag(1, 4, .., d^2); on labelled rows, l+ and l- of them,",
			"g = sqrt(l-/l+) or -sqrt(l+/l-), C = l/(2 l+) or l/(2 l-); the class is + where f > (g+ + g-)/2"),
		About: "cuts the graph into two parts of like size that agree with the labels: the ratio cut, relaxed, whose minimum is " +
			"the global " +
			"one; several classes each against the rest; rows that no label reaches get the shares of the classes; the rows of the fit " +
			"keep these outputs, and new rows get their weighted mean (Delalleau, Bengio & Le Roux 2005)",
		Cost:        "graph n^2 d; 80 eigenvectors of each graph; decompositions of 80 x 80 for each class and label left out",
		Certificate: Certificate{Objective: "the value of the formula, summed over outputs"},
		Source:      cite.Sindhwani + ", tables 2.4, 2.6 and 4.1 compare with it; Joachims 2003, sections 4 and 5; Gander, Golub & von Matt 1989",
		SciKit:      "none",
		Example:     "mercer fit digits --labels-per-class 2 --method sgt",
		Settings:    k.settings(labelCost, eigenvectors, task.Laplacian),
	})
}
