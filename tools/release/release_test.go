package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

func notices(t *testing.T) map[string]map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("../../NOTICES.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := parse(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// NOTICES.md names the modules that are linked into each program, and no other.
func TestNotices(t *testing.T) {
	named := notices(t)
	for program, module := range map[string]string{"cmd/mercer": ".", "arrow/cmd/mercer-arrow": "arrow", "beam/cmd/mercer-beam": "beam"} {
		t.Run(program, func(t *testing.T) {
			if module != "." {
				slowtest.Only(t, "it fetches the modules of "+module)
			}
			linked := map[string]bool{}
			for _, system := range []string{"linux", "darwin", "windows"} {
				out, err := tool(filepath.Join("../..", module), platform{system, "amd64"}, "list", "-deps", "-f",
					"{{with .Module}}{{.Path}}{{end}}", "./"+strings.TrimPrefix(program, module+"/"))
				if err != nil && module != "." {
					t.Skipf("the modules of %s cannot be fetched: %v", module, err)
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, path := range strings.Fields(string(out)) {
					if !strings.HasPrefix(path, "github.com/mercer-ml/mercer") {
						linked[bare(path)] = true
					}
				}
			}
			for _, path := range slices.Sorted(maps.Keys(linked)) {
				if named[program][path] == nil {
					t.Errorf("%s is linked and not named", path)
				}
			}
			for _, path := range slices.Sorted(maps.Keys(named[program])) {
				if !linked[path] {
					t.Errorf("%s is named and not linked", path)
				}
			}
		})
	}
}

func TestParse(t *testing.T) {
	all, err := parse("| what | licence | from |\n|---|---|---|\n| a.b/c, d.e/f | MIT, FreeType License | x |\n| fonts | MIT | y |\n" +
		"A binary of `x/y` also contains\n| g.h/i | MIT | z |\n")
	want := "map[cmd/mercer:map[a.b/c:[MIT FTL] d.e/f:[MIT FTL]] x/y:map[a.b/c:[MIT FTL] d.e/f:[MIT FTL] g.h/i:[MIT]]]"
	if err != nil || fmt.Sprint(all) != want {
		t.Errorf("%v, %v", all, err)
	}
	_, err = parse("| a.b/c | MIT | x |\n| a.b/c | MIT | x |\n")
	if err == nil || !strings.Contains(err.Error(), "NOTICES.md:2: a.b/c stands there twice") {
		t.Error(err)
	}
}

// Archives do not depend on the order in which they are filled, and give back what was put in.
func TestPack(t *testing.T) {
	files := []entry{{"mercer", []byte("program"), true}, {"LICENSE", []byte("text"), false}}
	other := []entry{files[1], files[0]}
	for _, p := range []platform{{"linux", "arm64"}, {"windows", "amd64"}} {
		a, ending, err := pack("m", p, files)
		b, _, again := pack("m", p, other)
		if err != nil || again != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %v, %v, or two archives", p, err, again)
		}
		if got := unpacked(t, a, ending); got != "m/LICENSE 644 text; m/mercer 755 program; " {
			t.Errorf("%s: %s", p, got)
		}
	}
}

// unpacked lists an archive.
func unpacked(t *testing.T, raw []byte, ending string) string {
	t.Helper()
	var said strings.Builder
	if ending == ".zip" {
		z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			content, err := fs.ReadFile(z, f.Name)
			fmt.Fprintf(&said, "%s %o %s; ", f.Name, f.Mode().Perm(), content)
			if err != nil || !f.Modified.Equal(then()) {
				t.Errorf("%s: %v, %v", f.Name, f.Modified, err)
			}
		}
		return said.String()
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return said.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		fmt.Fprintf(&said, "%s %o %s; ", h.Name, h.Mode, content)
		if err != nil || !h.ModTime.Equal(then()) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%+v, %v", h, err)
		}
	}
}

// Two releases from two folders are the same, bit for bit; the program says its version, and the SBOM what is in it.
func TestTwice(t *testing.T) {
	slowtest.Only(t, "it builds the program twice")
	here := platform{runtime.GOOS, runtime.GOARCH}
	if !slices.Contains(platforms(), here) {
		t.Skipf("%s is not released", here)
	}
	copied := filepath.Join(t.TempDir(), "elsewhere")
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = "../.."
	names, err := list.Output()
	if err != nil {
		t.Skipf("no checkout of git: %v", err)
	}
	for _, name := range strings.Split(strings.TrimRight(string(names), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(copied, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	one, two := t.TempDir(), t.TempDir()
	for root, out := range map[string]string{"../..": one, copied: two} {
		if err := release(root, out, "v9.8.7", []platform{here}); err != nil {
			t.Fatal(err)
		}
	}
	sums := files(t, one)
	if !maps.EqualFunc(sums, files(t, two), bytes.Equal) || len(sums) != 4 {
		t.Error("two folders gave two releases")
	}
	for name, content := range sums {
		if name != "SHA256SUMS" && !strings.Contains(string(sums["SHA256SUMS"]), fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name)) {
			t.Errorf("%s: not in SHA256SUMS", name)
		}
	}
	binary, err := build("../..", "v9.8.7", here)
	if err != nil {
		t.Fatal(err)
	}
	checkBill(t, sums["mercer_9.8.7_"+here.system+"_"+here.processor+".cdx.json"], binary)
	program := filepath.Join(t.TempDir(), "mercer.exe")
	if err := os.WriteFile(program, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(program, "version").Output()
	if err != nil || !strings.HasPrefix(string(said), "mercer v9.8.7\n") {
		t.Errorf("%s, %v", said, err)
	}
	if strings.Contains(string(binary), copied) {
		t.Error("the folder is in the program")
	}
}

func checkBill(t *testing.T, raw, binary []byte) {
	t.Helper()
	var b bill
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(binary))
	if b.Spec != "1.5" || b.Metadata.Component.Version != "v9.8.7" || b.Metadata.Component.Hashes[0].Content != sum {
		t.Errorf("%+v", b.Metadata)
	}
	if len(b.Components) < 20 || len(b.Dependencies) != 1 || len(b.Dependencies[0].On) != len(b.Components) {
		t.Errorf("%d components", len(b.Components))
	}
	for _, c := range b.Components {
		if c.Version == "" || len(c.Licences) == 0 || c.Licences[0].Licence.ID == "" || !strings.HasPrefix(c.URL, "pkg:golang/") {
			t.Errorf("%+v", c)
		}
	}
}

func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestUsage(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "a"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"usage: go run ./tools/release": {"-o", "x", "-version", "0.1.0"},
		"-only plan9/amd64: give one":   {"-o", "x", "-version", "v0.1.0", "-only", "plan9/amd64"},
		full + ": not empty":            {"-o", full, "-version", "v0.1.0"},
	} {
		if err := run(args); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
