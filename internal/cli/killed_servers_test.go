//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/label"
	"github.com/mercer-ml/mercer/internal/label/page"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// process runs the program in a process of its own until it prints its address, which follows the mark on standard output or
// standard error.
func process(t *testing.T, mark string, args ...string) (c *exec.Cmd, address string) {
	t.Helper()
	c = exec.Command(os.Args[0]) //nolint:gosec // this test's own binary
	c.Env = append(os.Environ(), "MERCER_TEST_ARGS="+strings.Join(args, " "))
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { from.Close() })
	c.Stdout, c.Stderr = to, to
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() }) // it has ended, unless the test failed
	to.Close()
	var said strings.Builder
	for s := bufio.NewScanner(from); s.Scan(); {
		said.WriteString(s.Text() + "\n")
		if _, rest, ok := strings.Cut(s.Text(), mark); ok {
			go io.Copy(io.Discard, from) //nolint:errcheck // until the process ends
			address, _, _ = strings.Cut(mark+rest, " ")
			return c, strings.TrimSuffix(address, "/")
		}
	}
	t.Fatalf("mercer %s: no address: %s", strings.Join(args, " "), said.String())
	return nil, ""
}

// TestKilledLabel: whenever mercer label is killed, every answer that it acknowledged is in its log, in order, and at most the one
// behind them that was under way; the next run goes on from there, and the labelled rows have all of them.
func TestKilledLabel(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	text, truth := moons(t)
	folderWith(t, map[string]string{"moons.csv": text})
	args := []string{"label", "moons.csv", "--label", "label", "--drop", "note", "--quiet"}
	rng := rand.New(rand.NewPCG(1, 2))
	var kept []int // rows whose answers were acknowledged
	for range kills(t) {
		c, url := process(t, "http://", args...)
		r := &running{t: t, url: url}
		s := r.state()
		if n := s.Answered; n < len(kept) || n > len(kept)+1 {
			t.Fatalf("%d answers are kept, %d were acknowledged", n, len(kept))
		}
		kept = logged(t, kept)
		for left := rng.IntN(4); len(kept) < 75; left-- {
			if left == 0 {
				time.AfterFunc(time.Duration(rng.Int64N(int64(12*time.Millisecond))), func() { _ = c.Process.Kill() })
			}
			row := s.Question.Row
			var err error
			if s, err = r.sent("/answer", page.Request{Number: s.Question.Number, Row: row, Label: truth(row), New: true}); err != nil {
				break
			}
			kept = append(kept, row)
		}
		_ = c.Process.Kill() // where all rows have been answered before
		_ = c.Wait()
	}
	if kept = logged(t, kept); len(kept) == 0 {
		t.Fatal("every kill came before the first answer, so that nothing was tried")
	}
	for _, killed := range []bool{true, false} {
		c, url := process(t, "http://", args...)
		r := &running{t: t, url: url}
		if s := r.state(); s.Answered != len(kept) {
			t.Fatalf("%d answers are kept of %d", s.Answered, len(kept))
		}
		r.post("/finish", page.Request{})
		if killed {
			_ = c.Process.Kill() // while it writes the rows, or before or after
		}
		if err := c.Wait(); err != nil && !killed {
			t.Fatal(err)
		}
		if _, err := os.Stat("moons.labelled.csv"); !killed || err == nil {
			hasAll(t, kept, truth)
		}
	}
}

// logged are the rows of the answers in the log, which begin with those that were acknowledged.
func logged(t *testing.T, acknowledged []int) []int {
	t.Helper()
	text, err := os.ReadFile("moons.csv.labels.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var rows []int
	for i, line := range bytes.SplitAfter(text, []byte("\n")) {
		var one label.Entry
		if i == 0 || !bytes.HasSuffix(line, []byte("\n")) { // a half one was never acknowledged
			continue
		}
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, one.Row)
	}
	if n := len(acknowledged); len(rows) < n || len(rows) > n+1 {
		t.Fatalf("%d answers in the log, %d were acknowledged", len(rows), n)
	}
	if diff := cmp.Diff(acknowledged, rows[:len(acknowledged)]); len(acknowledged) > 0 && diff != "" {
		t.Fatal(diff)
	}
	return rows
}

