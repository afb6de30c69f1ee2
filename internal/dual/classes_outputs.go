package dual

import (
	"context"

	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Outputs of one-versus-one machines on all labelled rows. A support vector of class a
// counts in the C-1 outputs of a alone, so an output of the pair (a, b) is
//
//	f_o(x) = sum_{s of a} coef_so k(s, x) + sum_{s of b} coef_so k(s, x) + offset_o
//
// from kernel values in single precision, in sums of double precision. Cost: n kernel values
// a support vector, read where the blocks are kept, else computed, and 2(C-1) flops for
// each, where the sum over all columns of coefficients would take C(C-1).

// votes is a machine by classes.
type votes struct {
	*classes
	first, second []int         // class of each output
	outputs       [][]int       // of each class
	support       [][]int       // places of its support vectors
	weight        [][][]float64 // their coefficients, by class and number among its outputs
	offset        []float64
	dst           *mat.Dense
}

// outputs returns the outputs of all pairs on all labelled rows (n x outputs), given
// the coefficients of these rows.
func (c *classes) outputs(
	ctx context.Context,
	coding learn.Coding,
	coef func(row, output int) float64,
	offset []float64,
) (*mat.Dense, error) {
	v := &votes{
		classes: c, offset: offset, outputs: make([][]int, len(c.rows)), support: make([][]int, len(c.rows)),
		weight: make([][][]float64, len(c.rows)), dst: mat.NewDense(len(c.class), coding.Outputs(), nil),
	}
	coding.EachPair(func(o, a, b int) {
		v.first, v.second = append(v.first, a), append(v.second, b)
		v.outputs[a], v.outputs[b] = append(v.outputs[a], o), append(v.outputs[b], o)
	})
	for a, rows := range c.rows {
		for q, i := range rows {
			for _, o := range v.outputs[a] {
				if coef(i, o) != 0 {
					v.support[a] = append(v.support[a], q)
					break
				}
			}
		}
		for _, o := range v.outputs[a] {
			w := make([]float64, len(v.support[a]))
			for q, place := range v.support[a] {
				w[q] = coef(rows[place], o)
			}
			v.weight[a] = append(v.weight[a], w)
		}
	}
	if c.whole {
		parallel.Pieces(len(c.rows), 1, func(b, _ int) { v.kept(b) })
		return v.dst, ctx.Err()
	}
	return v.dst, v.anew(ctx)
}

// room returns memory for the outputs on the rows of class b, output by output.
func (v *votes) room(b int) []float64 { return make([]float64, len(v.first)*len(v.rows[b])) }

// store stores the outputs on the rows of class b.
func (v *votes) store(b int, out []float64) {
	n := len(v.rows[b])
	for q, i := range v.rows[b] {
		row := v.dst.RawRowView(i)
		for o := range row {
			row[o] = out[o*n+q]
			if v.offset != nil {
				row[o] += v.offset[o]
			}
		}
	}
}

// kept computes the outputs on the rows of class b from blocks that are kept.
func (v *votes) kept(b int) {
	out, n := v.room(b), len(v.rows[b])
	for a, support := range v.support {
		switch {
		case len(support) == 0:
		case a <= b:
			w, ptrs := v.width(a), make([][]float32, len(support))
			for q, place := range support {
				ptrs[q] = v.panel[a][place*w+v.start[b]-v.start[a]:][:n]
			}
			for e, o := range v.outputs[a] {
				addSome(out[o*n:(o+1)*n], ptrs, 0, v.weight[a][e])
			}
		default: // K[b,a] holds the values by rows of b: of each those of the support vectors
			w, k := v.width(b), make([]float32, len(support))
			for i := range n {
				row := v.panel[b][i*w+v.start[a]-v.start[b]:]
				for q, place := range support {
					k[q] = row[place]
				}
				for e, o := range v.outputs[a] {
					out[o*n+i] += vec.DotMixed(k, v.weight[a][e])
				}
			}
		}
	}
	v.store(b, out)
}

// anew computes the outputs from kernel values computed again, class after class, by
// panels of support vectors.
func (v *votes) anew(ctx context.Context) error {
	var panel []float32
	for b, columns := range v.rows {
		n := len(columns)
		if n == 0 {
			continue
		}
		out, step := v.room(b), max(panelEntries/n, 32)
		for a, support := range v.support {
			for lo := 0; lo < len(support); lo += step {
				if err := ctx.Err(); err != nil {
					return err
				}
				hi := min(lo+step, len(support))
				rows, ptrs := make([]int, hi-lo), make([][]float32, hi-lo)
				panel = grown(panel, (hi-lo)*n)
				for q, place := range support[lo:hi] {
					rows[q], ptrs[q] = v.rows[a][place], panel[q*n:(q+1)*n]
				}
				v.k.Block(panel, rows, columns)
				parallel.Pieces(len(v.outputs[a]), 1, func(e, _ int) {
					o := v.outputs[a][e]
					addSome(out[o*n:(o+1)*n], ptrs, 0, v.weight[a][e][lo:hi])
				})
			}
		}
		v.store(b, out)
	}
	return nil
}
