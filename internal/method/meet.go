package method

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
)

// Read understands a recipe: it finds the method, reads every value by its declaration, and
// reports everything that the method does not have, or that has no meaning together, with the
// remedy, as one *result.UsageError.
func Read(r result.Recipe) (Method, task.Request, error) {
	m, ok := Find(r.Method)
	if !ok {
		return m, task.Request{}, unknown(r)
	}
	if r.Method != "" {
		r.Method = m.ID // it may have been found by another name
	}
	if r.KernelValue != nil {
		spec := kernel.Format(r.KernelValue, nil)
		if r.Kernel != "" && r.Kernel != spec {
			return m, task.Request{}, task.Usage("--kernel %s: the recipe has a kernel of its own, %s; leave one of them out", r.Kernel,
				spec)
		}
		r.Kernel = spec
	}
	r.Kernel = kernel.Canonical(cmp.Or(r.Kernel, m.Kernel))
	for i, v := range r.Views {
		if own := kernel.Canonical(v.Kernel); own != v.Kernel {
			r.Views = slices.Clone(r.Views) // a recipe is not changed
			r.Views[i].Kernel = own
		}
	}
	q := task.Request{Recipe: r, Values: setting.Values{}}
	bad := m.values(&q)
	if len(bad) == 0 {
		q.Scoring, _ = task.ParseScoring(r.Tune) // read above
		bad = m.meet(q)
		for _, rule := range slices.Concat(m.Rules, general()) {
			if complaint := rule(q); complaint != "" {
				bad = append(bad, complaint)
			}
		}
	}
	if len(bad) > 0 {
		return m, q, &result.UsageError{Problems: bad}
	}
	return m, q, nil
}

// unknown reports that there is no such method. It also reports the flags whose values no method
// accepts, so that the user sees all mistakes at once.
func unknown(r result.Recipe) error {
	bad := []string{fmt.Sprintf("--method %s: not known%s; choose %s", r.Method, brief.Suggest(r.Method, IDs(nil)),
		strings.Join(IDs(nil), ", "))}
	r.Set, r.Method = nil, Auto
	m := auto()
	q := task.Request{Recipe: r, Values: setting.Values{}}
	for _, complaint := range m.values(&q) {
		if !strings.Contains(complaint, "has no such setting") {
			bad = append(bad, complaint)
		}
	}
	return &result.UsageError{Problems: bad}
}

// flags are the fields of a recipe by the keys of their settings; empty ones are left out.
func flags(r result.Recipe) map[string]string {
	given := map[string]string{
		"--kernel": r.Kernel, "--groups": r.Groups, "--tune": r.Tune, "--search": r.Search, "--decision": r.Decision, "--effort": r.Effort,
		"--offset": r.Offset, "--multiclass": r.Multiclass, "--class-weight": r.ClassWeight, "--scale": r.Scale, "--task": r.Task,
		"--basis":  r.Basis,
		"--decide": r.Decide,
	}
	for _, v := range r.Views {
		given["--view"] += fmt.Sprintf("%s=%d..%d ", v.Name, v.First, v.Last)
	}
	if r.Budget != 0 {
		given["--budget"] = strconv.Itoa(r.Budget)
	}
	if r.Tolerance != 0 {
		given["--tol"] = strconv.FormatFloat(r.Tolerance, 'g', -1, 64)
	}
	if r.CV != 0 {
		given["--cv"] = strconv.Itoa(r.CV)
	}
	if r.Seed != 0 {
		given["--seed"] = strconv.FormatUint(r.Seed, 10)
	}
	maps.DeleteFunc(given, func(_, text string) bool { return text == "" })
	return given
}

// values reads what the recipe fixes.
func (m Method) values(q *task.Request) (bad []string) {
	complain := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	given := flags(q.Recipe)
	for _, key := range slices.Sorted(maps.Keys(given)) {
		s, ok := m.Setting(key)
		if !ok {
			if task.IsDefault(key, given[key]) {
				continue // the flag asks for what would be done without it
			}
			complain("%s", m.lacks(key, given[key]))
			continue
		}
		v, err := s.Read(given[key])
		if err != nil {
			if strings.HasPrefix(err.Error(), "--") {
				complain("%v", err)
			} else {
				complain("%s %s: %v", key, given[key], err)
			}
			continue
		}
		q.Values[key] = v
	}
	for _, name := range slices.Sorted(maps.Keys(q.Recipe.Set)) {
		if err := m.value(q, name, q.Recipe.Set[name]); err != nil {
			complain("%v", err)
		}
	}
	if q.Recipe.Set["sigma"] != "" && q.Recipe.Set["gamma"] != "" {
		complain("--set sigma and gamma are one parameter; give one of them")
	}
	if q.Recipe.Set["offset"] != "" && q.Recipe.Set["coef0"] != "" {
		complain("--set offset and coef0 are one parameter; give one of them")
	}
	return bad
}

// value reads one NAME=VALUE, as a setting of the method or as a parameter of the kernel.
func (m Method) value(q *task.Request, name, text string) error {
	var own error // of a setting that has the name of a parameter of kernels
	if s, ok := m.Setting(name); ok && !s.Flag {
		v, err := s.Read(text)
		if err == nil {
			q.Values[name] = v
			return nil
		}
		own = fmt.Errorf("--set %s=%s: %w", name, text, err)
		if !parameterOf(q.Recipe, name) || len(v.Words) > 0 || !m.Has("--kernel") {
			return own
		}
		if !strings.Contains(err.Error(), ";") {
			own = fmt.Errorf("%w; it takes %s", own, s.Accepts())
		}
	}
	if !parameterOf(q.Recipe, name) || !m.Has("--kernel") {
		return fmt.Errorf("%s", m.lacks(name, text))
	}
	err := q.ReadKernel(name, text)
	switch {
	case err == nil:
		return nil
	case own != nil:
		return own
	case wordOf(name, text):
		return fmt.Errorf("%s", m.lacks(name, text))
	}
	return fmt.Errorf("--set %s=%s: %w", name, text, err)
}

