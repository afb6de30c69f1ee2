package model_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	from "github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func normal(r, c int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 2))
	a := mat.NewDense(r, c, nil)
	a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
	return a
}

// form is rows, sparse if asked for.
func form(x *mat.Dense, csr bool) data.Rows {
	if csr {
		return data.Rows{Sparse: data.CSRFromDense(x)}
	}
	return data.Rows{Dense: x}
}

// plain is a three-class model of three features with the parts.
func plain(csr bool, parts []model.Part) *model.Model {
	return &model.Model{
		Method: "lap-rls", Task: data.Classification, Classes: []string{"a", "b", "c"}, Label: "y",
		Columns: 3, Features: []string{"u", "v", "w"}, Sparse: csr,
		Scaling: data.Scaling{Kind: data.ScaleNone}, Parts: parts,
		Calibration: calibrate.Softmax{Temperature: 2}, Recipe: []byte(`{}`), Result: []byte(`{"method":"lap-rls"}`),
	}
}

// sample has two expansions on shared centres.
func sample(csr bool) *model.Model {
	rows := form(normal(7, 3, 1), csr)
	return plain(csr, model.Single([]kernel.Expansion{
		{Kernel: kernel.Gaussian{Sigma: 1.5}, Centres: rows, Coef: normal(7, 3, 2)},
		{Kernel: kernel.Polynomial{Degree: 2, Scale: 0.5, Offset: 1}, Centres: rows, Coef: normal(7, 3, 3)},
	}, []float64{1, 2, 3}))
}

// views has a part for two columns, one for the third and one for all, with every kind of function.
func views(csr bool) *model.Model {
	two := form(normal(6, 2, 4), csr)
	return plain(csr, []model.Part{
		{View: "first", Columns: []int{0, 2}, Offset: []float64{1, 0, -1}, Functions: []model.Function{
			model.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: two, Rows: []int{4, 0}, Coef: normal(2, 3, 5)},
			model.Expansion{Kernel: kernel.Laplacian{Sigma: 2}, Centres: two, Rows: []int{5, 4, 2}, Coef: normal(3, 3, 6)},
		}},
		{View: "second", Columns: []int{1}, Functions: []model.Function{model.Linear{Weights: normal(1, 3, 7)}}},
		{
			Functions: []model.Function{
				model.Mean{
					Expansion: model.Expansion{
						Kernel:  kernel.Gaussian{Sigma: 2},
						Centres: form(normal(5, 3, 8), csr),
						Coef:    normal(5, 3, 9),
					},
				},
			},
		},
	})
}

// front has three members over the same rows, the simplest of them a constant of zero.
func front(csr bool) *model.Model {
	rows := form(normal(7, 3, 1), csr)
	member := func(risk, complexity float64, functions ...model.Function) model.Member {
		return model.Member{Risk: risk, Complexity: complexity, Parts: []model.Part{{Functions: functions}}}
	}
	f := &model.Front{Chosen: 1, Members: []model.Member{
		member(1, 0),
		member(0.5, 1, model.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: rows, Rows: []int{6, 1}, Coef: normal(2, 3, 2)}),
		member(0.2, 3, model.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: rows, Rows: []int{1, 3}, Coef: normal(2, 3, 3)},
			model.Expansion{Kernel: kernel.Gaussian{Sigma: 3}, Centres: rows, Rows: []int{3}, Coef: normal(1, 3, 4)}),
	}}
	m := plain(csr, f.Members[f.Chosen].Parts)
	m.Front = f
	return m
}

// mixed has functions of some and of all of the same centres.
func mixed(csr bool) *model.Model {
	rows := form(normal(7, 3, 1), csr)
	return plain(csr, []model.Part{{Functions: []model.Function{
		model.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: rows, Rows: []int{6, 1}, Coef: normal(2, 3, 2)},
		model.Expansion{Kernel: kernel.Gaussian{Sigma: 2}, Centres: rows, Coef: normal(7, 3, 3)},
		model.Expansion{Kernel: kernel.Gaussian{Sigma: 3}, Centres: rows, Rows: []int{0}, Coef: normal(1, 3, 4)},
	}}})
}

