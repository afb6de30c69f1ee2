// Package squares is regularised least squares over shards, linear in the columns or in the features that few centres give of a
// kernel: sums of every shard and their join, the choice of the ridge in a last pass, by closed leave-one-out or by folds, and the model.
// The mathematics is that of package moments (Sums, Path, Folds); the numbers are those of `mercer fit --method rls` on one file but
// for rounding, because sums are joined in the order of the shards, whichever worker made them.
//
// What has nothing to do with the square loss is shared with package newton: labels, scaling, features, and the base of a model and its
// result (Start, Plan, Known).
//
// Cost for n rows of d columns, c outputs and R ridges (21 for numbers, 13 for classes), in flops; what moves
// beside the text, in bytes:
//
//	sums       workers: n d (d + c); 8 d (d + c + classes) a shard to the caller
//	ridges     caller: 9 d^3 + 4 R d^2 c
//	left out   workers: 2 n d (d + R c) + 2 n d R; 8 (d^2 + R d c) to every worker, counts back
//
// K folds take a pass between the first two, n d (d + c) and 8 K d (d + c) a shard; the caller then does K^2 d^2 +
// K times the ridges. The machine without a fold is made of the sums of the other folds, added up, so that nothing
// cancels. m centres take two passes more, for the centres and for features, n m D + 2 n m^2 with D the cost of a
// kernel value, and 8 m^2 a run. A run is as many neighbouring shards as have 4 d rows together, so that what
// travels is little beside what is summed.
//
// Change here what is summed, and what a fit over shards answers.
package squares

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/moments"
)

const (
	// mostAnswers is how many different labels are counted one by one. More are numbers of a regression, or refused.
	mostAnswers = 1000
	// batchRows are read and summed at a time, fewer where rows are long.
	batchRows = 8192
)

// Answer is a label as it is written, the rows that have it, and where it stands first.
type Answer struct {
	Text        string
	Rows        int
	Shard, Line int
}

// before orders answers by their first rows.
func (a Answer) before(b Answer) bool {
	return a.Shard < b.Shard || a.Shard == b.Shard && a.Line < b.Line
}

// Rows counts those of one shard.
type Rows struct {
	Shard, Rows int
	Labelled    int
	Skipped     []int    // lines left out
	Answers     []Answer // as of Part, of this shard; nil if they are not all counted
	Warnings    []read.Warning
}

// Part is what is known of some shards after the first pass: the scaling and every ridge follow from it.
type Part struct {
	Shards  []Rows            // in order
	Stats   *data.ColumnStats // of all rows; nil: there are none
	Known   *data.ColumnStats // of labelled rows; nil: there are none
	Runs    columns.Runs      // of numbers
	Sums    *moments.Sums     // of labelled rows: target 0 is the number, then one for each of Answers unless Over
	Answers []Answer          // in order of first rows, unlabelled ones too; no more than mostAnswers if Over
	Over    bool              // there are more answers than are counted
	Word    *Answer           // the first label that is no number
	Broken  *Answer           // the first that is not whole
	Amounts columns.Amounts   // among the labels
	Coded   bool              // some number is written as codes are
}

// Ask is what the first pass is asked.
type Ask struct {
	Unit     bool      `json:"unit,omitempty"` // rows are scaled to length 1
	Task     data.Task `json:"task"`
	Features []string  `json:"features,omitempty"`
	Label    string    `json:"label"`
	// Table says how cells become numbers, of shards that hold more than numbers; Features are then of no account.
	Table *data.Table `json:"table,omitempty"`
	// Until are the lines at which the rows of each shard end, 0 = with the text; nil: all do.
	Until []int `json:"until,omitempty"`
}

// reading are the options by which all passes read the shard of this number, once the columns are known.
func (a Ask) reading(o shard.Options, number int) read.Options {
	r := o.Reading()
	r.Until = a.until(number)
	switch {
	case a.Table != nil:
		r.Table, r.Features, r.Drop, r.Label = a.Table, nil, nil, a.Label
	case a.Features != nil:
		r.Want, r.Features, r.Drop, r.Label = a.Features, nil, nil, a.Label
	}
	return r
}

// until is the line at which the rows of a shard end, 0 = with its text.
func (a Ask) until(number int) int {
	if a.Until == nil {
		return 0
	}
	return a.Until[number]
}

