package method

import (
	"slices"

	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// svmID is the id of the method whose machines are one-versus-one.
const svmID = "svm"

// l2ID is the id of the method of the squared hinge.
const l2ID = "l2-svm"

// supportVectorMachine is the support vector machine.
func supportVectorMachine() Method {
	k := machine{id: svmID, losses: hinges()}
	share := nu
	share.About = "the nu form: at most this share of margin errors, at least this share of support vectors"
	m := k.method(Method{
		Title: "support vector machine",
		Formula: lines("minimise 1/2 ||f||^2 + C sum_i max(0, 1 - y_i (f(x_i) + b))",
			"dual: minimise 1/2 a'Qa - 1'a,  0 <= a_i <= C,  y'a = 0,  Q_ij = y_i y_j k(x_i, x_j)"),
		About: "the hinge loss, solved in the dual; one-versus-one for more classes, the most votes win, ties to the first class; " +
			"nu in place of C bounds the share of margin errors; loss=squared-hinge, huber-hinge, quartic and modlog are smooth forms, " +
			"solved in the primal, which --search gradient can follow",
		Cost: dualCost,
		Source: cite.Rosasco + ", 3.6 as corrected; " + cite.Sindhwani + ", 1.2.4; " + cite.Becker + ", 1.4; " + cite.Klatzer +
			", 2.1 and 3.1 with smooth losses and --search gradient; Fan, Chen & Lin 2005; Schoelkopf et al. 2000 for nu",
		LIBSVM: "-s 0 -c C (with nu: -s 1 -n nu)", SciKit: "svm.SVC(C), svm.NuSVC(nu)",
		Example:  "mercer fit iris --method svm --set C=1 --set gamma=0.25 --tune none",
		For:      classes,
		Race:     k.entrants,
		Settings: k.settings(task.C, share, lossWidth, augmented, solverOf([]string{"gradient", "fista", "fista-restart"})),
	})
	m.Coding.Pairs = true
	m.Settings = inPairs(m.Settings)
	return m
}

// inPairs are the settings of a method that makes a machine of each pair of classes unless it is asked otherwise.
func inPairs(list []setting.Setting) []setting.Setting {
	list = slices.Clone(list)
	for i, s := range list {
		if s.Key() == task.Scheme.Key() {
			list[i].Default = "one-vs-one"
		}
	}
	return list
}

const (
	dualCost   = "working sets of 512 rows: kernel values as needed, kept up to 200 MB; about (support vectors)^2 x rows at worst"
	primalCost = "one Cholesky factor of the active rows a step, 5 to 15 steps; l^2 numbers; with the linear kernel and fewer " +
		"columns than " +
		"rows (columns)^2 numbers and rows x (columns)^2 a step instead"
)

// hinges are the losses of the margin, the hinge first.
func hinges() []string {
	return []string{"hinge", "huber-hinge", "squared-hinge", "quartic", "modlog"}
}
