package onnx

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixture"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// tiny keeps quotients 0/0 at 0: features below it count as zero.
const tiny = 1e-300

// cross adds the nodes of k(x, z), N x m, for rows x and constant centres z.
func (g *graph) cross(k kernel.Kernel, x value, z *mat.Dense) (value, error) {
	switch k := k.(type) {
	case kernel.Gaussian:
		return g.exp(g.times(g.distances(x, z), -0.5/(k.Sigma*k.Sigma))), nil
	case kernel.ARDGaussian:
		x, z = g.stretched(x, z, k.Sigma)
		return g.exp(g.times(g.distances(x, z), -0.5)), nil
	case kernel.Laplacian:
		return g.exp(g.times(g.sqrt(g.distances(x, z)), -1/k.Sigma)), nil
	case kernel.L1Laplacian:
		_, d := z.Dims()
		x, z = g.stretched(x, z, slices.Repeat([]float64{k.Sigma}, d))
		return g.exp(g.times(g.absolutes(x, z), -1)), nil
	case kernel.ARDL1Laplacian:
		x, z = g.stretched(x, z, byColumn(k.Sigma, k.Group))
		return g.exp(g.times(g.absolutes(x, z), -1)), nil
	case kernel.ARDRational:
		x, z = g.stretched(x, z, byColumn(k.Sigma, k.Group))
		s := g.absolutes
		if k.Power == 2 {
			s = g.distances
		}
		return g.op("Pow", []value{g.add(g.times(s(x, z), 1/k.Alpha), g.scalar(1)), g.scalar(-k.Alpha)}), nil
	case kernel.ANOVA:
		return g.anova(k, x, z), nil
	case kernel.MetricLaplacian:
		return g.metric(k, x, z)
	case kernel.Linear:
		return g.inner(x, z), nil
	case kernel.ARDLinear:
		x, z = g.stretched(x, z, roots(k.C))
		return g.inner(x, z), nil
	case kernel.Polynomial:
		return g.shaped(k, g.inner(x, larger(z, k.Scale))), nil
	case kernel.Sigmoid:
		return g.shaped(k, g.inner(x, larger(z, k.Scale))), nil
	case kernel.ExpChi2:
		apart, both := g.pairs(x, z, "Sub")
		return g.exp(g.times(g.fractions(g.mul(apart, apart), both), -0.5/(k.Sigma*k.Sigma))), nil
	case kernel.AddChi2:
		product, both := g.pairs(x, z, "Mul")
		return g.times(g.fractions(product, both), 2), nil
	case kernel.Constant:
		n, _ := z.Dims()
		return g.add(g.mul(g.columns(x, []int{0}), g.scalar(0)), g.row(slices.Repeat([]float64{1}, n))), nil
	case kernel.Chi2Map, kernel.Clusters, kernel.Components:
		phi, err := g.mapped(k, x)
		if err != nil {
			return "", err
		}
		centres, err := mappedCentres(k.(mapper), z)
		if err != nil {
			return "", err
		}
		return g.inner(phi, centres), nil
	case kernel.Columns:
		return g.cross(k.Base, g.columns(x, k.Columns), data.Rows{Dense: z}.SelectColumns(k.Columns).Dense)
	}
	return g.combined(k, x, z)
}

// metric takes rows to where the metric is Euclidean.
func (g *graph) metric(k kernel.MetricLaplacian, x value, z *mat.Dense) (value, error) {
	_, d := z.Dims()
	unit := mat.NewDense(d, d, nil)
	for c := range d {
		unit.Set(c, c, 1)
	}
	root, err := k.Map(data.Rows{Dense: unit})
	if err != nil {
		return "", err
	}
	centres, err := k.Map(data.Rows{Dense: z})
	if err != nil {
		return "", err
	}
	u := g.matmul(x, g.matrix(root.Dense))
	return g.exp(g.times(g.sqrt(g.distances(u, centres.Dense)), -1/k.Sigma)), nil
}

