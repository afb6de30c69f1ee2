package python_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
