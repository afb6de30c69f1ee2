package metamorphic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/methodtest"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

const (
	// most is the time of one fit; what is stopped then is no finding.
	most = 6 * time.Second
	// grace is the processor time that a fit may take to heed the end of its time, and to make what it keeps. On a machine that does other
	// things too a clock says nothing of it.
	grace = 10 * time.Second
	// near is how far outputs may be apart, over one and the largest, that come from the same minimum by other sums.
	near = 2e-5
	// nearObjective is the same of objectives that a dual solver meets to its tolerance.
	nearObjective = 1e-3
)

// fitted is one side of a relation.
type fitted struct {
	methodtest.Answer
	out  *mat.Dense // on the rows of the trial, in their order
	err  error
	late bool // the time was over before the answer: nothing can be compared
}

// outcome is what a trial found.
type outcome struct {
	Held     []string // relations that were compared
	Findings []string // of those that did not hold, in words
	Refused  string   // the error of the recipe
	Late     bool     // the time was over
}

// run runs one trial: the recipe itself, and each relation that must hold for it.
func (t *trial) run(ctx context.Context) (o *outcome) {
	o = &outcome{}
	defer func() {
		if r := recover(); r != nil {
			stack := make([]byte, 4096)
			o.find("panic", "%v\n%s", r, stack[:runtime.Stack(stack, false)])
		}
	}()
	base := t.fit(ctx, o, t.input, t.recipe)
	if o.Late = base.late; o.Late {
		return o
	}
	if base.err != nil {
		o.Refused = base.err.Error()
	}
	t.exact(ctx, o, base)
	if base.err == nil {
		t.stored(ctx, o, base)
		t.single(ctx, o, base)
	}
	if t.pinned {
		t.invariances(ctx, o, base)
	}
	return o
}

func (o *outcome) find(relation, format string, args ...any) {
	o.Findings = append(o.Findings, relation+": "+fmt.Sprintf(format, args...))
}

// fit fits within the time of a trial, and judges errors by their form.
func (t *trial) fit(ctx context.Context, o *outcome, in mercer.Input, r mercer.Recipe) fitted {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	before, _ := process.Own()
	a, err := methodtest.Ask(limited, in, r)
	f := fitted{Answer: a, err: err, late: a.Stopped || limited.Err() != nil}
	after, _ := process.Own()
	if took := after - before; took > most.Seconds()*float64(runtime.GOMAXPROCS(0))+grace.Seconds() {
		o.find("time", "a fit that should have ended after %v took %.0f s of the processor", most, took)
	}
	var notFinite *json.UnsupportedValueError
	switch {
	case f.late:
	case errors.As(err, &notFinite):
		o.find("numbers", "the answer is not finite: %v", err)
	case err != nil && strings.Contains(err.Error(), "\n"):
		o.find("refusal", "an error of several lines: %v", err)
	case err == nil:
		if f.out, f.err = a.Model.Predict(ctx, in.Set.Rows); f.err != nil {
			o.find("refusal", "rows that were learned from cannot be predicted: %v", f.err)
		}
	}
	return f
}

// exact are the relations that hold to the bit, of every method: the same arithmetic is done on the same numbers.
//
//   - A fit again.
//   - Two processors in the place of one.
//   - Columns times powers of two where they are standardised: means and standard deviations are multiplied exactly, and the
//     standardised numbers are the same. Groups of columns (--groups) are formed by what the columns are before scaling, so such
//     recipes are not asked.
func (t *trial) exact(ctx context.Context, o *outcome, base fitted) {
	o.same("trained twice", base, t.fit(ctx, o, t.input, t.recipe), true)
	before := runtime.GOMAXPROCS(0)
	for _, threads := range []int{1, 2} {
		if threads != before {
			setThreads(threads)
			o.same("threads", base, t.fit(ctx, o, t.input, t.recipe), true)
		}
	}
	setThreads(before)
	if s := t.recipe.Scale; (s == data.ScaleStandard || s == data.ScaleMinMax) && t.recipe.Groups == "" {
		rng := rand.New(rand.NewPCG(t.seed, t.number+1<<32))
		by := make([]float64, t.input.Set.Rows.Dim())
		for j := range by {
			by[j] = math.Ldexp(1, rng.IntN(13)-6)
		}
		o.same("scaled columns", base, t.fit(ctx, o, times(t.input, by), t.recipe), false)
	}
}

