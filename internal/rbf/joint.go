package rbf

// Problem   min (SSE, Q), Q = sum_j |alpha_j|/sigma_j^q, over networks whose units have
//           any of the candidate centres and widths: convex, one LASSO path over the
//           stacked columns sigma^q k_sigma. Its front contains every network of MOBJ
//           with the same candidates, so it is nowhere above theirs.
// Cost      solve.Lasso on N x (M widths) columns, with a working set beyond 4096 of
//           them. The columns are stored (8 N M widths bytes) up to Memory, else
//           computed when asked for, some 2 ns an entry.
// Source    ours; the measure is that of Kokshenev 2010, eq. 4.8.

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/solve"
)

// Joint is the recipe of networks with several widths.
type Joint struct {
	Widths  Widths  `json:"widths"` // Steps: default 29 (30 widths)
	Centres Centres `json:"centres"`
	Order   float64 `json:"order,omitempty"` // q of the complexity; default 2
	MaxQ    float64 `json:"max_q,omitempty"` // default as MOBJ's
	// MinShare stops the path at this share of the first SSE; default 0.01, negative
	// for none.
	MinShare float64 `json:"min_share,omitempty"`
	// Steps, if positive, samples the front at Steps+1 complexities; else every knot
	// of the path is an element.
	Steps    int   `json:"steps,omitempty"`
	Memory   int64 `json:"memory,omitempty"` // bytes for columns; default 1 GiB
	NoOffset bool  `json:"no_offset,omitempty"`
}

// minShare is the default of MinShare.
const minShare = 0.01

func (j Joint) widths() Widths {
	w := j.Widths
	if w.Steps == 0 {
		w.Steps = 29
	}
	return w
}

// Fit returns the front of each output (column of y, N x outputs). Where the context ends
// it is partial, as MOBJ's.
func (j Joint) Fit(ctx context.Context, rows data.Rows, y *mat.Dense) ([]*Front, error) {
	p, c, sigma, err := start(ctx, rows, y, j.widths(), j.Centres, j.NoOffset)
	if err != nil {
		return nil, err
	}
	order := cmp.Or(j.Order, 2)
	d, err := p.newDictionary(ctx, sigma, order, nil, p.fits(sigma, p.n, j.Memory))
	if err != nil {
		return nil, err
	}
	bar, mean := p.columnsOf(y)
	maxQ := cmp.Or(j.MaxQ, defaultMaxQ(bar, math.Sqrt(sigma[0]*sigma[len(sigma)-1]), order))
	share := max(cmp.Or(j.MinShare, minShare), 0)
	fronts := make([]*Front, len(bar))
	found := false
	for k, t := range bar {
		var yy float64
		for _, v := range t {
			yy += v * v
		}
		path, err := solve.Lasso(ctx, d, t, solve.LassoOptions{MaxL1: maxQ, MinSSE: share * yy})
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		f := &Front{Centres: c, Widths: sigma, Order: order, Joint: true, NoOffset: j.NoOffset, Rows: p.n, MaxQ: maxQ, Partial: err != nil}
		if path.End == solve.LassoSSE {
			f.MaxQ = path.Nodes[len(path.Nodes)-1].L1
		}
		if len(path.Nodes) == 0 {
			path.Nodes = []solve.LassoNode{{SSE: yy}}
		}
		found = found || len(path.Nodes) > 1
		add := func(n solve.LassoNode) {
			e := d.element(n.Index, n.Coef, mean[k], 0)
			e.SSE, e.Q, e.Lambda = n.SSE, n.L1, n.Lambda
			f.Elements = append(f.Elements, e)
		}
		if last := path.Nodes[len(path.Nodes)-1].L1; j.Steps > 0 {
			for i := range j.Steps + 1 {
				add(path.At(last * float64(i) / float64(j.Steps)))
			}
		} else {
			for _, n := range path.Nodes {
				add(n)
			}
		}
		f.filter()
		f.Violation = f.gap(d, 0, t, indices.To(len(f.Elements)))
		fronts[k] = f
	}
	if err := ctx.Err(); err != nil && !found {
		return nil, err
	}
	return fronts, nil
}

// fits says whether the columns of n rows fit into memory bytes, 0 meaning 1 GiB.
func (p *points) fits(sigma []float64, n int, memory int64) bool {
	if memory == 0 {
		memory = 1 << 30
	}
	return 8*int64(n)*int64(p.m)*int64(len(sigma)) <= memory
}
