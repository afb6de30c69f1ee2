package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

//go:embed front.html
var front string

// mark is the file by which the folder of a version is known, and never mistaken for another.
const mark = "site.json"

// number is a version, parsed: before a release without a suffix come those with one, and dev is no release.
type number struct {
	parts  [3]int
	suffix string
	dev    bool
}

var form = regexp.MustCompile(`^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(-[0-9A-Za-z.-]+)?$`)

func parse(name string) (number, bool) {
	if name == "dev" {
		return number{dev: true}, true
	}
	m := form.FindStringSubmatch(name)
	if m == nil {
		return number{}, false
	}
	var n number
	for i := range n.parts {
		n.parts[i], _ = strconv.Atoi(m[i+1]) // digits, few
	}
	n.suffix = m[4]
	return n, true
}

// newer orders versions from the newest: releases, those on the way to a release after it, dev last.
func newer(a, b string) int {
	x, _ := parse(a)
	y, _ := parse(b)
	if x.dev != y.dev {
		return boolean(x.dev)
	}
	if c := slices.Compare(y.parts[:], x.parts[:]); c != 0 {
		return c
	}
	if (x.suffix == "") != (y.suffix == "") {
		return boolean(x.suffix != "")
	}
	return cmp.Compare(y.suffix, x.suffix)
}

func boolean(last bool) int {
	if last {
		return 1
	}
	return -1
}

// publish writes a version beside those that are there, and the list of all. The folder of the version is written under another
// name first, so that a fault leaves the one before.
func publish(dir, version string, files map[string][]byte) error {
	to := filepath.Join(dir, version)
	if _, err := os.Stat(to); err == nil {
		if _, err := os.Stat(filepath.Join(to, mark)); err != nil {
			return fmt.Errorf("%s: a folder that this program did not write; remove it, or give another -o", to)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	raw, err := json.Marshal(map[string]string{"version": version})
	if err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(dir, ".site-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(fresh) }() // it is gone if all went well
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	if err := write(fresh, mark, append(raw, '\n')); err != nil {
		return err
	}
	for name, content := range files {
		if err := write(fresh, name, content); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.Rename(fresh, to); err != nil {
		return err
	}
	return list(dir)
}

func write(dir, name string, content []byte) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// list writes what stands above the versions: index.html, which leads to the newest, and the list that pages of all versions show.
func list(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var versions []string
	for _, e := range entries {
		if _, ok := parse(e.Name()); !ok || !e.IsDir() {
			continue
		}
		if _, err := fs.Stat(os.DirFS(dir), e.Name()+"/"+mark); err == nil {
			versions = append(versions, e.Name())
		}
	}
	slices.SortFunc(versions, newer)
	t, err := template.New("front").Parse(front)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, versions); err != nil {
		return err
	}
	raw, err := json.Marshal(versions)
	if err != nil {
		return err
	}
	if err := write(dir, "versions.js", []byte("window.siteVersions = "+string(raw)+";\n")); err != nil {
		return err
	}
	return write(dir, "index.html", b.Bytes())
}
