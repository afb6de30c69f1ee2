package reproduce

// Protocol of Kokshenev 2010. Chapter 4: the front of Gaussian networks of one width in (SSE, Q = |alpha|_1/sigma^2), from
// which a decisor chooses afterwards: AIC and BIC on the training rows (eqs 4.29, 4.30 with 4.33), a validation set (MVE,
// 2.47) or folds (CV, 4.26). Chapter 5: kernel machines over a grid of kernel and C, chosen by folds among all (GS) or
// among those nondominated in (hinge loss, Q_norm or Q_ref).

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/rbf"
)

// Metrics that several tables have.
const (
	unitCount = "units"
	qRBF      = "Q"
	widthRBF  = "sigma"
	sumCoef   = "|alpha|_1"
	trainRMSE = "training RMSE"
)

// target is the column of targets y as a matrix.
func target(y []float64) *mat.Dense { return mat.NewDense(len(y), 1, slices.Clone(y)) }

// network adds the rows that describe element i of a front.
func (l *lab) network(name string, f *rbf.Front, i int) {
	e := &f.Elements[i]
	l.add(name, unitCount, float64(len(e.Units)))
	l.add(name, qRBF, e.Q)
	if s := f.Sigma(i); !math.IsNaN(s) { // the constant network and joint ones have none
		l.add(name, widthRBF, s)
	}
	l.add(name, sumCoef, e.L1())
}

// members is a front as decisors see it; errors is nil for regressions.
func members(f *rbf.Front, errors []int) choose.Front {
	out := choose.Front{N: f.Rows}
	for i := range f.Elements {
		e := &f.Elements[i]
		m := choose.Member{SSE: e.SSE, Complexity: e.Q, DF: float64(len(e.Units)), Errors: -1}
		if errors != nil {
			m.Errors = errors[i]
		}
		out.Members = append(out.Members, m)
	}
	return out
}

// decide returns the element that the decisor chooses and all scores.
func decide(f choose.Front, d choose.Decisor) (int, []float64) {
	got := must(d.Decide(f))
	if got.Chosen < 0 {
		fail("%s: no member of the front has a finite score", d.Name())
	}
	return got.Chosen, got.Score
}

// held is the decisor of a validation.
func held(word string, v *rbf.Validation) choose.Decisor { return choose.Held{Word: word, Loss: v.SSE} }

// folded validates a front in k shuffled folds, in which classes keep their shares. y are the labels as numbers.
func (l *lab) folded(ctx context.Context, f *rbf.Front, x data.Rows, y []float64, labels data.Labels, k int) *rbf.Validation {
	return must(f.CrossValidate(ctx, x, y, must(data.Folds(labels, k, l.seed)).Groups()))
}

// at is the element of complexity nearest to q.
func at(f *rbf.Front, q float64) int {
	best := 0
	for i := range f.Elements {
		if math.Abs(f.Elements[i].Q-q) < math.Abs(f.Elements[best].Q-q) {
			best = i
		}
	}
	return best
}

// quantile is the p-quantile, linear between order statistics: 0 and 1 are the ends.
func quantile(v []float64, p float64) float64 {
	s := slices.Sorted(slices.Values(v))
	at := p * float64(len(s)-1)
	k := min(int(at), len(s)-1)
	return s[k] + (at-float64(k))*(s[min(k+1, len(s)-1)]-s[k])
}

// spread are the standard deviation and the inter-quartile range, 0 for one value.
func spread(v []float64) (std, iqr float64) {
	if len(v) < 2 {
		return 0, 0
	}
	return stat.StdDev(v, nil), quantile(v, 0.75) - quantile(v, 0.25)
}
