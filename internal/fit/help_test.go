package fit

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// few hides all but some labels of a built-in set: of every class the first ones.
func few(t *testing.T, name string, perClass int) result.Input {
	t.Helper()
	set := builtin(t, name)
	count := map[string]int{}
	var keep []int
	for i, a := range set.Answers {
		if count[a]++; count[a] <= perClass {
			keep = append(keep, i)
		}
	}
	in := result.Input{Set: set}
	set.Answers, in.Hidden = data.Hide(set.Answers, keep)
	return in
}

func builtin(t *testing.T, name string) *data.Set {
	t.Helper()
	set, err := data.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return set
}
