package rbf

// Networks of fixed units and a quadratic stabiliser (stabilised.go) over a grid of
// widths and lambdas: each pair is Pareto-optimal for its width, the filter compares
// them across widths (Kokshenev 2010, sections 2.3.4 and 5.5.1).

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/complexity"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/pareto"
	"github.com/mercer-ml/mercer/kernel"
)

// Stabiliser says which quadratic form of the coefficients is the complexity.
type Stabiliser int

const (
	// RKHS is alpha'G alpha with the kernel matrix of the centres: the regularisation
	// network where centres are the rows. Not comparable across widths.
	RKHS Stabiliser = iota
	// Ridge is |alpha|^2.
	Ridge
	// Norm is alpha'G_nu alpha, comparable across kernels (Normalised).
	Norm
	// Reference is alpha'D alpha, comparable across kernels (complexity.Reference).
	Reference
)

// GRN is the recipe of networks with all centres as units, one width each. With the
// rows as centres, RKHS and no offset it is the regularisation network
// alpha = (G + lambda I)^-1 y, of which package rls has the whole path over lambda and
// the leave-one-out residuals.
type GRN struct {
	Widths     Widths     `json:"widths"`
	Centres    Centres    `json:"centres"`
	Stabiliser Stabiliser `json:"stabiliser,omitempty"`
	// Lambdas are the same for all widths. Default: for each width half decades, from a tenth of a
	// degree of freedom to 95 % of the rank that rounding leaves. Stabilisers differ by tens of
	// decades (Reference by the square of a condition number), degrees of freedom do not.
	Lambdas  []float64 `json:"lambdas,omitempty"`
	NoOffset bool      `json:"no_offset,omitempty"`
	Floor    float64   `json:"floor,omitempty"` // of complexity.Reference
}

// Fit returns the front of each output over all widths and lambdas, and the degrees of
// freedom of its elements. Where the context ends the fronts are of the widths done until
// then, Partial. Cost: one singular value decomposition of N x M a width.
func (g GRN) Fit(ctx context.Context, rows data.Rows, y *mat.Dense) (fronts []*Front, df [][]float64, err error) {
	p, c, sigma, err := start(ctx, rows, y, g.Widths, g.Centres, g.NoOffset)
	if err != nil {
		return nil, nil, err
	}
	_, outputs := y.Dims()
	fronts, df = make([]*Front, outputs), make([][]float64, outputs)
	for k := range fronts {
		fronts[k] = &Front{Centres: c, Widths: sigma, NoOffset: g.NoOffset, Rows: p.n}
	}
	for w, s := range sigma {
		path, err := g.width(ctx, p, s, y)
		if err != nil {
			if ctx.Err() == nil || w == 0 {
				return nil, nil, err
			}
			for _, front := range fronts {
				front.Partial = true
			}
			break
		}
		units := make([]Unit, p.m)
		for j := range units {
			units[j] = Unit{Centre: int32(j), Width: int32(w)}
		}
		before := make([]int, outputs)
		for k, front := range fronts {
			before[k] = len(front.Elements)
		}
		for _, lambda := range g.lambdas(path) {
			f := path.At(lambda)
			for k, front := range fronts {
				front.Elements = append(front.Elements, Element{SSE: f.SSE[k], Q: f.Q[k], Lambda: lambda, Units: units,
					Coef: mat.Col(nil, k, f.Coef), Offset: f.Offset[k]})
				df[k] = append(df[k], f.DF)
			}
		}
		for k, front := range fronts { // dominated now, dominated for ever
			df[k] = front.nondominated(s, before[k], df[k])
		}
	}
	for _, f := range fronts {
		f.MaxQ = f.Elements[len(f.Elements)-1].Q
	}
	return fronts, df, nil
}

// lambdas are those of one width.
func (g GRN) lambdas(p *Stabilised) []float64 {
	if g.Lambdas != nil {
		return g.Lambdas
	}
	rank := float64(p.rank())
	if rank == 0 { // the width has the constant network only
		return []float64{1}
	}
	least, most := p.Lambda(0.95*rank), p.Lambda(0.1)
	if g.Stabiliser == RKHS || g.Stabiliser == Norm {
		// Below, the rounding of the kernel matrix decides, and what makes it definite.
		least = max(least, 1e-12*p.s[0]*p.s[0])
	}
	var list []float64 // from the end that rounding does not move
	for lambda := most; lambda >= least; lambda /= math.Sqrt(10) {
		list = append(list, lambda)
	}
	return list
}

// nondominated keeps what is nondominated after a width was added, whose elements begin at from, and
// notes that width's own front. It returns what is left of df. A quadratic form spans tens of decades:
// complexities are compared by logarithms.
func (f *Front) nondominated(sigma float64, from int, df []float64) []float64 {
	sse, q := f.Objectives()
	o := pareto.Options{Log: true}
	part := Part{Sigma: sigma}
	for _, i := range pareto.Front(sse[from:], q[from:], o) {
		part.Q, part.SSE = append(part.Q, q[from+i]), append(part.SSE, sse[from+i])
	}
	f.Parts = append(f.Parts, part)
	var elements []Element
	var freedom []float64
	for _, i := range pareto.Front(sse, q, o) {
		elements, freedom = append(elements, f.Elements[i]), append(freedom, df[i])
	}
	f.Elements = elements
	return freedom
}

// width decomposes the design of one width.
func (g GRN) width(ctx context.Context, p *points, sigma float64, y *mat.Dense) (*Stabilised, error) {
	gram, err := kernel.Gaussian{Sigma: sigma}.Bind(ctx, p.all, p.work)
	if err != nil {
		return nil, fmt.Errorf("rbf: %w", err)
	}
	h := mat.NewDense(p.n, p.m, nil)
	if err := kernel.Fill(ctx, h, gram, indices.To(p.n), p.centres); err != nil {
		return nil, err
	}
	st, err := g.stabiliser(ctx, gram, p)
	if err != nil {
		return nil, err
	}
	return NewStabilised(ctx, h, st, y, !g.NoOffset)
}

func (g GRN) stabiliser(ctx context.Context, gram kernel.Gram, p *points) (*mat.SymDense, error) {
	if g.Stabiliser == Ridge {
		return nil, nil
	}
	k := mat.NewDense(p.m, p.m, nil)
	if err := kernel.Fill(ctx, k, gram, p.centres, p.centres); err != nil {
		return nil, err
	}
	sym := mat.NewSymDense(p.m, k.RawMatrix().Data)
	switch g.Stabiliser {
	case Norm:
		return Normalised(sym), nil
	case Reference:
		r, err := complexity.NewReference(k, nil, g.Floor)
		if err != nil {
			return nil, err
		}
		out := mat.NewSymDense(p.m, nil)
		for i, v := range r.Weight {
			out.SetSym(i, i, v)
		}
		return out, nil
	}
	return sym, nil
}
