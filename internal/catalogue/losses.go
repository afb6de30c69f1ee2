package catalogue

import "github.com/mercer-ml/mercer/internal/cite"

func losses() []Entry {
	width := func(about string) []Parameter {
		return []Parameter{{"loss_width", "> 0", "0.125", about}}
	}
	return []Entry{
		{
			Kind: Loss, ID: "hinge", Title: "hinge", Formula: "max(0, 1 - t),  t = y f, y = -1 or 1",
			About:  "of svm and lap-svm, solved in the dual; no derivative at t = 1, so no gradient of a score",
			Source: cite.Rosasco + "; " + cite.Sindhwani + ", table 1.1", LIBSVM: "-s 0; LIBLINEAR -s 3", SciKit: "SVC; LinearSVC(loss = \"hinge\")",
		},
		{
			Kind: Loss, ID: "squared-hinge", Title: "squared hinge", Formula: "max(0, 1 - t)^2",
			About:  "of l2-svm; smooth enough for gradients of scores, and the fastest of them, for only rows inside the margin have curvature",
			Source: cite.Becker + ", 1.1.3", LIBSVM: "LIBLINEAR -s 1, -s 2", SciKit: "LinearSVC(loss = \"squared_hinge\")",
		},
		{
			Kind: Loss, ID: "huber-hinge", Title: "Huber hinge", Formula: "0 for t >= 1 + h,  1 - t for t <= 1 - h,  (1 + h - t)^2/(4h) between",
			About: "the hinge with a rounded kink", Parameters: []Parameter{{"loss_width", "> 0", "0.5", "h"}},
			Source: "Chapelle 2007; named by " + cite.Becker + ", 1.1.3", SciKit: "SGDClassifier(loss = \"modified_huber\") is another",
		},
		{
			Kind: Loss, ID: "quartic", Title: "quartic surrogate of the hinge",
			Formula: "0 for t >= 1 + e,  1 - t for t <= 1 - e,  with u = 1 + e - t: u^3 (4e - u)/(16 e^3) between",
			About:   "two continuous derivatives; curvature for few rows", Parameters: width("e"),
			Source: cite.Klatzer + ", table 2.1, corrected",
		},
		{
			Kind: Loss, ID: "modlog", Title: "modified logistic", Formula: "log(1 + exp(-mu (t - 1)))/mu",
			About: "smooth everywhere; the hinge as mu grows", Parameters: []Parameter{{"loss_width", "> 0", "0.25 (mu = 12)",
				"3/mu, the width of the quartic with the same curvature at t = 1"}},
			Source: cite.Klatzer + ", table 2.1",
		},
		{
			Kind: Loss, ID: "logistic", Title: "logistic", Formula: "log(1 + exp(-t))",
			About: "of logistic and lap-logistic", Source: cite.Rosasco + "; " + cite.Sindhwani + ", table 1.1", LIBSVM: "LIBLINEAR -s 0",
			SciKit: "LogisticRegression",
		},
		{
			Kind: Loss, ID: "square", Title: "square", Formula: "(y - f)^2",
			About: "of rls, ls-svm and lap-rls, in closed form", Source: cite.Rosasco, SciKit: "KernelRidge",
		},
		{
			Kind: Loss, ID: "epsilon", Title: "epsilon-insensitive", Formula: "max(0, |y - f| - epsilon)",
			About: "of svr and lap-svr", Parameters: []Parameter{{"epsilon", ">= 0", "tuned", "half width of the tube, in the units of the target"}},
			Source: cite.Rosasco + "; " + cite.Sindhwani + ", table 1.1", LIBSVM: "-s 3 -p EPSILON", SciKit: "SVR(epsilon)",
		},
		{
			Kind: Loss, ID: "squared-epsilon", Title: "squared epsilon-insensitive", Formula: "max(0, |y - f| - epsilon)^2",
			About: "of svr with --set loss=squared-epsilon; smooth enough for gradients of scores", Source: cite.Becker + ", 1.1",
			LIBSVM: "LIBLINEAR -s 11, -s 12", SciKit: "LinearSVR(loss = \"squared_epsilon_insensitive\")",
		},
		{
			Kind: Loss, ID: "absolute", Title: "absolute", Formula: "|y - f|",
			About: "of svr with --set loss=absolute; epsilon 0", Source: cite.Becker + ", 1.1", LIBSVM: "-s 3 -p 0", SciKit: "SVR(epsilon = 0)",
		},
	}
}
