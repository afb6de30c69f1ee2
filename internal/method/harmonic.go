package method

import (
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/propagate"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/search/param"
)

// masses is class mass normalisation.
var masses = setting.Setting{
	Name:    "masses",
	Words:   []string{"no", "yes"},
	Default: "yes; of numbers no",
	About: "class mass normalisation: yes: the probabilities of each class are multiplied by (n_k + 1)/m_k, n_k its labels and " +
		"m_k the sum " +
		"of its probabilities over the rows without a label",
}

// labelPropagation is the harmonic function.
func labelPropagation() Method {
	k := spread{
		id: "harmonic", laplacian: graph.Combinatorial, fall: 0.25,
		algorithms: func(t *task.Task) ([]propagate.Algorithm, error) {
			numbers := t.Problem.Class == nil
			if numbers && t.Values.Is(masses, "yes") {
				return nil, task.Usage("--set masses=yes: it is for classes, and the targets are numbers; leave it out")
			}
			return []propagate.Algorithm{propagate.Harmonic{Masses: !numbers && !t.Values.Is(masses, "no")}}, nil
		},
		solved: func(s task.Size, r task.Request) solutions {
			return systems(s, r, 1, sizeOf(s).machines(), walking(s.Rows), propagate.DirectRows)
		},
		params: func(a propagate.Algorithm) param.Space {
			d := param.Dim{Name: masses.Name, Kind: param.Choice, Hi: 1}
			if h, _ := a.(propagate.Harmonic); h.Masses {
				d.Default = 1
			}
			return param.Space{d}
		},
	}
	return k.method(Method{
		Title: "label propagation: the harmonic function of a graph",
		Also:  []string{"label-propagation"},
		Formula: lines("f_U = -L_UU^-1 L_UL y,   L = D - W,   U the rows without a label, L those with one",
			"f_i = sum_j W_ij f_j/d_i for i in U: every unlabelled row has the mean of its neighbours"),
		About: "labels stay, and unlabelled rows get the probability that a walk along the graph ends at a label of the class; of " +
			"numbers the " +
			"smoothest function through the targets; rows that no label reaches get the shares of the classes, or the mean; the rows of " +
			"the fit keep these outputs, and new rows get their weighted mean (Delalleau, Bengio & Le Roux 2005)",
		Cost: "graph n^2 d; products of the graph with n x C numbers, some hundreds for each graph, and as many with n x l " +
			"numbers for all " +
			"labels left out",
		Certificate: Certificate{Objective: "f'L f before --set masses, summed over outputs"},
		Source:      cite.Sindhwani + ", 2.6 names it; Zhu, Ghahramani & Lafferty 2003, eqs 2-5 and 9",
		SciKit:      "semi_supervised.LabelPropagation(kernel='knn'), by iteration on a graph without weights; no class masses",
		Example:     "mercer fit digits --labels-per-class 2 --method harmonic",
		Settings:    k.settings(masses),
	})
}
