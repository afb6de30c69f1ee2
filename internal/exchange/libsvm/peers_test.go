package libsvm

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/test/testdata"
	"gonum.org/v1/gonum/mat"
)

// tool runs one of LIBSVM's or LIBLINEAR's programs and returns what it printed.
func tool(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("skipped: %s is not installed", name)
	}
	out, err := exec.Command(path, args...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return out
}

// set is rows with targets.
type set struct {
	rows data.Rows
	y    []float64
}

func (s set) choose(keep func(i int) bool) set {
	var idx []int
	var y []float64
	for i, v := range s.y {
		if keep(i) {
			idx, y = append(idx, i), append(y, v)
		}
	}
	return set{s.rows.Select(idx), y}
}

// file writes the set as LIBSVM text; serial numbers the rows of a precomputed kernel.
func (s set) file(t *testing.T, name string, serial bool) string {
	t.Helper()
	var b bytes.Buffer
	for i, y := range s.y {
		fmt.Fprintf(&b, "%.17g", y)
		if serial {
			fmt.Fprintf(&b, " 0:%d", i+1)
		}
		for j, v := range dense(s.rows, i) {
			if v != 0 || serial {
				fmt.Fprintf(&b, " %d:%.17g", j+1, v)
			}
		}
		b.WriteByte('\n')
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func dense(r data.Rows, i int) []float64 {
	if r.Dense != nil {
		return r.Dense.RawRowView(i)
	}
	v := make([]float64, r.Dim())
	idx, val := r.Sparse.Row(i)
	for p, j := range idx {
		v[j] = val[p]
	}
	return v
}

func realSet(t *testing.T, name string) set {
	t.Helper()
	s, _, err := read.Open(t.Context(), testdata.Open(t, name), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, len(s.Answers))
	for i, a := range s.Answers {
		if y[i], err = strconv.ParseFloat(a, 64); err != nil {
			t.Fatal(err)
		}
	}
	return set{s.Rows, y}
}

// clouds are n rows of k overlapping classes in d features, labels descending and
// not in the order of their first rows; a third of the values is 0.
func clouds(n, d, k int, seed uint64) set {
	r := rand.New(rand.NewPCG(seed, 1))
	s := set{data.Rows{Dense: mat.NewDense(n, d, nil)}, make([]float64, n)}
	for i := range n {
		c := r.IntN(k)
		s.y[i] = float64(10 - 7*c)
		for j := range d {
			if r.IntN(3) > 0 {
				s.rows.Dense.Set(i, j, r.NormFloat64()+2*math.Sin(float64(c*(j+1))))
			}
		}
	}
	return s
}

// wave is a regression.
func wave(n, d int, seed uint64) set {
	s := clouds(n, d, 1, seed)
	for i := range s.y {
		s.y[i] = math.Sin(s.rows.Dense.At(i, 0)) + 0.3*s.rows.Dense.At(i, d-1)
	}
	return s
}

// output reads what svm-predict wrote: with -b 1 the first line names the columns.
func output(t *testing.T, path string) [][]float64 {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]float64
	for l := range strings.Lines(string(raw)) {
		if strings.HasPrefix(l, "labels") {
			continue
		}
		var row []float64
		for _, f := range strings.Fields(l) {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		out = append(out, row)
	}
	return out
}

func load(t *testing.T, path string) (*Model, []byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Read(bytes.NewReader(raw), path)
	if err != nil {
		t.Fatal(err)
	}
	return m, raw
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }

// compare: the predictions of m are the lines of svm-predict's file, and, if
// probable, so are its probabilities.
func compare(t *testing.T, m *Model, rows data.Rows, want [][]float64, probable bool) {
	t.Helper()
	got, err := m.Predict(rows)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d predictions, svm-predict has %d", len(got), len(want))
	}
	if !probable {
		for i, v := range got {
			if !near(v, want[i][0], 1e-10) {
				t.Fatalf("row %d: %.17g, svm-predict %.17g", i, v, want[i][0])
			}
		}
		return
	}
	p, err := m.Probabilities(rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		row := p.RawRowView(i)
		best := 0
		for c, v := range row {
			if v > row[best] {
				best = c
			}
			if !near(v, w[c+1], 1e-5) { // printed with six digits
				t.Fatalf("row %d: probabilities %v, svm-predict %v", i, row, w[1:])
			}
		}
		if w[0] != float64(m.Labels[best]) {
			t.Fatalf("row %d: label %d by %v, svm-predict %v", i, m.Labels[best], row, w)
		}
	}
}

// TestPeer trains with svm-train on half of the rows and predicts all of them with
// svm-predict and here: every type, every kernel. The model is written byte for
// byte as it was read, and the expansion of it, sorted and made a model again, is
// read by svm-predict to the same predictions.
func TestPeer(t *testing.T) {
	three, five := realSet(t, "iris.csv"), clouds(240, 6, 5, 3)
	sets := []struct {
		name  string
		set   set
		types []string
	}{
		{"heart", realSet(t, "heart_scale.svm"), []string{"0", "1", "2"}},
		{"iris", three, []string{"0", "1"}},
		{"clouds", five, []string{"0", "1", "2"}},
		{"wave", wave(150, 4, 5), []string{"3", "4"}},
	}
	kernels := [][]string{
		{"-t", "0"}, {"-t", "1", "-g", "0.2", "-r", "0.5"}, {"-t", "1", "-d", "2", "-g", "0.1", "-r", "-0.5"}, {"-t", "1", "-d", "0"},
		{"-t", "2", "-g", "0.3"}, {"-t", "3", "-g", "0.02", "-r", "-0.1"},
	}
	for _, s := range sets {
		half := s.set.choose(func(i int) bool { return i%2 == 0 })
		train, test := half.file(t, "train", false), s.set.file(t, "test", false)
		for _, typ := range s.types {
			for _, k := range kernels {
				for _, b := range []string{"0", "1"} {
					if b == "1" && (k[1] != "2" || typ == "2") || typ == "1" && slices.Contains(k, "0") && k[1] == "1" {
						continue // a constant kernel makes nu-SVC write rho nan
					}
					t.Run(fmt.Sprintf("%s/s%s %v b%s", s.name, typ, k, b), func(t *testing.T) {
						dir := t.TempDir()
						model, out := filepath.Join(dir, "model"), filepath.Join(dir, "out")
						tool(t, "svm-train", slices.Concat([]string{"-q", "-s", typ, "-b", b, "-n", "0.3"}, k, []string{train, model})...)
						tool(t, "svm-predict", "-b", b, test, model, out)
						m, raw := load(t, model)
						want := output(t, out)
						classes := b == "1" && m.Type.Classifies()
						compare(t, m, s.set.rows, want, classes)
						var back bytes.Buffer
						if n, err := m.WriteTo(&back); err != nil || int(n) != back.Len() || !bytes.Equal(back.Bytes(), raw) {
							t.Fatalf("written again with %v it differs:\n%s\n%s", err, head(raw), head(back.Bytes()))
						}
						if b == "0" {
							roundTrip(t, m, s.set, test, want)
						}
					})
				}
			}
		}
	}
}

func head(b []byte) []byte { return b[:min(len(b), 600)] }

// roundTrip: model, expansion, sorted expansion, model, file, svm-predict.
func roundTrip(t *testing.T, m *Model, s set, test string, want [][]float64) {
	t.Helper()
	e, err := m.Expansion()
	if err != nil {
		if k, _ := m.plainKernel(); fmt.Sprintf("%T", k) != "kernel.Linear" || m.Kernel == Linear {
			t.Fatal(err)
		}
		return
	}
	sorted, _ := e.Sort()
	if !slices.IsSorted(sorted.Labels) {
		t.Fatalf("labels %v", sorted.Labels)
	}
	again, err := FromExpansion(m.Type, sorted)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	model, out := filepath.Join(dir, "model"), filepath.Join(dir, "out")
	var b bytes.Buffer
	if _, err := again.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(model, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "svm-predict", test, model, out)
	got := output(t, out)
	f, err := m.Decision(s.rows)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if near(got[i][0], want[i][0], 1e-9) {
			continue
		}
		// Only a tie of votes, or a decision value of 0, may change the label.
		votes := make([]int, m.Classes)
		winner(f.RawRowView(i), votes)
		slices.Sort(votes)
		if !m.Type.Classifies() || votes[m.Classes-1] > votes[m.Classes-2] {
			t.Fatalf("row %d: %v, before %v, votes %v", i, got[i], want[i], votes)
		}
	}
}

