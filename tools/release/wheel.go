package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tags are the platforms of wheels, as Python names them. The program for Linux is linked to no library, and
// macOS 12 is the oldest that Go 1.26 supports.
func tags() map[platform]string {
	return map[platform]string{
		{"darwin", "amd64"}:  "macosx_12_0_x86_64",
		{"darwin", "arm64"}:  "macosx_12_0_arm64",
		{"linux", "amd64"}:   "manylinux_2_17_x86_64.manylinux2014_x86_64",
		{"linux", "arm64"}:   "manylinux_2_17_aarch64.manylinux2014_aarch64",
		{"windows", "amd64"}: "win_amd64",
		{"windows", "arm64"}: "win_arm64",
	}
}

var (
	versionLine  = regexp.MustCompile(`(?m)^__version__ = .*$`)
	packageAbout = regexp.MustCompile(`(?s)METADATA = f"""\\\n(.*?)"""`)
)

// wheel packs the Python package with the program, which pip puts among the programs of the environment: nothing else is needed to fit
// but numpy. It has what python/backend.py says of the package, which makes the wheel without a program, and the texts of the licences.
func wheel(root, version string, p platform, files []entry) (name string, packed []byte, err error) {
	number := pythonVersion(version)
	backend, err := os.ReadFile(filepath.Join(root, "python", "backend.py"))
	if err != nil {
		return "", nil, err
	}
	about := packageAbout.FindSubmatch(backend)
	if about == nil {
		return "", nil, fmt.Errorf("python/backend.py has no METADATA")
	}
	title := "mercer_ml-" + number
	info, scripts := title+".dist-info/", title+".data/scripts/"
	inside, err := modules(root, number)
	if err != nil {
		return "", nil, err
	}
	for _, f := range files {
		switch {
		case f.executable:
			inside = append(inside, entry{scripts + f.name, f.content, true})
		case f.name == "LICENSE" || f.name == "LICENCES.txt":
			inside = append(inside, entry{info + f.name, f.content, false})
		}
	}
	of := strings.ReplaceAll(string(about[1]), "{VERSION}", number)
	kind := "Wheel-Version: 1.0\nGenerator: tools/release\nRoot-Is-Purelib: false\n"
	for _, tag := range strings.Split(tags()[p], ".") {
		kind += "Tag: py3-none-" + tag + "\n"
	}
	inside = append(inside, entry{info + "METADATA", []byte(of), false}, entry{info + "WHEEL", []byte(kind), false})
	slices.SortFunc(inside, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	inside = append(inside, entry{info + "RECORD", record(inside, info+"RECORD"), false})
	var b bytes.Buffer
	err = zipped(&b, inside)
	return title + "-py3-none-" + tags()[p] + ".whl", b.Bytes(), err
}

// modules are the files of the Python package, of the version that is released.
func modules(root, number string) ([]entry, error) {
	folder := filepath.Join(root, "python", "mercer")
	names, err := filepath.Glob(filepath.Join(folder, "*.py"))
	if err != nil {
		return nil, err
	}
	var list []entry
	for _, path := range append(names, filepath.Join(folder, "py.typed")) {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		content = versionLine.ReplaceAll(content, []byte(`__version__ = "`+number+`"`))
		list = append(list, entry{"mercer/" + filepath.Base(path), content, false})
	}
	return list, nil
}

// record lists the files of a wheel with their sums, as the format of wheels asks.
func record(files []entry, own string) []byte {
	var b bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.content)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.content))
	}
	fmt.Fprintf(&b, "%s,,\n", own)
	return b.Bytes()
}

// pythonVersion is a version as Python writes it: v0.1.0 is 0.1.0, and v0.1.0-rc.1 the local version 0.1.0+rc.1.
func pythonVersion(version string) string {
	number, rest, ok := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	if !ok {
		return number
	}
	return number + "+" + strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(rest), "."), ".")
}
