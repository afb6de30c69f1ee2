package fit

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// foreseen is what a fit will cost, and what that follows from.
type foreseen struct {
	result.Forecast
	size    task.Size
	columns float64 // bytes that the columns alone take
}

// Forecast says what a fit will cost, by the form of its method that suits the number of rows.
// It returns the zero Forecast for a recipe that method.Read refuses.
func Forecast(in result.Input, r result.Recipe, o result.Options) result.Forecast {
	if checkSet(in.Set) != nil {
		return result.Forecast{}
	}
	in, _ = groupCopies(in, r)
	if kept, err := judgedBy(in, r); err == nil {
		r = kept
	}
	m, request, err := method.Read(r)
	if err != nil {
		return result.Forecast{}
	}
	_, f := foresee(in, m, request, o)
	f.Seconds *= float64(max(r.CV, 0) + 1) // the fit, and one for each outer fold
	return f.Forecast
}

// foresee returns the form of the method that suits the number of rows, and what it costs.
func foresee(in result.Input, m method.Method, r task.Request, o result.Options) (method.Form, foreseen) {
	s := task.SizeOf(in, withTask(r.Recipe, m), o, m.Coding.OneClass)
	r = r.Scored(m.Coding, s.Task, s.Labelled)
	form := m.Form(s, r)
	f := foreseen{size: s, columns: method.ColumnBytes(s, r), Forecast: result.Forecast{
		Rows:        s.Rows,
		Labelled:    s.Labelled,
		Features:    s.Features,
		Form:        form.Name,
		BLAS:        blas.Name(),
		Evaluations: r.Recipe.Budget,
		Memory:      math.MaxInt64,
	}}
	if bytes := brief.EngineBytes + form.Bytes(s, r); bytes < math.MaxInt64 {
		f.Memory = int64(bytes)
	}
	if form.Cache != nil {
		f.Cache = form.Cache(s, r)
	}
	work := form.Work(s, r)
	if form.Scale == "" && s.Stored <= mostCompared {
		work = work.Plus(scalingWork(s, in.Set, r.Recipe))
	}
	if f.Seconds = work.Time(machine.SlowSpeed()).Seconds(); f.Seconds > short {
		f.Seconds = work.Time(machine.MeasuredSpeed()).Seconds()
	}
	return form, f
}

// mostCompared is how many numbers the rows have at most where the comparison of scalings counts: of more the rest takes so long that it is
// no matter, and to see whether scalings are compared takes a pass over the rows.
const mostCompared = 1e7

// short is a time in seconds that nobody waits for: the measurement of the machine's speed would take as long.
const short = 0.1

// checkMemory returns an error if the fit does not fit into memory; limit 0 is 80 % of the machine's.
func checkMemory(in result.Input, f foreseen, limit int64) error {
	limit = machine.Allowed(limit)
	if limit <= 0 || f.Memory <= limit {
		return nil
	}
	if f.columns > float64(limit)/2 {
		return fmt.Errorf(
			"%s: %d columns need %s of memory, %s are allowed; number the features without gaps, leave out --scale and ard "+
				"kernels, or raise "+
				"--memory",
			in.Set.Source,
			f.Features,
			brief.Bytes(f.Memory),
			brief.Bytes(limit),
		)
	}
	own := float64(limit) - brief.EngineBytes
	if f.Memory < 2*brief.EngineBytes || own <= 0 { // of which rows take little
		return fmt.Errorf("%s: a fit needs %s of memory, of which %s are for any rows, and %s are allowed; raise --memory", in.Set.Source,
			brief.Bytes(f.Memory), brief.Bytes(brief.EngineBytes), brief.Bytes(limit))
	}
	// The rows whose tables fit the limit.
	fits := int(float64(f.Rows) * math.Sqrt(own/(float64(f.Memory)-brief.EngineBytes)))
	return fmt.Errorf(
		"%s: %d rows need %s of memory, %s are allowed; keep about %d rows, use --method l2-svm --kernel linear, which keeps no "+
			"table of rows "+
			"by rows, or raise --memory",
		in.Set.Source,
		f.Rows,
		brief.Bytes(f.Memory),
		brief.Bytes(limit),
		fits,
	)
}
