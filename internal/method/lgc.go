package method

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/propagate"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/search/param"
)

// alpha is the share of neighbours in label spreading.
var alpha = setting.Setting{
	Name:    "alpha",
	Range:   setting.Share(),
	Default: "tuned; 0.99 with --tune none",
	About:   "what a row takes from its neighbours against what it takes from its own label",
}

// alphas are those of the design, the source's first.
var alphas = []float64{0.99, 0.9}

// labelSpreading is learning with local and global consistency.
func labelSpreading() Method {
	k := spread{
		id: "lgc", laplacian: graph.Normalised, fall: 0.25,
		algorithms: func(t *task.Task) (list []propagate.Algorithm, _ error) {
			for _, v := range chosenFrom(t.Request, alpha, alphas) {
				list = append(list, propagate.Spreading{Alpha: v})
			}
			return list, nil
		},
		solved: func(s task.Size, r task.Request) solutions {
			return systems(s, r, float64(len(chosenFrom(r, alpha, alphas))), float64(s.Outputs), 110, propagate.DirectRows)
		},
		params: func(a propagate.Algorithm) param.Space {
			s, _ := a.(propagate.Spreading)
			return param.Space{{Name: alpha.Name, Kind: param.Real, Hi: 1, Default: s.Alpha}}
		},
	}
	return k.method(Method{
		Title: "label spreading: learning with local and global consistency",
		Also:  []string{"label-spreading"},
		For:   data.Classification,
		Formula: lines("F = (I - alpha S)^-1 Y,   S = D^-1/2 W D^-1/2,   Y_ik = 1 where row i has a label of class k, else 0",
			"every row is given the class of its largest F_ik; the outputs are the shares 2 F_ik/sum_k F_ik - 1"),
		About: "labels spread over a graph of all rows, and labelled rows may change theirs a little; rows that no label reaches get the " +
			"shares of the classes; the rows of the fit keep these outputs, and new rows get their weighted mean (Delalleau, Bengio & " +
			"Le Roux 2005)",
		Cost: "graph n^2 d; products of the graph with n x C numbers, some 20 to 150 for each alpha and graph, and as many for all " +
			"labels left out",
		Certificate: Certificate{
			Objective: "(1 - alpha)^2/2 trace F'(I - S)F + (1/alpha - 1)/2 |(1 - alpha) F - Y|^2, least at the F of the formula",
		},
		Source:   cite.Sindhwani + ", 2.6 names it; Zhou, Bousquet, Lal, Weston & Schoelkopf 2004",
		SciKit:   "semi_supervised.LabelSpreading(alpha, kernel='knn'), whose graph has no weights",
		Example:  "mercer fit digits --labels-per-class 2 --method lgc",
		Settings: k.settings(alpha),
	})
}

// chosenFrom are the values of a setting to be tried: the one that is set, or those of the design, of
// which --tune none takes the first.
func chosenFrom(r task.Request, s setting.Setting, design []float64) []float64 {
	switch {
	case r.Values.Given(s):
		return []float64{r.Values.Number(s)}
	case r.Scoring.None:
		return design[:1]
	}
	return design
}