// TestPeerPrecomputed: rows of kernel values.
func TestPeerPrecomputed(t *testing.T) {
	five := clouds(120, 6, 4, 9)
	n := len(five.y)
	k := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			var d2 float64
			for c := range 6 {
				d := five.rows.Dense.At(i, c) - five.rows.Dense.At(j, c)
				d2 += d * d
			}
			k.Set(i, j, math.Exp(-0.2*d2))
		}
	}
	const l = 80
	train := set{data.Rows{Dense: k.Slice(0, l, 0, l).(*mat.Dense)}, five.y[:l]}
	test := set{data.Rows{Dense: mat.DenseCopyOf(k.Slice(0, n, 0, l))}, five.y}
	trainFile, testFile := train.file(t, "train", true), test.file(t, "test", true)
	for _, typ := range []string{"0", "1", "2", "3"} {
		dir := t.TempDir()
		model, out := filepath.Join(dir, "model"), filepath.Join(dir, "out")
		tool(t, "svm-train", "-q", "-t", "4", "-s", typ, "-n", "0.3", trainFile, model)
		tool(t, "svm-predict", testFile, model, out)
		m, raw := load(t, model)
		want := output(t, out)
		compare(t, m, test.rows, want, false)
		compare(t, m, data.Rows{Sparse: sparseOf(test.rows)}, want, false)
		var back bytes.Buffer
		if _, err := m.WriteTo(&back); err != nil || !bytes.Equal(back.Bytes(), raw) {
			t.Fatalf("%v: %s", err, head(back.Bytes()))
		}
		if _, err := m.Decision(data.Rows{Dense: mat.NewDense(1, 5, nil)}); err == nil {
			t.Fatal("5 kernel values accepted")
		}
	}
}

