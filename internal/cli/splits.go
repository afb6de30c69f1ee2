package cli

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
)

// drawing are the flags of labels drawn at random.
type drawing struct {
	Labels         *int `help:"Keep N labels drawn at random, classes in proportion." placeholder:"N"`
	LabelsPerClass *int `help:"Keep N labels of each class drawn at random." placeholder:"N"`
}

// check refuses what cannot be drawn.
func (d drawing) check() error {
	switch {
	case d.Labels != nil && d.LabelsPerClass != nil:
		return usage("--labels and --labels-per-class each say which labels are kept; give one of them")
	case d.Labels != nil && *d.Labels < 1:
		return usage("--labels %d: must be at least 1", *d.Labels)
	case d.LabelsPerClass != nil && *d.LabelsPerClass < 1:
		return usage("--labels-per-class %d: must be at least 1", *d.LabelsPerClass)
	}
	return nil
}

// draw returns the rows that keep their labels.
func (d drawing) draw(labels data.Labels, seed uint64) ([]int, error) {
	if d.Labels != nil {
		return data.DrawTotal(labels, *d.Labels, seed)
	}
	return data.DrawPerClass(labels, *d.LabelsPerClass, seed)
}

// experiments draws splits of a set: number k of them has the labels that fit draws for seed k above
// the first.
func (c *dataCmd) experiments(set *data.Set) ([]data.Split, error) {
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Declared: set.Declared})
	if err != nil {
		return nil, err
	}
	seed := uint64(1)
	if c.Seed != nil {
		seed = *c.Seed
	}
	splits := make([]data.Split, *c.Splits)
	for k := range splits {
		rows, err := c.draw(labels, seed)
		if err != nil {
			return nil, err
		}
		splits[k] = data.Split{Name: fmt.Sprint(k), Labelled: rows}
		seed++
	}
	return splits, nil
}

// checkSplits refuses what splits cannot be drawn by.
func (c *dataCmd) checkSplits() error {
	switch given := c.Labels != nil || c.LabelsPerClass != nil; {
	case c.Splits == nil && (given || c.Label != ""):
		return usage("data: --label, --labels and --labels-per-class go with --splits")
	case c.Splits == nil:
		return nil
	case *c.Splits < 1:
		return usage("--splits %d: must be at least 1", *c.Splits)
	case !given || c.Labels != nil && c.LabelsPerClass != nil:
		return usage("--splits %d: give --labels N or --labels-per-class N, how many labels every split keeps", *c.Splits)
	}
	return nil
}
