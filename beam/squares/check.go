package squares

import (
	"maps"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// instead ends what is refused.
const instead = "or fit a sample with mercer fit"

// Check completes a recipe and refuses what is not least squares over shards, with the remedy.
func Check(r result.Recipe) (result.Recipe, task.Request, error) {
	if r.Method == "linear-rls" { // what mercer calls the machine of the linear kernel
		switch {
		case r.Kernel != "" && r.Kernel != "linear":
			return r, task.Request{}, task.Usage("--kernel %s with --method linear-rls: it is linear; choose --method rls, or leave "+
				"the kernel out",
				r.Kernel)
		case r.Set["C"] != "":
			return r, task.Request{}, task.Usage("--set C=%s: over shards the strength is lambda = 1/(2 l C) of l labelled rows; give "+
				"--set lambda",
				r.Set["C"])
		}
		r.Method = "rls"
	}
	if r.Method == "" {
		r.Method = "rls"
	}
	if r.Method != "rls" {
		return r, task.Request{}, task.Usage("--method %s: over shards there are rls (linear-rls), "+
			"linear-logistic, linear-svm, logistic, l2-svm and "+
			"linear-tsvm; choose --method rls, %s", r.Method, instead)
	}
	r, request, err := Admit(r, []setting.Setting{task.Lambda, task.Outer},
		[]string{"loo:press", "loo:error", "loo:logloss", "kfold:K", "holdout:SHARE", "gcv", "none"})
	if err != nil {
		return r, request, err
	}
	outers := []string{"logloss", "mse", "error"} // by which rows left out may be judged in the place of the score's own loss
	if word := request.Values.Word(task.Outer); word != "" && !slices.Contains(outers, word) {
		return r, request, task.Usage("--set outer=%s: not over shards; choose outer=%s", word, setting.Or(outers))
	}
	if len(request.Values.Numbers(task.Lambda)) > 1 {
		return r, request, task.Usage("--set lambda=%s: over shards it has one value; give one, or none to have the best of many",
			r.Set["lambda"])
	}
	return r, request, nil
}

// Admit completes a recipe and refuses what no machine has over shards, or this one has not, of these settings, beside those of centres
// and kernels, and scores, among which kfold:K stands for any number of folds and holdout:SHARE for any share.
func Admit(r result.Recipe, own []setting.Setting, scores []string) (result.Recipe, task.Request, error) {
	if r.Kernel == "" {
		r.Kernel = "linear"
	}
	_, request, err := method.Read(r)
	if err != nil {
		return r, request, err
	}
	switch {
	case r.Kernel != "linear" && r.Basis == "":
		return r, request, task.Usage("--kernel %s: over shards a kernel has few centres; add --basis 1000, or choose --kernel linear, %s",
			r.Kernel, instead)
	case r.Kernel == "linear" && r.Basis != "":
		return r, request, task.Usage("--basis %s: the linear kernel has no centres; leave it out, or choose --kernel gaussian", r.Basis)
	case r.Basis == "auto":
		return r, request, task.Usage("--basis auto: not over shards; give a number of centres, as --basis 1000")
	case r.Search != "" && r.Search != "auto":
		return r, request, task.Usage("--search %s: over shards all strengths are tried side by side; leave it out", r.Search)
	case r.ClassWeight != "" || r.Decide != "" && r.Decide != "default" || len(r.Views) > 0 || r.Groups != "":
		return r, request, task.Usage("--class-weight, --decide, --view and --groups: not over shards; leave them out, %s", instead)
	case r.CV > 0:
		return r, request, task.Usage("--cv %d: over shards the fit is not repeated for outer folds; leave it out, for the error "+
			"to expect is "+
			"that of the rows that --tune leaves out, or keep some shards back for mercer-beam evaluate", r.CV)
	case r.Multiclass == "one-vs-one":
		return r, request, task.Usage("--multiclass one-vs-one: over shards each class is against the rest; leave it out, %s", instead)
	}
	if err := settings(r, request, own); err != nil {
		return r, request, err
	}
	word := request.Scoring.Name
	switch {
	case request.Scoring.Folds > 0:
		word = "kfold:K"
	case request.Scoring.Share > 0:
		word = "holdout:SHARE"
	}
	if word != "" && !slices.Contains(scores, word) {
		return r, request, task.Usage("--tune %s: not over shards with --method %s; choose %s", r.Tune, r.Method, setting.Or(scores))
	}
	return r, request, nil
}

// settings refuses those that a machine does not have over shards.
func settings(r result.Recipe, request task.Request, own []setting.Setting) error {
	var names []string
	for _, s := range own {
		names = append(names, s.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		kernels := r.Kernel != "linear" && task.OfKernel(name)
		if !slices.Contains(names, name) && name != task.Choose.Name && !kernels {
			return task.Usage("--set %s: over shards only %s, choose and the parameters of a kernel can be set; leave it out, %s",
				name, strings.Join(names, ", "), instead)
		}
	}
	if word := request.Values.Word(task.Choose); r.Basis != "" && word != "random" {
		return task.Usage("--basis %s: over shards centres are drawn at random; add --set choose=random, which mercer fit takes too",
			r.Basis)
	}
	return nil
}
