package results

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
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

// Code is a hash of what may change the figures of packages of the repository with this root: twelve digits of SHA-256 over the names and
// contents of their Go, assembly and embedded files and of those of all packages of the repository that they import, in the order of the
// names. Of a Go file only the code counts, not its comments and its spaces; tests do not count.
func Code(root, packages string) (string, error) {
	const format = "{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}" +
		"{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{range .SFiles}}{{$d}}/{{.}}\n{{end}}" +
		"{{range .EmbedFiles}}{{$d}}/{{.}}\n{{end}}{{end}}{{end}}"
	list := exec.Command("go", "list", "-deps", "-f", format, packages)
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0") // the same files wherever it is asked
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", packages, err)
	}
	files := strings.Split(strings.TrimSpace(string(out)), "\n")
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
		if filepath.Ext(file) == ".go" {
			text = codeOf(text)
		}
		fmt.Fprintf(sum, "%s %d\n", filepath.ToSlash(name), len(text))
		if _, err := sum.Write(text); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))[:12], nil
}

// codeOf is the code of a Go file, a word of it a line, without comments.
func codeOf(text []byte) []byte {
	var code []byte
	var words scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	words.Init(file, text, nil, 0)
	for {
		_, kind, written := words.Scan()
		switch {
		case kind == token.EOF:
			return code
		case written == "" || written == "\n": // an operator; the end of a line as a semicolon
			written = kind.String()
		}
		code = append(append(code, written...), '\n')
	}
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

// Page is a page of docs/results that was measured with other code than there is.
type Page struct {
	Name    string // of its file
	Why     string // that it is outdated
	Command string // that writes it anew
}

// Outdated are the pages of docs/results below a root that were measured with other code than there is, or do not say with which.
// A study that is finished is left out.
func Outdated(root string) ([]Page, error) {
	files, err := filepath.Glob(filepath.Join(root, "docs", "results", "*.md"))
	if err != nil {
		return nil, err
	}
	now := map[string]string{}
	var pages []Page
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		page := Page{Name: filepath.Base(file)}
		head, _, _ := strings.Cut(string(text), "\n## ")
		if page.Name == "README.md" || strings.Contains(head, "\nThis study is finished;") {
			continue
		}
		of := Measured(page.Name)
		if now[of] == "" {
			if now[of], err = Code(root, of); err != nil {
				return nil, err
			}
		}
		said := strings.Join(strings.Fields(head), " ")
		switch {
		case strings.Contains(said, ", code "+now[of]+" of "+of):
			continue
		case strings.Contains(said, ", code "):
			page.Why = of + " has changed"
		default:
			page.Why = "does not say which code of " + of + " it measured"
		}
		page.Command = commandOf(head)
		pages = append(pages, page)
	}
	return pages, nil
}

// commandOf is the command in the heading of a page, on one line.
func commandOf(head string) string {
	var parts []string
	for line := range strings.Lines(head) {
		part, indented := strings.CutPrefix(line, "    ")
		if !indented && len(parts) > 0 {
			break
		}
		if indented {
			parts = append(parts, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(part), "\\")))
		}
	}
	return strings.Join(parts, " ")
}
