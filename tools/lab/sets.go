package main

import (
	"context"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// splitSet is a set with all its answers, and the labelled rows of each of its splits.
type splitSet struct {
	name   string
	set    *data.Set
	splits [][]int
}

// source says where a set and its splits come from: files of the folder of data, or a built-in set and labels that are drawn.
type source struct {
	name, file, splits string
	builtin            string
	each, draws        int // labels drawn of each class, so often
}

// heldSets are those that no choice of the automatic fit was made on, and the built-in digits.
func heldSets() []source {
	return []source{
		{name: "coil20", file: "coil20.csv.gz", splits: "coil20.gensplits.csv"},
		{name: "uspst", file: "uspst.csv.gz", splits: "uspst.splits.csv"},
		{name: "g50c", file: "g50c.csv.gz", splits: "g50c.splits.csv"},
		{name: "macwin_text1", file: "macwin_text1.svm.gz", splits: "macwin_text1.splits.csv"},
		{name: "digits, 2 labels a class", builtin: "digits", each: 2, draws: 20},
	}
}

// open reads a set and at most so many of its splits; 0: all.
func (s source) open(ctx context.Context, dir string, most int) (splitSet, error) {
	out := splitSet{name: s.name}
	var err error
	if s.builtin != "" {
		if out.set, err = data.Builtin(s.builtin); err != nil {
			return out, err
		}
		draws := s.draws
		if most > 0 {
			draws = min(draws, most)
		}
		out.splits, err = drawSplits(out.set, s.each, draws)
		return out, err
	}
	if out.set, _, err = read.Open(ctx, filepath.Join(dir, s.file), read.Options{}); err != nil {
		return out, err
	}
	given, err := read.Splits(ctx, filepath.Join(dir, s.splits), out.set.Rows.Len())
	if err != nil {
		return out, err
	}
	for k, split := range given {
		if most == 0 || k < most {
			out.splits = append(out.splits, split.Labelled)
		}
	}
	return out, nil
}

// drawSplits draws so many labels of each class, with the seeds 0 to draws - 1.
func drawSplits(d *data.Set, each, draws int) (splits [][]int, err error) {
	labels, err := data.Interpret(d.Answers, d.LabelName, data.LabelOptions{})
	if err != nil {
		return nil, err
	}
	for seed := range draws {
		keep, err := data.DrawPerClass(labels, each, uint64(seed))
		if err != nil {
			return nil, err
		}
		splits = append(splits, keep)
	}
	return splits, nil
}
