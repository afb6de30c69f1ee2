package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestFaults: the faults of a file that has one place for each kind, and none in what changes no result.
func TestFaults(t *testing.T) {
	const text = `package cli

const most = 5
const panelRows = 64

// rows are read at once: no result depends on it.
const rows = 64

func f(c cmd, xs []int, warn func(string)) ([]int, error) {
	err := c.read()
	if err != nil {
		return nil, err
	}
	if c.ok {
		warn("odd")
	}
	if c.less(len(xs) < c.k) {
		panic("too few" + text(xs, c))
	}
	out := make([]int, 0, min(c.k, c.Seed)+2*len(xs))
	out = append(out, c.Seed-3)
	if len(out) > 9 {
		return nil, 7, fmt.Errorf("%d", c.k)
	}
	return out[:c.k], g(xs, out)
}
`
	path := filepath.Join(t.TempDir(), "cli", "f.go")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := faults(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range found {
		changed := text[:f.at] + f.with + text[f.end:]
		was, is := strings.Split(text, "\n")[f.line-1], strings.Split(changed, "\n")[f.line-1]
		if was == is {
			t.Errorf("%s: nothing changes in %q", f.what, was)
		}
		lines = append(lines, f.kind.String()+": "+strings.TrimSpace(is))
	}
	want := []string{
		"default changed: const most = 6",
		"error swallowed: if (err != nil) && false {",
		"condition negated: if !(c.ok) {",
		`warning or append dropped: if false {warn("odd")}`,
		"condition negated: if !(c.less(len(xs) < c.k)) {",
		"comparison turned: if c.less(len(xs) <= c.k) {",
		"constant off: out := make([]int, 1, min(c.k, c.Seed)+2*len(xs))",
		"warning or append dropped: _ = append(out, c.Seed-3)",
		"arithmetic sign turned: out = append(out, c.Seed+3)",
		"seed or setting ignored: out = append(out, mutantZero(c.Seed)-3)",
		"constant off: out = append(out, c.Seed-4)",
		"error swallowed: if (len(out) > 9) && false {",
		"comparison turned: if len(out) >= 9 {",
		"constant off: if len(out) > 10 {",
		"two words exchanged: return out[:c.k], g(out, xs)",
		"boundary of a slice: return out[:c.k-1], g(xs, out)",
	}
	have := strings.Join(lines, "\n")
	for _, w := range want {
		if !strings.Contains(have, w) {
			t.Errorf("no fault %q", w)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d faults, want %d:\n%s", len(lines), len(want), have)
	}
}

// TestWatchers: tests in folders named after a package are its own, after those in its folder, and are run once.
func TestWatchers(t *testing.T) {
	method := pack{ImportPath: "m/method"}
	beside := pack{ImportPath: "m/methodtest/graphs", Deps: []string{"m/method"}}
	apart := pack{ImportPath: "m/apply", Imports: []string{"m/method"}}
	tree := &tree{module: "m", packs: []pack{method}, others: []pack{method, apart}, users: []pack{method, beside}}
	own := []watch{
		{own: true, vet: "printf", names: []string{"m/method"}},
		{own: true, vet: "off", names: []string{"m/methodtest/graphs"}},
	}
	all := append(slices.Clone(own), watch{short: true, vet: "off", names: []string{"m/apply"}})
	for _, l := range []*lab{{tree: tree, own: true}, {tree: tree}} {
		want := all
		if l.own {
			want = own
		}
		if got := l.watchers(&fault{pack: "m/method"}); !reflect.DeepEqual(got, want) {
			t.Errorf("own %t: %+v, want %+v", l.own, got, want)
		}
	}
}
