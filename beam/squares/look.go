package squares

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/columns"
	"github.com/mercer-ml/mercer/internal/task"
)

// Tables that hold more than numbers, as those of package internal/columns. Two passes come before all others: one looks at every cell,
// and what the columns are is decided as of one file; one fetches some rows, evenly spaced, for the medians that missing
// numbers count as.

// Looked is what the cells of some shards show.
type Looked struct {
	Seen *read.Seen
	Rows []int // of each shard
}

// Look looks at the cells of one shard.
func Look(ctx context.Context, file string, number int, o shard.Options, ask Ask) (*Looked, error) {
	reading := o.Reading()
	reading.Label, reading.Until = ask.Label, ask.until(number)
	seen, err := read.Look(ctx, file, number, reading)
	if err != nil {
		return nil, err
	}
	return &Looked{Seen: seen, Rows: []int{seen.Rows()}}, nil
}

// Join takes in what later shards show.
func (l *Looked) Join(o *Looked) {
	if l.Seen == nil {
		*l = *o
		return
	}
	if err := l.Seen.Join(o.Seen); err != nil {
		panic(fmt.Sprintf("squares: shards have other columns than their first rows: %v", err))
	}
	l.Rows = append(l.Rows, o.Rows...)
}

// Sample fetches every plan.Step-th row of one shard.
func Sample(ctx context.Context, file string, number int, o shard.Options, plan *Plan) (*Picked, error) {
	var list [][]float64
	row := 0
	begin := func() { list, row = nil, plan.First[number] }
	_, err := shard.Each(ctx, file, o, plan.Ask.reading(o, number), batchRows, shard.Taker{Begin: begin, Batch: func(set *data.Set) error {
		list = Every(list, set.Rows.Dense, row, plan.Step)
		row += set.Rows.Len()
		return nil
	}})
	if err != nil || len(list) == 0 {
		return new(Picked), err
	}
	return &Picked{data.Rows{Dense: matrix(list)}}, nil
}

// first is the first pass over the rows, and those that must come before it.
func (s *Start) first(ctx context.Context, ask *Ask, passes First) (err error) {
	words := s.Table.Words || len(s.cells.Given)+len(s.cells.Marks) > 0 || s.cells.Dialect.Decimal == "comma"
	if !words {
		s.Part, err = passes.Sum(ctx, *ask)
		var fault interface{ Words() bool }
		if words = errors.As(err, &fault) && fault.Words() && s.options.SkipBad == 0; !words && err != nil {
			return err
		}
		s.cells.Numbers = !words && s.plain() && (s.Table.Sparse || !s.Part.Amounts.Found)
		if s.cells.Numbers && s.Part.Coded && s.options.SkipBad > 0 {
			s.Warnings = append(s.Warnings, fmt.Sprintf("--skip-bad %d: some numbers begin with 0, and whether they are codes such as 01234 "+
				"is not looked at; they count as numbers, unless it is left out", s.options.SkipBad))
			return nil
		}
		if s.cells.Numbers && !s.Part.Coded {
			return nil
		}
	}
	if s.options.SkipBad > 0 {
		return task.Usage("--skip-bad %d: a table that holds more than numbers to learn from, such as words, dates or an id, is read whole, "+
			"since a word is no fault there; leave it out, or choose columns of numbers with --features", s.options.SkipBad)
	}
	if err := s.columns(ctx, ask, passes); err != nil {
		return err
	}
	s.Part, err = passes.Sum(ctx, *ask)
	return err
}

// plain says whether numbers are learned from as they are, by their names and what the first pass shows of them.
func (s *Start) plain() bool {
	return s.Part.Stats == nil || s.Part.Runs.Plain(s.Table.Features, s.Part.Stats.N)
}

// warn says of shards what has not been said yet.
func (s *Start) warn(warnings []read.Warning) {
	table := *s.Table
	table.Warnings = slices.Clone(table.Warnings)
	for _, w := range warnings {
		if !slices.Contains(table.Warnings, w) {
			table.Warnings = append(table.Warnings, w)
		}
	}
	s.Table = &table
}

// columns decides what the columns are.
func (s *Start) columns(ctx context.Context, ask *Ask, passes First) error {
	var looked *Looked
	seen, until, said, err := shard.Ended(s.Table.Shards, func(until []int) (seen *read.Seen, err error) {
		ask.Until = until
		if looked, err = passes.Look(ctx, *ask); err == nil {
			seen = looked.Seen
		}
		return seen, err
	})
	if err != nil {
		return err
	}
	reading := s.cells
	reading.Label = ask.Label
	if ask.Table, err = seen.Decide(s.Table.Shards, reading); err != nil {
		return err
	}
	ask.Until = until
	said = append(said, shard.Guessed(s.Table.Shards, ask.Table)...)
	if err := s.options.Refuse(said); err != nil {
		return err
	}
	s.warn(said)
	ask.Features = nil
	plan := &Plan{Ask: *ask, First: make([]int, len(looked.Rows))}
	n := 0
	for i, rows := range looked.Rows {
		plan.First[i] = n
		n += rows
	}
	plan.Step = max(1, n/medianRows)
	picked, err := passes.Sample(ctx, plan)
	if err != nil {
		return err
	}
	columns.NewCoder(ask.Table).Learn(picked.Rows.Dense)
	coded := *s.Table
	coded.Features, _ = ask.Table.Features()
	s.Table = &coded
	return nil
}
