package mercer

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/result"
)

// TestInFields: flags become the fields that they are of, what is no field stays, and the error is the same but for its text.
func TestInFields(t *testing.T) {
	for text, want := range map[string]string{
		"--method nope: not known; choose auto":   "Recipe.Method nope: not known; choose auto",
		"--set C=-1: must be positive":            "Recipe.Set C=-1: must be positive",
		"--class-weight with --tol; add --memory": "Recipe.ClassWeight with Recipe.Tolerance; add Options.Memory",
		"--unlabelled-mark, --group, --json":      "read.Options.UnlabelledMark, read.Options.Group, --json",
		"--cv 3 and --time-limit, --view a=1..2":  "Recipe.CV 3 and Options.TimeLimit, Recipe.Views a=1..2",
		"--missing 9, --header 2, --pick 3":       "read.Options.Marks 9, read.Dialect.Header 2, pick 3",
		"nothing of the kind -- so it is":         "nothing of the kind -- so it is",
	} {
		err := &result.UsageError{Problems: []string{text}}
		got := fitting().fault(err)
		if got.Error() != want || !errors.Is(got, err) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if fitting().fault(nil) != nil || fitting().result(nil) != nil {
		t.Error("an error, or a result, of none")
	}
	const asked = "--labels 1, --view a=1..2; raise --memory, or use --text and --min-documents"
	const want = "Files.Labels 1, Files.Views a=1..2; raise read.Options.MemoryLimit, or use read.Options.Text and data.Text.MinDocuments"
	if got := reading().text(asked); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	one := []string{"--cv 3 was interrupted"}
	got := fitting().texts(one)
	if got[0] != "Recipe.CV 3 was interrupted" || one[0] != "--cv 3 was interrupted" || fitting().texts(nil) != nil {
		t.Errorf("%q of %q", got, one)
	}
}

// TestFlagsOfTexts walks through all texts of this package and of those that it imports: each flag in them is a field, but for those of
// mercer predict.
func TestFlagsOfTexts(t *testing.T) {
	const format = "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}"
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, dir := range strings.Fields(string(list)) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					for _, flag := range flags.FindAllString(text.Value, -1) {
						seen[flag] = true
					}
				}
				return true
			})
		}
	}
	if len(seen) < 40 {
		t.Errorf("%d flags were found", len(seen))
	}
	for flag := range seen {
		for _, of := range []fields{fitting(), reading()} {
			if stays := slices.Contains([]string{"--interval", "--json", "--probability"}, flag); stays != (of.field(flag) == flag) {
				t.Errorf("%s is %s", flag, of.field(flag))
			}
		}
	}
}

// TestWarningsOfOpen: what the readers warn of names fields, and guesses of a fit do.
func TestWarningsOfOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	text := "a title\nu;v;kind\n" + strings.Repeat("1;2,5;x\n2;3,5;y\n4;1,5;x\n", 8)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in, warnings, err := Open(context.Background(), Files{Data: path}, &Recipe{})
	if err != nil {
		t.Fatal(err)
	}
	has := func(list []read.Warning, what string) bool {
		return slices.ContainsFunc(list, func(w read.Warning) bool { return strings.Contains(w.What, what) })
	}
	if !has(warnings, "read.Dialect.Skip") || has(warnings, "--") {
		t.Errorf("it warns of %v", warnings)
	}
	m, _, err := Fit(context.Background(), *in, Recipe{Method: "rls", Tune: "none"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, warnings, err = OpenFor(context.Background(), m, path, read.Options{})
	if err != nil || !has(warnings, "read.Dialect.Skip") || has(warnings, "--") {
		t.Errorf("for a model it warns of %v, %v", warnings, err)
	}
	_, _, err = OpenFor(context.Background(), m, path, read.Options{}, "a")
	if err == nil || !strings.HasPrefix(err.Error(), "Files.Views a: ") {
		t.Error(err)
	}
}
