package libsvm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/test/kept"
)

// wholeFiles are small files as LIBSVM's and LIBLINEAR's programs write them.
var wholeFiles = []struct {
	name, text string
	read       func(r io.Reader) (io.WriterTo, error)
}{
	{
		"c_svc",
		"svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 4\nrho 0.25 -1 2\nlabel 1 -1 3\nprobA -1 -2 -0.5\nprobB 0.125 " +
			"0 1\nnr_sv 2 1 1\nSV\n1 0.5 1:1 3:-2 \n-1 -0.5 2:0.25 \n0.75 1 1:0.5 \n-0.25 -1 \n",
		readKernel,
	},
	{
		"nu_svr",
		"svm_type nu_svr\nkernel_type polynomial\ndegree 3\ngamma 0.5\ncoef0 1\nnr_class 2\ntotal_sv 2\nrho 0.25\nprobA 0.125\nSV\n1 1:1 " +
			"2:2 \n-1 1:3 \n",
		readKernel,
	},
	{
		"one_class",
		"svm_type one_class\nkernel_type sigmoid\ngamma 0.5\ncoef0 -1\nnr_class 2\ntotal_sv 1\nrho 0.25\nprob_density_marks 0.25 0.5 1 2 " +
			"3 4 5 6 7 8\nSV\n1 2:1 \n",
		readKernel,
	},
	{
		"precomputed",
		"svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 2 7\nnr_sv 1 1\nSV\n1 0:3 \n-1 0:1 \n",
		readKernel,
	},
	{"linear", "solver_type L2R_LR\nnr_class 3\nlabel 3 1 2\nnr_feature 2\nbias 1\nw\n1 0.5 -1 \n0.25 2 0 \n-0.5 1 0.125 \n", readLines},
	{"linear one class", "solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 2\nbias -1\nrho 0.5\nw\n1 \n0.25 \n", readLines},
	{
		"ranges",
		"y\n-1 1\n2 6\nx\n0 1\n1 -2 2\n3 0.5 4.5\n",
		func(r io.Reader) (io.WriterTo, error) { g, err := ReadRanges(r, "f"); return g, err },
	},
}

func readKernel(r io.Reader) (io.WriterTo, error) { m, err := Read(r, "f"); return m, err }

func readLines(r io.Reader) (io.WriterTo, error) { m, err := ReadLinear(r, "f"); return m, err }

// TestDamagedFilesAreKept: what is said of files in which one word is another, missing or twice, and of which
// such changes are none, stays as it is in testdata; a file that is read is written again and read back the same.
func TestDamagedFilesAreKept(t *testing.T) {
	var b strings.Builder
	for _, f := range wholeFiles {
		words := strings.SplitAfter(strings.ReplaceAll(f.text, "\n", "\n "), " ")
		for at := -1; at < len(words); at++ {
			for _, with := range []string{"", "x", "-3", "1", "7", "1e999", "2147483648", "0:x"} {
				damaged := append([]string{}, words...)
				if at >= 0 {
					end := strings.TrimLeft(damaged[at], "-+.:_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
					damaged[at] = with + end
				} else if with != "" {
					continue
				}
				text := strings.ReplaceAll(strings.Join(damaged, ""), "\n ", "\n")
				m, err := f.read(strings.NewReader(text))
				said := "read"
				if err != nil {
					said = err.Error()
				} else if back := writtenAgain(t, m); at < 0 && back != f.text {
					t.Errorf("%s is written as\n%s", f.name, back)
				} else if again, err := f.read(strings.NewReader(back)); err != nil || writtenAgain(t, again) != back {
					t.Errorf("%s, written again, is not the same (%v):\n%s", f.name, err, back)
				}
				if at >= 0 {
					fmt.Fprintf(&b, "%s %d %q: %s\n", f.name, at, with, said)
				}
			}
		}
	}
	kept.Text(t, "testdata/damaged.txt", b.String())
}

func writtenAgain(t *testing.T, m io.WriterTo) string {
	t.Helper()
	var b bytes.Buffer
	if n, err := m.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes of %d, %v", n, b.Len(), err)
	}
	return b.String()
}

// halting gives a text and then an error.
type halting struct{ io.Reader }

func (h halting) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = errors.New("the disk is gone")
	}
	return n, err
}

