package kernel

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/internal/vec"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// ARDRational is k(x, z) = (1 + s/alpha)^-alpha, s = sum_k (|x_k-z_k| / sigma_g(k))^power, with a width for each group g of columns
// (automatic relevance determination) and power 1 or 2, positive definite. It is the mean of kernels exp(-t s) over t of a gamma
// distribution of mean one and shape alpha: rows that are far apart still tell of each other. With power 2 it is the rational quadratic
// kernel, with power 1 it knows steps of single columns as ARDL1Laplacian does, its limit for large alpha.
//
// Sigma has a width for each group in the units of its columns. Zero widths, and an empty list, mean the median of the sum (power 1) or
// of the Euclidean distance (power 2) of the rows; Alpha 0 means 1, Power 0 means 1 (see Adapt). The parameters are "sigma[1]",
// "sigma[2]", ..., "alpha":
//
//	dk/dsigma_g = power (1 + s/alpha)^(-alpha-1) sum_{k in g} (|x_k-z_k| / sigma_g)^power / sigma_g
//	dk/dalpha   = k (r/(1+r) - log(1+r)),  r = s/alpha
type ARDRational struct {
	Sigma []float64 `json:"sigma,omitempty"`
	Alpha float64   `json:"alpha,omitempty"`
	Power int       `json:"power,omitempty"`
	// Group has the number of its group, from 0, for each column; nil: each column is one.
	Group []int `json:"group,omitempty"`
	// Names are those of the groups, by which the parameters are then called: "sigma[price]".
	Names []string `json:"names,omitempty"`
}

var ardRationalKind = kindOf(param.Words{
	ID: "ard-rational", Title: "rational kernel with a width for each column",
	Formula: "(1 + sum_k (|x_k-z_k| / sigma_k)^power / alpha)^-alpha",
	About: "for tables: it falls off slowly with the distance; power 1 follows steps of single columns, power 2 smooth functions; the " +
		"default learns its widths where all rows are labelled",
	Parameters: []param.Meaning{
		meaning("sigma[1], sigma[2], ...", "> 0", "tuned, from the median distance of the rows",
			"width of a column, counted from 1; ard-rational(sigma=1:2:3) gives all of them"),
		meaning("alpha", "> 0", "tuned, from 1", "how fast it falls off: large values make an exponential of it"),
		meaning("power", "1 or 2", "1", "of the differences"),
	},
	Source:  "Rasmussen & Williams 2006, eq. 4.19 (power 2); the gamma mixture of exp(-t s) for any negative definite s",
	SciKit:  "gaussian_process.kernels.RationalQuadratic has one width (power 2, sigma = sqrt 2 length_scale)",
	Example: "mercer fit wine --method rls --kernel ard-rational --search gradient",
}, func(k *ARDRational) []field {
	return []field{
		{name: "sigma", value: &k.Sigma}, {name: "alpha", value: &k.Alpha}, {name: "power", value: &k.Power, usual: 1, spelled: true},
		{name: "group", value: &k.Group}, {name: "names", value: &k.Names},
	}
})

func (k ARDRational) widths() columnWidths {
	return columnWidths{parameter{"ard-rational", "sigma", "width"}, k.Sigma, k.Group, k.Names}
}

// Space is the widths and alpha, each within a factor 64 of its present value.
func (k ARDRational) Space() param.Space { return append(k.widths().space(), logDim("alpha", k.Alpha)) }

// With returns the kernel with the widths and alpha of theta, all above 0.
func (k ARDRational) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	n := len(theta) - 1
	k.Sigma, k.Alpha = slices.Clone(theta[:n]), theta[n]
	return valid(k)
}

// Adapt replaces zero widths by the median of the sum, or of the distance, of at most 1000 rows, alpha and power by 1.
func (k ARDRational) Adapt(rows data.Rows) Kernel {
	if k.Power == 0 {
		k.Power = 1
	}
	if k.Alpha == 0 {
		k.Alpha = 1
	}
	k.Sigma = k.widths().adapted(rows.Dim(), func() float64 {
		if k.Power == 2 {
			return medianDistance(rows)
		}
		return medianAbsolute(rows)
	})
	return k
}

// Bind divides the columns by their widths: O(nd) time and memory.
func (k ARDRational) Bind(ctx context.Context, train data.Rows, _ *Work) (Gram, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	factor, err := k.widths().factors(train.Dim())
	if err != nil {
		return nil, err
	}
	g := &shapeGram{k: rational{k}, train: train}
	if k.Power == 2 {
		g.p = euclidean{newPoints(train, distance, factor)}
	} else {
		g.p = newManhattan(train, factor)
	}
	return &rationalGram{g, k}, nil
}

