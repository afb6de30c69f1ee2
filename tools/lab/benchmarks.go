package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// goBenchmarks runs the benchmarks of packages, each several times, and writes the median of every figure that they report. What each
// measures, and its floor, stands beside it in the source and in tools/lab/README.md.
func goBenchmarks(f *measure.Flags) func() measure.Page {
	pattern := f.String("bench", ".", "benchmarks, as of go test -bench")
	packages := f.String("packages", "./bench", "packages of this module, ./bench, and of the root, with commas between")
	count := f.Int("count", 3, "runs of each")
	length := f.String("benchtime", "1s", "length of a run, as of go test -benchtime")
	return func() measure.Page {
		return measure.Page{Title: "Benchmarks", Write: func(ctx context.Context, w io.Writer) error {
			fmt.Fprint(w, "Each item is a benchmark of the package named: s are the seconds of one operation, other units those "+
				"that the benchmark reports.\n\n")
			for p := range strings.SplitSeq(*packages, ",") {
				args := []string{"test", "-run", "^$", "-bench", *pattern, "-benchtime", *length, "-count", strconv.Itoa(*count),
					"-timeout", "2h", p}
				if p == "./bench" {
					args = append([]string{"-C", "tools/lab"}, args...)
				}
				all, err := listBenchmarks(ctx, args)
				if err != nil {
					return err
				}
				for _, b := range all {
					fmt.Fprintf(w, "* %s\n", b.name)
					for _, unit := range b.units {
						fmt.Fprintf(w, "  * %s\n", figure(median(b.values[unit]), unit))
					}
				}
			}
			return nil
		}}
	}
}

// benchmark is what one has reported, by unit, in the order in which it did.
type benchmark struct {
	name   string
	units  []string
	values map[string][]float64
}

// listBenchmarks runs go test in the folder of a module and returns what its benchmarks reported.
func listBenchmarks(ctx context.Context, args []string) ([]*benchmark, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return parseBenchmarks(bytes.NewReader(out)), nil
}

// parseBenchmarks reads the lines of benchmarks: a name, the number of runs, and pairs of a value and its unit.
func parseBenchmarks(r io.Reader) []*benchmark {
	var all []*benchmark
	pkg := ""
	for s := bufio.NewScanner(r); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) == 2 && f[0] == "pkg:" {
			pkg = f[1][strings.LastIndex(f[1], "/")+1:]
		}
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := pkg + ": " + strings.TrimPrefix(f[0], "Benchmark")
		if at := strings.LastIndex(name, "-"); at > 0 {
			name = name[:at] // the number of processors stands in the heading
		}
		i := slices.IndexFunc(all, func(b *benchmark) bool { return b.name == name })
		if i < 0 {
			i = len(all)
			all = append(all, &benchmark{name: name, values: map[string][]float64{}})
		}
		b := all[i]
		for q := 2; q+1 < len(f); q += 2 {
			v, err := strconv.ParseFloat(f[q], 64)
			if err != nil {
				break
			}
			if b.values[f[q+1]] == nil {
				b.units = append(b.units, f[q+1])
			}
			b.values[f[q+1]] = append(b.values[f[q+1]], v)
		}
	}
	return all
}

// figure is a value in its unit; times are in seconds.
func figure(v float64, unit string) string {
	if unit == "ns/op" {
		return fmt.Sprintf("%.3g s", v/1e9)
	}
	return fmt.Sprintf("%.4g %s", v, unit)
}

func median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
