package learn

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/search/param"
)

// losses lists every loss with its default parameter and in words, in the order of help: the frequent ones of classes and those of
// numbers come first. A new one is a row here.
var losses = []struct {
	Loss
	param.Words
}{
	{Hinge(), param.Words{
		ID: "hinge", Title: "hinge", Formula: "max(0, 1 - t),  t = y f, y = -1 or 1",
		About:  "of svm and lap-svm, solved in the dual; no derivative at t = 1, so no gradient of a score",
		Source: cite.Rosasco + "; " + cite.Sindhwani + ", table 1.1", LIBSVM: "-s 0; LIBLINEAR -s 3",
		SciKit: "SVC; LinearSVC(loss = \"hinge\")",
	}},
	{SquaredHinge(), param.Words{
		ID: "squared-hinge", Title: "squared hinge", Formula: "max(0, 1 - t)^2",
		About:  "of l2-svm; smooth enough for gradients of scores, and the fastest of them, for only rows inside the margin have curvature",
		Source: cite.Becker + ", 1.1.3", LIBSVM: "LIBLINEAR -s 1, -s 2", SciKit: "LinearSVC(loss = \"squared_hinge\")",
	}},
	{HuberHinge(0), param.Words{
		ID: "huber-hinge", Title: "Huber hinge", Formula: "0 for t >= 1 + h,  1 - t for t <= 1 - h,  (1 + h - t)^2/(4h) between",
		About: "the hinge with a rounded kink", Parameters: []param.Meaning{{Name: "loss_width", Range: "> 0", Default: "0.5", About: "h"}},
		Source: "Chapelle 2007; named by " + cite.Becker + ", 1.1.3", SciKit: "SGDClassifier(loss = \"modified_huber\") is another",
	}},
	{Quartic(0), param.Words{
		ID: "quartic", Title: "quartic surrogate of the hinge",
		Formula: "0 for t >= 1 + e,  1 - t for t <= 1 - e,  with u = 1 + e - t: u^3 (4e - u)/(16 e^3) between",
		About:   "two continuous derivatives; curvature for few rows", Source: cite.Klatzer + ", table 2.1, corrected",
		Parameters: []param.Meaning{{Name: "loss_width", Range: "> 0", Default: "0.125", About: "e"}},
	}},
	{ModLogistic(0), param.Words{
		ID: "modlog", Title: "modified logistic", Formula: "log(1 + exp(-mu (t - 1)))/mu",
		About: "smooth everywhere; the hinge as mu grows", Parameters: []param.Meaning{{
			Name: "loss_width", Range: "> 0", Default: "0.25 (mu = 12)",
			About: "3/mu, the width of the quartic with the same curvature at t = 1",
		}},
		Source: cite.Klatzer + ", table 2.1",
	}},
	{Logistic(), param.Words{
		ID: "logistic", Title: "logistic", Formula: "log(1 + exp(-t))",
		About: "of logistic and lap-logistic", Source: cite.Rosasco + "; " + cite.Sindhwani + ", table 1.1", LIBSVM: "LIBLINEAR -s 0",
		SciKit: "LogisticRegression",
	}},
	{Square(), param.Words{
		ID: "square", Title: "square", Formula: "(y - f)^2",
		About: "of rls, ls-svm and lap-rls, in closed form", Source: cite.Rosasco, SciKit: "KernelRidge",
	}},
	{Epsilon(0), param.Words{
		ID: "epsilon", Title: "epsilon-insensitive", Formula: "max(0, |y - f| - epsilon)",
		About: "of svr and lap-svr", Parameters: []param.Meaning{{
			Name: "epsilon", Range: ">= 0", Default: "tuned", About: "half width of the tube, in the units of the target",
		}},
		Source: cite.Rosasco + "; " + cite.Sindhwani + ", table 1.1", LIBSVM: "-s 3 -p EPSILON", SciKit: "SVR(epsilon)",
	}},
	{SquaredEpsilon(0), param.Words{
		ID: "squared-epsilon", Title: "squared epsilon-insensitive", Formula: "max(0, |y - f| - epsilon)^2",
		About: "of svr with --set loss=squared-epsilon; smooth enough for gradients of scores", Source: cite.Becker + ", 1.1",
		LIBSVM: "LIBLINEAR -s 11, -s 12", SciKit: "LinearSVR(loss = \"squared_epsilon_insensitive\")",
	}},
	{Absolute(), param.Words{
		ID: "absolute", Title: "absolute", Formula: "|y - f|",
		About: "of svr with --set loss=absolute; epsilon 0", Source: cite.Becker + ", 1.1", LIBSVM: "-s 3 -p 0", SciKit: "SVR(epsilon = 0)",
	}},
}

// Losses describes the losses that ParseLoss knows, in words.
func Losses() []param.Words {
	list := make([]param.Words, len(losses))
	for i, l := range losses {
		list[i] = l.Words
	}
	return list
}

// ParseLoss returns the loss of that name with its default parameter.
func ParseLoss(name string) (Loss, error) {
	for _, l := range losses {
		if l.ID == name {
			return l.Loss, nil
		}
	}
	// In the order in which the losses are documented above Loss.
	const known = "square, hinge, squared-hinge, huber-hinge, logistic, quartic, modlog, absolute, epsilon, squared-epsilon"
	return nil, fmt.Errorf("unknown loss %q; one of %s", name, known)
}
