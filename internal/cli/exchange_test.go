package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// exchanged asks the two rows of docs/exchange.md in one language: the block of code is written into a folder that has
// iris.mercer, iris.onnx, iris.py and node_modules, and what is printed must hold the classes 0 and 2.
type exchanged struct {
	language string
	file     func(code string) (name, text string)
	command  func(t *testing.T, dir, path string) *exec.Cmd // skips where the program is absent
}

var exchange = []exchanged{
	{"go", func(code string) (string, string) {
		code = strings.ReplaceAll(strings.ReplaceAll(code, "{ ... }", "{ panic(err) }"), "\n", "\n\t")
		return "main.go", fmt.Sprintf("package main\n\nimport "+
			"(\n\t\"context\"\n\t\"fmt\"\n\t\"os\"\n\n\t%q\n\t%q\n\t%q\n)\n\nfunc main() {\n"+
			"\tctx := context.Background()\n\tif err := os.Chdir(os.Args[1]); err != nil {\n\t\tpanic(err)\n\t}\n\t%s\n}\n",
			"github.com/mercer-ml/mercer/data", "github.com/mercer-ml/mercer/model", "gonum.org/v1/gonum/mat", code)
	}, func(t *testing.T, dir, path string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "go", "run", path, dir) // in this package's folder, where the modules are known
	}},
	{"python", func(code string) (string, string) { return "ask.py", code }, func(t *testing.T, _, path string) *exec.Cmd {
		const python = "/usr/bin/python3"
		if err := exec.CommandContext(t.Context(), python, "-c", "import numpy").Run(); err != nil {
			t.Skip("skipped: " + python + " has no numpy")
		}
		return exec.CommandContext(t.Context(), python, path)
	}},
	{"js", func(code string) (string, string) { return "ask.mjs", code }, func(t *testing.T, dir, path string) *exec.Cmd {
		node, err := exec.LookPath("node")
		if err != nil {
			t.Skip("skipped: node is not installed")
		}
		linked(t, dir)
		cmd := exec.CommandContext(t.Context(), node, path)
		cmd.Dir = dir
		return cmd
	}},
	{"html", func(code string) (string, string) { return "ask.html", code }, func(t *testing.T, dir, _ string) *exec.Cmd {
		chromium, err := exec.LookPath("chromium")
		if err != nil {
			t.Skip("skipped: chromium is not installed")
		}
		linked(t, dir)
		server := httptest.NewServer(http.FileServer(http.Dir(dir)))
		t.Cleanup(server.Close)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		t.Cleanup(cancel)
		return exec.CommandContext(ctx, chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
			"--user-data-dir="+t.TempDir(), "--virtual-time-budget=30000", "--dump-dom", server.URL+"/ask.html")
	}},
}

// linked makes the runtime of ONNX that the tests are told of the one of a folder.
func linked(t *testing.T, dir string) {
	t.Helper()
	runtime := os.Getenv("MERCER_ONNXRUNTIME")
	if runtime == "" {
		t.Skip("skipped: MERCER_ONNXRUNTIME names no folder of onnxruntime-web (npm install onnxruntime-web)")
	}
	if err := os.MkdirAll(filepath.Join(dir, "node_modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = os.Symlink(runtime, filepath.Join(dir, "node_modules", "onnxruntime-web")) // it is there for the second time
}

// The examples of docs/exchange.md say the same in every language, and are there.
func TestExchangeExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it runs programs of its own, and -short does without")
	}
	document, err := os.ReadFile("../../docs/exchange.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"fit", "iris", "--method", "rls", "-o", at("iris.mercer"), "--quiet"},
		{"export", at("iris.mercer"), "--format", "onnx", "-o", at("iris.onnx"), "--quiet"},
		{"export", at("iris.mercer"), "--format", "sklearn", "-o", at("iris.py"), "--quiet"},
	} {
		if r := run(t, "", args...); r.code != exitDone {
			t.Fatalf("mercer %s: %s", strings.Join(args, " "), r.stderr)
		}
	}
	for _, e := range exchange {
		t.Run(e.language, func(t *testing.T) {
			code := regexp.MustCompile("(?s)\n```" + e.language + "\n(.*?)\n```\n").FindSubmatch(document)
			if code == nil {
				t.Fatal("the document has no such block")
			}
			name, text := e.file(string(code[1]))
			if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := e.command(t, dir, at(name)).Output()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if answer := strings.TrimSpace(string(out)); !regexp.MustCompile(`(^|\[ '|answer">)0(', '|\s+)2(' \]|</p>|$)`).MatchString(answer) {
				t.Errorf("it says %s", answer)
			}
		})
	}
}
