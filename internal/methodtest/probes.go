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

// table is the values tried of every setting, by key.
type table map[string][]probe

// add tries values in company.
func (p table) add(key string, company given, values ...string) {
	for _, v := range values {
		p[key] = append(p[key], probe{value: v, company: company})
	}
}

// probes are the values tried of every setting that any method has, and of every parameter of
// kernels.
func probes() table {
	p := table{}
	p.flags()
	p.machines()
	p.others()
	return p
}

// flags are the probes of flags.
func (p table) flags() {
	p.add("--scale", nil, "none", "minmax", "unit", "tfidf")
	p.add("--task", nil, "regression", "classification")
	p.add("--decide", nil, "balanced", "cost=1:9", "cost=1:9:9", "cost=1=9", "rate=0.3")
	p.add("--cv", nil, "2")
	p.add("--seed", drawn, "7")
	p.add("--seed", given{"--tune": "kfold:3"}, "7")
	p.add("--tune", nil, "none", "loo:press", "loo:error", "kfold:3", "holdout:0.5", "gcv", "cp", "aic", "bic")
	p.add("--tune", given{"--search": "random", "--budget": "2"}, "kfold:3:inductive")
	p.add(
		"--tune",
		given{"--search": "gradient", "--budget": "4"},
		"loo:smooth-error",
		"loo:smooth-wer",
		"loo:smooth-f",
		"bound:radius-margin",
	)
	p.add("--tune", nil, "bound:span", "bound:sv", "bound:xi-alpha", "bound:jaakkola-haussler")
	p.add("--search", given{"--budget": "4"}, "gradient", "sqp", "rprop", "grid", "random", "nelder-mead")
	p.add("--budget", given{}, "1")
	p.add("--effort", given{}, "low")
	p.add("--kernel", alone, "laplacian", "gaussian+linear")
	p.add("--groups", alone, "auto")
	p.add("--basis", alone, "6")
	p.add("--view", alone, "one=1..1")
	p.add("--offset", alone, "yes", "no")
	p.add("--multiclass", alone, "one-vs-one", "one-vs-rest")
	p.add("--class-weight", given{"--tune": "none", "C": "0.1"}, "balanced", "0=9")
	p.add("--class-weight", given{"--tune": "none", "gamma_a": "0.1"}, "balanced", "0=9")
	p.add("--class-weight", given{"--tune": "none", "lambda": "0.1"}, "balanced", "0=9")
	p.add("--tol", alone, "0.3")
	p.add("--tol", given{"--tune": "none", "solver": "cg"}, "0.3")
	p.add("--decision", nil, "knee", "bic", "gcv", "cv:3", "validation:3")
}

