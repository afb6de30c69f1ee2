package kernel

// Problem  machines on tens of thousands of labelled rows, whose n x n table does not fit.
// Method   the base kernel as far as m centres Z give it:
//
//	k_Z(x, z) = phi(x)' phi(z),   phi(x) = L^-1 k(Z, x),   L L' = k(Z, Z) + delta I
//
// so every learner that trains in columns trains in these m features. delta: nystrom.go.
// Gradient with P = Phi L^-1 and a cotangent G of the block, sum_ij G_ij dK_ij is that of the base kernel for the
// cotangents G P_J of k(x_I, Z), G' P_I of k(x_J, Z) and -P_I' G P_J of k(Z, Z); delta counts as a constant.
// Cost     binding n m kernel values and n m^2 + m^3/3 flops, n m + m^2 numbers.
// Source   Williams and Seeger, NIPS 13 (2001).

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// LowRank is k_Z(x, z) = k(x, Z) (k(Z, Z) + delta I)^-1 k(Z, z) of a base kernel k and m centres Z: the Nystrom
// approximation, positive semi-definite of rank m, equal to k on the centres but for delta, some 1e-12 of the
// diagonal, and never larger than k on the diagonal. Features returns its n x m features. Its parameters are those of
// the base kernel. A function of it is a sum over the centres with the base kernel, which is what a model stores; the
// kernel itself has no JSON form.
type LowRank struct {
	Base    Kernel
	Centres data.Rows // Z, with the columns of the training rows; Landmarks.Take chooses them
}

// Space is that of the base kernel.
func (k LowRank) Space() param.Space { return k.Base.Space() }

// With replaces the parameters of the base kernel. The centres stay.
func (k LowRank) With(theta []float64) (Kernel, error) {
	base, err := k.Base.With(theta)
	if err != nil {
		return nil, err
	}
	return LowRank{Base: base, Centres: k.Centres}, nil
}

// Adapt adapts the base kernel.
func (k LowRank) Adapt(rows data.Rows) Kernel {
	return LowRank{Base: k.Base.Adapt(rows), Centres: k.Centres}
}

// Bind computes the features of the rows, n x m numbers. Nothing is shared by way of a Work.
func (k LowRank) Bind(ctx context.Context, train data.Rows, _ *Work) (Gram, error) {
	if k.Centres.Len() == 0 || k.Centres.Dim() != train.Dim() {
		return nil, fmt.Errorf("kernel: %d centres of %d columns for rows of %d; give at least one, with the columns of the rows",
			k.Centres.Len(), k.Centres.Dim(), train.Dim())
	}
	p, err := k.Projector(ctx)
	if err != nil {
		return nil, err
	}
	g := &lowRankGram{k: k, train: train, Projector: p}
	phi, err := g.Features(ctx, train)
	if err != nil {
		return nil, err
	}
	g.Gram, err = Linear{}.Bind(ctx, data.Rows{Dense: phi, ID: train.ID}, nil)
	return g, err
}

// Projector makes the features phi of rows that come in any number of parts.
type Projector struct {
	centres Gram
	project *Nystrom
}

// Projector binds the base kernel to the centres: m^2 kernel values and m^3/3 flops.
func (k LowRank) Projector(ctx context.Context) (*Projector, error) {
	z, err := k.Base.Bind(ctx, k.Centres, nil)
	if err != nil {
		return nil, err
	}
	project, err := NewProjection(Within(ctx, z), 0)
	return &Projector{z, project}, err
}

// Features returns Phi of the rows x, n x m, made by panels, for n of at least one.
func (p *Projector) Features(ctx context.Context, x data.Rows) (*mat.Dense, error) {
	n, m := x.Len(), p.centres.Len()
	phi := mat.NewDense(max(n, 1), m, nil)
	for lo := 0; lo < n; lo += nystromRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+nystromRows, n)
		panel := phi.Slice(lo, hi, 0, m).(*mat.Dense)
		if err := p.centres.Cross(panel, x.Select(indices.To(n)[lo:hi]), nil); err != nil {
			return nil, err
		}
		p.project.ProjectRows(panel)
	}
	return phi, nil
}

// Expand writes the function w'phi(x), w of m x c, as a sum over the centres: with the coefficients L^-T w.
func (p *Projector) Expand(w *mat.Dense) ([]Expansion, error) {
	coef := mat.DenseCopyOf(w)
	p.project.Coefficients(coef)
	return p.centres.Expand(coef, nil)
}