// mapper is a kernel of an explicit feature map.
type mapper interface {
	Map(rows data.Rows) (data.Rows, error)
}

// combined is cross of sums, products and the like.
func (g *graph) combined(k kernel.Kernel, x value, z *mat.Dense) (value, error) {
	switch k := k.(type) {
	case kernel.Scaled:
		v, err := g.cross(k.Base, x, z)
		n, _ := z.Dims()
		return g.mul(v, g.row(slices.Repeat([]float64{k.Weight}, n))), err
	case kernel.Normalised:
		v, err := g.cross(k.Base, x, z)
		if err != nil {
			return "", err
		}
		length, err := g.own(k.Base, x)
		if err != nil {
			return "", err
		}
		bound, err := k.Base.Bind(context.Background(), data.Rows{Dense: z}, nil)
		if err != nil {
			return "", err
		}
		return g.mul(g.mul(v, g.inverse(length)), g.row(inverses(kernel.Diagonal(bound, nil)))), nil
	case kernel.Sum:
		return g.joined("Add", k.Terms, func(t kernel.Kernel) (value, error) { return g.cross(t, x, z) })
	case kernel.Product:
		return g.joined("Mul", k.Terms, func(t kernel.Kernel) (value, error) { return g.cross(t, x, z) })
	case kernel.Precomputed:
		return "", fmt.Errorf("the kernel %s is a table of the rows of its fit, which new rows are not in; choose another kernel",
			kernel.Format(k, nil))
	}
	return "", formless(k)
}

// formless is the error of a kernel that is not written here.
func formless(k kernel.Kernel) error {
	return fmt.Errorf("the kernel %s has no form in standard operators", kernel.Format(k, nil))
}

func (g *graph) joined(kind string, terms []kernel.Kernel, of func(kernel.Kernel) (value, error)) (value, error) {
	var out value
	for i, t := range terms {
		v, err := of(t)
		if err != nil {
			return "", err
		}
		if i == 0 {
			out = v
		} else {
			out = g.op(kind, []value{out, v})
		}
	}
	return out, nil
}

// own adds the nodes of k(x, x), N x 1.
func (g *graph) own(k kernel.Kernel, x value) (value, error) {
	switch k := k.(type) {
	case kernel.Gaussian, kernel.ARDGaussian, kernel.Laplacian, kernel.ExpChi2, kernel.Constant, kernel.L1Laplacian,
		kernel.ARDL1Laplacian, kernel.ARDRational, kernel.ANOVA, kernel.MetricLaplacian:
		return g.scalar(1), nil
	case kernel.Linear:
		return g.squares(x), nil
	case kernel.ARDLinear:
		x, _ := g.stretched(x, nil, roots(k.C))
		return g.squares(x), nil
	case kernel.Polynomial:
		return g.shaped(k, g.times(g.squares(x), k.Scale)), nil
	case kernel.Sigmoid:
		return g.shaped(k, g.times(g.squares(x), k.Scale)), nil
	case kernel.AddChi2:
		return g.sum(x, 1), nil
	case kernel.Chi2Map, kernel.Clusters, kernel.Components:
		phi, err := g.mapped(k, x)
		return g.squares(phi), err
	case kernel.Columns:
		return g.own(k.Base, g.columns(x, k.Columns))
	case kernel.Scaled:
		v, err := g.own(k.Base, x)
		return g.times(v, k.Weight), err
	case kernel.Sum:
		return g.joined("Add", k.Terms, func(t kernel.Kernel) (value, error) { return g.own(t, x) })
	case kernel.Product:
		return g.joined("Mul", k.Terms, func(t kernel.Kernel) (value, error) { return g.own(t, x) })
	case kernel.Normalised:
		v, err := g.own(k.Base, x)
		return g.double(g.op("Greater", []value{v, g.scalar(0)})), err
	}
	return "", formless(k)
}

