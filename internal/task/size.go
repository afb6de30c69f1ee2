package task

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/result"
)

// Size is what the cost of a form depends on, known before anything is learned.
type Size struct {
	Rows, Labelled, Features int
	Task                     data.Task
	Outputs                  int     // the classes; one of numbers
	Pair                     int     // labelled rows of the two largest classes
	Stored                   float64 // numbers that the rows take: n d, of sparse rows 1.5 a non-zero
	Sparse                   bool
	Words                    bool  // columns of the table are words
	Grouped                  bool  // rows are in groups, which folds keep whole
	Ordered                  bool  // rows are in order, and those that are judged are the last
	Processors               int   // that work at the same time
	Cache                    int64 // bytes of kernel rows that may be kept; 0: the default
	// Names are those of the features. With them and one row it can be seen whether a kernel has
	// features of its own, and whether these are fewer than the rows.
	Names []string
	One   data.Rows
}

func (s Size) String() string {
	return fmt.Sprintf("%d rows (%d labelled) x %d features", s.Rows, s.Labelled, s.Features)
}

// SizeOf measures an input, of whose labels some may be hidden, for a recipe.
func SizeOf(in result.Input, r result.Recipe, o result.Options, oneClass bool) Size {
	s := Size{Rows: in.Set.Rows.Len(), Features: in.Set.Rows.Dim(), Sparse: in.Set.Rows.IsSparse(),
		Words: WordShare(in.Set.Table) > 0, Grouped: in.Set.Group != nil, Ordered: in.Set.Order != nil, Cache: o.Cache,
		Names: in.Set.Features, Outputs: 1, Processors: runtime.GOMAXPROCS(0)}
	if s.Rows > 0 {
		s.One = in.Set.Rows.Select([]int{0})
	}
	if l, err := Interpret(in.Set, r, oneClass); err == nil { // else the fit is refused
		s.Task, s.Labelled = l.Task, len(l.Labelled())
		s.Outputs, s.Pair = max(len(l.Classes), 1), s.Labelled
		if len(l.Classes) > 2 {
			counts := l.Counts()
			slices.Sort(counts)
			s.Pair = counts[len(counts)-1] + counts[len(counts)-2]
		}
	}
	s.Stored = stored(s, in.Set.Rows.Sparse)
	return s
}

func stored(s Size, rows *data.CSR) float64 {
	if rows != nil {
		return 1.5 * float64(rows.NNZ()) // a value and half as much for its column
	}
	return float64(s.Rows) * float64(s.Features)
}
