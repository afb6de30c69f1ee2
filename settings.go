package mercer

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/mobj"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/svm"
)

// settings is Recipe.Set understood.
type settings struct {
	params   map[string][]float64 // fixed hyper-parameters by canonical name; a list for widths by column
	graph    graph.Recipe         // Neighbours and Degree zero: to be chosen
	words    map[string][]string  // of graphs to combine, where several are given
	unscaled bool                 // intrinsic_scale=none
	// gamma is as given: the factor of the inner product in kernels that have one, where for
	// others it stands in params as sigma = 1/sqrt(2 gamma).
	gamma []float64
	// lossWidth is that of a smooth hinge, see widened; 0: its own.
	lossWidth float64
	// share of the largest relevance that a feature must have to be kept; 0: all are.
	share float64
}

// settingWords are the settings that are words.
var settingWords = []string{"metric", "weights", "symmetry", "laplacian", "intrinsic_scale", "loss", "solver", "outer", "per_class", "combine", "balance", "complexity", "joint", "exact", "within"}

func (r Recipe) settings() (settings, error) {
	s := settings{params: map[string][]float64{}, words: map[string][]string{}}
	s.graph.Weights = graph.SelfTuned // the best on the design sets, docs/automatic-choice.md
	var bad []string
	complain := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		value := r.Set[name]
		if slices.Contains(settingWords, name) || name == "offset" && value == augmented {
			words := []string{value}
			if r.combined() && slices.Contains(listed, name) {
				words = strings.Split(value, ",")
				s.words[name] = words
			}
			for _, word := range words {
				if err := s.word(name, word); err != nil {
					complain("--set %s=%s: %v", name, value, err)
				}
			}
			continue
		}
		for _, part := range strings.Split(value, ",") {
			if part == realValue && (name == "degree" || name == "semigroup") {
				continue // to be learned
			}
			v, err := number(name, part)
			if err != nil {
				complain("--set %s=%s: %v", name, value, err)
				break
			}
			if name == "loss_width" {
				s.lossWidth = v
				continue
			}
			if name == "select" {
				s.share = v
				continue
			}
			if name == "gamma" { // LIBSVM's
				s.gamma = append(s.gamma, v)
				s.params["sigma"] = append(s.params["sigma"], math.Sqrt(1/(2*v)))
				continue
			}
			if name == "coef0" { // LIBSVM's
				name = "offset"
			}
			s.params[name] = append(s.params[name], v)
		}
		if len(s.params[name]) > 1 && slices.Contains(machineParams, name) && !slices.Contains(listed, name) && !r.gridded(name) {
			complain("--set %s=%s: takes one number", name, value)
		}
	}
	s.graph.Neighbours = int(s.one("neighbours"))
	if !r.continuous() {
		s.graph.Degree = int(s.one("degree"))
	}
	s.graph.Width = s.one("width")
	if r.Set["sigma"] != "" && r.Set["gamma"] != "" {
		complain("--set sigma and gamma are one parameter; give one of them")
	}
	if r.Set["offset"] != "" && r.Set["coef0"] != "" {
		complain("--set offset and coef0 are one parameter; give one of them")
	}
	r.checkClassWeight(complain)
	r.checkSelect(complain)
	r.checkInductive(complain)
	r.checkCombined(complain)
	r.checkWithin(complain)
	r.checkFront(complain)
	if len(bad) > 0 {
		return s, &UsageError{bad}
	}
	return s, nil
}

// checkClassWeight reports a ClassWeight that is neither `balanced` nor a list of
// LABEL=WEIGHT. Whether the data have those classes is for the fit to say.
func (r Recipe) checkClassWeight(complain func(format string, args ...any)) {
	if r.ClassWeight == "" || r.ClassWeight == "balanced" {
		return
	}
	seen := map[string]bool{}
	for _, part := range strings.Split(r.ClassWeight, ",") {
		class, value, ok := strings.Cut(part, "=")
		w, err := strconv.ParseFloat(value, 64)
		switch name := data.ClassName(class); {
		case !ok || data.IsUnlabelled(class):
			complain("--class-weight %s: write balanced or LABEL=WEIGHT,..., as in yes=2,no=0.5", r.ClassWeight)
			return
		case err != nil || !(w > 0) || math.IsInf(w, 0):
			complain("--class-weight %s: weight %q of class %s must be a positive number", r.ClassWeight, value, class)
			return
		case seen[name]:
			complain("--class-weight %s: class %s is given twice; keep one", r.ClassWeight, class)
			return
		default:
			seen[name] = true
		}
	}
}

// number reads one value of a hyper-parameter and checks its kind.
func number(name, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, errors.New("not a number")
	case name == "degree" && strings.Contains(text, "."):
		if !(v > 0 && v <= 8) {
			return 0, errors.New("a real degree must be above 0 and at most 8")
		}
	case name == "neighbours" || name == "degree":
		if v < 1 || v != math.Trunc(v) || v > 1e6 {
			return 0, errors.New("must be a whole number from 1")
		}
	case name == "select":
		if !(v > 0 && v < 1) {
			return 0, errors.New("must be above 0 and below 1")
		}
	case name == "nu":
		if !(v > 0 && v <= 1) {
			return 0, errors.New("must be above 0 and at most 1")
		}
	case strings.Contains(name, "offset") || name == "coef0":
		return v, nil // for the kernel to judge
	case name == "gamma_i" || name == "epsilon":
		if v < 0 {
			return 0, errors.New("must not be negative")
		}
	case v <= 0:
		return 0, errors.New("must be positive")
	}
	return v, nil
}

