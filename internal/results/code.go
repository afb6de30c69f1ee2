package results

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Measured is the package whose code a page of docs/results measures, with all that it imports, by the page's name.
func Measured(page string) string {
	name := strings.TrimSuffix(filepath.Base(page), ".md")
	switch first, _, _ := strings.Cut(name, "-"); first {
	case "engine":
		return "./internal/blas"
	case "first":
		return "./data/read"
	case "neighbours":
		return "./graph"
	case "label":
		return "./internal/label"
	case "serve":
		return "./serve"
	case "reproduce":
		return "./internal/reproduce"
	case "pages":
		return "./internal/cli"
	case "predict", "onnx":
		return "./internal/apply"
	case "size", "suite", "mutants":
		return "./..."
	}
	return "./internal/fit"
}

// Root is the nearest folder from here upwards with this repository's go.mod.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/mercer-ml/mercer\n") {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod of this repository here or above")
		}
		dir = up
	}
}

// Code is a hash of the Go and assembly files, without tests, of packages of the repository with this root and of all those of it that they
// import: twelve digits of SHA-256 over names and contents, in the order of the names.
func Code(root, packages string) (string, error) {
	const format = "{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}" +
		"{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{range .SFiles}}{{$d}}/{{.}}\n{{end}}{{end}}{{end}}"
	list := exec.Command("go", "list", "-deps", "-f", format, packages)
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0") // the same files wherever it is asked
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", packages, err)
	}
	files := strings.Fields(string(out))
	slices.Sort(files)
	sum := sha256.New()
	for _, file := range slices.Compact(files) {
		name, err := filepath.Rel(root, file)
		if err != nil {
			return "", err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n", filepath.ToSlash(name), len(text))
		if _, err := sum.Write(text); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))[:12], nil
}

// OfCode says in a heading which code a page measures; nothing where the code or the go command is not at hand.
func OfCode(page string) string {
	root, err := Root()
	if err != nil {
		return ""
	}
	code, err := Code(root, Measured(page))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(", code %s of %s", code, Measured(page))
}

// Outdated writes to w the pages of docs/results below a root that were measured with other code than there is, or do not say with which,
// and returns how many there are. A study that is finished is left out.
func Outdated(w io.Writer, root string) (count int, err error) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "results", "*.md"))
	if err != nil {
		return 0, err
	}
	now := map[string]string{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return count, err
		}
		name := filepath.Base(page)
		head, _, _ := strings.Cut(string(text), "\n## ")
		if name == "README.md" || strings.Contains(head, "\nThis study is finished;") {
			continue
		}
		of := Measured(page)
		if now[of] == "" {
			if now[of], err = Code(root, of); err != nil {
				return count, err
			}
		}
		said := strings.Join(strings.Fields(head), " ")
		switch {
		case strings.Contains(said, ", code "+now[of]+" of "+of):
			continue
		case strings.Contains(said, ", code "):
			fmt.Fprintf(w, "%s: %s has changed\n", name, of)
		default:
			fmt.Fprintf(w, "%s: does not say which code of %s it measured\n", name, of)
		}
		count++
	}
	return count, nil
}
