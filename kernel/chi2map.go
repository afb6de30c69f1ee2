package kernel

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Chi2Map is an explicit feature map of the additive chi-square kernel: rows of d
// features that are not negative become rows of d (2n+1), whose inner products
// approximate AddChi2. For one feature x > 0, n harmonics and the step L,
//
//	phi(x) = sqrt(x L), and for j = 1..n
//	         sqrt(2 x L sech(pi j L)) cos(j L log x),  the same with sin,
//
// and phi(0) = 0. It samples the kernel's spectrum sech(pi w) at the frequencies j L. The
// largest error of one feature's kernel on (0, 1]^2 is 0.057, 0.015, 0.013 for
// 1, 2, 3 harmonics at the default steps; the kernel is homogeneous, so is the error.
//
// Map is for machines in feature space: with the linear kernel a machine costs O(n d)
// in place of O(n^2 d). As a Kernel it is <phi(x), phi(z)>, without parameters; its
// JSON and specification carry Harmonics and Step. Negative features are an error.
// Source: Vedaldi and Zisserman, Efficient additive kernels via explicit feature maps
// (2012); Klatzer 2014, chapter 6. scikit-learn's AdditiveChi2Sampler(sample_steps = n+1)
// has the same features, by harmonic instead of by column.
type Chi2Map struct {
	Harmonics int     `json:"harmonics,omitempty"` // n; 0 means 1
	Step      float64 `json:"step,omitempty"`      // L; 0 means 0.8, 0.5, 0.4, 0.4, 0.4 for n = 1 to 5 and 0.35 beyond
}

var chi2MapKind = kindOf(param.Words{
	ID: "chi2-map", Title: "additive chi-square by an explicit map",
	Formula: "<phi(x), phi(z)>, for each feature x > 0: sqrt(x L), and for j = 1..n\n" +
		"sqrt(2 x L sech(pi j L)) times cos(j L log x) and sin(j L log x)",
	About: "approximates add-chi2 to 0.057, 0.015, 0.013 on (0, 1] for n = 1, 2, 3; in the library Map makes rows for linear machines",
	Parameters: []param.Meaning{
		meaning("harmonics", "1 to 64", "1", "n, in the specification: chi2-map(harmonics=2)"),
		meaning("step", "> 0", "0.8, 0.5, 0.4 for n = 1, 2, 3", "L, in the specification"),
	},
	Source:  "Vedaldi & Zisserman 2012; " + cite.Klatzer + ", chapter 6",
	SciKit:  "kernel_approximation.AdditiveChi2Sampler(sample_steps = n+1) before a linear machine",
	Example: "mercer fit digits --kernel 'chi2-map(harmonics=2)' --scale none --labels 40",
}, func(k *Chi2Map) []field {
	return []field{{name: "harmonics", value: &k.Harmonics, spelled: true}, {name: "step", value: &k.Step, spelled: true}}
})

// maxHarmonics is more than double precision can use: sech(pi j L) is below 1e-16 for
// j L > 12.
const maxHarmonics = 64

// Features is the number 2n+1 of features that one column becomes.
func (k Chi2Map) Features() int { return 2*k.harmonics() + 1 }

func (k Chi2Map) harmonics() int { return max(1, k.Harmonics) }

// step defaults: for up to three harmonics the source's, also scikit-learn's; beyond, of
// the multiples of 0.05 one that leaves an error near the least, 0.0029, 0.0017 and 0.0008
// for 4, 5 and 6 harmonics (TestChi2MapErrors).
func (k Chi2Map) step() float64 {
	if k.Step != 0 {
		return k.Step
	}
	return [...]float64{0.8, 0.5, 0.4, 0.4, 0.4, 0.35}[min(k.harmonics(), 6)-1]
}

// Spacing is the step L between frequencies: Step, or its default.
func (k Chi2Map) Spacing() float64 { return k.step() }

