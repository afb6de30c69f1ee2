package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/result"
)

// Piece is what is fitted of a candidate at once: the whole, one of its outer folds, or one split.
type Piece struct{ Candidate, Number int }

// Pieces lists count pieces for each candidate.
func Pieces(counts []int) []Piece {
	var list []Piece
	for c, n := range counts {
		for k := range n {
			list = append(list, Piece{c, k})
		}
	}
	return list
}

// doneOnce does what no earlier try of the same pipeline has done: fits may take long, and what one has found is kept in the folder.
func doneOnce(do func(context.Context, Spec, int) (*[]Done, error)) func(context.Context, *Worker, int) (*[]Done, error) {
	return func(ctx context.Context, w *Worker, element int) (*[]Done, error) {
		path := filepath.Join(w.Folder, fmt.Sprintf("done-%s-%d", w.Kind, element))
		if text, err := os.ReadFile(path); err == nil {
			done := new([]Done)
			return done, squares.Decode(text, done)
		}
		done, err := do(ctx, w.Spec, element)
		if err != nil {
			return nil, err
		}
		return done, leave(path, done)
	}
}

// leave puts a value into a file, whole or not at all.
func leave(path string, v any) error {
	text, err := squares.Encode(v)
	if err != nil {
		return err
	}
	return replace.Bytes(path, text)
}

// train fits one candidate.
func train(ctx context.Context, s Spec, element int) (*[]Done, error) {
	d, err := Fit(ctx, s, s.Pieces[element].Candidate, nil)
	return &[]Done{d}, err
}

// Fit fits one candidate's recipe on all rows, which must fit into the memory here, and leaves the model in the folder. A crew, if it is
// not nil, does the pieces of the fit. A candidate that cannot be trained is an answer too: others may be. Outer folds were
// judged before (foldOf).
func Fit(ctx context.Context, s Spec, number int, crew result.Crew) (Done, error) {
	d := Done{Element: number}
	c, err := s.candidate(ctx, number)
	if err != nil {
		return d, err
	}
	r, o := c.recipe, c.options
	o.Share, d.Warnings = crew, c.said
	failed := ""
	if r.CV > 0 {
		if o.Folds, failed, err = s.folds(number, r.CV); err != nil {
			return d, err
		}
		if failed != "" {
			r.CV, o.Folds = 0, nil // the fit itself may fail too, which is told rather
		}
	}
	m, res, err := fit.Fit(ctx, mercer.Input{Set: c.set}, r, o)
	if d.Failed, err = s.unmet(ctx, number, err); err != nil {
		return d, err
	}
	if d.Failed == "" {
		d.Failed = failed
	}
	if d.Failed != "" {
		return d, nil
	}
	d.Score, d.Rows = res.Tuning.Value, c.set.Rows.Len()
	if d.Result, err = json.Marshal(res.Finite()); err != nil {
		d.Failed = "its score is not finite"
		return d, nil
	}
	d.Path = filepath.Join(s.Folder, fmt.Sprintf("candidate-%d.mercer", number))
	return d, m.Save(d.Path)
}

// split fits one split of a candidate. The whole result is kept of the first.
func split(ctx context.Context, s Spec, element int) (*[]Done, error) {
	piece := s.Pieces[element]
	c, err := s.candidate(ctx, piece.Candidate)
	if err != nil {
		return nil, err
	}
	splits, err := read.Splits(ctx, s.Splits, c.set.Rows.Len())
	if err != nil {
		return nil, err
	}
	d := Done{Element: element, Rows: c.set.Rows.Len(), Warnings: c.said}
	res, err := fit.Split(ctx, c.set, splits[piece.Number].Labelled, c.recipe, c.options)
	if err != nil {
		err = fmt.Errorf("split %d: %w", piece.Number+1, err)
	}
	if d.Failed, err = s.unmet(ctx, piece.Candidate, err); err != nil || d.Failed != "" {
		return &[]Done{d}, err
	}
	d.Metrics, d.Seconds = fit.SplitMetricsOf(res), res.Seconds.Total
	if piece.Number == 0 {
		if d.Result, err = json.Marshal(res.Finite()); err != nil {
			d.Failed = "its score is not finite"
		}
	}
	return &[]Done{d}, nil
}

// judged is what became of an outer fold.
type judged struct {
	Losses []float64
	Failed string
}

// foldOf judges one outer fold of a candidate, and leaves the losses in the folder for the fit of the candidate.
func foldOf(ctx context.Context, s Spec, element int) (*[]Done, error) {
	piece := s.Pieces[element]
	c, err := s.candidate(ctx, piece.Candidate)
	if err != nil {
		return nil, err
	}
	var j judged
	j.Losses, err = fit.OuterFold(ctx, mercer.Input{Set: c.set}, c.recipe, c.options, piece.Number)
	if j.Failed, err = s.unmet(ctx, piece.Candidate, err); err != nil {
		return nil, err
	}
	d := Done{Element: element, Failed: j.Failed, Path: s.foldPath(piece)}
	return &[]Done{d}, leave(d.Path, j)
}

// folds are the losses of all outer folds of a candidate, or why one has none.
func (s Spec) folds(candidate, k int) (losses [][]float64, failed string, err error) {
	for number := range k {
		text, err := os.ReadFile(s.foldPath(Piece{candidate, number}))
		if err != nil {
			return nil, "", err
		}
		var j judged
		if err := squares.Decode(text, &j); err != nil {
			return nil, "", err
		}
		if j.Failed != "" {
			return nil, j.Failed, nil
		}
		losses = append(losses, j.Losses)
	}
	return losses, "", nil
}

func (s Spec) foldPath(p Piece) string {
	return filepath.Join(s.Folder, fmt.Sprintf("fold-%d-%d", p.Candidate, p.Number))
}

// candidate is what a fit is made of.
type candidate struct {
	recipe  mercer.Recipe
	set     *data.Set
	said    []read.Warning // of the rows
	options mercer.Options
}

// candidate is what a candidate is fitted by. Several may be fitted on one machine at a time, which share its memory.
func (s Spec) candidate(ctx context.Context, number int) (c candidate, err error) {
	if err := json.Unmarshal([]byte(s.Candidates[number]), &c.recipe); err != nil {
		return c, err
	}
	s.Read.Memory = machine.Allowed(s.Read.Memory) / int64(max(1, s.AtOnce))
	c.options.Memory = s.Read.Memory
	c.set, c.said, err = all.of(ctx, s)
	return c, err
}

// unmet tells why a candidate has no model from what ends the work: the end of the context, or a request that no rows can meet,
// which names the candidate.
func (s Spec) unmet(ctx context.Context, candidate int, err error) (failed string, end error) {
	var wrong *mercer.UsageError
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &wrong):
		return "", fmt.Errorf("candidate %d of %d, %s: %w", candidate+1, len(s.Candidates), s.Candidates[candidate], err)
	}
	return err.Error(), nil
}
