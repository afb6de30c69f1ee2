package mixture

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// counts are the numbers of clusters that are tried, while there are 10 rows for each.
func counts() []int { return []int{2, 3, 4, 5, 6, 8, 10, 12, 16} }

const (
	rowsEach   = 10 // rows a cluster must have in the mean
	mostFound  = 10 // clusters that are few
	fewColumns = 10 // columns that are taken as they are
	mostRows   = 8000
)

// Evidence is what rows show of clusters without their labels.
type Evidence struct {
	Rows int // n
	// Components are the directions that vary more than the noise, or the first one. Spiked says
	// that there are some, that they are few and that the noise is alike in all other directions.
	Components *Components
	Above      int     // directions above the noise
	Uneven     float64 // John's test of the others, about 1 where they are alike
	Spiked     bool
	// Clusters is the mixture of the least BIC among those of two Gaussians and more. Clustered
	// says that it explains the rows better than one Gaussian, with few clusters and fewer than were tried.
	Clusters  *Clusters
	Clustered bool
}

// Look looks for components and clusters in rows of d columns, of more than 8000 rows in 8000 of them,
// evenly spaced. Cost: n d min(n, d) flops, an eigendecomposition of the smaller side, and mixtures in
// at most ten columns. Fewer than two rows show nothing, and are an error.
func Look(ctx context.Context, x *mat.Dense) (*Evidence, error) {
	n, d := x.Dims()
	if n < 2 {
		return nil, fmt.Errorf("mixture: %d rows; clusters and components need two", n)
	}
	if n > mostRows {
		some := mat.NewDense(mostRows, d, nil)
		for i := range mostRows {
			some.SetRow(i, x.RawRowView(i*n/mostRows))
		}
		x, n = some, mostRows
	}
	cut, rows := NewCut(x)
	s, err := analyse(rows)
	if err != nil {
		return nil, err
	}
	e := &Evidence{Rows: n, Components: newComponents(cut, s.axes, rows), Above: s.spikes, Uneven: s.uneven, Spiked: s.isotropy}
	z := varying(rows)
	if z == nil {
		e.Clusters, err = spread(ctx, cut, together(n), rows) // all rows are alike
		return e, err
	}
	if d > fewColumns {
		z = mat.NewDense(n, len(s.axes), nil)
		project(z, rows, s.axes)
	}
	best, least, found, largest := (*mat.Dense)(nil), 0.0, 0, 0
	for _, k := range counts() {
		if n < rowsEach*k && best != nil {
			break
		}
		p, bic, err := fit(ctx, z, min(k, n))
		if err != nil {
			return nil, err
		}
		if largest = k; best == nil || bic < least {
			best, least, found = p, bic, k
		}
	}
	e.Clustered = least < alone(z) && found <= mostFound && found < largest
	e.Clusters, err = spread(ctx, cut, best, rows)
	return e, err
}

// Values is about how many posteriors Look computes for n rows: those of all clusters that are tried, from every start, in half of the
// steps that it may take.
func Values(n int) float64 {
	n = min(n, mostRows)
	clusters := 0
	for _, k := range counts() {
		if n < rowsEach*k && clusters > 0 {
			break
		}
		clusters += min(k, n)
	}
	return starts * steps / 2 * float64(n) * float64(clusters)
}

// varying are the columns that are not zero in all rows; nil: there are none.
func varying(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	var keep []int
	for j := range d {
		for i := range n {
			if x.At(i, j) != 0 {
				keep = append(keep, j)
				break
			}
		}
	}
	switch len(keep) {
	case 0:
		return nil
	case d:
		return x
	}
	out := mat.NewDense(n, len(keep), nil)
	for q, j := range keep {
		for i := range n {
			out.Set(i, q, x.At(i, j))
		}
	}
	return out
}

// together are the posteriors of one cluster.
func together(n int) *mat.Dense {
	p := mat.NewDense(n, 1, nil)
	for i := range n {
		p.Set(i, 0, 1)
	}
	return p
}

// newComponents are these axes, scaled by the rows.
func newComponents(cut Cut, axes [][]float64, x *mat.Dense) *Components {
	n, _ := x.Dims()
	z := mat.NewDense(n, len(axes), nil)
	project(z, x, axes)
	square := 0.0
	for i := range n {
		square += norm(z.RawRowView(i)) / float64(n)
	}
	c := &Components{Cut: cut, Axes: axes, Scale: 1}
	if square > 0 {
		c.Scale = math.Sqrt(square)
	}
	return c
}

// spread continues a mixture in all columns, for they say more of a row's cluster than few do.
func spread(ctx context.Context, cut Cut, p, x *mat.Dense) (*Clusters, error) {
	_, d := x.Dims()
	_, k := p.Dims()
	g := gaussians{make([]float64, k), mat.NewDense(k, d, nil), 1}
	if _, err := g.climb(ctx, p, x, continued); err != nil {
		return nil, err
	}
	c := &Clusters{Cut: cut, Share: g.share, Variance: g.variance}
	for j := range k {
		c.Means = append(c.Means, append([]float64(nil), g.means.RawRowView(j)...))
	}
	return c, nil
}
