package propagate

// Problem   with S = D^-1/2 W D^-1/2 and Y (n x C) one where row i has a label of class k, else zero,
//
//	          minimise over F  1/4 sum_ij W_ij |F_i/sqrt d_i - F_j/sqrt d_j|^2 + mu/2 |F - Y|^2,   alpha = 1/(1 + mu)
//
//           The source has 1/2 before the double sum and derives F - S F + mu (F - Y) = 0 from it, which
//           belongs to the half of that: with one row of each kind the minimum of its objective has alpha =
//           1/(1 + mu/2). Its algorithm and its alpha are meant.
// Solution  (1 - alpha) F, F = (I - alpha S)^-1 Y: the limit of F <- alpha S F + (1 - alpha) Y. The factor
//           decides nothing and is left out. I - alpha S is positive definite for alpha < 1, of condition
//           at most (1 + alpha)/(1 - alpha), and its inverse has no negative entry.
// Outputs   shares of the classes, P_ik = F_ik / sum_k F_ik, which decide as F does; rows whose sum is
//           below what rounding and the solver's residual r leave, |F - F*| <= |r|/(1 - alpha), are given
//           the shares among the labels.
// Left out  F is linear in Y, so without the label of row i of class k its F_ik is less by
//           ((I - alpha S)^-1)_ii and its other entries are as they are: one solution a label.
// Cost      system.go, to a residual of 1e-13: far from labels F is small, and shares need its relative
//           precision.
// Source    Zhou, Bousquet, Lal, Weston & Schoelkopf, NIPS 2004, sections 2 and 3.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/learn"
)

// Spreading is label spreading.
type Spreading struct {
	Alpha float64 // in (0, 1): the part that a row has from its neighbours
}

var _ Algorithm = Spreading{}

// Bind implements Algorithm.
func (s Spreading) Bind(ctx context.Context, a *Labelled) (Machine, error) {
	if !(s.Alpha > 0 && s.Alpha < 1) {
		return nil, fmt.Errorf("propagate: alpha %g; it must be above 0 and below 1", s.Alpha)
	}
	if a.Problem.Class == nil {
		panic("propagate: label spreading of numbers")
	}
	g := *a.Graph
	g.Recipe.Laplacian = graph.Normalised
	return &spreading{Spreading: s, a: a, l: g.Laplacian()}, ctx.Err()
}

type spreading struct {
	Spreading
	a     *Labelled
	l     *data.CSR // I - S, zero for rows without an edge
	whole *system   // of all labels, once it was needed
}

func (s *spreading) labelled() *Labelled { return s.a }

// system is I - alpha S on the rows that labels reach.
func (s *spreading) system(r *reach) *system {
	all := len(r.keep) == len(s.a.Problem.Labelled)
	if all && s.whole != nil {
		return s.whole
	}
	add := make([]float64, len(r.rows))
	for a, i := range r.rows {
		add[a] = 1 - s.Alpha*powerDiagonal(s.l, i, 1)
	}
	a := newSystem(s.l, 1, s.Alpha, r.rows, add)
	a.tol, a.smooth = 1e-13, s.a.roots(r.rows)
	if all {
		s.whole = a
	}
	return a
}

// Train implements Machine. A start is of no use: the outputs do not tell F.
func (s *spreading) Train(ctx context.Context, keep []int, _ *mat.Dense) (*Outputs, error) {
	p, r := s.a.Problem, s.a.reach(keep)
	y := mat.NewDense(s.a.Graph.N, len(p.Classes), nil)
	for _, q := range r.keep {
		y.Set(p.Labelled[q], p.Class[q], 1)
	}
	b := gather(y, r.rows)
	x := mat.DenseCopyOf(b)
	cert, err := s.system(r).solve(ctx, x, b)
	if err != nil {
		return nil, err
	}
	out := &Outputs{F: mat.NewDense(s.a.Graph.N, p.Outputs(), nil), Certificate: cert, raw: mat.NewDense(s.a.Graph.N, len(p.Classes), nil)}
	scatter(out.raw, r.rows, x)
	out.Certificate.Objective = s.objective(out.raw, y)
	floor := s.floor(cert, len(r.keep))
	for i := range s.a.Graph.N {
		if !shares(out.F.RawRowView(i), out.raw.RawRowView(i), floor) {
			out.F.SetRow(i, r.mean)
			out.Unreached++
		}
	}
	return out, nil
}

// objective is that of (1 - alpha) F: the double sum is 2 trace F'(I - S) F.
func (s *spreading) objective(f, y *mat.Dense) float64 {
	n, c := f.Dims()
	lf := mat.NewDense(n, c, nil)
	s.l.MulTo(lf, f)
	by, mu := 1-s.Alpha, 1/s.Alpha-1
	total := by * by / 2 * mat.Dot(column(f), column(lf))
	for i := range n {
		row := f.RawRowView(i)
		for k, v := range y.RawRowView(i) {
			total += mu / 2 * (by*row[k] - v) * (by*row[k] - v)
		}
	}
	return total
}

// floor is what a sum over the classes must be above to be more than what is left of rounding and of the
// residual.
func (s *spreading) floor(c learn.Certificate, labels int) float64 {
	return float64(len(s.a.Problem.Classes)) * math.Sqrt(float64(labels)) * (c.Residual + 0x1p-52) / (1 - s.Alpha)
}

// shares stores those of the classes in out, unless f has no more than the floor.
func shares(out, f []float64, floor float64) bool {
	p, total := make([]float64, len(f)), 0.0
	for k, v := range f {
		p[k] = max(v, 0)
		total += p[k]
	}
	if !(total > floor) {
		return false
	}
	for k := range p {
		p[k] /= total
	}
	share(out, p)
	return true
}

// LeaveOneOut implements Machine.
func (s *spreading) LeaveOneOut(ctx context.Context, all *Outputs) (*mat.Dense, error) {
	p, r := s.a.Problem, s.a.reach(nil)
	place := make([]int, s.a.Graph.N)
	for a, i := range r.rows {
		place[i] = a
	}
	left := mat.NewDense(len(p.Labelled), p.Outputs(), nil)
	system, floor := s.system(r), s.floor(all.Certificate, len(p.Labelled))
	err := panels(ctx, s.a.Graph.N, len(p.Labelled), func(lo, hi int) error {
		b := mat.NewDense(len(r.rows), hi-lo, nil)
		for q := lo; q < hi; q++ {
			b.Set(place[p.Labelled[q]], q-lo, 1)
		}
		x := mat.DenseCopyOf(b)
		cert, err := system.solve(ctx, x, b)
		for q := lo; q < hi; q++ {
			i := p.Labelled[q]
			f := append([]float64(nil), all.raw.RawRowView(i)...)
			f[p.Class[q]] -= x.At(place[i], q-lo)
			if !shares(left.RawRowView(q), f, floor+s.floor(cert, 1)) {
				left.SetRow(q, s.a.without(r.mean, q))
			}
		}
		return err
	})
	return left, err
}
