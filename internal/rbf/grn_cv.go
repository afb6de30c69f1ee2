package rbf

// Cross-validation of generalised networks: each element's width and lambda on the other
// rows, with the same centres and the same stabiliser, which know no targets.
//
// Method    No refits. With the smoother S of a width and lambda (its offset included) and
//           the residuals r of all rows, those of fold f by the others are
//             e_f = (I - S_ff)^-1 r_f,
//             I - S_ff = (I - U U')_ff - 11'/n + U_f diag(lambda/(s^2+lambda)) U_f',
//           exact for a quadratic penalty, and without cancellation where lambda is small
//           (stabilised.go has U and s; 11'/n with an offset only).
// Cost      the decomposition of each width that has a part in the front once more, then
//           |f|^2 N + |f|^3/3 for each element and fold.
// Source    Craven and Wahba, Numer. Math. 31 (1979), lemma 3.1; Kokshenev 2010, eq. 2.48.

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
)

// CrossValidate judges the elements of the fronts that Fit made of rows and y, by folds given
// as the rows each holds out. An element whose fold determines a coefficient by itself
// has infinite loss.
func (g GRN) CrossValidate(ctx context.Context, fronts []*Front, rows data.Rows, y *mat.Dense, folds [][]int) ([]*Validation, error) {
	n, c := y.Dims()
	if n != rows.Len() || c != len(fronts) || fronts[0].Rows != n {
		panic(fmt.Sprintf("rbf: %d rows, %d x %d targets, %d fronts of %d", rows.Len(), n, c, len(fronts), fronts[0].Rows))
	}
	p, err := newPoints(rows, fronts[0].Centres, g.NoOffset)
	if err != nil {
		return nil, err
	}
	out := make([]*Validation, c)
	for k, f := range fronts {
		out[k] = newValidation(len(f.Elements))
		for _, held := range folds {
			out[k].Rows += len(held)
		}
	}
	for w, sigma := range fronts[0].Widths {
		used := false
		for _, f := range fronts {
			for i := range f.Elements {
				used = used || int(f.Elements[i].Units[0].Width) == w
			}
		}
		if !used {
			continue
		}
		s, err := g.width(ctx, p, sigma, y)
		if err != nil {
			return nil, err
		}
		for _, held := range folds {
			if len(held) == 0 || len(held) == n {
				return nil, fmt.Errorf("rbf: a fold holds out %d of %d rows", len(held), n)
			}
			l := s.newLeaving(held)
			for k, f := range fronts {
				for i := range f.Elements {
					e := &f.Elements[i]
					if int(e.Units[0].Width) != w {
						continue
					}
					if err := ctx.Err(); err != nil {
						return nil, err
					}
					left := l.residuals(e.Lambda, k)
					for a, r := range held {
						out[k].add(i, y.At(r, k), y.At(r, k)-left[a])
					}
				}
			}
		}
	}
	return out, nil
}

// leaving is what the lambdas of a fold share.
type leaving struct {
	s        *Stabilised
	held     []int
	u        *mat.Dense // U_f
	outside  *mat.Dense // (I - U U')_ff - 11'/n
	scaled   *mat.Dense
	system   *mat.Dense
	residual []float64
}

func (p *Stabilised) newLeaving(held []int) *leaving {
	n, k := p.u.Dims()
	m := len(held)
	l := &leaving{
		s:        p,
		held:     held,
		u:        mat.NewDense(m, k, nil),
		outside:  mat.NewDense(m, m, nil),
		scaled:   mat.NewDense(m, k, nil),
		system:   mat.NewDense(m, m, nil),
		residual: make([]float64, m),
	}
	for a, r := range held {
		l.u.SetRow(a, p.u.RawRowView(r))
	}
	// Directions without a singular value are outside of the span. Where the others are all
	// that the rows have, nothing is outside: rounding would be more than small lambdas leave.
	rank := p.rank()
	l.u, l.scaled = l.u.Slice(0, m, 0, max(rank, 1)).(*mat.Dense), l.scaled.Slice(0, m, 0, max(rank, 1)).(*mat.Dense)
	if rank == n || p.mu != nil && rank == n-1 {
		return l
	}
	blas.Gemm(-1, blas.N(l.u), blas.T(l.u), 0, l.outside)
	for a := range m {
		row := l.outside.RawRowView(a)
		row[a]++
		if p.mu != nil {
			for b := range row {
				row[b] -= 1 / float64(n)
			}
		}
	}
	return l
}

// residuals are those of the fold, of one output, by the other rows; infinite where these do
// not determine them.
func (l *leaving) residuals(lambda float64, output int) []float64 {
	s := l.s
	for a, r := range l.held {
		row, scaled := l.u.RawRowView(a), l.scaled.RawRowView(a)
		sum := s.out.At(r, output)
		for i, v := range row {
			scaled[i] = lambda / (s.s[i]*s.s[i] + lambda) * v
			sum += scaled[i] * s.z.At(i, output)
		}
		for i := len(row); i < len(s.s); i++ { // no singular value
			sum += s.u.At(r, i) * s.z.At(i, output)
		}
		l.residual[a] = sum
	}
	l.system.Copy(l.outside)
	blas.Gemm(1, blas.N(l.scaled), blas.T(l.u), 1, l.system)
	var f blas.Cholesky
	if f.Factor(l.system) != nil {
		for a := range l.residual {
			l.residual[a] = math.Inf(1)
		}
		return l.residual
	}
	f.SolveTo(mat.NewDense(len(l.residual), 1, l.residual))
	return l.residual
}
