package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// installedWheel builds the wheel of this platform as a release does, installs it by pip in a new environment that sees the numpy and the
// scikit-learn of the system, and fits a table there, with no Go on the path.
func installedWheel(f *measure.Flags) func() measure.Page {
	runs, python := f.Runs(5), f.Python()
	return func() measure.Page {
		return measure.Page{Title: "From the wheel to the first fit, without Go", Write: func(ctx context.Context, w io.Writer) error {
			return firstFits(ctx, w, *python, *runs)
		}}
	}
}

// firstFit are the seconds of one new environment.
type firstFit struct {
	environment, pip, install, start, numpy, packages, fit, program, second, wrong float64
}

func firstFits(ctx context.Context, w io.Writer, python string, runs int) error {
	dir, err := os.MkdirTemp("", "mercer-wheel-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // nothing can be done about what is left
	script, err := filepath.Abs(filepath.Join("tools", "lab", "wheel.py"))
	if err != nil {
		return err
	}
	release := filepath.Join(dir, "release")
	here := runtime.GOOS + "/" + runtime.GOARCH
	if _, _, err := process.Timed(ctx, "go", "run", "./tools/release", "-version", "v0.0.0", "-only", here, "-o", release); err != nil {
		return err
	}
	wheels, err := filepath.Glob(filepath.Join(release, "*.whl"))
	if err != nil {
		return err
	}
	if len(wheels) != 1 {
		return fmt.Errorf("the release for %s has the wheels %q", here, wheels)
	}
	size, err := os.Stat(wheels[0])
	if err != nil {
		return err
	}
	var all []firstFit
	for i := range runs {
		one, err := newEnvironment(ctx, filepath.Join(dir, fmt.Sprint("run", i)), python, script, wheels[0])
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	tellFits(w, all, float64(size.Size()))
	return nil
}

// newEnvironment makes the folder, an environment in it, installs the wheel there and fits.
func newEnvironment(ctx context.Context, dir, python, script, wheel string) (one firstFit, err error) {
	if err := os.Mkdir(dir, 0o750); err != nil {
		return one, err
	}
	own := filepath.Join(dir, "new", "bin", "python")
	timed := func(args ...string) (seconds float64, out []byte) {
		if err != nil {
			return 0, nil
		}
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Dir, c.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir}
		start := time.Now()
		if out, err = c.CombinedOutput(); err != nil {
			err = fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
		}
		return time.Since(start).Seconds(), out
	}
	if _, out := timed("sh", "-c", "command -v go || true"); len(out) > 0 {
		return one, fmt.Errorf("there is a Go: %s", out)
	}
	one.environment, _ = timed(python, "-m", "venv", "--system-site-packages", "new")
	one.pip, _ = timed(own, "-m", "pip", "--version")
	one.install, _ = timed(own, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
	all, out := timed(own, script)
	if err != nil {
		return one, err
	}
	_, err = fmt.Sscan(string(out), &one.numpy, &one.packages, &one.fit, &one.program, &one.second, &one.wrong)
	one.start = all - one.numpy - one.packages - one.fit - one.second // Python's, and the making of the rows
	return one, err
}

// tellFits writes the table of least and median seconds.
func tellFits(w io.Writer, all []firstFit, bytes float64) {
	fmt.Fprintf(w, "Asked are at most 10 s for pip install and the first fit together, and aimed at are 5 s. The wheel of %.1f MB holds the "+
		"program; `pip install --no-index --no-deps` puts it into a new environment that sees the numpy and the scikit-learn of the system, "+
		"and a new Python fits a table of 1000 rows in 10 columns, two classes and all labels, by `MercerClassifier().fit(X, y)`. Seconds "+
		"are the least and the median of %d environments.\n\n| part | least | median |\n|---|---|---|\n", 1e-6*bytes, len(all))
	row := func(part string, of func(firstFit) float64) {
		least := of(all[0])
		for _, one := range all {
			least = min(least, of(one))
		}
		fmt.Fprintf(w, "| %s | %.2f | %.2f |\n", part, least, of(measure.Median(all, of)))
	}
	row("**pip install and first fit**", func(f firstFit) float64 { return f.install + f.start + f.numpy + f.packages + f.fit })
	row("pip install", func(f firstFit) float64 { return f.install })
	row("of it, pip alone (`pip --version`)", func(f firstFit) float64 { return f.pip })
	row("Python's start, the rows, its end", func(f firstFit) float64 { return f.start })
	row("`import numpy`", func(f firstFit) float64 { return f.numpy })
	row("`from mercer import MercerClassifier`, which imports scikit-learn", func(f firstFit) float64 { return f.packages })
	row("first fit", func(f firstFit) float64 { return f.fit })
	row("of it, the program's own", func(f firstFit) float64 { return f.program })
	row("a second fit, in the same Python", func(f firstFit) float64 { return f.second })
	fmt.Fprintf(w, "\nThe environment itself (`python -m venv`) takes %.1f s before that, and is not counted. The fit expects an error of "+
		"%.1f %%.\n", measure.Median(all, func(f firstFit) float64 { return f.environment }).environment, 100*all[0].wrong)
}
