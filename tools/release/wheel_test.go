package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// A wheel has the package with the version of the release, the program that pip makes executable, the licences, and a list of all.
func TestWheel(t *testing.T) {
	files := []entry{{"mercer.exe", []byte("program"), true}, {"LICENSE", []byte("text"), false}, {"LICENCES.txt", []byte("texts"), false},
		{"README.md", []byte("read"), false}}
	for _, p := range platforms() {
		name, raw, err := wheel("../..", "v9.8.7", p, files)
		if err != nil || !strings.HasPrefix(name, "mercer_ml-9.8.7-py3-none-") || strings.HasSuffix(name, "-.whl") {
			t.Fatalf("%s: %s, %v", p, name, err)
		}
		z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{
			"mercer/__init__.py":                      "\n__version__ = \"9.8.7\"\n",
			"mercer/py.typed":                         "",
			"mercer_ml-9.8.7.data/scripts/mercer.exe": "program",
			"mercer_ml-9.8.7.dist-info/LICENCES.txt":  "texts",
			"mercer_ml-9.8.7.dist-info/METADATA":      "Name: mercer-ml\nVersion: 9.8.7\n",
			"mercer_ml-9.8.7.dist-info/WHEEL":         "Root-Is-Purelib: false\nTag: py3-none-",
			"mercer_ml-9.8.7.dist-info/RECORD":        "mercer/_model.py,sha256=",
			"mercer_ml-9.8.7.dist-info/LICENSE":       "text",
			"mercer_ml-9.8.7.dist-info/README.md":     "absent",
		} {
			text, err := fs.ReadFile(z, path)
			if absent := want == "absent"; absent != (err != nil) || !absent && !strings.Contains(string(text), want) {
				t.Errorf("%s: %s: %v, %.200s", p, path, err, text)
			}
		}
		for _, f := range z.File {
			if program := strings.Contains(f.Name, "/scripts/"); f.Mode()&0o111 != 0 != program {
				t.Errorf("%s has the mode %v", f.Name, f.Mode())
			}
		}
	}
}

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{"v0.1.0": "0.1.0", "v1.2.3-rc.1": "1.2.3+rc.1", "v1.2.3-Beta-2": "1.2.3+beta.2"} {
		if got := pythonVersion(version); got != want {
			t.Errorf("%s is %s, want %s", version, got, want)
		}
	}
}

// The wheel is installed by pip in a new environment, with no program on the path, and fits there.
func TestInstalledWheel(t *testing.T) {
	slowtest.Only(t, "it builds the program")
	const interpreter = "/usr/bin/python3"
	if err := exec.CommandContext(t.Context(), interpreter, "-c", "import numpy, venv, ensurepip").Run(); err != nil {
		t.Skipf("skipped: %s has no numpy or makes no environments (apt-get install python3-numpy python3-venv): %v", interpreter, err)
	}
	here := platform{runtime.GOOS, runtime.GOARCH}
	binary, err := build("../..", "v9.8.7", here)
	if err != nil {
		t.Fatal(err)
	}
	name, raw, err := wheel("../..", "v9.8.7", here, []entry{{"mercer", binary, true}, {"LICENCES.txt", []byte("texts"), false}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), args[0], args[1:]...)
		c.Dir, c.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run(interpreter, "-m", "venv", "--system-site-packages", "new")
	run("new/bin/python", "-m", "pip", "install", "--no-index", "--no-deps", name)
	out := run("new/bin/python", "-c", "import mercer, numpy as np\nX = np.arange(40.0).reshape(20, 2)\n"+
		"print(mercer.__version__, mercer.MercerClassifier('rls').fit(X, X[:, 0] > 20).score(X, X[:, 0] > 20))")
	if out != "9.8.7 1.0\n" {
		t.Errorf("it says %s", out)
	}
	if said := run("new/bin/mercer", "version"); !strings.HasPrefix(said, "mercer v9.8.7\n") {
		t.Errorf("the program says %s", said)
	}
}
