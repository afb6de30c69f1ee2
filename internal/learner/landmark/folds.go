package landmark

// Problem   left-out outputs of the machines on landmarks where whole folds are left out.
// Method    The sums of a fold (sums.go) taken off those of all rows are the sums of the others: one pass serves
//           all folds, and a Cholesky factorisation a fold and lambda gives its coefficients. A second pass
//           applies to each row the machines trained without its fold.
// Cost      2 n m^2 flops once, or down to half of it (parts.go); m^3/3 a fold and lambda, n m kernel values and 2 n m c flops a lambda.
//           Memory: m^2 numbers a fold and 3 m^2, the rows of a fold, and n c a lambda.

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Folds are the sums of folds of rows.
type Folds struct {
	*landmarks
	folds [][]int
	parts []*landmarkSums // of the folds
	whole *landmarkSums
}

// NewFolds goes over the rows once. Folds are lists of rows without repetition; rows in none belong to every
// machine. y (n x c) and the weights of the rows' squared errors, nil for 1 each, are kept and must not change.
func NewFolds(
	ctx context.Context,
	p *kernel.Products,
	y *mat.Dense,
	weight []float64,
	folds [][]int,
	o Options,
) (*Folds, error) {
	l, err := newLandmarks(p, y, weight, o)
	if err != nil {
		return nil, err
	}
	t := &Folds{landmarks: l, folds: folds, parts: make([]*landmarkSums, len(folds)), whole: l.noSums()}
	centred := l.centred(y)
	rest := restOf(l.n, folds)
	l.divide(len(folds) + 1)
	// Where most rows are in no fold, all are gone over in place, without a copy of those that are not.
	most := 2*len(rest) > l.n
	if most {
		t.whole, err = t.sums(ctx, p, centred, weight)
	} else if len(rest) > 0 {
		t.whole, err = t.part(ctx, rest, centred)
	}
	if err != nil {
		return nil, err
	}
	for f, b := range folds {
		if len(b) == 0 {
			continue
		}
		if t.parts[f], err = t.part(ctx, b, centred); err != nil {
			return nil, err
		}
		if !most {
			t.whole.add(1, t.parts[f])
		}
	}
	return t, nil
}

// restOf lists the rows that are in no fold, and panics where one is in two.
func restOf(n int, folds [][]int) []int {
	in := make([]bool, n)
	for _, b := range folds {
		for _, i := range b {
			if i < 0 || i >= n || in[i] {
				panic(fmt.Sprintf("rls: row %d of %d in a fold, or in two", i, n))
			}
			in[i] = true
		}
	}
	var rest []int
	for i, is := range in {
		if !is {
			rest = append(rest, i)
		}
	}
	return rest
}

// products returns those of the rows of a fold.
func (t *Folds) products(b []int) (*kernel.Products, error) {
	return kernel.NewProducts(t.p.Centres(), t.p.Rows().Select(b))
}

// part returns the sums over the rows of a fold.
func (t *Folds) part(ctx context.Context, b []int, y *mat.Dense) (*landmarkSums, error) {
	p, err := t.products(b)
	if err != nil {
		return nil, err
	}
	yb := mat.NewDense(len(b), t.c, nil)
	var w []float64
	for a, i := range b {
		yb.SetRow(a, y.RawRowView(i))
		if t.weigh.Each != nil {
			w = append(w, t.weigh.Of(i))
		}
	}
	return t.sums(ctx, p, yb, w)
}

// LeaveOut returns, for each lambda, O (n x c): o_i is the output for row i of the machine trained
// without its fold. Rows in none have zeros, for they may be most, and their outputs another pass over all rows.
func (t *Folds) LeaveOut(ctx context.Context, lambdas []float64) ([]*mat.Dense, error) {
	out := make([]*mat.Dense, len(lambdas))
	for q, lambda := range lambdas {
		if err := moments.CheckLambda(lambda); err != nil {
			return nil, err
		}
		out[q] = mat.NewDense(t.n, t.c, nil)
	}
	for f, b := range t.folds {
		if len(b) == 0 || len(lambdas) == 0 {
			continue
		}
		alpha, offset, err := t.without(ctx, f, lambdas)
		if err != nil {
			return nil, err
		}
		part, err := t.products(b)
		if err != nil {
			return nil, err
		}
		o := mat.NewDense(len(b), len(offset), nil)
		if err := part.Mul(ctx, o, alpha); err != nil {
			return nil, err
		}
		for a, i := range b {
			row := o.RawRowView(a)
			floats.Add(row, offset)
			for q := range lambdas {
				out[q].SetRow(i, row[q*t.c:(q+1)*t.c])
			}
		}
	}
	return out, nil
}

// At returns the machine trained on all rows.
func (t *Folds) At(ctx context.Context, lambda float64) (*Fit, error) {
	if err := moments.CheckLambda(lambda); err != nil {
		return nil, err
	}
	all := t.noSums()
	all.add(1, t.whole)
	beta, offset, err := t.solve(ctx, all, []float64{lambda})
	if err != nil {
		return nil, err
	}
	f := &Fit{
		Lambda: lambda, Alpha: beta, Residual: residual(all.s, all.b, beta, lambda), Objective: t.objective(all.b, beta),
	}
	if t.f.Coefficients(f.Alpha); t.o.Offset {
		f.B = offset
	}
	return f, nil
}

// without returns the coefficients (m x c of each lambda) and offsets of the machines trained without fold f.
func (t *Folds) without(ctx context.Context, f int, lambdas []float64) (alpha *mat.Dense, offset []float64, err error) {
	rest := t.noSums()
	rest.add(1, t.whole)
	rest.add(-1, t.parts[f])
	if rest.rows < 1 || t.o.Offset && rest.rows < 2 {
		return nil, nil, fmt.Errorf("rls: %d rows outside a fold are too few to train on; make smaller folds", rest.rows)
	}
	if alpha, offset, err = t.solve(ctx, rest, lambdas); err == nil {
		t.f.Coefficients(alpha)
	}
	return alpha, offset, err
}

// solve returns the coefficients of the features (m x c of each lambda) and offsets of the machines of the rows in a
// sum, which it centres.
func (t *Folds) solve(ctx context.Context, of *landmarkSums, lambdas []float64) (beta *mat.Dense, offset []float64, err error) {
	s, b, mean := of.centre(t.o.Offset)
	beta, offset = mat.NewDense(t.m, len(lambdas)*t.c, nil), make([]float64, len(lambdas)*t.c)
	work := mat.NewDense(t.m, t.m, nil)
	for q, lambda := range lambdas {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		work.Copy(s)
		for k := range t.m {
			work.Set(k, k, work.At(k, k)+lambda)
		}
		var chol blas.Cholesky
		if err := chol.Factor(work); err != nil {
			return nil, nil, fmt.Errorf("rls: features with lambda = %g, which is too small: %w", lambda, err)
		}
		x := beta.Slice(0, t.m, q*t.c, (q+1)*t.c).(*mat.Dense)
		x.Copy(b)
		chol.SolveTo(x)
		if t.o.Offset {
			to := offset[q*t.c : (q+1)*t.c]
			copy(to, t.level)
			floats.AddScaled(to, 1/of.n, of.y)
			for k, v := range mean {
				floats.AddScaled(to, -v, x.RawRowView(k))
			}
		}
	}
	return beta, offset, nil
}