// Sum goes over one shard.
func Sum(ctx context.Context, file string, number int, o shard.Options, ask Ask) (*Part, error) {
	var p *Part
	var count Rows
	notes, err := shard.Each(ctx, file, o, ask.reading(o, number), batchRows, shard.Taker{Begin: func() {
		p, count = &Part{}, Rows{Shard: number}
	}, Batch: func(set *data.Set) error {
		batch, err := sum(set, number, ask)
		if err != nil {
			return err
		}
		count.Rows += set.Rows.Len()
		count.Labelled += batch.Sums.N
		p.Join(batch)
		return nil
	}})
	if err != nil {
		return nil, err
	}
	count.Skipped, count.Warnings = notes.Skipped, notes.Warnings
	if !p.Over {
		count.Answers = slices.Clone(p.Answers)
	}
	p.Shards = []Rows{count}
	return p, nil
}

// sum is the part of a batch.
func sum(set *data.Set, number int, ask Ask) (*Part, error) {
	x := dense(set.Rows, ask.Unit)
	p := &Part{Stats: set.Rows.ColumnStats(), Amounts: columns.AmountsOf(set.Answers), Coded: set.Coded}
	if ask.Table == nil {
		p.Runs = columns.RunsOf(set.Features, set.Rows)
	}
	class := p.count(set, number, ask.Task)
	labelled := set.Answers.Answered()

	if len(labelled) == 0 {
		p.Sums = new(moments.Sums)
		return p, nil
	}
	p.Known = data.NewColumnStats(0)
	if p.Known.Merge(p.Stats); len(labelled) < set.Rows.Len() {
		x, p.Known = data.Rows{Dense: x}.Select(labelled).Dense, set.Rows.Select(labelled).ColumnStats()
	}
	y, of := mat.NewDense(len(labelled), 1, nil), make([]int, len(labelled))
	for q, i := range labelled {
		if v, ok := data.Number(strings.TrimSpace(set.Answers[i])); ok {
			y.Set(q, 0, v)
			if math.Abs(v) > mostValue && ask.Task == data.Regression {
				return nil, fmt.Errorf("%s:%d: the value %g of %q is so large that its square overflows; measure it in a larger unit",
					set.Source, set.Lines[i], v, set.LabelName)
			}
		}
		of[q] = class[i]
	}
	if p.Over {
		of = nil
	}

	p.Sums = moments.New(x, y, of, p.classes())
	return p, nil
}

// mostValue is the largest value of a regression: sums of squares of larger ones overflow.
const mostValue = 1e150

// dense are the rows as a matrix.
func dense(rows data.Rows, unit bool) *mat.Dense {
	if unit {
		rows = data.Scaling{Kind: data.ScaleUnit}.Apply(rows)
	}
	if rows.IsSparse() {
		return rows.Sparse.ToDense()
	}
	return rows.Dense
}

// classes is the number of targets beside the number.
func (p *Part) classes() int {
	if p.Over {
		return 0
	}
	return len(p.Answers)
}

// count notes the labels of a batch, and returns the number of each row's.
func (p *Part) count(set *data.Set, number int, task data.Task) []int {
	class := make([]int, set.Rows.Len())
	at := map[string]int{}
	for i := range class {
		text := ""
		if set.Answers != nil {
			text = set.Answers[i]
		}
		q, seen := at[text]
		if !seen {
			a := Answer{Text: strings.Clone(text), Shard: number, Line: i + 1}
			if set.Lines != nil {
				a.Line = set.Lines[i]
			}
			p.look(a)
			if q = len(p.Answers); q < mostAnswers {
				at[a.Text] = q
				p.Answers = append(p.Answers, a)
			} else {
				p.Over = true
				q = -1
			}
		}
		if class[i] = q; q >= 0 {
			p.Answers[q].Rows++
		}
	}
	p.Over = p.Over || task == data.Regression
	return class
}

// look notes the first labels of their kind.
func (p *Part) look(a Answer) {
	if data.IsUnlabelled(a.Text) {
		return
	}
	v, ok := data.Number(strings.TrimSpace(a.Text))
	switch {
	case !ok && p.Word == nil:
		p.Word = &a
	case ok && p.Broken == nil && v != math.Trunc(v):
		p.Broken = &a
	}
}

