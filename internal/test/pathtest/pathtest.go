// Package pathtest compares the way on which a solver comes to its answer with the way it came before: what it is
// at after some steps, how many it takes, what it looks at. A fault that leaves the answer right but wastes steps,
// or breaks a shortcut, is seen by that alone.
//
// Change here what counts as the same way.
package pathtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"
)

// Path collects lines, each a name and what was seen.
type Path struct{ lines []string }

// Add adds a line: a name, a colon and values. Integers are counts, others are written with seven digits.
func (p *Path) Add(name string, values ...any) {
	var b strings.Builder
	b.WriteString(name + ":")
	for _, v := range values {
		switch v := v.(type) {
		case float64:
			fmt.Fprintf(&b, " %s", number(v))
		case []float64:
			for _, x := range v {
				fmt.Fprintf(&b, " %s", number(x))
			}
		default:
			fmt.Fprintf(&b, " %v", v)
		}
	}
	p.lines = append(p.lines, b.String())
}

// Sort puts lines in their order, each with those below it, which begin with a blank: of maps, whose order is another in every run.
func (p *Path) Sort() {
	var groups []string
	for _, line := range p.lines {
		if strings.HasPrefix(line, " ") && len(groups) > 0 {
			groups[len(groups)-1] += "\n" + line
		} else {
			groups = append(groups, line)
		}
	}
	slices.Sort(groups)
	p.lines = groups
}

// number has a point or an exponent, unlike a count.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', 7, 64)
	if !strings.ContainsAny(s, ".eIN") {
		s += ".0"
	}
	return s
}

// Compare compares the lines with testdata/NAME.txt: words must be equal, numbers with a point differ by at most 1e-5 of
// their size, or by 1e-9. Counts are equal.
func (p *Path) Compare(t *testing.T, name string) {
	t.Helper()
	if !kept.Rounds() {
		t.Skip("steps are those of sums that round every product")
	}
	kept.Text(t, filepath.Join("testdata", name+".txt"), strings.Join(p.lines, "\n")+"\n", same)
}

// same compares two lines word by word, counts exactly.
func same(a, b string) bool {
	x, y := words(a), words(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		v, err := strconv.ParseFloat(x[i], 64)
		w, failed := strconv.ParseFloat(y[i], 64)
		far := 1e-9 + 1e-5*max(math.Abs(v), math.Abs(w))
		if !strings.ContainsAny(x[i], ".e") {
			far = 0
		}
		if err != nil || failed != nil || !(math.Abs(v-w) <= far) {
			return false
		}
	}
	return true
}

// words are those of a line, brackets of lists left out.
func words(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '[' || r == ']' })
}

// Object adds every value of what json.Marshal writes of v, a line each below a name, of objects in the order of their keys, and of
// lists the first ones, at most so many. Residuals are left out, for they are what rounding leaves.
func (p *Path) Object(name string, v any, most int) {
	text, err := json.Marshal(v)
	var values any
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	if err != nil {
		p.Add(name, err.Error())
		return
	}
	p.flat(name, values, most)
}

func (p *Path) flat(name string, v any, most int) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch below := strings.TrimSpace(name); {
			case key == "residual":
			case below == "":
				p.flat(name+key, v[key], most)
			default:
				p.flat(name+"."+key, v[key], most)
			}
		}
	case []any:
		v = v[:min(len(v), most)]
		if numbers, ok := allNumbers(v); ok {
			p.Add(name, numbers)
			return
		}
		for i, one := range v {
			p.flat(fmt.Sprintf("%s[%d]", name, i), one, most)
		}
	case string:
		p.Add(name, strings.ReplaceAll(v, "\n", " "))
	default:
		p.Add(name, v)
	}
}

func allNumbers(list []any) ([]float64, bool) {
	numbers := make([]float64, len(list))
	for i, v := range list {
		x, ok := v.(float64)
		if !ok {
			return nil, false
		}
		numbers[i] = x
	}
	return numbers, len(list) > 0
}

// String is the lines.
func (p *Path) String() string { return strings.Join(p.lines, "\n") }
