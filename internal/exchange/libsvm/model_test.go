package libsvm

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

const small = `svm_type c_svc
kernel_type polynomial
degree 3
gamma 0.5
coef0 1
nr_class 3
total_sv 4
rho 0.5 -0.25 0.125
label 3 -1 2
probA -1 -2 -3
probB 0 0.5 -0.5
nr_sv 1 2 1
SV
1 0.5 1:1 3:-2
-1 0.25 2:0.1
0 1 1:0.1 2:1e-300 7:123456789
-0.75 -0.5
`

const outlier = `svm_type one_class
kernel_type linear
nr_class 2
total_sv 1
rho 1
prob_density_marks -5 -4 -3 -2 -1 1 2 3 4 5
SV
2 1:1
`

func parse(t *testing.T, text string) *Model {
	t.Helper()
	m, err := Read(strings.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRead(t *testing.T) {
	sv, err := data.NewCSR(4, 7, []int{0, 2, 3, 6, 6}, []int32{0, 2, 1, 0, 1, 6}, []float64{1, -2, 0.1, 0.1, 1e-300, 123456789})
	if err != nil {
		t.Fatal(err)
	}
	want := &Model{
		Type: CSVC, Kernel: Polynomial, Degree: 3, Gamma: 0.5, Coef0: 1, Classes: 3, Rho: []float64{0.5, -0.25, 0.125},
		Labels: []int{3, -1, 2}, Counts: []int{1, 2, 1},
		ProbA: []float64{-1, -2, -3}, ProbB: []float64{0, 0.5, -0.5}, Coef: [][]float64{{1, -1, 0, -0.75}, {0.5, 0.25, 1, -0.5}}, SV: sv,
	}
	// Fields may stand in another order, over several lines, with other line ends.
	moved := strings.Replace(small, "rho 0.5 -0.25 0.125\n", "", 1)
	moved = strings.Replace(moved, "SV\n", "rho 0.5\n\n-0.25\t0.125\nSV\n", 1)
	for _, text := range []string{small, moved, strings.ReplaceAll(small, "\n", "\r\n"), strings.TrimSuffix(small, "\n"), small + "\n \n"} {
		if d := cmp.Diff(want, parse(t, text)); d != "" {
			t.Fatalf("%s\n%s", text, d)
		}
	}
}

// TestFaults: every fault has its line and a remedy, in one line of text.
func TestFaults(t *testing.T) {
	edit := func(old, text string) string {
		if !strings.Contains(small, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(small, old, text, 1)
	}
	for _, c := range []struct{ text, want string }{
		{"", "f: the file is empty"},
		{"mercer model 1\n", `f:1: unknown field "mercer"`},
		{edit("c_svc", "x_svc"), `f:1: svm_type "x_svc" is unknown`},
		{edit("polynomial", "laplace"), `f:2: kernel_type "laplace" is unknown`},
		{edit("degree 3", "degree -3"), `f:3: degree: "-3" is no whole number from 0 to 2^31-1`},
		{edit("gamma 0.5", "gamma nan"), `f:4: gamma: "nan" is no finite number`},
		{edit("gamma 0.5", "gamma 1e999"), `f:4: gamma: "1e999" is no finite number`},
		{edit("gamma 0.5", "gamma 0x1p3"), `f:4: gamma: "0x1p3" is no finite number`},
		{edit("gamma 0.5\n", ""), "f:12: no gamma before the line SV"},
		{edit("nr_class 3\n", ""), "f:7: rho before nr_class"},
		{edit("nr_class 3", "nr_class 2147483647"), "f:6: 2147483647 classes; at most"},
		{edit("nr_class 3", "nr_class 60000"), `f:9: rho: "label" is no finite number`},
		{edit("nr_class 3", "nr_class 4294967299"), `f:6: nr_class: "4294967299" is no whole number`},
		{edit("total_sv 4", "total_sv 2147483647"), "f:17: the file ends after 4 of 2147483647"},
		{edit("rho 0.5 -0.25 0.125", "rho 0.5 -0.25"), `f:9: rho: "label" is no finite number`},
		{edit("label 3 -1 2", "label 3 3 2"), "f: label 3 stands for two classes"},
		{edit("label 3 -1 2\n", ""), "f:12: no label before the line SV"},
		{edit("label 3 -1 2", "label 3 -1 2 7"), `f:9: unknown field "7"`},
		{edit("nr_sv 1 2 1", "nr_sv 1 2 2"), "f: nr_sv of class 2 is 2"},
		{edit("nr_sv 1 2 1", "nr_sv 1 2 0"), "f: the nr_sv add up to 3, total_sv is 4"},
		{edit("rho", "gamma 1\nrho"), "f:8: gamma stands twice"},
		{edit("SV\n", ""), `f:13: unknown field "1"`},
		{strings.Split(small, " -0.25 0.125")[0], "f:8: the file ends within rho"},
		{strings.SplitAfter(small, "nr_sv 1 2 1\n")[0], "f:12: the file ends before the line SV"},
		{edit("-0.75 -0.5\n", ""), "f:16: the file ends after 3 of 4 support vectors"},
		{small + "1 1 1:1\n", "f:18: more than total_sv = 4 support vectors"},
		{edit("-0.75 -0.5", "-0.75"), "f:17: 1 coefficients; 3 classes need 2"},
		{edit("2:0.1", "0:0.1"), "f:15: index 0"},
		{edit("2:0.1", "2:0.1 2:1"), "f:15: index 2 after 2"},
		{edit("2:0.1", "2:inf"), `f:15: feature: "inf" is no finite number`},
		{edit("2:0.1", "2 0.1"), `f:15: "2" is no index:value`},
		{edit("2:0.1", "2147483648:1"), `f:15: index "2147483648" is not below 2^31`},
		{edit("-1 0.25", "-1 x"), `f:15: coefficient: "x" is no finite number`},
		{strings.Replace(outlier, "nr_class 2", "nr_class 3", 1), `f:6: rho: "prob_density_marks" is no finite number`},
		{strings.Replace(outlier, "linear", "precomputed", 1), `f:8: "1:1" is no 0:serial`},
		{strings.Replace(outlier, "linear", "rbf", 1), "f:7: no gamma before the line SV"},
		{strings.Replace(outlier, "linear", "rbf\ngamma -1", 1), "f: gamma is -1; it must not be negative"},
	} {
		_, err := Read(strings.NewReader(c.text), "f")
		var re *read.Error
		if !errors.As(err, &re) || re.Remedy == "" || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v; want %s", err, c.want)
		}
	}
}

// slowDecision is the sum of the definition, term by term.
func slowDecision(m *Model, x []float64) []float64 {
	value := func(z int) float64 {
		if m.Kernel == Precomputed {
			return x[m.Serial[z]-1]
		}
		v := make([]float64, max(len(x), m.SV.C))
		idx, val := m.SV.Row(z)
		for p, j := range idx {
			v[j] = val[p]
		}
		var dot, d2 float64
		for j := range v {
			var u float64
			if j < len(x) {
				u = x[j]
			}
			dot += u * v[j]
			d2 += (u - v[j]) * (u - v[j])
		}
		switch m.Kernel {
		case Polynomial:
			return math.Pow(m.Gamma*dot+m.Coef0, float64(m.Degree))
		case RBF:
			return math.Exp(-m.Gamma * d2)
		case Sigmoid:
			return math.Tanh(m.Gamma*dot + m.Coef0)
		}
		return dot
	}
	class := func(z int) int {
		c := 0
		for ; m.Counts != nil && z >= m.Counts[c]; c++ {
			z -= m.Counts[c]
		}
		return c
	}
	var f []float64
	p := 0
	for i := range m.Classes {
		for j := i + 1; j < m.Classes; j++ {
			s := -m.Rho[p]
			for z := range m.Len() {
				switch c := class(z); {
				case c == i:
					s += m.Coef[j-1][z] * value(z)
				case c == j:
					s += m.Coef[i][z] * value(z)
				}
			}
			f = append(f, s)
			p++
		}
	}
	return f
}

// randomModel draws any consistent model.
func randomModel(t *rapid.T) *Model {
	seed := rapid.Uint64().Draw(t, "seed")
	r := rand.New(rand.NewPCG(seed, 2))
	m := &Model{Type: types[r.IntN(len(types))], Kernel: kernelTypes[r.IntN(len(kernelTypes))], Classes: 2}
	switch m.Kernel {
	case Polynomial:
		m.Degree, m.Gamma, m.Coef0 = r.IntN(4), r.NormFloat64(), r.NormFloat64()
	case RBF:
		m.Gamma = r.Float64() * float64(r.IntN(2))
	case Sigmoid:
		m.Gamma, m.Coef0 = r.NormFloat64(), r.NormFloat64()
	}
	n := r.IntN(12)
	numbers := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(9)-4))
		}
		return v
	}
	if m.Type.Classifies() {
		m.Classes = 2 + r.IntN(4)
		m.Labels = r.Perm(9)[:m.Classes]
		m.Counts = make([]int, m.Classes)
		for range n {
			m.Counts[r.IntN(m.Classes)]++
		}
	}
	m.Rho = numbers(m.Pairs())
	if r.IntN(2) == 0 {
		m.ProbA = numbers(m.Pairs())
		if m.Type.Classifies() {
			m.ProbB = numbers(m.Pairs())
		}
	}
	for range m.Classes - 1 {
		m.Coef = append(m.Coef, numbers(n))
	}
	if m.Kernel == Precomputed {
		for range n {
			m.Serial = append(m.Serial, 1+r.IntN(5))
		}
		return m
	}
	m.SV = &data.CSR{R: n, Start: []int{0}, Index: []int32{}, Value: []float64{}}
	for range n {
		for j := range 5 {
			if r.IntN(2) == 0 {
				m.SV.Index, m.SV.Value, m.SV.C = append(m.SV.Index, int32(j)), append(m.SV.Value, r.NormFloat64()), max(m.SV.C, j+1)
			}
		}
		m.SV.Start = append(m.SV.Start, len(m.SV.Index))
	}
	return m
}

