package propagate

// Problem   with S = L^p, ybar the mean of the targets y and y~ = y - ybar,
//
//	          minimise over f  (1/l) sum_L (f_i - y~_i)^2 + gamma f'S f    subject to  sum_i f_i = 0
//
//           The outputs are f + ybar. The constraint takes the constant away, which costs nothing, and
//           keeps few labels from moving all outputs.
// Solution  A = l gamma S + J, J the labelled rows, z = A^-1 1:
//
//	          f = A^-1 (y~ + mu 1) = A^-1 y~ - z (1'A^-1 y~)/(1'z) = Q y~
//
// Left out  with l gamma as it is, so that a label counts the same, row i is let go from A: Q e_i e_i' Q/(1
//           - Q_ii) is added to Q (Sherman & Morrison, on the functions of sum zero), and
//
//	          o_i = ybar' + (sum_{j != i} Q_ij (y_j - ybar')) / (1 - Q_ii),   ybar' the mean without y_i
//
//           which takes the diagonal of Q, one solution a label.
// Rows      that no label reaches are left out of the problem and have ybar: with them, sum f = 0 would
//           let a row without an edge take the sum of all others.
// Cost      system; A has the condition n gamma |S| where gamma is large.
// Source    Belkin, Matveeva & Niyogi, COLT 2004, algorithm 1, Tikhonov's.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
)

// Regularised is regularisation on the graph, with the Laplacian of the graph's recipe.
type Regularised struct {
	Gamma  float64 // weight of the penalty; 0: the targets are met (interpolated.go)
	Degree int     // p; 0 means 1
}

var _ Algorithm = Regularised{}

// Bind implements Algorithm.
func (r Regularised) Bind(ctx context.Context, a *Labelled) (Machine, error) {
	if !(r.Gamma >= 0) || math.IsInf(r.Gamma, 1) || r.Degree < 0 {
		return nil, fmt.Errorf("propagate: gamma %g and degree %d; they must not be negative, and gamma finite", r.Gamma, r.Degree)
	}
	b := bound{a: a, l: a.Graph.Laplacian(), power: max(r.Degree, 1)}
	if r.Gamma == 0 {
		return &interpolated{bound: b}, ctx.Err()
	}
	return &tikhonov{bound: b, weight: r.Gamma * float64(len(a.Problem.Labelled))}, ctx.Err()
}

// bound is what both variants have.
type bound struct {
	a     *Labelled
	l     *data.CSR
	power int
}

func (b *bound) labelled() *Labelled { return b.a }

// smooth is what the Laplacian of the graph's recipe leaves at zero, on the rows; nil: 1.
func (b *bound) smooth(rows []int) []float64 {
	if b.a.Graph.Recipe.Laplacian == graph.Normalised {
		return b.a.roots(rows)
	}
	return nil
}

// centred are the targets of some labels less their mean.
func (b *bound) centred(r *reach) *mat.Dense {
	y := gather(b.a.Problem.Y, r.keep)
	for q := range r.keep {
		row := y.RawRowView(q)
		for j, v := range r.mean {
			row[j] -= v
		}
	}
	return y
}

// raise adds the mean of the targets to the rows that are reached; the others have it alone.
func (b *bound) raise(f *mat.Dense, r *reach) {
	for _, i := range r.rows {
		row := f.RawRowView(i)
		for j, v := range r.mean {
			row[j] += v
		}
	}
	r.settle(f)
}

type tikhonov struct {
	bound
	weight float64 // l gamma, of all labels
	whole  *system // of all labels, once it was needed
}

// system is A on the rows that are reached, with the rows of the labels among them.
func (t *tikhonov) system(r *reach) (*system, []int) {
	add, at, place := make([]float64, len(r.rows)), make([]int, len(r.keep)), make(map[int]int, len(r.keep))
	for q, k := range r.keep {
		place[t.a.Problem.Labelled[k]] = q
	}
	for a, i := range r.rows {
		if q, ok := place[i]; ok {
			add[a], at[q] = 1, a
		}
	}
	all := len(r.keep) == len(t.a.Problem.Labelled)
	if all && t.whole != nil {
		return t.whole, at
	}
	s := newSystem(t.l, t.power, t.weight, r.rows, add)
	s.smooth = t.smooth(r.rows)
	if all {
		t.whole = s
	}
	return s, at
}

