package catalogue

const (
	tuned      = "tuned"
	dualCost   = "working sets of 512 rows: kernel values as needed, kept up to 200 MB; about (support vectors)^2 x rows at worst"
	primalCost = "one Cholesky factor of the active rows a step, 5 to 15 steps; l^2 numbers; with the linear kernel and fewer columns than rows (columns)^2 numbers and rows x (columns)^2 a step instead"
)

// c is the strength of the data in LIBSVM's objective.
func c() Parameter {
	return Parameter{"C", "> 0", tuned, "weight of the summed loss against 1/2 ||f||^2; of the averaged loss and ||f||^2 it is 1/(2 l lambda)"}
}

// inFeatures are the lecture's other treatments of the offset and of the solution.
func inFeatures() []Parameter {
	return []Parameter{
		{"offset", "augmented", "", "the offset is the weight of a constant feature and so penalised; LIBLINEAR's -B 1"},
		{"solver", "gradient, fista, fista-restart", "Newton's method", "to compare with, slow: gradient descent with a constant step (--kernel linear); accelerated gradient steps with backtracking, the literature's, without and with restart"},
	}
}

func free() Parameter {
	return Parameter{"--offset", "auto, yes, no", "auto", "a constant that is not penalised; auto: yes"}
}

// machines are the methods with other losses than the square.
func machines() []Entry {
	weights := Parameter{"--class-weight", "balanced, LABEL=W,...", "1 each", "factor of C for the rows of a class; LIBSVM's -wi"}
	scheme := func(auto string) Parameter {
		return Parameter{"--multiclass", "one-vs-one, one-vs-rest", auto, "how more than two classes are made of two-class machines"}
	}
	epsilon := Parameter{"epsilon", ">= 0", "0.1 standard deviations of the target", "half the width of the tube in which an error costs nothing, in the units of the target"}
	gammas := []Parameter{
		{"gamma_a", "> 0", tuned, "ambient weight, of ||f||^2; C = 1/(2 l gamma_a)"},
		{"gamma_i", ">= 0", tuned, "intrinsic weight, of f'Rf"},
		{"intrinsic_scale", "inv_n2, none", "inv_n2", "the convention of gamma_i: over (l+u)^2, or as it stands"},
	}
	graphs := func(more ...Parameter) []Parameter { return append(append(more, gammas...), graphParameters()...) }
	return []Entry{
		{
			Kind: Method, ID: "svm", Title: "support vector machine",
			Formula: "minimise 1/2 ||f||^2 + C sum_i max(0, 1 - y_i (f(x_i) + b))\n" +
				"dual: minimise 1/2 a'Qa - 1'a,  0 <= a_i <= C,  y'a = 0,  Q_ij = y_i y_j k(x_i, x_j)",
			About: "the hinge loss, solved in the dual; one-versus-one for more classes, the most votes win, ties to the first class; " +
				"nu in place of C bounds the share of margin errors; loss=squared-hinge, huber-hinge, quartic and modlog are smooth forms, solved in the primal, which --search gradient can follow",
			Cost: dualCost,
			Parameters: []Parameter{c(), {"nu", "(0, 1]", "", "the nu form: at most this share of margin errors, at least this share of support vectors"},
				{"loss", "hinge, huber-hinge, squared-hinge, quartic, modlog", "hinge", "of the margin"},
				{"solver", "fista, fista-restart", "Newton's method", "of smooth losses: the literature's accelerated gradient steps, to compare with; slow"},
				weights, scheme("one-vs-one"), free()},
			Source: rosasco + ", 3.6 as corrected; " + sindhwani + ", 1.2.4; " + becker + ", 1.4; Fan, Chen & Lin 2005; Schoelkopf et al. 2000 for nu",
			LIBSVM: "-s 0 -c C (with nu: -s 1 -n nu)", SciKit: "svm.SVC(C), svm.NuSVC(nu)",
			Example: "mercer fit iris --method svm --set C=1 --set gamma=0.25 --tune none",
		},
		{
			Kind: Method, ID: "l2-svm", Title: "support vector machine with squared hinge loss",
			Formula: "minimise 1/2 ||f||^2 + C sum_i max(0, 1 - y_i (f(x_i) + b))^2",
			About:   "solved in the primal by Newton's method on the rows inside the margin; smooth, so its optimum is exact to rounding",
			Cost:    primalCost, Parameters: append([]Parameter{c(), weights, scheme("one-vs-rest"), free()}, inFeatures()...),
			Source: sindhwani + ", 1.2.4, M12; Keerthi & DeCoste 2005; Chapelle 2007",
			LIBSVM: "LIBLINEAR -s 2 for the linear kernel", SciKit: "svm.LinearSVC(loss=\"squared_hinge\") for the linear kernel",
			Example: "mercer fit breast-cancer --method l2-svm",
		},
		{
			Kind: Method, ID: "logistic", Title: "kernel logistic regression",
			Formula: "minimise 1/2 ||f||^2 + C sum_i log(1 + exp(-y_i (f(x_i) + b)))",
			About:   "solved by Newton's method; outputs are log-odds",
			Cost:    primalCost, Parameters: append([]Parameter{c(), weights, scheme("one-vs-rest"), free()}, inFeatures()...),
			Source: rosasco + ", 3.5 as corrected; " + becker + ", 1.1.4 as corrected",
			LIBSVM: "LIBLINEAR -s 0 for the linear kernel", SciKit: "linear_model.LogisticRegression(C) for the linear kernel",
			Example: "mercer fit wine --method logistic",
		},
		{
			Kind: Method, ID: "svr", Title: "support vector regression",
			Formula: "minimise 1/2 ||f||^2 + C sum_i max(0, |y_i - f(x_i) - b| - epsilon)",
			About:   "errors below epsilon cost nothing; loss=absolute has epsilon 0, loss=squared-epsilon squares what is beyond the tube and is solved in the primal",
			Cost:    dualCost,
			Parameters: []Parameter{c(), epsilon, {"nu", "(0, 1]", "", "the nu form: finds epsilon so that at most this share lies outside the tube"},
				{"loss", "epsilon, absolute, squared-epsilon", "epsilon", "of the residual"}, free()},
			Source: sindhwani + ", table 1.1; " + becker + ", eqs 1.2-1.3; Smola & Schoelkopf 2004",
			LIBSVM: "-s 3 -c C -p epsilon (with nu: -s 4 -n nu)", SciKit: "svm.SVR(C, epsilon), svm.NuSVR(C, nu)",
			Example: "mercer fit sinc --method svr",
		},
		{
			Kind: Method, ID: "one-class", Title: "one-class support vector machine",
			Formula: "minimise 1/2 ||f||^2 - rho + 1/(nu n) sum_i max(0, rho - f(x_i))",
			About:   "finds where the rows are, without labels: the prediction is 1 for rows like them and -1 for others; rows labelled -1 are left out of training; nothing is tuned",
			Cost:    dualCost, Parameters: []Parameter{{"nu", "(0, 1]", "0.1", "at most this share of the rows is left outside, at least this share are support vectors"}},
			Source: "Schoelkopf, Platt, Shawe-Taylor, Smola & Williamson 2001",
			LIBSVM: "-s 2 -n nu", SciKit: "svm.OneClassSVM(nu)",
			Example: "mercer fit wine --method one-class --set nu=0.05",
		},
		{
			Kind: Method, ID: "lap-svm", Title: "Laplacian support vector machine",
			Formula: "minimise 1/l sum_i max(0, 1 - y_i (f(x_i) + b)) + gamma_a ||f||^2 + gamma_i/(l+u)^2 f'Rf\n" +
				"solved as svm with C = 1/(2 l gamma_a) and the kernel warped as for lap-rls",
			About: "semi-supervised; one-versus-rest for more classes; the offset is no part of f'Rf",
			Cost:  "as lap-rls, and a dual problem of the labelled rows alone",
			Parameters: graphs(Parameter{"loss", "hinge, huber-hinge, squared-hinge, quartic, modlog", "hinge", "of the margin"},
				weights, scheme("one-vs-rest"), free()),
			Source: sindhwani + ", 2.3.2, eqs 2.15-2.21; " + becker + ", 3.4 as corrected", SciKit: "none",
			Example: "mercer fit two-moons:labelled=1 --method lap-svm --set neighbours=6",
		},
		{
			Kind: Method, ID: "lap-logistic", Title: "Laplacian logistic regression",
			Formula: "minimise 1/l sum_i log(1 + exp(-y_i (f(x_i) + b))) + gamma_a ||f||^2 + gamma_i/(l+u)^2 f'Rf",
			About:   "semi-supervised logistic regression: logistic with the kernel warped as for lap-rls",
			Cost:    "as lap-rls, and Newton's method on the labelled rows", Parameters: graphs(weights, scheme("one-vs-rest"), free()),
			Source: sindhwani + ", 2.4-2.5: any kernel machine with the warped kernel", SciKit: "none",
			Example: "mercer fit digits --labels-per-class 2 --method lap-logistic",
		},
		{
			Kind: Method, ID: "lap-svr", Title: "Laplacian support vector regression",
			Formula:    "minimise 1/l sum_i max(0, |y_i - f(x_i) - b| - epsilon) + gamma_a ||f||^2 + gamma_i/(l+u)^2 f'Rf",
			About:      "semi-supervised regression: svr with the kernel warped as for lap-rls",
			Cost:       "as lap-rls, and a dual problem of the labelled rows alone",
			Parameters: graphs(epsilon, Parameter{"loss", "epsilon, absolute, squared-epsilon", "epsilon", "of the residual"}, free()),
			Source:     sindhwani + ", 2.9 names it", SciKit: "none",
			Example: "mercer fit sinc --method lap-svr --labels 20",
		},
	}
}