// one returns a parameter that has one value, 0 if it is not set.
func (s *settings) one(name string) float64 {
	if v := s.params[name]; len(v) > 0 {
		return v[0]
	}
	return 0
}

func (s *settings) word(name, value string) error {
	switch name {
	case "metric":
		return s.graph.Metric.UnmarshalText([]byte(value))
	case "weights":
		return s.graph.Weights.UnmarshalText([]byte(value))
	case "symmetry":
		return s.graph.Symmetry.UnmarshalText([]byte(value))
	case "laplacian":
		return s.graph.Laplacian.UnmarshalText([]byte(value))
	case "per_class", "combine", "within":
		if value != "yes" && value != "no" {
			return errors.New("choose yes or no")
		}
		return nil
	case "complexity":
		if !slices.Contains(mobj.Measures(), mobj.Measure(value)) {
			return errors.New("choose q-ref, q-ref-sv, q-norm or q-rkhs")
		}
		return nil
	case "exact":
		if value != "true" && value != "false" {
			return errors.New("choose true or false")
		}
		return nil
	case "joint":
		if value != "yes" && value != "no" {
			return errors.New("choose yes or no")
		}
		return nil
	case "balance":
		_, err := parseBalance(value)
		return err
	case "outer":
		if !slices.Contains(outerLosses, value) {
			return errors.New("choose " + strings.Join(outerLosses, ", "))
		}
		return nil
	case "loss":
		return nil // which losses there are is the method's to say
	case "solver":
		if !slices.Contains(solvers, value) {
			return errors.New("choose " + strings.Join(solvers, ", ") + ", or leave it out")
		}
		return nil
	case "offset":
		return nil // which methods have it is theirs to say
	}
	if value != "inv_n2" && value != "none" {
		return errors.New("choose inv_n2 or none")
	}
	s.unscaled = value == "none"
	return nil
}

// augmented is the word of --set offset= for the offset as a constant feature.
const augmented = "augmented"

// tune is Recipe.Tune understood.
type tune struct {
	name      string // canonical, as printed
	criterion score.Criterion
	folds     int     // 0: leave-one-out
	share     float64 // of a hold-out; 0: none
	gcv, none bool
	penalty   string    // cp, aic or bic: the training error with a price on degrees of freedom
	inductive bool      // the rows of a fold leave the graph too
	bound     svm.Bound // of the leave-one-out error; 0: none
}

// drawn says whether labelled rows can be left out in other draws of the same kind or, for
// leave-one-out, of folds: a hold-out's share is fixed by the labels kept.
func (t tune) drawn() bool { return t.criterion != nil && t.share == 0 && !t.inductive }

func parseTune(text string) (tune, error) {
	bad := fmt.Errorf("--tune %s: not known; choose auto, loo:logloss, loo:press, loo:error, loo:smooth-error, loo:smooth-wer, loo:smooth-f, kfold:K, holdout:SHARE, either with :inductive, gcv, cp, aic, bic, bound:NAME, none", text)
	if rest, ok := strings.CutSuffix(text, ":inductive"); ok {
		t, err := parseTune(rest)
		if err != nil || t.folds == 0 && t.share == 0 {
			return tune{}, fmt.Errorf("--tune %s: inductive goes with kfold:K and holdout:SHARE, as in kfold:5:inductive", text)
		}
		t.name, t.inductive = text, true
		return t, nil
	}
	head, arg, _ := strings.Cut(text, ":")
	switch head {
	case "", "auto":
		return tune{}, nil
	case "none":
		return tune{name: "none", none: true}, nil
	case "cp", "aic", "bic":
		if arg == "" {
			return tune{name: text, penalty: text}, nil
		}
	case "gcv":
		return tune{name: "gcv", gcv: true}, nil
	case "bound":
		for _, b := range svm.Bounds() {
			if arg == b.String() {
				return tune{name: text, bound: b}, nil
			}
		}
		return tune{}, fmt.Errorf("--tune %s: not known; choose bound:sv, bound:jaakkola-haussler, bound:xi-alpha, bound:span or bound:radius-margin", text)
	case "loo":
		switch arg {
		case "logloss":
			return tune{name: text, criterion: score.LogLoss{}}, nil
		case "press":
			return tune{name: text, criterion: score.Press{}}, nil
		case "error":
			return tune{name: text, criterion: score.Error{}}, nil
		case "smooth-error":
			return tune{name: text, criterion: score.SmoothError{}}, nil
		case "smooth-wer":
			return tune{name: text, criterion: score.SmoothWeighted{}}, nil
		case "smooth-f":
			return tune{name: text, criterion: score.SmoothF{}}, nil
		}
	case "kfold":
		k, err := strconv.Atoi(arg)
		if err != nil || k < 2 {
			return tune{}, fmt.Errorf("--tune %s: give a number of folds from 2, as in kfold:5", text)
		}
		return tune{name: text, folds: k}, nil
	case "holdout":
		f, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(f > 0 && f < 1) {
			return tune{}, fmt.Errorf("--tune %s: give a share between 0 and 1, as in holdout:0.2", text)
		}
		return tune{name: text, share: f}, nil
	}
	return tune{}, bad
}
