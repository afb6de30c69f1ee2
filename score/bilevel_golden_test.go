package score_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// fixture is eight training rows and five of validation, with its folds.
func fixture() (*learn.Problem, [][]int) {
	x := []float64{.2, .7, .9, .4, .5, .1, .3, .9, .8, .8, .1, .3, .6, .5, .7, .2, .4, .6, .7, .3, .2, .2, .9, .9, .55, .45}
	class := []int{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0}
	p := &learn.Problem{Rows: data.Rows{Dense: mat.NewDense(13, 2, x)}, Task: data.Classification, Classes: []string{"-1", "1"},
		Coding: learn.Coding{Classes: 2}, Class: class, Labelled: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}
	p.Y = p.Coding.Code(class)
	return p, [][]int{{8, 9, 10, 11, 12}}
}

// TestBilevelGolden compares with values verified to an inner residual of 1e-12: H of
// mean squared error (half of Risk) and of the sum of squared hinges (five times it), with
// derivatives by c = 1/C, gamma = 1/(2 sigma^2) and weights.
func TestBilevelGolden(t *testing.T) {
	p, folds := fixture()
	width := func(gamma float64) float64 { return 1 / math.Sqrt(2*gamma) }
	two := func(i int, gamma, beta float64) kernel.Kernel {
		return kernel.Scaled{Weight: beta, Base: kernel.Columns{Base: kernel.Gaussian{Sigma: width(gamma)}, Columns: []int{i}}}
	}
	rbf := kernel.Gaussian{Sigma: width(2)}
	ard := kernel.ARDGaussian{Sigma: []float64{width(2), width(1)}}
	mkl := kernel.Sum{Terms: []kernel.Kernel{two(0, 2, .6), two(1, 1, .4)}}
	quartic, modlog := learn.Quartic(0.4), learn.ModLogistic(7.5)
	for _, c := range []struct {
		name   string
		k      kernel.Kernel
		v      learn.Loss
		offset smooth.Offset
		hm     []float64 // value, then derivatives: by c, by the kernel's parameters in order (gamma for sigma)
		hs     []float64
	}{
		{"linear quartic", kernel.Linear{}, quartic, smooth.Free, []float64{.107435407373, .0583355464644},
			[]float64{.972781556154, 3.68426819402}},
		{"linear modlog", kernel.Linear{}, modlog, smooth.Free, []float64{.108571098837, .0558562002679},
			[]float64{.983696114247, 3.36507197145}},
		{"rbf quartic", rbf, quartic, smooth.None, []float64{.122297356011, -.793808037947, .060879075637},
			[]float64{.887360044577, -2.925850734008, .294212167897}},
		{"rbf modlog", rbf, modlog, smooth.None, []float64{.117344039803, -.850690998558, .066446244387},
			[]float64{.846256825955, -3.261459715997, .329717663947}},
		{"ard quartic", ard, quartic, smooth.None, []float64{.0890575468705, .111649420826, .010487800131, -.040648601105},
			[]float64{.815970608157, 2.361617640992, .081658808949, -.5309978761}},
		{"ard modlog", ard, modlog, smooth.None, []float64{.0891695728575, .127045781237, .010515701486, -.038893331411},
			[]float64{.808566755859, 2.604221985084, .085790721202, -.518653715493}},
		// The parameters of the sum are weight, sigma, weight, sigma.
		{"mkl quartic", mkl, quartic, smooth.None, []float64{.103219441955, .305068714579, .000661853426, .000937631225, -.077259958784,
			-.040528009001},
			[]float64{1.02912381801, 3.334058613772, .012358698753, .010864211675, -.852052701572, -.435915229608}},
		{"mkl modlog", mkl, modlog, smooth.None, []float64{.103261321711, .285606251355, .000473465349, .000655748121, -.072111760862,
			-.038802962949},
			[]float64{1.02873713144, 3.24523013302, .012715153622, .008853493712, -.830380263687, -.42986286279}},
	} {
		for _, outer := range []struct {
			loss  learn.Loss
			scale float64
			want  []float64
		}{{learn.Square(), 0.5, c.hm}, {learn.SquaredHinge(), 5, c.hs}} {
			t.Run(c.name+"/"+outer.loss.Name(), func(t *testing.T) {
				s := &score.Refit{
					Kernel:    c.k,
					Learner:   smooth.Learner{Loss: c.v, Offset: c.offset, Tolerance: 1e-13},
					Problem:   p,
					Criterion: score.Risk{Loss: outer.loss},
					Folds:     folds,
				}
				space := s.Space()
				theta := space.Defaults()
				n := len(theta) - 1
				theta[n] = 10
				v, err := s.Eval(context.Background(), theta, param.WithGradient)
				if err != nil {
					t.Fatal(err)
				}
				got := []float64{outer.scale * v.F, -100 * outer.scale * v.Grad[n]}
				for k, g := range v.Grad[:n] {
					if strings.Contains(space[k].Name, "sigma") {
						g *= -math.Pow(theta[k], 3)
					}
					got = append(got, outer.scale*g)
				}
				for k, w := range outer.want {
					if math.Abs(got[k]-w) > 1e-9*max(1, math.Abs(w)) {
						t.Errorf("%d: %.12g, want %.12g", k, got[k], w)
					}
				}
			})
		}
	}
}

// TestSumRule checks that (c, weights) and (s c, s weights) are one machine: c dH/dc + sum
// weight dH/dweight = 0, or with C = 1/c, C dH/dC = sum weight dH/dweight.
func TestSumRule(t *testing.T) {
	p, folds := fixture()
	k := kernel.Sum{Terms: []kernel.Kernel{
		kernel.Scaled{Weight: 0.3, Base: kernel.Gaussian{Sigma: 0.4}},
		kernel.Scaled{Weight: 2, Base: kernel.Linear{}},
	}}
	s := &score.Refit{
		Kernel:    k,
		Learner:   smooth.Learner{Loss: learn.ModLogistic(0), Offset: smooth.Free, Tolerance: 1e-13},
		Problem:   p,
		Criterion: score.Risk{Loss: learn.Logistic()},
		Folds:     folds,
	}
	space := s.Space()
	theta := space.Defaults()
	v, err := s.Eval(context.Background(), theta, param.WithGradient)
	if err != nil {
		t.Fatal(err)
	}
	n := len(theta) - 1
	sum := -theta[n] * v.Grad[n]
	var size float64
	for i, d := range space[:n] {
		if strings.Contains(d.Name, "weight") {
			sum += theta[i] * v.Grad[i]
			size = max(size, math.Abs(theta[i]*v.Grad[i]))
		}
	}
	if math.Abs(sum) > 1e-10*size || size == 0 {
		t.Errorf("C dF/dC - sum weight dF/dweight = %g, terms %g", sum, size)
	}
}
