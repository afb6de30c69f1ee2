package methodtest

import (
	"maps"
	"strconv"

	"github.com/mercer-ml/mercer"
)

// given are settings by key: names of --set, and flags with their dashes.
type given map[string]string

// probe is a value of a setting other than the default, and what it needs beside it to have a
// meaning.
type probe struct {
	value   string
	company given
	on      string // the set; "": the method's own
	lonely  bool   // it is tried in this company alone, for it is slow in others
}

// Searches of few evaluations, by folds.
var (
	drawn    = given{"--tune": "kfold:3", "--search": "random", "--budget": "3"}
	gradient = given{"--search": "gradient", "--budget": "5"}
	alone    = given{"--tune": "none"}
	unseen   = given{"--tune": "kfold:3:inductive", "--search": "random", "--budget": "2"}
)

func (p probe) String() string { return p.value }

// and joins company.
func and(list ...given) given {
	all := given{}
	for _, g := range list {
		maps.Copy(all, g)
	}
	return all
}

// probes are the values tried of every setting that any method has, and of every parameter of
// kernels.
func probes() map[string][]probe {
	p := map[string][]probe{}
	add := func(key string, company given, values ...string) {
		for _, v := range values {
			p[key] = append(p[key], probe{value: v, company: company})
		}
	}
	add("--scale", nil, "none", "minmax", "unit")
	add("--task", nil, "regression", "classification")
	add("--seed", drawn, "7")
	add("--seed", given{"--tune": "kfold:3"}, "7")
	add("--tune", nil, "none", "loo:press", "loo:error", "kfold:3", "holdout:0.5", "gcv", "cp", "aic", "bic")
	add("--tune", given{"--search": "random", "--budget": "2"}, "kfold:3:inductive")
	add("--tune", given{"--search": "gradient", "--budget": "4"}, "loo:smooth-error", "loo:smooth-wer", "loo:smooth-f", "bound:radius-margin")
	add("--tune", nil, "bound:span", "bound:sv", "bound:xi-alpha", "bound:jaakkola-haussler")
	add("--search", given{"--budget": "4"}, "gradient", "sqp", "rprop", "grid", "random", "nelder-mead")
	add("--budget", given{}, "1")
	add("--kernel", alone, "laplacian", "gaussian+linear")
	add("--groups", alone, "auto")
	add("--view", alone, "one=1..1")
	add("--offset", alone, "yes", "no")
	add("--multiclass", alone, "one-vs-one", "one-vs-rest")
	add("--class-weight", given{"--tune": "none", "C": "0.1"}, "balanced", "0=9")
	add("--class-weight", given{"--tune": "none", "gamma_a": "0.1"}, "balanced", "0=9")
	add("--tol", alone, "0.3")
	add("--tol", given{"--tune": "none", "solver": "cg"}, "0.3")
	add("--decision", nil, "knee", "bic", "gcv", "cv:3", "validation:3")
	add("lambda", alone, "0.7")
	add("C", alone, "0.037", "20")
	add("gamma_a", alone, "0.013")
	add("gamma_i", alone, "0.7")
	add("intrinsic_scale", given{"--tune": "none", "gamma_a": "1e-6", "gamma_i": "40"}, "none")
	add("neighbours", alone, "3")
	add("degree", alone, "3", "1.5")
	add("degree", gradient, "real")
	add("semigroup", alone, "0.5")
	add("semigroup", gradient, "real")
	add("metric", alone, "cosine")
	add("weights", alone, "binary", "heat", "cosine")
	add("width", alone, "0.3")
	add("width", given{"--tune": "none", "weights": "heat"}, "0.3")
	add("symmetry", alone, "mutual", "mean")
	add("laplacian", alone, "combinatorial")
	add("outer", given{"--tune": "kfold:3"}, "mse", "squared-hinge", "logistic", "modlog", "quartic", "error")
	add("outer", gradient, "mse", "logistic")
	add("loss", alone, "huber-hinge", "squared-hinge", "quartic", "modlog", "absolute", "squared-epsilon")
	add("nu", alone, "0.3")
	add("epsilon", alone, "0.2")
	add("loss_width", given{"--tune": "none", "loss": "quartic"}, "0.4")
	add("offset", given{"--tune": "none", "loss": "squared-hinge"}, "augmented")
	add("offset", given{"--tune": "none", "loss": "squared-epsilon"}, "augmented")
	add("offset", alone, "augmented")
	add("per_class", drawn, "yes")
	add("per_class", and(drawn, given{"--multiclass": "one-vs-rest"}), "yes")
	add("select", and(gradient, given{"--kernel": "ard-gaussian"}), "0.6")
	add("select", and(gradient, given{"--kernel": "ard-gaussian", "--tune": "kfold:3", "loss": "squared-hinge"}), "0.6")
	add("select", and(gradient, given{"--kernel": "ard-gaussian", "--tune": "kfold:3", "loss": "squared-epsilon"}), "0.6")
	add("balance", alone, "0.2,0.2,0.6", "0.8", "labels")
	add("combine", alone, "yes")
	p["within"] = []probe{{value: "yes", company: alone, on: labelled}, {value: "yes", company: unseen, on: labelled}}
	smooth := given{"--tune": "loo:smooth-wer", "--search": "random", "--budget": "3"}
	p["rho"] = []probe{{value: "2", company: smooth, on: moons}}
	p["eta"] = []probe{{value: "5", company: smooth, on: moons}}
	add("points", given{"--search": "grid", "--budget": "9"}, "7")
	add("graph", alone, "full")
	add("epsilon_graph", given{"--tune": "none", "graph": "epsilon"}, "0.7")
	add("mu", given{"--tune": "none", "neighbours": "3,6", "degree": "1"}, "0.2,0.8")
	add("mu", given{"--tune": "none", "neighbours": "3,6", "degree": "1", "combine": "yes"}, "0.2,0.8")
	add("exact", nil, "true")
	add("solver", alone, "cg", "fista", "fista-restart")
	add("solver", given{"--tune": "none", "loss": "squared-hinge"}, "fista", "fista-restart")
	add("solver", given{"--tune": "none", "loss": "squared-epsilon"}, "fista", "fista-restart")
	add("solver", given{"--tune": "none", "--kernel": "linear"}, "gradient")
	add("solver", given{"--tune": "none", "--kernel": "linear", "loss": "squared-hinge"}, "gradient")
	add("complexity", nil, "q-norm", "q-rkhs", "q-ref-sv", "rank")
	add("joint", nil, "no")
	add("order", nil, "1")
	add("max_q", nil, "3")
	add("floor", nil, "0.01")
	add("sigma", alone, "0.8")
	add("gamma", alone, "0.6")
	for _, weak := range []given{{"C": "1"}, {"gamma_a": "0.1"}, {"lambda": "0.1"}, {"nu": "0.5"}} {
		polynomial, linear := and(alone, weak, given{"--kernel": "polynomial"}), and(alone, weak, given{"--kernel": "ard-linear"})
		add("offset", polynomial, "2")
		add("coef0", polynomial, "2")
		add("scale", polynomial, "0.3")
		add("c", linear, "0.3")
	}
	add("weight", given{"--tune": "none", "--kernel": "2*gaussian"}, "0.3")
	for i := range p["solver"] {
		p["solver"][i].lonely = true
	}
	return p
}

// with is the recipe with settings added.
func with(r mercer.Recipe, g given) mercer.Recipe {
	r.Set = maps.Clone(r.Set)
	for key, v := range g {
		switch key {
		case "--scale":
			r.Scale = v
		case "--task":
			r.Task = v
		case "--seed":
			r.Seed, _ = strconv.ParseUint(v, 10, 64)
		case "--tune":
			r.Tune = v
		case "--search":
			r.Search = v
		case "--budget":
			r.Budget, _ = strconv.Atoi(v)
		case "--kernel":
			r.Kernel = v
		case "--groups":
			r.Groups = v
		case "--view":
			r.Views = []mercer.View{{Name: "one", First: 1, Last: 1}}
		case "--offset":
			r.Offset = v
		case "--multiclass":
			r.Multiclass = v
		case "--class-weight":
			r.ClassWeight = v
		case "--tol":
			r.Tolerance, _ = strconv.ParseFloat(v, 64)
		case "--decision":
			r.Decision = v
		default:
			if r.Set == nil {
				r.Set = map[string]string{}
			}
			r.Set[key] = v
		}
	}
	return r
}
