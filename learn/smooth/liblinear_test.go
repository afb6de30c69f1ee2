package smooth_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"gonum.org/v1/gonum/mat"
)

// liblinear trains by LIBLINEAR and returns w (and b when bias).
func liblinear(t *testing.T, program string, x *mat.Dense, y []float64, bias bool, args ...string) []float64 {
	t.Helper()
	var text strings.Builder
	n, d := x.Dims()
	for i := range n {
		fmt.Fprintf(&text, "%.17g", y[i])
		for j := range d {
			fmt.Fprintf(&text, " %d:%.17g", j+1, x.At(i, j))
		}
		text.WriteByte('\n')
	}
	dir := t.TempDir()
	set, model := filepath.Join(dir, "set"), filepath.Join(dir, "model")
	if err := os.WriteFile(set, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if bias {
		args = append(args, "-B", "1")
		d++
	}
	args = append(args, "-q", "-e", "1e-10", set, model)
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	raw, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, ok := strings.Cut(string(raw), "\nw\n")
	if !ok {
		t.Fatalf("no weights in %q", raw)
	}
	w := make([]float64, d)
	for j, word := range strings.Fields(tail) {
		if w[j], err = strconv.ParseFloat(word, 64); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(head, "label -1 1") { // the first label counts as +1
			w[j] = -w[j]
		}
	}
	return w
}

// Primal LIBLINEAR minimises the same objectives, with the bias in the norm.
func TestAgreesWithLIBLINEAR(t *testing.T) {
	program, err := exec.LookPath("liblinear-train")
	if err != nil {
		t.Skip("skipped: liblinear-train is not installed")
	}
	for _, c := range []struct {
		solver string
		loss   learn.Loss
	}{{"0", learn.Logistic()}, {"2", learn.SquaredHinge()}, {"11", learn.SquaredEpsilon(0.25)}} {
		x, y := sample(200, c.loss.Classes(), 9)
		for _, o := range []smooth.Offset{smooth.None, smooth.Augmented} {
			want := liblinear(t, program, x, y, o == smooth.Augmented, "-s", c.solver, "-c", "3", "-p", "0.25")
			s := fitLinear(t, smooth.LinearProblem{X: data.Rows{Dense: x}, Y: y, C: 3, Loss: c.loss, Offset: o}, smooth.Options{})
			got := s.W
			if o == smooth.Augmented {
				got = append(got, s.B)
			}
			for j := range want {
				near(t, c.loss.Name()+" "+o.String()+" w", got[j], want[j], 1e-6)
			}
		}
	}
}
