package mixture

// Principal components above the noise.
//
// Problem   which directions of the rows vary by more than noise does that is the same in all directions?
// Method    s2 = median of the eigenvalues of X'X/n over the median of the law of Marchenko and Pastur
//           for the ratio d/n, which noise of variance one follows. Eigenvalues above
//           1.05 s2 (1 + sqrt(d/n))^2, the upper end of that law with a margin, are components: m of
//           them. That the rest is alike in all directions is John's test:
//           n mean((b/mean b - 1)^2)/(p + 1) is about 1 for the other p eigenvalues b.
// Cost      n d min(n, d) flops and an eigendecomposition of the smaller side.
// Source    Marchenko and Pastur 1967; John 1971, Ledoit and Wolf 2002 for d beyond n; margins were chosen on
//           generated sets (docs/automatic-choice.md).

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"gonum.org/v1/gonum/mat"
)

const (
	margin       = 1.05 // above the upper end of the law, to be a component
	mostUneven   = 1.5  // of John's test, for noise that is alike in all directions
	mostSpikes   = 10   // components that are few
	fewestOthers = 3    // directions that are left for the noise
)

// Components are the first principal components of cut rows, fitted, and a constant.
type Components struct {
	Cut   Cut         `json:"cut"`
	Axes  [][]float64 `json:"axes"`  // m x d, of length one
	Scale float64     `json:"scale"` // root of the mean squared length of the scores
}

// Map returns the features [scores/Scale, 1] of rows, n x (m + 1): scores have mean squared length
// one in all.
func (c *Components) Map(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	m := len(c.Axes)
	out := mat.NewDense(max(n, 1), m+1, nil)
	scores := out.Slice(0, max(n, 1), 0, m).(*mat.Dense)
	project(scores, c.Cut.Rows(x), c.Axes)
	scores.Scale(1/c.Scale, scores)
	for i := range n {
		out.Set(i, m, 1)
	}
	return out
}

// project stores the scores of rows on axes in dst.
func project(dst, x *mat.Dense, axes [][]float64) {
	blas.Gemm(1, blas.N(x), blas.T(rows(axes)), 0, dst)
}

// Dim is the number of columns of the rows that it maps.
func (c *Components) Dim() int { return len(c.Cut.Middle) }

// Valid says what is wrong with values that were read; nil: nothing.
func (c *Components) Valid() error {
	d := len(c.Cut.Middle)
	if err := c.Cut.valid(); err != nil {
		return err
	}
	if len(c.Axes) == 0 || !(c.Scale > 0) || math.IsInf(c.Scale, 0) {
		return fmt.Errorf("%d axes of scale %g; there must be axes, and a positive scale", len(c.Axes), c.Scale)
	}
	return lengths("axis", c.Axes, d)
}

// spectrum holds what principal components say of rows.
type spectrum struct {
	axes     [][]float64 // of the components above the noise, or of the first one
	spikes   int         // m
	uneven   float64     // John's test of the others
	isotropy bool        // the noise is alike in all directions, and the components are few
}

// analyse decomposes cut rows.
func analyse(x *mat.Dense) (spectrum, error) {
	n, d := x.Dims()
	g := gram(x)
	side, _ := g.Dims()
	values, vectors := make([]float64, side), mat.NewDense(side, side, nil)
	if err := blas.SymEigen(g, values, vectors); err != nil {
		return spectrum{}, err
	}
	for q := range values {
		values[q] = max(values[q], 0) / float64(n) // ascending
	}
	var s spectrum
	edge := noise(values, n, d) * margin * sqr(1+math.Sqrt(float64(d)/float64(n)))
	for _, v := range values {
		if v > edge {
			s.spikes++
		}
	}
	s.uneven = john(values[:side-s.spikes], n, d-s.spikes)
	s.isotropy = s.uneven <= mostUneven && s.spikes >= 1 && s.spikes <= mostSpikes && d >= s.spikes+fewestOthers
	for k := range min(max(s.spikes, 1), mostSpikes) {
		s.axes = append(s.axes, axis(x, vectors, side-1-k))
	}
	return s, nil
}

// noise is the variance of the noise: the median of the eigenvalues that are not zero by construction
// over that of the law.
func noise(values []float64, n, d int) float64 {
	positive := values
	ratio, by := float64(d)/float64(n), 1.0
	if d > n {
		positive = values[1:] // n centred rows span n - 1 directions
		ratio, by = 1/ratio, ratio
	}
	return median(append([]float64(nil), positive...)) / (by * marchenkoPastur(ratio))
}

// lawSteps is the number of steps of the integral.
const lawSteps = 4096 // the median to four digits and more

// marchenkoPastur is the median of the law for the ratio g <= 1 of columns to rows. With
// x = 1 + g + 2 sqrt(g) cos t its density is 2 sin(t)^2/(pi x) in t.
func marchenkoPastur(g float64) float64 {
	at := func(t float64) float64 { return 1 + g + 2*math.Sqrt(g)*math.Cos(t) }
	density := func(t float64) float64 { return 2 * sqr(math.Sin(t)) / (math.Pi * at(t)) }
	const step = math.Pi / lawSteps
	total := 0.0
	for k := range lawSteps {
		total += density((float64(k) + 0.5) * step)
	}
	sum := 0.0
	for k := range lawSteps { // from the largest eigenvalue down
		f := density((float64(k) + 0.5) * step)
		if sum+f >= total/2 {
			return at((float64(k) + (total/2-sum)/f) * step)
		}
		sum += f
	}
	return at(math.Pi)
}

// john is the test statistic of p directions, of which these eigenvalues are all that are not zero.
func john(values []float64, n, p int) float64 {
	mean := 0.0
	for _, v := range values {
		mean += v / float64(p)
	}
	if mean == 0 || p < 1 {
		return math.Inf(1)
	}
	square := float64(p - len(values)) // (0 - 1)^2 each
	for _, v := range values {
		square += sqr(v/mean - 1)
	}
	return float64(n) * square / float64(p) / float64(p+1)
}

// axis is the direction in the columns of eigenvector k of the smaller side, with a sign that does not
// depend on the decomposition: its largest entry is positive.
func axis(x, vectors *mat.Dense, k int) []float64 {
	n, d := x.Dims()
	a := make([]float64, d)
	if d <= n {
		mat.Col(a, k, vectors)
	} else {
		for i := range n {
			v := vectors.At(i, k)
			for j, e := range x.RawRowView(i) {
				a[j] += v * e
			}
		}
	}
	largest, square := 0.0, 0.0
	for _, v := range a {
		square += v * v
		if math.Abs(v) > math.Abs(largest) {
			largest = v
		}
	}
	if !(square >= 0x1p-1000) { // nothing is left of the rows in this direction, so that it is any
		clear(a)
		a[0] = 1
		return a
	}
	by := 1 / math.Sqrt(square)
	if largest < 0 {
		by = -by
	}
	for j := range a {
		a[j] *= by
	}
	return a
}

func sqr(v float64) float64 { return v * v }

// rows is a matrix of slices.
func rows(list [][]float64) *mat.Dense {
	m := mat.NewDense(len(list), len(list[0]), nil)
	for i, r := range list {
		m.SetRow(i, r)
	}
	return m
}
