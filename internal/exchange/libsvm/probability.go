package libsvm

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"gonum.org/v1/gonum/mat"
)

// Probabilities returns the probabilities that svm-predict -b 1 prints: one column
// a class, in the order of the file. Its label is then the class of the largest,
// the first on ties, which need not be the label that Predict, the vote, returns.
// (Package calibrate makes probabilities that agree with the vote.)
//
// A one-class machine has two columns, for within and outside. Models without
// ProbA and ProbB, or DensityMarks, and regressions are an error.
func (m *Model) Probabilities(rows data.Rows) (*mat.Dense, error) {
	if err := m.probable(); err != nil {
		return nil, err
	}
	f, err := m.Decision(rows)
	if err != nil {
		return nil, err
	}
	if m.Classes == 1 {
		p := mat.NewDense(rows.Len(), 1, nil)
		for i := range rows.Len() {
			p.Set(i, 0, 1)
		}
		return p, nil
	}
	return m.Couple(f)
}

func (m *Model) probable() error {
	switch {
	case m.Type == OneClass && m.DensityMarks == nil, m.Type.Classifies() && (m.ProbA == nil || m.ProbB == nil):
		return errors.New("libsvm: the model has no probabilities; train it with svm-train -b 1")
	case m.Type == EpsilonSVR || m.Type == NuSVR:
		return errors.New("libsvm: a regression has no probabilities; ProbA is the scale of its Laplace noise")
	}
	return nil
}

// Couple turns decision values into the probabilities of Probabilities:
//
//	r_ij = 1/(1 + exp(ProbA f_ij + ProbB)), kept within 1e-7 of 0 and 1
//
// coupled by the iteration of calibrate.Coupling, which stops as LIBSVM does, at residuals of
// 0.005/k: these probabilities are to be LIBSVM's. Cost: O(k^2) an iteration, at most max(100, k).
func (m *Model) Couple(f *mat.Dense) (*mat.Dense, error) {
	if err := m.probable(); err != nil {
		return nil, err
	}
	n, values := f.Dims()
	if values != m.Pairs() {
		panic(fmt.Sprintf("libsvm: %d decision values for %d pairs", values, m.Pairs()))
	}
	k := m.Classes
	out := mat.NewDense(n, k, nil)
	pairs, work := calibrate.NewCoupling(k), make([]float64, k)
	for row := range n {
		v, p := f.RawRowView(row), out.RawRowView(row)
		if m.Type == OneClass {
			p[0] = within(v[0], m.DensityMarks)
			p[1] = 1 - p[0]
			continue
		}
		c := 0
		for i := range k {
			for j := i + 1; j < k; j++ {
				pairs.Set(i, j, 1/(1+math.Exp(m.ProbA[c]*v[c]+m.ProbB[c])))
				c++
			}
		}
		pairs.Iterate(p, work, 0.005/float64(k), max(100, k))
	}
	return out, nil
}

// within is the probability of a one-class machine: in tenths, by the mark that
// the decision value stays below.
func within(f float64, marks []float64) float64 {
	last := len(marks) - 1
	switch {
	case f < marks[0]:
		return 0.001
	case f > marks[last]:
		return 0.999
	}
	for i := 1; i <= last; i++ {
		if f < marks[i] {
			return float64(i) / float64(len(marks))
		}
	}
	return 0 // f is the last mark: LIBSVM's answer
}
