package methodtest

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/model"
)

// recipes are ways to ask the method: as it is, with nothing tuned, and by a search.
func recipes(m method.Method) []mercer.Recipe {
	list := []mercer.Recipe{plainRecipe(m)}
	o := m.Supports(nil)
	if !o.Searched && m.ID != method.Auto {
		return list
	}
	list = append(list, with(plainRecipe(m), alone))
	if o.Searched {
		list[0].Budget = 3
		if trainsAgain(m) && !whole() {
			list[0].Budget = 2
		}
		list = append(list, with(plainRecipe(m), drawn))
	}
	return list
}

// plainRecipe is the method as it is, with a limit where it would take long.
func plainRecipe(m method.Method) mercer.Recipe {
	r := mercer.Recipe{Method: m.ID}
	if m.Has("nodes") { // of a tree that may have any number
		r.Set = map[string]string{"nodes": "20"}
	}
	if m.Has("positive") { // every label that is left out is another machine of unlabelled rows
		r.Budget = 2
	}
	return r
}

// hiddenLabels is the check that labels which are hidden for an experiment are not seen: the
// model is the same, to the byte, whether they are given or not.
func (a *answers) hiddenLabels() {
	t := a.t
	for _, r := range recipes(a.method) {
		in := sample(t, plain(a.method))
		with := stored(t, a.one(t, r).model)
		in.Hidden = nil
		if !bytes.Equal(with, stored(t, one(t, in, r).model)) {
			t.Errorf("%+v: the hidden labels changed the model", r)
		}
	}
}

// sameAnswer is the check that an answer depends neither on the number of processors, which pure
// Go promises and libraries do not, nor on having been in a file.
func (a *answers) sameAnswer() {
	t, in := a.t, sample(a.t, plain(a.method))
	for _, r := range recipes(a.method) {
		f := a.one(t, r)
		back, err := model.Read(t.Context(), bytes.NewReader(stored(t, f.model)))
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		was, err := f.model.Predict(t.Context(), in.Set.Rows)
		if err != nil {
			t.Fatal(err)
		}
		now, err := back.Predict(t.Context(), in.Set.Rows)
		if err != nil {
			t.Fatal(err)
		}
		if !same(was, now) {
			t.Errorf("%+v: the model predicts otherwise after it was saved and loaded", r)
		}
		alone, err := f.printed(t.Context(), in) // the tests of this package run on one processor
		if err != nil {
			t.Fatal(err)
		}
		if several := onProcessors(t, 3, in, r); alone != several {
			t.Errorf("%+v: one processor answers\n%s\nthree\n%s", r, alone, several)
		}
	}
}

// onProcessors is what a fit by so many processors prints and predicts.
func onProcessors(t *testing.T, n int, in mercer.Input, r mercer.Recipe) string {
	before := runtime.GOMAXPROCS(n)
	blas.SetThreads(n)
	defer func() {
		runtime.GOMAXPROCS(before)
		blas.SetThreads(before)
	}()
	text, err := printed(t.Context(), in, r)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return text
}

// one fits, and ends the test where that fails.
func one(t *testing.T, in mercer.Input, r mercer.Recipe) fitted {
	t.Helper()
	f, err := fit(t.Context(), in, r, mercer.Options{})
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return f
}

// stored is the model as its file.
func stored(t *testing.T, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
