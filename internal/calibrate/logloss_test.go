package calibrate_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/exchange/libsvm"
	"github.com/mercer-ml/mercer/internal/test/testdata"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkLogLoss measures held-out log losses, not time: machines of svm-train on
// a random half of each set (1200 rows at most, features scaled to [-1, 1]), judged
// on the other half, with probabilities by svm-train -b 1 and by sigmoids of
// five-fold outputs in several forms. One line a set and machine with -v; the
// means are the metrics.
//
//	go test -run '^$' -bench LogLoss -benchtime 1x -timeout 1h -v ./calibrate
func BenchmarkLogLoss(b *testing.B) {
	if _, err := exec.LookPath("svm-train"); err != nil {
		b.Skip("skipped: svm-train is not installed")
	}
	machines := [][]string{{"-c", "1"}, {"-c", "30", "-g", "0.2"}, {"-c", "0.1", "-t", "0"}}
	for _, group := range []struct {
		name, sets string
		forms      []string
	}{
		{"two", "heart_scale.svm australian.csv pima_diabetes.csv sonar.csv liver_bupa.csv parkinsons.csv wdbc.csv banana.csv " +
			"spambase.csv.gz " +
			"svmguide1.csv ijcnn1_val.csv.gz ripley_synth_tr.csv ssl_bci.csv.gz ssl_usps1500.csv.gz",
			[]string{"libsvm", "platt", "sigmoid", "one-slope", "two-slopes", "isotonic"}},
		{"many", "iris.csv wine.csv seeds.csv glass.csv vehicle.csv vowel.csv segment.csv.gz satimage.csv.gz digits.csv.gz",
			[]string{"libsvm", "coupled", "unpowered", "pairs", "pairs-agreeing"}},
	} {
		b.Run(group.name, func(b *testing.B) {
			for b.Loop() {
				mean := map[string]float64{}
				sets := strings.Fields(group.sets)
				for _, set := range sets {
					for _, args := range machines {
						loss := trial(b, set, args, 6)
						line := fmt.Sprintf("%-20s %-12s", set, strings.Join(args, ""))
						for _, f := range append([]string{"disagree"}, group.forms...) {
							line += fmt.Sprintf(" %s %.4f", f, loss[f])
							mean[f] += loss[f] / float64(len(sets)*len(machines))
						}
						if testing.Verbose() {
							b.Log(line)
						}
					}
				}
				for _, f := range group.forms {
					b.ReportMetric(mean[f], f)
				}
			}
		})
	}
}

// trial returns the mean log losses over halves of a set.
func trial(b *testing.B, set string, args []string, halves int) map[string]float64 {
	b.Helper()
	s, _, err := read.Open(b.Context(), testdata.Open(b, set), read.Options{})
	if err != nil {
		b.Fatal(err)
	}
	labels, err := data.Interpret(s.Answers, s.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		b.Fatal(err)
	}
	n := min(s.Rows.Len(), 1200)
	sample := rand.New(rand.NewPCG(7, 7)).Perm(s.Rows.Len())[:n]
	rows := s.Rows.Select(sample)
	if rows.Sparse != nil {
		rows = data.Rows{Dense: rows.Sparse.ToDense()}
	}
	rows = libsvm.FitRanges(rows, -1, 1).Apply(rows)
	class := make([]int, n)
	for i, q := range sample {
		class[i] = labels.Class[q]
	}
	k := len(labels.Classes)
	loss := map[string]float64{}
	total := 0.0
	for half := range halves {
		p := rand.New(rand.NewPCG(uint64(half), 3)).Perm(n)
		train, test := p[:n/2], p[n/2:]
		truth := at(class, test)
		judge := func(form string, dst *mat.Dense) {
			for i, y := range truth {
				loss[form] -= math.Log(max(dst.At(i, y), calibrate.Least))
			}
		}
		total += float64(len(test))

		m := svmTrain(b, rows, class, train, k, append([]string{"-b", "1"}, args...))
		q, err := m.Probabilities(rows.Select(test))
		if err != nil {
			b.Fatal(err)
		}
		sorted := mat.NewDense(len(test), k, nil)
		for c, l := range m.Labels {
			for i := range test {
				sorted.Set(i, l, q.At(i, c))
			}
		}
		judge("libsvm", sorted)

		out := outputs(b, svmTrain(b, rows, class, train, k, args), rows.Select(test), k)
		var held *mat.Dense
		var heldClass []int
		for fold := range 5 {
			var in, left []int
			for i, r := range train {
				if i%5 == fold {
					left = append(left, r)
				} else {
					in = append(in, r)
				}
			}
			f := outputs(b, svmTrain(b, rows, class, in, k, args), rows.Select(left), k)
			if held == nil {
				held = f
			} else {
				var both mat.Dense
				both.Stack(held, f)
				held = &both
			}
			heldClass = append(heldClass, at(class, left)...)
		}
		w := calibrate.Winners(out, k, k > 2)
		for i := range test {
			if calibrate.First(sorted.RawRowView(i)) != w[i] {
				loss["disagree"]++
			}
		}
		for form, dst := range forms(b, held, heldClass, out, w, k) {
			judge(form, dst)
		}
	}
	for f := range loss {
		loss[f] /= total
	}
	return loss
}

func at(v, idx []int) []int {
	out := make([]int, len(idx))
	for i, q := range idx {
		out[i] = v[q]
	}
	return out
}

