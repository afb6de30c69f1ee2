package propagate

// Problem   V (n x d) the eigenvectors 2 .. d+1 of the graph's Laplacian, orthonormal; of classes + and -
//           with l+ and l- labels the targets gamma+ = sqrt(l-/l+), gamma- = -sqrt(l+/l-) and the costs
//           C_i = l/(2 l+), l/(2 l-) on labelled rows. With z = V w,
//
//	          minimise over w  w'D w + c (V w - gamma)'C (V w - gamma)   subject to  w'w = n
//
//           D = diag(1, 4, .., d^2): the ranks squared in the place of the eigenvalues, so that graphs of
//           any weights are alike. Without c it is the ratio cut.
// Solution  G = D + c V_L'C V_L, b = c V_L'C gamma: minimise w'G w - 2 b'w on the sphere (sphere.go).
// Outputs   z - (gamma+ + gamma-)/2, more than two classes each against the rest. A class without a label
//           has -1.
// Cost      the eigenvectors (solve.Eigen), then 14/3 d^3 flops an output and training, so that leaving
//           labels out trains again.
// Source    Joachims, ICML 2003, sections 4 and 5 (d = 80, c = 3200 there).

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/learner/spectral"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/learn"
)

// Spectral is the spectral graph transducer. The zero value has the source's parameters.
type Spectral struct {
	Eigenvectors int     // d; 0 means 80, or as many as there are
	C            float64 // c; 0 means 3200
}

var _ Algorithm = Spectral{}

// Defaults returns the parameters for a graph of n rows.
func (s Spectral) Defaults(n int) Spectral {
	if s.Eigenvectors == 0 {
		s.Eigenvectors = 80
	}
	s.Eigenvectors = min(s.Eigenvectors, n-1)
	if s.C == 0 {
		s.C = 3200
	}
	return s
}

// Bind implements Algorithm: it computes the eigenvectors.
func (s Spectral) Bind(ctx context.Context, a *Labelled) (Machine, error) {
	if s.Eigenvectors < 0 || !(s.C >= 0) {
		return nil, fmt.Errorf("propagate: %d eigenvectors and c %g; they must not be negative", s.Eigenvectors, s.C)
	}
	if a.Problem.Class == nil {
		panic("propagate: the spectral graph transducer of numbers")
	}
	s = s.Defaults(a.Graph.N)
	e, err := spectral.Eigenmap{}.Fit(ctx, a.Graph, s.Eigenvectors)
	if err != nil {
		return nil, err
	}
	v := e.Coordinates // D^-1/2 times the eigenvectors of the normalised Laplacian
	if a.Graph.Recipe.Laplacian == graph.Normalised {
		for i := range a.Graph.N {
			_, w := a.Graph.W.Row(i)
			var d float64
			for _, x := range w {
				d += x
			}
			if d < 0x1p-1022 { // as the Laplacian itself draws the line
				d = 1
			}
			row := v.RawRowView(i)
			for j := range row {
				row[j] *= math.Sqrt(d)
			}
		}
	}
	return &transducer{Spectral: s, a: a, v: v}, nil
}

type transducer struct {
	Spectral
	a *Labelled
	v *mat.Dense
}

func (t *transducer) labelled() *Labelled { return t.a }

// Train implements Machine. It needs no start.
func (t *transducer) Train(ctx context.Context, keep []int, _ *mat.Dense) (*Outputs, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n, c := t.a.Graph.N, t.a.Problem.Outputs()
	r := t.a.reach(keep)
	w, shift := mat.NewDense(t.Eigenvectors, c, nil), make([]float64, c)
	certs := make([]learn.Certificate, c)
	err := parallel.Each(0, c, func(j int) (err error) {
		certs[j], err = t.output(ctx, r.keep, j, w, shift)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := &Outputs{F: mat.NewDense(n, c, nil), Unreached: len(r.away)}
	blas.Gemm(1, blas.N(t.v), blas.N(w), 0, out.F)
	for i := range n {
		row := out.F.RawRowView(i)
		for j, b := range shift {
			row[j] -= b
		}
	}
	for _, one := range certs {
		out.Certificate.Join(one)
	}
	r.settle(out.F)
	return out, nil
}

// output solves for output j by the labels: a column of w, and what is taken from z.
func (t *transducer) output(ctx context.Context, keep []int, j int, w *mat.Dense, shift []float64) (learn.Certificate, error) {
	p, d := t.a.Problem, t.Eigenvectors
	var plus, minus float64
	for _, q := range keep {
		if p.Y.At(q, j) > 0 {
			plus++
		} else {
			minus++
		}
	}
	if plus == 0 || minus == 0 {
		shift[j] = 1
		if plus > 0 {
			shift[j] = -1
		}
		return learn.Certificate{}, nil
	}
	g, b := mat.NewDense(d, d, nil), make([]float64, d)
	for k := range d {
		g.Set(k, k, float64((k+1)*(k+1)))
	}
	gamma := [2]float64{-math.Sqrt(plus / minus), math.Sqrt(minus / plus)}
	shift[j] = (gamma[0] + gamma[1]) / 2
	for _, q := range keep {
		side, count := 0, minus
		if p.Y.At(q, j) > 0 {
			side, count = 1, plus
		}
		cost := t.C * (plus + minus) / (2 * count)
		v := t.v.RawRowView(p.Labelled[q])
		for k, x := range v {
			b[k] += cost * x * gamma[side]
			row := g.RawRowView(k)
			for m, y := range v {
				row[m] += cost * x * y
			}
		}
	}
	x, _, cert, err := onSphere(ctx, g, b, float64(t.a.Graph.N))
	if err != nil {
		return cert, err
	}
	for _, q := range keep { // the constant of the objective
		v := p.Y.At(q, j)
		side, count := 0, minus
		if v > 0 {
			side, count = 1, plus
		}
		cert.Objective += t.C * (plus + minus) / (2 * count) * gamma[side] * gamma[side]
	}
	w.SetCol(j, x)
	return cert, nil
}

// LeaveOneOut implements Machine by training again, which takes no eigenvectors.
func (t *transducer) LeaveOneOut(ctx context.Context, all *Outputs) (*mat.Dense, error) {
	each := make([][]int, len(t.a.Problem.Labelled))
	for q := range each {
		each[q] = []int{q}
	}
	return LeftOut(ctx, t, all, each)
}
