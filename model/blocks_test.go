package model

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// pairwise are coefficients of one-versus-one: each centre has some of the outputs of its class.
func pairwise(n, classes int, share float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(3, 4))
	coding := learn.Coding{Classes: classes, Pairs: true}
	coef := mat.NewDense(n, coding.Outputs(), nil)
	for i := range n {
		coding.EachPair(func(o, a, b int) {
			if k := i % classes; (k == a || k == b) && rng.Float64() < share {
				coef.Set(i, o, rng.NormFloat64())
			}
		})
	}
	return coef
}

// TestBlocks: an expansion with coefficients in blocks is the sum that it says it is, in panels of all centres and of some, and
// so are the weights of its centres.
func TestBlocks(t *testing.T) {
	const n = 300
	z, x := drawn(n, 4), drawn(40, 4)
	for _, c := range []struct {
		coef *mat.Dense
		most int // blocks; 0: none
	}{
		{pairwise(n, 10, 0.5), n / 8}, {pairwise(n, 10, 1), 10}, {pairwise(n, 5, 0.7), n / 8},
		{pairwise(n, 70, 0.02), 0}, {drawn(n, 10), 0},
		{mat.NewDense(n, 4, nil), 0}, {drawn(n, 1), 0},
	} {
		_, outputs := c.coef.Dims()
		e := Expansion{Kernel: kernel.Gaussian{Sigma: 2}, Centres: data.Rows{Dense: z}, Coef: c.coef}
		e, err := e.bind(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := len(e.bound.blocks); (got > 0) != (c.most > 0) || got > c.most {
			t.Errorf("%d outputs: %d blocks, at most %d", outputs, got, c.most)
		}
		g, err := e.Kernel.Bind(t.Context(), e.Centres, nil)
		if err != nil {
			t.Fatal(err)
		}
		k, want := mat.NewDense(40, n, nil), mat.NewDense(40, outputs, nil)
		if err := g.Cross(k, data.Rows{Dense: x}, nil); err != nil {
			t.Fatal(err)
		}
		want.Mul(k, c.coef)
		got := mat.NewDense(40, outputs, nil)
		if err := e.add(t.Context(), got, data.Rows{Dense: x}); err != nil || !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%d outputs: %v\n%v\nwant %v", outputs, err, mat.Formatted(got), mat.Formatted(want))
		}
		w, err := e.Weights(t.Context(), data.Rows{Dense: x})
		if err != nil || !mat.EqualApprox(w, k, 1e-12) {
			t.Errorf("%d outputs: the weights of centres are not their kernel values: %v", outputs, err)
		}
		got.Zero()
		if err := e.bound.gram.Cross(k, data.Rows{Dense: x}, nil); err != nil {
			t.Fatal(err)
		}
		for lo := 0; lo < n; lo += 37 {
			hi := min(lo+37, n)
			e.bound.addProduct(got, k.Slice(0, 40, lo, hi).(*mat.Dense), lo, hi)
		}
		if !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%d outputs: panels of centres give\n%v\nwant %v", outputs, mat.Formatted(got), mat.Formatted(want))
		}
	}
}

// TestBlocksOneBlockAClass: of one-versus-one with all coefficients there is a block for each class.
func TestBlocksOneBlockAClass(t *testing.T) {
	order, blocks := blocksOf(pairwise(300, 10, 1))
	if len(blocks) != 10 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for _, b := range blocks {
		if b.hi-b.lo != 30 || len(b.outputs) != 9 {
			t.Errorf("centres %d to %d, outputs %v", b.lo, b.hi-1, b.outputs)
		}
		for _, i := range order[b.lo:b.hi] {
			if i%10 != order[b.lo]%10 {
				t.Errorf("centres %d and %d are of two classes", i, order[b.lo])
			}
		}
	}
}

// TestBlocksOfFewOutputs: centres of one output each share a block that is no larger than that of the others, and none is made of fewer
// centres than eight in the mean.
func TestBlocksOfFewOutputs(t *testing.T) {
	coef := func(sizes ...int) *mat.Dense { // of outputs 0 and 1 together, then of 2, 3, ... alone; no output of the last
		var rows [][]int
		for g, n := range sizes {
			for range n {
				rows = append(rows, [][]int{{0, 1}, {2}, {3}, {4}, nil}[g])
			}
		}
		m := mat.NewDense(len(rows), 6, nil)
		for i, list := range rows {
			for _, o := range list {
				m.Set(i, o, float64(i+1))
			}
		}
		return m
	}
	order, blocks := blocksOf(coef(8, 5, 4))
	if len(blocks) != 2 || len(order) != 17 || len(blocks[0].outputs) != 2 || blocks[1].outputs[0] != 2 || blocks[1].outputs[1] != 3 ||
		blocks[1].lo != 8 || blocks[1].hi != 17 || blocks[1].coef.At(0, 0) != 9 || blocks[1].coef.At(8, 1) != 17 {
		t.Errorf("%v, %+v", order, blocks)
	}
	if _, blocks := blocksOf(coef(8, 4, 3)); blocks != nil {
		t.Errorf("%d blocks of fifteen centres", len(blocks))
	}
	if _, blocks := blocksOf(coef(8, 5, 4, 6)); blocks != nil {
		t.Errorf("%d blocks of 23 centres", len(blocks))
	}
	if _, blocks := blocksOf(coef(8, 5, 4, 7)); len(blocks) != 3 {
		t.Errorf("%d blocks of 24 centres", len(blocks))
	}
	if order, blocks := blocksOf(coef(8, 5, 4, 0, 6)); len(blocks) != 2 || blocks[0].hi != 14 || order[13] != 22 {
		t.Errorf("with centres of no output: %v, %+v", order, blocks)
	}
	half := mat.NewDense(16, 4, nil)
	for i := range 16 {
		half.Set(i, i%2*2, 1)
		half.Set(i, i%2*2+1, 1)
	}
	if _, blocks := blocksOf(half); len(blocks) != 2 {
		t.Errorf("%d blocks where each centre has half of the outputs", len(blocks))
	}
	half.Set(3, 0, 1)
	if _, blocks := blocksOf(half); blocks != nil {
		t.Errorf("%d blocks where one has more", len(blocks))
	}
}
