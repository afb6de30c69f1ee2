package score_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

func boundedLearners() map[string]learn.Learner {
	return map[string]learn.Learner{
		"hinge":                    svm.Classifier{Options: svm.Options{Tolerance: 1e-9}},
		"hinge, no offset":         svm.Classifier{NoOffset: true, Options: svm.Options{Tolerance: 1e-9}},
		"squared hinge":            smooth.Learner{Loss: learn.SquaredHinge(), Offset: smooth.Free, Tolerance: 1e-12},
		"squared hinge, none":      smooth.Learner{Loss: learn.SquaredHinge(), Tolerance: 1e-12},
		"squared hinge, augmented": smooth.Learner{Loss: learn.SquaredHinge(), Offset: smooth.Augmented, Tolerance: 1e-12},
	}
}

// The gradient of radius-margin is that of its value, by the kernel's parameters and C.
func TestBoundGradient(t *testing.T) {
	warp := manifold.Warp{Base: kernel.Gaussian{Sigma: 1.5}, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 5, Degree: 1}}, Ratio: 2}
	for name, l := range boundedLearners() {
		for _, k := range []kernel.Kernel{
			kernel.ARDGaussian{Sigma: []float64{1.5, 2, 3, 1}},
			kernel.Scaled{Base: kernel.Polynomial{Degree: 2, Offset: 1, Scale: 1}, Weight: 0.3},
			warp,
		} {
			for _, classes := range []int{2, 3} {
				t.Run(fmt.Sprintf("%s/%T/%d", name, k, classes), func(t *testing.T) {
					s := &score.Bound{Kernel: k, Learner: score.Bounded{Learner: l, Bound: svm.RadiusMargin},
						Problem: blobs(40, 30, 4, classes, 3)}
					theta := s.Space().Defaults()
					theta[len(theta)-1] = 0.7
					ctx := context.Background()
					v, err := s.Eval(ctx, theta, param.WithGradient)
					if err != nil {
						t.Fatal(err)
					}
					var largest float64
					for _, d := range v.Grad {
						if !math.IsNaN(d) {
							largest = max(largest, math.Abs(d))
						}
					}
					for i, d := range s.Space() {
						if d.Fixed || math.IsNaN(v.Grad[i]) || slices.Contains(s.Space().FreeDiscrete(), i) {
							continue
						}
						h := 1e-4 * theta[i]
						at := func(x float64) float64 {
							moved := append([]float64(nil), theta...)
							moved[i] += x
							w, err := s.Eval(ctx, moved, param.ValueOnly)
							if err != nil {
								t.Fatal(err)
							}
							return w.F
						}
						if want := (at(h) - at(-h)) / (2 * h); math.Abs(v.Grad[i]-want) > 2e-5*(largest+math.Abs(want)) {
							t.Errorf("%s: gradient %.8g, differences %.8g", d.Name, v.Grad[i], want)
						}
					}
				})
			}
		}
	}
}

// A bound of a learner is that of its machine: above the error of rows left out, or
// near it, with left-out outputs where the bound has margins.
func TestBounded(t *testing.T) {
	ctx := context.Background()
	for name, l := range boundedLearners() {
		for _, p := range []*learn.Problem{blobs(40, 30, 4, 2, 3), blobs(40, 30, 4, 3, 3).OneVersusOne()} {
			g, err := kernel.Gaussian{Sigma: 2}.Bind(ctx, p.Rows, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range svm.Bounds() {
				tr, err := score.Bounded{Learner: l, Bound: b}.Bind(ctx, g, p)
				if err != nil {
					t.Fatal(err)
				}
				v, out, m, err := tr.(score.Bounder).Bound(ctx, []float64{1}, nil)
				if b == svm.JaakkolaHaussler && err != nil && strings.Contains(err.Error(), "offset") {
					continue
				}
				if err != nil || m == nil {
					t.Fatal(name, b, err)
				}
				left, _, err := score.LeftOut(ctx, g, tr, p, nil, []float64{1}, nil)
				if err != nil {
					t.Fatal(err)
				}
				wrong, rows, differ := 0.0, 0.0, 0.0
				for i := range p.Labelled {
					for j := range p.Outputs() {
						y := p.Y.At(i, j)
						if y == 0 {
							if out != nil && math.Abs(out.At(i, j)-left.At(i, j)) > 1e-5 {
								t.Errorf("%s %v: output %g of a row without a part; %g", name, b, out.At(i, j), left.At(i, j))
							}
							continue
						}
						rows++
						if !(y*left.At(i, j) > 0) {
							wrong++
						}
						if out != nil {
							differ += math.Abs(out.At(i, j) - left.At(i, j))
						}
					}
				}
				if (out == nil) != (b == svm.SupportVectors || b == svm.RadiusMargin) {
					t.Errorf("%s %v: left-out outputs %v", name, b, out != nil)
				}
				switch {
				case b != svm.Span && v < wrong/rows:
					t.Errorf("%s: %v %g, leave-one-out error %g", name, b, v, wrong/rows)
				case b == svm.Span && (math.Abs(v-wrong/rows) > 0.05 || differ/rows > 0.1):
					t.Errorf("%s: %v %g, leave-one-out error %g; outputs off by %g", name, b, v, wrong/rows, differ/rows)
				}
			}
		}
	}
}

func TestBoundFaults(t *testing.T) {
	ctx := context.Background()
	p := blobs(20, 15, 2, 2, 1)
	g, err := kernel.Linear{}.Bind(ctx, p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, l := range map[string]learn.Learner{
		"nu-SVC":       svm.Classifier{Nu: 0.5},
		"logistic":     smooth.Learner{Loss: learn.Logistic()},
		"svm.Detector": svm.Detector{},
	} {
		if _, err := (score.Bounded{Learner: l, Bound: svm.Span}).Bind(ctx, g, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	s := &score.Bound{Kernel: kernel.Gaussian{Sigma: 1}, Learner: score.Bounded{Learner: svm.Classifier{}, Bound: svm.Span}, Problem: p}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Eval(gone, s.Space().Defaults(), param.WithGradient); err == nil {
		t.Error("no context heeded")
	}
}

// undifferentiable is a kernel that has no derivative along a diagonal.
type undifferentiable struct{ kernel.Gaussian }

func (k undifferentiable) With(theta []float64) (kernel.Kernel, error) {
	g, err := k.Gaussian.With(theta)
	if err != nil {
		return nil, err
	}
	return undifferentiable{g.(kernel.Gaussian)}, nil
}

func (k undifferentiable) Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (kernel.Gram, error) {
	g, err := k.Gaussian.Bind(ctx, rows, w)
	return undifferentiableGram{g}, err
}

type undifferentiableGram struct{ kernel.Gram }

var errDiagonal = errors.New("no derivative along a diagonal")

func (g undifferentiableGram) Pull(grad []float64, bar kernel.Cotangent) error {
	if bar.D != nil {
		return errDiagonal
	}
	return g.Gram.Pull(grad, bar)
}

// A bound whose derivative fails says so.
func TestBoundPullFails(t *testing.T) {
	p := blobs(20, 15, 2, 2, 1)
	s := &score.Bound{Kernel: undifferentiable{kernel.Gaussian{Sigma: 1}},
		Learner: score.Bounded{Learner: smooth.Learner{Loss: learn.SquaredHinge(), Tolerance: 1e-12}, Bound: svm.RadiusMargin}, Problem: p}
	if _, err := s.Eval(t.Context(), s.Space().Defaults(), param.WithGradient); !errors.Is(err, errDiagonal) {
		t.Errorf("the error is %v", err)
	}
}
