package forecast

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/method"
)

// trial is one fit to be forecast and measured, of rows that are drawn or of a file.
type trial struct {
	Recipe   mercer.Recipe `json:"recipe"`
	File     string        `json:"file"`
	Splits   string        `json:"splits"` // a file of which the first split has the labelled rows
	Rows     int           `json:"rows"`
	Labelled int           `json:"labelled"` // 0 of a file: all
	Columns  int           `json:"columns"`
	Classes  int           `json:"classes"` // 0: a regression
	Quick    bool          `json:"quick"`   // for the test
	// Live collects garbage at once, so that little but what is in use is measured: to set the
	// formulas by.
	Live bool `json:"live"`
}

// front says whether a method makes a front.
func front(id string) bool {
	m, ok := method.Find(id)
	return ok && m.Supports(nil).Front
}

// input reads or draws the rows.
func (t trial) input() (mercer.Input, error) {
	if t.File == "" {
		return t.drawn(), nil
	}
	set, _, err := read.Open(context.Background(), t.File, read.Options{})
	in := mercer.Input{Set: set}
	if err != nil {
		return in, err
	}
	var keep []int
	switch {
	case t.Splits != "":
		splits, err := read.Splits(context.Background(), t.Splits, set.Rows.Len())
		if err != nil {
			return in, err
		}
		keep = splits[0].Labelled
	case t.Labelled > 0:
		labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
		if err != nil {
			return in, err
		}
		if keep, err = data.DrawTotal(labels, t.Labelled, 0); err != nil {
			return in, err
		}
	default:
		return in, nil
	}
	in.Set.Answers, in.Hidden = data.Hide(set.Answers, keep)
	return in, nil
}

// drawn has a cloud for each class, which overlap, or a smooth function of the first columns, and
// noise.
func (t trial) drawn() mercer.Input {
	rng := rand.New(rand.NewPCG(1, uint64(t.Rows))) //nolint:gosec // rows to be measured on, no secret
	x := mat.NewDense(t.Rows, t.Columns, nil)
	set := &data.Set{Source: "drawn", LabelName: "y", Answers: make(data.Answers, t.Rows), Rows: data.Rows{Dense: x}}
	for i := range t.Rows {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		class := i % max(t.Classes, 1)
		if t.Classes > 0 {
			row[class%t.Columns]++
		}
		if i >= t.Labelled {
			continue
		}
		if set.Answers[i] = fmt.Sprint(class); t.Classes == 0 {
			set.Answers[i] = fmt.Sprintf("%.4g", math.Sin(row[0])+row[1%t.Columns]+rng.NormFloat64()/2)
		}
	}
	return mercer.Input{Set: set}
}

// String is the recipe as on the command line.
func (t trial) String() string {
	r := t.Recipe
	words := []string{r.Method}
	for _, f := range [][2]string{{"kernel", r.Kernel}, {"tune", r.Tune}, {"search", r.Search}, {"decision", r.Decision}} {
		if f[1] != "" {
			words = append(words, "--"+f[0]+" "+f[1])
		}
	}
	if r.Budget > 0 {
		words = append(words, fmt.Sprintf("--budget %d", r.Budget))
	}
	for _, k := range slices.Sorted(maps.Keys(r.Set)) {
		words = append(words, "--set "+k+"="+r.Set[k])
	}
	return strings.Join(words, " ")
}

// source is what the trial is on.
func (t trial) source() string {
	if t.File == "" {
		return "drawn"
	}
	name, _, _ := strings.Cut(filepath.Base(t.File), ".")
	return name
}
