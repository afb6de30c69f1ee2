package mercer

import (
	"fmt"
	"math"
	"runtime"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
)

// Forecast is what a fit will cost, said before it starts.
type Forecast struct {
	Rows, Labelled, Features int
	Form                     string  // name of the form of the method: how it will be computed
	Evaluations              int     // machines to be trained at most; 0: not known beforehand
	Memory                   int64   // bytes by which the process grows at most: the fit's own tables and the engine's buffers
	Seconds                  float64 // on this machine, as measured just now, of all fits that Recipe.CV asks for
	Cache                    int64   // how many of these bytes kernel rows may take; 0 if none are kept
	BLAS                     string

	size    task.Size
	columns float64 // bytes that the columns alone take
}

// ForecastFit says what a fit will cost, by the form of its method that suits the number of rows.
// It returns the zero Forecast for a recipe that Check refuses.
func ForecastFit(in Input, r Recipe, o Options) Forecast {
	if given(in.Set) != nil {
		return Forecast{}
	}
	if kept, err := grouped(in, r); err == nil {
		r = kept
	}
	m, request, err := method.Read(r)
	if err != nil {
		return Forecast{}
	}
	_, f := foresee(in, m, request, o)
	f.Seconds *= float64(max(r.CV, 0) + 1) // the fit, and one for each outer fold
	return f
}

// foresee returns the form of the method that suits the number of rows, and what it costs.
func foresee(in Input, m method.Method, r task.Request, o Options) (method.Form, Forecast) {
	s := task.SizeOf(in, withTask(r.Recipe, m), o, m.Coding.OneClass)
	r = r.Scored(m.Coding, s.Task, s.Labelled)
	form := m.Form(s, r)
	f := Forecast{
		Rows:        s.Rows,
		Labelled:    s.Labelled,
		Features:    s.Features,
		Form:        form.Name,
		BLAS:        blas.Name(),
		Evaluations: r.Recipe.Budget,
		size:        s,
		columns:     method.ColumnBytes(s, r),
		Memory:      math.MaxInt64,
	}
	if bytes := method.EngineBytes + form.Bytes(s, r); bytes < math.MaxInt64 {
		f.Memory = int64(bytes)
	}
	if form.Cache != nil {
		f.Cache = form.Cache(s, r)
	}
	work := form.Work(s, r)
	if f.Seconds = work.Time(machine.SlowSpeed()).Seconds(); f.Seconds > short {
		f.Seconds = work.Time(machine.MeasuredSpeed()).Seconds()
	}
	return form, f
}

// short is a time in seconds that nobody waits for: the measurement of the machine's speed would take as long.
const short = 0.1

// leastGarbage is what a small fit may let lie: to collect it earlier takes longer than it is worth.
const leastGarbage = 40 << 20

// Limit is the memory limit of the runtime (debug.SetMemoryLimit) under which the process grows by no more
// than Memory from what it has in use now: the collector works earlier than it would by itself.
func (f Forecast) Limit() int64 {
	runtime.GC() // what reading has left
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	// Buffers of the engine are no part of the runtime's; and a collector that works while others do oversteps its limit by some percent.
	own := max((f.Memory-method.EngineBytes)/10*9, leastGarbage)
	if used := int64(now.Sys - now.HeapIdle); own < math.MaxInt64-used { //nolint:gosec // bytes of a process
		return used + own
	}
	return math.MaxInt64
}

// String is the line printed before a fit.
func (f Forecast) String() string {
	s := fmt.Sprintf(
		"%d rows (%d labelled) x %d features; %s, up to %s",
		f.Rows,
		f.Labelled,
		f.Features,
		Duration(f.Seconds),
		Bytes(f.Memory),
	)
	if f.Cache > 0 {
		s += fmt.Sprintf(", %s of them kernel rows (--cache)", Bytes(f.Cache))
	}
	s += "; " + f.BLAS
	if f.Evaluations > 0 {
		s += fmt.Sprintf("; at most %d evaluations", f.Evaluations)
	}
	return s
}

// Duration prints a forecast of seconds no finer than it is known.
func Duration(seconds float64) string {
	switch {
	case seconds < 0.1:
		return "less than 0.1 s"
	case seconds < 99.5:
		return fmt.Sprintf("about %.2g s", seconds)
	case seconds < 99.5*60:
		return fmt.Sprintf("about %.2g min", seconds/60)
	case seconds < 99.5*3600:
		return fmt.Sprintf("about %.2g h", seconds/3600)
	}
	return fmt.Sprintf("about %.3g days", seconds/86400)
}

// refuse returns an error if the fit does not fit into memory; limit 0 is 80 % of the machine's.
func refuse(in Input, f Forecast, limit int64) error {
	limit = machine.Allowed(limit)
	if limit <= 0 || f.Memory <= limit {
		return nil
	}
	if f.columns > float64(limit)/2 {
		return fmt.Errorf(
			"%s: %d columns need %s of memory, %s are allowed; number the features without gaps, leave out --scale and ard kernels, or raise "+
				"--memory",
			in.Set.Source,
			f.Features,
			Bytes(f.Memory),
			Bytes(limit),
		)
	}
	// The rows whose tables fit the limit.
	fits := int(float64(f.Rows) * math.Sqrt(float64(limit)/float64(f.Memory)))
	return fmt.Errorf(
		"%s: %d rows need %s of memory, %s are allowed; keep about %d rows, use --method l2-svm --kernel linear, which keeps no table of rows "+
			"by rows, or raise --memory",
		in.Set.Source,
		f.Rows,
		Bytes(f.Memory),
		Bytes(limit),
		fits,
	)
}
