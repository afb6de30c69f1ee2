package kernel_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// broken is a kernel that binds, or does not, and then fails at all that can.
type broken struct {
	kernel.Gaussian
	early bool
}

var errBroken = errors.New("broken")

func (k broken) Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (kernel.Gram, error) {
	if k.early {
		return nil, errBroken
	}
	g, err := k.Gaussian.Bind(ctx, rows, w)
	return brokenGram{g}, err
}

func (k broken) With([]float64) (kernel.Kernel, error) { return nil, errBroken }

type brokenGram struct{ kernel.Gram }

func (brokenGram) Cross(*mat.Dense, data.Rows, []int) error             { return errBroken }
func (brokenGram) Pull([]float64, kernel.Cotangent) error               { return errBroken }
func (brokenGram) Expand(*mat.Dense, []int) ([]kernel.Expansion, error) { return nil, errBroken }

// A kernel made of others hands on what one of them fails at, whichever it is.
func TestPartsThatFail(t *testing.T) {
	rows := cloud(12, 3, 3)
	good := kernel.Gaussian{Sigma: 2}
	for _, early := range []bool{true, false} {
		bad := broken{kernel.Gaussian{Sigma: 1}, early}
		for name, k := range map[string]kernel.Kernel{
			"sum, first": kernel.Sum{Terms: []kernel.Kernel{bad, good}}, "sum, last": kernel.Sum{Terms: []kernel.Kernel{good, good, bad}},
			"product, first": kernel.Product{Terms: []kernel.Kernel{bad, good}},
			"product, last":  kernel.Product{Terms: []kernel.Kernel{good, good, bad}},
			"scaled":         kernel.Scaled{Weight: 2, Base: bad}, "normalised": kernel.Normalised{Base: bad},
			"columns": kernel.Columns{Base: bad, Columns: []int{0, 2}},
			"inside": kernel.Scaled{Weight: 1, Base: kernel.Sum{Terms: []kernel.Kernel{good,
				kernel.Columns{Base: bad, Columns: []int{1}}}}},
		} {
			if _, err := k.With(k.Space().Defaults()); !errors.Is(err, errBroken) {
				t.Errorf("%s: With says %v", name, err)
			}
			g, err := k.Bind(t.Context(), rows, nil)
			if early {
				if !errors.Is(err, errBroken) {
					t.Errorf("%s: Bind says %v", name, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Cross(mat.NewDense(4, 12, nil), cloud(4, 3, 4), nil); err == nil ||
				name != "normalised" && !errors.Is(err, errBroken) {
				t.Errorf("%s: Cross says %v", name, err)
			}
			if err := kernel.NewSingle(g).Cross(make([]float32, 48), cloud(4, 3, 4), nil); err == nil ||
				name != "normalised" && !errors.Is(err, errBroken) {
				t.Errorf("%s: Cross in single precision says %v", name, err)
			}
			bar := kernel.Cotangent{D: mat.NewDense(12, 12, nil)}
			if err := g.Pull(make([]float64, len(k.Space())), bar); !errors.Is(err, errBroken) {
				t.Errorf("%s: Pull says %v", name, err)
			}
			if _, err := g.Expand(mat.NewDense(12, 1, nil), nil); err == nil {
				t.Errorf("%s: Expand says nothing", name)
			}
		}
	}
}

// The parameters of all kernels, with defaults taken from rows, are what they were: names, kinds, ranges; so are the
// landmarks that are chosen and the shares of features.
func TestWay(t *testing.T) {
	var path pathtest.Path
	few, many := cloud(30, 5, 8), cloud(1300, 5, 9)
	free := []kernel.Kernel{
		kernel.Gaussian{},
		kernel.ARDGaussian{},
		kernel.Laplacian{},
		kernel.ARDLinear{},
		kernel.Polynomial{},
		kernel.Sigmoid{},
		kernel.Linear{},
		kernel.Scaled{Base: kernel.Gaussian{}},
		kernel.Constant{},
	}
	for _, rows := range []data.Rows{few, many} {
		for _, k := range free {
			k = k.Adapt(rows)
			for _, d := range k.Space() {
				path.Add(fmt.Sprintf("%T of %d rows, %s", k, rows.Len(), d.Name), d.Kind, d.Lo, d.Hi, d.Default, d.Fixed, d.Group)
			}
		}
	}
	for _, k := range kernels() {
		for _, d := range k.Space() {
			path.Add(fmt.Sprintf("%T, %s", k, d.Name), d.Kind, d.Lo, d.Hi, d.Default, d.Fixed, d.Group)
		}
		if shares, err := kernel.Relevances(t.Context(), k, few, strings.Fields("a b c d e")); err == nil {
			for _, r := range shares {
				path.Add(fmt.Sprintf("%T, share of %s", k, r.Name), r.Share, fmt.Sprint(r.Columns))
			}
		}
	}
	g := bind(t, kernel.Gaussian{Sigma: 2}, many, nil)
	for _, c := range []kernel.LandmarkChoice{kernel.PlusPlus, kernel.Pivoted, kernel.Uniform} {
		for _, seed := range []uint64{0, 7} {
			path.Add(
				fmt.Sprintf("landmarks %v, seed %d", c, seed),
				fmt.Sprint(choose(t, kernel.Landmarks{Count: 12, Choice: c, Seed: seed}, g, []int{1000, 3})),
			)
		}
	}
	for _, seed := range []uint64{0, 7} {
		c, err := kernel.Centres(t.Context(), many, 6, seed)
		if err != nil {
			t.Fatal(err)
		}
		path.Add(fmt.Sprintf("centres, seed %d", seed), mat.Col(nil, 0, c), mat.Col(nil, 4, c))
	}
	path.Compare(t, "kernels")
}

// stumbling is a kernel that fails at one of the calls to it and to what it is bound to, and at no other.
type stumbling struct {
	kernel.Gaussian
	left *int
}

func (k stumbling) fails() bool { *k.left--; return *k.left == -1 }

func (k stumbling) Bind(ctx context.Context, rows data.Rows, w *kernel.Work) (kernel.Gram, error) {
	if k.fails() {
		return nil, errBroken
	}
	g, err := k.Gaussian.Bind(ctx, rows, w)
	return stumblingGram{g, k}, err
}

type stumblingGram struct {
	kernel.Gram
	k stumbling
}

func (g stumblingGram) Cross(dst *mat.Dense, x data.Rows, j []int) error {
	if g.k.fails() {
		return errBroken
	}
	return g.Gram.Cross(dst, x, j)
}

func (g stumblingGram) Pull(grad []float64, bar kernel.Cotangent) error {
	if g.k.fails() {
		return errBroken
	}
	return g.Gram.Pull(grad, bar)
}

// What a part fails at once, at whichever of its calls, is not lost though every call after it succeeds.
func TestPartThatFailsOnce(t *testing.T) {
	rows, fresh, left := cloud(12, 3, 3), cloud(4, 3, 4), 0
	part, good := stumbling{kernel.Gaussian{Sigma: 1}, &left}, kernel.Gaussian{Sigma: 2}
	a := []float64{1, -2, 0.5, 3, 1, 1, -1, 2, 0.1, 1, 4, -3}
	for name, k := range map[string]kernel.Kernel{
		"low rank": kernel.LowRank{Base: part, Centres: cloud(5, 3, 5)}, "scaled": kernel.Scaled{Weight: 2, Base: part},
		"sum":     kernel.Sum{Terms: []kernel.Kernel{part, good, part}},
		"product": kernel.Product{Terms: []kernel.Kernel{part, good, part}},
		"columns": kernel.Columns{Base: part, Columns: []int{0, 2}}, "normalised": kernel.Normalised{Base: part},
	} {
		whole := func() error {
			g, err := k.Bind(t.Context(), rows, nil)
			if err != nil {
				return err
			}
			if name != "normalised" { // for which new rows of a kernel of another package have no length
				if err := g.Cross(mat.NewDense(4, 12, nil), fresh, nil); err != nil {
					return err
				}
				if err := kernel.NewSingle(g).Cross(make([]float32, 48), fresh, nil); err != nil {
					return err
				}
			}
			if err := g.Pull(make([]float64, len(k.Space())), kernel.Cotangent{D: mat.NewDense(12, 12, nil)}); err != nil {
				return err
			}
			err = kernel.Slope(t.Context(), make([]float64, 3), k, fresh.Select([]int{0}), rows, a)
			if none := kernel.NoSlope(""); errors.As(err, &none) {
				return nil // all that is asked for a slope was computed
			}
			return err
		}
		if left = math.MaxInt; whole() != nil {
			t.Fatalf("%s: it fails by itself", name)
		}
		for n := range math.MaxInt - left {
			if left = n; !errors.Is(whole(), errBroken) {
				t.Errorf("%s: failing at call %d alone says nothing", name, n+1)
			}
		}
	}
}
