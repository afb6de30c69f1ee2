package method

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/result"
)

// asked is a recipe written as on the command line: METHOD --flag value name=value ...
func asked(t *testing.T, text string) result.Recipe {
	t.Helper()
	words := strings.Fields(text)
	r := result.Recipe{Method: words[0], Set: map[string]string{}}
	flags := map[string]*string{
		"--kernel":       &r.Kernel,
		"--tune":         &r.Tune,
		"--search":       &r.Search,
		"--offset":       &r.Offset,
		"--effort":       &r.Effort,
		"--basis":        &r.Basis,
		"--decide":       &r.Decide,
		"--multiclass":   &r.Multiclass,
		"--class-weight": &r.ClassWeight,
		"--groups":       &r.Groups,
		"--decision":     &r.Decision,
		"--scale":        &r.Scale,
		"--task":         &r.Task,
	}
	for i := 1; i < len(words); i++ {
		name, value, set := strings.Cut(words[i], "=")
		switch {
		case words[i] == "--view":
			i++
			v := result.View{}
			name, span, _ := strings.Cut(words[i], "=")
			if _, err := fmt.Sscanf(span, "%d..%d", &v.First, &v.Last); err != nil {
				t.Fatal(err)
			}
			v.Name = name
			r.Views = append(r.Views, v)
		case words[i] == "--budget" || words[i] == "--cv":
			n, err := strconv.Atoi(words[i+1])
			if err != nil {
				t.Fatal(err)
			}
			if words[i] == "--budget" {
				r.Budget = n
			} else {
				r.CV = n
			}
			i++
		case set:
			r.Set[name] = value
		default:
			i++
			if flags[name] == nil {
				t.Fatalf("%s is not among the flags of this test", name)
			}
			*flags[name] = words[i]
		}
	}
	return r
}

