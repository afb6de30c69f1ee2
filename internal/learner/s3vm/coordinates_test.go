package s3vm

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
)

// Z Z' is K, and a function is the same by its weights and by its coefficients, for new rows too.
func TestCoordinatesAreTheKernelForm(t *testing.T) {
	x, fresh := random(1, 30, 4), data.Rows{Dense: random(2, 5, 4)}
	for name, c := range map[string]struct {
		k    kernel.Kernel
		rows data.Rows
		p    int
	}{
		"gaussian": {kernel.Gaussian{Sigma: 2}, data.Rows{Dense: x}, 30},
		"linear":   {kernel.Linear{}, data.Rows{Dense: x}, 4},
		"sparse":   {kernel.Linear{}, data.Rows{Sparse: data.CSRFromDense(x)}, 4},
		"doubled":  {kernel.Linear{}, data.Rows{Dense: besideItself(x)}, 4}, // eight columns, four of them new
	} {
		g, k := tableOf(t, c.k, c.rows)
		for _, gram := range []kernel.Gram{g, nil} {
			co, err := NewCoordinates(t.Context(), gram, k)
			if err != nil {
				t.Fatal(err)
			}
			if _, p := co.Z.Dims(); p != c.p {
				t.Errorf("%s: %d coordinates, want %d", name, p, c.p)
			}
			var back mat.Dense
			back.Mul(co.Z, co.Z.T())
			if !mat.EqualApprox(&back, k, 1e-8*mat.Max(k)) {
				t.Errorf("%s (bound %v): Z Z' is not K", name, gram != nil)
			}
			w := random(3, c.p, 1).RawMatrix().Data
			alpha := co.Alpha(w)
			var byAlpha, byWeights mat.VecDense
			byAlpha.MulVec(k, mat.NewVecDense(30, alpha))
			byWeights.MulVec(co.Z, mat.NewVecDense(c.p, w))
			if !mat.EqualApprox(&byAlpha, &byWeights, 1e-6) {
				t.Errorf("%s: K alpha is not Z w", name)
			}
			for j, v := range co.Weights(alpha) {
				if math.Abs(v-w[j]) > 1e-8 {
					t.Errorf("%s: weight %d is %g, was %g", name, j, v, w[j])
				}
			}
			if name != "linear" {
				continue
			}
			// alpha is X beta for some beta: at new rows x'X'alpha is linear in x with the same weights.
			cross := mat.NewDense(5, 30, nil)
			if err := g.Cross(cross, fresh, nil); err != nil {
				t.Fatal(err)
			}
			var beta, want, got mat.VecDense
			beta.MulVec(x.T(), mat.NewVecDense(30, alpha))
			want.MulVec(fresh.Dense, &beta)
			got.MulVec(cross, mat.NewVecDense(30, alpha))
			if !mat.EqualApprox(&got, &want, 1e-10) || math.Abs(mat.Norm(&beta, 2)-mat.Norm(mat.NewVecDense(4, w), 2)) > 1e-9 {
				t.Errorf("new rows: %v, want %v", got, want)
			}
		}
	}
}

func besideItself(x *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Augment(x, x)
	return &out
}

// The negative part of an indefinite table is left out, and said.
func TestCoordinatesOfAnIndefiniteTable(t *testing.T) {
	k := mat.NewDense(3, 3, []float64{1, 0, 0, 0, -0.5, 0, 0, 0, 2})
	c, err := NewCoordinates(t.Context(), nil, k)
	if err != nil {
		t.Fatal(err)
	}
	if _, p := c.Z.Dims(); p != 2 || c.Least != -0.5 {
		t.Errorf("%d coordinates, least eigenvalue %g", p, c.Least)
	}
	if k.At(1, 1) != -0.5 {
		t.Error("the table was changed")
	}
	if _, err := NewCoordinates(t.Context(), nil, mat.NewDense(2, 2, []float64{-1, 0, 0, -1})); err == nil {
		t.Error("no error of a negative definite table")
	}
}

// Prepared coordinates serve the problems on their table, and no others.
func TestPreparedCoordinates(t *testing.T) {
	p, whole := small(t, true), clouds(14, 5, 2, true)
	whole.K = p.K
	ready, err := Gradient{}.Prepare(t.Context(), nil, p.K)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []*Problem{p, whole} {
		a, err := Gradient{}.Solve(t.Context(), q, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ready.Solve(t.Context(), q, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range a.Fitted {
			if math.Abs(v-b.Fitted[i]) > 1e-5 {
				t.Errorf("row %d of %d: %g, prepared %g", i, len(q.Rows), v, b.Fitted[i])
			}
		}
	}
}

func TestCoordinatesStoppedAnywhere(t *testing.T) {
	for _, k := range []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Linear{}} {
		g, table := tableOf(t, k, data.Rows{Dense: random(1, 20, 3)})
		stoptest.Everywhere(t, func(ctx context.Context) error {
			_, err := NewCoordinates(ctx, g, table)
			return err
		})
	}
}
