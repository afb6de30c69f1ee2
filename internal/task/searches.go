package task

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// searches lists every search in words, in the order of help: those that follow derivatives stand together. A new one is a row here
// and a word of Searches; package method makes it.
var searches = []struct {
	differentiates bool // it follows the derivatives of the score
	param.Words
}{
	{false, param.Words{
		ID: "auto", Title: "the search for the score",
		About:  "gradient where the score has one, with the whole numbers (neighbours, degree) enumerated; else grid",
		Source: "docs/automatic-choice.md",
	}},
	{true, param.Words{
		ID: "gradient", Title: "quasi-Newton with bounds (L-BFGS-B)",
		About: "follows the gradient of the score in the logarithms of the parameters, all of them in one pass; for scores " +
			"that have one: " +
			"not loo:error. Machines with smooth losses (l2-svm, logistic, svm with loss=quartic or modlog, ...) are differentiated " +
			"through their " +
			"training: parameters of one kind (widths of all features) move together first, then each by itself; what was found is " +
			"scored on other folds",
		Parameters: append(budgeted("scores with their gradients; one evaluation each"), param.Meaning{
			Name: "select", Range: "(0, 1)", Default: "all are kept",
			About: "with " + setting.Or(kernel.ByColumn()) + ": features whose relevance is below this share of the largest are dropped, " +
				"and the search goes on over the rest",
		}),
		Source: cite.Becker + ", 4.2, algorithm 1, with the projected gradient for its stopping rule; " +
			cite.Klatzer + ", 4.2; Byrd, Lu, Nocedal & Zhu 1995",
		SciKit:  "as GaussianProcessRegressor(optimizer = \"fmin_l_bfgs_b\")",
		Example: "mercer fit wine --method rls --kernel ard-gaussian --search gradient",
	}},
	{true, param.Words{
		ID: "sqp", Title: "sequential quadratic programs",
		About: "as gradient, for at most 200 parameters that move, with the weights of combined Laplacians (c-lap-rls) as they " +
			"are, under " +
			"their sum: " +
			"weights of graphs that do not serve end at exactly zero, where gradient (softmax) only comes near",
		Parameters: budgeted("scores with their gradients"),
		Source:     cite.Becker + ", 4.2, algorithm 1 and 4.3.1 (SQP), with the projected gradient for its stopping rule; Powell 1978",
		Example:    "mercer fit iris --method c-lap-rls --search sqp",
	}},
	{true, param.Words{
		ID: "rprop", Title: "signs of the gradient (RPROP)",
		About: "a step for every parameter, longer while its derivative keeps its sign; passes small humps, three to five times the " +
			"evaluations of gradient",
		Parameters: budgeted("scores with their gradients"),
		Source:     cite.Klatzer + ", 4.3; Riedmiller & Braun 1993",
		Example:    "mercer fit wine --method l2-svm --tune kfold:5 --search rprop",
	}},
	{false, param.Words{
		ID: "grid", Title: "grid",
		About:      "all combinations of a few values of each parameter, in the order of an odometer",
		Parameters: budgeted("points; the grid is cut there"),
		Source:     cite.Becker + ", 2.4.1 and table 4.1; " + cite.Klatzer + ", 5.2",
		LIBSVM:     "grid.py", SciKit: "GridSearchCV",
	}},
	{false, param.Words{
		ID: "random", Title: "random",
		About:      "independent uniform points of the box, logarithms for scales; the first points of a longer run are those of a shorter",
		Parameters: budgeted("points"),
		Source:     cite.Becker + ", 2.4.2, eq. 2.12; Bergstra & Bengio 2012",
		SciKit:     "RandomizedSearchCV",
		Example:    "mercer fit iris --method rls --search random --budget 100 --seed 3",
	}},
	{false, param.Words{
		ID: "nelder-mead", Title: "Nelder-Mead simplex",
		About:      "needs no gradient; whole numbers are rounded before they are judged; for few parameters",
		Parameters: budgeted("scores"),
		Source:     cite.Becker + ", 4.3.4; Nelder & Mead 1965",
		Example:    "mercer fit iris --method rls --tune loo:error --search nelder-mead",
	}},
}

// budgeted is the parameter of a search that a budget ends.
func budgeted(about string) []param.Meaning {
	return []param.Meaning{{Name: "--budget", Range: ">= 1", Default: "the search's own", About: about}}
}

// Searches are the words of --search, in the order in which its range and the JSON schema of settings have them.
var Searches = []string{"auto", "gradient", "grid", "random", "nelder-mead", "rprop", "sqp"}

// SearchKinds describes the searches in words.
func SearchKinds() []param.Words {
	list := make([]param.Words, len(searches))
	for i, s := range searches {
		list[i] = s.Words
	}
	return list
}

// Differentiates says whether a search follows the derivatives of the score.
func Differentiates(search string) bool {
	for _, s := range searches {
		if s.ID == search {
			return s.differentiates
		}
	}
	return false
}
