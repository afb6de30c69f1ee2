// Package pipeline hands work to a Beam runner: one element for each shard or candidate, the answers joined in a fixed tree.
//
//	elements 0..n-1 -> lanes, which take them -> work.Worker -> groups of eight neighbours, joined in order -> ... -> one answer -> a file
//
// Which worker does what, in which bundles and how often does not show in the answer: elements are worked on alone, a group is
// sorted by number and a number that came twice is taken once, and groups do not depend on the workers. Large answers
// travel as files in a folder that all workers share (carry.go). The caller reads the answer from a file there too, because
// runners return nothing else.
//
// Change here what is asked of Beam. What is computed is in package work.
package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/beam/work"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/replace"
)

// fanIn is how many neighbours are joined at once.
const fanIn = 8

func init() {
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&worker{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func(int, []byte), error](&joiner{})
	register.DoFn3x1[context.Context, int, []byte, error](&writer{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// worker does the work of an element and emits its answer for the element's group.
type worker struct {
	Spec string

	spec work.Spec
	hand *work.Worker
}

// Setup implements a DoFn. It gives linear algebra one thread: elements are worked on side by side.
func (w *worker) Setup() error {
	blas.SetThreads(1)
	if err := json.Unmarshal([]byte(w.Spec), &w.spec); err != nil {
		return err
	}
	w.hand = work.NewWorker(w.spec)
	return nil
}

// ProcessElement implements a DoFn.
func (w *worker) ProcessElement(ctx context.Context, element int, emit func(int, []byte)) error {
	end := beating(w.spec.Folder, element)
	defer end()
	a, err := w.hand.Do(ctx, element)
	if err != nil {
		return err
	}
	return send(w.Spec, w.spec.Folder, 0, numbered{Number: element, Answer: a}, emit)
}

// FinishBundle implements a DoFn. It ends what waited for more elements.
func (w *worker) FinishBundle(context.Context, func(int, []byte)) { w.hand.Close() }

// joiner joins the answers of a group in the order of their numbers, at one of the levels of the tree.
type joiner struct {
	Spec  string
	Level int
	Below int // answers of the level below, of all groups
}

// ProcessElement implements a DoFn.
func (j *joiner) ProcessElement(_ context.Context, group int, next func(*[]byte) bool, emit func(int, []byte)) error {
	var s work.Spec
	if err := json.Unmarshal([]byte(j.Spec), &s); err != nil {
		return err
	}
	var list []numbered
	var text []byte
	for next(&text) {
		var n numbered
		if err := squares.Decode(text, &n); err != nil {
			return err
		}
		list = append(list, n)
	}
	answers := inOrder(list)
	if want := min(fanIn, j.Below-group*fanIn); len(answers) != want {
		return fmt.Errorf("%d answers of %d have come of a group", len(answers), want) // another try may have all
	}
	a, err := work.Join(s, answers)
	if err != nil {
		return err
	}
	return send(j.Spec, s.Folder, j.Level, numbered{Number: group, Answer: a}, emit)
}

// writer writes the one answer.
type writer struct{ Path string }

// ProcessElement implements a DoFn.
func (w *writer) ProcessElement(_ context.Context, _ int, text []byte) error {
	return replace.Bytes(w.Path, text)
}

// Options say who does the work.
type Options struct {
	Runner  string   // of Beam; "": prism, in this process
	Workers *Workers // processes of Prism instead; nil: none
	Folder  string   // shared with the workers
	Keep    int64    // bytes of features that a fit may keep there from pass to pass
	// Tries is how often a pipeline is begun again after a worker or the runner was lost; what was answered is not kept.
	Tries int
	// Lost is how long a worker may be silent before it is taken for lost.
	Lost time.Duration
	// Retried, if not nil, is told why another try begins.
	Retried func(err error)
}

// Fault is an answer that is no result: the data, a file or the request is at fault.
type Fault struct {
	Text  string
	Usage bool
	Cell  bool // of a feature, that is no number
}

func (f *Fault) Error() string { return f.Text }

// Words is that of read.Error.
func (f *Fault) Words() bool { return f.Cell }

// Run works on n elements and decodes the answer into result, a pointer. The error is a *Fault where a worker found
// one, else that of the runner, in one line.
func Run(ctx context.Context, s work.Spec, n int, o Options, result any) error {
	spec, err := json.Marshal(s)
	if err != nil {
		return err
	}
	name := "answer-" + strings.ReplaceAll(s.Kind, " ", "-")
	path := filepath.Join(o.Folder, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	defer removeParts(o.Folder, string(spec))
	defer blas.SetThreads(runtime.GOMAXPROCS(0)) // of the caller's own work, if workers were in this process
	for try := 0; ; try++ {
		within, end := watched(ctx, o.Folder, o.Lost, o.start())
		err = once(within, string(spec), n, o, path)
		switch cause := context.Cause(within); {
		case errors.Is(cause, errLost):
			err = fmt.Errorf("%w, silent for %v", cause, o.Lost)
		case errors.Is(cause, errAbsent):
			err = cause
		}
		end()
		if err == nil || ctx.Err() != nil || full(err) || try >= o.Tries {
			break
		}
		if o.Retried != nil {
			o.Retried(errors.New(oneLine(err)))
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case err == nil:
	case full(err):
		return fmt.Errorf("%s: the disk is full; make room there, or name another folder with --work", o.Folder)
	default:
		return fmt.Errorf("the runner did not end the work: %s", oneLine(err))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w; workers must share this folder with the caller, name one with --work", path, errors.Unwrap(err))
	}
	var got numbered
	if err := squares.Decode(text, &got); err != nil {
		return err
	}
	if got.Answer.Fault != "" {
		return &Fault{Text: got.Answer.Fault, Usage: got.Answer.Usage, Cell: got.Answer.Words}
	}
	if text, err = got.Answer.Bytes(); err != nil {
		return err
	}
	return squares.Decode(text, result)
}

// full says whether a disk has no room, which another try would not make. A runner hands on no more than the text of an error.
func full(err error) bool {
	text := err.Error()
	return strings.Contains(text, syscall.ENOSPC.Error()) || strings.Contains(text, syscall.EDQUOT.Error())
}

// once runs the pipeline.
func once(ctx context.Context, spec string, n int, o Options, path string) (err error) {
	defer func() {
		if p := recover(); p != nil { // Beam panics where a pipeline cannot be built or a runner not be found
			err = fmt.Errorf("%v", p)
		}
	}()
	lanes, taken := o.Lanes(n), ""
	if lanes > 1 { // a folder for each try, so that what is left of an earlier one takes nothing
		if taken, err = os.MkdirTemp(o.Folder, "taken-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(taken) }()     // a leftover harms nobody
		if err := os.Chmod(taken, 0o777); err != nil { // workers may be other users, as in containers
			return err
		}
	}
	p, s := beam.NewPipelineWithRoot()
	answers := beam.Flatten(s, worked(s, spec, n, lanes, taken)...)
	for groups, level := n, 1; ; level++ {
		below := groups
		groups = (groups + fanIn - 1) / fanIn
		answers = beam.ParDo(s, &joiner{Spec: spec, Level: level, Below: below}, beam.GroupByKey(s, answers))
		if groups == 1 {
			break
		}
	}
	beam.ParDo0(s, &writer{Path: path}, answers)
	if o.Workers != nil {
		return o.Workers.run(ctx, p, lanes)
	}
	_, err = beam.Run(ctx, o.runner(), p)
	return err
}

// runner is the name of the runner.
func (o Options) runner() string {
	if o.Runner == "" {
		return "prism"
	}
	return o.Runner
}

// start is how long the first worker may take to begin; other runners than Prism may have other work before.
func (o Options) start() time.Duration {
	if o.runner() != "prism" {
		return 0
	}
	return max(o.Lost, startTime)
}

// Lanes is how many of n elements are worked on at a time on one machine, as far as that is known here. Prism gives all elements to
// one bundle, so lanes are made for it: one for each worker process, or for each processor of this one. Other runners
// share elements out by themselves.
func (o Options) Lanes(n int) int {
	most := runtime.GOMAXPROCS(0)
	if o.Workers != nil {
		most = o.Workers.count
	} else if o.runner() != "prism" {
		most = 1
	}
	return max(1, min(n, most, MostWorkers))
}

// worked are the answers for n elements, which so many lanes take one by one.
func worked(s beam.Scope, spec string, n, lanes int, taken string) []beam.PCollection {
	elements := indices.To(n)
	list := make([]beam.PCollection, lanes)
	for k := range list {
		s := s.Scope(laneScope + strconv.Itoa(k))
		own := beam.Reshuffle(s, beam.CreateList(s, elements))
		if lanes > 1 {
			own = beam.ParDo(s, &taker{Folder: taken, Lane: k}, own)
		}
		list[k] = beam.ParDo(s, &worker{Spec: spec}, own)
	}
	return list
}

// oneLine is what went wrong without the trail of Beam's own words around it.
func oneLine(err error) string {
	var last string
	for line := range bytes.SplitSeq([]byte(err.Error()), []byte{'\n'}) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "panic in ") {
			return text // before the stack of the runner
		}
		if text != "" && !strings.HasPrefix(text, "Full error:") && !strings.HasPrefix(text, "caused by:") {
			last = text
		}
	}
	return last
}
