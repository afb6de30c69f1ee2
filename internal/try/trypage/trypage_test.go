package trypage_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
	"github.com/mercer-ml/mercer/internal/try/drawn"
	"github.com/mercer-ml/mercer/internal/try/trypage"
)

// Asked of the page: the program for the browser is smaller than this when it is packed.
const maxPacked = 15_000_000

// TestPage: a person draws and learns in Debian's Chromium at the widths of a telephone and of a desk, light and dark. The page begins with
// an example that it has learned. Nothing is beyond the edge, no other host is asked, the page stays awake, Cancel ends a long fit, and the
// answers are those of the library.
func TestPage(t *testing.T) {
	slowtest.Only(t, "it builds a program for the browser and starts one")
	dir := t.TempDir()
	size, err := trypage.Build(t.Context(), "../../..", dir)
	if err != nil {
		t.Fatal(err)
	}
	if size.Packed >= maxPacked {
		t.Errorf("%d bytes packed", size.Packed)
	}
	for _, c := range []struct {
		width, height int
		dark          bool
		paper         string
	}{{360, 800, false, "rgb(255, 255, 254)"}, {1280, 1000, true, "rgb(20, 24, 29)"}} {
		s, err := trypage.Visit(t.Context(), dir, c.width, c.height, 1, c.dark)
		if errors.Is(err, trypage.ErrNoBrowser) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.Failed != "" {
			t.Fatalf("%d wide: %s", c.width, s.Failed)
		}
		if s.Width != float64(c.width) || s.Scroll > s.Width || len(s.Outside) > 0 || len(s.Small) > 0 || len(s.Unnamed) > 0 {
			t.Errorf("%d wide: contents of %g; beyond the edge %q, too low for a finger %q, without a name %q", c.width, s.Scroll,
				s.Outside,
				s.Small, s.Unnamed)
		}
		if s.Paper != c.paper || !slices.Equal(s.Hosts, []string{"own"}) {
			t.Errorf("%d wide: paper %s, requests to %q", c.width, s.Paper, s.Hosts)
		}
		if !strings.Contains(s.Fault, "no point is purple") || !strings.HasPrefix(s.Cancelled, "Cancelled") {
			t.Errorf("%d wide: fault %q, after Cancel %q", c.width, s.Fault, s.Cancelled)
		}
		for _, l := range append(slices.Clone(s.Moons), s.Example, s.Again) {
			t.Logf("%d wide: two moons in %.2f s, learned in %.2f s; frames %.2f s apart at most", c.width, l.Seconds, l.Answer.Learned,
				s.Longest)
			agrees(t, l)
			separates(t, l)
		}
		if !s.Above || !strings.Contains(s.Example.Status, "an example") || strings.Contains(s.Again.Status, "example") {
			t.Errorf("%d wide: it begins with %q, the picture above its tools: %v; later %q", c.width, s.Example.Status, s.Above, s.Again.Status)
		}
		agrees(t, s.ByKeys)
		if n := len(s.ByKeys.Request.Points); n != 24 || !slices.Contains(s.ByKeys.Request.Labels, 0) {
			t.Errorf("%d wide: %d points by keyboard and pointer: %v", c.width, n, s.ByKeys.Request.Labels)
		}
	}
}

// agrees: the answer shown is that of the library for the same points, but for the last digits of another processor.
func agrees(t *testing.T, l trypage.Learned) {
	t.Helper()
	r := l.Request
	set := &data.Set{
		Rows: data.Rows{Dense: mat.NewDense(len(r.Points), 2, nil)}, Features: []string{"x", "y"}, LabelName: "colour",
		Answers: make(data.Answers, len(r.Points)),
	}
	for i, p := range r.Points {
		set.Rows.Dense.SetRow(i, p[:])
		if k := r.Labels[i]; k > 0 {
			set.Answers[i] = drawn.Classes[k-1]
		}
	}
	m, _, err := mercer.Fit(t.Context(), mercer.Input{Set: set}, mercer.Recipe{Method: r.Method}, mercer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const tolerance = 1e-4
	compare := func(what string, x *mat.Dense, shown []float64) {
		out, err := m.Predict(t.Context(), data.Rows{Dense: x})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Probabilities(out)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := x.Dims(); n != len(shown) {
			t.Fatalf("%s: %d answers, want %d", what, len(shown), n)
		}
		for i, v := range shown {
			if !(math.Abs(v-p.At(i, 1)) <= tolerance) {
				t.Fatalf("%s %d: probability %g in the browser, %g here", what, i, v, p.At(i, 1))
			}
		}
	}
	compare("point", set.Rows.Dense, l.Answer.Points)
	plane := mat.NewDense(r.Rows*r.Columns, 2, nil)
	for q := range r.Rows * r.Columns {
		plane.Set(q, 0, r.Width*(float64(q%r.Columns)+0.5)/float64(r.Columns))
		plane.Set(q, 1, r.Height*(1-(float64(q/r.Columns)+0.5)/float64(r.Rows)))
	}
	compare("cell", plane, l.Answer.Plane)
	if l.Colours < 50 || !strings.HasPrefix(l.Status, "Learned") {
		t.Errorf("a drawing of %d colours, %q", l.Colours, l.Status)
	}
}

// separates: the points of two moons, which are drawn in turns, have the class of their moon.
func separates(t *testing.T, l trypage.Learned) {
	t.Helper()
	wrong := 0
	for i, k := range l.Answer.Class {
		if k != 1+i%2 {
			wrong++
		}
	}
	if n := len(l.Answer.Class); n != 120 || wrong > 0 {
		t.Errorf("%d of %d points of two moons have the wrong class", wrong, n)
	}
}
