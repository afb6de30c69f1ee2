package moments_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/moments"
	"github.com/mercer-ml/mercer/learn/rls"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// drawn are n rows of d features far from zero and c targets that depend on them.
func drawn(seed uint64, n, d, c int) (x, y *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y = mat.NewDense(n, d, nil), mat.NewDense(n, c, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, 100+r.NormFloat64()*float64(1+j))
		}
		for k := range c {
			y.Set(i, k, 3+0.5*x.At(i, k%d)-0.2*x.At(i, d-1)+r.NormFloat64())
		}
	}
	return x, y
}

// inParts joins the sums of rows cut at random places.
func inParts(seed uint64, x, y *mat.Dense) *moments.Sums {
	r := rand.New(rand.NewPCG(seed, 2))
	n, d := x.Dims()
	_, c := y.Dims()
	s := new(moments.Sums)
	for lo := 0; lo < n; {
		hi := min(n, lo+1+r.IntN(40))
		s.Join(moments.New(x.Slice(lo, hi, 0, d).(*mat.Dense), y.Slice(lo, hi, 0, c).(*mat.Dense), nil, 0))
		lo = hi
	}
	return s
}

// away is the largest difference of two matrices, relative to the largest entry.
func away(a, b mat.Matrix) float64 {
	var diff mat.Dense
	diff.Sub(a, b)
	return mat.Max(absolute(&diff)) / math.Max(1e-300, mat.Max(absolute(b)))
}

func absolute(a mat.Matrix) *mat.Dense {
	var out mat.Dense
	out.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, a)
	return &out
}

