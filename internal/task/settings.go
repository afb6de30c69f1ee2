package task

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/setting"
)

const tuned = "tuned"

// The flags of a recipe. Those that every method has are in Common.
var (
	Tune = setting.Setting{
		Name:    "tune",
		Flag:    true,
		Default: "the method's own score",
		Says:    "a score, see mercer methods",
		About:   "what judges hyper-parameters",
		Form:    func(text string) error { _, err := ParseScoring(text); return err },
	}
	Search = setting.Setting{Name: "search", Flag: true, Words: Searches, Default: "auto", About: "how hyper-parameters are moved"}
	Budget = setting.Setting{
		Name:    "budget",
		Flag:    true,
		Range:   setting.From(0),
		Default: "the search's own",
		About:   "score evaluations at most",
	}
	Effort = setting.Setting{
		Name:    "effort",
		Flag:    true,
		Words:   []string{"low", "normal", "high"},
		Default: "normal",
		About:   "how much is tried: the rows that samples and races take, and how many machines",
	}
	Basis = setting.Setting{
		Name:    "basis",
		Flag:    true,
		Says:    "a number from 1, or auto",
		Default: "as many as the machine needs",
		About:   "centres at most; auto: the fewest whose left-out error is within a standard error of the best",
		Form:    checkBasis,
	}
	Choose = setting.Setting{
		Name:    "choose",
		Words:   []string{"greedy", "greedy-ridge", "random", "uniform", "lasso", "lars", "leverage"},
		Default: "greedy",
		About:   "with --basis: how centres are chosen among the rows",
		Instead: map[string]string{
			"greedy-ms": "takes functions of several widths, which are of no common kernel, so no machine can be trained on them; " +
				"use greedy-ridge, or basis.GreedyRidge with basis.Octaves in the library",
			"sup": "chooses by the labels of all rows, which a fit does not have; use greedy, or mercer reproduce sindhwani-t5.3, " +
				"which compares it",
		},
	}
	Candidates = setting.Setting{
		Name:    "candidates",
		Range:   setting.From(0),
		Default: "50",
		About:   "with --basis: rows that each step of a greedy choice looks at, drawn anew; 0: all",
	}
	Kernel = setting.Setting{
		Name:    "kernel",
		Flag:    true,
		Says:    "a specification, see mercer methods",
		Default: "gaussian; linear for sparse rows",
		About:   "the kernel",
		Form:    anyText,
	}
	Groups = setting.Setting{
		Name:  "groups",
		Flag:  true,
		Words: []string{"auto"},
		About: "a kernel of its own for each group of columns of alike standard deviations",
	}
	Views = setting.Setting{
		Name:  "view",
		Flag:  true,
		Says:  "NAME=FIRST..LAST or NAME=FILE",
		About: "a description of the rows whose graph is joined with the others",
		Form:  anyText,
	}
	LossWeights = setting.Setting{
		Name:    "loss_weights",
		Range:   setting.Positive(),
		Many:    true,
		Default: "1 each",
		Says:    "a weight > 0 for each view",
		About:   "weights of the losses of the views' functions, in the order of --view; mu of the source is that of the second",
	}
	Offset = setting.Setting{
		Name:    "offset",
		Flag:    true,
		Words:   []string{"auto", "yes", "no"},
		Default: "auto",
		About:   "a constant that is not penalised",
	}
	// ColumnOffset is Offset of a machine that learns in the columns.
	ColumnOffset = setting.Setting{
		Name:    Offset.Name,
		Flag:    true,
		Words:   Offset.Words,
		Default: Offset.Default,
		About:   "a constant; of classes it is the weight of a constant feature and so penalised, of numbers it is not",
	}
	Scheme = setting.Setting{
		Name:    "multiclass",
		Flag:    true,
		Words:   []string{"one-vs-one", "one-vs-rest"},
		Default: "one-vs-rest",
		About:   "how more than two classes are made of two-class machines",
	}
	Weight = setting.Setting{
		Name:    "class-weight",
		Flag:    true,
		Says:    "balanced, LABEL=W,...",
		Default: "1 each",
		About:   "factor of the loss for the rows of a class; LIBSVM's -wi",
		Form:    checkClassWeight,
	}
	Tol = setting.Setting{
		Name:    "tol",
		Flag:    true,
		Range:   setting.Positive(),
		Default: "1e-3; 1e-8 of smooth losses",
		About: "at which the solver stops: of svm and svr LIBSVM's meaning, of smooth losses the relative gradient; machines of " +
			"the square " +
			"loss are solved directly and meet any",
	}
	Decide = setting.Setting{
		Name: "decision",
		Flag: true,
		Says: "cv, cv:K, validation, validation:K, aic, bic, gcv, aic-log, bic-log, aic-cls, bic-cls, cls-4.34, vc-bound, " +
			"knee, knee-log, " +
			"lcurve",
		Default: "cv",
		About: "how one member is chosen; validation:K holds one part in K out once (3); information criteria are for squared " +
			"errors, -cls " +
			"for classes, cls-4.34 is the printed (wrong) formula; ties to the simpler member",
		Form: anyText,
	}

	scale = setting.Setting{
		Name:    "scale",
		Flag:    true,
		Words:   []string{"auto", "none", "standard", "minmax", "unit", "tfidf"},
		Default: "auto",
		About:   "what is done with the features first",
	}
	kind = setting.Setting{
		Name:    "task",
		Flag:    true,
		Words:   []string{"auto", "classification", "regression"},
		Default: "auto",
		About:   "what the labels are",
	}
	Threshold = setting.Setting{
		Name:    "decide",
		Flag:    true,
		Says:    "default, balanced, cost=CLASS=COST,..., rate=CLASS=SHARE",
		Default: "default",
		About: "how classes are decided from probabilities of rows left out: balanced, as if all classes were equally common; cost, " +
			"what a mistaken row of a class costs, 1 if it is not named; rate, the share of rows decided for one of two classes; " +
			"cost=A:B and rate=SHARE go by the order of the classes, and by the second",
		Form: func(text string) error { _, err := ParseThreshold(text); return err },
	}
	outerFolds = setting.Setting{
		Name:    "cv",
		Flag:    true,
		Range:   setting.From(2),
		Default: "none",
		About:   "outer folds, for each of which the whole fit is repeated: an unbiased estimate of the error (nested cross-validation)",
	}
	seed = setting.Setting{Name: "seed", Flag: true, Range: setting.Seeds(), Default: "1", About: "of everything drawn at random"}
)

