package python_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/python"
)

// interpreter has numpy and scikit-learn on Debian: apt-get install python3-sklearn.
const interpreter = "/usr/bin/python3"

// The package and what mercer export writes, with a program that is built for both. The test is skipped where Python or its
// packages are absent.
func TestWithProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it runs programs of its own, and -short does without")
	}
	if out, err := exec.CommandContext(t.Context(), interpreter, "-c", "import sklearn, numpy").CombinedOutput(); err != nil {
		t.Skipf("skipped: %s has no numpy or no sklearn (apt-get install python3-sklearn): %v %s", interpreter, err, out)
	}
	path := filepath.Join(t.TempDir(), "mercer")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../cmd/mercer").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	t.Run("package", func(t *testing.T) { testPackage(t, path) })
	t.Run("script", func(t *testing.T) { testScript(t, path) })
}

// testPackage runs the package's own tests: agreement with the program, faults, and the checks of scikit-learn where
// MERCER_TESTS is all.
func testPackage(t *testing.T, mercer string) {
	cmd := exec.CommandContext(t.Context(), interpreter, "-W", "error", "-m", "unittest", "discover", "-t", ".", "-s", "tests")
	cmd.Env = append(os.Environ(), "MERCER="+mercer, "PYTHONDONTWRITEBYTECODE=1")
	if !kept.Rounds() {
		cmd.Env = append(cmd.Env, "MERCER_ROUNDS=once") // the program's sums differ more from numpy's
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Log(string(out))
}

// testScript checks that what mercer export writes predicts as mercer predict does, in an interpreter that knows nothing of
// the package.
func testScript(t *testing.T, mercer string) {
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
		}
		return string(out)
	}
	run(mercer, "convert", "iris", "-o", "iris.csv", "--quiet")
	run(mercer, "fit", "iris.csv", "--method", "rls", "-o", "iris.mercer", "--quiet")
	run(mercer, "export", "iris.mercer", "--format", "sklearn", "-o", "iris.py", "--quiet")
	var want []string
	for _, line := range strings.Split(strings.TrimSpace(run(mercer, "predict", "iris.mercer", "iris.csv")), "\n")[1:] {
		class, _, _ := strings.Cut(line, ",")
		want = append(want, class)
	}
	if got := strings.Fields(run(interpreter, "-I", "iris.py", "iris.csv")); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the script says\n%s\nmercer predict\n%s", got, want)
	}
	testLeftOut(t, dir, run, mercer)
	testScriptFaults(t, dir)
	mails := "body,label\n" + strings.Repeat("cheap offers now,a\nmeeting at noon,b\n", 6)
	if err := os.WriteFile(filepath.Join(dir, "mails.csv"), []byte(mails), 0o600); err != nil {
		t.Fatal(err)
	}
	run(mercer, "fit", "mails.csv", "--text", "body", "--method", "linear-svm", "-o", "mails.mercer", "--quiet")
	run(mercer, "export", "mails.mercer", "--format", "sklearn", "-o", "mails.py", "--quiet")
	if err := os.WriteFile(filepath.Join(dir, "quoted.csv"), []byte("body\ngood bad\n\"\"\n\nfine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	quoted := strings.Count(run(mercer, "predict", "mails.mercer", "quoted.csv"), "\n") - 1
	if got := run(interpreter, "-I", "mails.py", "quoted.csv"); quoted != 3 || strings.Count(got, "\n") != quoted {
		t.Errorf("of %d rows, one of them empty, the script says\n%s", quoted, got)
	}
	if got := run(interpreter, "-I", "mails.py", "mails.csv"); got != strings.Repeat("a\nb\n", 6) {
		t.Errorf("of documents the script says\n%s", got)
	}
}

// testLeftOut checks that a script wants the columns that its model was fitted on, by names with blanks around them too, and no column
// that --drop, --id or --weight took out; and that it passes over empty lines.
func testLeftOut(t *testing.T, dir string, run func(name string, args ...string) string, mercer string) {
	t.Helper()
	known, open := "key,u,junk,v,w,kind\n", "\n v,u \n\n"
	for i := range 24 {
		known += fmt.Sprintf("r%d,%d,%d.5,%d,%d,%s\n", i, i%5+3*(i%2), i%7, i%4, 1+i%3, []string{"a", "b"}[i%2])
		open += fmt.Sprintf("%d,%d\n%s", i%4, i%5+3*(i%2), []string{"", "\n", " \n"}[i%3])
	}
	for name, text := range map[string]string{"known.csv": known, "open.csv": open} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(mercer, "fit", "known.csv", "--method", "svm", "--tune", "none", "--drop", "junk", "--id", "key", "--weight", "w", "-o",
		"part.mercer",
		"--quiet")
	run(mercer, "export", "part.mercer", "--format", "sklearn", "-o", "part.py", "--quiet")
	var want []string
	for _, line := range strings.Split(strings.TrimSpace(run(mercer, "predict", "part.mercer", "open.csv")), "\n")[1:] {
		class, _, _ := strings.Cut(line, ",")
		want = append(want, class)
	}
	for _, rows := range []string{"open.csv", "known.csv"} {
		if got := strings.Fields(run(interpreter, "-I", "part.py", rows)); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("of %s the script says\n%s\nmercer predict\n%s", rows, got, want)
		}
	}
}

// testScriptFaults checks that the script says what is wrong in one line. Its model is taken away in the end.
func testScriptFaults(t *testing.T, dir string) {
	t.Helper()
	faulty := func(rows, want string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "faulty.csv"), []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), interpreter, "-I", "iris.py", "faulty.csv")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v, %s; want a line with %s", rows, err, out, want)
		}
	}
	iris, err := os.ReadFile(filepath.Join(dir, "iris.csv"))
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(iris), "\n")
	first, _, _ := strings.Cut(head, ",")
	faulty("a,b\n1,2\n", "faulty.csv: it lacks the column '"+first+"'")
	faulty("", "faulty.csv: the file has no rows below a line with the names of columns; give both")
	faulty(head+"\n\n", "faulty.csv: the file has no rows below")
	faulty(head+"\n1,2\n", "faulty.csv: row 0 has 2 cells, the header 5")
	faulty(head+"\n1,2,word,4,\n", "is 'word'; the model wants numbers")
	if err := os.Rename(filepath.Join(dir, "iris.mercer"), filepath.Join(dir, "elsewhere.mercer")); err != nil {
		t.Fatal(err)
	}
	faulty(string(iris), "the model file has to stand where it stood beside this script")
}

// The script imports nothing of the package.
func TestScriptStandsAlone(t *testing.T) {
	var b bytes.Buffer
	if err := python.Script(&b, `a "model".mercer`); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "from .") {
			t.Errorf("it has the line %s", line)
		}
	}
	if !strings.Contains(b.String(), `MODEL = "a \"model\".mercer"`) {
		t.Error("the path of the model is not in it")
	}
}
