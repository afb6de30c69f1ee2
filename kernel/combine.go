package kernel

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// What sums and products share: parameters by term, and blocks combined entry by
// entry with one temporary panel instead of a second matrix.

// termSpace joins the terms' parameters. Those of a term on a group of columns are
// named by the group, "sigma[a..c]", those of another term by its number, "2.sigma". If
// two terms are on the same group, all are named by number.
func termSpace(terms []Kernel) param.Space {
	var s param.Space
	var own []string // names by group, where there is one
	var group int
	for t, k := range terms {
		last := group
		columns, grouped := groupOf(k)
		for _, d := range k.Space() {
			name := d.Name
			d.Name = fmt.Sprintf("%d.%s", t+1, name)
			if grouped {
				own = append(own, columns.parameter(name))
			} else {
				own = append(own, d.Name)
			}
			if d.Group != 0 { // the groups of different terms stay apart
				d.Group += last
				group = max(group, d.Group)
			}
			s = append(s, d)
		}
	}
	if distinct(own) {
		for q := range s {
			s[q].Name = own[q]
		}
	}
	return s
}

func withTerms(terms []Kernel, theta []float64) ([]Kernel, error) {
	out := make([]Kernel, len(terms))
	for t, k := range terms {
		n := len(k.Space())
		w, err := k.With(theta[:n])
		if err != nil {
			return nil, fmt.Errorf("term %d: %w", t+1, err)
		}
		out[t], theta = w, theta[n:]
	}
	return out, nil
}

func adaptTerms(terms []Kernel, rows data.Rows) []Kernel {
	out := make([]Kernel, len(terms))
	for t, k := range terms {
		out[t] = k.Adapt(rows)
	}
	return out
}

func checkTerms(name string, terms []Kernel, at stage) error {
	if len(terms) == 0 {
		return fmt.Errorf("%s: no terms; give at least one", name)
	}
	for t, k := range terms {
		if err := check(k, at); err != nil {
			return fmt.Errorf("%s: term %d: %w", name, t+1, err)
		}
	}
	return nil
}

// combineBlocks stores in dst the terms' blocks, joined row by row by op. When i
// and j are the same only the lower triangle of the later terms is computed.
func combineBlocks(dst *mat.Dense, terms []Gram, i, j []int, op func(dst, term []float64)) {
	n := terms[0].Len()
	r, m := checkBlock(dst, n, i, j)
	if r == 0 || m == 0 {
		return
	}
	same := i == nil && j == nil || i != nil && slices.Equal(i, j)
	terms[0].Block(dst, i, j)
	if len(terms) == 1 {
		return
	}
	if i == nil {
		i = indices.To(n)
	}
	if same {
		j = i
	}
	size := min(panelRows(m), r)
	if r*m <= panelSize {
		size = r
	}
	work := mat.NewDense(size, m, nil)
	for lo := 0; lo < r; lo += size {
		hi := min(lo+size, r)
		cols, to := j, m
		if same {
			cols, to = i[:hi], hi
		}
		b := work.Slice(0, hi-lo, 0, to).(*mat.Dense)
		for _, t := range terms[1:] {
			t.Block(b, i[lo:hi], cols)
			parallel.Pieces(hi-lo, chunk, func(p, q int) {
				for a := p; a < q; a++ {
					op(row(dst, lo+a)[:to], row(b, a))
				}
			})
		}
	}
	if same {
		mirrorBand(dst, 0, r)
	}
}

// combineCross is combineBlocks for the rows of x.
func combineCross(dst *mat.Dense, terms []Gram, x data.Rows, j []int, op func(dst, term []float64)) error {
	if err := terms[0].Cross(dst, x, j); err != nil {
		return err
	}
	r, m := dst.Dims()
	size := min(panelRows(m), r)
	if r*m <= panelSize {
		size = r
	}
	var work *mat.Dense
	for lo := 0; lo < r && len(terms) > 1; lo += size {
		hi := min(lo+size, r)
		b := panelOf(&work, hi-lo, m)
		part := x
		if size < r {
			part = x.Select(indices.To(r)[lo:hi])
		}
		for _, t := range terms[1:] {
			if err := t.Cross(b, part, j); err != nil {
				return err
			}
			for a := lo; a < hi; a++ {
				op(row(dst, a), row(b, a-lo))
			}
		}
	}
	return nil
}