// TestRules: what has no meaning together is refused with what to do, and its neighbour that has
// a meaning is not.
func TestRules(t *testing.T) {
	for _, c := range []struct{ bad, says, good string }{
		{"rls select=0.1 --search gradient", "add --kernel ard-gaussian, ard-l1-laplacian, ard-rational, anova or ard-linear",
			"rls select=0.1 --search gradient --kernel ard-gaussian"},
		{"rls select=0.1 --kernel ard-linear", "add --search gradient, sqp or rprop", "rls select=0.1 --kernel ard-linear --search rprop"},
		{"l2-svm select=0.1 --kernel ard-linear --search gradient c=1", "features are judged by it",
			"l2-svm select=0.1 --kernel ard-linear --search gradient C=1"},
		{"rls select=0.1 --kernel ard-gaussian --search gradient gamma=1", "features are judged by it",
			"rls select=0.1 --kernel ard-gaussian --search gradient lambda=1"},
		{"rls select=0.1 --kernel ard-gaussian --search gradient per_class=yes", "it is for one machine",
			"rls select=0.1 --kernel ard-gaussian --search gradient per_class=no"},
		{"lap-rls degree=0.5 --search grid --tune kfold:5:inductive", "--set degree=0.5 with --search grid: leave one of them out",
			"lap-rls degree=2 --search grid --tune kfold:5:inductive"},
		{"l2-svm per_class=yes", "it is for a search of every class for itself", "l2-svm per_class=yes --search random"},
		{"lap-rls per_class=yes --search grid combine=yes", "with combined Laplacians", "lap-rls per_class=yes --search grid combine=no"},
		{"l2-svm per_class=yes --search random --multiclass one-vs-one", "every class has a machine of its own",
			"l2-svm per_class=yes --search random --multiclass one-vs-rest"},
		{"co-train rounds=0 added=2 --view a=1..1 --view b=2..3", "no view labels a row",
			"co-train rounds=1 added=2 --view a=1..1 --view b=2..3"},
		{"co-train rounds=0 pool=9 --view a=1..1 --view b=2..3", "no view labels a row",
			"co-train rounds=0 --view a=1..1 --view b=2..3"},
		{"lap-rls --tune kfold:5:inductive", "which the design of --search auto does not",
			"lap-rls --tune kfold:5:inductive --search grid"},
		{"lap-rls --tune kfold:5:inductive --search gradient", "has no derivative", "lap-rls --tune kfold:5 --search gradient"},
		{"rls outer=mse --tune gcv", "it judges left-out rows", "rls outer=mse --tune kfold:5"},
		{"svm outer=mse --tune bound:span", "it judges left-out rows", "svm outer=mse"},
		{"rls outer=mse --tune none", "it judges left-out rows", "rls --tune none"},
		{"svm loss_width=0.5", "it is for smooth hinges", "svm loss_width=0.5 loss=quartic"},
		{"l2-svm loss_width=0.5", "no such setting", "svm loss_width=0.5 loss=modlog"},
		{"svm C=1 nu=0.2", "nu-SVC has nu in the place of C", "svm nu=0.2"},
		{"svr epsilon=1 nu=0.2", "nu-SVR finds epsilon", "svr C=1 nu=0.2"},
		{"svr nu=0.2 --offset no", "nu-SVR have an offset", "svr nu=0.2 --offset yes"},
		{"svm nu=0.2 --offset no", "nu-SVC and nu-SVR have an offset", "svm --offset no"},
		{"svm nu=0.2 loss=huber-hinge", "--set nu with --set loss=huber-hinge", "svm nu=0.2 loss=hinge"},
		{"svr epsilon=1 loss=absolute", "that loss has none", "svr epsilon=1 loss=squared-epsilon"},
		{"svm offset=augmented", "it is for machines solved in the primal", "svm offset=augmented loss=huber-hinge"},
		{"l2-svm offset=augmented --offset no", "leave one of them out", "l2-svm offset=augmented --offset yes"},
		{"svm solver=fista", "it is for smooth losses", "svm solver=fista loss=quartic"},
		{"l2-svm solver=gradient", "add --kernel linear", "l2-svm solver=gradient --kernel linear"},
		{"svm --tune bound:span nu=0.2", "bounds are in terms of C", "svm --tune bound:span C=1"},
		{"svm --tune bound:jaakkola-haussler", "it is for machines without an offset", "svm --tune bound:jaakkola-haussler --offset no"},
		{"svm --tune bound:span --search gradient", "it has no derivative", "svm --tune bound:radius-margin --search gradient"},
		{"lap-svm --tune bound:span --search random", "is searched by other scores", "lap-svm --tune bound:span"},
		{"da-s3vm positive=0.3 unlabelled_weight=0", "no unlabelled row is decided", "da-s3vm positive=0.3 unlabelled_weight=0.1"},
		{"da-s3vm temperature=2 unlabelled_weight=0", "no unlabelled row is decided", "da-s3vm temperature=2"},
		{"linear-tsvm switches=2 unlabelled_weight=0", "no unlabelled row is decided", "linear-tsvm switches=2"},
		{"s3vm-bnb nodes=9 unlabelled_weight=0", "no unlabelled row is decided", "s3vm-bnb nodes=9"},
		{"da-s3vm positive=0.3 per_class=yes --search random", "the share of its labels",
			"da-s3vm positive=labels per_class=yes --search random"},
		{"da-s3vm --multiclass one-vs-one", "it trains one-versus-rest", "da-s3vm --multiclass one-vs-rest"},
		{"da-s3vm --search gradient", "no smooth function", "da-s3vm --search random"},
		{"da-s3vm --tune kfold:5:inductive", "judged with all rows at hand", "da-s3vm --tune kfold:5"},
		{"da-s3vm lambda=1", "it has C = 1/(2 lambda l)", "da-s3vm C=1"},
		{"grad-tsvm share_of=decisions unlabelled_weight=0", "no unlabelled row is decided", "grad-tsvm share_of=decisions"},
		{"lds softness=2 unlabelled_weight=0", "no unlabelled row is decided", "lds softness=2 unlabelled_weight=0.5"},
		{"cs3vm share_of=rows", "choose outputs or decisions", "cs3vm share_of=outputs"},
		{"lds --kernel linear", "no such setting", "grad-tsvm --kernel linear"},
		{"graph-density gamma=2", "the kernel of method graph-density is not chosen", "graph-density sigma=2"},
		{"graph-density unlabelled_weight=2", "no such setting", "lds unlabelled_weight=2"},
		{"lds delta=1", "delta", "lds delta=0.2"},
		{"lap-rls neighbours=3,4", "takes one value", "lap-rls neighbours=3,4 combine=yes"},
		{"lap-rls laplacian=normalised,combinatorial", "takes one value", "c-lap-rls laplacian=normalised,combinatorial"},
		{"lap-rls degree=0.5 combine=yes", "it is for one graph", "lap-rls degree=2 combine=yes"},
		{"lap-rls degree=real --view a=1..2", "it is for one graph", "lap-rls --view a=1..2"},
		{"lap-rls semigroup=1 degree=2", "in the place of a power", "lap-rls semigroup=1"},
		{"lap-rls within=yes --tune none combine=yes", "leave one of them out", "lap-rls within=yes --tune none"},
		{"lap-rls within=yes --tune kfold:5 --search grid", "the score would be too good",
			"lap-rls within=yes --tune kfold:5:inductive --search grid"},
		{"lap-rls solver=cg", "it trains one machine", "lap-rls solver=cg --tune none"},
		{"lap-svm solver=cg --tune none loss=hinge", "it is for smooth losses", "lap-svm solver=cg --tune none loss=squared-hinge"},
		{"lap-rls solver=cg --tune none combine=yes", "it is for one graph", "lap-rls solver=cg --tune none combine=no"},
		{"lap-svm solver=cg --tune none loss=quartic offset=augmented", "leave one of them out",
			"lap-svm solver=cg --tune none loss=quartic"},
		{"lap-rls solver=cg --tune none exact=true", "leave one of them out", "lap-rls solver=cg --tune none exact=false"},
		{"lap-rls solver=cg --tune none gamma_i=0", "choose --method rls", "lap-rls solver=cg --tune none gamma_i=0.1"},
		{"lap-rls weights=binary width=2", "these weights have none", "lap-rls weights=heat width=2"},
		{"lap-rls weights=cosine width=2", "these weights have none", "lap-rls weights=self-tuned width=2"},
		{"lap-rls gamma_i=0 neighbours=3", "without its weight the graph plays no part", "lap-rls gamma_i=0"},
		{"lap-rls gamma_i=0 intrinsic_scale=none", "without its weight the graph plays no part", "lap-rls gamma_i=1 intrinsic_scale=none"},
		{"lap-rls --view a=1..2 --view a=3..4", "every view needs a name of its own", "lap-rls --view a=1..2 --view b=3..4"},
		{"lap-rls --view a=0..2", "give the first column and the last, from 1", "lap-rls --view a=1..1"},
		{"lap-rls --view a=3..2", "give the first column and the last, from 1", "lap-rls --view a=2..3"},
		{"co-lap-rls --view a=1..2 --view b=3..4 combine=yes --search random", "take --search gradient",
			"co-lap-rls --view a=1..2 --view b=3..4 combine=yes"},
		{"co-lap-rls --view a=1..2 --view b=3..4 gamma_a=0.1 gamma_i=0,1 --search grid", "give 0 by itself",
			"co-lap-rls --view a=1..2 --view b=3..4 gamma_a=0.1 gamma_i=0"},
		{"co-lap-rls --view a=1..2 --view b=3..4 gamma_a=0.1,1 gamma_i=2 --search grid", "give one gamma_a",
			"co-lap-rls --view a=1..2 --view b=3..4 gamma_a=0.1 gamma_i=2,3 --search grid"},
		{"co-lap-rls --view a=1..2 --view b=3..4 mu=0.5,0.5", "there are 3 graphs",
			"co-lap-rls --view a=1..2 --view b=3..4 mu=0.5,0.5 graphs=views"},
		{"co-lap-rls --view a=1..2 --view b=3..4 mu=0.2,0.3,0.5 combine=yes", "leave one of them out",
			"co-lap-rls --view a=1..2 --view b=3..4 mu=0.2,0.3,0.5"},
		{"co-lap-rls --view a=1..2 --view b=3..4 gamma_a=0.1 gamma_i=0 neighbours=3", "without its weight the graph plays no part",
			"co-lap-rls --view a=1..2 --view b=3..4 gamma_a=0.1 gamma_i=0"},
		{"co-lap-rls --view a=1..2 --view b=3..4 gamma_a=0.1 gamma_i=0 mu=0.2,0.3,0.5 --search random --tune kfold:3",
			"without its weight the graph plays no part", "co-lap-rls --view a=1..2 --view b=3..4 gamma_a=0.1 gamma_i=2 mu=0.2,0.3,0.5"},
		{"co-lap-svm --view a=1..2 --view b=3..4 combine=yes", "add --set loss=squared-hinge",
			"co-lap-svm --view a=1..2 --view b=3..4 combine=yes loss=squared-hinge"},
		{"rls --search grid --tune none", "nothing is chosen", "rls --search grid"},
		{"auto --search grid", "needs a method", "rls --search grid"},
		{"auto degree=real", "choose --method lap-rls for real powers", "lap-rls degree=real"},
		{"rls sigma=1 gamma=2", "are one parameter", "rls gamma=2"},
		{"svm --kernel polynomial offset=1 coef0=1", "are one parameter", "svm --kernel polynomial coef0=1"},
		{"svm --search gradient", "no smooth function", "svm --search gradient loss=quartic"},
		{"svm --tune gcv", "it is a closed form of least squares", "rls --tune gcv"},
		{"logistic --tune bound:span", "it is for two classes by the hinge", "svm --tune bound:span"},
		{"rls --multiclass one-vs-one", "no such setting", "svm --multiclass one-vs-one"},
		{"mobj-rbf --kernel linear", "its weights are Gaussian", "rls --kernel linear"},
		{"nadaraya-watson --kernel linear", "its weights are Gaussian", "nadaraya-watson --kernel gaussian"},
		{"lgc neighbours=3,5", "takes one number", "lgc neighbours=3"},
		{"lgc degree=2", "it is of auto, lap-rls", "graph-reg degree=2"},
		{"graph-reg degree=1.5", "choose --method lap-rls for real powers", "graph-reg degree=3"},
		{"graph-reg degree=real", "choose --method lap-rls for real powers", "graph-reg degree=1"},
		{"harmonic graph=epsilon", "add --set epsilon_graph", "harmonic graph=epsilon epsilon_graph=0.5"},
		{"sgt graph=full neighbours=5", "these are of graph=knn", "sgt graph=full"},
		{"lgc weights=binary width=2", "these weights have none", "lgc weights=heat width=2"},
		{"lgc outer=mse --tune none", "it judges left-out rows", "lgc outer=mse"},
		{"lgc alpha=1", "must be above 0 and below 1", "lgc alpha=0.5"},
		{"lgc coef0=1", "the kernel of method lgc is not chosen", "lgc sigma=1"},
		{"sgt --tune kfold:5:inductive", "with all rows at hand", "sgt --tune kfold:5"},
		{"harmonic --tune gcv", "it is a closed form of least squares", "harmonic --tune loo:press"},
		{"rls balance=0.3,0.3", "shares of all classes in sorted order that sum to 1", "rls balance=0.3,0.7"},
	} {
		if _, _, err := Read(asked(t, c.bad)); err == nil || !strings.Contains(err.Error(), c.says) ||
			!errors.As(err, new(*result.UsageError)) {
			t.Errorf("%s: %v, want %q", c.bad, err, c.says)
		}
		if _, _, err := Read(asked(t, c.good)); err != nil {
			t.Errorf("%s: %v", c.good, err)
		}
	}
	if _, _, err := Read(result.Recipe{Method: "rls", Budget: -1}); err == nil {
		t.Error("a negative budget is taken")
	}
	if _, _, err := Read(result.Recipe{Method: "rls", Budget: 1}); err != nil {
		t.Error(err)
	}
}

