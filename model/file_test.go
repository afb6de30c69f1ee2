package model_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/calibrate"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/sparse"
	"gonum.org/v1/gonum/mat"
)

func normal(r, c int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 2))
	a := mat.NewDense(r, c, nil)
	a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
	return a
}

// sample is a three-class model of two expansions on shared centres.
func sample(csr bool) *model.Model {
	x := normal(7, 3, 1)
	rows := data.Rows{Dense: x}
	if csr {
		rows = data.Rows{Sparse: sparse.FromDense(x)}
	}
	return &model.Model{
		Method: "lap-rls", Task: data.Classification, Classes: []string{"a", "b", "c"}, Label: "y",
		Columns: 3, Features: []string{"u", "v", "w"}, Sparse: csr,
		Scaling: data.Scaling{Kind: data.ScaleNone},
		Expansions: []kernel.Expansion{
			{Kernel: kernel.Gaussian{Sigma: 1.5}, Centres: rows, Coef: normal(7, 3, 2)},
			{Kernel: kernel.Linear{}, Centres: rows, Coef: normal(7, 3, 3)},
		},
		Offset: []float64{1, 2, 3}, Calibration: calibrate.Softmax{Temperature: 2}, Recipe: []byte(`{}`), Result: []byte(`{"method":"lap-rls"}`),
	}
}

func encode(t testing.TB, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	for _, csr := range []bool{false, true} {
		m := sample(csr)
		raw := encode(t, m)
		back, err := model.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(raw, encode(t, back)) {
			t.Error("a second writing differs")
		}
		x := data.Rows{Dense: normal(600, 3, 9)} // more than one panel
		a, err := m.Predict(x)
		if err != nil {
			t.Fatal(err)
		}
		b, err := back.Predict(x)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(a, b) {
			t.Error("the file predicts something else")
		}
	}
}

// Predict must be the sum it says, entry by entry.
func TestPredictBySum(t *testing.T) {
	m := sample(false)
	m.Scaling = data.Scaling{Kind: data.ScaleStandard, Shift: []float64{1, 0, -1}, Scale: []float64{2, 1, 3}}
	x := normal(4, 3, 5)
	got, err := m.Predict(data.Rows{Dense: x})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		z := mat.NewDense(1, 3, nil)
		for j := range 3 {
			z.Set(0, j, (x.At(i, j)-m.Scaling.Shift[j])/m.Scaling.Scale[j])
		}
		for c := range 3 {
			want := m.Offset[c]
			for _, e := range m.Expansions {
				g, err := e.Kernel.Bind(t.Context(), e.Centres, nil)
				if err != nil {
					t.Fatal(err)
				}
				k := mat.NewDense(1, 7, nil)
				if err := g.Cross(k, data.Rows{Dense: z}, nil); err != nil {
					t.Fatal(err)
				}
				for q := range 7 {
					want += k.At(0, q) * e.Coef.At(q, c)
				}
			}
			if d := got.At(i, c) - want; d > 1e-12 || d < -1e-12 {
				t.Errorf("row %d output %d: %g, want %g", i, c, got.At(i, c), want)
			}
		}
	}
}

// No damage of a single byte, no truncation and no newer version gets through.
func TestDamageIsSeen(t *testing.T) {
	raw := encode(t, sample(true))
	for i := range raw {
		bad := bytes.Clone(raw)
		bad[i] ^= 0x41
		if _, err := model.Decode(bad); err == nil {
			t.Fatalf("byte %d changed, no error", i)
		}
		if _, err := model.Decode(raw[:i]); err == nil {
			t.Fatalf("cut at byte %d, no error", i)
		}
	}
	newer := bytes.Replace(raw, []byte("model 1\n"), []byte("model 9\n"), 1)
	_, err := model.Decode(newer)
	if err == nil || !strings.Contains(err.Error(), "version 9") || !strings.Contains(err.Error(), "newer mercer") {
		t.Errorf("newer version: %v", err)
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("x,y\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, filepath.Join(dir, "absent"), dir} {
		_, err := model.Load(path)
		var fe *model.FileError
		if !errors.As(err, &fe) || fe.File != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// sealed puts the right check sum behind a body, so that the fuzzer gets past it.
func sealed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(bytes.Clone(body), sum[:]...)
}

// A decoded model must predict or refuse, never panic.
func FuzzDecode(f *testing.F) {
	for _, csr := range []bool{false, true} {
		raw := encode(f, sample(csr))
		f.Add(raw[:len(raw)-sha256.Size])
	}
	f.Add([]byte("mercer model 1\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := model.Decode(sealed(body))
		if err != nil {
			return
		}
		if m.Columns > 1<<12 || m.Outputs() > 1<<12 {
			t.Skip("too wide to predict here")
		}
		out, err := m.Predict(data.Rows{Dense: mat.NewDense(2, m.Columns, nil)})
		if err != nil {
			return
		}
		if r, c := out.Dims(); r != 2 || c != m.Outputs() {
			t.Errorf("%d x %d outputs", r, c)
		}
		m.Decide(out)
	})
}
