package linear

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/passes"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
	"gonum.org/v1/gonum/floats"
)

// set is a file of the comparison with LIBLINEAR.
type set struct {
	name, source string // a file of the data folder, or
	generated    bool   // a built-in set
}

func sets() []set {
	return []set{
		{"a9a", "a9a.svm.gz", false},
		{"ijcnn1_val", "ijcnn1_val.csv.gz", false},
		{"macwin", "macwin_text1.svm.gz", false},
		{"zipf", "zipf:n=804414,words=47236,length=76,spread=0.2", true},
	}
}

const (
	// equal is how far an objective may be above the least known, relative, to count as equal.
	equal = 1e-6
	// strength is C.
	strength = 1
)

// supervised compares both programs on all sets.
func supervised(ctx context.Context, w io.Writer, o options, tmp string) error {
	if _, err := exec.LookPath("liblinear-train"); err != nil {
		return fmt.Errorf("liblinear-train is not installed: apt-get install liblinear-tools: %w", err)
	}
	fmt.Fprint(w, "| set, rows x columns, entries | program | tolerance | s | CPU s | of LIBLINEAR's s | peak MB | peak over CSR | "+
		"objective above the least |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range sets() {
		if !measure.Wanted(o.Sets, s.name) {
			continue
		}
		if err := s.compare(ctx, w, o, tmp); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	fmt.Fprintf(w, "\nBoth minimise 1/2 (w'w + b^2) + C sum max(0, 1 - y (w'x + b))^2 with C = %d, with the first of the tolerances 1e-2, "+
		"1e-3, ... at which the objective, computed here from the weights, is within %g of the least that any run had; mercer, plain, has "+
		"the tolerance that it has when none is given. Medians of the runs by seconds, in turn; the CSR form of rows has 12 bytes an "+
		"entry and 8 a row.\n", strength, equal)
	return nil
}

// trained is a program on the file of a set.
type trained struct {
	name      string
	words     func(tolerance float64) []string
	weights   func(ctx context.Context) ([]float64, error) // that of the constant last; +1 is the larger label
	tolerance float64                                      // the first, then that which is chosen; 0: the program's own
	objective float64                                      // with it; 0: not yet known
	costs     []process.Cost
}

// compare writes the file, chooses tolerances and runs the programs in turn.
func (s set) compare(ctx context.Context, w io.Writer, o options, tmp string) error {
	file := filepath.Join(tmp, s.name+".svm")
	source := s.source
	if !s.generated {
		source = filepath.Join(o.Data, s.source)
	}
	if _, _, err := process.Timed(ctx, o.Program, "convert", source, "-o", file); err != nil {
		return err
	}
	defer os.Remove(file) //nolint:errcheck // the folder goes at the end
	p, err := readProblem(ctx, file)
	if err != nil {
		return err
	}
	to := filepath.Join(tmp, "linear.mercer")
	programs := []*trained{liblinear(file, filepath.Join(tmp, "liblinear.model"), p), mercer(o.Program, file, to, false),
		mercer(o.Program, file, to, true)}
	least, err := p.settle(ctx, programs)
	if err != nil {
		return err
	}
	for range o.Runs {
		for _, t := range programs {
			cost, _, err := process.Timed(ctx, t.words(t.tolerance)[0], t.words(t.tolerance)[1:]...)
			if err != nil {
				return err
			}
			t.costs = append(t.costs, cost)
		}
	}
	s.print(w, p, programs, least)
	return nil
}

// print prints a line a program, of which LIBLINEAR is the first.
func (s set) print(w io.Writer, p *problem, programs []*trained, least float64) {
	n, d := p.rows.Dims()
	csr := float64(12*p.entries + 8*n)
	theirs := median(programs[0].costs).Seconds
	for _, t := range programs {
		c := median(t.costs)
		tolerance := "its own"
		if t.tolerance > 0 {
			tolerance = fmt.Sprintf("%.0e", t.tolerance)
		}
		fmt.Fprintf(w, "| %s, %d x %d, %d | %s | %s | %.2f | %.2f | %.2f | %d | %.2f | %.1e |\n", s.name, n, d-1, p.entries, t.name,
			tolerance, c.Seconds, c.Processor, c.Seconds/theirs, c.Memory>>20, float64(c.Memory)/csr, t.objective/least-1)
	}
}

// problem is what both minimise.
type problem struct {
	rows    *passes.Rows
	y       []float64
	entries int
}

// readProblem reads a LIBSVM file of two classes.
func readProblem(ctx context.Context, file string) (*problem, error) {
	all, _, err := read.Open(ctx, file, read.Options{})
	if err != nil {
		return nil, err
	}
	p := &problem{rows: passes.New(all.Rows, nil).WithConstant(), entries: all.Rows.Sparse.NNZ()}
	low := all.Answers[0]
	for _, a := range all.Answers {
		low = min(low, a)
	}
	for _, a := range all.Answers {
		if a == low {
			p.y = append(p.y, -1)
		} else {
			p.y = append(p.y, 1)
		}
	}
	return p, nil
}

// objective is that of weights, the last of which is the constant's.
func (p *problem) objective(w []float64) float64 {
	out := make([]float64, len(p.y))
	p.rows.Mul(out, w, nil)
	sum := floats.Dot(w, w) / 2
	for i, o := range out {
		short := max(0, 1-p.y[i]*o)
		sum += strength * short * short
	}
	return sum
}

// settle chooses the tolerances, and returns the least objective that any run had.
func (p *problem) settle(ctx context.Context, programs []*trained) (float64, error) {
	least := math.Inf(1)
	for {
		before := least
		for _, t := range programs {
			own, err := p.narrow(ctx, t, least)
			if err != nil {
				return 0, err
			}
			least = min(least, own)
		}
		if least >= before*(1-equal/10) { // none has found a lower one that would count
			return least, nil
		}
	}
}

// finest is the tolerance below which none is tried.
const finest = 1e-12

// narrow makes the tolerance of a program smaller until its objective is equal to the least, which is the smaller
// of one given and of that with a hundredth of the tolerance. A program at its own tolerance is left there.
func (p *problem) narrow(ctx context.Context, t *trained, least float64) (float64, error) {
	if t.tolerance == 0 {
		var err error
		if t.objective == 0 {
			t.objective, err = p.at(ctx, t, 0)
		}
		return min(least, t.objective), err
	}
	if t.objective > 0 && t.objective <= least*(1+equal) {
		return least, nil
	}
	for ; t.tolerance > finest; t.tolerance /= 10 {
		var err error
		if t.objective, err = p.at(ctx, t, t.tolerance); err != nil {
			return 0, err
		}
		if least = min(least, t.objective); t.objective > least*(1+equal) {
			continue
		}
		finer, err := p.at(ctx, t, t.tolerance/100)
		if err != nil {
			return 0, err
		}
		if least = min(least, finer); t.objective <= least*(1+equal) {
			return least, nil
		}
	}
	return 0, fmt.Errorf("%s: with the tolerance %g its objective is %.10g, the least known %.10g; no smaller one is tried",
		t.name, t.tolerance*10, t.objective, least)
}

// at is the objective of a program with a tolerance.
func (p *problem) at(ctx context.Context, t *trained, tolerance float64) (float64, error) {
	words := t.words(tolerance)
	if _, _, err := process.Timed(ctx, words[0], words[1:]...); err != nil {
		return 0, err
	}
	w, err := t.weights(ctx)
	if err != nil {
		return 0, err
	}
	if _, d := p.rows.Dims(); len(w) != d {
		return 0, fmt.Errorf("%s: %d weights for %d columns and a constant", t.name, len(w), d-1)
	}
	return p.objective(w), nil
}
