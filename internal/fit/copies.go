package fit

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/result"
)

// groupCopies puts rows that are copies of one another in groups, so that folds keep them on one side, and says how many there are; ""
// where there are few. Rows that are in groups already, in views, or judged otherwise than by folds stay as they are, and are told.
func groupCopies(in result.Input, r result.Recipe) (result.Input, string) {
	if in.Set == nil || in.Set.Group != nil || in.Set.Answers == nil || r.Method == "one-class" {
		return in, ""
	}
	group, copies := in.Set.Copies()
	if group == nil {
		return in, ""
	}
	told := fmt.Sprintf("%d labelled rows are copies of others", copies)
	m, ok := method.Find(r.Method)
	if r.Method == "" {
		m, ok = method.Find(method.Auto)
	}
	folds := r.Tune == "" || r.Tune == "auto" || strings.HasPrefix(r.Tune, "kfold") || strings.HasPrefix(r.Tune, "holdout")
	if !ok || !m.Supports(nil).Folds || !folds || len(r.Views) > 0 {
		return in, told + ", which the score leaves out one by one: the error is judged too well; --tune kfold:5 keeps them together"
	}
	set := *in.Set
	set.Group = group
	in.Set = &set
	return in, told + ": folds keep them together"
}
