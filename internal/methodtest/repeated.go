package methodtest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method"
)

// repeated is the check that what a fit prints is the whole of what it found: its method, kernel and parameters, given back with
// nothing tuned, make the same machine, and print the same.
func repeated(t *testing.T, m method.Method) {
	list := recipes(m)
	if o := m.Supports(nil); o.Gradient {
		list = append(list, with(plainRecipe(m), gradient))
	}
	if m.Has("intrinsic_scale") {
		list = append(list, with(plainRecipe(m), given{"intrinsic_scale": "none"}))
	}
	for _, r := range list {
		in := sample(t, plain(m))
		if m.Has("--tol") {
			r.Tolerance = exactly
		}
		was := one(t, in, r)
		if was.front != nil {
			repeatedMember(t, in, r, was)
			continue
		}
		if len(was.result.Members) > 0 {
			continue // the members of an average have their own parameters, and lack the name of their method
		}
		again, left := givenBack(r, was.result)
		if len(left) > 0 {
			t.Errorf("%+v: %q are printed and cannot be given", r, left)
		}
		f, err := fit(t.Context(), in, again, mercer.Options{})
		if err != nil {
			t.Errorf("%+v: what it printed, given back as %+v: %v", r, again, err)
			continue
		}
		if d, scale := apart(t, in, was, f), largestOutput(t, in, was); !(d <= 1e-5*scale) {
			t.Errorf("%+v: what it printed, given back as %+v, has outputs that differ by %g of %g", r, again, d, scale)
		}
		for _, fault := range printedOtherwise(was.result, f.result) {
			t.Errorf("%+v: given back as %+v %s", r, again, fault)
		}
	}
}

// repeatedMember checks the chosen member of a front where all its parameters are settings: networks print the range of the widths of
// their units, which are none.
func repeatedMember(t *testing.T, in mercer.Input, r mercer.Recipe, was fitted) {
	said := was.front.Front[was.front.Chosen()]
	again, left := givenBack(r, &mercer.Result{Method: r.Method, Params: said.Params})
	if len(left) > 0 {
		return
	}
	again.Tune = r.Tune // a front is not tuned
	now := one(t, in, again)
	for _, m := range now.front.Front {
		if near(m.Risk, said.Risk, 1e-5) && near(m.Complexity, said.Complexity, 1e-5) {
			return
		}
	}
	t.Errorf("%+v: no member has the risk %g and the complexity %g of the one that printed them", again, said.Risk, said.Complexity)
}

// exactly is a tolerance at which two trainings of one machine, from different starts, have the same outputs but for rounding.
const exactly = 1e-8

// printedOtherwise lists the objective and the parameters of a fit that another does not print again.
func printedOtherwise(was, now *mercer.Result) (list []string) {
	if a, b := was.Certificate, now.Certificate; a != nil && b != nil && !near(a.Objective, b.Objective, 1e-5) {
		list = append(list, fmt.Sprintf("the objective is %g, was %g", b.Objective, a.Objective))
	}
	for name, v := range was.Params {
		a, ok := v.(float64)
		if b, is := now.Params[name].(float64); ok && !(is && near(a, b, 1e-12)) {
			list = append(list, fmt.Sprintf("%s is %v, was %v", name, now.Params[name], v))
		}
	}
	return list
}

// givenBack is the recipe with everything set that its result prints, and the names of parameters that cannot be set.
func givenBack(r mercer.Recipe, res *mercer.Result) (again mercer.Recipe, left []string) {
	again = r
	again.Method, again.Tune, again.Search, again.Budget = res.Method, "none", "", 0
	if m, _ := method.Find(res.Method); again.Kernel == "" && m.Has("--kernel") {
		again.Kernel = res.Kernel
	}
	again.Set = maps.Clone(r.Set)
	for _, name := range slices.Sorted(maps.Keys(res.Params)) {
		if name == "laplacians" || name == "coordinates" {
			continue // what was made of the settings
		}
		if name == "basis" {
			again.Basis = printedValue(res.Params[name])
			continue
		}
		one := again
		one.Set = map[string]string{name: printedValue(res.Params[name])}
		maps.Copy(one.Set, again.Set)
		if mercer.Check(one) != nil {
			left = append(left, name)
			continue
		}
		again = one
	}
	return again, left
}

// printedValue is a parameter as it is printed in JSON.
func printedValue(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []float64:
		return printedList(v)
	case []int:
		return printedList(v)
	}
	return fmt.Sprint(v)
}

func printedList[T any](list []T) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = printedValue(x)
	}
	return strings.Join(texts, ",")
}

// largestOutput is the largest magnitude of a model's outputs on the rows.
func largestOutput(t *testing.T, in mercer.Input, f fitted) float64 {
	out, err := f.model.Predict(t.Context(), in.Set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	return math.Max(mat.Max(out), -mat.Min(out))
}