// TestBrokenReaders: a file that can be read no further is refused wherever it breaks off, and one that ends too
// soon wherever that leaves out a word.
func TestBrokenReaders(t *testing.T) {
	for _, f := range wholeFiles {
		for n := range len(f.text) + 1 {
			var e *read.Error
			if _, err := f.read(halting{strings.NewReader(f.text[:n])}); !errors.As(err, &e) {
				t.Errorf("%s, broken at byte %d: %v", f.name, n, err)
			} else if n == len(f.text) && !strings.Contains(err.Error(), "the disk is gone") {
				t.Errorf("%s, broken at its end: %v", f.name, err)
			}
			last := strings.LastIndexByte(strings.TrimSpace(f.text), '\n')
			if _, err := f.read(strings.NewReader(f.text[:n])); n <= last-4 && f.name != "ranges" && !errors.As(err, &e) {
				t.Errorf("%s is read from %d bytes: %v", f.name, n, err)
			}
		}
		long := strings.Replace(f.text, " ", strings.Repeat(" ", 70_000), 1) // beyond the buffer
		m, err := f.read(strings.NewReader(long))
		if err != nil || writtenAgain(t, m) != f.text {
			t.Errorf("%s with a long line: %v", f.name, err)
		}
		for _, blank := range []string{"\t", "\v", "\f", "\r", " "} {
			if _, err := f.read(strings.NewReader(strings.ReplaceAll(f.text, " ", blank))); err != nil {
				t.Errorf("%s parted by %q: %v", f.name, blank, err)
			}
		}
		if _, err := f.read(strings.NewReader(strings.ReplaceAll(f.text, " ", "\x0e"))); f.name != "ranges" && err == nil {
			t.Errorf("%s parted by what is no blank is read", f.name)
		}
	}
}

// TestNothingToPredict: no row, or one that is no number, is an error of every question.
func TestNothingToPredict(t *testing.T) {
	one, err := Read(strings.NewReader(wholeFiles[0].text), "f")
	if err != nil {
		t.Fatal(err)
	}
	linear, err := ReadLinear(strings.NewReader(wholeFiles[4].text), "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []data.Rows{{}, {Dense: mat.NewDense(1, 3, []float64{1, math.NaN(), 0})}} {
		_, a := one.Decision(rows)
		_, b := one.Predict(rows)
		_, c := one.Probabilities(rows)
		_, d := linear.Decision(rows)
		_, e := linear.Predict(rows)
		_, f := linear.Probabilities(rows)
		for k, err := range []error{a, b, c, d, e, f} {
			if err == nil || !strings.HasPrefix(err.Error(), "libsvm: ") {
				t.Errorf("question %d of %d rows: %v", k, rows.Len(), err)
			}
		}
	}
}

// TestLinearModelsByHand: outputs, decisions and the model of this program for each kind of LIBLINEAR's, by
// arithmetic on paper.
func TestLinearModelsByHand(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(3, 2, []float64{1, 2, -1, 0, 0, 0})}
	for _, c := range []struct {
		name, text string
		decision   []float64 // of the file
		decided    []float64
		outputs    []float64 // of the model, positive for the second class in sorted order
	}{
		{"two classes, bias", "solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel -1 1\nnr_feature 2\nbias 2\nw\n1 \n0.5 \n0.25 \n",
			[]float64{2.5, -0.5, 0.5}, []float64{-1, 1, -1}, []float64{-2.5, 0.5, -0.5}},
		{"two classes in order", "solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n1 \n0.5 \n",
			[]float64{2, -1, 0}, []float64{1, -1, -1}, []float64{2, -1, 0}},
		{"bias of nothing", "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 2\nbias 0\nw\n1 \n0.5 \n7 \n", []float64{2, -1, 0},
			[]float64{2, -1, 0}, []float64{2, -1, 0}},
		{"three classes", "solver_type MCSVM_CS\nnr_class 3\nlabel 3 1 2\nnr_feature 2\nbias 1\nw\n1 0 -1 \n0 1 0.5 \n0 0.5 0.25 \n",
			[]float64{1, 2.5, 0.25, -1, 0.5, 1.25, 0, 0.5, 0.25}, []float64{1, 2, 1}, []float64{2.5, 0.25, 1, 0.5, 1.25, -1, 0.5, 0.25, 0}},
		{"one class", "solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 2\nbias -1\nrho 0.5\nw\n1 \n0.5 \n", []float64{1.5, -1.5, -0.5},
			[]float64{1, -1, -1}, []float64{1.5, -1.5, -0.5}},
	} {
		m, err := ReadLinear(strings.NewReader(c.text), "f")
		if err != nil {
			t.Fatal(c.name, err)
		}
		f, err := m.Decision(rows)
		if err != nil || !equalish(f.RawMatrix().Data, c.decision) {
			t.Errorf("%s: outputs %v, %v", c.name, mat.Formatted(f), err)
		}
		if thin, err := m.Decision(data.Rows{Sparse: data.CSRFromDense(rows.Dense)}); err != nil ||
			!equalish(thin.RawMatrix().Data, c.decision) {
			t.Errorf("%s: sparse outputs %v", c.name, err)
		}
		if got, err := m.Predict(rows); err != nil || !equalish(got, c.decided) {
			t.Errorf("%s: predictions %v, %v", c.name, got, err)
		}
		own, err := m.ToModel()
		if err != nil {
			t.Fatal(c.name, err)
		}
		if out, err := own.Predict(t.Context(), rows); err != nil || !equalish(out.RawMatrix().Data, c.outputs) {
			t.Errorf("%s: the model gives %v, %v", c.name, mat.Formatted(out), err)
		}
	}
}