// machines are the probes of what machines on a kernel have.
func (p table) machines() {
	p.add("lambda", alone, "0.7")
	p.add("C", alone, "0.037", "20")
	p.add("gamma_a", alone, "0.013")
	p.add("gamma_i", alone, "0.7")
	p.add("intrinsic_scale", given{"--tune": "none", "gamma_a": "1e-6", "gamma_i": "40"}, "none")
	p.add("neighbours", alone, "3")
	p.add("degree", alone, "3", "1.5")
	p.add("degree", gradient, "real")
	p.add("semigroup", alone, "0.5")
	p.add("semigroup", gradient, "real")
	p.add("metric", alone, "cosine")
	p.add("weights", alone, "binary", "heat", "cosine")
	p.add("width", alone, "0.3")
	p.add("width", given{"--tune": "none", "weights": "heat"}, "0.3")
	p.add("symmetry", alone, "mutual", "mean")
	p.add("laplacian", alone, "combinatorial")
	p.add("outer", given{"--tune": "kfold:3"}, "mse", "squared-hinge", "logistic", "modlog", "quartic", "error")
	p.add("outer", gradient, "mse", "logistic")
	p.add("loss", alone, "huber-hinge", "squared-hinge", "quartic", "modlog", "absolute", "squared-epsilon")
	p.add("nu", alone, "0.3")
	p.add("epsilon", alone, "0.2")
	p.add("loss_width", given{"--tune": "none", "loss": "quartic"}, "0.4")
	p.add("offset", given{"--tune": "none", "loss": "squared-hinge"}, "augmented")
	p.add("offset", given{"--tune": "none", "loss": "squared-epsilon"}, "augmented")
	p.add("offset", alone, "augmented")
	p.add("per_class", drawn, "yes")
	p.add("per_class", and(drawn, given{"--multiclass": "one-vs-rest"}), "yes")
	p.add("select", and(gradient, given{"--kernel": "ard-gaussian"}), "0.6")
	p.add("select", and(gradient, given{"--kernel": "ard-gaussian", "--tune": "kfold:3", "loss": "squared-hinge"}), "0.6")
	p.add("select", and(gradient, given{"--kernel": "ard-gaussian", "--tune": "kfold:3", "loss": "squared-epsilon"}), "0.6")
	p.add("balance", alone, "0.2,0.2,0.6", "0.8", "labels")
	p.add("unlabelled_weight", alone, "0.2")
	p.add("coupling", alone, "3", "0")
	p.add("repair", alone, "none", "sigmoid", "greedy-slack", "decoupled")
	p.add("sharpness", given{"--tune": "none", "repair": "sigmoid"}, "1")
	p.add("loss", given{"--tune": "none", "repair": "none"}, "squared-hinge", "logistic")
	p.add("center", alone, "orth", "double")
	p.add("loss_on", alone, "sum")
	p.add("loss_weights", alone, "1,0.3")
	p.add("graphs", alone, "views")
	p.add("rounds", alone, "2", "0")
	p.add("added", alone, "2", "1,2,1")
	p["pool"] = []probe{{value: "8", company: given{"--tune": "none", "rounds": "2"}, lonely: true}}
	p.add("positive", alone, "0.2,0.2,0.6", "0.8", "labels")
	p.add("temperature", alone, "0.1")
	p.add("switches", alone, "1")
	p.add("nodes", alone, "1")
	p.add("tree_order", alone, "depth")
	p.add("clip", alone, "-0.8")
	p.add("share_of", given{"--tune": "none", "positive": "0.2,0.2,0.6"}, "decisions")
	p.add("softness", alone, "0", "9", "bottleneck")
	p.add("delta", alone, "0.5")
	p.add("combine", alone, "yes")
	p["within"] = []probe{{value: "yes", company: alone, on: labelled}, {value: "yes", company: unseen, on: labelled}}
	smooth := given{"--tune": "loo:smooth-wer", "--search": "random", "--budget": "3"}
	p["rho"] = []probe{{value: "2", company: smooth, on: moons}}
	p["eta"] = []probe{{value: "5", company: smooth, on: moons}}
	p.add("points", given{"--search": "grid", "--budget": "9"}, "7")
	p.add("graph", alone, "full")
	p.add("epsilon_graph", given{"--tune": "none", "graph": "epsilon"}, "0.7")
	p.add("mu", given{"--tune": "none", "neighbours": "3,6", "degree": "1"}, "0.2,0.8")
	p.add("mu", given{"--tune": "none", "neighbours": "3,6", "degree": "1", "combine": "yes"}, "0.2,0.8")
	p.add("mu", alone, "0.2,0.1,0.7")
	p.add("exact", nil, "true")
	few := given{"--tune": "none", "--basis": "6"}
	p.add("choose", few, "plus-plus", "greedy-ridge", "random", "uniform", "lasso", "lars", "leverage")
	p.add("candidates", few, "2")
	p.add("candidates", and(few, given{"choose": "greedy"}), "2")
	p.add("alpha", alone, "0.7")
	p.add("masses", alone, "no")
	p.add("penalty", alone, "0.3", "0")
	p.add("cost", alone, "10")
	p.add("eigenvectors", alone, "6")
	p.add("solver", alone, "cg", "fista", "fista-restart")
	p.add("solver", given{"--tune": "none", "loss": "squared-hinge"}, "fista", "fista-restart")
	p.add("solver", given{"--tune": "none", "loss": "squared-epsilon"}, "fista", "fista-restart")
	p.add("solver", given{"--tune": "none", "--kernel": "linear"}, "gradient")
	p.add("solver", given{"--tune": "none", "--kernel": "linear", "loss": "squared-hinge"}, "gradient")
}

// others are the probes of fronts and kernels.
func (p table) others() {
	p.add("complexity", nil, "q-norm", "q-rkhs", "q-ref-sv", "rank")
	p.add("joint", nil, "no")
	p.add("order", nil, "1")
	p.add("max_q", nil, "3")
	p.add("floor", nil, "0.01")
	p.add("sigma", alone, "0.8")
	p.add("gamma", alone, "0.6")
	for _, weak := range []given{{"C": "1"}, {"gamma_a": "0.1"}, {"lambda": "0.1"}, {"nu": "0.5"}} {
		polynomial, linear := and(alone, weak, given{"--kernel": "polynomial"}), and(alone, weak, given{"--kernel": "ard-linear"})
		p.add("offset", polynomial, "2")
		p.add("coef0", polynomial, "2")
		p.add("scale", polynomial, "0.3")
		p.add("c", linear, "0.3")
	}
	p.add("weight", given{"--tune": "none", "--kernel": "2*gaussian"}, "0.3")
	for i := range p["solver"] {
		p["solver"][i].lonely = true
	}
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
		case "--decide":
			r.Decide = v
		case "--cv":
			r.CV, _ = strconv.Atoi(v)
		case "--seed":
			r.Seed, _ = strconv.ParseUint(v, 10, 64)
		case "--tune":
			if r.Tune = v; v == "none" {
				r.Budget = 0
			}
		case "--search":
			r.Search = v
		case "--effort":
			r.Effort = v
		case "--budget":
			r.Budget, _ = strconv.Atoi(v)
		case "--kernel":
			r.Kernel = v
		case "--groups":
			r.Groups = v
		case "--basis":
			r.Basis = v
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
