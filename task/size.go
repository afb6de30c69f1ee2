package task

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/sparse"
)

// Size is what the cost of a form depends on, known before anything is learned.
type Size struct {
	Rows, Labelled, Features int
	Outputs                  int     // the distinct answers; one if they are too many to be classes
	Stored                   float64 // numbers that the rows take: n d, of sparse rows 1.5 a non-zero
	Sparse                   bool
	Cache                    int64 // bytes of kernel rows that may be kept; 0: the default
	// Names are those of the features. With them and one row it can be seen whether a kernel has
	// features of its own, and whether these are fewer than the rows.
	Names []string
	One   data.Rows
}

func (s Size) String() string {
	return fmt.Sprintf("%d rows (%d labelled) x %d features", s.Rows, s.Labelled, s.Features)
}

// SizeOf measures an input.
func SizeOf(in Input, o Options, oneClass bool) Size {
	s := Size{Rows: in.Set.Rows.Len(), Features: in.Set.Rows.Dim(), Outputs: outputs(in.Set.Answers), Sparse: in.Set.Rows.IsSparse(),
		Cache: o.Cache, Names: in.Set.Features}
	if s.Rows > 0 {
		s.One = in.Set.Rows.Select([]int{0})
	}
	for _, a := range in.Set.Answers {
		if !data.IsUnlabelled(a) {
			s.Labelled++
		}
	}
	if oneClass {
		s.Labelled = s.Rows
	}
	s.Stored = stored(s, in.Set.Rows.Sparse)
	return s
}

func stored(s Size, rows *sparse.CSR) float64 {
	if rows != nil {
		return 1.5 * float64(rows.NNZ()) // a value and half as much for its column
	}
	return float64(s.Rows) * float64(s.Features)
}

// outputs guesses the number of outputs: the distinct answers, one if they are
// too many to be classes.
func outputs(a data.Answers) int {
	const most = 1000
	seen := map[string]bool{}
	for _, v := range a {
		if !data.IsUnlabelled(v) && !seen[v] {
			seen[v] = true
			if len(seen) > most {
				return 1
			}
		}
	}
	return max(len(seen), 1)
}
