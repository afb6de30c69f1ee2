package method

import (
	"slices"

	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/learn/svm"
)

// Family says what kind of functions a method learns, and from which rows. How rows and labels become a problem and what can be
// asked of the method follow from it and from the losses. Where a method differs from its family, its file says so: ls-svm and rn
// have an offset, svm tells several classes apart two by two, and the lambda of rn weighs a sum.
type Family int

const (
	// Plain functions on a kernel are learned from the labelled rows.
	Plain Family = iota
	// Linear functions are plain ones, of sparse rows, that are trained in the features of their kernel. Their offset is the
	// weight of a feature that is constant.
	Linear
	// OneClass functions say where the rows are, without classes.
	OneClass
	// Warped functions are those on a kernel that the graph of all rows warps.
	Warped
	// Combined functions are warped by several graphs, whose weights are learned without being asked for.
	Combined
	// WarpedLinear functions are linear and smooth along a graph of all rows.
	WarpedLinear
	// Centred functions are smooth along a graph of all rows and have few centres.
	Centred
	// Coupled functions are one for each view, and one kernel couples them.
	Coupled
	// Joint functions are one for each view, whose kernel the graphs of all views warp.
	Joint
	// CoTrained functions are one for each view, which label rows for each other.
	CoTrained
	// Transductive functions are plain ones that decide the unlabelled rows while they are learned.
	Transductive
	// TransductiveLinear functions are linear ones that do.
	TransductiveLinear
	// Spread outputs are those of labels that spread over a graph of all rows.
	Spread
	// WeightedMean functions are means of the targets, for which nothing is trained.
	WeightedMean
	// NetworkFront is a front of networks, of risk against complexity.
	NetworkFront
	// MachineFront is one of support vector machines.
	MachineFront
	// Automatic functions are the average of those of other methods.
	Automatic
)

// warped says whether the functions have the norm of a graph of all rows beside that of the kernel.
func (f Family) warped() bool {
	return slices.Contains([]Family{Warped, Combined, WarpedLinear, Centred, Automatic}, f)
}

// Linear says whether machines are trained in the features of their kernel, whatever the number of rows.
func (f Family) Linear() bool { return f == Linear || f == WarpedLinear || f == TransductiveLinear }

// views says whether there is one function a view.
func (f Family) views() bool { return f == Coupled || f == Joint || f == CoTrained }

// supervised says whether rows without a label have no part in learning.
func (f Family) supervised() bool {
	return slices.Contains([]Family{Plain, Linear, OneClass, WeightedMean, NetworkFront, MachineFront}, f)
}

// declare fills in what follows from the family and the losses: forms and parameters are still to be said.
func (k machine) declare(m Method) Method {
	m.ID, m.Family, m.Baseline = k.id, k.family, k.baseline
	m.Coding, m.Supports, m.Rule = k.coding(), k.supports, k.rule
	if k.family.Linear() {
		m.Kernel = "linear"
	}
	return m
}

// coding is how rows and labels become a problem.
func (k machine) coding() task.Coding {
	c := task.Coding{Method: k.id}
	switch k.family {
	case Plain, Linear, Warped, Combined:
		c.Classes, c.Offset = !k.closed(), k.losses != nil
	case OneClass:
		c.OneClass, c.Classes, c.Offset = true, true, true
	case WarpedLinear:
		c.Classes, c.Offset, c.FewLabels = true, true, fewLabels
	case Centred:
		c.FewLabels = fewLabels
	case Coupled, Joint:
		c.Views, c.Classes = true, !k.closed()
	case CoTrained:
		c.Views, c.Classes, c.FewLabels = true, true, fewLabels
	case Transductive, TransductiveLinear:
		c.Classes, c.FewLabels = true, fewLabels
	case Spread:
		c.Classes = true
	case WeightedMean:
		c.Dense = true
	case NetworkFront:
		c.Dense, c.Grid = true, true
	case MachineFront:
		c.Pairs, c.Offset, c.Grid = true, true, true
	}
	return c
}

// supports is what can be asked beside the settings, with the loss that is set.
func (k machine) supports(v setting.Values) Support {
	switch k.family {
	case Automatic:
		return Support{Closed: true, Folds: true, Graph: true, Pieces: true}
	case WarpedLinear, Centred, Spread:
		return Support{Folds: true, Graph: true}
	case Transductive, TransductiveLinear:
		return Support{Searched: true, Folds: true}
	case Coupled, Joint, CoTrained:
		return Support{Searched: true, Folds: true, Views: true, Gradient: k.differentiable(v)}
	case NetworkFront:
		return Support{Front: true, Folds: true}
	case MachineFront:
		return Support{Front: true, Folds: true, Pairs: true}
	case OneClass, WeightedMean:
		return Support{}
	}
	s, err := task.ParseScoring(v.Text(task.Tune))
	ofBound := err == nil && s.Bound == svm.RadiusMargin
	return Support{
		Searched: true, Folds: true, NewRows: true, Graph: k.family.warped(), Closed: k.closed(), Pairs: k.losses != nil,
		Gradient: k.differentiable(v) || ofBound, LogOdds: k.loss(v) == "logistic",
		Bounds: slices.Contains([]string{"hinge", "squared-hinge"}, k.loss(v)),
		Pieces: !v.Is(perClass, "yes") && !k.several(v),
	}
}

// differentiable says whether scores of left-out rows have a derivative.
func (k machine) differentiable(v setting.Values) bool {
	return k.closed() || k.own == nil && k.smooth(v)
}
