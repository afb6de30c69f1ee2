package linear

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/mercer-ml/mercer/internal/exchange/libsvm"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// liblinear is LIBLINEAR's program for the squared hinge in the primal.
func liblinear(file, to string, p *problem) *trained {
	return &trained{
		name:      "liblinear-train",
		tolerance: 1e-2,
		words: func(tolerance float64) []string {
			return []string{"liblinear-train", "-s", "2", "-B", "1", "-c", strconv.Itoa(strength), "-e", fmt.Sprint(tolerance), "-q",
				file, to}
		},
		weights: func(context.Context) ([]float64, error) { return liblinearWeights(to, p) },
	}
}

// liblinearWeights are those of a model's file. Its columns end with the last that has an entry.
func liblinearWeights(path string, p *problem) ([]float64, error) {
	f, err := os.Open(path) //nolint:gosec // a file of this run
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	m, err := libsvm.ReadLinear(f, path)
	if err != nil {
		return nil, err
	}
	_, d := p.rows.Dims()
	if len(m.Labels) != 2 || m.Bias != 1 || m.Features >= d {
		return nil, fmt.Errorf("%s: labels %v, bias %g, %d columns; two labels, 1 and %d are expected", path, m.Labels, m.Bias,
			m.Features, d-1)
	}
	sign := 1.0
	if m.Labels[0] < m.Labels[1] {
		sign = -1
	}
	w := make([]float64, d)
	for j := range m.Features {
		w[j] = sign * m.W[j][0]
	}
	w[d-1] = sign * m.W[m.Features][0]
	return w, nil
}

// mercer is mercer fit with the same machine; fixed is that at its own tolerance.
func mercer(program, file, to string, fixed bool) *trained {
	t := &trained{name: "mercer", tolerance: 1e-2, weights: func(ctx context.Context) ([]float64, error) { return mercerWeights(ctx, to) }}
	if fixed {
		t.name, t.tolerance = "mercer, plain", 0
	}
	t.words = func(tolerance float64) []string {
		words := []string{program, "fit", file, "--task", "classification", "--method", "linear-svm", "--tune", "none", "--scale", "none",
			"--set", fmt.Sprint("C=", strength), "--quiet", "-o", to}
		if tolerance > 0 {
			words = append(words, "--tol", fmt.Sprint(tolerance))
		}
		return words
	}
	return t
}

// mercerWeights are those of a model's file.
func mercerWeights(ctx context.Context, path string) ([]float64, error) {
	m, err := model.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	w, offset, err := m.LinearWeights()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return append(mat.Col(nil, 0, w), offset[0]), nil
}