// Common are the flags that every method has.
func Common() []setting.Setting { return []setting.Setting{scale, kind, seed, Threshold, outerFolds} }

func anyText(string) error { return nil }

func checkBasis(text string) error {
	if text == AutoBasis {
		return nil
	}
	if n, err := strconv.Atoi(text); err != nil || n < 1 {
		return errors.New("give a number from 1, or auto")
	}
	return nil
}

// AutoBasis is the word of --basis for a number of centres that is chosen.
const AutoBasis = "auto"

// Centres is the number of --basis; 0: none is given, or it is to be chosen.
func (r Request) Centres() int {
	n, _ := strconv.Atoi(r.Recipe.Basis)
	return n
}

// The weights of a machine's terms.
var (
	Lambda = setting.Setting{Name: "lambda", Range: setting.Positive(), Many: true, Default: tuned,
		Instead: map[string]string{"0": "must be positive; least squares without a penalty is --method erm"},
		About:   "weight of ||f||^2 against the loss averaged over the labelled rows; the matrix gets l lambda on its diagonal"}
	C = setting.Setting{Name: "C", Range: setting.Positive(), Many: true, Default: tuned,
		About: "weight of the summed loss against 1/2 ||f||^2; of the averaged loss and ||f||^2 it is 1/(2 l lambda)"}
	GammaA = setting.Setting{Name: "gamma_a", Range: setting.Positive(), Many: true, Default: tuned,
		About: "ambient weight, of ||f||^2: lambda of rls; C = 1/(2 l gamma_a)"}
	GammaI = setting.Setting{
		Name:    "gamma_i",
		Range:   setting.NotNegative(),
		Many:    true,
		Default: tuned,
		About:   "intrinsic weight, of f'Rf",
	}
	Scaled = setting.Setting{Name: "intrinsic_scale", Words: []string{"inv_n2", "none"}, Default: "inv_n2",
		About: "the convention of gamma_i: over (l+u)^2 (" + cite.Sindhwani + ", 2.3), or as it stands (2.9)"}
)