// lowRankGram is the linear kernel of the features; only what meets rows as they are differs.
type lowRankGram struct {
	Gram
	k     LowRank
	train data.Rows
	*Projector
}

func (g *lowRankGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if d := g.train.Dim(); x.Dim() != d {
		return fmt.Errorf("kernel: the new rows have %d columns, the training rows %d; give both the same features", x.Dim(), d)
	}
	phi, err := g.Features(context.Background(), x)
	if err != nil {
		return err
	}
	return g.Gram.Cross(dst, data.Rows{Dense: phi}, j)
}

// OverCentres is a Gram object of features phi that centres give.
type OverCentres interface {
	Gram
	// ExpandWeights writes the function w'phi(x), w of m x c, as a sum over the centres.
	ExpandWeights(w *mat.Dense) ([]Expansion, error)
}

// ExpandWeights implements OverCentres.
func (g *lowRankGram) ExpandWeights(w *mat.Dense) ([]Expansion, error) { return g.Projector.Expand(w) }

func (g *lowRankGram) features() (data.Rows, bool) { return Features(g.Gram) }

// Expand writes the function over the centres: L^-T Phi_J' alpha.
func (g *lowRankGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	_, c := alpha.Dims()
	w := mat.NewDense(g.centres.Len(), c, nil)
	blas.Gemm(1, blas.T(chosen(g.phi(), j)), blas.N(alpha), 0, w)
	return g.Projector.Expand(w)
}

// phi are the features of the training rows.
func (g *lowRankGram) phi() *mat.Dense {
	x, _ := Features(g.Gram)
	return x.Dense
}

func (g *lowRankGram) Pull(grad []float64, bar Cotangent) error {
	if checkGrad(grad, g.k) == 0 {
		return nil
	}
	joined, err := g.train.Append(g.k.Centres)
	if err != nil {
		return err
	}
	base, err := g.k.Base.Bind(context.Background(), joined, nil)
	if err != nil {
		return err
	}
	n, m := g.train.Len(), g.centres.Len()
	z := indices.To(n + m)[n:]
	pi, pj := g.inverse(bar.I), g.inverse(bar.J)
	right, left := bar.times(n, pj), bar.timesT(n, pi)
	inner := mat.NewDense(m, m, nil)
	blas.Gemm(-1, blas.T(pi), blas.N(right), 0, inner)
	for _, part := range []Cotangent{{I: bar.I, J: z, D: right}, {I: bar.J, J: z, D: left}, {I: z, J: z, D: inner}} {
		if part.I == nil {
			part.I = indices.To(n)
		}
		if err := base.Pull(grad, part); err != nil {
			return err
		}
	}
	return nil
}

// inverse is Phi L^-1 of the rows i.
func (g *lowRankGram) inverse(i []int) *mat.Dense {
	p := mat.DenseCopyOf(chosen(g.phi(), i))
	r, m := p.Dims()
	t := mat.NewDense(m, r, nil)
	t.Copy(p.T())
	g.project.Coefficients(t)
	p.Copy(t.T())
	return p
}

// times is the cotangent times x, |I| x m.
func (c Cotangent) times(n int, x *mat.Dense) *mat.Dense {
	r, _ := c.dims(n)
	out := factorsTimes(r, c.U, c.V, x)
	if c.D != nil {
		blas.Gemm(1, blas.N(c.D), blas.N(x), 1, out)
	}
	return out
}

// timesT is the transpose of the cotangent times x, |J| x m.
func (c Cotangent) timesT(n int, x *mat.Dense) *mat.Dense {
	_, r := c.dims(n)
	out := factorsTimes(r, c.V, c.U, x)
	if c.D != nil {
		blas.Gemm(1, blas.T(c.D), blas.N(x), 1, out)
	}
	return out
}

// factorsTimes is U V'x of r rows, zero where there are no factors.
func factorsTimes(r int, u, v, x *mat.Dense) *mat.Dense {
	_, m := x.Dims()
	out := mat.NewDense(r, m, nil)
	if u != nil {
		_, k := u.Dims()
		w := mat.NewDense(k, m, nil)
		blas.Gemm(1, blas.T(v), blas.N(x), 0, w)
		blas.Gemm(1, blas.N(u), blas.N(w), 0, out)
	}
	return out
}
