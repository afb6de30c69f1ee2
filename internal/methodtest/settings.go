package methodtest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/result"
)

// settingsCount is the check of all settings: whatever any method can be asked, this one does, or
// refuses with a remedy. Values are tried by themselves, with nothing tuned, and in the company in
// which they have a meaning; there, of the values of a setting that the method does not refuse,
// one at least must change the answer. The others may ask for what is so without them, and are tried
// where everything is (whole). What the methods of a family share is tried on the first of them (elsewhere).
func (a *answers) settingsCount() {
	all := probes()
	companies := a.companies
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if whole() || !elsewhere(a.method, key) {
			a.setting(key, all[key])
		}
	}
	a.keptAnswers()
	a.t.Logf("%s: %d settings in %d companies, %d fits", a.method.ID, len(all), a.companies-companies, a.fits)
}

// whole says whether every value is tried in every company, which takes some minutes: where MERCER_TESTS=all
// asks for it, as before a release, and where answers are kept. Elsewhere searches that train
// machines again are no company by themselves, nor are those of settings that another method of the group has too, and of the values
// in one company none is tried after the first that changed the answer.
func whole() bool { return slowtest.Asked() || kept.Updating() }

// elsewhere says whether another method, one that is listed before, is tried with the setting: with a flag one of the family, whose
// methods support the same and learn the same answers on the same kernel; with what is no setting of its own, a parameter of kernels, one
// of the group, for all read these alike.
func elsewhere(m method.Method, key string) bool {
	declared, own := m.Setting(key)
	if own && !strings.HasPrefix(key, "--") {
		return false
	}
	supports := m.Supports(nil)
	for _, first := range method.All() {
		if first.ID == m.ID {
			return false
		}
		other, has := first.Setting(key)
		if has != own || first.Kernel != m.Kernel {
			continue
		}
		if !own && group(first) == group(m) && first.Supports(nil).Front == supports.Front {
			return true
		}
		if first.For == m.For && first.Supports(nil) == supports && other.About == declared.About && other.Accepts() == declared.Accepts() {
			return true
		}
	}
	return false
}

// searchedElsewhere says whether a method of the group that is listed before, and is not judged by training again, has the same
// setting in the same words.
func searchedElsewhere(m method.Method, key string) bool {
	declared, _ := m.Setting(key)
	for _, first := range method.All() {
		if first.ID == m.ID {
			return false
		}
		other, has := first.Setting(key)
		if has && group(first) == group(m) && !trainsAgain(first) && other.About == declared.About && other.Accepts() == declared.Accepts() {
			return true
		}
	}
	return false
}

// others are the methods that a complaint lists: they change with every new one.
var others = regexp.MustCompile(`(has no such setting; it is of) [a-z0-9, -]+`)

// answers fits a method and keeps what it said, so that no check asks again what another has asked.
type answers struct {
	t               *testing.T
	method          method.Method
	kept            map[string]string // what is printed, and the predictions, by asText
	models          map[string]fitted // of the recipes that several checks begin with
	complaints      map[string]bool
	companies, fits int
}

func newAnswers(t *testing.T, m method.Method) *answers {
	return &answers{t: t, method: m, kept: map[string]string{}, models: map[string]fitted{}, complaints: map[string]bool{}}
}

// one is the fit of a recipe on the method's own set.
func (a *answers) one(t *testing.T, r mercer.Recipe) fitted {
	t.Helper()
	id := asText(plain(a.method), r)
	f, ok := a.models[id]
	if !ok {
		f = one(t, sample(t, plain(a.method)), r)
		a.models[id] = f
	}
	return f
}

// setting tries the values of one setting in every company.
func (a *answers) setting(key string, values []probe) {
	type company struct{ on, beside string }
	tried, skips := map[company][]probe{}, !whole() && (trainsAgain(a.method) || searchedElsewhere(a.method, key))
	var order []company
	for _, p := range values {
		if p.on == "" {
			p.on = plain(a.method)
		}
		beside := []given{a.searched(), alone, p.company}
		if skips {
			beside = beside[1:]
		}
		for _, beside := range beside {
			if beside == nil || p.lonely && !maps.Equal(beside, p.company) {
				continue
			}
			text, _ := json.Marshal(beside)
			c := company{p.on, string(text)}
			if tried[c] == nil {
				order = append(order, c)
			}
			tried[c] = append(tried[c], probe{value: p.value, company: beside, on: p.on})
		}
	}
	for _, c := range order {
		a.company(key, tried[c])
	}
}

