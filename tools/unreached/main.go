// Unreached lists the functions that no program and no example of this repository reaches, by the analysis of
// golang.org/x/tools/cmd/deadcode. What tests alone call is code that nobody runs: delete it, or put it beside these tests.
//
//	go run ./tools/unreached
//
// Run it from the root of the module. It looks at a copy of the tracked files in which the only tests are examples, all modules in one
// workspace. It fails where a function is unreached that is no exception, and where an exception has become needless. A method that
// reflection could call counts as reached where its type is converted to an interface.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// exception is a folder with a slash at its end, or a file and a function of it, that may be unreached for a reason.
type exception struct{ what, reason string }

// exceptions are all that there are.
func exceptions() []exception {
	const suite, door = "it is a suite that tests run", "it is documented for those who write Go"
	return []exception{
		{"beam/shard/shardtest/", suite},
		{"internal/fittest/", suite},
		{"internal/methodtest/", suite},
		{"internal/test/", suite},
		{"kernel/kerneltest/", suite},
		{"internal/try/drawn/", "the program that calls it, docs/try/wasm, is built for browsers only"},
		{"internal/machine/memory.go littleEndian", "it is called on macOS"},
		{"open.go RowsFor", door},
		{"data/read/libsvm.go LIBSVM", door},
		{"score/system.go SystemPress.Space", "it makes the score an Objective, of which reproduce needs the value alone"},
		{"internal/exchange/libsvm/ranges.go FitRanges", "tests of two packages scale as svm-scale does"},
		{"internal/await/linger.go Prompt", "the check of interrupts in internal/methodtest ends contexts where nothing may linger"},
		{"internal/solve/lars.go StoredColumns.Dims", "tests of two packages have their columns in memory"},
		{"internal/solve/lars.go StoredColumns.Block", "tests of two packages have their columns in memory"},
	}
}

// covers says whether the function of a file is one of the exception.
func (e exception) covers(function string) bool {
	return e.what == function || strings.HasSuffix(e.what, "/") && strings.HasPrefix(function, e.what)
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "unreached:", err)
		os.Exit(1)
	}
}

// run prints what is unreached and no exception, and the exceptions that except nothing.
func run(w io.Writer) error {
	dir, err := os.MkdirTemp("", "unreached")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder for temporary files
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	modules, err := copyTree(dir)
	if err != nil {
		return err
	}
	functions, err := unreached(dir, modules)
	if err != nil {
		return err
	}
	faults := judge(functions, exceptions())
	for _, f := range faults {
		fmt.Fprintln(w, f)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%d faults", len(faults))
	}
	return nil
}

// judge returns a line for each function that no exception covers, and for each exception that covers none.
func judge(functions []string, allowed []exception) (faults []string) {
	for _, f := range functions {
		if !slices.ContainsFunc(allowed, func(e exception) bool { return e.covers(f) }) {
			faults = append(faults, f+": no program and no example reaches it")
		}
	}
	for _, e := range allowed {
		if !slices.ContainsFunc(functions, e.covers) {
			faults = append(faults, e.what+": it is reached, and needs no exception")
		}
	}
	return faults
}

// copyTree copies the tracked files, examples as the only tests, and returns the folders of the modules.
func copyTree(dir string) (modules []string, err error) {
	list, err := output(".", "git", "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(list), "\x00") {
		if name == "" || strings.HasSuffix(name, "_test.go") && !strings.Contains(path.Base(name), "example") {
			continue
		}
		if path.Base(name) == "go.mod" && name != "tools/pins/go.mod" {
			modules = append(modules, "./"+path.Dir(name))
		}
		text, err := fs.ReadFile(os.DirFS("."), name)
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			return nil, err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
			return nil, err
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return nil, err
		}
	}
	_, err = output(dir, "go", append([]string{"work", "init"}, modules...)...)
	return modules, err
}

// unreached are the functions that deadcode finds in the modules below dir, each as its file and its name.
func unreached(dir string, modules []string) ([]string, error) {
	tool, err := output(".", "go", "tool", "-modfile=tools/pins/go.mod", "-n", "deadcode")
	if err != nil {
		return nil, err
	}
	arguments := []string{"-test", "-json", "-filter=^github.com/mercer-ml/mercer"}
	for _, m := range modules {
		arguments = append(arguments, m+"/...")
	}
	text, err := output(dir, strings.TrimSpace(string(tool)), arguments...)
	if err != nil {
		return nil, err
	}
	var packages []struct {
		Funcs []struct {
			Name     string
			Position struct{ File string }
		}
	}
	if err := json.Unmarshal(text, &packages); err != nil {
		return nil, err
	}
	var functions []string
	for _, p := range packages {
		for _, f := range p.Funcs {
			file := f.Position.File
			if filepath.IsAbs(file) {
				if file, err = filepath.Rel(dir, file); err != nil {
					return nil, err
				}
			}
			functions = append(functions, filepath.ToSlash(file)+" "+f.Name)
		}
	}
	slices.Sort(functions)
	return slices.Compact(functions), nil
}

// output is what a command writes when it is run in a folder; its messages are part of the error.
func output(dir, name string, arguments ...string) ([]byte, error) {
	var out, said bytes.Buffer
	c := exec.Command(name, arguments...) //nolint:gosec // programs of this file
	c.Dir, c.Stdout, c.Stderr = dir, &out, &said
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, said.Bytes())
	}
	return out.Bytes(), nil
}
