package methodtest

import (
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/setting"
)

// written is the check that a page says what happens: a default that stands there, given by name, changes nothing, and is refused only
// where every value of its setting is.
func (a *answers) written() {
	companies, fits := a.companies, a.fits
	all := probes()
	for _, s := range a.method.All() {
		if whole() || !elsewhere(a.method, s.Key()) {
			a.writtenDefault(s, all[s.Key()])
		}
	}
	if a.method.Supports(nil).Front {
		a.writtenRanges()
	}
	a.t.Logf("%s: %d defaults, %d fits", a.method.ID, a.companies-companies, a.fits-fits)
}

// span is a default that is a range.
var span = regexp.MustCompile(`^(\d+)(?:\^(-?\d+))? to (\d+)(?:\^(-?\d+))?$`)

// writtenRanges wants every member of a front in the ranges of the page.
func (a *answers) writtenRanges() {
	f := a.one(a.t, plainRecipe(a.method))
	for _, s := range a.method.All() {
		found := span.FindStringSubmatch(s.Default)
		if found == nil {
			continue
		}
		power := func(base, exponent string) float64 {
			b, _ := strconv.ParseFloat(base, 64)
			e, err := strconv.ParseFloat(exponent, 64)
			if err != nil {
				return b
			}
			return math.Pow(b, e)
		}
		lo, hi := power(found[1], found[2]), power(found[3], found[4])
		for i, member := range f.front.Front {
			if v, ok := member.Params[s.Name].(float64); ok && !(v >= lo*(1-1e-9) && v <= hi*(1+1e-9)) {
				a.t.Errorf("%s: %s of member %d is %g, and the page says %s", a.method.ID, s.Name, i+1, v, s.Default)
			}
		}
		a.companies++
	}
}

// writtenDefault tries the default of a setting in the companies in which other values of it are tried.
func (a *answers) writtenDefault(s setting.Setting, values []probe) {
	var tried []string
	plainly := plainRecipe(a.method)
	for _, p := range values {
		if p.on == "" {
			p.on = plain(a.method)
		}
		if p.company == nil && !a.method.Supports(nil).Front {
			p.company = alone
		}
		text, ok := defaultIn(s, p.company)
		id, _ := json.Marshal([]any{p.on, p.company})
		if !ok || slices.Contains(tried, string(id)) || p.company[s.Key()] != "" || plainly.Set[s.Key()] != "" {
			continue
		}
		tried = append(tried, string(id))
		base := with(plainly, p.company)
		was, err := a.said(s, p.on, base)
		if err != nil {
			continue // company that the method refuses
		}
		now, err := a.said(s, p.on, with(base, given{s.Key(): text}))
		var usage *mercer.UsageError
		switch {
		case errors.As(err, &usage):
			if _, other := a.said(s, p.on, with(base, given{s.Key(): p.value})); other == nil {
				a.t.Errorf("%s beside %v: the default %s of %s is refused where %s is not: %v", a.method.ID, p.company, text, s.Key(),
					p.value, err)
			}
		case err != nil:
			a.t.Errorf("%s beside %v: the default %s of %s: %v", a.method.ID, p.company, text, s.Key(), err)
		case now != was:
			a.t.Errorf("%s beside %v: the default of %s is said to be %s, which changes the answer: %s",
				a.method.ID, p.company, s.Key(), text, differing(was, now))
		}
		a.companies++
	}
}

// said is the answer without warnings, without the baseline, which is another method, and without the parameter that the setting is,
// which is printed where it is given.
func (a *answers) said(s setting.Setting, on string, r mercer.Recipe) (string, error) {
	text, err := a.answer(on, r)
	if err != nil {
		return "", err
	}
	var all any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return "", err
	}
	without(all, "warnings", "baseline", s.Name)
	clean, err := json.Marshal(all)
	return string(clean), err
}

// without deletes keys wherever they are.
func without(v any, keys ...string) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range keys {
			delete(v, key)
		}
		for _, inner := range v {
			without(inner, keys...)
		}
	case []any:
		for _, inner := range v {
			without(inner, keys...)
		}
	}
}

// defaultIn is the value that a setting has by its page where it is not given, beside other settings: the page may name several, with
// those that they are of. False: the page names no value that could be given.
func defaultIn(s setting.Setting, beside given) (string, bool) {
	clauses := strings.FieldsFunc(s.Default, func(r rune) bool { return r == ';' || r == ',' })
	at := 0
	for i, c := range clauses {
		for key, value := range beside {
			if strings.HasSuffix(c, " of "+value) || strings.Contains(c, key+"="+value) || strings.HasSuffix(c, "("+value+")") {
				at = i
			}
		}
	}
	if len(clauses) == 0 || strings.Contains(s.Default, ", or ") {
		return "", false
	}
	word, rest, several := strings.Cut(strings.TrimSpace(clauses[at]), " ")
	if several && !condition.MatchString(rest) {
		return "", false // a sentence
	}
	_, err := s.Read(word)
	return word, err == nil
}

// condition is what a default is of, in a clause of its own.
var condition = regexp.MustCompile(`^(of \S+|of smooth losses|with \S+|with --tune none|\(\S+\))$`)

// differing are the places at which two texts first differ.
func differing(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	near := func(s string) string { return s[max(0, at-60):min(len(s), at+60)] }
	return "..." + near(a) + "...\n..." + near(b) + "..."
}