// TestRandom: decision values are the sums of the definition, files read back
// exactly, and expansions, sorted and turned back, keep the decision values.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomModel(t)
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		back, err := Read(bytes.NewReader(b.Bytes()), "f")
		if err != nil {
			t.Fatalf("%v\n%s", err, b.Bytes())
		}
		if d := cmp.Diff(m, back); d != "" {
			t.Fatalf("%s\n%s", d, b.Bytes())
		}
		x := mat.NewDense(3, 6, nil)
		for i := range 3 {
			for j := range 6 {
				x.Set(i, j, math.Sin(float64(1+i*6+j)))
			}
		}
		for _, rows := range []data.Rows{{Dense: x}, {Sparse: data.CSRFromDense(x)}} {
			f, err := m.Decision(rows)
			if err != nil {
				t.Fatal(err)
			}
			e, err := m.Expansion()
			var g *mat.Dense
			if err == nil {
				g = evaluate(t, e, rows)
			}
			for i := range 3 {
				for p, v := range slowDecision(m, x.RawRowView(i)) {
					if math.Abs(f.At(i, p)-v) > 1e-9*(1+scaleOf(m)) {
						t.Fatalf("%+v: pair %d is %g, by definition %g", m, p, f.At(i, p), v)
					}
					if g == nil {
						continue
					}
					sign := 1.0
					if m.Type.Classifies() {
						sign = -1
					}
					if math.Abs(sign*g.At(i, p)-v) > 1e-9*(1+scaleOf(m)) {
						t.Fatalf("%+v: output %d of the expansion is %g, by definition %g", m, p, g.At(i, p), v)
					}
				}
			}
			if g != nil {
				checkSorted(t, m, e, g, rows)
			}
		}
	})
}