// The machines of sums are those of the rows: weights, offsets, objective and outputs left out.
func TestSumPathIsColumns(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(6) {
		offset := seed%2 == 0
		x, y := drawn(seed, 200, 7, 1+int(seed%3))
		rows, err := rls.NewColumns(ctx, x, y, nil, offset)
		if err != nil {
			t.Fatal(err)
		}
		sums, err := inParts(seed, x, y).Path(offset)
		if err != nil {
			t.Fatal(err)
		}
		for _, lambda := range []float64{1e-3, 1, 100, 1e4} {
			want, err := rows.At(lambda)
			if err != nil {
				t.Fatal(err)
			}
			got, err := sums.At(lambda)
			if err != nil {
				t.Fatal(err)
			}
			w, b := want.Linear()
			if e := away(got.W, w); e > 1e-11 {
				t.Errorf("offset %t, lambda %g: weights differ by %.2g", offset, lambda, e)
			}
			if offset && math.Abs(got.B[0]-b[0]) > 1e-10*math.Abs(b[0]) {
				t.Errorf("lambda %g: offset %v, of the rows %v", lambda, got.B, b)
			}
			if e := math.Abs(got.Objective/want.Objective() - 1); e > 1e-8 {
				t.Errorf("offset %t, lambda %g: objectives differ by %.2g", offset, lambda, e)
			}
			if got.Residual > 1e-12 {
				t.Errorf("lambda %g: residual %.2g", lambda, got.Residual)
			}
			gcv, _, _, err := want.GCV(ctx, param.ValueOnly)
			if err != nil {
				t.Fatal(err)
			}
			if e := math.Abs(sums.GCV(got)/gcv - 1); e > 1e-8 {
				t.Errorf("offset %t, lambda %g: GCV differs by %.2g", offset, lambda, e)
			}
			left, err := want.LeaveOut(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			if e := away(sums.LeaveOut(x, y, []*moments.Fit{got})[0], left); e > 1e-9 {
				t.Errorf("offset %t, lambda %g: outputs left out differ by %.2g", offset, lambda, e)
			}
		}
	}
}

// Sums of scaled features and coded targets are those of the rows that were scaled and coded before.
func TestSumsScaledAndCoded(t *testing.T) {
	x, y := drawn(9, 90, 4, 2)
	shift, scale := []float64{100, 99, 0, 3}, []float64{1, 2, 3, 0.5}
	m := mat.NewDense(2, 3, []float64{1, -1, 2, 0, 1, 1})
	scaled, coded := mat.DenseCopyOf(x), new(mat.Dense)
	scaled.Apply(func(_, j int, v float64) float64 { return (v - shift[j]) / scale[j] }, x)
	coded.Mul(y, m)
	want := moments.New(scaled, coded, nil, 0)
	got := inParts(3, x, y).Scaled(shift, scale).Coded(m, want.YY)
	for name, pair := range map[string][2]mat.Matrix{
		"S": {got.S, want.S}, "P": {got.P, want.P},
		"X": {mat.NewVecDense(4, got.X), mat.NewVecDense(4, want.X)}, "Y": {mat.NewVecDense(3, got.Y), mat.NewVecDense(3, want.Y)},
	} {
		if e := away(pair[0], pair[1]); e > 1e-11 {
			t.Errorf("%s differs by %.2g", name, e)
		}
	}
	if e := math.Abs(got.MeanSquare()/want.MeanSquare() - 1); e > 1e-12 {
		t.Errorf("mean squares differ by %.2g", e)
	}
}

// Targets of classes are those of a matrix of zeros and ones, and moved targets keep their sums.
func TestSumsOfClasses(t *testing.T) {
	x, y := drawn(4, 50, 3, 1)
	class, ones := make([]int, 50), mat.NewDense(50, 4, nil)
	for i := range class {
		class[i] = i%4 - 1
		ones.Set(i, 0, y.At(i, 0))
		if class[i] >= 0 {
			ones.Set(i, 1+class[i], 1)
		}
	}
	got, want := moments.New(x, y, class, 3), moments.New(x, ones, nil, 0)
	if e := away(got.P, want.P); e > 1e-12 {
		t.Errorf("P differs by %.2g", e)
	}
	for j := range 4 {
		if math.Abs(got.Y[j]-want.Y[j]) > 1e-12 || math.Abs(got.YY[j]-want.YY[j]) > 1e-9*want.YY[j] {
			t.Errorf("target %d: %v %v, want %v %v", j, got.Y[j], got.YY[j], want.Y[j], want.YY[j])
		}
	}
	got.Retarget([]int{4, -1, 0, 2}, 5)
	if got.Y[4] != want.Y[0] || got.Y[0] != want.Y[2] || got.Y[1] != 0 || got.P.At(1, 3) != 0 ||
		math.Abs(got.P.At(2, 4)-want.P.At(2, 0)) > 1e-9 {
		t.Errorf("moved targets: %v", got.Y)
	}
}

// Features that some rows lack are zero in them, and sums go through gob unchanged.
func TestSumsWidenAndTravel(t *testing.T) {
	x, y := drawn(5, 60, 3, 1)
	for i := range 30 {
		x.Set(i, 2, 0)
	}
	whole := moments.New(x, y, nil, 0)
	s := moments.New(x.Slice(0, 30, 0, 2).(*mat.Dense), y.Slice(0, 30, 0, 1).(*mat.Dense), nil, 0)
	s.Join(moments.New(x.Slice(30, 60, 0, 3).(*mat.Dense), y.Slice(30, 60, 0, 1).(*mat.Dense), nil, 0))
	if e := away(s.S, whole.S); e > 1e-12 {
		t.Errorf("widened sums differ by %.2g", e)
	}
	var b bytes.Buffer
	var back moments.Sums
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&b).Decode(&back); err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(back.S, s.S) || !mat.Equal(back.P, s.P) || back.N != s.N || back.YY[0] != s.YY[0] {
		t.Error("sums are changed by encoding")
	}
}

