package squares

import (
	"slices"

	"github.com/mercer-ml/mercer/method"
	"github.com/mercer-ml/mercer/task"
)

// Check completes a recipe and refuses what is not least squares over shards, with the remedy.
func Check(r task.Recipe) (task.Recipe, task.Request, error) {
	if r.Method == "" {
		r.Method = "rls"
	}
	if r.Kernel == "" {
		r.Kernel = "linear"
	}
	_, request, err := method.Read(r)
	if err != nil {
		return r, request, err
	}
	const instead = "or fit a sample with mercer fit"
	switch {
	case r.Method != "rls":
		return r, request, task.Usage("--method %s: over shards there are least squares; choose --method rls, %s", r.Method, instead)
	case r.Kernel != "linear" && r.Basis == "":
		return r, request, task.Usage("--kernel %s: over shards a kernel has few centres; add --basis 1000, or choose --kernel linear, %s",
			r.Kernel, instead)
	case r.Kernel == "linear" && r.Basis != "":
		return r, request, task.Usage("--basis %s: the linear kernel has no centres; leave it out, or choose --kernel gaussian", r.Basis)
	case r.Basis == "auto":
		return r, request, task.Usage("--basis auto: not over shards; give a number of centres, as --basis 1000")
	case r.Search != "" && r.Search != "auto":
		return r, request, task.Usage("--search %s: over shards all ridges are tried in one pass; leave it out", r.Search)
	case r.ClassWeight != "" || r.Decide != "" && r.Decide != "default" || r.CV > 0 || len(r.Views) > 0 || r.Groups != "":
		return r, request, task.Usage("--class-weight, --decide, --cv, --view and --groups: not over shards; leave them out, %s", instead)
	}
	for name := range r.Set {
		kernels := r.Kernel != "linear" && slices.Contains(task.KernelNames, name)
		if name != task.Lambda.Name && name != task.Choose.Name && !kernels {
			return r, request, task.Usage("--set %s: over shards only lambda, choose and the parameters of a kernel can be set; leave it out, %s",
				name, instead)
		}
	}
	if word := request.Values.Word(task.Choose); r.Basis != "" && word != "random" {
		return r, request, task.Usage("--basis %s: over shards centres are drawn at random; add --set choose=random, which mercer fit takes too",
			r.Basis)
	}
	if len(request.Values.Numbers(task.Lambda)) > 1 {
		return r, request, task.Usage("--set lambda=%s: over shards it has one value; give one, or none to have the best of many",
			r.Set["lambda"])
	}
	switch t := r.Tune; {
	case slices.Contains([]string{"", "auto", "loo:logloss", "loo:press", "loo:error", "gcv", "none"}, t):
	default:
		return r, request, task.Usage("--tune %s: not over shards; choose loo:press, loo:error, loo:logloss, gcv or none", t)
	}
	return r, request, nil
}
