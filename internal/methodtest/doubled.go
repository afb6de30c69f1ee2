package methodtest

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/method"
)

// doubled is the check that a labelled row of weight 2 makes the machine of the rows among which it stands twice, with lambda as it is
// and C times (l+1)/l of l labels, and the shares of classes given, which count rows. Of a machine with a graph, in which a row that
// stands twice is two vertices, it checks only that the weight counts. Weights of rows without a label are refused by methods that
// learn from these.
func doubled(t *testing.T, m method.Method) {
	if !m.Weighs() || m.ID == method.Auto || m.Supports(nil).Front {
		return
	}
	in := sample(t, binary(m))
	labelled := slices.IndexFunc(in.Set.Answers, func(a string) bool { return !data.IsUnlabelled(a) })
	open := slices.IndexFunc(in.Set.Answers, data.IsUnlabelled)
	r := with(plainRecipe(m), and(alone, given{"--scale": "none"}))
	for name, value := range map[string]string{"sigma": "0.8", "epsilon": "0.1", "gamma_a": "0.1", "positive": "0.5"} {
		if one := with(r, given{name: value}); mercer.Check(one) == nil && (m.Kernel == "" || name != "sigma") {
			r = one
		}
	}
	r.Tolerance = 1e-9
	fitTo := func(set *data.Set, strength float64) (fitted, error) {
		one := r
		if m.Has("C") {
			one = with(r, given{"C": strconv.FormatFloat(strength, 'g', -1, 64)})
		}
		return fit(t.Context(), mercer.Input{Set: set}, one, mercer.Options{})
	}
	weighed := *in.Set
	weighed.Weight = slices.Repeat([]float64{1}, in.Set.Rows.Len())
	weighed.Weight[labelled] = 2
	l := 0.0
	for _, a := range in.Set.Answers {
		if !data.IsUnlabelled(a) {
			l++
		}
	}
	const c = 0.7
	once, err := fitTo(&weighed, c*(l+1)/l)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	if o := m.Supports(nil); o.Graph || o.Views || m.Has("softness") {
		if plain, err := fitTo(in.Set, c*(l+1)/l); err != nil || apart(t, in, once, plain) == 0 {
			t.Errorf("%s: a weight of a labelled row changes nothing: %v", m.ID, err)
		}
	} else {
		rows := append(indices.To(in.Set.Rows.Len()), labelled)
		twice, err := fitTo(in.Set.Select(rows), c)
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		if d, size := apart(t, in, once, twice), largestOutput(t, in, twice); !(d <= 1e-5*size) {
			t.Errorf("%s: the outputs of a row of weight 2 and of two rows differ by %g of %g", m.ID, d, size)
		}
	}
	weighed.Weight[labelled], weighed.Weight[open] = 1, 2
	_, err = fitTo(&weighed, c)
	var wrong *data.LabelError
	if refused := errors.As(err, &wrong); refused != m.LearnsFromUnlabelled() || !refused && err != nil {
		t.Errorf("%s: a weight of a row without a label: %v", m.ID, err)
	}
}