// hasAll compares the labelled rows with the answers that are kept.
func hasAll(t *testing.T, kept []int, truth func(row int) string) {
	t.Helper()
	text, err := os.ReadFile("moons.labelled.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{}
	for _, row := range kept {
		want[row] = truth(row)
	}
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\n\n", "\n")), "\n")
	if len(lines) != 81 {
		t.Fatalf("%d lines of labelled rows", len(lines))
	}
	for i, line := range lines[1:] {
		if got := strings.Split(line, ";")[2]; got != want[i] {
			t.Errorf("row %d is %q, was answered %q", i, got, want[i])
		}
	}
}

// TestKilledServe: mercer serve writes no file, so there is nothing that a kill could damage; the next run takes the same port and
// answers the same.
func TestKilledServe(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "moons.mercer")
	killedRun(t, 0, "fit", "two-moons:n=60", "--method", "rls", "--tune", "none", "--quiet", "-o", model)
	set, err := data.Builtin("two-moons:n=60")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	rows.WriteString("x0,x1\n")
	for i := range 60 {
		line, _ := json.Marshal(set.Rows.Dense.RawRowView(i)) // finite numbers
		rows.WriteString(strings.Trim(string(line), "[]") + "\n")
	}
	before, listen, first := folder(t, dir), "127.0.0.1:0", ""
	for range kills(t) + 1 {
		c, url := process(t, "http://", "serve", model, "--listen", listen, "--quiet")
		listen = strings.TrimPrefix(url, "http://")
		answer, err := http.Post(url+"/predict", "text/csv", strings.NewReader(rows.String()))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || first != "" && string(text) != first {
			t.Fatalf("%s %s (%v), the first time %s", answer.Status, text, err, first)
		}
		first = string(text)
		under := make(chan struct{}) // a request is under way at the kill
		go func() {
			defer close(under)
			if a, err := http.Post(url+"/predict", "text/csv", strings.NewReader(rows.String())); err == nil {
				a.Body.Close()
			}
		}()
		_ = c.Process.Kill()
		_ = c.Wait()
		<-under
	}
	if diff := cmp.Diff(before, folder(t, dir)); diff != "" {
		t.Errorf("serve has left something: %s", diff)
	}
}

// TestKilledReport: whenever mercer fit --report is killed, each file of the folder is the old one or the whole new one, the page is new
// only where all figures are, and the next run writes what it would have written.
func TestKilledReport(t *testing.T) {
	slowtest.Only(t, "fits that are killed at many moments")
	dir := t.TempDir()
	fit := func(labels, to string) []string {
		return []string{"fit", "two-moons:n=60", "--labels", labels, "--method", "rls", "--budget", "4", "--quiet", "--report", to}
	}
	figures := func(of string) map[string]string {
		all := map[string]string{}
		for _, name := range folder(t, of) {
			text, err := os.ReadFile(filepath.Join(of, name))
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, ".png") {
				all[name] = string(text)
			}
		}
		return all
	}
	old, next := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	killedRun(t, 0, fit("10", old)...)
	began := time.Now()
	killedRun(t, 0, fit("14", next)...)
	took := time.Since(began)
	was, want := figures(old), figures(next)
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range kills(t) {
		page := filepath.Join(dir, "page")
		killedRun(t, 0, fit("10", page)...)
		killedRun(t, took/2+time.Duration(rng.Int64N(int64(took/2)+1)), fit("14", page)...)
		text, err := os.ReadFile(filepath.Join(page, "index.html"))
		if err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "</html>") {
			t.Fatalf("%v: the page is not whole", err)
		}
		isNew := strings.Contains(string(text), "--labels 14")
		got := figures(page)
		for name := range want {
			if one := got[name]; one != want[name] && (isNew || one != was[name]) {
				t.Errorf("kill %d: %s is neither the old nor the new figure, of a page that is new: %v", k, name, isNew)
			}
		}
		if killedRun(t, 0, fit("14", page)...); cmp.Diff(want, figures(page)) != "" {
			t.Error("the next run draws other figures")
		}
	}
}