func (k ARDRational) check(at stage) error {
	if k.Power < 0 || k.Power > 2 || k.Power == 0 && at == bound {
		return fmt.Errorf("ard-rational: power is %d; it must be 1 or 2", k.Power)
	}
	if err := positive("ard-rational", "alpha", k.Alpha, at); err != nil {
		return err
	}
	return k.widths().check(at)
}

func (k ARDRational) share(variance, sigma float64) float64 {
	if k.Power == 2 {
		return variance / (sigma * sigma)
	}
	return math.Sqrt(variance) / sigma
}

func (k ARDRational) on(columns []int) Kernel {
	w := k.widths().on(columns)
	k.Sigma, k.Group, k.Names = w.sigma, w.group, w.names
	return k
}

// tangent is zero by columns of equal values, the mean of both sides where the power is 1.
func (k ARDRational) tangent(grad, x, c []float64, a float64) error {
	w, power := k.widths(), float64(k.Power)
	var s float64
	for i, v := range c {
		s += math.Pow(math.Abs(x[i]-v)/w.width(i), power)
	}
	a *= power * math.Pow(1+s/k.Alpha, -k.Alpha-1)
	for i, v := range c {
		d := (v - x[i]) / w.width(i)
		if k.Power == 1 && d != 0 {
			d = math.Copysign(1, d)
		}
		grad[i] += a * d / w.width(i)
	}
	return nil
}

// rational is the shape of a kernel on rows that are divided by their widths.
type rational struct{ ARDRational }

func (k rational) compares() comparison { return distance }

func (k rational) value(s []float64) { vec.Rational(s, s, k.Alpha) }

func (k rational) slope(grad, s, bar []float64) {
	own := slices.Clone(s)
	grad[len(grad)-1] += k.byDistance(own, bar)
}

// byDistance replaces s by bar o (1 + s/alpha)^(-alpha-1), what remains of -bar o dk/ds, and returns sum_j bar_j dk/dalpha.
func (k rational) byDistance(s, bar []float64) (sum float64) {
	var log, value [lane]float64
	for lo := 0; lo < len(s); lo += lane {
		part := s[lo:min(lo+lane, len(s))]
		l, v := log[:len(part)], value[:len(part)]
		vec.Log1pScaled(l, 1/k.Alpha, part)
		vec.ExpScaled(v, -k.Alpha, l)
		for j, b := range bar[lo : lo+len(part)] {
			r := part[j] / k.Alpha
			e := b * v[j]
			part[j] = e / (1 + r)
			sum += r*part[j] - e*l[j]
		}
	}
	return sum
}

// rationalGram is the kernel of width one on the rows u = x / sigma.
type rationalGram struct {
	*shapeGram
	k ARDRational
}

// Pull, with B as byDistance makes it and the rows u, v of I and J:
// grad_g += power sum_{k in g} sum_ij B_ij |u_ik - v_jk|^power / sigma_g, all widths in one pass, besides Block and U V'.
func (g *rationalGram) Pull(grad []float64, bar Cotangent) error {
	checkGrad(grad, g.k)
	_, m := bar.dims(g.Len())
	unit := rational{g.k}
	pj := g.p.take(bar.J)
	sum, columns := make([]float64, g.train.Dim()), make([]float64, m)
	var work *mat.Dense
	bar.panels(g.Len(), func(i []int, b *mat.Dense) {
		s := panelOf(&work, len(i), m)
		pi := g.p.take(i)
		end := pi.sums(s, pj, distance)
		part := make([]float64, len(i))
		parallel.Pieces(len(i), chunk, func(lo, hi int) {
			end(lo, hi)
			for a := lo; a < hi; a++ {
				part[a] = unit.byDistance(row(s, a), row(b, a))
			}
		})
		for _, v := range part {
			grad[len(grad)-1] += v
		}
		if p, ok := pi.(euclidean); ok {
			addSquaredTerms(sum, columns, p.points, pj.(euclidean).points, s)
			return
		}
		pi.(*manhattan).addTerms(sum, pj.(*manhattan).additive, s)
	})
	if p, ok := pj.(euclidean); ok {
		addSquares(sum, p.points, columns)
		for c := range sum {
			sum[c] *= 2
		}
	}
	g.k.widths().addTo(grad[:len(grad)-1], sum)
	return nil
}

func (g *rationalGram) Expand(alpha *mat.Dense, j []int) ([]Expansion, error) {
	return expand(g.k, g.train, alpha, j), nil
}
