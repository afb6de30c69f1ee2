package rbf

// Problem   Ranges of complexities and widths need only be large enough (Kokshenev 2010,
//           section 4.6). A network chosen at their border says that they were not.
// Method    Choose; where the choice lies at the border double the range there, with the
//           same ratio of neighbouring widths, and choose again, some times at most.
// Cost      a front and a decision each time.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// atEnd is the share of the greatest complexity from which on a network lies at its border.
const atEnd = 0.95

// border says at which borders of its front an element lies. Networks of several widths have units at
// both ends of the grid anyway.
func (f *Front) border(i int) (complexity, narrow, wide bool) {
	last := len(f.Widths) - 1
	sigma := f.Sigma(i)
	if f.Joint {
		sigma = math.NaN()
	}
	return f.MaxQ > 0 && f.Elements[i].Q >= atEnd*f.MaxQ, last > 0 && sigma == f.Widths[0], last > 0 && sigma == f.Widths[last]
}

// Border says in words where element i lies at the border of what its front looked at; "" where it
// does not.
func (f *Front) Border(i int) string {
	complexity, narrow, wide := f.border(i)
	return f.inWords(i, complexity, narrow || wide)
}

// inWords says of element i that its complexity, its width or both are at the border.
func (f *Front) inWords(i int, complexity, width bool) string {
	var list []string
	if complexity {
		list = append(list, fmt.Sprintf("complexity %.4g is at the end of the front, %.4g", f.Elements[i].Q, f.MaxQ))
	}
	if width {
		list = append(
			list,
			fmt.Sprintf("width %.4g is at the end of the grid, %.4g to %.4g", f.Sigma(i), f.Widths[0], f.Widths[len(f.Widths)-1]),
		)
	}
	return strings.Join(list, "; ")
}

// Enlargeable is a recipe whose ranges can grow: MOBJ and Joint.
type Enlargeable interface {
	Fit(ctx context.Context, rows data.Rows, y *mat.Dense) ([]*Front, error)
	// Enlarged is the recipe to go on with where an element chosen of a front it made, one an output,
	// lies at the border, and why; "" if none does.
	Enlarged(fronts []*Front, chosen []int) (larger Enlargeable, why string)
}

// Enlarged doubles Q_max and the range of widths, unless that was asked for, where a choice lies at their ends.
func (m MOBJ) Enlarged(fronts []*Front, chosen []int) (Enlargeable, string) {
	f := fronts[0] // all have the same ranges
	var complexity, narrow, wide bool
	var why []string
	for k, i := range chosen {
		c, n, w := fronts[k].border(i)
		n, w = n && m.Widths.Rule != Asked, w && m.Widths.Rule != Asked
		complexity, narrow, wide = complexity || c, narrow || n, wide || w
		if text := fronts[k].inWords(i, c, n || w); text != "" {
			why = append(why, text)
		}
	}
	if complexity {
		m.MaxQ = 2 * f.MaxQ
	}
	if narrow || wide {
		if m.MaxQ == 0 { // the default is one of the middle of the grid
			m.MaxQ = f.MaxQ
		}
		m.Widths = m.Widths.enlarged(f.Widths, narrow, wide)
	}
	return m, strings.Join(why, "; ")
}

// Enlarged doubles Q_max where a choice lies at its end, and takes a tenth of MinShare, which may have
// ended the path.
func (j Joint) Enlarged(fronts []*Front, chosen []int) (Enlargeable, string) {
	var why []string
	for k, i := range chosen {
		if text := fronts[k].Border(i); text != "" {
			why = append(why, text)
			j.MaxQ = max(j.MaxQ, 2*fronts[k].MaxQ)
		}
	}
	if why != nil {
		j.MinShare = cmp.Or(j.MinShare, minShare) / 10
	}
	return j, strings.Join(why, "; ")
}

// enlarged doubles the range of grid downwards, upwards or both.
func (w Widths) enlarged(grid []float64, narrow, wide bool) Widths {
	last := len(grid) - 1
	lo, hi := grid[0], grid[last]
	more := int(math.Ceil(math.Ln2 / math.Log(grid[1]/lo)))
	ratio := math.Pow(hi/lo, float64(more)/float64(last))
	w.Steps = last
	if narrow {
		lo /= ratio
		w.Steps += more
	}
	if wide {
		hi *= ratio
		w.Steps += more
	}
	w.Lo, w.Hi = lo, hi
	return w
}

// Choice is the fronts of which networks were chosen, one an output.
type Choice struct {
	Fronts []*Front
	Chosen []int
	// Enlarged says why ranges were enlarged, each time; Border why they would have to be once more.
	Enlarged []string
	Border   string
}

// Inside makes fronts and decides until no network chosen lies at the border, enlarging ranges some times
// at most; 0 only says so. Where the context ends, what was whole until then is kept.
func Inside(
	ctx context.Context,
	r Enlargeable,
	rows data.Rows,
	y *mat.Dense,
	times int,
	decide func([]*Front) ([]int, error),
) (*Choice, error) {
	var out *Choice
	for {
		fronts, err := r.Fit(ctx, rows, y)
		if ctx.Err() != nil && out != nil {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		chosen, err := decide(fronts)
		if err != nil {
			return nil, err
		}
		next := &Choice{Fronts: fronts, Chosen: chosen}
		if out != nil {
			next.Enlarged = append(slices.Clone(out.Enlarged), out.Border)
		}
		r, next.Border = r.Enlarged(fronts, chosen)
		if out = next; out.Border == "" || len(out.Enlarged) == times || ctx.Err() != nil {
			return out, nil
		}
	}
}