// scaleOf bounds the terms of the decision values.
func scaleOf(m *Model) float64 {
	s := 0.0
	for _, c := range m.Coef {
		for _, v := range c {
			s += math.Abs(v)
		}
	}
	return s * math.Pow(1+math.Abs(m.Gamma)*30+math.Abs(m.Coef0), float64(m.Degree))
}

func evaluate(t *rapid.T, e *Expansion, rows data.Rows) *mat.Dense {
	if rows.Sparse != nil {
		rows = data.Rows{Dense: rows.Sparse.ToDense()}
	}
	wide := *e.Centres.Sparse
	wide.C = rows.Dim()
	g, err := e.Kernel.Bind(t.Context(), data.Rows{Sparse: &wide}, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := mat.NewDense(rows.Len(), wide.R, nil)
	if err := g.Cross(k, rows, nil); err != nil {
		t.Fatal(err)
	}
	var out mat.Dense
	out.Mul(k, e.Coef)
	for i := range rows.Len() {
		for o, v := range e.Offset {
			out.Set(i, o, out.At(i, o)+v)
		}
	}
	return &out
}

func checkSorted(t *rapid.T, m *Model, e *Expansion, g *mat.Dense, rows data.Rows) {
	s, place := e.Sort()
	h := evaluate(t, s, rows)
	k := len(s.Labels)
	if !slices.IsSorted(s.Labels) || len(s.Classes()) != k {
		t.Fatalf("labels %v", s.Labels)
	}
	for a := range k {
		if s.Labels[a] != m.Labels[place[a]] {
			t.Fatalf("class %d was %d: labels %v of %v", a, place[a], s.Labels, m.Labels)
		}
		for b := a + 1; b < k; b++ {
			sign, i, j := 1.0, place[a], place[b]
			if i > j {
				sign, i, j = -1, j, i
			}
			for r := range rows.Len() {
				if got, want := h.At(r, pair(k, a, b)), sign*g.At(r, pair(k, i, j)); math.Abs(got-want) > 1e-9*(1+scaleOf(m)) {
					t.Fatalf("pair %d %d: %g, unsorted %g", a, b, got, want)
				}
			}
		}
	}
	if m.Kernel == Precomputed {
		return // its expansion is linear
	}
	again, err := FromExpansion(m.Type, s)
	if err != nil {
		t.Fatal(err)
	}
	e2, err := again.Expansion()
	if err != nil {
		if again.Len() == 0 {
			return // all coefficients were 0
		}
		t.Fatal(err)
	}
	h2 := evaluate(t, e2, rows)
	for r := range rows.Len() {
		for o := range e.Offset {
			if math.Abs(h2.At(r, o)-h.At(r, o)) > 1e-9*(1+scaleOf(m)) {
				t.Fatalf("output %d: %g, before %g", o, h2.At(r, o), h.At(r, o))
			}
		}
	}
}

// TestOneClassMarks: the bins of LIBSVM 3.3's one-class probabilities.
func TestOneClassMarks(t *testing.T) {
	m := parse(t, outlier)
	x := mat.NewDense(6, 1, []float64{-2.5, -1.9, 0.4, 0.6, 2.9, 3.5}) // f = 2x - 1
	p, err := m.Probabilities(data.Rows{Dense: x})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.001, 0.1, 0.5, 0.5, 0.9, 0.999} {
		if p.At(i, 0) != want || p.At(i, 1) != 1-want {
			t.Errorf("f = %g: %v, want %g", 2*x.At(i, 0)-1, p.RawRowView(i), want)
		}
	}
	label, err := m.Predict(data.Rows{Dense: x})
	if err != nil || !slices.Equal(label, []float64{-1, -1, -1, 1, 1, 1}) {
		t.Errorf("%v %v", label, err)
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil || b.String() != strings.Replace(outlier, "2 1:1\n", "2 1:1 \n", 1) {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestConstant: one class only, and no support vectors, as svm-train writes them.
func TestConstant(t *testing.T) {
	x := data.Rows{Dense: mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})}
	for text, want := range map[string]float64{
		"svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 1\ntotal_sv 0\nrho\nlabel 7\nnr_sv 0\nSV\n": 7,
		"svm_type epsilon_svr\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 0\nrho -2.5\nSV\n":        2.5,
	} {
		m := parse(t, text)
		got, err := m.Predict(x)
		if err != nil || !slices.Equal(got, []float64{want, want}) {
			t.Errorf("%v %v, want %g", got, err, want)
		}
		var b bytes.Buffer
		if _, err := m.WriteTo(&b); err != nil || b.String() != text {
			t.Errorf("%v: %q for %q", err, b.String(), text)
		}
		if _, err := m.Expansion(); err == nil {
			t.Error("expanded")
		}
	}
}

// TestRefused: what the format or the rows do not allow.
func TestRefused(t *testing.T) {
	m := parse(t, small)
	if _, err := m.Decision(data.Rows{Dense: mat.NewDense(1, 3, nil)}); err == nil ||
		!strings.Contains(err.Error(), "3 columns, the support vectors 7") {
		t.Error(err)
	}
	if _, err := m.Decision(data.Rows{Dense: mat.NewDense(1, 7, []float64{0, 0, 0, 0, 0, 0, math.NaN()})}); err == nil ||
		!strings.Contains(err.Error(), "column 6") {
		t.Error(err)
	}
	if _, err := m.Decision(data.Rows{}); err == nil {
		t.Error("no rows accepted")
	}
	e, err := m.Expansion()
	if err != nil {
		t.Fatal(err)
	}
	e.Coef.Set(0, 2, 1) // class 0 in the pair of 1 and 2
	if _, err := FromExpansion(CSVC, e); err == nil ||
		!strings.Contains(err.Error(), "centre 0 is of label 3 but has the coefficient 1 in the pair of -1 and 2") {
		t.Error(err)
	}
	e.Coef.Set(0, 2, 0)
	for _, k := range []kernel.Kernel{kernel.Laplacian{Sigma: 1}, kernel.Gaussian{}, kernel.Polynomial{Scale: 1}} {
		e.Kernel = k
		if _, err := FromExpansion(CSVC, e); err == nil {
			t.Errorf("%T %v accepted", k, k)
		}
	}
	m.Coef[0][2] = math.Inf(1)
	if n, err := m.WriteTo(&bytes.Buffer{}); err == nil || n > 0 {
		t.Error("infinite coefficient written")
	}
}

// TestMonsters: absurd numbers allocate nothing.
func TestMonsters(t *testing.T) {
	for _, text := range []string{
		strings.Replace(small, "nr_class 3", "nr_class 65536", 1), strings.Replace(small, "total_sv 4", "total_sv 2147483647", 1),
		"solver_type L2R_LR\nnr_class 2147483647\nlabel 1 2\n",
		"solver_type MCSVM_CS\nnr_class 2\nlabel 1 2\nnr_feature 2147483647\nbias 1\nw\n1 2\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err1 := Read(strings.NewReader(text), "f")
		_, err2 := ReadLinear(strings.NewReader(text), "f")
		runtime.ReadMemStats(&after)
		if err1 == nil || err2 == nil {
			t.Errorf("accepted: %q", text)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<19 { // two buffers of 64 KB
			t.Errorf("%d bytes for %q", n, text[:60])
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{small, outlier, strings.Replace(outlier, "linear", "precomputed", 1),
		"svm_type nu_svr\nkernel_type precomputed\nnr_class 2\ntotal_sv 1\nrho 1\nprobA 2\nSV\n1 0:3\n", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(bytes.NewReader(text), "f")
		if err != nil {
			checkFault(t, err)
			return
		}
		var b bytes.Buffer
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		back, err := Read(bytes.NewReader(b.Bytes()), "f")
		if err != nil {
			t.Fatalf("%q written as %q: %v", text, b.Bytes(), err)
		}
		// Fields that the kernel does not have are not written.
		back.Degree, back.Gamma, back.Coef0 = m.Degree, m.Gamma, m.Coef0
		if !reflect.DeepEqual(back, m) {
			t.Fatalf("%q written as %q", text, b.Bytes())
		}
		if m.SV != nil && m.SV.C > 1<<16 || m.Len() > 1<<10 || len(m.Serial) > 0 && slices.Max(m.Serial) > 1<<16 {
			return
		}
		d := 3
		if m.SV != nil {
			d = max(d, m.SV.C)
		} else if m.Len() > 0 {
			d = max(d, slices.Max(m.Serial))
		}
		if _, err := m.Predict(data.Rows{Dense: mat.NewDense(2, d, nil)}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

func FuzzReadRanges(f *testing.F) {
	for _, s := range []string{"x\n-1 1\n1 -2 3\n4 0 1e-7\n", "y\n0 1\n-5 7\nx\n0 1\n", "x\n1 -1\n", "y 1", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := ReadRanges(bytes.NewReader(text), "f")
		if err != nil {
			checkFault(t, err)
			return
		}
		var b bytes.Buffer
		if _, err := g.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if back, err := ReadRanges(bytes.NewReader(b.Bytes()), "f"); err != nil || !reflect.DeepEqual(back, g) {
			t.Fatalf("%q written as %q: %v", text, b.Bytes(), err)
		}
		g.Apply(data.Rows{Dense: mat.NewDense(1, 4, []float64{1, 2, 3, 4})})
	})
}

func FuzzReadLinear(f *testing.F) {
	for _, s := range []string{
		"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n0.5 \n1 \n-2 \n",
		"solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 1\nbias -1\nrho 0.25\nw\n1 \n",
		"solver_type MCSVM_CS\nnr_class 2\nlabel 1 2\nnr_feature 1\nbias -1\nw\n1 2\n", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ReadLinear(bytes.NewReader(text), "f")
		if err != nil {
			checkFault(t, err)
			return
		}
		var b bytes.Buffer
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		back, err := ReadLinear(bytes.NewReader(b.Bytes()), "f")
		if err == nil && m.Solver != linearOneClass {
			back.Rho = m.Rho // not written
		}
		if err != nil || !reflect.DeepEqual(back, m) {
			t.Fatalf("%q written as %q: %v", text, b.Bytes(), err)
		}
		if _, err := m.Predict(data.Rows{Dense: mat.NewDense(1, 2, []float64{1, 2})}); err != nil {
			t.Fatal(err)
		}
	})
}

// checkFault: what is refused names the file, and its message is one line.
func checkFault(t *testing.T, err error) {
	t.Helper()
	var re *read.Error
	if !errors.As(err, &re) || re.File != "f" || re.What == "" || re.Remedy == "" || strings.ContainsAny(err.Error(), "\n\r") {
		t.Fatalf("fault without place: %#v", err)
	}
}

func ExampleModel_Predict() {
	m, err := Read(strings.NewReader(outlier), "outlier.model")
	if err != nil {
		fmt.Println(err)
		return
	}
	label, err := m.Predict(data.Rows{Dense: mat.NewDense(2, 1, []float64{0, 3})})
	fmt.Println(label, err)
	// Output: [-1 1] <nil>
}

// BenchmarkRead reads and BenchmarkDecision applies a model of ten classes, 1000
// support vectors and 100 features.
func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	if _, err := bigModel().WriteTo(&text); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(text.Bytes()), "f"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecision(b *testing.B) {
	m := bigModel()
	rows := data.Rows{Dense: mat.NewDense(1000, 100, nil)}
	for i := range 1000 {
		rows.Dense.Set(i, i%100, 1)
	}
	for b.Loop() {
		if _, err := m.Decision(rows); err != nil {
			b.Fatal(err)
		}
	}
}

func bigModel() *Model {
	const k, n, d = 10, 1000, 100
	r := rand.New(rand.NewPCG(1, 3))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, float64(r.IntN(1000000))/1e6)
		}
	}
	m := &Model{Type: CSVC, Kernel: RBF, Gamma: 0.1, Classes: k, Rho: make([]float64, k*(k-1)/2), SV: data.CSRFromDense(x)}
	for c := range k {
		m.Labels, m.Counts = append(m.Labels, c), append(m.Counts, n/k)
	}
	for range k - 1 {
		row := make([]float64, n)
		for i := range row {
			row[i] = r.NormFloat64()
		}
		m.Coef = append(m.Coef, row)
	}
	return m
}