// Join takes in the part of later rows.
func (p *Part) Join(o *Part) {
	p.Shards = append(p.Shards, o.Shards...)
	p.Amounts.Join(o.Amounts)
	p.Coded = p.Coded || o.Coded
	if p.Stats == nil {
		p.Stats, p.Known, p.Sums, p.Answers, p.Over, p.Word, p.Broken = o.Stats, o.Known, o.Sums, o.Answers, o.Over, o.Word, o.Broken
		p.Runs = o.Runs
		return
	}
	if o.Stats == nil {
		return
	}
	p.Stats.Merge(o.Stats)
	p.Runs.Join(o.Runs)
	switch {
	case p.Known == nil:
		p.Known = o.Known
	case o.Known != nil:
		p.Known.Merge(o.Known)
	}
	if p.Word == nil {
		p.Word = o.Word
	}
	if p.Broken == nil {
		p.Broken = o.Broken
	}
	from, had := p.merge(o)
	p.Over = p.Over || o.Over || len(p.Answers) > mostAnswers
	if p.Over {
		p.Answers = p.Answers[:min(len(p.Answers), mostAnswers)]
		alone(p.Sums)
		alone(o.Sums)
	} else {
		same := indices.To(1 + had)
		retarget(p.Sums, same, 1+len(p.Answers))
		retarget(o.Sums, from, 1+len(p.Answers))
	}
	p.Sums.Join(o.Sums)
}

// merge adds the answers of o to those of p, and returns the places of o's targets among them and how many p had.
func (p *Part) merge(o *Part) (places []int, had int) {
	had = len(p.Answers)
	at := make(map[string]int, had)
	for q, a := range p.Answers {
		at[a.Text] = q
	}
	places = []int{0}
	for _, a := range o.Answers {
		q, seen := at[a.Text]
		if !seen {
			q = len(p.Answers)
			p.Answers = append(p.Answers, a)
		} else {
			p.Answers[q].Rows += a.Rows
		}
		places = append(places, 1+q)
	}
	return places, had
}

// alone leaves the number as the only target.
func alone(s *moments.Sums) {
	if s.N == 0 || len(s.Y) == 1 {
		return
	}
	at := make([]int, len(s.Y))
	for j := 1; j < len(at); j++ {
		at[j] = -1
	}
	s.Retarget(at, 1)
}

// retarget moves targets, of which sums of no row have none.
func retarget(s *moments.Sums, at []int, c int) {
	if s.N > 0 {
		s.Retarget(at, c)
	}
}

// interpret understands the labels; files are the shards.
func (p *Part) interpret(name string, task data.Task, files []string) (data.Labels, error) {
	list := slices.Clone(p.Answers)
	if p.Over && task != data.Regression {
		switch {
		case p.Word != nil || task == data.Classification:
			return data.Labels{}, fmt.Errorf("%s: column %q has more than %d different labels; name another column with --label",
				files[0], name, mostAnswers)
		case p.Broken == nil:
			return data.Labels{}, fmt.Errorf("%s: column %q has more than %d different whole numbers; say --task regression if they "+
				"are measured, "+
				"or name another column with --label", files[0], name, mostAnswers)
		}
		task = data.TaskAuto
	}
	for _, a := range []*Answer{p.Word, p.Broken} {
		if a != nil && !slices.ContainsFunc(list, func(o Answer) bool { return o.Text == a.Text }) {
			list = append(list, *a)
		}
	}
	slices.SortStableFunc(list, func(a, b Answer) int {
		switch {
		case a.before(b):
			return -1
		case b.before(a):
			return 1
		}
		return 0
	})
	counts := make([]data.Count, len(list))
	for q, a := range list {
		counts[q] = data.Count{Answer: a.Text, Rows: max(a.Rows, 1), First: q}
	}
	labels, err := data.InterpretCounts(counts, name, data.LabelOptions{Task: task})
	var wrong *data.LabelError
	if errors.As(err, &wrong) {
		if wrong.Row >= 0 {
			a := list[wrong.Row]
			return labels, fmt.Errorf("%s:%d: %w", files[a.Shard], a.Line, err)
		}
		return labels, fmt.Errorf("%s: %w", files[0], err)
	}
	return labels, err
}

// Encode and Decode carry values from one process to another.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

// Decode is the inverse of Encode; into is a pointer.
func Decode(text []byte, into any) error { return gob.NewDecoder(bytes.NewReader(text)).Decode(into) }
