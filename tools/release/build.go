package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// tool runs the go command for a platform, with nothing from the environment that changes what is built. Its output.
func tool(root string, p platform, args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Dir = root
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.system, "GOARCH="+p.processor, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=",
		"GOWORK=off", "GOEXPERIMENT=", "GOTOOLCHAIN="+runtime.Version())
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s for %s: %w: %s", args[0], p, err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

// build makes the program. Neither the folder nor the state of git is in it, so that a source archive gives the same bits as a clone;
// the version is set by the linker for that reason.
func build(root, version string, p platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "mercer-release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a folder for temporary files
	path := filepath.Join(dir, "mercer")
	_, err = tool(root, p, "build", "-trimpath", "-buildvcs=false", "-mod=readonly",
		"-ldflags=-s -w -X github.com/mercer-ml/mercer/internal/cli.released="+version, "-o", path, "./cmd/mercer")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// contents are the files of an archive.
func contents(root string, p platform, binary []byte) ([]entry, error) {
	program := "mercer"
	if p.system == "windows" {
		program += ".exe"
	}
	files := []entry{{program, binary, true}}
	for _, name := range []string{"README.md", "CHANGELOG.md", "LICENSE", "NOTICES.md"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, entry{name, content, false})
	}
	texts, err := licenceTexts(root, p)
	if err != nil {
		return nil, err
	}
	return append(files, entry{"LICENCES.txt", texts, false}), nil
}

// legal are names of files, and of folders of files, that a module has for its licence.
var legal = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|notice|patents|third_party_licenses)([-._].*)?$`)

// licenceTexts joins the licences of Go and of all modules in the program, whose terms ask that they go with it.
func licenceTexts(root string, p platform) ([]byte, error) {
	goroot, err := tool(root, p, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	listed, err := tool(root, p, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./cmd/mercer")
	if err != nil {
		return nil, err
	}
	lines := append(strings.Split(string(listed), "\n"), "Go\t"+strings.TrimSpace(string(goroot)))
	slices.Sort(lines)
	var b bytes.Buffer
	for _, line := range slices.Compact(lines) {
		path, dir, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		n := b.Len()
		if err := texts(&b, path, dir); err != nil {
			return nil, err
		}
		if b.Len() == n {
			return nil, fmt.Errorf("%s: no licence in %s; a program with it cannot be given away", path, dir)
		}
	}
	return b.Bytes(), nil
}

// texts writes the licences of a module, each below its name.
func texts(b *bytes.Buffer, module, dir string) error {
	return fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		top, _, inside := strings.Cut(path, "/")
		if d.IsDir() {
			if inside || !legal.MatchString(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !legal.MatchString(top) || strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if errors.Is(err, fs.ErrNotExist) { // a link that leads nowhere, as distributions make
			return nil
		}
		fmt.Fprintf(b, "==== %s: %s\n\n%s\n\n", module, path, bytes.TrimSpace(text))
		return err
	})
}
