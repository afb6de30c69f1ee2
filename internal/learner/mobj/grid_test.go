package mobj_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/learner/mobj"
	"github.com/mercer-ml/mercer/internal/test/testdata"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
)

// Widths that move keep their ratio, others stay; values come in order.
func TestWidths(t *testing.T) {
	base := kernel.Sum{Terms: []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Gaussian{Sigma: 3}, kernel.Gaussian{Sigma: 2}}}
	space := base.Space()
	var all []int
	for i, d := range space {
		if strings.HasSuffix(d.Name, "sigma") {
			all = append(all, i)
		}
	}
	if len(all) != 3 {
		t.Fatalf("%d widths among %v", len(all), space)
	}
	g, err := mobj.Widths(base, []int{all[0], all[2]}, []float64{8, 1, 4})
	if err != nil {
		t.Fatal(err)
	}
	name := space[all[2]].Name
	for k, want := range []float64{1, 4, 8} {
		now := g.Kernels[k].Space().Defaults()
		if now[all[2]] != want || now[all[0]] != want/2 || now[all[1]] != 3 || g.Params[k][name] != want {
			t.Errorf("value %g: widths %v, called %v", want, now, g.Params[k])
		}
	}
	if g, err = mobj.Widths(base, all, nil); err != nil || len(g.Kernels) != 9 || g.Params[4][name] != 2 || g.Params[0][name] != 0.25 ||
		g.Params[8][name] != 16 {
		t.Errorf("six octaves about 2: %v, %v", g.Params, err)
	}
	if g, err = mobj.Widths(kernel.Linear{}, nil, nil); err != nil || len(g.Kernels) != 1 {
		t.Errorf("linear: %v, %v", g, err)
	}
}

func TestDegrees(t *testing.T) {
	base := kernel.Polynomial{Scale: 0.5, Offset: 2}
	g, err := mobj.Degrees(base, []int{7, 2})
	if err != nil || len(g.Kernels) != 2 {
		t.Fatal(g, err)
	}
	for k, p := range []int{2, 7} {
		base.Degree = p
		if g.Kernels[k] != base || g.Factors[k] != math.Exp2(-2*float64(p)) || g.Params[k]["degree"] != float64(p) {
			t.Errorf("degree %d: %+v, %g, %v", p, g.Kernels[k], g.Factors[k], g.Params[k])
		}
	}
	if g, err = mobj.Degrees(base, nil); err != nil || len(g.Kernels) != 10 {
		t.Errorf("by default %d, %v", len(g.Kernels), err)
	}
	if _, err = mobj.Degrees(base, []int{2, 0}); err == nil || !strings.Contains(err.Error(), "degree 0") {
		t.Errorf("degree 0: %v", err)
	}
}

// The ends of kernels and strengths are borders, degree 1 and strengths that nothing feels are none.
func TestMachineBorder(t *testing.T) {
	m := mobj.Machines{Strengths: []float64{1, 2, 4}}
	var err error
	if m.Grid, err = mobj.Widths(kernel.Gaussian{Sigma: 1}, []int{0}, []float64{1, 2, 4}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		t    mobj.Trained
		want []string
	}{
		{mobj.Trained{Kernel: 1, Step: 1}, nil},
		{mobj.Trained{Kernel: 0, Step: 1}, nil},
		{mobj.Trained{Kernel: 1, Step: 0, Strength: 1}, []string{"strength 1 is"}},
		{mobj.Trained{Kernel: 2, Step: 2, Strength: 4}, []string{"strength 4 is"}},
		{mobj.Trained{Kernel: 1, Step: 2, Free: true}, nil},
	} {
		got := m.Border(&c.t)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%+v: %q does not say %q", c.t, got, w)
			}
		}
		if (got == "") != (c.want == nil) {
			t.Errorf("%+v: %q", c.t, got)
		}
	}
	if m.Grid, err = mobj.Degrees(kernel.Polynomial{}, nil); err != nil || m.Border(&mobj.Trained{Step: 1}) != "" {
		t.Errorf("degree 1: %q, %v", m.Border(&mobj.Trained{Step: 1}), err)
	}
}

// Free machines are those of all larger strengths.
func TestFreeMachines(t *testing.T) {
	light := slices.Repeat([]float64{1, 1, 0.1, 0.3}, 10)
	for name, weight := range map[string][]float64{"no weights": nil, "weights": light} {
		p := overlapping(40, 2)
		p.Weight = weight
		m := machines(p, mobj.QNorm)
		m.Strengths = powers(4, -2, 12)
		free := 0
		for _, a := range run(t, m).Members {
			one := m
			one.Kernels, one.Strengths = m.Kernels[a.Kernel:a.Kernel+1], []float64{4 * a.Strength}
			b := run(t, one).Members[0]
			same := math.Abs(a.Complexity-b.Complexity) < 1e-5*a.Complexity
			if same != a.Free {
				t.Errorf("%s, C %g: free %v, complexity %g, at four times C %g", name, a.Strength, a.Free, a.Complexity, b.Complexity)
			}
			if a.Free {
				free++
			}
		}
		if free == 0 {
			t.Errorf("%s: no machine is free", name)
		}
	}
}

// Figures of LIBSVM 3.24, svm-train -t 2 -g 0.03125 -e 1e-6, on sonar as it is: the machine has its
// offset, the complexity leaves it out, the risk does not.
func TestOffsetOfLIBSVM(t *testing.T) {
	set, _, err := read.Open(t.Context(), testdata.Open(t, "sonar.csv"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, "sonar", data.LabelOptions{Task: data.Classification})
	if err != nil {
		t.Fatal(err)
	}
	m := mobj.Machines{
		Problem: learn.NewProblem(set.Rows, labels),
		Learner: svm.Classifier{Options: svm.Options{Tolerance: 1e-6}},
		Measure: mobj.QNorm,
	}
	m.Kernels = []kernel.Kernel{kernel.Gaussian{Sigma: 4}}
	for _, want := range []struct {
		c, norm, risk, offset float64
		errors, support       int
	}{{1.0 / 16, 0.29177889, 0.91024778, 0.91777591, 97, 195}, {1, 46.983186, 0.65832388, 0.40159302, 56, 186}} {
		m.Strengths = []float64{want.c}
		f, err := m.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got := f.Members[0]
		if near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-4*b }; !near(got.Complexity, want.norm) || !near(got.Risk, want.risk) ||
			!near(math.Abs(got.Machine.Offset[0]), want.offset) || got.Errors != want.errors ||
			got.Support() != want.support {
			t.Errorf(
				"C %g: Q_norm %.8g, risk %.8g, offset %g, %d errors, %d support vectors, not %+v",
				want.c,
				got.Complexity,
				got.Risk,
				got.Machine.Offset,
				got.Errors,
				got.Support(),
				want,
			)
		}
	}
}