// TestRemedies: what a method lacks, its twin or those that have it are named.
func TestRemedies(t *testing.T) {
	for text, says := range map[string]string{
		"rls C=1":               "it has lambda = 1/(2 C l)",
		"lap-rls C=1":           "it has gamma_a = 1/(2 C l)",
		"svm lambda=1":          "it has C = 1/(2 lambda l), l the number of labelled rows",
		"lap-svm lambda=1":      "it has gamma_a, which is that",
		"rls neighbours=3":      "it is of auto, lap-rls",
		"rls nothing=3":         "no method and no kernel has such a setting; mercer methods rls lists those of method rls",
		"rls --decision bic":    "it is of",
		"svvm --tune nonsense":  "--tune nonsense: not known",
		"svvm":                  "--method svvm: not known; did you mean svm?",
		"svm --tune cp":         "choose --method rls",
		"svm --search rprop":    "add --set loss=",
		"rofs --class-weight x": "--class-weight x: method rofs has no such setting; choose --method mobj-svm",
		"lgc --class-weight b":  "--class-weight b: method lgc has no such setting; it is of auto, lap-rls",
	} {
		if _, _, err := Read(asked(t, text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}

// TestParseBalance: one share is the second class's, several are all, and labels none.
func TestParseBalance(t *testing.T) {
	for text, want := range map[string][]float64{"0.3": {0.7, 0.3}, "0": {1, 0}, "1": {0, 1}, "0.2,0.3,0.5": {0.2, 0.3, 0.5},
		"labels": nil} {
		if got, err := ParseBalance(text); err != nil ||
			!slices.EqualFunc(got, want, func(a, b float64) bool { return a-b < 1e-15 && b-a < 1e-15 }) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "1.1", "-0.1", "0.3,0.3", "0.5,0.5,x", "0.6,0.40001"} {
		if got, err := ParseBalance(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestOtherNamesOfViewKernels: kernels of views have the names of this program in what is read, and the recipe stays as it was.
func TestOtherNamesOfViewKernels(t *testing.T) {
	given := []string{"rbf", "linear", "poly"}
	r := result.Recipe{Method: "co-rls"}
	for i, name := range []string{"a", "b", "c"} {
		r.Views = append(r.Views, result.View{Name: name, First: 2*i + 1, Last: 2*i + 2, Kernel: given[i]})
	}
	_, q, err := Read(r)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"gaussian", "linear", "polynomial"} {
		if q.Recipe.Views[i].Kernel != want || r.Views[i].Kernel != given[i] {
			t.Errorf("%s is read as %s, want %s, and has become %s", given[i], q.Recipe.Views[i].Kernel, want, r.Views[i].Kernel)
		}
	}
}
