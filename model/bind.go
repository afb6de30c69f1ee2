package model

import (
	"context"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// bound is an expansion joined with its kernel once.
type bound struct {
	plain  kernel.Expansion
	gram   kernel.Gram
	order  []int   // of the centres in gram; nil: their own
	blocks []block // of the coefficients in that order; nil: there are none
	panels sync.Pool
}

// panel has room for so many kernel values. Panels are kept between predictions: a new one would be cleared, and is most of what a
// prediction allocates.
func (b *bound) panel(size int) *[]float64 {
	held, ok := b.panels.Get().(*[]float64)
	if !ok || cap(*held) < size {
		held = new([]float64)
		*held = make([]float64, size)
	}
	*held = (*held)[:size]
	return held
}

// Bind returns the same model with its kernels joined to their centres once and for all, for many predictions of few
// rows; Predict does that anew at each call, which takes as long as the prediction of some ten rows. The values are the
// same. Several goroutines may predict at once. Memory: at most a copy of the centres of each function. Sparse
// centres of fewer entries than columns are left as they are, because new rows decide how their columns are numbered.
func (m *Model) Bind(ctx context.Context) (*Model, error) {
	one := *m
	one.Parts = slices.Clone(m.Parts)
	for i := range one.Parts {
		p := &one.Parts[i]
		p.Functions = slices.Clone(p.Functions)
		for k, f := range p.Functions {
			e, ok := f.(Expansion)
			if !ok {
				continue
			}
			var err error
			if p.Functions[k], err = e.bind(ctx); err != nil {
				return nil, err
			}
		}
	}
	return &one, nil
}

func (e Expansion) bind(ctx context.Context) (Expansion, error) {
	plain := e.Plain()
	if plain.Centres.IsSparse() && plain.Centres.Dim() > plain.Centres.Sparse.NNZ() && !kernel.Numbered(e.Kernel) {
		return e, nil
	}
	b, err := joined(ctx, plain)
	e.bound = b
	return e, err
}

// joined joins the kernel of an expansion with its centres.
func joined(ctx context.Context, plain kernel.Expansion) (*bound, error) {
	plain.Centres = filled(plain.Centres)
	b := &bound{plain: plain}
	centres := plain.Centres
	if !kernel.Numbered(plain.Kernel) {
		if b.order, b.blocks = blocksOf(plain.Coef); b.blocks != nil {
			centres = centres.Select(b.order)
		}
	}
	var err error
	b.gram, err = plain.Kernel.Bind(ctx, centres, nil)
	return b, err
}

// bindFor is the expansion joined with its kernel, and the rows in a form that suits it.
func (e Expansion) bindFor(ctx context.Context, x data.Rows) (*bound, data.Rows, error) {
	if e.bound != nil {
		return e.bound, x, nil
	}
	plain := e.Plain()
	plain.Centres, x = narrow(plain.Kernel, plain.Centres, x)
	b, err := joined(ctx, plain)
	return b, x, err
}
