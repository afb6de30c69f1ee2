package serve

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/model"
)

// rewritten gives the model of a file another seed, at a time of its own.
func rewritten(t *testing.T, path string, seed uint64) {
	t.Helper()
	if err := three(seed).Save(path); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2030, 1, 1, 0, 0, int(seed), 0, time.UTC)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// twice is a server of two versions of one model, and their files.
func twice(t *testing.T) (*Server, []*file) {
	t.Helper()
	paths := append(saved(t, map[string]*model.Model{"m": three(1)}), saved(t, map[string]*model.Model{"m": three(5)})...)
	s, err := New(t.Context(), paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, s.models.files["m"]
}

// TestUnloadWhileLoading: whichever is later, an unload in the midst of a load ends neither the server nor the request; and a file that was
// unloaded is not followed, though it had changed before.
func TestUnloadWhileLoading(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1)}, Options{})
	f := s.models.files["m"][0]
	var all sync.WaitGroup
	all.Go(func() {
		for range 60 {
			if code, text := sent(s, "POST", "/v2/repository/models/m/load", ""); code != 200 {
				t.Errorf("load: %d %s", code, text)
			}
		}
	})
	all.Go(func() {
		for range 60 {
			if code, text := sent(s, "POST", "/v2/repository/models/m/unload", ""); code != 200 {
				t.Errorf("unload: %d %s", code, text)
			}
		}
	})
	all.Wait()
	if _, err := f.load(t.Context(), s.o); err != nil {
		t.Fatal(err)
	}
	rewritten(t, f.path, 5)
	f.unload()
	if next, err := f.follow(t.Context(), s.o); next != nil || err != nil || f.now.Load() != nil {
		t.Errorf("a file that was unloaded is followed: %v, %v", next, err)
	}
}

// TestLoadWithoutClient: a load goes on without the client that asked for it, and reading that the server's end breaks off is no fault of
// the file.
func TestLoadWithoutClient(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1)}, Options{})
	f := s.models.files["m"][0]
	first := f.now.Load().version
	rewritten(t, f.path, 5)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if next, err := f.follow(gone, s.o); err == nil || next != nil || f.fault.Load() != nil || !f.changed() {
		t.Errorf("broken off: %v, %v, fault %v, changed %v", next, err, f.fault.Load(), f.changed())
	}
	r := httptest.NewRequest("POST", "/v2/repository/models/m/load", nil).WithContext(gone)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if f.now.Load().version == first || f.fault.Load() != nil || f.changed() {
		t.Errorf("%d %s: the old one answers, fault %v", w.Code, w.Body, f.fault.Load())
	}
}

// TestLoadOfSeveral: of several versions each good file is loaded, whatever is wrong with another; and files that have become the same are
// listed once.
func TestLoadOfSeveral(t *testing.T) {
	s, files := twice(t)
	if err := os.WriteFile(files[0].path, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, text := sent(s, "POST", "/v2/repository/models/m/unload", ""); code != 200 {
		t.Error(code, text)
	}
	paths := []string{strings.ReplaceAll(files[0].path, `\`, `\\`), strings.ReplaceAll(files[1].path, `\`, `\\`)} // as JSON has them
	code, text := sent(s, "POST", "/v2/repository/models/m/load", "")
	if code != 400 || !strings.Contains(text, "not loaded: "+paths[0]) || files[0].now.Load() != nil || files[1].now.Load() == nil {
		t.Error(code, text)
	}
	if err := os.Remove(files[1].path); err != nil {
		t.Fatal(err)
	}
	code, text = sent(s, "POST", "/v2/repository/models/m/load", "")
	if code != 400 || !strings.Contains(text, "; and "+paths[1]+": ") {
		t.Error(code, text)
	}
	rewritten(t, files[0].path, 7)
	rewritten(t, files[1].path, 7)
	if code, text := sent(s, "POST", "/v2/repository/models/m/load", ""); code != 200 {
		t.Error(code, text)
	}
	version := files[0].now.Load().version
	for path, want := range map[string]string{
		"GET /v2/models/m":          fmt.Sprintf(`"versions":[%q]`, version),
		"POST /v2/repository/index": fmt.Sprintf(`[{"name":"m","version":%q,"state":"READY"}]`, version),
		"GET /metrics":              fmt.Sprintf(`mercer_model_info{model="m",version=%q} 1`, version),
	} {
		method, path, _ := strings.Cut(path, " ")
		if _, text := sent(s, method, path, ""); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", path, text, want)
		}
	}
}

// TestRefusedOnce: what stands in the place of a file and is no model is looked at once, not at each look.
func TestRefusedOnce(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1)}, Options{})
	f := s.models.files["m"][0]
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(f.path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := f.follow(t.Context(), s.o); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("a directory: %v", err)
	}
	if next, err := f.follow(t.Context(), s.o); next != nil || err != nil {
		t.Errorf("the same directory again: %v, %v", next, err)
	}
	if err := os.Rename(f.path, filepath.Join(filepath.Dir(f.path), "away")); err != nil {
		t.Fatal(err)
	}
	rewritten(t, f.path, 5)
	if next, err := f.follow(t.Context(), s.o); next == nil || err != nil {
		t.Errorf("a model in its place: %v, %v", next, err)
	}
}
