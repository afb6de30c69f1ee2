package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// denseOperation is an operation on matrices of order n.
type denseOperation struct {
	name  string  // in engine.py
	about string  // in the page
	flops float64 // times n^3, as is usual for its rate
}

func denseOperations() []denseOperation {
	return []denseOperation{
		{"product", "product (dgemm)", 2},
		{"symmetric", "symmetric product (dsyrk)", 1},
		{"cholesky", "Cholesky (dpotrf)", 1.0 / 3},
		{"inverse", "Cholesky and inverse (dpotrf, dpotri)", 1},
		{"lu", "LU (dgetrf)", 2.0 / 3},
		{"eigen", "eigenvectors (dsyevd)", 9},
	}
}

// engineComparison times dense linear algebra in Go and by OpenBLAS in a process of Python, in turn.
type engineComparison struct {
	python  string
	runs    int
	orders  []int
	threads []int
	best    map[int]float64 // by the number of threads, the highest rate of one run of either
}

// denseAlgebra is the measurement. scipy and OpenBLAS are Debian's python3-scipy and libopenblas0-pthread.
func denseAlgebra(f *measure.Flags) func() measure.Page {
	runs, python := f.Runs(5), f.Python()
	return func() measure.Page {
		c := engineComparison{python: *python, runs: *runs, orders: []int{500, 1000, 2000}, threads: []int{1, 2},
			best: map[int]float64{}}
		return measure.Page{Title: "Dense linear algebra in Go and by OpenBLAS", Write: c.write}
	}
}

// write writes the page.
func (c engineComparison) write(ctx context.Context, w io.Writer) error {
	flags, err := processorFlags()
	if err != nil {
		return err
	}
	core := coreOf(os.Getenv("OPENBLAS_CORETYPE"), flags)
	var lines []string
	var library string
	for _, threads := range c.threads {
		if threads > runtime.NumCPU() {
			break
		}
		some, name, err := c.onThreads(ctx, threads, core)
		if err != nil {
			return err
		}
		lines, library = append(lines, some...), name
	}
	fmt.Fprintf(w, "Package `internal/blas` beside %s in a process of Python, through scipy. ", library)
	fmt.Fprint(w, "The kernels of OpenBLAS are chosen by the flags of the processor (`OPENBLAS_CORETYPE`), because 0.3.21 does not know "+
		"newer processors and falls back to its slowest kernels there.\n\n")
	fmt.Fprintf(w, "The two take turns; milliseconds of a call are medians of %d runs, copies of matrices left out. GFLOP/s count "+
		"operations as is usual for each, 9n^3 for eigenvectors. ", c.runs)
	for _, threads := range c.threads {
		if rate := c.best[threads]; rate > 0 {
			fmt.Fprintf(w, "The highest rate of a run of either on %s was %.0f GFLOP/s. ", threadsOf(threads), rate)
		}
	}
	fmt.Fprint(w, "Ratio: the time of OpenBLAS over that of Go, more than 1 where Go is faster.\n\n")
	fmt.Fprintln(w, "| threads | operation | n | ms, Go | ms, OpenBLAS | GFLOP/s, Go | GFLOP/s, OpenBLAS | ratio |\n"+
		"|---|---|---|---|---|---|---|---|")
	_, err = io.WriteString(w, strings.Join(lines, ""))
	return err
}

func threadsOf(n int) string {
	if n == 1 {
		return "one thread"
	}
	return fmt.Sprintf("%d threads", n)
}

// processorFlags are those that Linux names.
func processorFlags() ([]string, error) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "flags" {
			return strings.Fields(value), nil
		}
	}
	return nil, nil
}

// coreOf is the core whose kernels OpenBLAS takes: the one asked for, or the newest that it has kernels for and the flags allow; "" leaves
// it to OpenBLAS.
func coreOf(asked string, flags []string) string {
	all := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(flags, name) })
	}
	wide := all("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
	switch {
	case asked != "":
		return asked
	case wide && all("avx512_bf16"):
		return "COOPERLAKE"
	case wide:
		return "SKYLAKEX"
	case all("avx2", "fma"):
		return "HASWELL"
	}
	return ""
}

// onThreads measures on so many threads, and returns lines of the table and what library scipy has.
func (c engineComparison) onThreads(ctx context.Context, threads int, core string) (lines []string, library string, err error) {
	before := runtime.GOMAXPROCS(threads)
	blas.SetThreads(threads)
	defer func() {
		runtime.GOMAXPROCS(before)
		blas.SetThreads(before)
	}()
	p, err := startPython(ctx, c.python, []string{fmt.Sprint("OPENBLAS_NUM_THREADS=", threads), "OPENBLAS_CORETYPE=" + core})
	if err != nil {
		return nil, "", err
	}
	for _, o := range denseOperations() {
		for _, n := range c.orders {
			line, err := c.inTurn(ctx, p, threads, o, n)
			if err != nil {
				return nil, "", errors.Join(err, p.end())
			}
			lines = append(lines, line)
		}
	}
	return lines, p.library, p.end()
}

