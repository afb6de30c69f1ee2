package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// here are the documents of this repository.
func here(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := site(os.DirFS("../.."), "dev")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The documents have no dead link, each has its page with a title, and making the site twice gives the same files.
func TestDocuments(t *testing.T) {
	files, again := here(t), here(t)
	if !maps.EqualFunc(files, again, bytes.Equal) {
		t.Error("the same documents gave two sites")
	}
	names, err := documents(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{}
	for _, name := range names {
		page := string(files[address(name)])
		_, rest, ok := strings.Cut(page, "<title>")
		title, _, closed := strings.Cut(rest, "</title>")
		if !ok || !closed || strings.HasPrefix(title, " ") {
			t.Errorf("%s: no title", name)
		}
		titles[title] = name
		if n := strings.Count(page, "<h1"); n != 1 {
			t.Errorf("%s: %d headings of level 1", name, n)
		}
		for _, outside := range []string{`src="http`, `rel="stylesheet" href="http`, "@import"} {
			if strings.Contains(page, outside) {
				t.Errorf("%s: asks another host: %s", name, outside)
			}
		}
	}
	if len(titles) < len(names)*9/10 {
		t.Errorf("%d titles of %d pages", len(titles), len(names))
	}
}

// Every word of a line of a document is found under its heading.
func TestIndex(t *testing.T) {
	var all []entry
	raw := bytes.TrimSuffix(bytes.TrimPrefix(here(t)["search-index.js"], []byte("window.siteIndex = ")), []byte(";\n"))
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ link, word string }{
		{"docs/formats.html#model-file", "little-endian"},
		{"index.html#you-have-you-type", "mercer explain rows.mercer"},
		{"docs/notation.html", "ridge"},
		{"docs/results/tables.html", "semicolons"},
	} {
		if !slices.ContainsFunc(all, func(e entry) bool { return strings.HasPrefix(e.Link, c.link) && strings.Contains(e.Text, c.word) }) {
			t.Errorf("%s: %q is not found", c.link, c.word)
		}
	}
}

// tree has all documents of the subjects, as empty as may be, and the given ones.
func tree(given map[string]string) fstest.MapFS {
	files := fstest.MapFS{try + "/index.html": {Data: []byte("draw")}}
	for _, s := range subjects() {
		for _, name := range s.pages {
			files[name] = &fstest.MapFile{Data: []byte("# " + name + "\n")}
		}
	}
	for name, text := range given {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func TestFaults(t *testing.T) {
	for want, given := range map[string]map[string]string{
		"README.md:3: dead link gone.md: there is no such file": {"README.md": "# A\n\nsee [b](gone.md)\n"},
		"README.md:4: dead link docs/tables.md#b: docs/tables.md has no " +
			"such heading": {"README.md": "# A\n\nand\nsee [b](docs/tables.md#b)\n"},
		"docs/tables.md:3: dead link #below: docs/tables.md has no such heading": {"docs/tables.md": "# A\n\n[x](#below)\n"},
		"README.md:5: dead link x.md: there is " +
			"no such file": {"README.md": "# A\n\n| a |\n|---|\n| [b](x.md) |\n"},
		"README.md:3: dead link docs/gone.md: there is no such document":  {"README.md": "# A\n\nsee `docs/gone.md`\n"},
		"README.md:3: dead link ../../x.png: there is no such file":       {"README.md": "# A\n\n![x](../../x.png)\n"},
		"README.md:3: dead link mailto:a@b: give a path":                  {"README.md": "# A\n\n[x](mailto:a@b)\n"},
		"README.md:3: picture https://a.b/c.png: it lies on another host": {"README.md": "# A\n\n![x](https://a.b/c.png)\n"},
		"README.md:3: HTML in a document":                                 {"README.md": "# A\n\n<script>1</script>\n"},
		"README.md:1: no title":                                           {"README.md": "A\n"},
		"docs/new.md: stands in no subject":                               {"docs/new.md": "# New\n"},
		"README.md:3: dead link LICENSE: the site has pages and pictures alone": {"README.md": "# A\n\n[x](LICENSE)\n",
			"LICENSE": "x"},
	} {
		_, err := site(tree(given), "dev")
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func TestLinks(t *testing.T) {
	files, err := site(tree(map[string]string{
		"README.md": "# A `b`, c\n\n<!-- ci -->\n[t](docs/tables.md#the-same-1) [r](docs/results/README.md) `docs/tables.md` `x.md`\n\n" +
			"## The same\n\n![p](docs/p.png) [h](https://h.org/x?y) [a](#a-b-c)\n",
		"docs/tables.md":     "# T\n\n[up](../README.md) [f](formats.md) `results/a.md`\n\n## The same\n\n## The same\n",
		"docs/results/a.md":  "# Last\n",
		"docs/p.png":         "picture",
		"docs/try/try.js":    "1",
		"docs/try/wasm/a.go": "package main",
	}), "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"index.html": {`href="docs/tables.html#the-same-1">t<`, `href="docs/results/index.html">r<`,
			`<a href="docs/tables.html"><code>docs/tables.md</code></a>`, `<code>x.md</code>`, `src="docs/p.png"`, `href="https://h.org/x?y"`,
			`<h1 id="a-b-c">`, `href="#the-same"`, `rel="next"`},
		"docs/tables.html":    {`href="../index.html">up<`, `href="formats.html">f<`, `<a href="results/a.html"><code>`, `id="the-same-1"`},
		"docs/results/a.html": {`rel="prev"`, `href="../../site.css"`, `href="index.html" aria-current="page"`},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[name]), want) {
				t.Errorf("%s has no %s", name, want)
			}
		}
	}
	if string(files["docs/p.png"]) != "picture" || files["docs/try/try.js"] != nil || strings.Contains(string(files["index.html"]),
		"ci --") {
		t.Error("files beside the pages, or a comment")
	}
}

// The page for the browser is there when its program is.
func TestTry(t *testing.T) {
	files, err := site(tree(map[string]string{try + "/mercer.wasm.gz": "p", try + "/wasm_exec.js": "w", try + "/wasm/a.go": "g"}), "dev")
	if err != nil {
		t.Fatal(err)
	}
	if files[try+"/mercer.wasm.gz"] == nil || files[try+"/index.html"] == nil || files[try+"/wasm/a.go"] != nil ||
		!strings.Contains(string(files["docs/tables.html"]), `href="../docs/try/index.html"`) {
		t.Error("docs/try")
	}
}

// A version is written beside the others, the front leads to the newest release, and foreign folders stay.
func TestPublish(t *testing.T) {
	dir := t.TempDir()
	one := map[string][]byte{"index.html": []byte("one"), "docs/a.html": []byte("a")}
	for _, v := range []string{"0.2.0", "dev", "0.10.0-rc1", "0.10.0", "0.9.1"} {
		if err := publish(dir, v, one); err != nil {
			t.Fatal(err)
		}
	}
	if err := publish(dir, "0.9.1", map[string][]byte{"index.html": []byte("two")}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "9.9.9"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := publish(dir, "9.9.9", one); err == nil || !strings.Contains(err.Error(), "did not write") {
		t.Errorf("a foreign folder: %v", err)
	}
	if err := publish(dir, "0.9.0", one); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(dir, "versions.js"))
	if err != nil || string(list) != `window.siteVersions = ["0.10.0","0.10.0-rc1","0.9.1","0.9.0","0.2.0","dev"];`+"\n" {
		t.Errorf("%s, %v", list, err)
	}
	front, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil || !strings.Contains(string(front), `content="0; url=0.10.0/index.html"`) {
		t.Errorf("%s, %v", front, err)
	}
	var names []string
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if strings.HasPrefix(path, "0.9.1/") || strings.HasPrefix(path, ".site") {
			names = append(names, path)
		}
		return err
	})
	if err != nil || !slices.Equal(names, []string{"0.9.1/index.html", "0.9.1/site.json"}) {
		t.Errorf("written again: %v, %v", names, err)
	}
	for _, bad := range []string{"", "1.0", "v1.0.0", "../x", "1.0.0/x"} {
		if _, ok := parse(bad); ok {
			t.Errorf("version %q is taken", bad)
		}
	}
}