// The words of settings that stand for a value to be learned.
const (
	Real      = "real"
	Augmented = "augmented"
)

// The graph of all rows. Where several graphs are combined each may be a list.
var (
	Neighbours = setting.Setting{
		Name:    "neighbours",
		Range:   setting.From(1),
		Many:    true,
		Default: tuned,
		About:   "nearest rows each row is joined with; 1 to rows-1",
	}
	Degree = setting.Setting{
		Name:    "degree",
		Many:    true,
		Words:   []string{Real},
		Range:   &setting.Range{Bounded: setting.Below, OpenLo: true},
		Default: tuned,
		Says:    "whole, >= 1; a decimal fraction above 0, at most 8; real",
		Form:    checkDegree,
		About:   "power of the Laplacian; real: learned as a real number, by eigenvectors of up to 5000 rows",
	}
	// WholeDegree is Degree of a graph whose Laplacian is known by its products.
	WholeDegree = setting.Setting{
		Name:    Degree.Name,
		Many:    true,
		Range:   setting.From(1),
		Default: tuned,
		Says:    "whole, >= 1; one or several",
		Form:    checkWholeDegree,
		About:   "power of the Laplacian",
	}
	Semigroup = setting.Setting{
		Name:  "semigroup",
		Words: []string{Real},
		Range: setting.Positive(),
		About: "R = exp(t L), the heat semigroup, in the place of a power; real: t is learned",
	}
	Metric = setting.Setting{
		Name:    "metric",
		Words:   []string{"euclidean", "cosine"},
		Many:    true,
		Default: "euclidean, of sparse rows cosine",
		About:   "distance between rows; of sparse rows the cosine joins only those that have a column in common",
	}
	Weights = setting.Setting{
		Name:    "weights",
		Words:   []string{"binary", "heat", "cosine", "self-tuned"},
		Many:    true,
		Default: "self-tuned",
		About: "of an edge of length d: 1; exp(-d^2/tau); max(0, cos); exp(-d^2/(w s_i s_j)), s_i the distance to the 7th neighbour, " +
			"of fewer to the last",
	}
	Width = setting.Setting{
		Name:    "width",
		Range:   setting.Positive(),
		Many:    true,
		Default: "tuned (self-tuned), 2 (mean edge length)^2 (heat)",
		About:   "w of weights=self-tuned, tau of weights=heat",
	}
	Symmetry = setting.Setting{
		Name:    "symmetry",
		Words:   []string{"union", "mutual", "mean"},
		Many:    true,
		Default: "union; mutual of the graphs that are chosen from where no --search is named",
		About:   "which one-sided neighbours count",
	}
	Laplacian = setting.Setting{
		Name:    "laplacian",
		Words:   []string{"normalised", "combinatorial"},
		Many:    true,
		Default: "normalised",
		About:   "I - D^-1/2 W D^-1/2, or D - W",
	}
)

// NeighbourSettings are those of graphs of nearest neighbours.
func NeighbourSettings() []setting.Setting {
	return []setting.Setting{Neighbours, Degree, Metric, Weights, Width, Symmetry, Laplacian}
}

// Whole are settings of a graph whose Laplacian has whole powers alone.
func Whole(list []setting.Setting) []setting.Setting {
	list = slices.Clone(list)
	for i, s := range list {
		if s.Key() == Degree.Key() {
			list[i] = WholeDegree
		}
	}
	return list
}