func equalish(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= 1e-14) {
			return false
		}
	}
	return true
}

// TestRangesByHand: ranges applied to rows by arithmetic on paper, dense and sparse, and targets there and back.
func TestRangesByHand(t *testing.T) {
	g := &Ranges{Lower: -1, Upper: 1, Columns: []Range{{0, 0, 4}, {1, 2, 2}, {3, -1, 1}, {5, 1, 3}}, Target: &Target{-1, 1, 2, 6}}
	in := mat.NewDense(3, 5, []float64{0, 9, 8, 0.5, 7, 1, 2, 0, 0, 0, 4, 0, 0, -1, 0})
	want := mat.NewDense(3, 5, []float64{-1, 0, 0, 0.5, 0, -0.5, 0, 0, 0, 0, 1, 0, 0, -1, 0})
	if got := g.Apply(data.Rows{Dense: in}); !mat.EqualApprox(got.Dense, want, 1e-14) {
		t.Errorf("dense: %v", mat.Formatted(got.Dense))
	}
	wide := mat.NewDense(3, 6, nil)
	wide.Slice(0, 3, 0, 5).(*mat.Dense).Copy(want)
	for i := range 3 {
		wide.Set(i, 5, -2) // an absent feature is zero, and that is below the range
	}
	got := g.Apply(data.Rows{Sparse: data.CSRFromDense(in), ID: []int{4, 5, 6}})
	if !mat.EqualApprox(got.Sparse.ToDense(), wide, 1e-14) || len(got.ID) != 3 {
		t.Errorf("sparse: %v", mat.Formatted(got.Sparse.ToDense()))
	}
	for i := range 3 {
		if _, v := got.Sparse.Row(i); len(v) != map[int]int{0: 3, 1: 2, 2: 3}[i] {
			t.Errorf("row %d stores %v", i, v)
		}
	}
	for v, scaled := range map[float64]float64{2: -1, 6: 1, 4: 0, 8: 2} {
		if got := g.Target.Scale(v); got != scaled {
			t.Errorf("%g is scaled to %g, not %g", v, got, scaled)
		}
	}
	if v := (&Target{-1, 1, 3, 3}).Scale(3); v != -1 {
		t.Errorf("a target that is always the same is %g", v)
	}
	fit := FitRanges(data.Rows{Dense: in}, 0, 1)
	if fmt.Sprint(*fit) != "{0 1 [{0 0 4} {1 0 9} {2 0 8} {3 -1 0.5} {4 0 7}] <nil>}" {
		t.Errorf("ranges %v", *fit)
	}
}

// TestBreaksAreNamed: wherever a file can be read no further, that is what is said, and not that a word lacks or is another one.
func TestBreaksAreNamed(t *testing.T) {
	broken := func(name, text string, read func(r io.Reader) error) {
		for n := range len(text) + 1 {
			err := read(halting{strings.NewReader(text[:n])})
			if err == nil || !strings.Contains(err.Error(), "cannot be read further: the disk is gone; ") {
				t.Errorf("%s, broken at byte %d: %v", name, n, err)
			}
		}
	}
	for _, f := range wholeFiles {
		broken(f.name, f.text, func(r io.Reader) error { _, err := f.read(r); return err })
	}
	broken("weights", "0.5\n-1\n2\n", func(r io.Reader) error { _, err := ReadWeights(r, "f"); return err })
}
