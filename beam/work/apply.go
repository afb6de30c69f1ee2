package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"syscall"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/answer"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/fit"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/internal/oserror"
	"github.com/mercer-ml/mercer/internal/replace"
	"github.com/mercer-ml/mercer/model"
)

// Failed is the answer for a fault of the data, a file or a request: one line that names the place.
func Failed(err error) Answer {
	var wrong *mercer.UsageError
	var path *fs.PathError
	var link *os.LinkError
	text := err.Error()
	switch {
	case errors.As(err, &path):
		text = fmt.Sprintf("%s: %s", path.Path, system(path.Err))
	case errors.As(err, &link):
		text = fmt.Sprintf("%s: %s", link.New, system(link.Err))
	}
	var cell *read.Error
	return Answer{Fault: text, Usage: errors.As(err, &wrong), Words: errors.As(err, &cell) && cell.Words()}
}

// system explains an error of the operating system.
func system(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return oserror.Text(err) + "; all workers must see it under this name"
	case errors.Is(err, fs.ErrPermission):
		return oserror.Text(err) + "; check the permissions of the file and its folder"
	case oserror.Is(err, syscall.ENOSPC):
		return oserror.Text(err) + "; free some space"
	}
	return oserror.Text(err) + "; check the file and its folder"
}

// Done says what one element left behind.
type Done struct {
	Element int
	Rows    int
	Path    string
	// Of a candidate.
	Score  float64
	Result []byte // of the fit, as JSON
	Failed string // why the candidate has no model

	// Of the rows that were read.
	Warnings []read.Warning

	// Of a split.
	Metrics fit.SplitMetrics
	Seconds float64
}

// rowsFor hands on each batch of a shard, in the form of the rows that a model knows, and returns what there is to tell.
func rowsFor(ctx context.Context, m *model.Model, s Spec, element int, labels bool, to shard.Taker) (shard.Notes, error) {
	o := apply.Options(m, s.Read.Reading(), labels)
	o.ID, o.Part = s.ID, false
	file := s.Shards[element]
	reading := s.Read
	if !labels {
		reading.SkipBad = 0 // every row has its prediction
	}
	return shard.Each(ctx, file, reading, o, apply.BatchRows, shard.Taker{Begin: to.Begin, Batch: func(set *data.Set) error {
		set, err := apply.Suited(m, set)
		if err != nil {
			return err
		}
		return at(file, set, to.Batch(set))
	}})
}

