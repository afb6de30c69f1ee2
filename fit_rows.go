package mercer

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// groupFolds is the number of folds of grouped rows, unless there are fewer groups.
const groupFolds = 5

// grouped is the recipe for rows in groups, which are judged by folds that keep groups whole: leaving one row out would
// leave its like in. A score that does so is refused.
func grouped(in Input, r Recipe) (Recipe, error) {
	if in.Set == nil || in.Set.Group == nil {
		return r, nil
	}
	labels, err := Interpret(in.Set, r)
	if err != nil {
		return r, nil //nolint:nilerr // the fit reports it
	}
	n := labels.Groups()
	switch {
	case n < 2:
		return r, fmt.Errorf("%s: %d group has labelled rows, and folds keep groups whole; label rows of another, or leave out "+
			"--group", in.Set.Source, n)
	case r.Tune == "" || r.Tune == "auto":
		m, ok := method.Find(r.Method)
		if r.Method == "" {
			m, ok = method.Find(method.Auto)
		}
		if ok && !m.Offers(nil).Folds {
			return r, task.Usage("--group: method %s is not judged by folds; choose %s", m.ID,
				setting.Or(method.IDs(func(m method.Method) bool { return m.Offers(nil).Folds })))
		}
		r.Tune = fmt.Sprintf("kfold:%d", min(groupFolds, n))
	case r.Tune != "none" && !strings.HasPrefix(r.Tune, "kfold") && !strings.HasPrefix(r.Tune, "holdout"):
		return r, task.Usage("--group with --tune %s: it leaves single rows out, and folds keep groups whole; choose --tune kfold:%d or "+
			"holdout:0.2",
			r.Tune, min(groupFolds, n))
	}
	return r, nil
}

// weighs refuses weights of rows for methods whose losses have none.
func weighs(m method.Method, in Input) error {
	if in.Set.Weight == nil || m.Weighs() {
		return nil
	}
	return task.Usage("--weight: method %s gives all rows the same weight; choose %s", m.ID, setting.Or(method.IDs(method.Method.Weighs)))
}

// weighsUnlabelled refuses weights of rows without a label that are not all the same, for methods that learn from these rows too: they
// have no loss that could be weighed.
func weighsUnlabelled(m method.Method, in Input) error {
	if in.Set.Weight == nil || in.Set.Answers == nil || !m.LearnsFromUnlabelled() {
		return nil
	}
	first := -1
	for i, a := range in.Set.Answers {
		switch {
		case !data.IsUnlabelled(a):
		case first < 0:
			first = i
		case in.Set.Weight[i] != in.Set.Weight[first]:
			return &data.LabelError{Row: i, What: fmt.Sprintf("the weight of a row without a label is %g, that of another %g, and method %s "+
				"learns from these rows without weights", in.Set.Weight[i], in.Set.Weight[first], m.ID),
				Remedy: "give rows without a label one weight, or choose --method svm or rls, which learn from labelled rows alone"}
		}
	}
	return nil
}
