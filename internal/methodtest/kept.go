package methodtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/test/kept"
)

// keptAnswers is the check that every answer that settingsCount has seen, and every complaint, is the
// one that testdata keeps, and of the whole check none is missing: in sums, which tell of a change in any
// word or number and not what it is. An answer changes only where a fault is mended, and the changelog
// says so.
//
// The arithmetic of amd64 writes the files and must find every number again. Another turns ties of searches and steps of loose
// solvers, and orders columns of equal worth otherwise: nine answers of ten must be the same.
func (a *answers) keptAnswers() {
	var now []string
	for _, id := range slices.Sorted(maps.Keys(a.kept)) {
		now = append(now, id+" "+summed(a.t, a.kept[id]))
	}
	now = append(now, slices.Sorted(maps.Keys(a.complaints))...)
	path := filepath.Join("testdata", a.method.ID+".txt")
	own := kept.Rounds()
	if kept.Updating() && own {
		a.write(path, now)
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		a.t.Fatal(err)
	}
	old := map[string][]string{}
	for line := range strings.SplitSeq(string(text), "\n") {
		words := strings.Split(line, "\t")
		old[words[0]] = words[1:]
	}
	var moved []string
	for _, line := range now {
		words := strings.Split(line, "\t")
		was, ok := old[words[0]]
		switch {
		case !ok || (len(was) > 0 && was[0] != words[1] && own):
			a.t.Errorf("%s: the answer is %q, was %q", words[0], words[1:], was)
		case !alike(was, words[1:], own):
			moved = append(moved, fmt.Sprintf("%s: the answer is %q, was %q", words[0], words[1:], was))
		}
		delete(old, words[0])
	}
	if own || 10*len(moved) > len(now) {
		for _, line := range moved {
			a.t.Error(line)
		}
	}
	if !whole() {
		return // answers that were not asked for may still be given
	}
	for gone := range old {
		a.t.Errorf("no longer: %s", gone)
	}
}

func (a *answers) write(path string, lines []string) {
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// summed is an answer in a few words: a hash of its words, and its numbers and predictions, each with
// a weight of its own, in a sum.
func summed(t testing.TB, text string) string {
	var v struct {
		Result      map[string]any
		Predictions []float64
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	delete(v.Result, "certificate") // what is left of rounding
	delete(v.Result, "method")
	words, sum := fnv.New32a(), 0.0
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(path+"."+key, v[key])
			}
		case []any:
			for i, e := range v {
				walk(path+"."+strconv.Itoa(i), e)
			}
		case float64:
			sum += weight(path) * math.Asinh(1e3*v)
		default:
			_, _ = fmt.Fprintf(words, "%s %s\n", path, withoutDigits(fmt.Sprint(v))) // a hash takes everything
		}
	}
	walk("", v.Result)
	out := 0.0
	for i, p := range v.Predictions {
		out += (1 + float64(i%5)) * p
	}
	return fmt.Sprintf("\t%08x\t%.6g\t%.6g", words.Sum32(), sum, out)
}

// weight is that of the number at a place: 1 to 2, by its name.
func weight(path string) float64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(path))
	return 1 + float64(h.Sum32()%1000)/1000
}

// withoutDigits leaves the numbers of a sentence out: they may differ in the last digit.
func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789.e+-", r) {
			return -1
		}
		return r
	}, s)
}

// alike says whether two sums are the same but for rounding, or for what engines of linear algebra
// differ by.
func alike(was, now []string, own bool) bool {
	far := 2e-3
	if own {
		far = 1e-5
	}
	if len(was) != len(now) {
		return false
	}
	for i := range was {
		v, err := strconv.ParseFloat(was[i], 64)
		w, wrong := strconv.ParseFloat(now[i], 64)
		if was[i] != now[i] && (i == 0 || err != nil || wrong != nil || !(math.Abs(v-w) <= far*(1+math.Abs(v)))) {
			return false
		}
	}
	return true
}

// asText is a recipe as one would type it.
func asText(on string, r mercer.Recipe) string {
	method := r.Method
	r.Method = ""
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // a recipe is plain
	}
	return method + " " + on + " " + string(text)
}