// transduced has the outputs of its rows, two of which are equal.
func transduced(csr bool) *model.Model {
	x := normal(7, 3, 1)
	x.SetRow(5, x.RawRowView(2))
	rows := form(x, csr)
	e := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 1.5}, Centres: rows, Coef: normal(7, 3, 2)}
	return plain(csr, model.WeightedMean(e, true, []float64{0.5, 0, -1}))
}

// worded has words of text for columns.
func worded() *model.Model {
	m := sample(true)
	m.Text = &data.Text{Column: "body", NGrams: 2}
	return m
}

// weighted weighs its columns by TF-IDF.
func weighted() *model.Model {
	m := sample(true)
	m.Scaling = data.Scaling{Kind: data.ScaleTFIDF, Scale: []float64{1, 0.5, 0.25}}
	return m
}

func samples() map[string]*model.Model {
	return map[string]*model.Model{
		"dense": sample(
			false,
		), "sparse": sample(true), "views": views(false), "sparse views": views(true), "front": front(false), "sparse front": front(true),
		"mixed": mixed(false), "sparse mixed": mixed(true), "known": transduced(false), "sparse known": transduced(true),
		"words": worded(), "weights": weighted(),
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

func read(t testing.TB, raw []byte) (*model.Model, error) {
	t.Helper()
	return model.Read(t.Context(), bytes.NewReader(raw))
}

func predict(t *testing.T, m *model.Model, x data.Rows) *mat.Dense {
	t.Helper()
	out, err := m.Predict(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A file predicts what its model did, every member of a front too, and is written again as it was.
func TestRoundTrip(t *testing.T) {
	for name, m := range samples() {
		raw := encode(t, m)
		first := "mercer model 3\n"
		switch {
		case strings.HasSuffix(name, "known"):
			first = "mercer model 4\n"
		case m.Text != nil || m.Scaling.Kind == data.ScaleTFIDF:
			first = "mercer model 5\n"
		}
		if !bytes.HasPrefix(raw, []byte(first)) {
			t.Errorf("%s: begins %q", name, raw[:16])
		}
		back, err := read(t, raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(raw, encode(t, back)) {
			t.Errorf("%s: a second writing differs", name)
		}
		if (m.Text == nil) != (back.Text == nil) || m.Text != nil && *m.Text != *back.Text {
			t.Errorf("%s: text %v, was %v", name, back.Text, m.Text)
		}
		z := normal(600, 3, 9) // more than one panel
		if m.Scaling.Kind == data.ScaleTFIDF {
			z.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, z)
		}
		x := form(z, m.Sparse)
		if !mat.Equal(predict(t, m, x), predict(t, back, x)) {
			t.Errorf("%s: the file predicts something else", name)
		}
		if m.Front == nil {
			continue
		}
		for k := range m.Front.Members {
			a, errA := m.Member(k)
			b, errB := back.Member(k)
			if errA != nil || errB != nil || !mat.Equal(predict(t, a, x), predict(t, b, x)) ||
				a.HasProbabilities() != (k == m.Front.Chosen) {
				t.Errorf("%s: member %d differs (%v, %v)", name, k, errA, errB)
			}
		}
	}
}

// A mean that is known at its centres has their coefficients there, of equal centres their mean, and
// elsewhere the values of the plain mean.
func TestKnownRows(t *testing.T) {
	for _, csr := range []bool{false, true} {
		m := transduced(csr)
		mean := m.Parts[0].Functions[0].(model.Mean)
		plain := transduced(csr)
		plain.Parts[0].Functions[0] = model.Mean{Expansion: mean.Expansion}
		got, near, smooth := predict(t, m, mean.Centres), predict(t, plain, mean.Centres), normal(4, 3, 9)
		for i := range 7 {
			for j, b := range m.Parts[0].Offset {
				want := mean.Coef.At(i, j) + b
				if i == 2 || i == 5 {
					want = (mean.Coef.At(2, j)+mean.Coef.At(5, j))/2 + b
				}
				if math.Abs(got.At(i, j)-want) > 1e-15 || got.At(i, j) == near.At(i, j) {
					t.Errorf("sparse %v, row %d: %g, want %g; by the plain mean %g", csr, i, got.At(i, j), want, near.At(i, j))
				}
			}
		}
		smooth.Set(0, 0, mean.Coef.At(0, 0))
		if x := form(smooth, csr); !mat.Equal(predict(t, m, x), predict(t, plain, x)) {
			t.Errorf("sparse %v: other rows have other values", csr)
		}
	}
}

// A file holds the centres that its functions use, and no other.
func TestUnusedCentresAreNotWritten(t *testing.T) {
	m := front(false)
	all := len(encode(t, m))
	m.Front = nil // what is left uses two centres of seven
	one, err := read(t, encode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	e := one.Parts[0].Functions[0].(model.Expansion)
	if e.Centres.Len() != 2 {
		t.Errorf("%d centres, 2 are used (%d bytes of %d)", e.Centres.Len(), len(encode(t, m)), all)
	}
	x := form(normal(5, 3, 9), false)
	if !mat.Equal(predict(t, m, x), predict(t, one, x)) {
		t.Error("the file predicts something else")
	}
}

// Files of every version give the predictions that they gave when they were written.
func TestOldFiles(t *testing.T) {
	for name, set := range map[string]string{
		"v1-svm": "iris", "v1-auto": "two-moons", "v1-linear-regression": "sinc", "v2-front": "sinc", "v2-normalised": "iris",
		"v3-linear": "iris", "v3-views": "iris", "v3-front": "iris", "v4-harmonic": "two-moons", "v4-graph-reg": "sinc",
		"v5-words": "mails.csv", "v5-pairs-of-words": "mails.csv", "v6-decision": "two-moons", "v6-table": "stones.csv",
	} {
		path := filepath.Join("testdata", name+".mercer")
		m, err := model.Load(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		rows := asked(t, m, set)
		onCentres(m, rows)
		agrees(t, name, m, rows)
		again, err := read(t, encode(t, m))
		if err != nil {
			t.Fatalf("%s written again: %v", name, err)
		}
		agrees(t, name+" written again", again, rows)
		if first := firstLine(t, path); !strings.HasPrefix(name, "v"+strings.TrimPrefix(first, "mercer model ")+"-") {
			t.Errorf("%s begins with %q", name, first)
		}
		if (m.Front != nil) != strings.HasSuffix(name, "front") {
			t.Errorf("%s: front %v", name, m.Front != nil)
		}
	}
}

// asked are the rows of a built-in set, or of a file beside the models as they are read for one.
func asked(t *testing.T, m *model.Model, name string) data.Rows {
	t.Helper()
	if data.IsBuiltin(name) {
		set, err := data.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		return set.Rows
	}
	set, _, err := from.Open(t.Context(), filepath.Join("testdata", name), apply.Options(m, from.Options{}, false))
	if err == nil {
		set, err = apply.Suited(m, set)
	}
	if err != nil {
		t.Fatal(err)
	}
	return set.Rows
}

// onCentres moves rows that differ from a centre whose coefficient is known by rounding alone onto it: other processors round the
// numbers of generated sets otherwise, and such a row is not equal to the centre any more.
func onCentres(m *model.Model, rows data.Rows) {
	for _, p := range m.Parts {
		for _, f := range p.Functions {
			mean, ok := f.(model.Mean)
			if !ok || !mean.Known {
				continue
			}
			for i := range rows.Len() {
				for j := range mean.Centres.Len() {
					row, centre := rows.Dense.RawRowView(i), mean.Centres.Dense.RawRowView(j)
					if floats.Distance(row, centre, math.Inf(1)) < 1e-12 {
						copy(row, centre)
					}
				}
			}
		}
	}
}

// firstLine is that of a file.
func firstLine(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path) //nolint:gosec // a file of this test
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(line)
}

// agrees compares predictions with the file that `mercer predict` wrote.
func agrees(t *testing.T, name string, m *model.Model, rows data.Rows) {
	t.Helper()
	file, _, _ := strings.Cut(name, " ")
	text, err := os.ReadFile(filepath.Join("testdata", file+".csv")) //nolint:gosec // a file of this test
	if err != nil {
		t.Fatal(err)
	}
	want, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := predict(t, m, rows)
	if len(want) != rows.Len()+1 {
		t.Fatalf("%s: %d rows, %d predictions", name, rows.Len(), len(want)-1)
	}
	scores, class := m.Coding().Scores(out), []int(nil)
	if m.Task == data.Classification {
		class = m.Decide(out)
	}
	for i, record := range want[1:] {
		if class != nil && m.Classes[class[i]] != record[0] {
			t.Errorf("%s: row %d is %s, was %s", name, i, m.Classes[class[i]], record[0])
		}
		for k, text := range record[1:] {
			was, err := strconv.ParseFloat(text, 64)
			if got := scores.At(i, k); err != nil || math.Abs(got-was) > 1e-9*(1+math.Abs(was)) {
				t.Errorf("%s: row %d, score %d is %v, was %s", name, i, k, got, text)
			}
		}
	}
}

// No damage of a single byte and no truncation gets through, nor does a byte too many.
func TestDamageIsSeen(t *testing.T) {
	for _, m := range []*model.Model{sample(true), front(false)} {
		raw := encode(t, m)
		for i := range raw {
			bad := bytes.Clone(raw)
			bad[i] ^= 0x41
			if _, err := read(t, bad); err == nil {
				t.Fatalf("byte %d changed, no error", i)
			}
			if _, err := read(t, raw[:i]); err == nil {
				t.Fatalf("cut at byte %d, no error", i)
			}
		}
		if _, err := read(t, append(bytes.Clone(raw), 0)); err == nil || !strings.Contains(err.Error(), "goes on") {
			t.Errorf("a byte too many: %v", err)
		}
	}
}

// Rows that are no counts are refused by a model that weighs counts, and a list of words must be there.
func TestCountsAndWords(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{0, 1, 2, 1, -1, 0})
	_, err := weighted().Predict(t.Context(), form(x, true))
	if err == nil || !strings.HasPrefix(err.Error(), "row 1, column 1 is -1; TF-IDF is of counts") {
		t.Error(err)
	}
	for _, spoil := range []func(m *model.Model){
		func(m *model.Model) { m.Features = nil }, func(m *model.Model) { m.Text.NGrams = -1 },
		func(m *model.Model) { m.Features[2] = "u" },
	} {
		m := worded()
		spoil(m)
		if _, err := read(t, encode(t, m)); err == nil || !strings.Contains(err.Error(), "words") {
			t.Error(err)
		}
	}
}

// A file of the next version is refused though nothing in it is wrong, and both versions are named.
func TestNewerVersion(t *testing.T) {
	raw := encode(t, sample(false))
	newer := bytes.Replace(raw[:len(raw)-32], []byte("model 3\n"), []byte("model 7\n"), 1)
	_, err := read(t, sealed(newer))
	if err == nil || !strings.Contains(err.Error(), "version 7") || !strings.Contains(err.Error(), "up to 6") ||
		!strings.Contains(err.Error(), "newer mercer") {
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
		_, err := model.Load(t.Context(), path)
		var fe *model.FileError
		if !errors.As(err, &fe) || fe.File != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}