// svmTrain trains on the rows idx; labels are class numbers.
func svmTrain(b *testing.B, rows data.Rows, class, idx []int, k int, args []string) *libsvm.Model {
	b.Helper()
	var text bytes.Buffer
	// Classes in their order first, so that every fold has the same pairs.
	order := slices.Clone(idx)
	slices.SortStableFunc(order, func(i, j int) int { return class[i] - class[j] })
	for _, i := range order {
		fmt.Fprintf(&text, "%d", class[i])
		for j, v := range rows.Dense.RawRowView(i) {
			if v != 0 {
				fmt.Fprintf(&text, " %d:%.17g", j+1, v)
			}
		}
		text.WriteByte('\n')
	}
	dir := b.TempDir()
	in, out := filepath.Join(dir, "train"), filepath.Join(dir, "model")
	if err := os.WriteFile(in, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	if msg, err := exec.Command("svm-train", append(append([]string{"-q"}, args...), in, out)...).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, msg)
	}
	f, err := os.Open(out)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	m, err := libsvm.Read(f, out)
	if err != nil {
		b.Fatal(err)
	}
	if len(m.Labels) != k {
		b.Fatalf("%d of %d classes", len(m.Labels), k)
	}
	return m
}

// outputs are the decision values in the coding of package learn.
func outputs(b *testing.B, m *libsvm.Model, rows data.Rows, k int) *mat.Dense {
	b.Helper()
	f, err := m.Decision(rows)
	if err != nil {
		b.Fatal(err)
	}
	if !slices.IsSorted(m.Labels) {
		b.Fatalf("labels %v", m.Labels)
	}
	f.Scale(-1, f)
	return f
}

// forms returns the probabilities that rival forms make of the outputs.
func forms(b *testing.B, held *mat.Dense, class []int, out *mat.Dense, w []int, k int) map[string]*mat.Dense {
	b.Helper()
	n, _ := out.Dims()
	dst := map[string]*mat.Dense{}
	add := func(form string, c calibrate.Calibration, err error) {
		p := mat.NewDense(n, k, nil)
		if err == nil {
			err = c.Probabilities(p, out, w)
		}
		if err != nil {
			b.Fatal(err)
		}
		dst[form] = p
	}
	if k > 2 {
		c, err := calibrate.FitPairs(held, class, k, nil)
		add("pairs", c, err)
		c.Power = 0
		add("unpowered", c, err)
		// Without agreement, and with each pair agreeing before they are coupled.
		coupled, agreeing := mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
		pairs := calibrate.NewCoupling(k)
		for _, agree := range []bool{false, true} {
			to := coupled
			if agree {
				to = agreeing
			}
			for i := range n {
				o := 0
				for a := range k {
					for e := a + 1; e < k; e++ {
						v := c.Pair[o].Probability(out.At(i, o))
						if agree && out.At(i, o) >= 0 {
							v = max(v, 0.5)
						} else if agree {
							v = min(v, 0.5)
						}
						pairs.Set(e, a, v)
						o++
					}
				}
				pairs.Solve(to.RawRowView(i))
				if agree {
					if err := calibrate.Agree(to.RawRowView(i), w[i]); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
		dst["coupled"], dst["pairs-agreeing"] = coupled, agreeing
		return dst
	}
	f, second := mat.Col(nil, 0, held), make([]bool, len(class))
	for i, y := range class {
		second[i] = y == 1
	}
	s, err := calibrate.FitSigmoid(f, second, nil)
	add("sigmoid", s, err)
	// The rivals as pairs of slopes and offsets, by the sign of the output.
	slope := func(keep func(f float64) bool) float64 {
		a, err := calibrate.FitSlope(f, second, keep)
		if err != nil {
			b.Fatal(err)
		}
		return a
	}
	one := slope(func(float64) bool { return true })
	plus, minus := slope(func(f float64) bool { return f >= 0 }), slope(func(f float64) bool { return f < 0 })
	for form, of := range map[string]func(f float64) calibrate.Sigmoid{
		"platt":     func(float64) calibrate.Sigmoid { return s },
		"one-slope": func(float64) calibrate.Sigmoid { return calibrate.Sigmoid{Slope: one} },
		"two-slopes": func(f float64) calibrate.Sigmoid {
			if f >= 0 {
				return calibrate.Sigmoid{Slope: plus}
			}
			return calibrate.Sigmoid{Slope: minus}
		},
	} {
		m := mat.NewDense(n, 2, nil)
		for i := range n {
			p := of(out.At(i, 0)).Probability(out.At(i, 0))
			m.SetRow(i, []float64{1 - p, p})
		}
		dst[form] = m
	}
	return dst
}

// TestLIBSVMFile: a sigmoid as probA and probB of a model, in either order of its
// labels, makes LIBSVM's probabilities those of the sigmoid.
func TestLIBSVMFile(t *testing.T) {
	s := calibrate.Sigmoid{Slope: 1.3, Offset: 0.4}
	out := mat.NewDense(5, 1, []float64{-2, -0.3, 0, 0.5, 3})
	for _, secondFirst := range []bool{true, false} {
		m := &libsvm.Model{
			Type:    libsvm.CSVC,
			Kernel:  libsvm.Linear,
			Classes: 2,
			Labels:  []int{-1, 1},
			ProbA:   []float64{-s.Slope},
			ProbB:   []float64{s.Offset},
		}
		sign, column := -1.0, 1 // decision values are positive for the first label
		if secondFirst {
			m.Labels, m.ProbB[0], sign, column = []int{1, -1}, -s.Offset, 1, 0
		}
		var f mat.Dense
		f.Scale(sign, out)
		p, err := m.Couple(&f)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			if got, want := p.At(i, column), s.Probability(out.At(i, 0)); math.Abs(got-want) > 1e-12 {
				t.Errorf("second first %v, output %g: %g, want %g", secondFirst, out.At(i, 0), got, want)
			}
		}
	}
}
