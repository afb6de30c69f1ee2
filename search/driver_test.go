package search_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/mercer-ml/mercer/internal/test/searchtest"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// points is a search that asks for its batches one after another and keeps what
// it is told.
type points struct {
	batches [][][]float64
	want    param.Want
	got     *[][]param.Value
}

func (p points) Run(ctx context.Context, _ param.Space, eval search.Evaluate) error {
	for _, b := range p.batches {
		v, err := eval(ctx, b, p.want)
		if p.got != nil {
			*p.got = append(*p.got, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scalar is an objective in one variable.
type scalar struct {
	f     func(ctx context.Context, x float64) (float64, error)
	calls *atomic.Int64
}

func (s scalar) Space() param.Space { return param.Space{{Name: "x", Lo: -100, Hi: 100}} }

func (s scalar) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	s.calls.Add(1)
	v, err := s.f(ctx, theta[0])
	val := param.Value{F: v}
	if want == param.WithGradient {
		val.Grad = []float64{2 * theta[0]}
	}
	return val, err
}

func square() scalar {
	return scalar{func(_ context.Context, x float64) (float64, error) { return x * x, nil }, new(atomic.Int64)}
}

func batch(x ...float64) [][]float64 {
	b := make([][]float64, len(x))
	for i := range x {
		b[i] = []float64{x[i]}
	}
	return b
}

func TestDriverBudgetCutsABatch(t *testing.T) {
	o := square()
	var got [][]param.Value
	res := mustRun(t, search.Driver{Budget: 4}, o, points{batches: [][][]float64{batch(5, -3), batch(4, 3, 1)}, got: &got})
	if res.Status != search.Budget || res.Evaluations != 4 || o.calls.Load() != 4 || len(got[1]) != 2 {
		t.Errorf("%v, %d evaluations, %d calls, %d values of the cut batch", res.Status, res.Evaluations, o.calls.Load(), len(got[1]))
	}
	if res.Theta[0] != -3 || res.F != 9 { // 3 ties with -3, which came first
		t.Errorf("best is %v, want the first of the tie", res.Theta)
	}
	if res = mustRun(t, search.Driver{Budget: 2}, o, points{batches: [][][]float64{batch(5, -3)}}); res.Status != search.Converged {
		t.Errorf("a search that fits its budget exactly: %v", res.Status)
	}
}

func TestDriverRepeatsAreNotComputed(t *testing.T) {
	for _, parallel := range []int{1, 3} {
		o := square()
		res := mustRun(t, search.Driver{Parallel: parallel}, o, points{batches: [][][]float64{batch(5, 3, 5), batch(3, 2)}})
		if res.Evaluations != 5 || res.Replayed != 2 || o.calls.Load() != 3 || res.Trace[2].F != 25 || !res.Trace[3].Replayed {
			t.Errorf("parallel %d: %+v, %d calls", parallel, res, o.calls.Load())
		}
	}
	// A value does not answer for a gradient, a gradient does for a value.
	o := square()
	first := mustRun(t, search.Driver{}, o, points{batches: [][][]float64{batch(5)}})
	second := mustRun(t, search.Driver{Replay: first.Trace}, o, points{batches: [][][]float64{batch(5)}, want: param.WithGradient})
	if o.calls.Load() != 2 || second.Trace[0].Grad[0] != 10 {
		t.Errorf("%d calls, gradient %v", o.calls.Load(), second.Trace[0].Grad)
	}
	third := mustRun(t, search.Driver{Replay: second.Trace}, o, points{batches: [][][]float64{batch(5)}})
	if o.calls.Load() != 2 || third.Trace[0].GradAsked || third.Trace[0].Grad != nil {
		t.Errorf("%d calls, record %+v", o.calls.Load(), third.Trace[0])
	}
}

func TestDriverInfeasible(t *testing.T) {
	o := scalar{func(_ context.Context, x float64) (float64, error) { return math.Log(x), nil }, new(atomic.Int64)} // NaN below 0
	res := mustRun(t, search.Driver{}, o, points{batches: [][][]float64{batch(-1, 2, -2)}})
	if res.Theta[0] != 2 || !math.IsInf(res.Trace[0].F, 1) {
		t.Errorf("%+v", res)
	}
	if _, err := (search.Driver{}).Run(context.Background(), o, points{batches: [][][]float64{batch(-1, -2)}}); !errors.Is(
		err,
		search.ErrInfeasible,
	) {
		t.Errorf("nothing feasible: %v", err)
	}
}

func TestDriverErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, parallel := range []int{1, 4} {
		o := scalar{func(_ context.Context, x float64) (float64, error) {
			if x == 7 {
				return 0, broken
			}
			return x * x, nil
		}, new(atomic.Int64)}
		res, err := search.Driver{Parallel: parallel}.Run(context.Background(), o, points{batches: [][][]float64{batch(3, 2), batch(7, 1)}})
		if !errors.Is(err, broken) || res.Status != search.Failed || res.Evaluations < 2 {
			t.Errorf("parallel %d: %+v, %v", parallel, res, err)
		}
	}
	for what, c := range map[string]struct {
		driver search.Driver
		at     [][]float64
		say    string
	}{
		"outside":       {search.Driver{}, batch(200), "x = 200"},
		"no point":      {search.Driver{}, nil, "no point"},
		"budget":        {search.Driver{Budget: -1}, batch(1), "budget -1"},
		"foreign trace": {search.Driver{Replay: []search.Record{{Theta: []float64{1, 2}}}}, batch(1), "of another problem"},
	} {
		if _, err := c.driver.Run(context.Background(), square(), points{batches: [][][]float64{c.at}}); err == nil ||
			!strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The clock is the test's own: it moves when everybody waits.
func TestDriverTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := scalar{func(ctx context.Context, x float64) (float64, error) {
			if x == 9 { // never ends by itself
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return x * x, nil
		}, new(atomic.Int64)}
		res, err := search.Driver{
			TimeLimit: 20 * time.Millisecond,
		}.Run(
			t.Context(),
			o,
			points{batches: [][][]float64{batch(3, 2), batch(9, 1)}},
		)
		if err != nil || res.Status != search.TimeLimit || res.Evaluations != 2 || res.F != 4 {
			t.Errorf("%+v, %v", res, err)
		}
		if _, err = (search.Driver{TimeLimit: time.Millisecond}).Run(t.Context(), o, points{batches: [][][]float64{batch(9)}}); !errors.Is(
			err,
			search.ErrTime,
		) {
			t.Errorf("no evaluation in time: %v", err)
		}
	})
}

// forked counts its workspaces and fails when two calls share one.
type forked struct {
	scalar
	forks *atomic.Int64
	busy  *atomic.Bool
}

func (f forked) Fork() param.Objective {
	f.forks.Add(1)
	f.busy = new(atomic.Bool)
	return f
}

func (f forked) Eval(ctx context.Context, theta []float64, want param.Want) (param.Value, error) {
	if !f.busy.CompareAndSwap(false, true) {
		return param.Value{}, errors.New("workspace shared")
	}
	defer f.busy.Store(false)
	time.Sleep(time.Millisecond)
	return f.scalar.Eval(ctx, theta, want)
}

func TestDriverForksAWorkspaceAWorker(t *testing.T) {
	f := forked{square(), new(atomic.Int64), new(atomic.Bool)}
	var seen []int
	d := search.Driver{Parallel: 3, OnEval: func(r search.Record) { seen = append(seen, r.N) }}
	mustRun(t, d, f, points{batches: [][][]float64{batch(1, 2, 3, 4, 5, 6, 7, 8)}})
	if f.forks.Load() != 2 || !reflect.DeepEqual(seen, []int{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("%d forks, records seen %v", f.forks.Load(), seen)
	}
}

func TestTraceRoundTrip(t *testing.T) {
	res := mustRun(t, search.Driver{Budget: 30}, searchtest.Bowl{Dims: even(), Edge: -9.5}, search.Gradient{})
	var b bytes.Buffer
	for _, r := range res.Trace {
		if err := search.WriteRecord(&b, r); err != nil {
			t.Fatal(err)
		}
	}
	odd := search.Record{N: 31, Theta: []float64{math.Copysign(0, -1), 1e-300, 1. / 3, 5e-324, math.MaxFloat64, 1}, F: math.Inf(1),
		GradAsked: true, Grad: []float64{math.Inf(-1), 0, 0, 0, 0, 1}}
	if err := search.WriteRecord(&b, odd); err != nil {
		t.Fatal(err)
	}
	got, err := search.ReadTrace(bytes.NewReader(b.Bytes()))
	if err != nil || !reflect.DeepEqual(got, append(res.Trace, odd)) || !math.Signbit(got[len(got)-1].Theta[0]) {
		t.Errorf("the trace changed: %v", err)
	}
	cut := b.Bytes()[:b.Len()-9] // an interrupt while writing
	if got, err = search.ReadTrace(bytes.NewReader(cut)); err != nil || len(got) != len(res.Trace) {
		t.Errorf("cut trace: %d records, %v", len(got), err)
	}
}

func TestReadTraceRefuses(t *testing.T) {
	good := `{"n":1,"theta":[1,2],"f":3,"seconds":0}` + "\n"
	for text, say := range map[string]string{
		good + "nonsense\n":                                         "line 2",
		good + `{"n":2,"theta":[1],"f":3}` + "\n":                   "line 2: 1 values of theta, 2",
		`{"n":1,"theta":[1]}` + "\n":                                "no f",
		`{"n":1,"f":1}` + "\n":                                      "no theta",
		`{"n":1,"theta":["+Inf"],"f":1}` + "\n":                     "not finite",
		`{"n":1,"theta":[null],"f":1}` + "\n":                       "line 1",
		`{"theta":[1],"f":1,"grad_asked":true,"grad":[1,2]}` + "\n": "2 of its gradient",
		`{"theta":[1],"f":1,"grad":[1]}` + "\n":                     "not asked",
	} {
		if _, err := search.ReadTrace(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%q: error %v does not say %q", text, err, say)
		}
	}
}

// TestReadTraceCut: a reader that fails is reported with the line that it failed in.
func TestReadTraceCut(t *testing.T) {
	good := `{"n":1,"theta":[1,2],"f":3,"seconds":0}` + "\n"
	_, err := search.ReadTrace(io.MultiReader(strings.NewReader(good+good), iotest.ErrReader(errors.New("no more"))))
	if err == nil || err.Error() != "trace line 3: no more" {
		t.Errorf("%v", err)
	}
}

func FuzzReadTrace(f *testing.F) {
	f.Add(
		[]byte(
			`{"n":1,"theta":[1,2.5e-7],"f":"+Inf","grad_asked":true,"seconds":0.1}` + "\n\n" +
				`{"n":2,"theta":[1,2],"f":-0.25,"grad_asked":true,"grad":[0,"NaN"],"seconds":0,"replayed":true}`,
		),
	)
	f.Add([]byte(`{"n":1,"theta":[`))
	f.Add([]byte("null\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		trace, err := search.ReadTrace(bytes.NewReader(b))
		if err != nil {
			return
		}
		var once, twice bytes.Buffer
		for _, r := range trace {
			if err := search.WriteRecord(&once, r); err != nil {
				t.Fatal(err)
			}
		}
		again, err := search.ReadTrace(bytes.NewReader(once.Bytes()))
		if err != nil || len(again) != len(trace) {
			t.Fatalf("%d records became %d: %v", len(trace), len(again), err)
		}
		for _, r := range again {
			if err := search.WriteRecord(&twice, r); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Fatalf("%s became %s", once.Bytes(), twice.Bytes())
		}
	})
}

// A budget that nobody gives is that of the published comparison, 3^5 evaluations.
func TestUsualBudget(t *testing.T) {
	res := mustRun(t, search.Driver{}, searchtest.Bowl{Dims: widths()}, search.Random{})
	if res.Evaluations != 243 || res.Status != search.Budget {
		t.Errorf("%d evaluations, %s", res.Evaluations, res.Status)
	}
}

// TestNumbersOfTraces: what is no number, or is beyond the largest one, is refused wherever a number is due.
func TestNumbersOfTraces(t *testing.T) {
	for _, text := range []string{
		`{"theta":["x"],"f":1}`, `{"theta":[1e999],"f":1}`, `{"theta":[1],"f":"x"}`, `{"theta":[1],"f":1,"seconds":"1s"}`,
		`{"theta":[1],"f":1,"grad_asked":true,"grad":["+inf"]}`, `{"theta":[1],"f":1,"noise":"x"}`,
	} {
		if got, err := search.ReadTrace(strings.NewReader(text + "\n")); err == nil || !strings.Contains(err.Error(), "is not a number") {
			t.Errorf("%s is read as %+v, error %v", text, got, err)
		}
	}
}

// After an interrupt no further point of a batch is evaluated, though the objective does not look at its context.
func TestInterruptEndsABatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := scalar{func(_ context.Context, x float64) (float64, error) {
		if x == 3 {
			cancel()
		}
		return x * x, nil
	}, new(atomic.Int64)}
	res, err := search.Driver{}.Run(ctx, o, points{batches: [][][]float64{batch(5, 3, 2, 1)}})
	if err != nil || res.Status != search.Interrupted || o.calls.Load() != 2 || res.F != 9 {
		t.Errorf("%+v after %d calls, %v", res, o.calls.Load(), err)
	}
}