// inverse is 1/sqrt(v), 0 where v is not positive.
func (g *graph) inverse(v value) value {
	there := g.double(g.op("Greater", []value{v, g.scalar(0)}))
	return g.div(there, g.sqrt(g.most(v, g.scalar(tiny))))
}

func inverses(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, s := range v {
		if s > 0 {
			out[i] = 1 / math.Sqrt(s)
		}
	}
	return out
}

// shaped is a function of the inner product times the kernel's scale.
func (g *graph) shaped(k kernel.Kernel, s value) value {
	switch k := k.(type) {
	case kernel.Polynomial:
		return g.op("Pow", []value{g.add(s, g.scalar(k.Offset)), g.scalar(float64(k.Degree))})
	case kernel.Sigmoid:
		return g.op("Tanh", []value{g.add(s, g.scalar(k.Offset))})
	}
	panic(fmt.Sprintf("onnx: shape %T", k))
}

// inner are the inner products x'z. Factors belong into z: a runtime may join a product of matrices and a number behind it to
// one operator, of which the number is in single precision.
func (g *graph) inner(x value, z *mat.Dense) value { return g.matmul(x, g.matrix(z.T())) }

// larger is z times a factor.
func larger(z *mat.Dense, factor float64) *mat.Dense {
	out := mat.NewDense(z.RawMatrix().Rows, z.RawMatrix().Cols, nil)
	out.Scale(factor, z)
	return out
}

// distances are squared Euclidean distances, |x|^2 + |z|^2 - 2 x'z, not negative. The mean of the centres is subtracted from
// both, so that less cancels.
func (g *graph) distances(x value, z *mat.Dense) value {
	n, d := z.Dims()
	mean := make([]float64, d)
	for i := range n {
		for j, v := range z.RawRowView(i) {
			mean[j] += v / float64(n)
		}
	}
	near := mat.NewDense(n, d, nil)
	for i := range n {
		to := near.RawRowView(i)
		for j, v := range z.RawRowView(i) {
			to[j] = v - mean[j]
		}
	}
	norms := data.Rows{Dense: near}.SquaredNorms()
	near.Scale(-2, near)
	x = g.sub(x, g.row(mean))
	return g.most(g.add(g.add(g.inner(x, near), g.squares(x)), g.row(norms)), g.scalar(0))
}

// stretched divides the columns of rows and of centres, which may be nil, by widths.
func (g *graph) stretched(x value, z *mat.Dense, widths []float64) (value, *mat.Dense) {
	x = g.div(x, g.row(widths))
	if z == nil {
		return x, nil
	}
	out := mat.DenseCopyOf(z)
	n, _ := out.Dims()
	for i := range n {
		to := out.RawRowView(i)
		for j := range to {
			to[j] /= widths[j]
		}
	}
	return x, out
}

// byColumn are the widths of columns, of which those of a group share one.
func byColumn(sigma []float64, group []int) []float64 {
	if group == nil {
		return sigma
	}
	list := make([]float64, len(group))
	for c, g := range group {
		list[c] = sigma[g]
	}
	return list
}

func roots(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, s := range v {
		out[i] = math.Sqrt(s)
	}
	return out
}

// pairs are x_k - z_k or x_k z_k, and x_k + z_k, of all pairs and features, N x m x d.
func (g *graph) pairs(x value, z *mat.Dense, kind string) (of, both value) {
	a, b := g.deeper(x, 1), g.deeper(g.matrix(z), 0)
	return g.op(kind, []value{a, b}), g.add(a, b)
}

// absolutes are sums of absolute differences, N x m.
func (g *graph) absolutes(x value, z *mat.Dense) value {
	apart, _ := g.pairs(x, z, "Sub")
	return g.op("ReduceSum", []value{g.op("Abs", []value{apart}), g.numbers(2)}, attribute{"keepdims", 0})
}