// at names the file and the line of a fault of one row.
func at(file string, set *data.Set, err error) error {
	var row *model.RowError
	var label *data.LabelError
	var place *read.Error
	var line int
	switch {
	case err == nil || errors.As(err, &place):
		return err
	case errors.As(err, &row):
		line = row.Row
	case errors.As(err, &label):
		line = label.Row
	default:
		return err
	}
	if line >= 0 && line < len(set.Lines) {
		return fmt.Errorf("%s:%d: %w", file, set.Lines[line], err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// predict writes the predictions of a shard, whole or not at all.
func predict(ctx context.Context, w *Worker, element int) (*[]Done, error) {
	m, err := w.model(ctx)
	if err != nil {
		return nil, err
	}
	s := w.Spec
	s.ID = cmp.Or(s.ID, m.Table.ID())
	d := Done{Element: element, Path: s.Outputs[element]}
	err = replace.File(d.Path, func(to io.Writer) error {
		p := apply.NewAnswers(m, w.Probability, nil)
		p.ID = s.ID
		notes, err := rowsFor(ctx, m, s, element, false, shard.Taker{Begin: func() {}, Batch: func(set *data.Set) error {
			if err := apply.Named(m, set, s.ID); err != nil {
				return err
			}
			if err := p.Predict(ctx, set.Rows); err != nil {
				return err
			}
			if p.ID, p.IDs = "", set.ID; p.IDs != nil {
				p.ID = s.ID
			}
			return p.CSV(to)
		}})
		d.Rows, d.Warnings = p.Rows, notes.Warnings
		return err
	})
	return &[]Done{d}, err
}

// Measures are sums of which the measures of a model on any number of rows are made.
type Measures struct {
	Rows             int
	Confusion        [][]int // rows of class i decided as j; the last row counts classes never seen
	LogLoss          float64 // summed; of models with probabilities
	Probabilities    bool
	Squares, Sizes   float64 // of a regression's errors
	Mean, Deviations float64 // of its targets
	Unseen           map[string]int
	Skipped          []string // lines left out, as FILE:LINE
	Warnings         []read.Warning
	Spaced           Spaced // of dense rows, with and without labels
}

// evaluate measures a model on the labelled rows of a shard.
func evaluate(ctx context.Context, w *Worker, element int) (*Measures, error) {
	m, err := w.model(ctx)
	if err != nil {
		return nil, err
	}
	var all *Measures
	notes, err := rowsFor(ctx, m, w.Spec, element, true, shard.Taker{Begin: func() { all = newMeasures(m) }, Batch: func(set *data.Set) error {
		labels, unseen, err := answer.Known(m, set.Answers)
		if err != nil {
			return err
		}
		for name, n := range unseen {
			all.Unseen[name] += n
		}
		var rows []int
		for i := range set.Rows.Len() {
			if set.Rows.Dense != nil {
				all.Spaced.Add(set.Rows.Dense.RawRowView(i))
			}
			if m.Task == data.Regression && !math.IsNaN(labels.Value[i]) || m.Task != data.Regression && labels.Class[i] != data.Unlabelled {
				rows = append(rows, i)
			}
		}
		if len(rows) == 0 {
			return nil
		}
		out, err := m.Predict(ctx, set.Rows.Select(rows))
		if err != nil {
			return err
		}
		return all.add(m, out, labels, rows)
	}})
	all.Warnings = notes.Warnings
	for _, line := range notes.Skipped {
		all.Skipped = append(all.Skipped, fmt.Sprintf("%s:%d", w.Shards[element], line))
	}
	return all, err
}

// newMeasures are those of no row.
func newMeasures(m *model.Model) *Measures {
	v := &Measures{Unseen: map[string]int{}, Probabilities: m.HasProbabilities()}
	if m.Task == data.Classification {
		v.Confusion = make([][]int, len(m.Classes)+1)
		for i := range v.Confusion {
			v.Confusion[i] = make([]int, len(m.Classes))
		}
	}
	return v
}

// add takes in outputs for rows with labels.
func (v *Measures) add(m *model.Model, out *mat.Dense, labels data.Labels, rows []int) error {
	if m.Task == data.Regression {
		for q, i := range rows {
			e, y := labels.Value[i]-out.At(q, 0), labels.Value[i]
			v.Rows++
			v.Squares += e * e
			v.Sizes += math.Abs(e)
			dev := y - v.Mean
			v.Mean += dev / float64(v.Rows)
			v.Deviations += dev * (y - v.Mean)
		}
		return nil
	}
	var p *mat.Dense
	if v.Probabilities {
		var err error
		if p, err = m.Probabilities(out); err != nil {
			return err
		}
	}
	for q, k := range m.Decide(out) {
		class := labels.Class[rows[q]]
		v.Rows++
		if class < 0 {
			v.Confusion[len(m.Classes)][k]++
			continue
		}
		v.Confusion[class][k]++
		if p != nil {
			v.LogLoss += metric.LogLoss([][]float64{p.RawRowView(q)}, []int{class})
		}
	}
	return nil
}

// Join takes in the measures of later rows.
func (v *Measures) Join(o *Measures) {
	if o.Rows > 0 {
		share, dev := float64(o.Rows)/float64(v.Rows+o.Rows), o.Mean-v.Mean
		v.Deviations += o.Deviations + dev*dev*float64(v.Rows)*share
		v.Mean += dev * share
	}
	v.Skipped, v.Warnings = append(v.Skipped, o.Skipped...), append(v.Warnings, o.Warnings...)
	v.Spaced.Join(&o.Spaced)
	v.Rows += o.Rows
	v.LogLoss += o.LogLoss
	v.Squares += o.Squares
	v.Sizes += o.Sizes
	for i, row := range o.Confusion {
		for j, n := range row {
			v.Confusion[i][j] += n
		}
	}
	if v.Unseen == nil {
		v.Unseen = map[string]int{}
	}
	for name, n := range o.Unseen {
		v.Unseen[name] += n
	}
}

// Classes are counts by the true class and then by the predicted one, and the names of the true ones, labels never seen in training
// together; nil of a regression.
func (v *Measures) Classes(known []string) (names []string, counts [][]int) {
	k := len(known)
	for i := range v.Confusion {
		if i < k || slices.Max(v.Confusion[i]) > 0 {
			names, counts = append(names, append(slices.Clone(known), "never seen in training")[i]), append(counts, v.Confusion[i])
		}
	}
	return names, counts
}

// Metric are the measures by name. Those that need the order of all outputs, auc and prbep, are not among them.
func (v *Measures) Metric() mercer.Metric {
	n := float64(v.Rows)
	if v.Confusion == nil {
		out := mercer.Metric{"rmse": math.Sqrt(v.Squares / n), "mae": v.Sizes / n}
		if v.Deviations > 0 {
			out["r2"] = 1 - v.Squares/v.Deviations
		}
		return out
	}
	right, unseen, k := 0, 0, len(v.Confusion)-1
	for i := range k {
		right += v.Confusion[i][i]
	}
	for _, rows := range v.Confusion[k] {
		unseen += rows
	}
	out := mercer.Metric{"error": 1 - float64(right)/n, "balanced_accuracy": metric.BalancedAccuracy(v.Confusion)}
	if v.Probabilities && unseen == 0 {
		out["log_loss"] = v.LogLoss / n
	}
	return out
}
