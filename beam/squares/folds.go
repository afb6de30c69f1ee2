package squares

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/task"
)

// Folds are drawn by the caller as mercer fit draws them, which needs the numbers of labelled rows of each class and no rows. What a
// worker must know is a byte a labelled row, and how many rows of each class the shards before its own have.
//
// Sums of products are made for each fold by itself (moments.Folds): K times what one sum takes, in every worker and the caller.

// Folds say in which fold each labelled row is. A regression is one class.
type Folds struct {
	K     int
	Fold  [][]uint8 // of the rows of each class in their order; K: in none
	First [][]int   // of each shard, the number of its first row of each class among all of the class
}

const (
	// mostFolds have numbers in a byte, and one is left for the rows in none.
	mostFolds = 255
	// mostSums is how many numbers the products of features of all folds may be: 1 GB.
	mostSums = 1 << 27
)

// dealing goes over the labelled rows of one shard.
type dealing struct {
	*Folds
	file string
	at   []int // the next row of each class
}

// of begins with the first row of a shard; nil of no folds.
func (f *Folds) of(file string, shard int) *dealing {
	if f == nil {
		return nil
	}
	return &dealing{f, file, slices.Clone(f.First[shard])}
}

// next are the folds of the next labelled rows, of these classes.
func (d *dealing) next(class []int) ([]int, error) {
	fold := make([]int, len(class))
	for i, c := range class {
		if d.at[c] == len(d.Fold[c]) {
			return nil, fmt.Errorf("%s: has more labels than when it was first read; leave shards as they are during a fit", d.file)
		}
		fold[i] = int(d.Fold[c][d.at[c]])
		d.at[c]++
	}
	return fold, nil
}

// Deal draws the folds, or the rows held out, by which a score judges; of other scores there are none.
func (s *Start) Deal(by task.Scoring) error {
	if by.Folds == 0 && by.Share == 0 {
		return nil
	}
	f := &Folds{K: max(by.Folds, 1), First: make([][]int, len(s.Table.Shards))}
	if f.K > mostFolds {
		return task.Usage("--tune %s: over shards there are at most %d folds; ask for fewer, or for --tune loo:press", by.Name, mostFolds)
	}
	features := len(s.Part.Stats.Mean)
	if s.Kernel != nil {
		features = s.Request.Centres()
	}
	if most := mostSums / (features * features); f.K > most {
		return task.Usage("--tune %s: %d features have products of %d MB in each of %d folds, and %d MB are allowed; ask for at "+
			"most %d folds, "+
			"or for --tune loo:press", by.Name, features, 8*features*features>>20, f.K, 8*mostSums>>20, most)
	}
	counts := s.countClasses(f.First)
	f.Fold = make([][]uint8, len(counts))
	for c, n := range counts {
		f.Fold[c] = make([]uint8, n)
		for i := range f.Fold[c] {
			f.Fold[c][i] = uint8(f.K)
		}
	}
	put, seed := func(class, row, fold int) { f.Fold[class][row] = uint8(fold) }, s.Recipe.Drawn()
	var err error
	if by.Share > 0 {
		err = data.DealHeldOut(counts, by.Share, seed, put)
	} else {
		err = data.DealFolds(counts, by.Folds, seed, put)
	}
	if err != nil {
		return fmt.Errorf("%s: --tune %s: %w", s.Table.Shards[0], by.Name, err)
	}
	if s.Labels.Task == data.Classification {
		s.Warnings = append(s.Warnings, data.Partition{K: f.K, Short: data.Shortages(s.Labels.Classes, counts, f.K)}.Warnings()...)
	}
	s.Plan.Folds = f
	return nil
}

// countClasses are the labelled rows of each class, and stores in first how many there are before each shard.
func (s *Start) countClasses(first [][]int) []int {
	counts := make([]int, max(1, len(s.Labels.Classes)))
	index := data.ClassIndex(s.Labels.Classes)
	for _, one := range s.Part.Shards {
		first[one.Shard] = slices.Clone(counts)
		if s.Labels.Task == data.Regression {
			counts[0] += one.Labelled
			continue
		}
		for _, a := range one.Answers {
			if !data.IsUnlabelled(a.Text) {
				c, _ := index(a.Text)
				counts[c] += a.Rows
			}
		}
	}
	return counts
}