// bounds are scores of one training, without folds.
func bounds() []Entry {
	return []Entry{{
		Kind: Score, ID: "bound:NAME", Title: "bound of the leave-one-out error",
		Formula: "sv                 share of rows with a_i > 0\n" +
			"jaakkola-haussler  share with y_i f(x_i) <= a_i k(x_i, x_i)   (no offset)\n" +
			"xi-alpha           share with xi_i + 2 a_i R_D^2 >= 1,   R_D^2 = max k - min k\n" +
			"span               share with y_i f(x_i) <= a_i S_i^2,   S_i the distance of x_i from the span of the other support vectors\n" +
			"radius-margin      4 (R^2 + 1/C) (||f||^2 + 2 C sum_i loss_i)/l,   R the radius of the smallest ball around the rows",
		About: "for svm, l2-svm and lap-svm with the hinge or the squared hinge; a_i are the dual coefficients; one training in place of one a fold; " +
			"span is no bound but an estimate, as a rule the nearest, and gives probabilities; radius-margin has a gradient (--search gradient), " +
			"with 1/(2 C) for the squared hinge",
		Parameters: []Parameter{{"NAME", "sv, jaakkola-haussler, xi-alpha, span, radius-margin", "", "which bound"}},
		Cost:       "sv, jaakkola-haussler: none beyond the fit; xi-alpha: a kernel matrix; span: (free support vectors)^3; radius-margin: a quadratic programme of the rows",
		Source: "Vapnik 1995; Jaakkola & Haussler 1999; Joachims 2000; Vapnik & Chapelle 2000; Chapelle, Vapnik, Bousquet & Mukherjee 2002; Chung et al. 2003; " +
			becker + ", 2.2.5 names leave-one-out bounds of support vector machines",
		Example: "mercer fit breast-cancer --method svm --tune bound:span",
	}}
}
