package mercer

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/machine"
)

// Forecast is what a fit will cost, said before it starts.
type Forecast struct {
	Rows, Labelled, Features int
	Evaluations              int   // machines to be trained at most; 0: not known beforehand
	Memory                   int64 // bytes of the fit's own tables at their peak
	Cache                    int64 // bytes of them for kernel rows, at most; 0 where none are kept
	BLAS                     string
}

// ForecastFit forecasts a fit. Memory: the rows as read and as scaled; the n x n
// tables of 8-byte numbers (tables); three n x l ones; what the machines of the
// design keep; what goes by rows (rowNumbers), and by columns even where they are
// empty (columnNumbers).
func ForecastFit(in Input, r Recipe, o Options) Forecast {
	n, d := in.Set.Rows.Len(), in.Set.Rows.Dim()
	l := 0
	if r.Method == oneClass {
		l = n
	}
	for _, a := range in.Set.Answers {
		if r.Method != oneClass && !data.IsUnlabelled(a) {
			l++
		}
	}
	f := Forecast{Rows: n, Labelled: l, Features: d, BLAS: blas.Name(), Evaluations: r.Budget}
	stored := float64(n) * float64(d)
	if s := in.Set.Rows.Sparse; s != nil {
		stored = 1.5 * float64(s.NNZ()) // a value and half as much for its column
	}
	read := 0.0 // beside the rows that are learned from
	if sampling(n, l, r) {
		read = stored
		stored *= sampledRows / float64(n)
		n = sampledRows
	}
	ln := float64(l) * float64(n)
	// Every machine of a design keeps its coefficients and outputs until the choice;
	// beside a search there are those of the supervised baseline.
	machines := 34.0
	if searched(r) {
		machines = 7
	}
	c := float64(outputs(in.Set.Answers))
	square, rows := tables(n, l, r)+3*ln, rowNumbers
	if m, _ := methodOf(r.Method); m.losses != nil && !m.semi {
		if m.pairs && r.Multiclass != "one-vs-rest" {
			c = max(c*(c-1)/2, 1)
		}
		// The coefficients and outputs of one candidate at a time, and of the best.
		square, rows, machines = 2*float64(l)*float64(l), 100, 4 // the labelled block and its factor, or its two forms
		f.Cache = kernelRows(l, r, m, o)
		switch columns, linear := linearForm(in, r, m, l); {
		case linear:
			square, f.Cache = linearNumbers(l, columns, stored), 0
		case f.Cache > 0:
			square = dualNumbers(l, stored, f.Cache)
		}
	}
	if r.byGradients() {
		// A triangle of kernel values in floats, up to gramBytes, or panels of 32 MB;
		// landmarks (0.75 n^0.7 columns, three of them at a time), a dozen n x c vectors.
		square, rows, machines = min(float64(n)*float64(n)/4, gramBytes/8)+3*0.75*math.Pow(float64(n), 1.7)+4<<20, rowNumbers, 6
	}
	kept := machines * 2 * float64(n) * c
	bytes := 8 * (read + 2*stored + square + kept + float64(rows*n) + columnNumbers(in, r)*float64(d))
	if bytes < math.MaxInt64 {
		f.Memory = int64(bytes)
	} else {
		f.Memory = math.MaxInt64
	}
	return f
}

// defaultCache is what a dual solver keeps of kernel rows unless told otherwise.
const defaultCache = 200 << 20

// kernelRows is how many bytes of kernel rows a machine without a graph keeps at most:
// none in the primal, nor in the dual for 2048 rows or fewer, whose whole block is
// computed, in double and twice in single precision.
func kernelRows(l int, r Recipe, m method, o Options) int64 {
	if l <= 2048 || smoothLoss(m, r.Set["loss"]) {
		return 0
	}
	cache := o.Cache
	if cache == 0 {
		cache = defaultCache
	}
	return min(cache, 4*int64(l)*int64(l))
}

// dualNumbers is how many 8-byte numbers a machine trained in the dual keeps beside its
// rows: all rows in single precision, kernel rows, a working set's block of at most 4096
// squared, and panels of 32 MB.
func dualNumbers(l int, stored float64, cache int64) float64 {
	const working, panels = 4096 * 4096 / 2, 4 << 20
	return stored/2 + float64(cache)/8 + min(working, float64(l)*float64(l)/2) + panels
}

