package rls_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/learn/rls"
	"gonum.org/v1/gonum/mat"
)

// Training without a fold is what the inverse of the whole matrix says, with weights of rows too, and where the
// kernel is indefinite and there is no Cholesky factorisation.
func TestFoldsEqualTheInverse(t *testing.T) {
	ctx := context.Background()
	k, y := instance(40, 3, 5)
	weight := make([]float64, 40)
	for i := range weight {
		weight[i] = 0.3 + float64(i%7)
	}
	parts := [][]int{{0, 7, 12, 39}, {1, 2, 3}, {20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}}
	for name, k := range map[string]*mat.Dense{"definite": k, "indefinite": nudged(k, 5, 5, -30)} {
		for _, weight := range [][]float64{nil, weight} {
			for _, offset := range []bool{false, true} {
				folds := rls.Folds{K: k, Y: y, Weight: weight, Offset: offset, Out: parts}
				for _, lambda := range []float64{3, 0.05} {
					path, err := rls.NewPath(ctx, k, y, weight, offset)
					if err != nil {
						t.Fatal(name, err)
					}
					f, err := path.At(lambda)
					if err != nil {
						t.Fatal(name, err)
					}
					want, err := f.LeaveOut(ctx, parts)
					if err != nil {
						t.Fatal(name, err)
					}
					got, err := folds.LeaveOut(ctx, lambda)
					if err != nil {
						t.Fatal(name, err)
					}
					for _, part := range parts {
						for _, i := range part {
							for j := range 3 {
								near(t, fmt.Sprint(name, weight != nil, offset, lambda, i, j), got.At(i, j), want.At(i, j), 1e-9)
							}
						}
					}
				}
			}
		}
	}
}
