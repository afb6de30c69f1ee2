package fit

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// judgedBy returns the recipe with the folds that groups or the order of rows ask for.
func judgedBy(in result.Input, r result.Recipe) (result.Recipe, error) {
	r, err := lookForward(in, r)
	if err != nil {
		return r, err
	}
	return foldByGroup(in, r)
}

// foldByGroup returns the recipe for rows in groups, which are judged by folds that keep groups whole: leaving one row out would
// leave its like in. A score that does so is refused.
func foldByGroup(in result.Input, r result.Recipe) (result.Recipe, error) {
	if in.Set == nil || in.Set.Group == nil {
		return r, nil
	}
	labels, err := Interpret(in.Set, r)
	if err != nil {
		return r, nil //nolint:nilerr // the fit reports it
	}
	if err := decideHeldOut(r, "--group"); err != nil {
		return r, err
	}
	n, usual := labels.Groups(), r.Tune == "" || r.Tune == "auto"
	m, ok := method.Find(r.Method)
	switch {
	case ok && !judgedHeldOut(m) && (usual || m.Coding.OneClass): // of one class no row is labelled, in groups or not
		return r, task.Usage("--group: method %s is not judged by folds; choose %s", m.ID, setting.Or(method.IDs(judgedHeldOut)))
	case n < 2:
		return r, fmt.Errorf("%s: %d group has labelled rows, and folds keep groups whole; label rows of another, or leave out "+
			"--group", in.Set.Source, n)
	case usual:
		switch k := min(task.GroupFolds, n); {
		case ok && m.Has("--tune"):
			r.Tune = fmt.Sprintf("kfold:%d", k)
		case ok && r.Decision == "" && k < task.GroupFolds: // a front is judged by the folds of its decision
			r.Decision = fmt.Sprintf("cv:%d", k)
		}
	case r.Tune != "none" && !strings.HasPrefix(r.Tune, "kfold") && !strings.HasPrefix(r.Tune, "holdout"):
		return r, task.Usage("--group with --tune %s: it leaves single rows out, and folds keep groups whole; choose --tune kfold:%d or "+
			"holdout:0.2",
			r.Tune, min(task.GroupFolds, n))
	}
	return r, nil
}