// wordOf says whether a text is a word, not a number, of some method's setting: one that has its
// name in common with a parameter of kernels.
func wordOf(name, text string) bool {
	return slices.ContainsFunc(All(), func(m Method) bool {
		s, ok := m.Setting(name)
		return ok && !s.Flag && slices.Contains(s.Words, text)
	})
}

// kernelParameter says whether some kernel has a parameter of this name, alone, in a term of a
// sum ("2.sigma") or of a column ("sigma[3]").
func kernelParameter(name string) bool {
	name, _, _ = strings.Cut(name, "[")
	name = name[strings.LastIndexByte(name, '.')+1:]
	return task.OfKernel(name)
}

// parameterOf says whether the kernel of a recipe may have a parameter of this name.
func parameterOf(r result.Recipe, name string) bool {
	return kernelParameter(name) || r.KernelValue != nil && r.KernelValue.Space().Index(name) >= 0
}

// Known says whether a name is that of a setting of some method or of a parameter of some kernel.
func Known(name string) bool {
	return kernelParameter(name) || slices.ContainsFunc(All(), func(m Method) bool { return m.Has(name) })
}

// lacks says that the method does not have the setting, and which methods have it.
func (m Method) lacks(key, text string) string {
	shown := "--set " + key
	if strings.HasPrefix(key, "--") {
		shown = strings.TrimSpace(key + " " + text)
	}
	what := fmt.Sprintf("%s: method %s has no such setting", shown, m.ID)
	if twin := m.twin(key); twin != "" {
		return what + "; " + twin
	}
	var with []string
	for _, o := range All() {
		if o.Has(key) {
			with = append(with, o.ID)
		}
	}
	switch {
	case len(with) > 0:
	case kernelParameter(key):
		return fmt.Sprintf("%s: it is of kernels, and the kernel of method %s is not chosen; leave it out", shown, m.ID)
	default:
		return fmt.Sprintf("%s: no method and no kernel has such a setting%s; mercer methods %s lists those of method %s", shown,
			brief.Suggest(key, m.keys()), m.ID, m.ID)
	}
	return fmt.Sprintf("%s; it is of %s", what, strings.Join(with, ", "))
}

// twin says which setting of the method does what the missing one does in others, and how one is
// computed from the other.
func (m Method) twin(key string) string {
	of := func(s setting.Setting, text string) string {
		if m.Has(s.Key()) {
			return text
		}
		return ""
	}
	switch key {
	case task.Weight.Key():
		return m.unweighted()
	case task.C.Name:
		twins := slices.DeleteFunc([]string{of(task.Lambda, "lambda"), of(task.GammaA, "gamma_a")}, func(s string) bool { return s == "" })
		if len(twins) == 0 {
			return ""
		}
		text := "it has " + strings.Join(twins, " and ") + " = 1/(2 C l)"
		if m.ID == "auto" {
			text += "; --method svm has C"
		}
		return text
	case task.Lambda.Name:
		return of(task.C, "it has C = 1/(2 lambda l), l the number of labelled rows") + of(task.GammaA, "it has gamma_a, which is that")
	}
	return ""
}

// unweighted says what to choose in the place of weights of classes.
func (m Method) unweighted() string {
	with := setting.Or(IDs(func(o Method) bool {
		alike := o.Supports(nil).Graph == m.Supports(nil).Graph && !o.Supports(nil).Front
		return alike && o.Has(task.Weight.Key())
	}))
	if m.For == data.Regression {
		return "it is for numbers, which have no classes; leave it out"
	}
	if m.Supports(nil).Front {
		return "choose --method mobj-svm"
	}
	return "it is of " + with + "; --decide balanced or cost=CLASS=COST weighs decisions"
}

// general are the rules of all methods.
func general() []func(task.Request) string {
	return []func(task.Request) string{
		func(r task.Request) string {
			if r.Scoring.None && r.Search() != "auto" {
				return fmt.Sprintf("--search %s with --tune none: nothing is chosen; leave one of them out", r.Search())
			}
			return ""
		},
		func(r task.Request) string {
			decides := r.Recipe.Decide != "" && r.Recipe.Decide != "default"
			return when(decides && r.Scoring.None,
				"--decide %s with --tune none: no row is left out to decide by; add --tune kfold:5", r.Recipe.Decide)
		},
		func(r task.Request) string {
			b := r.Recipe.Budget
			if b > 0 && r.Scoring.None {
				return fmt.Sprintf("--budget %d with --tune none: nothing is tried; leave one of them out", b)
			}
			return when(b < 0, "--budget %d: must not be negative; leave it out for the search's own", b)
		},
	}
}

// withWord returns a copy of v in which the setting has the given word.
func withWord(v setting.Values, s setting.Setting, word string) setting.Values {
	w := maps.Clone(v)
	if w == nil {
		w = setting.Values{}
	}
	w[s.Key()] = setting.Value{Text: word, Words: []string{word}}
	return w
}