// Map returns the mapped rows, column k at columns k(2n+1) and on; dense or sparse as
// the rows are. Cost: one logarithm, one sine and cosine and one root a feature.
func (k Chi2Map) Map(rows data.Rows) (data.Rows, error) {
	if err := k.check(bound); err != nil {
		return data.Rows{}, fmt.Errorf("kernel: %w", err)
	}
	if _, err := checkHistograms("chi2-map", rows); err != nil {
		return data.Rows{}, err
	}
	w := k.Features()
	amplitude := make([]float64, k.harmonics()+1)
	step := k.step()
	amplitude[0] = math.Sqrt(step)
	for j := 1; j < len(amplitude); j++ {
		amplitude[j] = math.Sqrt(2 * step / math.Cosh(math.Pi*float64(j)*step))
	}
	if a := rows.Sparse; a != nil {
		if a.C > math.MaxInt32/w {
			return data.Rows{}, fmt.Errorf(
				"kernel: chi2-map: %d columns become %d times as many, more than %d; choose fewer harmonics",
				a.C,
				w,
				math.MaxInt32,
			)
		}
		b := &data.CSR{
			R:     a.R,
			C:     a.C * w,
			Start: make([]int, a.R+1),
			Index: make([]int32, len(a.Index)*w),
			Value: make([]float64, len(a.Value)*w),
		}
		for i, s := range a.Start {
			b.Start[i] = s * w
		}
		parallel.Pieces(len(a.Index), 1024, func(lo, hi int) {
			for q := lo; q < hi; q++ {
				for c := range w {
					b.Index[q*w+c] = a.Index[q]*int32(w) + int32(c)
				}
				chiFeature(b.Value[q*w:(q+1)*w], a.Value[q], step, amplitude)
			}
		})
		return data.Rows{Sparse: b, ID: rows.ID}, nil
	}
	n, d := rows.Dense.Dims()
	b := mat.NewDense(n, d*w, nil)
	parallel.Pieces(n, chunk, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := row(b, i)
			for c, v := range row(rows.Dense, i) {
				chiFeature(to[c*w:(c+1)*w], v, step, amplitude)
			}
		}
	})
	return data.Rows{Dense: b, ID: rows.ID}, nil
}

// chiFeature stores phi(x) in to. Harmonics by the addition theorems, an error of a unit
// of rounding each.
func chiFeature(to []float64, x, step float64, amplitude []float64) {
	if x == 0 {
		clear(to)
		return
	}
	root := math.Sqrt(x)
	to[0] = root * amplitude[0]
	s1, c1 := math.Sincos(step * math.Log(x))
	s, c := s1, c1
	for j := 1; j < len(amplitude); j++ {
		to[2*j-1], to[2*j] = root*amplitude[j]*c, root*amplitude[j]*s
		s, c = s*c1+c*s1, c*c1-s*s1
	}
}

// Space is empty.
func (k Chi2Map) Space() param.Space { return nil }

// With returns the kernel itself; theta must be empty.
func (k Chi2Map) With(theta []float64) (Kernel, error) {
	checkTheta(k, theta)
	return k, nil
}

// Adapt returns the kernel itself.
func (k Chi2Map) Adapt(data.Rows) Kernel { return k }

// Bind maps the rows: O(nd) time and 2n+1 times their memory.
func (k Chi2Map) Bind(ctx context.Context, train data.Rows, w *Work) (Gram, error) {
	return bindMapped(ctx, k, train, w.Scope(fmt.Sprintf("chi2-map %d %g: ", k.harmonics(), k.step())))
}

func (k Chi2Map) check(stage) error {
	if k.Harmonics < 0 || k.Harmonics > maxHarmonics {
		return fmt.Errorf("chi2-map: harmonics is %d; it must be from 1 to %d", k.Harmonics, maxHarmonics)
	}
	return positive("chi2-map", "step", k.Step, described)
}

func (k Chi2Map) unnumbered() {}
