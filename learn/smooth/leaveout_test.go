package smooth_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
)

// A row that alone determines its output has no left-out one, in both forms.
func TestLeaveOneOutOfALoneRow(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{0, 1, 0, -1, 1e7, 0, 0, 2})
	p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: []float64{0.5, 1, 2, -1}, C: 1, Loss: learn.Square()}
	const words = "smooth: row 2 alone determines its output (leverage one); lower C or drop the offset"
	_, err := p.LeaveOneOut(t.Context(), fitLinear(t, p, smooth.Options{Method: smooth.Cholesky}))
	failtest.Refused(t, err, words)
	_, err = fit(t, kernelForm(p), smooth.Options{}).LeaveOneOut(t.Context())
	failtest.Refused(t, err, words)
	x.Set(2, 0, 1e3) // which leaves a millionth to the others
	if _, err = p.LeaveOneOut(t.Context(), fitLinear(t, p, smooth.Options{Method: smooth.Cholesky})); err != nil {
		t.Error(err)
	}
	if _, err = fit(t, kernelForm(p), smooth.Options{}).LeaveOneOut(t.Context()); err != nil {
		t.Error(err)
	}
	sparse := &data.CSR{R: 2, C: 4097, Start: []int{0, 1, 2}, Index: []int32{0, 5}, Value: []float64{1, 2}}
	wide := smooth.LinearProblem{X: data.Rows{Sparse: sparse}, Y: []float64{1, -1}, Loss: learn.Square()}
	_, err = wide.LeaveOneOut(t.Context(), &smooth.LinearSolution{})
	failtest.Refused(t, err, "smooth: leave-one-out needs the Hessian of 4097 features, at most 4096; score by folds")
}

// More rows than are solved together have the left-out outputs of both forms, of the first and of the last, and end with their context.
func TestLeaveOneOutOfManyRows(t *testing.T) {
	x, y := sample(300, true, 4)
	p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: 0.7, Loss: learn.Logistic(), Offset: smooth.Free}
	linear := fitLinear(t, p, smooth.Options{Method: smooth.Cholesky, Tolerance: 1e-11})
	byKernel := fit(t, kernelForm(p), smooth.Options{Tolerance: 1e-11})
	a, err := p.LeaveOneOut(t.Context(), linear)
	b, err2 := byKernel.LeaveOneOut(t.Context())
	if errors.Join(err, err2) != nil {
		t.Fatal(err, err2)
	}
	for i := range y {
		near(t, fmt.Sprintf("row %d", i), a[i], b[i], 1e-7)
		if math.Abs(a[i]-linear.F[i]) < 1e-9 {
			t.Errorf("row %d is missed by nothing", i)
		}
	}
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := p.LeaveOneOut(ctx, linear); return err })
	stoptest.Everywhere(t, func(ctx context.Context) error { _, err := byKernel.LeaveOneOut(ctx); return err })
}

// A choice of rows is the problem of these rows alone, by every method, of dense rows and sparse, from nothing and from another start.
func TestRowsAmongOthers(t *testing.T) {
	x, y := sample(40, true, 6)
	among := []int{1, 2, 5, 8, 13, 21, 34, 39, 0, 7, 30}
	var some []float64
	for _, i := range among {
		some = append(some, y[i])
	}
	for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
		for _, o := range offsets {
			alone := smooth.LinearProblem{X: rows.Select(among), Y: some, C: 0.7, Loss: learn.Logistic(), Offset: o}
			want := fitLinear(t, alone, smooth.Options{Method: smooth.Cholesky, Tolerance: 1e-10})
			p := alone
			p.X, p.Among = rows, among
			for _, m := range []smooth.Method{smooth.Cholesky, smooth.CG, smooth.Gram} {
				got := fitLinear(t, p, smooth.Options{Method: m, Tolerance: 1e-10})
				again, err := smooth.NewtonLinear(t.Context(), p, smooth.Options{Method: m, Tolerance: 1e-10}, got)
				if err != nil {
					t.Fatal(err)
				}
				if again.Steps > 1 {
					t.Errorf("%v %v: %d steps from the solution", o, m, again.Steps)
				}
				for j := range want.W {
					near(t, fmt.Sprint(o, m, " weight"), got.W[j], want.W[j], 1e-6)
				}
				near(t, fmt.Sprint(o, m, " offset"), got.B, want.B, 1e-6)
			}
		}
	}
}

// Rows without features are no problem, and starts of another size are the caller's mistake.
func TestSizesThatDoNotFit(t *testing.T) {
	empty := data.Rows{Sparse: &data.CSR{R: 2, Start: []int{0, 0, 0}}}
	none := smooth.LinearProblem{X: empty, Y: []float64{1, -1}, Loss: learn.Square()}
	_, err := smooth.NewtonLinear(t.Context(), none, smooth.Options{}, nil)
	failtest.Refused(t, err, "smooth: rows without features")
	p := problem(6, learn.Logistic(), smooth.Free, 1)
	x, y := sample(6, true, 1)
	q := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, Loss: learn.Logistic()}
	short := &smooth.Solution{Beta: make([]float64, 5)}
	for words, f := range map[string]func(){
		"smooth: start of 5 rows for 6": func() { _, _ = smooth.Newton(t.Context(), p, smooth.Options{}, short) },
		"start of 5 rows for 6":         func() { _, _ = smooth.FISTA(t.Context(), p, smooth.FISTAOptions{}, short) },
		"smooth: start of 3 features for 2": func() {
			_, _ = smooth.NewtonLinear(t.Context(), q, smooth.Options{Method: smooth.Cholesky}, &smooth.LinearSolution{W: make([]float64, 3)})
		},
		"smooth: 6 rows, 5 targets": func() {
			fewer := q
			fewer.Y = y[:5]
			_, _ = smooth.NewtonLinear(t.Context(), fewer, smooth.Options{}, nil)
		},
	} {
		failtest.Names(t, words, f)
	}
}

