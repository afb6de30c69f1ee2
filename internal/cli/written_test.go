package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/arguments"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/result"
)

// defaults finds the value in the help of a flag that it says to have where it is not given.
var defaults = regexp.MustCompile(`\(default:? ([0-9][^ ;)]*)\)`)

// TestDefaultsAreWhatHelpSays: the default that the help of a flag names, given by name, leaves the same.
func TestDefaultsAreWhatHelpSays(t *testing.T) {
	if testing.Short() {
		t.Skip("some ten runs of the program, slow under the race detector")
	}
	var rows strings.Builder
	rows.WriteString("a,b,c,label\n")
	for i := range 48 {
		fmt.Fprintf(&rows, "%g,%g,%d,%d\n", float64(i%3)+0.1*float64(i*7%23), 0.2*float64(i*5%17)-float64(i%3), 100*(1+i*13%19), 1+i%3)
	}
	folderWith(t, map[string]string{"rows.csv": rows.String(),
		"mails.csv": "text,label\nbuy it now,a\nsee you now,b\nbuy two,a\nsee it,b\n"})
	done(t, "fit", "rows.csv", "--method", "svm", "-o", "model.mercer")
	cases := flagCases()
	var p program
	k, err := kong.New(&p, arguments.Words(vocabulary()), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, verb := range k.Model.Children {
		for _, f := range verb.Flags {
			found := defaults.FindStringSubmatch(f.Help)
			if found == nil {
				continue
			}
			if f.HasDefault && f.Default != found[1] {
				t.Errorf("mercer %s -h says that --%s is %s where it is not given, and it is %s", verb.Name, f.Name, found[1], f.Default)
			}
			base := cases[verb.Name].base
			if slices.Contains(ofText, "--"+f.Name) {
				base = verb.Name + " mails.csv --text text"
				if verb.Name != "fit" {
					continue // reads rows as fit does
				}
			}
			if base == "" || f.Name == "threads" || strings.Contains(base, "--"+f.Name+" ") {
				continue
			}
			tried++
			if was, now := left(t, strings.Fields(base)), left(t, append(strings.Fields(base), "--"+f.Name, found[1])); was != now {
				t.Errorf("mercer %s --%s %s, the default by its help, changes what is left:\n%s\n%s", base, f.Name, found[1], was, now)
			}
		}
	}
	if tried < 8 {
		t.Errorf("%d defaults were found", tried)
	}
}

// TestWordsOfHelpAreTaken: whatever words the help of a flag lists some method takes, and the help lists every word there is or says
// where they are.
func TestWordsOfHelpAreTaken(t *testing.T) {
	var p program
	k, err := kong.New(&p, arguments.Words(vocabulary()), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]string{}
	for _, verb := range k.Model.Children {
		if verb.Name == "fit" || verb.Name == "pareto" {
			for _, f := range verb.Flags {
				flags["--"+f.Name] += f.Help + " "
			}
		}
	}
	listed := regexp.MustCompile(`[a-z][a-z0-9-]*(?::[a-z0-9.]+)*`)
	for _, m := range method.All() {
		for _, s := range m.All() {
			help, ok := flags[s.Key()]
			if !s.Flag || !ok || strings.Contains(help, "mercer methods") {
				continue
			}
			words := listed.FindAllString(help, -1)
			for _, w := range s.Words {
				if !slices.Contains(words, w) {
					t.Errorf("%s takes %s %s, and the help does not list it: %s", m.ID, s.Key(), w, help)
				}
			}
		}
	}
	// A list at the start of a help text, up to the first full stop or colon that is none of a word's.
	for key, set := range map[string]func(*mercer.Recipe, string){
		"--tune":       func(r *mercer.Recipe, w string) { r.Tune = w },
		"--search":     func(r *mercer.Recipe, w string) { r.Search = w },
		"--scale":      func(r *mercer.Recipe, w string) { r.Scale = w },
		"--effort":     func(r *mercer.Recipe, w string) { r.Effort = w },
		"--offset":     func(r *mercer.Recipe, w string) { r.Offset = w },
		"--task":       func(r *mercer.Recipe, w string) { r.Task = w },
		"--multiclass": func(r *mercer.Recipe, w string) { r.Multiclass = w },
		"--decision":   func(r *mercer.Recipe, w string) { r.Decision = w },
	} {
		text, _, _ := strings.Cut(flags[key], ". ")
		text = regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(text, "")
		none := true
		for _, w := range regexp.MustCompile(`, | or `).Split(strings.TrimSuffix(strings.TrimSpace(text), "."), -1) {
			if w = strings.TrimSpace(w); listed.FindString(w) != w || w == "" {
				continue
			}
			none = false
			if !slices.ContainsFunc(method.All(), func(m method.Method) bool {
				r := result.Recipe{Method: m.ID}
				if strings.HasSuffix(w, ":inductive") {
					r.Search = "random"
				}
				set(&r, w)
				return mercer.Check(r) == nil
			}) {
				t.Errorf("the help of %s lists %q, which no method takes", key, w)
			}
		}
		if none {
			t.Errorf("the help of %s lists no word: %s", key, flags[key])
		}
	}
}

// TestExamplesRun: the examples of every verb's help, and of the methods and kernels, do what they stand for in a folder that has the
// files which they name.
func TestExamplesRun(t *testing.T) {
	slowtest.Only(t, "some hundred fits")
	folderWith(t, exampleFiles(t))
	done(t, "fit", "prices.csv", "--label", "price", "--method", "rls", "-o", "prices.mercer")
	done(t, "fit", "text.svm.gz", "--unlabelled-mark", "0", "--method", "rls", "-o", "text.mercer")
	var p program
	k, err := kong.New(&p, arguments.Words(vocabulary()), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, verb := range k.Model.Children {
		r := run(t, "", verb.Name, "-h")
		for _, f := range exampleLine.FindAllStringSubmatch(r.stdout, -1) {
			lines = append(lines, "mercer "+f[1])
		}
	}
	for _, e := range method.Entries() {
		if e.Example != "" {
			lines = append(lines, e.Example)
		}
	}
	tried := map[string]bool{}
	for _, line := range lines {
		for _, one := range regexp.MustCompile(`;|&&|\|`).Split(line, -1) {
			words := strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(one))
			switch {
			case len(words) == 0 || words[0] != "mercer" || tried[one]: // another program
				continue
			case slices.Contains([]string{"label", "serve"}, words[1]): // end by a signal
				continue
			case words[1] == "reproduce" && slices.Contains(words, "--data"): // data that is not here
				continue
			}
			if at := slices.Index(words, ">"); at >= 0 {
				words = words[:at]
			}
			tried[one] = true
			in := ""
			if slices.Contains(words, "-") {
				in = "0 1:0.5 2:0.5\n"
			}
			if r := run(t, in, words[1:]...); r.code != exitDone {
				t.Errorf("%s: exit %d, %s", one, r.code, r.stderr)
			}
		}
	}
	if len(tried) < 100 {
		t.Errorf("%d examples were found", len(tried))
	}
}

// exampleFiles are the files that the examples name.
func exampleFiles(t *testing.T) map[string]string {
	t.Helper()
	var rows, fresh, more, prices, links, wide, sparse strings.Builder
	rows.WriteString("a,b,kind\n")
	fresh.WriteString("a,b,size,age,sepal_length,sepal_width,petal_length,petal_width\n")
	more.WriteString("a,b,kind\n")
	prices.WriteString("size,age,price\n")
	links.WriteString("l1,l2\n")
	wide.WriteString("v1,v2,v3,v4,kind\n")
	for i := range 60 {
		a, b := float64(i%3)+0.1*float64(i*7%23), 0.2*float64(i*5%17)-float64(i%3)
		kind := string(rune('x' + i%3))
		if i%4 == 3 {
			fmt.Fprintf(&rows, "%g,%g,\n", a, b)
			fmt.Fprintf(&sparse, "0 1:%g 2:%g\n", a, b)
		} else {
			fmt.Fprintf(&rows, "%g,%g,%s\n", a, b, kind)
			fmt.Fprintf(&sparse, "%d 1:%g 2:%g\n", 1+i%3, a, b)
		}
		fmt.Fprintf(&fresh, "%g,%g,%g,%d,%g,%g,%g,%g\n", a+0.05, b, 51+a, i%8, 5+a, 3.1, 1+a, 0.2)
		fmt.Fprintf(&more, "%g,%g,%s\n", a, b+0.02, kind)
		fmt.Fprintf(&prices, "%g,%d,%g\n", 50+a, i%9, 100+20*a-3*float64(i%9))
		fmt.Fprintf(&links, "%g,%g\n", b, a*a)
		fmt.Fprintf(&wide, "%g,%g,%g,%g,%s\n", a, b, a*b, a-b, kind)
	}
	packed := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	files := map[string]string{
		"rows.csv": rows.String(), "more.csv": more.String(), "test.csv": more.String(), "new.csv": fresh.String(),
		"prices.csv": prices.String(), "links.csv": links.String(), "pages.csv": fresh.String(), "large.csv.gz": packed(fresh.String()),
		"text.svm.gz": packed(sparse.String()), "coil20.csv.gz": packed(wide.String()),
		"coil20.splits.csv": "split,labelled_rows\n0,0 1 2 3 4 5 6 7 8\n1,9 10 11 12 13 14 15 16 17\n",
		"mails.csv": "body,folder\nbuy this now,spam\nsee you at noon,ham\nbuy two of them,spam\nthe report is here,ham\nbuy,spam\n" +
			"noon it is,ham\nnow or never,\n",
	}
	for i, text := range []string{"buy this now", "see you at noon", "buy two of them", "the report is here", "now or never"} {
		files[filepath.Join("mails", []string{"spam", "ham", "spam", "ham", "unlabelled"}[i], fmt.Sprint(i, ".txt"))] = text
	}
	return files
}
