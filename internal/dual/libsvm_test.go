package dual

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var printed = regexp.MustCompile(`obj = (\S+), rho = (\S+)`)

// svmTrain runs LIBSVM on rows with a precomputed kernel of double precision and
// returns its objective, rho and coefficients by row.
func svmTrain(t *testing.T, k *dense, y []float64, args ...string) (objective, rho float64, coef []float64) {
	t.Helper()
	path, err := exec.LookPath("svm-train")
	if err != nil {
		t.Skip("skipped: no svm-train in the path")
	}
	dir := t.TempDir()
	var text strings.Builder
	for i := range k.n {
		fmt.Fprintf(&text, "%.17g 0:%d", y[i], i+1)
		for j := range k.n {
			fmt.Fprintf(&text, " %d:%.9g", j+1, k.k[i*k.n+j])
		}
		text.WriteString("\n")
	}
	in, model := filepath.Join(dir, "in"), filepath.Join(dir, "model")
	if err := os.WriteFile(in, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), path, append(args, "-t", "4", "-e", "1e-5", in, model)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := printed.FindStringSubmatch(string(out))
	if m == nil {
		t.Fatalf("no objective in\n%s", out)
	}
	objective, _ = strconv.ParseFloat(m[1], 64)
	rho, _ = strconv.ParseFloat(m[2], 64)
	coef = make([]float64, k.n)
	f, err := os.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	vectors := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if vectors {
			v, serial, _ := strings.Cut(strings.TrimSpace(lines.Text()), " 0:")
			i, err := strconv.Atoi(serial)
			if err != nil {
				t.Fatal(err)
			}
			coef[i-1], _ = strconv.ParseFloat(v, 64)
		}
		vectors = vectors || lines.Text() == "SV"
	}
	return objective, rho, coef
}

// All five forms give LIBSVM's objective with its sign and scale, and its decisions.
func TestLIBSVM(t *testing.T) {
	const l = 90
	x, y := blobs(source(11), l)
	k := gaussian(x, 1)
	z, one := make([]float64, l), constant(l, 1)
	for i := range z {
		z[i] = math.Cos(2*x[i][0]) + 0.1*x[i][1]
	}
	weighted := constant(l, 3)
	for i := range weighted {
		if y[i] < 0 {
			weighted[i] = 6
		}
	}
	nusvc, err1 := NuSVC(nil, y, one, 0.6)
	nusvr, err2 := NuSVR(nil, z, constant(l, 2), 0.4)
	single, err3 := OneClass(nil, one, 0.3)
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	for _, e := range []struct {
		name string
		p    Problem
		y    []float64
		args string
	}{
		{"C-SVC", SVC(nil, y, constant(l, 3)), y, "-s 0 -c 3"},
		{"weights", SVC(nil, y, weighted), y, "-s 0 -c 3 -w-1 2"},
		{"nu-SVC", nusvc, y, "-s 1 -n 0.6"},
		{"one-class", single, y, "-s 2 -n 0.3"},
		{"epsilon-SVR", SVR(nil, z, constant(l, 2), 0.2), z, "-s 3 -c 2 -p 0.2"},
		{"nu-SVR", nusvr, z, "-s 4 -c 2 -n 0.4"},
	} {
		objective, rho, coef := svmTrain(t, k, e.y, strings.Fields(e.args)...)
		both(t, func(t *testing.T, solve func(Matrix, Problem, Options) *Solution) {
			s := solve(k, e.p, Options{Tolerance: 1e-6})
			m, err := e.p.Machine(s, l)
			if err != nil {
				t.Fatal(err)
			}
			// Six digits are printed.
			if math.Abs(m.Objective-objective) > 3e-6*(1+math.Abs(objective)) {
				t.Errorf("%s: objective %.9g, LIBSVM's %.9g", e.name, m.Objective, objective)
			}
			theirs := make([]float64, l)
			for i := range theirs {
				theirs[i] = -rho
				for j, v := range coef {
					theirs[i] += v * float64(k.k[i*l+j])
				}
			}
			near(t, e.name+": decisions", decision(t, k, e.p, s), theirs, 1e-4*(1+math.Abs(rho)))
		})
	}
}
