package mercer_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// countdown is a context that is cancelled when it has been asked a number of times.
type countdown struct {
	context.Context
	left atomic.Int64
	done chan struct{}
	once sync.Once
}

func newCountdown(ctx context.Context, n int64) *countdown {
	c := &countdown{Context: ctx, done: make(chan struct{})}
	c.left.Store(n)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) >= 0 {
		return nil
	}
	c.once.Do(func() { close(c.done) })
	return context.Canceled
}

func (c *countdown) Done() <-chan struct{} { return c.done }

// TestInterruptedAnywhere: wherever a fit is cancelled it ends with the error of that, or with what
// it says was interrupted, or, where nothing was left to do, with the model of the whole fit.
func TestInterruptedAnywhere(t *testing.T) {
	moons, iris, sinc := few(t, "two-moons:n=60,noise=0.1,seed=3", 6), few(t, "iris", 4), few0(t)
	for name, c := range map[string]struct {
		in mercer.Input
		r  mercer.Recipe
	}{
		"auto":      {moons, mercer.Recipe{}},
		"auto iris": {iris, mercer.Recipe{Budget: 12}},
		"rls":       {iris, mercer.Recipe{Method: "rls", Kernel: "ard-gaussian", Tune: "kfold:3", Search: "gradient", Budget: 12}},
		"select": {iris, mercer.Recipe{Method: "rls", Kernel: "ard-linear", Search: "gradient", Budget: 12,
			Set: map[string]string{"select": "0.1"}}},
		"rls grid":   {sinc, mercer.Recipe{Method: "rls", Tune: "cp", Search: "grid", Budget: 9}},
		"lap-rls":    {moons, mercer.Recipe{Method: "lap-rls", Search: "gradient", Budget: 12}},
		"real":       {moons, mercer.Recipe{Method: "lap-rls", Budget: 12, Set: map[string]string{"degree": "real"}}},
		"inductive":  {moons, mercer.Recipe{Method: "lap-rls", Tune: "kfold:3:inductive", Search: "random", Budget: 4}},
		"combined":   {moons, mercer.Recipe{Method: "c-lap-rls", Budget: 8, Set: map[string]string{"neighbours": "3,6"}}},
		"combined c": {moons, mercer.Recipe{Method: "lap-svm", Budget: 8, Set: map[string]string{"neighbours": "3,6", "combine": "yes"}}},
		"cg": {moons, mercer.Recipe{Method: "lap-logistic", Tune: "none",
			Set: map[string]string{"solver": "cg", "neighbours": "4"}}},
		"views": {iris, mercer.Recipe{Method: "lap-rls", Tune: "none", Views: []mercer.View{{Name: "a", First: 1, Last: 2},
			{Name: "b", First: 3, Last: 4}}}},
		"svm":    {iris, mercer.Recipe{Method: "svm"}},
		"span":   {moons, mercer.Recipe{Method: "svm", Tune: "bound:span"}},
		"radius": {moons, mercer.Recipe{Method: "svm", Tune: "bound:radius-margin", Search: "gradient", Budget: 8}},
		"l2-svm": {moons, mercer.Recipe{Method: "l2-svm", Tune: "kfold:3", Search: "gradient", Budget: 8}},
		"per class": {iris, mercer.Recipe{Method: "l2-svm", Tune: "kfold:3", Search: "rprop", Budget: 6,
			Set: map[string]string{"per_class": "yes"}}},
		"logistic":  {iris, mercer.Recipe{Method: "logistic", Kernel: "linear"}},
		"svr":       {sinc, mercer.Recipe{Method: "svr", Search: "nelder-mead", Tune: "kfold:3", Budget: 6}},
		"one-class": {iris, mercer.Recipe{Method: "one-class"}},
		"mobj-svm":  {moons, mercer.Recipe{Method: "mobj-svm", Set: map[string]string{"C": "1,8", "sigma": "0.3,1"}}},
		"mobj-rbf":  {sinc, mercer.Recipe{Method: "mobj-rbf"}},
		"envelope":  {sinc, mercer.Recipe{Method: "mobj-rbf", Set: map[string]string{"joint": "no"}}},
		"mobj-grn":  {sinc, mercer.Recipe{Method: "mobj-grn"}},
		"grn":       {sinc, mercer.Recipe{Method: "grn"}},
		"rofs":      {sinc, mercer.Recipe{Method: "rofs"}},
		"smoother":  {sinc, mercer.Recipe{Method: "nadaraya-watson"}},
	} {
		const never = 1 << 40
		asked := newCountdown(t.Context(), never)
		whole, _, err := mercer.Fit(asked, c.in, c.r, mercer.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		model, total := encode(t, whole), never-asked.left.Load()
		ends := map[int64]bool{0: true, 1: true, 2: true, total - 1: true, total - 2: true}
		next := func(n int64) int64 { return 2 * n }
		if slowtest.Asked() {
			next = func(n int64) int64 { return n*7/5 + 1 }
		}
		for n := int64(3); n < total; n = next(n) {
			ends[n] = true
		}
		for _, n := range slices.Sorted(maps.Keys(ends)) {
			m, res, err := mercer.Fit(newCountdown(t.Context(), n), c.in, c.r, mercer.Options{})
			switch {
			case errors.Is(err, context.Canceled):
			case err != nil:
				t.Errorf("%s, after %d of %d: %v", name, n, total, err)
			case m == nil || res == nil:
				t.Errorf("%s, after %d of %d: neither a model nor an error", name, n, total)
			case res.Tuning.Status != "interrupted" && !bytes.Equal(encode(t, m), model):
				t.Errorf("%s, after %d of %d: %q, another model than that of the whole fit", name, n, total, res.Tuning.Status)
			}
		}
	}
}

// few0 is a regression of 60 rows, every third labelled.
func few0(t *testing.T) mercer.Input {
	t.Helper()
	in := whole(t, "sinc:n=60,noise=0.1,seed=2")
	for i := range in.Set.Answers {
		if i%3 > 0 {
			in.Set.Answers[i] = ""
		}
	}
	return in
}
