package relevance

// Problem  widths of columns from few labels, which cannot bear a search.
// Method   Screen: of each column the share R of its variance that the labels explain (between the means of the classes; the squared
//          correlation with a target), of the features of a column together, less the share (c-1)/(l-1) that chance explains of l
//          rows and c classes (one degree of freedom of a target). Differences in a column are multiplied by max(R - chance, 0)^(1/2),
//          then all by the factor that makes the median distance one.
// Cost     l d, and l^2 d for the median.
// Source   the share: Fisher 1925 (the correlation ratio, eta^2); less that of chance: Kelley 1935 (epsilon^2, but for its denominator).

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// vanished is the width, in units of the others, of a column that tells no more than chance.
const vanished = 1e6

// Screen gives a kernel the widths that the labels of dense rows suggest, in the proportions of its own. A kernel whose columns all tell no
// more than chance stays as it is.
func Screen(ctx context.Context, k kernel.ARDRational, p *learn.Problem) (kernel.ARDRational, error) {
	x := p.Rows.Select(p.Labelled).Dense
	_, d := x.Dims()
	explained, total := make([]float64, len(k.Sigma)), make([]float64, len(k.Sigma))
	column := make([]float64, len(p.Labelled))
	for c := range d {
		mat.Col(column, c, x)
		g := c
		if k.Group != nil {
			g = k.Group[c]
		}
		e, t := shares(p, column)
		explained[g] += e
		total[g] += t
	}
	degrees := 1.0
	if p.Class != nil {
		degrees = float64(len(p.Classes) - 1)
	}
	chance := degrees / float64(max(len(p.Labelled)-1, 1))
	sigma, told := slices.Clone(k.Sigma), false
	for g := range sigma {
		if tells := explained[g] - chance*total[g]; tells > 0 {
			sigma[g] /= math.Pow(tells/total[g], 0.5)
			told = true
		} else {
			sigma[g] *= vanished
		}
	}
	if !told {
		return k, nil
	}
	k.Sigma = sigma
	return medianOne(ctx, k, p)
}

// shares are the sums of squares of a column about its mean: what the labels explain, and all.
func shares(p *learn.Problem, column []float64) (explained, total float64) {
	mean, variance := stat.PopMeanVariance(column, p.Weight)
	all := float64(len(column))
	if p.Weight != nil {
		all = floats.Sum(p.Weight)
	}
	total = variance * all
	if total == 0 {
		return 0, 0
	}
	if p.Class == nil {
		_, outputs := p.Y.Dims()
		target := make([]float64, len(column))
		for q := range outputs {
			mat.Col(target, q, p.Y)
			if r := stat.Correlation(column, target, p.Weight); !math.IsNaN(r) {
				explained = max(explained, r*r*total)
			}
		}
		return explained, total
	}
	sum, mass := make([]float64, len(p.Classes)), make([]float64, len(p.Classes))
	for i, v := range column {
		w := 1.0
		if p.Weight != nil {
			w = p.Weight[i]
		}
		sum[p.Class[i]] += w * (v - mean)
		mass[p.Class[i]] += w
	}
	for c, m := range mass {
		if m > 0 {
			explained += sum[c] * sum[c] / m
		}
	}
	return explained, total
}

// medianOne multiplies all widths by one factor, so that the median over pairs of different labelled rows of
// sum_k (|x_k-z_k|/sigma_k)^power becomes one.
func medianOne(ctx context.Context, k kernel.ARDRational, p *learn.Problem) (kernel.ARDRational, error) {
	alone := k
	alone.Alpha = 1 // whose value v has the sum 1/v - 1
	gram, err := alone.Bind(ctx, p.Rows, nil)
	if err != nil {
		return k, err
	}
	l := len(p.Labelled)
	values := mat.NewDense(l, l, nil)
	if err := kernel.Fill(ctx, values, gram, p.Labelled, p.Labelled); err != nil {
		return k, err
	}
	var sums []float64
	for i := range l {
		for _, v := range values.RawRowView(i)[:i] {
			if v < 1 {
				sums = append(sums, 1/v-1)
			}
		}
	}
	if len(sums) == 0 {
		return k, nil
	}
	slices.Sort(sums)
	floats.Scale(math.Pow(sums[len(sums)/2], 1/float64(k.Power)), k.Sigma)
	return k, nil
}