// Train implements Machine.
func (t *tikhonov) Train(ctx context.Context, keep []int, start *mat.Dense) (*Outputs, error) {
	r := t.a.reach(keep)
	s, at := t.system(r)
	c := t.a.Problem.Outputs()
	y := t.centred(r)
	// The last column is of ones; it gives z.
	b, x := mat.NewDense(len(r.rows), c+1, nil), mat.NewDense(len(r.rows), c+1, nil)
	for q, a := range at {
		copy(b.RawRowView(a), y.RawRowView(q))
	}
	for a, i := range r.rows {
		b.Set(a, c, 1)
		x.Set(a, c, 1)
		if start != nil {
			copy(x.RawRowView(a), start.RawRowView(i))
		}
	}
	cert, err := s.solve(ctx, x, b)
	if err != nil {
		return nil, err
	}
	free(x)
	f := mat.NewDense(t.a.Graph.N, c, nil)
	scatter(f, r.rows, x.Slice(0, len(r.rows), 0, c).(*mat.Dense))
	cert.Objective = t.objective(f, y, r)
	t.raise(f, r)
	return &Outputs{F: f, Certificate: cert, Unreached: len(r.away)}, nil
}

// free takes the last column, z, from the others so that these sum to zero.
func free(x *mat.Dense) (total float64) {
	m, c := x.Dims()
	c--
	sums := make([]float64, c+1)
	for a := range m {
		for j, v := range x.RawRowView(a) {
			sums[j] += v
		}
	}
	for a := range m {
		row := x.RawRowView(a)
		for j := range c {
			row[j] -= row[c] * sums[j] / sums[c]
		}
	}
	return sums[c]
}

// objective is (1/l) sum_L (f - y~)^2 + gamma f'S f, over the columns, of all l labels.
func (t *tikhonov) objective(f, y *mat.Dense, r *reach) float64 {
	sf := mat.NewDense(t.l.R, t.a.Problem.Outputs(), nil)
	t.l.PowerTo(sf, f, t.power)
	total := t.weight * mat.Dot(column(f), column(sf))
	for q, k := range r.keep {
		row := f.RawRowView(t.a.Problem.Labelled[k])
		for j, v := range y.RawRowView(q) {
			total += (row[j] - v) * (row[j] - v)
		}
	}
	return total / float64(len(t.a.Problem.Labelled))
}

// LeaveOneOut implements Machine.
func (t *tikhonov) LeaveOneOut(ctx context.Context, all *Outputs) (*mat.Dense, error) {
	p, r := t.a.Problem, t.a.reach(nil)
	s, at := t.system(r)
	// Q 1_L, and z.
	b := mat.NewDense(len(r.rows), 2, nil)
	for a := range r.rows {
		b.Set(a, 1, 1)
	}
	for _, a := range at {
		b.Set(a, 0, 1)
	}
	ones := mat.DenseCopyOf(b)
	if _, err := s.solve(ctx, ones, b); err != nil {
		return nil, err
	}
	total := free(ones)
	left, lone := mat.NewDense(len(p.Labelled), p.Outputs(), nil), t.a.lone()
	err := panels(ctx, t.a.Graph.N, len(at), func(lo, hi int) error {
		b := mat.NewDense(len(r.rows), hi-lo, nil)
		for q := lo; q < hi; q++ {
			b.Set(at[q], q-lo, 1)
		}
		x := mat.DenseCopyOf(b)
		if _, err := s.solve(ctx, x, b); err != nil {
			return err
		}
		for q := lo; q < hi; q++ {
			mean, row := t.a.without(r.mean, q), left.RawRowView(q)
			copy(row, mean)
			if lone[q] {
				continue
			}
			z := ones.At(at[q], 1)
			own := x.At(at[q], q-lo) - z*z/total
			for j, ybar := range mean {
				y := p.Y.At(q, j)
				qy := all.F.At(p.Labelled[q], j) - r.mean[j] + r.mean[j]*ones.At(at[q], 0) // (Q y)_i
				row[j] += (qy - own*y - ybar*(ones.At(at[q], 0)-own)) / (1 - own)
			}
		}
		return nil
	})
	return left, err
}