// leastFlops is what a run computes at least, by repeating the operation: some 20 ms.
const leastFlops = 2e9

// rest is how long threads of OpenBLAS have to fall asleep before the turn of Go: they wait busily for more work, and take a processor
// from it meanwhile.
const rest = 300 * time.Millisecond

// inTurn measures an operation by both, after a run of each that does not count.
func (c engineComparison) inTurn(ctx context.Context, p *pythonEngine, threads int, o denseOperation, n int) (string, error) {
	flops := o.flops * float64(n) * float64(n) * float64(n)
	repeats := max(1, int(leastFlops/flops))
	run := o.problem(n)
	var own, theirs []float64
	for k := range 1 + c.runs {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		time.Sleep(rest)
		a, err := run(repeats)
		if err != nil {
			return "", err
		}
		b, err := p.seconds(o.name, n, repeats)
		if err != nil {
			return "", err
		}
		if k > 0 {
			own, theirs = append(own, a/float64(repeats)), append(theirs, b/float64(repeats))
		}
	}
	c.best[threads] = max(c.best[threads], flops/1e9/min(slices.Min(own), slices.Min(theirs)))
	itself := func(x float64) float64 { return x }
	a, b := measure.Median(own, itself), measure.Median(theirs, itself)
	return fmt.Sprintf("| %d | %s | %d | %.2f | %.2f | %.1f | %.1f | %.2f |\n", threads, o.about, n, 1e3*a, 1e3*b, flops/a/1e9, flops/b/1e9,
		b/a), nil
}

// problem returns what repeats the operation in Go and says the seconds, without those for copies.
func (o denseOperation) problem(n int) func(repeats int) (float64, error) {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	x, c, values := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), make([]float64, n)
	x.Apply(func(int, int, float64) float64 { return rnd.NormFloat64() }, x)
	if o.name == "cholesky" || o.name == "inverse" || o.name == "eigen" {
		x.Add(x, mat.DenseCopyOf(x.T()))
		for i := range n {
			x.Set(i, i, 4*float64(n))
		}
	}
	var factor blas.Cholesky
	var lu blas.LU
	call := map[string]func() error{
		"product":   func() error { blas.Gemm(1, blas.N(x), blas.N(x), 0, c); return nil },
		"symmetric": func() error { blas.SyrkLower(1, blas.N(x), 0, c); return nil },
		"cholesky":  func() error { return factor.Factor(c) },
		"inverse": func() error {
			err := factor.Factor(c)
			if err == nil {
				factor.Inverse()
			}
			return err
		},
		"lu":    func() error { return lu.Factor(c) },
		"eigen": func() error { return blas.Backend{}.SymEigenInPlace(c, values) },
	}[o.name]
	return func(repeats int) (seconds float64, err error) {
		for range repeats {
			c.Copy(x)
			start := time.Now()
			if err = call(); err != nil {
				return 0, err
			}
			seconds += time.Since(start).Seconds()
		}
		return seconds, nil
	}
}

// pythonEngine is engine.py at work.
type pythonEngine struct {
	library string
	command *exec.Cmd
	ask     io.WriteCloser
	answers *bufio.Scanner
}

// startPython starts it with further variables.
func startPython(ctx context.Context, python string, variables []string) (*pythonEngine, error) {
	p := &pythonEngine{command: exec.CommandContext(ctx, python, "tools/lab/engine.py")}
	p.command.Env, p.command.Stderr = append(os.Environ(), variables...), os.Stderr
	var err error
	if p.ask, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.answers = bufio.NewScanner(out)
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	p.library, err = p.answer()
	return p, err
}

func (p *pythonEngine) answer() (string, error) {
	if !p.answers.Scan() {
		return "", errors.Join(errors.New("engine.py ended"), p.answers.Err(), p.end())
	}
	return p.answers.Text(), nil
}

// seconds are those of so many calls of an operation.
func (p *pythonEngine) seconds(operation string, n, repeats int) (seconds float64, err error) {
	if _, err := fmt.Fprintln(p.ask, operation, n, repeats); err != nil {
		return 0, err
	}
	text, err := p.answer()
	if err == nil {
		_, err = fmt.Sscan(text, &seconds)
	}
	return seconds, err
}

// end lets it end.
func (p *pythonEngine) end() error { return errors.Join(p.ask.Close(), p.command.Wait()) }
