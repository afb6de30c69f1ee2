package mercer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/hyper"
)

// settings is Recipe.Set understood.
type settings struct {
	params   map[string]float64 // fixed hyper-parameters by canonical name
	graph    graph.Recipe       // Neighbours and Degree zero: to be chosen
	unscaled bool               // intrinsic_scale=none
}

// graphWords are the options of Set that are words.
var graphWords = map[string][]string{
	"metric":          {"euclidean", "cosine"},
	"weights":         {"binary", "heat", "cosine", "self-tuned"},
	"symmetry":        {"union", "mutual", "mean"},
	"laplacian":       {"normalised", "combinatorial"},
	"intrinsic_scale": {"inv_n2", "none"},
}

func (r Recipe) settings() (settings, error) {
	s := settings{params: map[string]float64{}}
	s.graph.Weights = graph.SelfTuned // the best on the design sets, docs/automatic-choice.md
	var bad []string
	complain := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		value := r.Set[name]
		if words, ok := graphWords[name]; ok {
			if !slices.Contains(words, value) {
				complain("--set %s=%s: choose %s", name, value, strings.Join(words, ", "))
				continue
			}
			if err := s.word(name, value); err != nil {
				complain("--set %s=%s: %v", name, value, err)
			}
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
			complain("--set %s=%s: not a number", name, value)
		case name == "neighbours" || name == "degree":
			if v < 1 || v != math.Trunc(v) || v > 1e6 {
				complain("--set %s=%s: must be a whole number from 1", name, value)
				continue
			}
			s.params[name] = v
		case name == "gamma": // LIBSVM's, 1/(2 sigma^2)
			if v <= 0 {
				complain("--set gamma=%s: must be positive", value)
				continue
			}
			s.params["sigma"] = math.Sqrt(1 / (2 * v))
		case v <= 0 && name != "offset" && name != "gamma_i":
			complain("--set %s=%s: must be positive", name, value)
		case v < 0:
			complain("--set %s=%s: must not be negative", name, value)
		default:
			s.params[name] = v
		}
	}
	s.graph.Neighbours, s.graph.Degree = int(s.params["neighbours"]), int(s.params["degree"])
	s.graph.Width = s.params["width"]
	if r.Set["sigma"] != "" && r.Set["gamma"] != "" {
		complain("--set sigma and gamma are one parameter; give one of them")
	}
	if len(bad) > 0 {
		return s, &UsageError{bad}
	}
	return s, nil
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
	}
	s.unscaled = value == "none"
	return nil
}

// tune is Recipe.Tune understood.
type tune struct {
	name      string // canonical, as printed
	criterion hyper.Criterion
	folds     int     // 0: leave-one-out
	share     float64 // of a hold-out; 0: none
	gcv, none bool
}

func parseTune(text string) (tune, error) {
	bad := fmt.Errorf("--tune %s: not known; choose auto, loo:logloss, loo:press, loo:error, kfold:K, holdout:SHARE, gcv, none", text)
	head, arg, _ := strings.Cut(text, ":")
	switch head {
	case "", "auto":
		return tune{}, nil
	case "none":
		return tune{name: "none", none: true}, nil
	case "gcv":
		return tune{name: "gcv", gcv: true}, nil
	case "loo":
		switch arg {
		case "logloss":
			return tune{name: text, criterion: hyper.LogLoss{}}, nil
		case "press":
			return tune{name: text, criterion: hyper.Press{}}, nil
		case "error":
			return tune{name: text, criterion: hyper.Error{}}, nil
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
