package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// These settings are those of branch and bound.
var (
	nodes = setting.Setting{
		Name:    "nodes",
		Range:   setting.From(1),
		Default: "10000, and 100 where labels are left out",
		About:   "how many nodes of the tree are visited at most, for each output",
	}
	nodeOrder = setting.Setting{
		Name:    "tree_order",
		Words:   []string{"best", "depth"},
		Default: "best",
		About: "best: the node of the least bound is visited next, which closes the gap soonest; depth: one of the last made, as the " +
			"source does",
	}
)

// branchAndBound is the semi-supervised support vector machine at its global minimum.
func branchAndBound() Method {
	k := machine{id: "s3vm-bnb", family: Transductive, losses: []string{"squared-hinge", "hinge"}}
	d := transductive{
		specific: []setting.Setting{nodes, nodeOrder},
		machine:  k,
		stops:    tolerance("1e-9; 1e-5 of hinge", "the gap that may be left between the objective and its minimum, relative to it"),
		solver: func(t *task.Task) s3vm.Solver {
			v := k.lossSet(t.Values)
			return s3vm.Branch{
				Loss: v, Nodes: int(t.Values.Number(nodes)), DepthFirst: t.Values.Is(nodeOrder, "depth"), Gap: t.Recipe.Tolerance,
				Seeds: []s3vm.Solver{s3vm.Switching{Loss: v}, s3vm.Annealing{Loss: v}},
			}
		},
		numbers:  func(n float64, _ task.Request) float64 { return 3*n*n + 1e3*n },
		training: branchWork,
	}
	return d.method(Method{
		Title:   "semi-supervised support vector machine by branch and bound",
		Formula: transductiveFormula("the loss that is set"),
		About: "the global minimum, with a certificate: labels are decided one after the other, and what is known to cost more " +
			"than the best " +
			"labels found is not searched; for some hundred rows whose classes do not overlap much, as a measure of other machines; a " +
			"tree too large for --set nodes or --time-limit gives the best labels found and the gap, and --tol is the gap that may be " +
			"left; one-versus-rest for more classes, a tree for each",
		Cost: "a training for each node, some ten to some hundred thousand nodes; their number may double with each unlabelled row that " +
			"no label decides",
		Source: cite.Sindhwani + ", 3.2; Chapelle, Sindhwani & Keerthi 2006", SciKit: "none",
		Example:  "mercer fit moons-det:labelled=1 --method s3vm-bnb --set sigma=0.5 --set C=5 --tune none --offset no",
		Settings: d.settings(),
	})
}

// transductiveFormula is that of the machines of package s3vm with a loss.
func transductiveFormula(v string) string {
	return lines("minimise over f and y_j = -1, +1  1/2 ||f||^2 + C sum_i V(y_i f(x_i)) + w C l/u sum_j V(y_j f(x_j)),",
		"V "+v+", i the l labelled and j the u unlabelled rows, with the share of y_j = +1 given")
}

// branchWork is that of a thousand nodes, each with a training on a third of the rows, and as many products with
// its factor as there are rows.
func branchWork(n float64, _ task.Request) Work {
	const visited = 1000
	a := n / 3
	return Work{Passes: visited * 8 * n * a * a}
}
