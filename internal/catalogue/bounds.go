package catalogue

import "github.com/mercer-ml/mercer/internal/cite"

// bounds are scores of one training, without folds.
func bounds() []Entry {
	return []Entry{{
		Kind: Score, ID: "bound:NAME", Title: "bound of the leave-one-out error",
		Formula: "sv                 share of rows with a_i > 0\n" +
			"jaakkola-haussler  share with y_i f(x_i) <= a_i k(x_i, x_i)   (no offset)\n" +
			"xi-alpha           share with xi_i + 2 a_i R_D^2 >= 1,   R_D^2 = max k - min k\n" +
			"span               share with y_i f(x_i) <= a_i S_i^2,   S_i the distance of x_i from the span of the other support vectors\n" +
			"radius-margin      4 (R^2 + 1/C) (||f||^2 + 2 C sum_i loss_i)/l,   R the radius of the smallest ball around the rows",
		About: "for svm, l2-svm and lap-svm with the hinge or the squared hinge; a_i are the dual coefficients; one training in place of one " +
			"a fold; " +
			"span is no bound but an estimate, as a rule the nearest, and gives probabilities; radius-margin has a gradient (--search gradient), " +
			"with 1/(2 C) for the squared hinge",
		Parameters: []Parameter{{"NAME", "sv, jaakkola-haussler, xi-alpha, span, radius-margin", "", "which bound"}},
		Cost: "sv, jaakkola-haussler: none beyond the fit; xi-alpha: a kernel matrix; span: (free support vectors)^3; radius-margin: a " +
			"quadratic programme of the rows",
		Source: "Vapnik 1995; Jaakkola & Haussler 1999; Joachims 2000; Vapnik & Chapelle 2000; Chapelle, Vapnik, Bousquet & Mukherjee 2002; " +
			"Chung et al. 2003; " +
			cite.Becker + ", 2.2.5 names leave-one-out bounds of support vector machines",
		Example: "mercer fit breast-cancer --method svm --tune bound:span",
	}}
}