// TestPeerScale: files of svm-scale and what it makes of rows.
func TestPeerScale(t *testing.T) {
	s := realSet(t, "heart_scale.svm")
	for i := range s.y {
		s.y[i] += float64(i) / 7
	}
	first := s.choose(func(i int) bool { return i < 100 })
	train, test := first.file(t, "train", false), s.file(t, "test", false)
	for _, limits := range [][2]string{{"-1", "1"}, {"0", "1"}, {"0.25", "3"}} {
		file := filepath.Join(t.TempDir(), "range")
		tool(t, "svm-scale", "-l", limits[0], "-u", limits[1], "-y", "-2", "5", "-s", file, train)
		printed := tool(t, "svm-scale", "-r", file, test)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g, err := ReadRanges(bytes.NewReader(raw), file)
		if err != nil {
			t.Fatal(err)
		}
		var back bytes.Buffer
		if _, err := g.WriteTo(&back); err != nil || !bytes.Equal(back.Bytes(), raw) {
			t.Fatalf("%v: %s for %s", err, back.Bytes(), raw)
		}
		want, _, err := read.LIBSVM(t.Context(), bytes.NewReader(printed), "scaled", read.Options{Dim: s.rows.Dim()})
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range []data.Rows{s.rows, {Dense: s.rows.Sparse.ToDense()}} {
			got := g.Apply(rows)
			for i := range s.y {
				a, b := dense(got, i), dense(want.Rows, i)
				for j := range b {
					if !near(a[j], b[j], 1e-5) { // printed with six digits
						t.Fatalf("limits %v, row %d, column %d: %g, svm-scale %g", limits, i, j, a[j], b[j])
					}
				}
				y, err := strconv.ParseFloat(want.Answers[i], 64)
				if v := g.Target.Scale(s.y[i]); err != nil || !near(v, y, 1e-12) {
					t.Fatalf("target %g is %g, svm-scale %g", s.y[i], v, y)
				}
			}
		}
		fit := FitRanges(first.rows, g.Lower, g.Upper)
		if !slices.Equal(fit.Columns, g.Columns) {
			t.Fatalf("ranges %v, svm-scale %v", fit.Columns, g.Columns)
		}
	}
}

// tied says whether the two largest outputs differ by rounding alone, which differs from processor to processor: one row of solver 4 is
// a support vector at such a point.
func tied(outputs []float64) bool {
	sorted := slices.Sorted(slices.Values(outputs))
	n := len(sorted)
	return n > 1 && sorted[n-1]-sorted[n-2] <= 1e-15*math.Abs(sorted[n-1])
}

// TestPeerLinear: every solver of LIBLINEAR, with and without bias.
func TestPeerLinear(t *testing.T) {
	two, many, reg := realSet(t, "heart_scale.svm"), clouds(200, 6, 4, 4), wave(150, 4, 6)
	for _, bias := range []string{"-1", "1.5"} {
		for _, solver := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "11", "12", "13"} {
			for i, s := range []set{two, many, reg} {
				if (i == 2) != (len(solver) == 2) {
					continue
				}
				probable := "0"
				if slices.Contains([]string{"0", "6", "7"}, solver) {
					probable = "1"
				}
				half := s.choose(func(i int) bool { return i%2 == 0 })
				dir := t.TempDir()
				model, out := filepath.Join(dir, "model"), filepath.Join(dir, "out")
				tool(t, "liblinear-train", "-q", "-s", solver, "-B", bias, half.file(t, "train", false), model)
				tool(t, "liblinear-predict", "-b", probable, s.file(t, "test", false), model, out)
				raw, err := os.ReadFile(model)
				if err != nil {
					t.Fatal(err)
				}
				m, err := ReadLinear(bytes.NewReader(raw), model)
				if err != nil {
					t.Fatal(err)
				}
				var back bytes.Buffer
				if _, err := m.WriteTo(&back); err != nil || !bytes.Equal(back.Bytes(), raw) {
					t.Fatalf("solver %s: %v\n%s\n%s", solver, err, head(raw), head(back.Bytes()))
				}
				got, err := m.Predict(s.rows)
				if err != nil {
					t.Fatal(err)
				}
				var p *mat.Dense
				if probable == "1" {
					if p, err = m.Probabilities(s.rows); err != nil {
						t.Fatal(err)
					}
				}
				outputs, err := m.Decision(s.rows)
				if err != nil {
					t.Fatal(err)
				}
				for r, w := range output(t, out) {
					if !near(got[r], w[0], 1e-5) && !tied(outputs.RawRowView(r)) {
						t.Fatalf("solver %s, bias %s, row %d: %g, LIBLINEAR %g", solver, bias, r, got[r], w[0])
					}
					for c, v := range w[1:] {
						if !near(p.At(r, c), v, 1e-5) {
							t.Fatalf("solver %s, row %d: probabilities %v, LIBLINEAR %v", solver, r, p.RawRowView(r), w[1:])
						}
					}
				}
			}
		}
	}
}

func sparseOf(r data.Rows) *data.CSR { return data.CSRFromDense(r.Dense) }
