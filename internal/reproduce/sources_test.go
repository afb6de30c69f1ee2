package reproduce

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"
)

var (
	shownNumbers = regexp.MustCompile(`(tables?|figs?\.?|figures?) (\d+\.\d+(?:(?:, | and | to )\d+\.\d+)*)`)
	oneNumber    = regexp.MustCompile(`(, | and | to )?(\d+)\.(\d+)`)
)

// shows lists the tables and figures that an experiment names as its source, in the words of shown.
func (x Experiment) shows() []string {
	var list []string
	for _, m := range shownNumbers.FindAllStringSubmatch(x.Source, -1) {
		kind := "figure"
		if strings.HasPrefix(m[1], "table") {
			kind = "table"
		}
		var chapter, last int
		for _, n := range oneNumber.FindAllStringSubmatch(m[2], -1) {
			c, _ := strconv.Atoi(n[2]) // digits, as matched
			k, _ := strconv.Atoi(n[3])
			first := k
			if n[1] == " to " && c == chapter {
				first = last + 1
			}
			for i := first; i <= k; i++ {
				list = append(list, fmt.Sprintf("%s %d.%d", kind, c, i))
			}
			chapter, last = c, k
		}
	}
	return list
}

// experiments are the ids that show a table or figure again.
func (s source) experiments(what string) []string {
	var ids []string
	for _, x := range List() {
		if strings.HasPrefix(x.Source, s.name) && slices.Contains(x.shows(), what) {
			ids = append(ids, "`"+x.ID+"`")
		}
	}
	return ids
}

// Every table and figure of the sources is run by an experiment or says where it is instead, and every
// experiment names tables and figures that are there.
func TestSourcesAreComplete(t *testing.T) {
	for _, s := range sources() {
		for _, x := range s.shown {
			if ids := s.experiments(x.what); len(ids) > 0 && x.by != strings.Join(ids, ", ") || len(ids) == 0 && x.by == "" {
				t.Errorf("%s, %s: shown by %s, in the list %q", s.name, x.what, ids, x.by)
			}
		}
		for _, x := range List() {
			if !strings.HasPrefix(x.Source, s.name) {
				continue
			}
			for _, what := range x.shows() {
				if !slices.ContainsFunc(s.shown, func(o shown) bool { return o.what == what }) {
					t.Errorf("%s: %s is not in %s", x.ID, what, s.name)
				}
			}
		}
	}
}

// docs/sources.md is what the declarations say; go test ./reproduce -args -update writes it.
func TestSourcesPage(t *testing.T) {
	var b strings.Builder
	if err := Sources(&b); err != nil {
		t.Fatal(err)
	}
	kept.Text(t, "../../docs/sources.md", b.String())
}
