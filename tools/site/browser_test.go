package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// dump is the document of an address when its scripts have run, as Debian's Chromium has it.
func dump(t *testing.T, address string) string {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium here; on Debian: apt-get install chromium")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	said, err := exec.CommandContext(ctx, chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=20000", "--dump-dom", address).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// A search works on pages in a folder, without a server, and its first result is the section on what is sought.
func TestSearch(t *testing.T) {
	dir := t.TempDir()
	if err := publish(dir, "dev", here(t)); err != nil {
		t.Fatal(err)
	}
	page := dump(t, "file://"+filepath.Join(dir, "dev/docs/report.html")+"?q=trace+file")
	_, found, ok := strings.Cut(page, `<section id="found"`)
	if !ok || !strings.Contains(found[:min(len(found), 600)], `href="../docs/formats.html#trace-file"`) {
		t.Errorf("what was found: %.800s", found)
	}
}

// No page is wider than a telephone of 360 pixels. Of the pages of results, which are alike, those with the widest tables are seen.
func TestNarrow(t *testing.T) {
	files := here(t)
	var names []string
	widest := []string{"index.html", "tables.html", "forecast.html", "hostile.html"}
	for name := range files {
		if strings.HasSuffix(name, ".html") && !strings.HasPrefix(name, try) &&
			(!strings.HasPrefix(name, results+"/") || slices.Contains(widest, path.Base(name))) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if files[name] == nil {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(string(files[name])))
	})
	mux.HandleFunc("/all", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `<!DOCTYPE html><body><iframe style="width:360px;height:700px;border:0"></iframe><p id="seen"></p><script>
const names = %q.split(" "), frame = document.querySelector("iframe"), wide = [];
let i = 0;
const go = () => { frame.src = names[i]; };
frame.onload = () => {
  const page = frame.contentDocument;
  if (page.URL === "about:blank") return;
  if (page.documentElement.scrollWidth > 360) wide.push(names[i] + " " + page.documentElement.scrollWidth);
  i++;
  if (i < names.length) go(); else document.getElementById("seen").textContent = i + " seen; wide: " + wide.join(", ") + ";";
};
go();
</script>`, strings.Join(names, " "))
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	page := dump(t, server.URL+"/all")
	want := fmt.Sprintf("%d seen; wide: ;", len(names))
	if !strings.Contains(page, want) {
		_, seen, _ := strings.Cut(page, `id="seen">`)
		t.Errorf("want %s: %.600s", want, seen)
	}
}