// linearNumbers is the same for the linear form of a smooth loss: the labelled rows, those of a fold, and
// these centred or transposed; the Hessian and its factor where the columns allow
// (4096), panels of 512 rows, partial sums of a product.
func linearNumbers(l, d int, stored float64) float64 {
	columns := float64(d)
	square := 0.0
	if d <= 4096 {
		square = 2 * columns * columns
	}
	return 4*stored + square + (1024+float64(l)/256)*columns
}

// tables is how many numbers a fit keeps in its square tables. Automatic choice:
// the Gram matrix and the factored system. A search of its own parameters keeps
// the distances too, and pulls gradients back by two panels. Supervised methods:
// the labelled block, its eigenvectors and their workspace (five l x l).
func tables(n, l int, r Recipe) float64 {
	nn, ll := float64(n)*float64(n), float64(l)*float64(l)
	var t float64
	if m, ok := reducing(n, l, r); ok {
		// Features, and what products with them need, as measured at 100 000 rows.
		return 4*float64(n)*float64(m) + 5*ll
	}
	if r.Method == "rls" || r.Method == "ls-svm" {
		t = 5 * ll
	} else {
		t = max(2*nn, 5*ll)
	}
	if searched(r) {
		t += nn + 2*float64(min(n, 512))*float64(n)
	}
	return t
}

// searched says whether a general search moves the parameters, not the design.
func searched(r Recipe) bool { return r.Search != "" && r.Search != "auto" && r.Tune != "none" }

// rowNumbers is how many 8-byte numbers a fit needs for each row besides: lists of
// 50 neighbours (75), a graph of about as many edges and its Laplacian (150 each
// at most, one at a time beside the other), and four panels of 48 columns for the
// product with it.
const rowNumbers = 400

// outputs guesses the number of outputs: the distinct answers, one if they are
// too many to be classes.
func outputs(a data.Answers) int {
	const most = 1000
	seen := map[string]bool{}
	for _, v := range a {
		if !data.IsUnlabelled(v) && !seen[v] {
			seen[v] = true
			if len(seen) > most {
				return 1
			}
		}
	}
	return max(len(seen), 1)
}

// columnNumbers is how many 8-byte numbers a fit keeps for each column, as
// measured at 2e7 columns: a transpose of sparse rows has two (where its rows
// start), and three are alive at most (two kernels and a graph); scaling has
// moments and factors; an ARD kernel has for every parameter a name, a range and
// its values during the search.
func columnNumbers(in Input, r Recipe) float64 {
	v := 0.0
	if in.Set.Rows.IsSparse() {
		v += 6
	}
	if r.Scale == data.ScaleStandard || r.Scale == data.ScaleMinMax {
		v += 7
	}
	if strings.Contains(r.Kernel, "ard-") {
		v += 58
	}
	return v
}

// String is the line printed before a fit.
func (f Forecast) String() string {
	s := fmt.Sprintf("%d rows (%d labelled) x %d features; up to %s", f.Rows, f.Labelled, f.Features, Bytes(f.Memory))
	if f.Cache > 0 {
		s += fmt.Sprintf(", %s of them kernel rows (--cache)", Bytes(f.Cache))
	}
	s += "; " + f.BLAS
	if f.Evaluations > 0 {
		s += fmt.Sprintf("; at most %d evaluations", f.Evaluations)
	}
	return s
}

// Bytes prints a number of bytes in the unit that suits it.
func Bytes(b int64) string {
	const unit = 1024
	v, i := float64(b), 0
	for v >= unit && i < 4 {
		v /= unit
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", b)
	}
	return fmt.Sprintf("%.3g %ciB", v, "KMGT"[i-1])
}

// refuse returns an error if the fit does not fit into memory.
func (j *job) refuse(f Forecast) error {
	limit := j.options.Memory
	if limit == 0 {
		limit = machine.Memory() / 5 * 4
	}
	if limit > 0 && f.Memory > limit {
		if width := 8 * columnNumbers(j.in, j.recipe) * float64(f.Features); width > float64(limit)/2 {
			return fmt.Errorf("%s: %d columns need %s of memory, %s are allowed; number the features without gaps, leave out --scale and ard kernels, or raise --memory",
				j.in.Set.Source, f.Features, Bytes(f.Memory), Bytes(limit))
		}
		// The rows whose tables fit the limit.
		fits := int(float64(f.Rows) * math.Sqrt(float64(limit)/float64(f.Memory)))
		return fmt.Errorf("%s: %d rows need %s of memory, %s are allowed; keep about %d rows, use --method rls with fewer labels, or raise --memory",
			j.in.Set.Source, f.Rows, Bytes(f.Memory), Bytes(limit), fits)
	}
	return nil
}