// Outputs of a machine of several outputs are those that its expansion gives, in the kernel form; without rows they are the offsets.
func TestOutputsOfClasses(t *testing.T) {
	p := clouds(40, 3, []string{"a", "b", "c"}, false)
	g, err := kernel.Gaussian{Sigma: 2}.Bind(t.Context(), p.Rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := smooth.Learner{Loss: learn.Logistic(), Offset: smooth.Free}.Bind(t.Context(), g, p)
	if err != nil {
		t.Fatal(err)
	}
	judged := []int{3, 8, 30, 1}
	m := train(t, tr, learn.Others(len(p.Labelled), judged), []float64{2}, nil)
	got, want := mat.NewDense(4, 3, nil), mat.NewDense(4, 3, nil)
	got.Set(0, 0, math.NaN()) // what was there is gone
	tr.(learn.Sensitive).Outputs(got, m, judged)
	if err := m.Evaluate(t.Context(), want, g, p.Subset(judged)); err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("outputs\n%v\nexpected\n%v", mat.Formatted(got), mat.Formatted(want))
	}
	tr.(learn.Sensitive).Outputs(got, &learn.Machine{Offset: []float64{1, 2, 3}}, judged)
	if !slices.Equal(got.RawRowView(2), []float64{1, 2, 3}) {
		t.Errorf("outputs of offsets alone %v", got.RawRowView(2))
	}
}

// Outputs of rows left out, with a Hessian that is made for them, and derivatives in more columns than a Hessian is made for are whole
// or an error wherever their context has ended.
func TestWholeOrStopped(t *testing.T) {
	x, y := sample(300, true, 4)
	p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: 0.7, Loss: learn.Logistic(), Offset: smooth.Free}
	linear := fitLinear(t, p, smooth.Options{Method: smooth.Cholesky, Tolerance: 1e-11})
	byKernel := fit(t, kernelForm(p), smooth.Options{Tolerance: 1e-11})
	many, _, _ := bindBoth(t, smooth.Learner{Loss: learn.Logistic(), Offset: smooth.Free}, clouds(150, 4, []string{"a", "b"}, false))

	wide, targets := mat.NewDense(12, 5000, nil), make([]float64, 12)
	for i := range 12 {
		wide.Set(i, 7*i%30, 1+float64(i)/3)
		wide.Set(i, 40+i%5, math.Cos(float64(i)))
		wide.Set(i, 4999, 1)
		targets[i] = math.Sin(float64(i))
	}
	rows := data.Rows{Sparse: data.CSRFromDense(wide)}
	g, err := kernel.Linear{}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := learn.NewProblem(rows, data.Labels{Task: data.Regression, Value: targets})
	tr, err := smooth.Learner{Loss: learn.Square(), Passes: true, Tolerance: 1e-10}.Bind(t.Context(), g, q)
	if err != nil {
		t.Fatal(err)
	}
	theta, judged, bar := []float64{0.5}, []int{0, 5}, mat.NewDense(2, 1, []float64{1, -0.5})
	others := learn.Others(12, judged)
	m := train(t, tr, others, theta, nil)

	for name, f := range map[string]func(ctx context.Context) ([]float64, error){
		"linear form": func(ctx context.Context) ([]float64, error) { return p.LeaveOneOut(ctx, linear) },
		"kernel form": func(ctx context.Context) ([]float64, error) {
			byKernel.Release()
			return byKernel.LeaveOneOut(ctx)
		},
		"learner": func(ctx context.Context) ([]float64, error) {
			o, _, _, err := many.(leaver).LeaveOneOut(ctx, theta, nil)
			if err != nil {
				return nil, err
			}
			return o.RawMatrix().Data, nil
		},
		"derivatives of many columns": func(ctx context.Context) ([]float64, error) {
			u, v, d, err := tr.(learn.Sensitive).Pull(ctx, m, others, theta, judged, bar)
			if err != nil {
				return nil, err
			}
			return slices.Concat(u.RawMatrix().Data, v.RawMatrix().Data, d), nil
		},
	} {
		t.Run(name, func(t *testing.T) { stoptest.Whole(t, slices.Equal[[]float64], f) })
	}
}

// A row to whose output the others give a share of 1e-11 is left out, one of 1e-13 is refused, in both forms.
func TestLeaveOneOutOfANearlyLoneRow(t *testing.T) {
	for share, ok := range map[float64]bool{1e-11: true, 1e-13: false} {
		// Alone in its feature x, a row of the square loss leaves 1/(1 + 2 x^2).
		x := mat.NewDense(4, 2, []float64{0, 1, 0, -1, math.Sqrt(0.5 / share), 0, 0, 2})
		p := smooth.LinearProblem{X: data.Rows{Dense: x}, Y: []float64{0.5, 1, 2, -1}, C: 1, Loss: learn.Square()}
		linear, err := smooth.NewtonLinear(t.Context(), p, smooth.Options{Method: smooth.Cholesky}, nil)
		if err != nil {
			t.Fatal(err)
		}
		byKernel, err := smooth.Newton(t.Context(), kernelForm(p), smooth.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, a := p.LeaveOneOut(t.Context(), linear)
		_, b := byKernel.LeaveOneOut(t.Context())
		for form, err := range map[string]error{"linear": a, "kernel": b} {
			if ok && err != nil {
				t.Errorf("%s form, a share of %g: %v", form, share, err)
			} else if !ok {
				failtest.Refused(t, err, "smooth: row 2 alone determines its output (leverage one); lower C or drop the offset")
			}
		}
	}
}
