//go:build unix

// Package trial is what benches of this module share: programs that are built and timed, and generated rows in shards.
package trial

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Build builds a program.
func Build(path, of string) error {
	if out, err := exec.Command("go", "build", "-o", path, of).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// Cost is what a process took: seconds by the clock and of processors, those of its own processes included, and the GB that the
// largest of them had at a time.
type Cost struct{ Seconds, Processors, Memory float64 }

// String has seconds by the clock, and of processors in brackets.
func (c Cost) String() string { return fmt.Sprintf("%.1f (%.1f)", c.Seconds, c.Processors) }

// Timed runs a program with additions to the environment; the error has what it said.
func Timed(env []string, program string, args ...string) (Cost, error) {
	_, c, err := Asked(env, program, args...)
	return c, err
}

// Asked is Timed, and returns what the program printed.
func Asked(env []string, program string, args ...string) (string, Cost, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return "", Cost{}, fmt.Errorf("%s %s: %w: %s", filepath.Base(program), args[0], err, said.String())
	}
	c := Cost{Seconds: time.Since(began).Seconds()}
	c.Processors = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.Memory = float64(u.Maxrss) / (1 << 20)
	}
	return out.String(), c, nil
}

// Linear are generated rows of a regression, y = sum_j cos(j) x_j + 3 + e with standard normal x and e, in so many files; of two
// classes whether y is above 3.
type Linear struct {
	Rows, Columns, Shards int
	Classes               bool
}

// label writes that of a row.
func (l Linear) label(line []byte, y float64) []byte {
	if l.Classes {
		return strconv.AppendBool(line, y > 3)
	}
	return strconv.AppendFloat(line, y, 'g', 8, 64)
}

// Write writes the shards into a folder, and all rows into one file too if whole is not empty. It returns the size of the text in GB
// and the standard deviation of the targets, 1 of classes.
func (l Linear) Write(dir, whole string) (size, spread float64, err error) {
	if whole == "" {
		whole = os.DevNull
	}
	all, err := os.OpenFile(whole, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, 0, err
	}
	defer all.Close() //nolint:errcheck // closed below where it matters
	var head []byte
	for j := range l.Columns {
		head = append(head, "x"+strconv.Itoa(j)+","...)
	}
	head = append(head, "y\n"...)
	if _, err := all.Write(head); err != nil {
		return 0, 0, err
	}
	size, spread = float64(len(head)), 1
	for j := range l.Columns {
		spread += math.Cos(float64(j)) * math.Cos(float64(j))
	}
	r := rand.New(rand.NewPCG(1, uint64(l.Rows)))
	for k := range l.Shards {
		one, err := os.Create(filepath.Join(dir, fmt.Sprintf("part-%03d.csv", k)))
		if err != nil {
			return 0, 0, err
		}
		to := bufio.NewWriterSize(io.MultiWriter(one, all), 1<<20)
		_, _ = one.Write(head) // a full disk shows below
		var line []byte
		for range (k+1)*l.Rows/l.Shards - k*l.Rows/l.Shards {
			line, y := line[:0], 3+r.NormFloat64()
			for j := range l.Columns {
				x := r.NormFloat64()
				y += math.Cos(float64(j)) * x
				line = append(strconv.AppendFloat(line, x, 'g', 6, 64), ',')
			}
			line = append(l.label(line, y), '\n')
			size += float64(len(line))
			if _, err := to.Write(line); err != nil {
				return 0, 0, err
			}
		}
		if err := errors.Join(to.Flush(), one.Close()); err != nil {
			return 0, 0, err
		}
	}
	if l.Classes {
		spread = 1
	}
	return size / 1e9, math.Sqrt(spread), all.Close()
}