func setThreads(n int) {
	runtime.GOMAXPROCS(n)
	blas.SetThreads(n)
}

// same wants two answers to be the same to the bit, in all that is printed or in the outputs alone.
func (o *outcome) same(relation string, a, b fitted, printed bool) {
	if !o.alike(relation, a, b) {
		return
	}
	switch {
	case printed && a.Printed != b.Printed:
		o.find(relation, "not the same to the bit: %s", firstDifference(a.Printed, b.Printed))
	case !printed && !slices.Equal(a.out.RawMatrix().Data, b.out.RawMatrix().Data):
		o.find(relation, "the outputs differ by %g", apart(a.out, b.out))
	}
}

// digits are what may differ in the errors of two sides: numbers of rows and lines.
var digits = regexp.MustCompile(`[0-9.e+-]+`)

// alike notes that a relation was compared, wants errors to be the same, and says whether there are two answers.
func (o *outcome) alike(relation string, a, b fitted) bool {
	if a.late || b.late {
		return false
	}
	o.Held = append(o.Held, relation)
	if (a.err == nil) != (b.err == nil) || a.err != nil &&
		digits.ReplaceAllString(a.err.Error(), "") != digits.ReplaceAllString(b.err.Error(), "") {
		o.find(relation, "one side is refused otherwise than the other: %v; %v", a.err, b.err)
		return false
	}
	return a.err == nil
}

// stored is the relation that a model predicts the same to the bit after it was saved and loaded, and is saved as the same bytes.
func (t *trial) stored(ctx context.Context, o *outcome, base fitted) {
	o.Held = append(o.Held, "save and load")
	var first, second bytes.Buffer
	if err := base.Model.Write(&first); err != nil {
		o.find("save and load", "%v", err)
		return
	}
	back, err := model.Read(ctx, bytes.NewReader(first.Bytes()))
	if err != nil {
		o.find("save and load", "%v", err)
		return
	}
	out, err := back.Predict(ctx, t.input.Set.Rows)
	if err != nil || !slices.Equal(out.RawMatrix().Data, base.out.RawMatrix().Data) {
		o.find("save and load", "the model predicts otherwise after it was saved and loaded (%v)", err)
	}
	if err := back.Write(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		o.find("save and load", "the model that was loaded is saved as other bytes (%v)", err)
	}
}

// single is the relation that a row has the same outputs by itself as among others, but for the order of sums: products of
// blocks may add in another order than those of rows.
func (t *trial) single(ctx context.Context, o *outcome, base fitted) {
	o.Held = append(o.Held, "single rows")
	rows, largest := t.input.Set.Rows, largest(base.out)
	for i := range rows.Len() {
		out, err := base.Model.Predict(ctx, rows.Select([]int{i}))
		if err != nil {
			o.find("single rows", "row %d by itself: %v", i, err)
			return
		}
		for j, v := range out.RawRowView(0) {
			if d := math.Abs(v - base.out.At(i, j)); !(d <= 1e-7*(1+largest)) {
				o.find("single rows", "row %d by itself differs by %g of %g", i, d, largest)
				return
			}
		}
	}
}

// firstDifference is where two texts come apart.
func firstDifference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-60)
	return fmt.Sprintf("%q and %q", a[from:min(len(a), i+40)], b[from:min(len(b), i+40)])
}

func largest(a *mat.Dense) float64 {
	top := 0.0
	for _, v := range a.RawMatrix().Data {
		top = max(top, math.Abs(v))
	}
	return top
}

// apart is the largest difference of two matrices; +Inf where one of them has no number.
func apart(a, b *mat.Dense) float64 {
	top, y := 0.0, b.RawMatrix().Data
	if len(y) != len(a.RawMatrix().Data) {
		return math.Inf(1)
	}
	for i, v := range a.RawMatrix().Data {
		if d := math.Abs(v - y[i]); !(d <= top) {
			top = d
		}
	}
	if math.IsNaN(top) {
		return math.Inf(1)
	}
	return top
}
