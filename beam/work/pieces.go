package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/result"
)

// running is that of a candidate which was begun for pieces of one stage, and waits for them in a goroutine of its own. It keeps what
// the pieces have in common, such as lists of neighbours.
type running struct {
	next  chan int
	given chan given
	ended chan struct{} // closed once it has ended, by err
	err   error
	end   context.CancelFunc
}

// given is what a piece gave.
type given struct {
	result []byte
	err    error
}

// part does a piece of the fit of a candidate and leaves what it gave in the folder.
func part(ctx context.Context, w *Worker, element int) (*[]Done, error) {
	d := Done{Element: element, Path: w.piecePath(w.Stage, element)}
	if _, err := os.Stat(d.Path); err == nil {
		return &[]Done{d}, nil // an earlier try has done it
	}
	for {
		if w.fit == nil {
			var err error
			if w.fit, err = begin(ctx, w.Spec); err != nil {
				return nil, err
			}
		}
		g, err := w.fit.piece(ctx, element)
		switch {
		case err == nil && g.err == nil:
			return &[]Done{d}, replace.Bytes(d.Path, g.result)
		case err == nil:
			return nil, g.err
		}
		w.fit = nil
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !errors.Is(err, context.Canceled) { // else it ended with an earlier element, and is begun again
			return nil, err
		}
	}
}

// piece has a piece done. An error is that by which the fit has ended; it ends with the context.
func (f *running) piece(ctx context.Context, number int) (given, error) {
	defer context.AfterFunc(ctx, f.end)()
	select {
	case f.next <- number:
	case <-f.ended:
		return given{}, f.err
	}
	select {
	case g := <-f.given:
		return g, nil
	case <-f.ended:
		return given{}, f.err
	}
}

// begin begins the fit of a candidate for pieces. It does not end with the context, which is that of one piece.
func begin(ctx context.Context, s Spec) (*running, error) {
	c, err := s.candidate(ctx, s.Candidate)
	if err != nil {
		return nil, err
	}
	f := &running{next: make(chan int), given: make(chan given), ended: make(chan struct{})}
	ctx, f.end = context.WithCancel(context.WithoutCancel(ctx))
	o := c.options
	o.Share = &share.Member{
		Stage: s.Stage,
		Known: s.known,
		Next: func(ctx context.Context) (int, bool) {
			select {
			case piece, more := <-f.next:
				return piece, more
			case <-ctx.Done():
				return 0, false
			}
		},
		Give: func(_ int, result []byte, err error) {
			select {
			case f.given <- given{result, err}:
			case <-ctx.Done():
			}
		},
	}
	go func() {
		defer close(f.ended)
		defer func() {
			if p := recover(); p != nil {
				f.err = panicked(p)
			}
		}()
		if _, _, f.err = fit.Fit(ctx, mercer.Input{Set: c.set}, c.recipe, o); f.err == nil {
			f.err = errors.New("the fit of a candidate has ended before its stage")
		}
	}()
	return f, nil
}

// Close ends what waits for more elements.
func (w *Worker) Close() {
	if w.fit != nil {
		w.fit.end()
		<-w.fit.ended
		w.fit = nil
	}
}

// piecePath is the file of what a piece gave.
func (s Spec) piecePath(stage, piece int) string {
	return filepath.Join(s.Folder, fmt.Sprintf("piece-%d-%d-%d", s.Candidate, stage, piece))
}

// known are all pieces of a stage.
func (s Spec) known(_ context.Context, stage, n int) ([][]byte, error) {
	all := make([][]byte, n)
	for i := range all {
		var err error
		if all[i], err = os.ReadFile(s.piecePath(stage, i)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Crew is the crew of a fit at the caller, which does stages of one piece itself: nothing could be done beside them.
type Crew struct {
	Spec // of the candidate, and of the stage that is next
	// Run has all pieces of a stage done by workers.
	Run func(ctx context.Context, s Spec) error

	Broken error // of Run, if the workers could not do what was asked
}

// Apart implements result.Crew.
func (c *Crew) Apart() bool { return true }

// Begin implements result.Crew.
func (c *Crew) Begin(ctx context.Context, _ string, n int, do result.Piece) (result.Piece, error) {
	stage := c.Stage
	c.Stage++
	if n == 1 {
		one, err := do(ctx, 0)
		if err != nil {
			return nil, err
		}
		return share.Known([][]byte{one}), replace.Bytes(c.piecePath(stage, 0), one)
	}
	s := c.Spec
	s.Kind, s.Stage, s.Count = Part, stage, n
	if err := c.Run(ctx, s); err != nil {
		c.Broken = err
		return nil, err
	}
	all, err := s.known(ctx, stage, n)
	return share.Known(all), err
}
