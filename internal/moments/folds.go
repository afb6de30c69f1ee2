package moments

// Problem   outputs for rows that are left out in folds, from sums over rows (sums.go), for each of a few lambdas.
// Method    rows are summed fold by fold. The sums of all folds but one, joined, are those of the rows that the machine without the
//           fold learns from: nothing is taken off, so nothing cancels. One more pass over the rows applies to each the machines without
//           its fold.
// Cost      of K folds and R lambdas K^2 d^2 for the joins and K (9 d^3 + 4 R d^2 c) for the machines; then n d R c. Memory:
//           K (d^2 + d c) for the sums, and K R d c for the machines.
// Beside    rls.Folds and landmark.Folds, for rows that fit in memory; Path.LeaveOut, of single rows.

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Joined are the sums of all rows of some parts but for those of one, or of all where none has the number. The parts keep their values.
func Joined(parts []Sums, but int) *Sums {
	all := new(Sums)
	for i := range parts {
		switch {
		case i == but || parts[i].N == 0:
		case all.N == 0:
			all = parts[i].clone()
		default:
			all.Join(&parts[i])
		}
	}
	return all
}

// clone shares nothing with s, which has rows.
func (s *Sums) clone() *Sums {
	return &Sums{
		N: s.N, X: append([]float64(nil), s.X...), Y: append([]float64(nil), s.Y...), YY: append([]float64(nil), s.YY...),
		S: mat.DenseCopyOf(s.S), P: mat.DenseCopyOf(s.P),
	}
}

// Folds are machines that each learned without one fold. The exported field is all it is made of.
type Folds struct {
	Fits [][]*Fit // of each fold and lambda
}

// NewFolds trains without each of the first so many parts of the rows; further parts belong to all machines. The parts keep their
// values. A machine needs one row, or two with the offset.
func NewFolds(ctx context.Context, parts []Sums, folds int, offset bool, lambdas []float64) (*Folds, error) {
	s := &Folds{Fits: make([][]*Fit, folds)}
	for f := range folds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rest := Joined(parts, f)
		if rest.N < 1 || offset && rest.N < 2 {
			return nil, fmt.Errorf("rls: %d rows outside a fold are too few to train on; make more and smaller folds", rest.N)
		}
		path, err := rest.Path(offset)
		if err != nil {
			return nil, err
		}
		for _, lambda := range lambdas {
			fit, err := path.At(lambda)
			if err != nil {
				return nil, err
			}
			s.Fits[f] = append(s.Fits[f], fit)
		}
	}
	return s, nil
}

// Of are the machines of one lambda, by its number.
func (s *Folds) Of(lambda int) *Folds {
	one := &Folds{}
	for _, fits := range s.Fits {
		one.Fits = append(one.Fits, fits[lambda:lambda+1])
	}
	return one
}

// LeaveOut returns, for rows x (n x d) that are in these folds, what the machines without the fold give them, n x c a lambda.
func (s *Folds) LeaveOut(x *mat.Dense, fold []int) []*mat.Dense {
	n, d := x.Dims()
	_, c := s.Fits[0][0].W.Dims()
	lambdas := len(s.Fits[0])
	out := make([]*mat.Dense, lambdas)
	for q := range out {
		out[q] = mat.NewDense(n, c, nil)
	}
	members := make([][]int, len(s.Fits))
	for i, f := range fold {
		members[f] = append(members[f], i)
	}
	weights := mat.NewDense(d, lambdas*c, nil)
	for f, rows := range members {
		if len(rows) == 0 {
			continue
		}
		own, all := mat.NewDense(len(rows), d, nil), mat.NewDense(len(rows), lambdas*c, nil)
		for a, i := range rows {
			copy(own.RawRowView(a), x.RawRowView(i))
		}
		for q, fit := range s.Fits[f] {
			weights.Slice(0, d, q*c, (q+1)*c).(*mat.Dense).Copy(fit.W)
		}
		blas.Gemm(1, blas.N(own), blas.N(weights), 0, all)
		for q, fit := range s.Fits[f] {
			for a, i := range rows {
				row := out[q].RawRowView(i)
				copy(row, all.RawRowView(a)[q*c:(q+1)*c])
				if fit.B != nil {
					floats.Add(row, fit.B)
				}
			}
		}
	}
	return out
}
