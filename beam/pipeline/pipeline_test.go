//go:build unix

package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/beam/work"
)

// TestMain becomes a worker where a runner has started the tests as one.
func TestMain(m *testing.M) {
	if err := Worker(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	flag.Parse()
	own, err := os.Executable()
	if err == nil {
		err = Start(map[string]string{"worker_binary": own})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// shards writes n shards of 30 rows.
func shards(t *testing.T, n int) []string {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for k := range n {
		files = append(files, filepath.Join(dir, fmt.Sprintf("part-%02d.csv", k)))
		if err := os.WriteFile(files[k], []byte(rows(k)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// rows is the text of shard k.
func rows(k int) string {
	var b strings.Builder
	b.WriteString("a,b,label\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%d,%g,%g\n", i+k, float64(i*i)/float64(k+1), 0.1*float64(i*k))
	}
	return b.String()
}

// spec sums over shards.
func spec(files []string, folder string) work.Spec {
	return work.Spec{Kind: work.Sum, Shards: files, Folder: folder, Ask: squares.Ask{Features: []string{"a", "b"}, Label: "label"}}
}

// sum runs the pipeline, and encodes what it answers.
func sum(t *testing.T, s work.Spec, o Options) string {
	t.Helper()
	var part squares.Part
	if err := Run(context.Background(), s, len(s.Shards), o, &part); err != nil {
		t.Fatal(err)
	}
	if part.Sums.N != 30*len(s.Shards) || len(part.Shards) != len(s.Shards) {
		t.Fatalf("%d rows of %d shards", part.Sums.N, len(part.Shards))
	}
	for i, of := range part.Shards {
		if of.Shard != i {
			t.Errorf("shard %d is at place %d", of.Shard, i)
		}
	}
	text, err := squares.Encode(part)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The answer of 20 shards, joined in two levels, is bit for bit that of joining in order, and of every run.
func TestRun(t *testing.T) {
	files, folder := shards(t, 20), t.TempDir()
	s := spec(files, folder)
	o := Options{Folder: folder, Lost: time.Minute}
	got := sum(t, s, o)
	var groups []work.Answer
	for lo := 0; lo < len(files); lo += fanIn {
		var list []work.Answer
		for i := lo; i < min(lo+fanIn, len(files)); i++ {
			a, err := work.NewWorker(s).Do(context.Background(), i)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, a)
		}
		a, err := work.Join(s, list)
		if err != nil {
			t.Fatal(err)
		}
		groups = append(groups, a)
	}
	all, err := work.Join(s, groups)
	if err != nil {
		t.Fatal(err)
	}
	var part squares.Part
	if err := squares.Decode(all.Data, &part); err != nil {
		t.Fatal(err)
	}
	want, err := squares.Encode(part)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) || got != sum(t, s, o) {
		t.Error("answers differ")
	}
}

// Answers of more bytes than travel by the runner are those of joining in order, too, and do not stay in the folder.
func TestRunOfLargeAnswers(t *testing.T) {
	files, folder := make([]string, 10), t.TempDir()
	s := spec(files, folder)
	s.Ask = squares.Ask{Label: "1"}
	for k := range files {
		var b strings.Builder
		for i := range 30 {
			for j := range 120 {
				fmt.Fprintf(&b, "%d,", (i*i+j*k)%(j+2))
			}
			fmt.Fprintf(&b, "%d\n", i)
		}
		files[k] = filepath.Join(folder, fmt.Sprintf("wide-%d.csv", k))
		if err := os.WriteFile(files[k], []byte(strings.Join(names(120), ",")+",1\n"+b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s.Ask.Features = names(120)
	got := sum(t, s, Options{Folder: folder, Lost: time.Minute})
	want := new(squares.Part)
	for lo := 0; lo < len(files); lo += fanIn {
		group := new(squares.Part)
		for i := lo; i < min(lo+fanIn, len(files)); i++ {
			one, err := squares.Sum(context.Background(), files[i], i, s.Read, s.Ask)
			if err != nil {
				t.Fatal(err)
			}
			group.Join(one)
		}
		want.Join(group)
	}
	if text, err := squares.Encode(want); err != nil || got != string(text) {
		t.Errorf("answers differ, %v", err)
	}
	if parts, _ := filepath.Glob(filepath.Join(folder, "part-*")); len(parts) > 0 {
		t.Errorf("%d answers are left in the folder", len(parts))
	}
}

// names are those of d columns.
func names(d int) (list []string) {
	for j := range d {
		list = append(list, fmt.Sprintf("x%d", j))
	}
	return list
}

// Answers that come twice and in another order are taken once, by their numbers.
func TestInOrder(t *testing.T) {
	at := func(n int) numbered { return numbered{Number: n, Answer: work.Answer{Fault: strconv.Itoa(n)}} }
	var got string
	for _, a := range inOrder([]numbered{at(3), at(1), at(3), at(2), at(1)}) {
		got += a.Fault
	}
	if got != "123" {
		t.Error(got)
	}
}

// A group of which an answer is missing is no result.
func TestJoinerMisses(t *testing.T) {
	s, err := json.Marshal(work.Spec{Kind: work.Predict, Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	joined := func(below, group int, numbers ...int) error {
		next := func(text *[]byte) bool {
			if len(numbers) == 0 {
				return false
			}
			data, _ := squares.Encode([]work.Done{{Element: numbers[0]}})
			*text, _ = squares.Encode(numbered{Number: numbers[0], Answer: work.Answer{Data: data}})
			numbers = numbers[1:]
			return true
		}
		return (&joiner{Spec: string(s), Level: 1, Below: below}).ProcessElement(t.Context(), group, next, func(int, []byte) {})
	}
	if err := errors.Join(joined(3, 0, 2, 0, 1, 2), joined(10, 1, 9, 8)); err != nil {
		t.Error(err)
	}
	for _, err := range []error{joined(3, 0, 0, 2, 2), joined(10, 1, 8), joined(10, 0, 0, 1, 2, 3, 4, 5, 6)} {
		if err == nil {
			t.Error("an answer is missing")
		}
	}
}

// A fault of the data comes back as it is, that of the first shard, and is not tried again.
func TestRunOfFaults(t *testing.T) {
	files, folder := shards(t, 12), t.TempDir()
	for _, k := range []int{4, 9} {
		if err := os.WriteFile(files[k], []byte("a,b,label\n1,2,3\n4,x,6\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Folder: folder, Lost: time.Minute, Tries: 5, Retried: func(err error) { t.Errorf("tried again: %v", err) }}
	err := Run(context.Background(), spec(files, folder), len(files), o, new(squares.Part))
	var fault *Fault
	if !errors.As(err, &fault) || !strings.HasPrefix(fault.Text, files[4]+":3:2: ") || strings.Contains(fault.Text, "\n") {
		t.Errorf("%v", err)
	}
}

// A folder that workers cannot write to is one line, after so many tries.
func TestRunWithoutFolder(t *testing.T) {
	files, tries := shards(t, 2), 0
	o := Options{Folder: filepath.Join(t.TempDir(), "none"), Lost: time.Minute, Tries: 1, Retried: func(error) { tries++ }}
	err := Run(context.Background(), spec(files, o.Folder), len(files), o, new(squares.Part))
	if err == nil || tries != 1 || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("after %d more tries: %v", tries, err)
	}
}

// A disk that is full is known by the text that a runner hands on, and no other error is taken for it.
func TestFull(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if err := errors.New("bundle failed: write taken-1/0: " + err.Error() + "\ncaused by:\nsome DoFn"); !full(err) {
			t.Errorf("%v", err)
		}
	}
	if full(syscall.EACCES) || full(errLost) {
		t.Error("an error that is none of a full disk")
	}
}

// An end of the context ends the pipeline.
func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	folder := t.TempDir()
	err := Run(ctx, spec(shards(t, 2), folder), 2, Options{Folder: folder, Lost: time.Minute}, new(squares.Part))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The answer of any number of worker processes is that of this one bit for bit, and two work at the same time: each waits for a
// shard that is written only when the other has come too.
func TestWorkers(t *testing.T) {
	files, folder := shards(t, 20), t.TempDir()
	s := spec(files, folder)
	want := sum(t, s, Options{Folder: folder, Lost: time.Minute})
	for _, n := range []int{1, 3} {
		if got := sum(t, s, Options{Workers: workers(t, n), Folder: folder, Lost: time.Minute}); got != want {
			t.Errorf("the answer of %d worker processes differs", n)
		}
	}
	for _, pipe := range files[:2] {
		if err := errors.Join(os.Remove(pipe), syscall.Mkfifo(pipe, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	together := make(chan error, 1)
	go func() {
		_, first := workerAt(filepath.Join(folder, "beat-0"))
		_, second := workerAt(filepath.Join(folder, "beat-1"))
		together <- errors.Join(first, second, os.WriteFile(files[0], []byte(rows(0)), 0o666),
			os.WriteFile(files[1], []byte(rows(1)), 0o666))
	}()
	if got := sum(t, s, Options{Workers: workers(t, 2), Folder: folder, Lost: time.Minute}); got != want {
		t.Error("the answer of workers that waited for each other differs")
	}
	if err := <-together; err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "taken-*")); err != nil || left != nil {
		t.Errorf("%v, %v", left, err)
	}
	if _, err := NewWorkers(t.Context(), MostWorkers+1); err == nil {
		t.Error("more workers than Prism has bundles for")
	}
}

// Workers of which one takes its time, while the runner asks for its progress, are no fault of the runner's: it gets no metrics, whose
// short names it would take for those of another worker.
func TestSlowWorker(t *testing.T) {
	files, folder := shards(t, 9), t.TempDir()
	s := spec(files, folder)
	want := sum(t, s, Options{Folder: folder, Lost: time.Minute})
	pipe := files[0]
	if err := errors.Join(os.Remove(pipe), syscall.Mkfifo(pipe, 0o666)); err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(500 * time.Millisecond)
		_ = os.WriteFile(pipe, []byte(rows(0)), 0o666)
	}()
	if got := sum(t, s, Options{Workers: workers(t, 3), Folder: folder, Lost: time.Minute}); got != want {
		t.Error("the answer differs")
	}
}

// workers makes so many ready.
func workers(t *testing.T, n int) *Workers {
	t.Helper()
	w, err := NewWorkers(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A lane takes the elements that no other has, and takes its own again.
func TestTaker(t *testing.T) {
	folder := t.TempDir()
	takes := func(lane, element int) (taken bool) {
		w := &taker{Folder: folder, Lane: lane}
		if err := w.ProcessElement(t.Context(), element, func(int) { taken = true }); err != nil {
			t.Fatal(err)
		}
		return taken
	}
	if !takes(0, 5) || takes(1, 5) || !takes(0, 5) || !takes(1, 6) || takes(0, 6) {
		t.Error("an element is not its lane's alone")
	}
	w := &taker{Folder: filepath.Join(folder, "none")}
	if err := w.ProcessElement(t.Context(), 0, func(int) { t.Error("taken") }); err == nil {
		t.Error("no folder, no error")
	}
}

// A worker process that is killed while it waits for the rows of a shard is missed, another is started, and the answer is bit for bit
// that of workers that live: of one process that Beam's flags ask for, and of one of two.
func TestWorkerKilled(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	set := func(name, value string) {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("of two", func(t *testing.T) { killed(t, Options{Workers: workers(t, 2)}) })
	set("environment_type", "process")
	set("environment_config", fmt.Sprintf(`{"command":%q}`, own))
	defer set("environment_type", "loopback")
	defer set("environment_config", "")
	t.Run("of one", func(t *testing.T) { killed(t, Options{}) })
}

// killed kills a worker while others do what they can, and compares the answers.
func killed(t *testing.T, o Options) {
	files, folder := shards(t, 3), t.TempDir()
	s := spec(files, folder)
	o.Folder, o.Lost, o.Tries = folder, 2*time.Second, 1
	want := sum(t, s, o)
	pipe := files[1]
	if err := errors.Join(os.Remove(pipe), syscall.Mkfifo(pipe, 0o666)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		n, err := workerAt(filepath.Join(folder, "beat-1"))
		if err == nil {
			err = syscall.Kill(n, syscall.SIGKILL)
		}
		ended <- err
	}()
	retried := 0
	o.Retried = func(err error) { // by the missing beats, or by what the runner itself has noticed
		retried++
		t.Log(err)
		go func() { _ = os.WriteFile(pipe, []byte(rows(1)), 0o666) }() // the next worker finds the rows
	}
	if got := sum(t, s, o); got != want {
		t.Error("the answer after a lost worker differs")
	}
	if err := <-ended; err != nil || retried != 1 {
		t.Errorf("killed: %v, tried again: %d times", err, retried)
	}
}

// A pipeline whose workers never begin is given up, and one whose first has begun is not.
func TestWorkersThatNeverBegin(t *testing.T) {
	for _, comes := range []bool{false, true} {
		folder := t.TempDir()
		ctx, end := watched(t.Context(), folder, time.Minute, 2*beatTime)
		if comes {
			beating(folder, 0)() // and is done before anybody looks
		}
		select {
		case <-ctx.Done():
		case <-time.After(3 * beatTime):
		}
		if cause := context.Cause(ctx); comes && cause != nil || !comes && !errors.Is(cause, errAbsent) {
			t.Errorf("a worker comes: %v; %v", comes, cause)
		}
		end()
	}
}

// workerAt is the process that shows itself in a file, which must be another than this.
func workerAt(beat string) (int, error) {
	for range 3000 {
		time.Sleep(10 * time.Millisecond)
		text, err := os.ReadFile(beat)
		pid, _, ok := strings.Cut(string(text), " ")
		if err != nil || !ok {
			continue
		}
		n, err := strconv.Atoi(pid)
		if err != nil || n == os.Getpid() {
			return 0, fmt.Errorf("the worker is process %q", pid)
		}
		return n, nil
	}
	return 0, errors.New("no worker came")
}