// fractions are sum_k a_k / b_k, N x m, 0/0 = 0.
func (g *graph) fractions(a, b value) value {
	return g.op("ReduceSum", []value{g.div(a, g.most(b, g.scalar(tiny))), g.numbers(2)}, attribute{"keepdims", 0})
}

// mapped are the features of a kernel that has some.
func (g *graph) mapped(k kernel.Kernel, x value) (value, error) {
	switch k := k.(type) {
	case kernel.Chi2Map:
		return g.chi2(k, x)
	case kernel.Clusters:
		c := k.Fit.(*mixture.Clusters)
		level := make([]float64, len(c.Share))
		means := mat.NewDense(len(c.Means), c.Dim(), nil)
		for j, m := range c.Means {
			means.SetRow(j, m)
			level[j] = math.Log(c.Share[j]) - mat.Dot(means.RowView(j), means.RowView(j))/(2*c.Variance)
		}
		x = g.cut(x, c.Cut.Middle, c.Cut.Reach, c.Cut.Mean)
		z := g.add(g.inner(x, larger(means, 1/c.Variance)), g.row(level))
		return g.op("Softmax", []value{z}, attribute{"axis", 1}), nil
	case kernel.Components:
		c := k.Fit.(*mixture.Components)
		axes := mat.NewDense(len(c.Axes), c.Dim(), nil)
		for j, a := range c.Axes {
			axes.SetRow(j, a)
		}
		x = g.cut(x, c.Cut.Middle, c.Cut.Reach, c.Cut.Mean)
		scores := g.inner(x, larger(axes, 1/c.Scale))
		one := g.add(g.mul(g.columns(scores, []int{0}), g.scalar(0)), g.scalar(1))
		return g.beside(scores, one), nil
	}
	panic(fmt.Sprintf("onnx: features of %T", k))
}

// cut is mixture.Cut.
func (g *graph) cut(x value, middle []float64, reach float64, mean []float64) value {
	x = g.sub(x, g.row(middle))
	length := g.sqrt(g.squares(x))
	far := g.op("Greater", []value{length, g.scalar(reach)})
	by := g.where(far, g.div(g.scalar(reach), length), g.scalar(1))
	return g.sub(g.mul(x, by), g.row(mean))
}

// chi2 are the features of kernel.Chi2Map, by harmonic instead of by column.
func (g *graph) chi2(k kernel.Chi2Map, x value) (value, error) {
	one, err := k.Map(data.Rows{Dense: mat.NewDense(1, 1, []float64{1})}) // its cosines are the amplitudes
	if err != nil {
		return "", err
	}
	amplitude := one.Dense.RawRowView(0)
	root, log := g.sqrt(x), g.op("Log", []value{g.most(x, g.scalar(tiny))})
	features := []value{g.times(root, amplitude[0])}
	for j := 1; 2*j < len(amplitude); j++ {
		a, angle := amplitude[2*j-1], float64(j)*k.Spacing()
		features = append(features, g.wave(root, log, a, angle, math.Pi/2), g.wave(root, log, a, angle, 0))
	}
	return g.beside(features...), nil
}

// mappedCentres are the features of centres in the order of mapped.
func mappedCentres(k mapper, z *mat.Dense) (*mat.Dense, error) {
	rows, err := k.Map(data.Rows{Dense: z})
	if err != nil {
		return nil, err
	}
	c, ok := k.(kernel.Chi2Map)
	if !ok {
		return rows.Dense, nil
	}
	_, d := z.Dims()
	idx := make([]int, 0, d*c.Features())
	for q := range c.Features() {
		for j := range d {
			idx = append(idx, j*c.Features()+q)
		}
	}
	return rows.SelectColumns(idx).Dense, nil
}

// wave is a root sin(angle log + phase).
func (g *graph) wave(root, log value, amplitude, angle, phase float64) value {
	return g.mul(g.times(root, amplitude), g.op("Sin", []value{g.add(g.times(log, angle), g.scalar(phase))}))
}