// Rows that are all alike have no direction, one row has no offset, and one that is not finite is refused.
func TestSumPathRefuses(t *testing.T) {
	one, y := mat.NewDense(1, 2, []float64{1, 2}), mat.NewDense(1, 1, []float64{1})
	if _, err := moments.New(one, y, nil, 0).Path(true); err == nil {
		t.Error("one row determined an offset")
	}
	if _, err := new(moments.Sums).Path(false); err == nil {
		t.Error("no row made a path")
	}
	one.Set(0, 0, math.NaN())
	if _, err := moments.New(one, y, nil, 0).Path(false); err == nil {
		t.Error("a path of NaN")
	}
	alike := mat.NewDense(3, 2, []float64{1, 2, 1, 2, 1, 2})
	p, err := moments.New(alike, mat.NewDense(3, 1, []float64{1, 2, 3}), nil, 0).Path(true)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := p.At(1); err != nil || mat.Norm(f.W, 1) > 1e-12 || math.Abs(f.B[0]-2) > 1e-12 {
		t.Errorf("rows alike: %v, %v", f, err)
	}
}

// Machines of the sums of the other folds are those trained on the other rows: of the closed form of rows at hand, of fewer rows than
// columns and of rows in no fold too, and the sums of folds that are joined stay what they were.
func TestSumFoldsAreTrainedWithoutTheFold(t *testing.T) {
	ctx := context.Background()
	lambdas := []float64{100, 1, 1e-3}
	for seed, n := range []int{200, 200, 9, 60} {
		offset, folds := seed%2 == 0, 3
		x, y := drawn(uint64(seed), n, 7, 1+seed%3)
		_, c := y.Dims()
		fold, parts, lists := make([]int, n), make([]moments.Sums, folds+1), make([][]int, folds)
		for i := range fold {
			fold[i] = (i*i + i/3) % folds
			if seed == 3 && i%4 == 0 {
				fold[i] = folds // in none
			} else {
				lists[fold[i]] = append(lists[fold[i]], i)
			}
			parts[fold[i]].Join(moments.New(x.Slice(i, i+1, 0, 7).(*mat.Dense), y.Slice(i, i+1, 0, c).(*mat.Dense), nil, 0))
		}
		machines, err := moments.NewFolds(ctx, parts, folds, offset, lambdas)
		if err != nil {
			t.Fatal(err)
		}
		path, err := rls.NewColumns(ctx, x, y, nil, offset)
		if err != nil {
			t.Fatal(err)
		}
		if e := away(moments.Joined(parts, -1).S, inParts(1, x, y).S); e > 1e-12 {
			t.Errorf("sums of all rows differ by %.2g", e)
		}
		for f, rows := range lists {
			own, at := mat.NewDense(len(rows), 7, nil), make([]int, len(rows))
			for a, i := range rows {
				own.SetRow(a, x.RawRowView(i))
				at[a] = f
			}
			for q, got := range machines.LeaveOut(own, at) {
				fit, err := path.At(lambdas[q])
				if err != nil {
					t.Fatal(err)
				}
				all, err := fit.LeaveOut(ctx, lists)
				if err != nil {
					t.Fatal(err)
				}
				want := mat.NewDense(len(rows), c, nil)
				for a, i := range rows {
					want.SetRow(a, all.RawRowView(i))
				}
				if e := away(got, want); e > 1e-8 {
					t.Errorf("%d rows, offset %t, lambda %g: outputs without fold %d differ by %.2g", n, offset, lambdas[q], f, e)
				}
				if one := machines.Of(q).LeaveOut(own, at); len(one) != 1 || !mat.Equal(one[0], got) {
					t.Error("other outputs of one lambda")
				}
			}
		}
	}
	x, y := drawn(1, 3, 2, 1)
	two := []moments.Sums{*moments.New(x.Slice(0, 2, 0, 2).(*mat.Dense), y.Slice(0, 2, 0, 1).(*mat.Dense), nil, 0),
		*moments.New(x.Slice(2, 3, 0, 2).(*mat.Dense), y.Slice(2, 3, 0, 1).(*mat.Dense), nil, 0)}
	if _, err := moments.NewFolds(ctx, two, 2, true, lambdas); err == nil {
		t.Error("an offset of one row accepted")
	}
	if _, err := moments.NewFolds(ctx, two, 2, false, lambdas); err != nil {
		t.Error(err)
	}
}
