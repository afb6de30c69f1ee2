package fit

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/result"
)

// groupCopies puts rows that are copies of one another in groups, so that folds keep them on one side, and says how many there are; ""
// where there are few, and where nothing is judged. Rows that are in groups already, in views, or judged otherwise than by folds stay as
// they are, and are told; a set that is refused stays as it is too.
func groupCopies(in result.Input, r result.Recipe) (result.Input, string) {
	apart := r.Method == "one-class" || r.Tune == "none"
	if apart || checkSet(in.Set) != nil || in.Set.Group != nil || in.Set.Order != nil || in.Set.Answers == nil {
		return in, ""
	}
	group, copies := in.Set.Copies()
	if group == nil {
		return in, ""
	}
	told := fmt.Sprintf("%d labelled rows are copies of others", copies)
	usual := r.Tune == "" || r.Tune == "auto" // a score that is asked for is that of mercer-beam, whose shards do not know of each other
	switch m, ok := method.Find(r.Method); {
	case ok && !judgedHeldOut(m):
		return in, fmt.Sprintf("%s, which method %s takes for different rows: it is judged too well; choose a method that folds judge, "+
			"as rls", told, m.ID)
	case decidesByAll(r):
		return in, fmt.Sprintf("%s, which --decision %s takes for different rows: it judges too well; choose --decision cv, whose folds "+
			"keep them together", told, r.Decision)
	case !ok || !usual || len(r.Views) > 0:
		return in, told + ", which this score leaves out without these: the error is judged too well; --group keeps rows together"
	}
	set := *in.Set
	set.Group = group
	in.Set = &set
	return in, told + ": folds keep them together"
}
