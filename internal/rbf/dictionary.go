package rbf

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
)

// Candidates as columns. With h_j = sigma_j^q k_j, centred, and beta_j =
// alpha_j/sigma_j^q, the complexity is |beta|_1 itself, whatever the widths: a LASSO path
// of beta is the front of (SSE, Q), of one width or of many.
//
// Offset (Kokshenev 2010, eq. 4.23): Hbar = H - 1 mu', ybar = y - mean(y) are solved
// without one; b = mean(y) - mu' alpha, and the sum of squares is the same. Networks without an
// offset take all means as zero.

// points are rows and centres bound together, so that all widths share one table of
// distances.
type points struct {
	all     data.Rows
	work    *kernel.Work
	n, m    int
	centres []int // numbers of the centres in all
	plain   bool  // no offset: nothing is centred
}

func newPoints(rows, centres data.Rows, plain bool) (*points, error) {
	all, err := rows.Append(centres)
	if err != nil {
		return nil, err
	}
	p := &points{all: all, work: new(kernel.Work), n: rows.Len(), m: centres.Len(), centres: indices.To(centres.Len()), plain: plain}
	for j := range p.centres {
		p.centres[j] += p.n
	}
	return p, nil
}

// dictionary is the candidates of some widths on some rows. It is solve.Columns,
// column w m + j being centre j at width w.
type dictionary struct {
	p     *points
	rows  []int // of the points; nil: all n
	sigma []float64
	order float64
	gram  []kernel.Gram
	mean  []float64  // of each column over rows
	t     *mat.Dense // columns as rows, if stored
}

// newDictionary makes the candidates of the widths on rows, which it stores or not.
func (p *points) newDictionary(ctx context.Context, sigma []float64, order float64, rows []int, store bool) (*dictionary, error) {
	if rows == nil {
		rows = indices.To(p.n)
	}
	d := &dictionary{p: p, rows: rows, sigma: sigma, order: order, mean: make([]float64, len(sigma)*p.m)}
	for _, s := range sigma {
		g, err := kernel.Gaussian{Sigma: s}.Bind(ctx, p.all, p.work)
		if err != nil {
			return nil, fmt.Errorf("rbf: %w", err)
		}
		d.gram = append(d.gram, g)
	}
	_, m := d.Dims()
	const block = 1024
	buf := mat.NewDense(min(block, m), len(rows), nil)
	if store {
		d.t = mat.NewDense(m, len(rows), nil)
	}
	for lo := 0; lo < m; lo += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+block, m)
		x := buf
		if store {
			x = d.t.Slice(lo, hi, 0, len(rows)).(*mat.Dense)
		}
		if err := d.compute(ctx, lo, hi, x, true); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Dims returns rows and columns.
func (d *dictionary) Dims() (n, m int) { return len(d.rows), len(d.sigma) * d.p.m }

// Block returns columns lo to hi-1, centred.
func (d *dictionary) Block(lo, hi int, buf *mat.Dense) *mat.Dense {
	if d.t != nil {
		return d.t.Slice(lo, hi, 0, len(d.rows)).(*mat.Dense)
	}
	x := buf.Slice(0, hi-lo, 0, len(d.rows)).(*mat.Dense)
	_ = d.compute(context.Background(), lo, hi, x, false) // which fails by its context alone
	return x
}

// compute fills the rows of x, width by width.
func (d *dictionary) compute(ctx context.Context, lo, hi int, x *mat.Dense, means bool) error {
	m := d.p.m
	for from := lo; from < hi; {
		w := from / m
		to := min(hi, (w+1)*m)
		part := x.Slice(from-lo, to-lo, 0, len(d.rows)).(*mat.Dense)
		if err := kernel.Fill(ctx, part, d.gram[w], d.p.centres[from-w*m:to-w*m], d.rows); err != nil {
			return err
		}
		scale := math.Pow(d.sigma[w], d.order)
		for j := from; j < to; j++ {
			row := part.RawRowView(j - from)
			var sum float64
			for i, v := range row {
				row[i] = scale * v
				sum += row[i]
			}
			if means && !d.p.plain {
				d.mean[j] = sum / float64(len(row))
			}
			for i := range row {
				row[i] -= d.mean[j]
			}
		}
		from = to
	}
	return nil
}

// element turns a knot of a path into a network; first is the number of the
// dictionary's first width in the front.
func (d *dictionary) element(index []int32, beta []float64, mean float64, first int) Element {
	e := Element{Offset: mean, Units: make([]Unit, len(index)), Coef: make([]float64, len(index))}
	for k, j := range index {
		w := int(j) / d.p.m
		e.Units[k] = Unit{Centre: j % int32(d.p.m), Width: int32(first + w)}
		e.Coef[k] = beta[k] * math.Pow(d.sigma[w], d.order)
		e.Offset -= beta[k] * d.mean[j]
	}
	return e
}

// centred returns y less its mean, and the mean, zero for networks without an offset.
func (p *points) centred(y []float64) (bar []float64, mean float64) {
	if !p.plain {
		for _, v := range y {
			mean += v
		}
		mean /= float64(len(y))
	}
	bar = make([]float64, len(y))
	for i, v := range y {
		bar[i] = v - mean
	}
	return bar, mean
}
