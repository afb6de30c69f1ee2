package model_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/drift"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

const damaged = "; the file is damaged; fit the model again"

// TestChecksOfHeaders: each value of a header at and beyond its bounds.
func TestChecksOfHeaders(t *testing.T) {
	one := 1.0
	fills := func(n int) func(*model.Model) { return func(m *model.Model) { m.Fill = make([]float64, n) } }
	two := func(m *model.Model) { // classes, with the one output that they have
		m.Classes, m.Calibration = []string{"a", "b"}, calibrate.Sigmoid{Slope: 1}
		m.Parts = []model.Part{{Offset: []float64{1}}}
	}
	numbers := func(m *model.Model) {
		two(m)
		m.Task, m.Classes, m.Calibration = data.Regression, nil, nil
	}
	isotonic := calibrate.Isotonic{Score: []float64{-1, 2}, P: []float64{0.2, 0.9}}
	pairs := func(n int) calibrate.Pairs {
		return calibrate.Pairs{Classes: n, Pair: make([]calibrate.Sigmoid, n*(n-1)/2)}
	}
	for name, c := range map[string]struct {
		change func(*model.Model)
		sparse bool
		want   string // "": it is read, and has what was written
	}{
		"plain":              {func(*model.Model) {}, false, ""},
		"no column":          {func(m *model.Model) { m.Columns, m.Features = 0, nil }, false, "0 features with 0 names"},
		"fewer names":        {func(m *model.Model) { m.Features = m.Features[:2] }, false, "3 features with 2 names"},
		"no name":            {func(m *model.Model) { m.Features = nil }, false, ""},
		"text of dense rows": {func(m *model.Model) { m.Text = &data.Text{} }, false, "text without a list of words"},
		"text":               {func(m *model.Model) { m.Text = &data.Text{} }, true, ""},
		"two words alike": {
			func(m *model.Model) { m.Text, m.Features[0] = &data.Text{}, "w" }, true,
			"text with a list of words that has one twice",
		},
		"fills":           {fills(3), false, ""},
		"fewer fills":     {fills(2), false, "2 fills of missing cells for 3 features"},
		"fills of sparse": {fills(3), true, "3 fills of missing cells for 3 features"},
		"one class":       {func(m *model.Model) { m.Classes = []string{"a"} }, false, "1 classes"},
		"two classes":     {two, false, ""},
		"isotonic":        {func(m *model.Model) { two(m); m.Calibration = isotonic }, false, ""},
		"softmax of two": {
			func(m *model.Model) { two(m); m.Calibration = calibrate.Softmax{} }, false,
			"a calibration calibrate.Softmax for 2 classes with 1 outputs",
		},
		"softmax of pairs": {func(m *model.Model) { m.Pairs = true }, false,
			"a calibration calibrate.Softmax for 3 classes with 3 outputs"},
		"pairs": {func(m *model.Model) { m.Pairs, m.Calibration = true, pairs(3) }, false, ""},
		"pairs of others": {
			func(m *model.Model) { m.Pairs, m.Calibration = true, pairs(4) }, false,
			"a calibration calibrate.Pairs for 3 classes with 3 outputs",
		},
		"pairs of rest": {
			func(m *model.Model) { m.Calibration = pairs(3) }, false,
			"a calibration calibrate.Pairs for 3 classes with 3 outputs",
		},
		"sigmoid of three": {
			func(m *model.Model) { m.Calibration = calibrate.Sigmoid{} }, false,
			"a calibration calibrate.Sigmoid for 3 classes with 3 outputs",
		},
		"calibrated numbers": {
			func(m *model.Model) { numbers(m); m.Calibration = isotonic }, false,
			"a calibration calibrate.Isotonic for 0 classes with 1 outputs",
		},
		"negative slope": {func(m *model.Model) { two(m); m.Calibration = calibrate.Sigmoid{Slope: -1} }, false, "calibration: "},
		"numbers":        {numbers, false, ""},
		"decision":       {func(m *model.Model) { m.Decision = &result.Decision{Rule: "r", Weight: []float64{1, 2, 3}} }, false, ""},
		"two weights": {
			func(m *model.Model) { m.Decision = &result.Decision{Weight: []float64{1, 2}} }, false,
			"decision: 2 weights of 3 classes",
		},
		"no weights of none": {func(m *model.Model) { numbers(m); m.Decision = &result.Decision{} }, false,
			"decision: 0 weights of 0 classes"},
		"uncalibrated": {
			func(m *model.Model) { m.Calibration, m.Decision = nil, &result.Decision{Weight: []float64{1, 2, 3}} }, false,
			"decision: there are no probabilities to decide by",
		},
		"a weight of nought": {
			func(m *model.Model) { m.Decision = &result.Decision{Weight: []float64{1, 2, 0}} }, false,
			"decision: weight 3 is 0",
		},
		"a negative weight": {
			func(m *model.Model) { m.Decision = &result.Decision{Weight: []float64{-1, 2, 1}} }, false,
			"decision: weight 1 is -1",
		},
		"a profile": {func(m *model.Model) { model.SetProfile(m, &drift.Profile{Columns: make([]drift.Sketch, 3)}) }, false, ""},
		"a profile of others": {
			func(m *model.Model) { model.SetProfile(m, &drift.Profile{Columns: make([]drift.Sketch, 2)}) }, false,
			"a profile of another number of columns",
		},
		"fewer scales": {func(m *model.Model) {
			m.Scaling = data.Scaling{Kind: data.ScaleStandard, Shift: make([]float64, 3), Scale: []float64{1, 2}}
		}, false, "scaling: standard with 3 shifts and 2 scales for 3 columns"},
		"fills of a table": {func(m *model.Model) {
			m.Table = data.NewTable(nil)
			for _, f := range m.Features {
				m.Table.Columns = append(m.Table.Columns, data.Column{Name: f, Kind: data.KindNumber, Fill: &one})
			}
			m.Fill = make([]float64, 3)
		}, false, "3 fills of missing cells for 3 features"},
		"no column of a view": {func(m *model.Model) { m.Parts[0].Columns = []int{} }, false, ""}, // is not written
	} {
		m := plain(c.sparse, []model.Part{{Offset: []float64{1, 2, 3}}})
		c.change(m)
		back, err := read(t, encode(t, m))
		if c.want == "calibration: " { // package calibrate has its words
			if err == nil || !strings.HasPrefix(err.Error(), "model: calibration: ") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if c.want != "" {
			failtest.Refused(t, err, "model: "+c.want+damaged)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(m.Calibration, back.Calibration) || !reflect.DeepEqual(m.Decision, back.Decision) ||
			!reflect.DeepEqual(model.Profile(m), model.Profile(back)) || !reflect.DeepEqual(m.Fill, back.Fill) || m.Pairs != back.Pairs {
			t.Errorf("%s: %+v was read as %+v", name, m, back)
		}
	}
}

// Elements of lists that lack what they must have, and what is no list, are refused where they stand.
func TestListsOfHeaders(t *testing.T) {
	const good = `{"functions":[],"offset":[1]}`
	head := func(rest string) []byte { return file(t, 3, common+`"columns":1,`+rest+`}`, []float64{1}) }
	for rest, want := range map[string]string{
		`"centres":[],"parts":[` + good + `,{}]`:                                          "element 2 of a list has no functions",
		`"centres":[{"rows":1,"columns":1},{"columns":1}],"parts":[` + good + `]`:         "element 2 of a list has no rows",
		`"centres":[],"parts":[{"functions":[{"kind":"linear"},{}]}]`:                     "element 2 of a list has no kind",
		`"centres":[],"parts":[` + good + `],"front":{"chosen":0,"members":[{"risk":1}]}`: "element 1 of a list has no parts",
		`"centres":[],"parts":{}`:                                                         "{ where a list is due",
		`"centres":3,"parts":[` + good + `]`:                                              "3 where a list is due",
		`"centres":[],"parts":[{"functions":[],"columns":[1]}]`:                           "part 1: columns: number 1 after -1 of 1",
		`"centres":[],"parts":[{"functions":[],"columns":[0,0]}]`:                         "part 1: columns: number 0 after 0 of 1",
		`"centres":[],"parts":[{"functions":[],"offset":[1,2]}]`:                          "part 1: 2 offsets for 1 outputs",
		`"centres":[],"parts":[{"functions":[],"columns":[]}]`:                            "part 1: looks at no column",
		`"centres":[{"rows":1,"columns":2}],"parts":[{"functions":[{"kind":"mean"}]}]`:    "part 1, centres: is cut short",
	} {
		raw := head(rest)
		if strings.Contains(want, "cut short") {
			raw = raw[:len(raw)-32]
		}
		if !strings.Contains(want, "part 1") {
			want = "header: " + want
		}
		_, err := read(t, raw)
		failtest.Refused(t, err, "model: "+want+damaged)
	}
	for _, rest := range []string{`"centres":null,"parts":[` + good + `]`, `"parts":[` + good + `]`} {
		if _, err := read(t, file(t, 3, common+`"columns":1,`+rest+`}`)); err != nil {
			t.Errorf("%s: %v", rest, err)
		}
	}
	member := `"front":{"chosen":0,"members":[{"parts":[` + good + `]},` +
		`{"parts":[{"functions":[{"kind":"expansion","kernel":{"type":"linear"}}]}]}]}`
	_, err := read(t, head(`"centres":[{"rows":1,"columns":2}],"parts":[` + good + `],` + member)[:300])
	if err == nil {
		t.Error("what is cut short is read")
	}
	body := head(`"centres":[{"rows":1,"columns":2}],"parts":[` + good + `],` + member)
	_, err = read(t, body[:len(body)-32])
	failtest.Refused(t, err, "model: member 2, part 1, centres: is cut short"+damaged)
	body = head(`"centres":[{"rows":1,"columns":2}],"parts":[` + good + `]`)
	_, err = read(t, body[:len(body)-32])
	failtest.Refused(t, err, "model: no part, centres: is cut short"+damaged)
	_, err = read(t, file(t, 3, common+`"columns":1,"centres":[{"rows":1,"columns":2}],"parts":[{"functions":[`+
		`{"kind":"expansion","kernel":{"type":"linear"}}]}]}`, []float64{1, 2}))
	failtest.Refused(t, err, "model: part 1: function 1: centres of 2 columns for 1 features"+damaged)
}

// First lines that name no version, and headers that are longer than any, are refused.
func TestFirstLines(t *testing.T) {
	foreign := "model: is not a Mercer model; give a file that mercer fit -o wrote"
	long := func(size uint64) string {
		b := bytes.NewBufferString("mercer model 3\n")
		for i := range 8 {
			b.WriteByte(byte(size >> (8 * i)))
		}
		return b.String()
	}
	for text, want := range map[string]string{
		"":                          foreign,
		"mercer mode":               foreign,
		"mercer modem 3\n":          foreign,
		"mercer model ":             "model: first line: is cut short" + damaged,
		"mercer model 123456789\n":  "model: has version 123456789, this program reads up to 6; use a newer mercer",
		"mercer model 1234567890\n": "model: no version in its first line" + damaged,
		"mercer model 0\n":          `model: version "0"` + damaged,
		"mercer model x\n":          `model: version "x"` + damaged,
		"mercer model 6\n1234567":   "model: length of the header: is cut short" + damaged,
		"mercer model 1\n\x00":      "model: length of the header: is cut short" + damaged,
		long(1 << 28):               "model: header: is cut short" + damaged,
		long(1<<28 + 1):             "model: announces a header of 268435457 bytes" + damaged,
	} {
		_, err := read(t, []byte(text))
		failtest.Refused(t, err, want)
	}
	for _, text := range []string{long(2), strings.Replace(long(2), "3", "2", 1)} { // package json has the words
		if _, err := read(t, []byte(text+"[]")); err == nil || !strings.HasPrefix(err.Error(), "model: header: json: ") {
			t.Errorf("a header that is a list: %v", err)
		}
	}
}

// full is a writer that has room for some bytes, and refuses the first write of more.
type full struct {
	room    int
	refused bool
}

var errFull = errors.New("there is no room")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 && !f.refused {
		f.refused = true
		return 0, errFull
	}
	return len(p), nil
}

// A writer that fails at any byte ends Write with its error, and so does a kernel that no file can hold.
func TestWritingFails(t *testing.T) {
	for name, m := range samples() {
		size := len(encode(t, m))
		for room := 0; room < size; room += 1 + size/200 {
			if err := m.Write(&full{room: room}); !errors.Is(err, errFull) {
				t.Fatalf("%s: room for %d of %d bytes gives %v", name, room, size, err)
			}
		}
		for _, room := range []int{size - 1, size - 32, size - 33} {
			if err := m.Write(&full{room: room}); !errors.Is(err, errFull) {
				t.Errorf("%s: room for %d of %d bytes gives %v", name, room, size, err)
			}
		}
	}
	rows := form(normal(4, 3, 1), false)
	e := model.Expansion{Kernel: kernel.LowRank{Base: kernel.Linear{}, Centres: rows}, Centres: rows, Coef: normal(4, 3, 1)}
	inside, chosen := plain(false, []model.Part{{Functions: []model.Function{e}}}), front(false)
	chosen.Front.Members[2].Parts[0].Functions = []model.Function{e}
	strange := plain(false, nil)
	strange.Recipe = []byte("{")
	for name, m := range map[string]*model.Model{"a part": inside, "a member": chosen, "a recipe": strange} {
		if err := m.Write(io.Discard); err == nil {
			t.Errorf("%s that no file can hold is written", name)
		}
	}
	if err := strange.Write(io.Discard); err == nil || !strings.HasPrefix(err.Error(), "model: header: ") {
		t.Errorf("a recipe that is no JSON: %v", err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := sample(false).Save(path); err != nil {
		t.Fatal(err)
	}
	if m, err := model.Load(t.Context(), path); err != nil || !bytes.Equal(encode(t, m), encode(t, sample(false))) {
		t.Errorf("what was saved is not the model: %v", err)
	}
	absent := filepath.Join(t.TempDir(), "absent")
	_, err := model.Load(t.Context(), absent)
	failtest.Refused(t, err, absent+": no such file or directory; give a file that mercer fit -o wrote")
	if err := inside.Save(path); err == nil {
		t.Error("what no file can hold is saved")
	}
}

// TestVersions: a file is of the oldest version that has all that is in it.
func TestVersions(t *testing.T) {
	decided := sample(false)
	decided.Decision = &result.Decision{Weight: []float64{1, 1, 1}}
	smooth := transduced(false)
	smooth.Parts = model.WeightedMean(smooth.Parts[0].Functions[0].(model.Mean).Plain(), false, nil)
	for want, m := range map[string]*model.Model{"3": smooth, "6": decided} {
		if raw := encode(t, m); !bytes.HasPrefix(raw, []byte("mercer model "+want+"\n")) {
			t.Errorf("%.16q, want version %s", raw, want)
		}
	}
}

// TestDecide: the class is that of the largest weighted probability, the first of equal ones.
func TestDecide(t *testing.T) {
	p := mat.NewDense(4, 3, []float64{0.5, 0.25, 0.25, 0.2, 0.3, 0.5, 0.1, 0.2, 0.7, 0, 0, 1})
	for want, w := range map[string][]float64{
		"[0 2 2 2]": {1, 1, 1}, "[1 1 1 2]": {1, 4, 1}, "[0 0 2 2]": {4, 1, 1}, "[0 0 0 2]": {40, 20, 5},
	} {
		if got := fmt.Sprint(result.Decision{Weight: w}.Decide(p)); got != want {
			t.Errorf("weights %v: %s, want %s", w, got, want)
		}
	}
	// A model decides by its probabilities where it has a decision, and as its outputs say where these are not finite.
	m := sample(false)
	out := mat.NewDense(2, 3, []float64{1, 1.1, 1.05, 3, 2, 1})
	if got := fmt.Sprint(m.Decide(out)); got != "[1 0]" {
		t.Errorf("by outputs: %s", got)
	}
	m.Decision = &result.Decision{Weight: []float64{1, 1, 9}}
	if got := fmt.Sprint(m.Decide(out)); got != "[2 0]" {
		t.Errorf("by probabilities: %s", got)
	}
	out.Set(1, 0, math.Inf(1))
	if got := fmt.Sprint(m.Decide(out)); got != "[1 0]" {
		t.Errorf("with an output that is not finite: %s", got)
	}
}

// Rows that do not fit, or have no finite output, are refused with what there is to do.
func TestRowsThatAreRefused(t *testing.T) {
	_, err := sample(false).Predict(t.Context(), data.Rows{})
	failtest.Refused(t, err, "model: no row to predict")
	_, err = sample(false).Predict(t.Context(), form(normal(2, 4, 1), false))
	failtest.Refused(t, err, "model: 4 columns, the model was trained on 3")
	nan, inf := math.NaN(), math.Inf(1)
	far := "the model has no finite prediction for this row, whose features are far too large for it; check them, or leave the row out"
	none := "the row has no view, all its cells are missing; fill in those of one view, or leave the row out"
	apart := views(false)
	apart.Parts = apart.Parts[:2]
	for _, c := range []struct {
		m     *model.Model
		cells []float64
		want  string // "": it is predicted
	}{
		{apart, []float64{1, 2, 3}, ""}, {apart, []float64{nan, 2, nan}, ""}, {apart, []float64{1, nan, 3}, ""},
		{apart, []float64{nan, nan, nan}, none},
		{apart, []float64{1, 2, nan}, "some cells of view first are missing and some are there; fill them in, or empty all of them"},
		{apart, []float64{1, inf, 3}, "some cells of view second are missing and some are there; fill them in, or empty all of them"},
		{apart, []float64{1, 1e308 * 1.7, 3}, far},
		{sample(false), []float64{1e300, 1e300, 1}, far}, {sample(false), []float64{1, nan, 3}, far},
	} {
		if c.want == far && c.m == apart {
			w := c.m.Parts[1].Functions[0].(model.Linear).Weights
			c.m = views(false)
			c.m.Parts = []model.Part{c.m.Parts[0], {View: "second", Columns: []int{1}, Functions: []model.Function{
				model.Linear{Weights: mat.NewDense(1, 3, []float64{9, 9, w.At(0, 0)})}}}}
		}
		x := normal(3, 3, 1)
		x.SetRow(1, c.cells)
		_, err := c.m.Predict(t.Context(), form(x, false))
		if c.want == "" {
			if err != nil {
				t.Errorf("%v: %v", c.cells, err)
			}
			continue
		}
		failtest.Refused(t, err, c.want)
		var row *model.RowError
		if !errors.As(err, &row) || row.Row != 1 {
			t.Errorf("%v: %+v", c.cells, err)
		}
	}
}

// Sparse rows of several views have the mean over the views of which they store something, and over all where they store nothing.
func TestSparseRowsOfViews(t *testing.T) {
	m := views(true)
	m.Parts = m.Parts[:2]
	x := mat.NewDense(4, 3, []float64{1, 2, 3, 1, 0, 0, 0, 2, 0, 0, 0, 0})
	got := predict(t, m, form(x, true))
	list, err := m.Views(t.Context(), form(x, true))
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	for i, seen := range [][2]bool{{true, true}, {true, false}, {false, true}, {true, true}} {
		for c := range 3 {
			var sum, n float64
			for v, p := range m.Parts {
				want := mat.NewDense(4, 3, nil)
				for _, f := range p.Functions {
					want.Add(want, values(t, f, data.Rows{Dense: x}.SelectColumns(p.Columns).Dense))
				}
				value := want.At(i, c)
				if p.Offset != nil {
					value += p.Offset[c]
				}
				if one := list[v].At(i, c); seen[v] != !math.IsNaN(one) || seen[v] && math.Abs(one-value) > 1e-12 {
					t.Errorf("row %d, view %d has %v, want %v, if there %v", i, v, one, value, seen[v])
				}
				if seen[v] {
					sum, n = sum+value, n+1
				}
			}
			if math.Abs(got.At(i, c)-sum/n) > 1e-12 {
				t.Errorf("row %d: %v, want %v", i, got.At(i, c), sum/n)
			}
		}
	}
	if list, err := sample(false).Views(t.Context(), form(x, false)); list != nil || err != nil {
		t.Errorf("a model of one part has views: %v, %v", list, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Views(ended, form(x, true)); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// The weights of a mean are those of which its value is the sum, and so are those of an expansion.
func TestWeightsOfCentres(t *testing.T) {
	x := normal(5, 3, 7)
	mean := transduced(false).Parts[0].Functions[0].(model.Mean)
	copy(x.RawRowView(1), mean.Centres.Dense.RawRowView(2)) // whose coefficients are those of centres 2 and 5
	for _, known := range []bool{false, true} {
		for _, csr := range []bool{false, true} {
			mean.Known, mean.Centres = known, form(mat.DenseCopyOf(transduced(false).Parts[0].Functions[0].(model.Mean).Centres.Dense), csr)
			w, err := mean.Weights(t.Context(), form(x, csr))
			if err != nil {
				t.Fatal(err)
			}
			got := new(mat.Dense)
			got.Mul(w, mean.Coef)
			m := plain(csr, []model.Part{{Functions: []model.Function{mean}}})
			if want := predict(t, m, form(x, csr)); !mat.EqualApprox(got, want, 1e-13) {
				t.Errorf("known %v, sparse %v: %v, want %v", known, csr, mat.Formatted(got), mat.Formatted(want))
			}
			if known && (w.At(1, 2) != 0.5 || w.At(1, 5) != 0.5) {
				t.Errorf("a known row has the weights %v", w.RawRowView(1))
			}
		}
	}
	mean.Kernel = kernel.Linear{}
	_, err := mean.Weights(t.Context(), form(x, true))
	failtest.Refused(t, err, "model: only a Gaussian kernel makes a weighted mean")
	_, err = plain(true, []model.Part{{Functions: []model.Function{mean}}}).Predict(t.Context(), form(x, true))
	failtest.Refused(t, err, "model: only a Gaussian kernel makes a weighted mean")
}

// Weights of a linear model of views stand at the columns of the views.
func TestLinearWeightsOfViews(t *testing.T) {
	a, b := normal(2, 3, 1), normal(1, 3, 2)
	m := plain(false, []model.Part{
		{Columns: []int{0, 2}, Functions: []model.Function{model.Linear{Weights: a}, model.Linear{Weights: a}}, Offset: []float64{1, 2, 3}},
		{Columns: []int{1}, Functions: []model.Function{
			model.Expansion{Kernel: kernel.Linear{}, Centres: form(mat.NewDense(1, 1, []float64{2}), false), Coef: b},
		}, Offset: []float64{1, 1, 1}},
	})
	w, offset, err := m.LinearWeights()
	if err != nil || fmt.Sprint(offset) != "[2 3 4]" {
		t.Fatal(offset, err)
	}
	for c := range 3 {
		if w.At(0, c) != 2*a.At(0, c) || w.At(1, c) != 2*b.At(0, c) || w.At(2, c) != 2*a.At(1, c) {
			t.Errorf("output %d: %v", c, mat.Formatted(w))
		}
	}
	_, _, err = sample(false).LinearWeights()
	failtest.Refused(t, err, "this model has a kernel that is not linear; fit with --kernel linear")
}

// A table is refused where its columns need more than is allowed, which is not where they need as much.
func TestRoomForColumns(t *testing.T) {
	allowed := machine.Allowed(0)
	if allowed == 0 {
		t.Skip("nothing is known of the memory of this machine")
	}
	m := &model.Model{Columns: int(allowed / 8)}
	if err := m.HoldsColumns(7); err != nil {
		t.Error(err)
	}
	failtest.Refused(t, m.HoldsColumns(16), fmt.Sprintf("its %d columns need %.3g bytes of memory, %.3g are allowed; "+
		"number the features without gaps and fit anew", m.Columns, 16*float64(m.Columns), float64(allowed)))
	// Weights are twice as many numbers as columns, of each output.
	m = &model.Model{Columns: 1 << 60, Task: data.Classification, Classes: []string{"a", "b", "c"}}
	_, _, err := m.LinearWeights()
	failtest.Refused(t, err, fmt.Sprintf("its %d columns need 5.53e+19 bytes of memory, %.3g are allowed; "+
		"number the features without gaps and fit anew", m.Columns, float64(allowed)))
}

// Columns of which a prediction keeps tables may not be more than the bytes of the file, in the members of a front neither.
func TestColumnsAndBytes(t *testing.T) {
	many := 1 << 20
	wide := func(change func(*model.Model)) error {
		m := plain(true, []model.Part{{Offset: []float64{1, 2, 3}}})
		m.Columns, m.Features = many, nil
		change(m)
		_, err := read(t, encode(t, m))
		return err
	}
	looks := []model.Part{{Columns: []int{3}, Offset: []float64{1, 2, 3}}}
	if err := wide(func(*model.Model) {}); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*model.Model){
		"dense": func(m *model.Model) { m.Sparse = false },
		"view":  func(m *model.Model) { m.Parts = looks },
		"member": func(m *model.Model) {
			m.Front = &model.Front{Members: []model.Member{{Parts: m.Parts}, {Parts: looks}}}
		},
	} {
		if err := wide(change); err == nil || !strings.Contains(err.Error(), "announces 1048576 columns in ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Bound models of sparse rows, and those whose kernels fail, answer as the plain ones do.
func TestBindSparse(t *testing.T) {
	for name, m := range samples() {
		b, err := m.Bind(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		z := normal(9, 3, 4)
		z.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, z)
		if x := form(z, m.Sparse); !mat.Equal(predict(t, m, x), predict(t, b, x)) {
			t.Errorf("%s: bound it answers otherwise", name)
		}
	}
	wide := mat.NewDense(2, 50, nil)
	wide.Set(0, 3, 1)
	wide.Set(1, 40, 2)
	for _, k := range []kernel.Kernel{
		kernel.Gaussian{Sigma: 1}, kernel.Normalised{Base: kernel.Polynomial{Degree: 2, Scale: 1, Offset: 1}},
		kernel.Product{Terms: []kernel.Kernel{kernel.Gaussian{Sigma: 2}, kernel.Linear{}}},
	} {
		m := plain(true, model.Single([]kernel.Expansion{{Kernel: k, Centres: form(wide, true), Coef: normal(2, 3, 1)}}, nil))
		m.Columns, m.Features = 50, nil
		b, err := m.Bind(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		x := mat.NewDense(3, 50, nil)
		x.SetRow(1, wide.RawRowView(1))
		x.Set(2, 7, 3)
		dense := plain(false, model.Single([]kernel.Expansion{{Kernel: k, Centres: form(wide, false), Coef: normal(2, 3, 1)}}, nil))
		dense.Columns, dense.Features = 50, nil
		want := predict(t, dense, form(x, false))
		got, bound := predict(t, m, form(x, true)), predict(t, b, form(x, true))
		if !mat.EqualApprox(got, want, 1e-13) || !mat.Equal(got, bound) {
			t.Errorf("%T: %v, bound %v, want %v", k, mat.Formatted(got), mat.Formatted(bound), mat.Formatted(want))
		}
	}
	bad := sample(false)
	bad.Parts[0].Functions[0] = model.Expansion{Kernel: kernel.ARDGaussian{Sigma: []float64{1}}, Centres: form(normal(7, 3, 1), false),
		Coef: normal(7, 3, 2)}
	if _, err := bad.Bind(t.Context()); err == nil {
		t.Error("a kernel of other columns is bound")
	}
	if _, err := bad.Predict(t.Context(), form(normal(7, 3, 1), false)); err == nil {
		t.Error("a kernel of other columns predicts")
	}
	if _, err := bad.Parts[0].Functions[0].(model.Expansion).Weights(t.Context(), form(normal(7, 3, 1), false)); err == nil {
		t.Error("a kernel of other columns has weights")
	}
}

// Rows that a kernel refuses are not predicted and have no weights: features of a histogram are not negative.
func TestRowsThatKernelsRefuse(t *testing.T) {
	absolute := func(_, _ int, v float64) float64 { return math.Abs(v) }
	centres, x := normal(7, 3, 1), normal(2, 3, 4)
	centres.Apply(absolute, centres)
	x.Apply(absolute, x)
	x.Set(1, 2, -1)
	const words = "features must not be negative"
	for _, csr := range []bool{false, true} {
		e := model.Expansion{Kernel: kernel.ExpChi2{Sigma: 1}, Centres: form(centres, csr), Coef: normal(7, 3, 2)}
		m := plain(csr, []model.Part{{Functions: []model.Function{e}}})
		bound, err := m.Bind(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, predicted := m.Predict(t.Context(), form(x, csr))
		_, byBound := bound.Predict(t.Context(), form(x, csr))
		_, weighed := e.Weights(t.Context(), form(x, csr))
		for way, err := range map[string]error{"predicted": predicted, "predicted by a bound model": byBound, "weighed": weighed} {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%s, sparse %v: error %v, expected %s", way, csr, err, words)
			}
		}
	}
}

// What stands in an element of a list and is no value of its kind is refused, though all that the element must have is there.
func TestValuesInListsOfHeaders(t *testing.T) {
	for _, rest := range []string{
		`"centres":[],"parts":[{"functions":[],"offset":"x"}]`,
		`"centres":[],"parts":[{"functions":[],"offset":[1],"view":3}]`,
		`"centres":[{"rows":1,"columns":1,"sparse":3}],"parts":[{"functions":[],"offset":[1]}]`,
		`"centres":[{"rows":1,"columns":1}],"parts":[{"functions":[{"kind":"linear","known":2}]}]`,
	} {
		_, err := read(t, file(t, 3, common+`"columns":1,`+rest+`}`, []float64{1}))
		if err == nil || !strings.HasPrefix(err.Error(), "model: header: ") || !strings.Contains(err.Error(), "cannot unmarshal") {
			t.Errorf("%s: error %v", rest, err)
		}
	}
}
