package choose

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/learn"
)

// Balanced decides the unlabelled rows of a problem in the given shares of classes by what another rule has chosen, in the place of the
// offsets of that rule.
type Balanced struct {
	Rule

	Problem *learn.Problem
	Shares  []float64
}

// Choose implements Rule.
func (b Balanced) Choose(ctx context.Context, s *Candidates) (*Choice, error) {
	c, err := b.Rule.Choose(ctx, s)
	if err == nil {
		c.Offset = Balance(b.Problem, Outputs(b.Problem, c.Members), b.Shares)
	}
	return c, err
}

// Balance returns the offsets b (one an output) with which the unlabelled rows are decided in
// the given shares of classes (Sindhwani 2007, tables 3.1 and 3.2, for LapSVM). With two
// classes it is the threshold between the round(r u)-th and the next output, exactly. With
// more it solves the transport of rows to classes,
//
//	minimise over b   sum_i tau log sum_k exp((f_ik + b_k)/tau) - u sum_k r_k b_k,
//
// by proportional fitting for a falling tau; the last is a hundredth of the outputs' spread.
// Nil without unlabelled rows.
func Balance(p *learn.Problem, f *mat.Dense, shares []float64) []float64 {
	known := make([]bool, p.Rows.Len())
	for _, i := range p.Labelled {
		known[i] = true
	}
	var z [][]float64
	for i, k := range known {
		if !k {
			z = append(z, f.RawRowView(i))
		}
	}
	if len(z) == 0 {
		return nil
	}
	if p.Outputs() == 1 {
		return []float64{-cut(z, shares[1])}
	}
	b := make([]float64, p.Outputs())
	spread := spreadOf(z)
	for _, tau := range []float64{0.3, 0.1, 0.03, 0.01} {
		tau *= spread
		scaled := make([][]float64, len(z))
		for i, row := range z {
			scaled[i] = make([]float64, len(row))
			for k, v := range row {
				scaled[i][k] = v / tau
			}
		}
		log := make([]float64, len(b))
		for k := range b {
			log[k] = b[k] / tau
		}
		fit(scaled, log, shares)
		for k := range b {
			b[k] = log[k] * tau
		}
	}
	return b
}

// cut is the output with the given share of rows above it.
func cut(z [][]float64, share float64) float64 {
	v := make([]float64, len(z))
	for i, row := range z {
		v[i] = row[0]
	}
	slices.Sort(v)
	above := int(math.Round(share * float64(len(v))))
	switch at := len(v) - above; at {
	case 0:
		return v[0] - 1
	case len(v):
		return v[len(v)-1] + 1
	default:
		return (v[at-1] + v[at]) / 2
	}
}

// spreadOf is the standard deviation of all outputs about their mean, 1 if that is zero.
func spreadOf(z [][]float64) float64 {
	var sum, square, n float64
	for _, row := range z {
		for _, v := range row {
			sum, square, n = sum+v, square+v*v, n+1
		}
	}
	if s := math.Sqrt(max(square/n-sum*sum/n/n, 0)); s > 0 {
		return s
	}
	return 1
}