// company tries values of one setting in one company.
func (a *answers) company(key string, values []probe) {
	base := with(plainRecipe(a.method), values[0].company)
	if _, err := a.answer(values[0].on, base); err != nil {
		return // company that the method, or the data, refuses: there is another
	}
	a.companies++
	if a.silent(values, key, base) && !excused(a.method, key, values[0].company) {
		a.t.Errorf("%s beside %v: %s=%s changes nothing and is not refused", a.method.ID, values[0].company, key, values)
	}
}

// silent says whether none of the values changes the answer of a recipe or is refused.
func (a *answers) silent(values []probe, key string, base mercer.Recipe) bool {
	silent := true
	for _, p := range values {
		was, err := a.answer(p.on, base)
		if err != nil {
			a.t.Fatal(err)
		}
		now, err := a.answer(p.on, with(base, given{key: p.value}))
		var usage *mercer.UsageError
		if errors.As(err, &usage) {
			a.remedies(usage)
		}
		if err != nil || now != was {
			silent = false
		}
		if err == nil && now != was && !whole() {
			break
		}
	}
	return silent
}

// searched is the method as it is, with a small budget where machines are judged by training again.
func (a *answers) searched() given {
	if trainsAgain(a.method) {
		return given{"--budget": "2"}
	}
	return given{}
}

// trainsAgain says whether a search of the method trains each of its machines again to judge it.
func trainsAgain(m method.Method) bool {
	o := m.Supports(nil)
	return o.Searched && !o.Closed
}

// remedies wants every complaint to say what to do.
func (a *answers) remedies(e *mercer.UsageError) {
	for _, complaint := range e.Problems {
		if !slices.ContainsFunc(
			[]string{"add --", "choose ", "leave ", "give ", "use --", "it is of ", "it has ", "takes "},
			func(word string) bool {
				return strings.Contains(complaint, word)
			},
		) {
			a.t.Errorf("%s: no remedy: %s", a.method.ID, complaint)
		}
	}
}

// excused says whether a setting may be without effect in this company.
func excused(m method.Method, key string, beside given) bool {
	switch o := m.Supports(nil); key {
	case "--seed": // nothing is drawn but folds and random searches
		return !strings.HasPrefix(beside["--tune"], "kfold") || !o.Folds
	case "--tol": // systems that are solved directly meet any
		return (o.Closed || o.Views || m.ID == "erm" || finite(m)) && beside["solver"] == ""
	case "--class-weight": // the literature's strength fits every label, and no loss is left to be weighted
		return m.ID == "erm" || m.ID == "lap-svm" && len(beside) == 1 && beside["--tune"] == "none"
	case "--budget": // a limit, which is kept where nothing is scored
		return beside["--tune"] == "none" || m.Kernel != "" // one kernel is one candidate
	case "switches": // of few rows, where every way ends at the same labels
		return true
	case "exact": // of few rows; see largeRows
		return true
	}
	return false
}

// answer is what a recipe gives on a set: what is printed, and the predictions.
func (a *answers) answer(on string, r mercer.Recipe) (string, error) {
	id := asText(on, r)
	if text, ok := a.kept[id]; ok {
		return text, nil
	}
	a.fits++
	text, err := printed(a.t.Context(), sample(a.t, on), r)
	if err == nil {
		a.kept[id] = text
	} else {
		a.complaints[others.ReplaceAllString(err.Error(), "$1 ...")] = true
	}
	return text, err
}

// printed is the result of a fit, of methods with a front the front, without times and memory, and
// the predictions of the model on all rows, to the bit.
func printed(ctx context.Context, in mercer.Input, r mercer.Recipe) (string, error) {
	f, err := fit(ctx, in, r, mercer.Options{})
	if err != nil {
		return "", err
	}
	return f.printed(ctx, in)
}

// printed is what printed says of a fit.
func (f fitted) printed(ctx context.Context, in mercer.Input) (string, error) {
	out, err := f.model.Predict(context.WithoutCancel(ctx), in.Set.Rows)
	if err != nil {
		return "", err
	}
	var one any
	if f.front != nil {
		front := *f.front
		front.Seconds, front.Forecast = result.Seconds{}, nil
		one = front
	} else {
		found := *f.result
		found.Seconds, found.Forecast, found.Memory = result.Seconds{}, nil, 0
		one = found
	}
	text, err := json.Marshal(struct {
		Result      any
		Predictions []float64
	}{one, out.RawMatrix().Data})
	return string(text), err
}

// same says whether two matrices are the same to the bit.
func same(a, b *mat.Dense) bool { return slices.Equal(a.RawMatrix().Data, b.RawMatrix().Data) }

// finite says whether the method's solver ends at the solution itself on few rows.
func finite(m method.Method) bool {
	return slices.Contains([]string{"linear-rls", "linear-lap-rls", "linear-svm"}, m.ID)
}