// GraphSettings are the settings of the graph of all rows.
func GraphSettings() []setting.Setting { return append(NeighbourSettings(), Kind, Epsilon) }

// Outer is a loss of left-out outputs, for scores by folds and leave-one-out.
var Outer = setting.Setting{
	Name:    "outer",
	Words:   outerLosses,
	Default: "the score's own",
	About:   "the loss of left-out outputs, for scores by folds and leave-one-out; mse is Klatzer's, error the share of wrong classes",
}

// Constants of the smooth scores loo:smooth-error, loo:smooth-wer and loo:smooth-f.
var (
	Rho = setting.Setting{
		Name:    "rho",
		Range:   setting.Positive(),
		Default: "10",
		About:   "how steep the smooth error of loo:smooth-error, -wer and -f is: s = 1/(1 + exp(-rho m)) of the margin m",
	}
	Eta = setting.Setting{
		Name:    "eta",
		Range:   setting.Positive(),
		Default: "n_+/n_-",
		About:   "the weight of errors on the first class in loo:smooth-wer",
	}
)

// Points and lists of values are of --search grid.
var Points = setting.Setting{
	Name:    "points",
	Range:   setting.From(2),
	Default: "3",
	About:   "values a parameter of --search grid, from its lower bound to its upper; a parameter that is given several values takes these",
}

// The graph of all rows by lengths in the place of nearest neighbours.
var (
	Kind = setting.Setting{
		Name:    "graph",
		Words:   []string{"knn", "epsilon", "full"},
		Default: "knn",
		About:   "which rows are joined: nearest neighbours, all within the distance epsilon_graph, or all",
	}
	Epsilon = setting.Setting{
		Name:  "epsilon_graph",
		Range: setting.Positive(),
		About: "the longest edge of graph=epsilon, in the units of the scaled features",
	}
)

// checkDegree accepts whole powers from 1, decimal ones in (0, 8], and real.
func checkDegree(text string) error {
	for _, part := range strings.Split(text, ",") {
		if part == Real {
			continue
		}
		v, err := setting.Number(part)
		switch {
		case err != nil:
			return fmt.Errorf("%w, or real", err)
		case strings.Contains(part, "."):
			if !(v > 0 && v <= 8) {
				return errors.New("a real degree must be above 0 and at most 8")
			}
		case v < 1 || v != math.Trunc(v) || v > 1e6:
			return errors.New("must be a whole number from 1")
		}
	}
	return nil
}

// checkWholeDegree accepts whole degrees.
func checkWholeDegree(text string) error {
	for _, part := range strings.Split(text, ",") {
		if v, err := setting.Number(part); err != nil || v < 1 || v != math.Trunc(v) || v > 1e6 {
			return errors.New("must be a whole number from 1; choose --method lap-rls for real powers")
		}
	}
	return nil
}

// checkClassWeight accepts `balanced` and lists of LABEL=WEIGHT. Whether the data have those
// classes is for the fit to say.
func checkClassWeight(text string) error {
	if text == "balanced" {
		return nil
	}
	_, err := parseOfClasses(text, "weight")
	if errors.Is(err, errOfClasses) {
		return errors.New("write balanced or LABEL=WEIGHT,..., as in yes=2,no=0.5; a label with a comma in quotes")
	}
	return err
}

// IsDefault says whether the text of a flag asks for what would be done without the flag.
func IsDefault(key, text string) bool {
	switch key {
	case Tune.Key(), Search.Key(), Offset.Key():
		return text == "auto"
	case Scheme.Key():
		return text == "one-vs-rest"
	case Effort.Key():
		return text == "normal"
	case Threshold.Key():
		return text == "default"
	}
	return false
}

// RealDegree says whether --set degree asks for a power that is a real number: to be learned, or a
// single decimal fraction.
func RealDegree(v setting.Values) bool {
	text := v.Text(Degree)
	return text == Real || strings.Contains(text, ".") && !strings.Contains(text, ",")
}
