package method

import (
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/task"
)

// Certificate says what the numbers mean that a method prints of how exactly its machine solves its problem. They mean the same in
// every form of the method, and whichever solver and loss is taken.
type Certificate struct {
	Objective, Residual string // what they are, in words
	// Unit is the factor between what the machine's solver minimised and Objective, of a chosen machine; nil: 1.
	Unit func(*task.Task, *choose.Candidate) float64
	// Dual says that a solver of the dual has its objective printed, with LIBSVM's sign.
	Dual bool
}

// Objective is the one to print of a chosen machine: for the automatic choice that of the machine's own method.
func (m Method) Objective(t *task.Task, c *choose.Candidate) float64 {
	if m.ID == Auto && c.Method != "" && c.Method != Auto {
		if own, ok := Find(c.Method); ok {
			return own.Objective(t, c)
		}
	}
	switch says := m.Certificate; {
	case says.Dual && c.Dual != 0:
		return c.Dual
	case says.Unit != nil:
		return says.Unit(t, c) * c.Certificate.Objective
	}
	return c.Certificate.Objective
}

// What residuals are, by the solver.
const (
	leftOfSystem    = "what the optimality conditions lack, relative to the largest target"
	relativeSlope   = "the length of the gradient, relative to the larger of its two parts"
	largestSlope    = "the largest entry of the gradient, relative to the largest of its parts"
	dualViolation   = "the largest violation of the dual's conditions, LIBSVM's, in the unit of the outputs"
	farthestAllowed = "how far an output is, at most, from those that its coefficient allows"
	valueOfFormula  = "the value of the formula, summed over outputs"
)

// certificate is that of the machine.
func (k machine) certificate() Certificate {
	c := Certificate{Objective: valueOfFormula, Residual: k.residual(), Unit: k.unit}
	switch {
	case k.family == OneClass:
		c.Objective, c.Dual = "LIBSVM's dual objective", true
	case k.id == svmID:
		c.Dual = true
		c.Objective = "of the hinge LIBSVM's dual objective, sign included, of other losses the value of the formula; summed over outputs"
	case k.id == "svr":
		c.Objective, c.Dual = "of the tube LIBSVM's dual objective, sign included, of other losses the value of the formula", true
	case k.family == Joint, k.family == CoTrained:
		c.Objective = "the value of the formula, summed over views and outputs"
	case k.id == "ls-svm":
		c.Objective = "1/l sum_i (y_i - f(x_i))^2 + lambda ||f||^2, the offset not counted, summed over outputs"
	}
	return c
}

// unit turns the solvers' terms into the formula's. Systems are those of sum (y - f)^2 + ridge ||f||^2, learners have 1/2 ||f||^2 +
// C sum V.
func (k machine) unit(t *task.Task, c *choose.Candidate) float64 {
	switch terms := t.Terms(); {
	case k.total || k.id == "erm":
		return 1
	case k.closed():
		return 1 / terms.Labelled
	case k.family.warped() || k.family == Joint:
		return 2 * terms.Weight(c.Lambda)
	}
	return 1
}

// residual says what it is, by the solvers of the losses.
func (k machine) residual() string {
	switch {
	case k.losses == nil && k.family == Warped:
		return leftOfSystem + "; with solver=cg the length of the gradient"
	case k.losses == nil:
		return leftOfSystem
	case k.family.Linear():
		return relativeSlope
	}
	var dual, smooth bool
	for _, word := range k.losses {
		if word == "hinge" || word == "epsilon" || word == "absolute" || word == oneClassID {
			dual = true
		} else {
			smooth = true
		}
	}
	text := largestSlope
	switch {
	case dual && smooth:
		text = "of losses with a corner " + dualViolation + ", of smooth ones " + largestSlope
	case dual:
		text = dualViolation
	}
	if k.family == Warped {
		text += "; with solver=cg the length of the gradient"
	}
	return text
}

// certificate is that of a machine that decides unlabelled rows.
func (k transductive) certificate() Certificate {
	c := Certificate{Residual: k.residual(),
		Objective: "the value of the formula for the labels in which rows were decided, summed over outputs"}
	switch {
	case k.solver == nil:
		c.Objective = "1/2 ||f||^2 + C sum_i V(y_i, f(x_i)) of the machine at the end, summed over outputs"
	case k.family == TransductiveLinear || k.id == "cccp-tsvm":
		c.Objective = "the value of the formula with the label for each row that costs least, summed over outputs"
	case k.id == "da-s3vm":
		c.Residual = "of the hinge " + farthestAllowed + ", of other losses " + largestSlope
	case byGradients(k.id):
		c.Objective, c.Residual = valueOfFormula, "the length of the gradient, relative to that of the weights"
	}
	return c
}

// byGradients says whether a machine minimises a function of its outputs alone, without labels of unlabelled rows.
func byGradients(id string) bool { return id == "grad-tsvm" || id == "cs3vm" || id == "lds" }
