// Unequal compares the automatic choice with logistic regression on generated rows of which few are of one of two
// classes, and prints a table:
//
//	go run ./tools/lab/unequal -markdown docs/results/unequal.md
//
// Models learn from -rows rows, and are measured on 20 000 fresh ones.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/metric"
	"github.com/mercer-ml/mercer/internal/results"
)

func main() {
	rows := flag.Int("rows", 5000, "rows learned from")
	seeds := flag.Int("seeds", 1, "draws of each set, of which the table has the mean")
	only := flag.String("sets", "", "only sets whose name has this")
	markdown := flag.String("markdown", "", "write the table there too, with the command, the date and the machine")
	flag.Parse()
	err := results.Program(*markdown, "Unequal classes", "tools/lab/unequal", os.Args[1:], func(w io.Writer) error {
		fmt.Fprint(w, head)
		for _, k := range kinds() {
			if !strings.Contains(k.name, *only) {
				continue
			}
			for _, r := range recipes() {
				if err := line(w, k, r, *rows, *seeds); err != nil {
					return fmt.Errorf("%s, %s: %w", k.name, r.name, err)
				}
			}
		}
		_, err := fmt.Fprint(w, notes)
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const head = "| set | positives % | fit | AUC | error % | mean recall % | s | machine |\n|---|---|---|---|---|---|---|---|\n"

const notes = `
Mean recall: the mean over the two classes of the share of their rows that are found, which is 50 of a machine that never
finds the rare one. Seconds are of one fit.
`

// recipe is a fit of the table.
type recipe struct {
	name string
	mercer.Recipe
}

func recipes() []recipe {
	return []recipe{
		{"`mercer fit`", mercer.Recipe{}},
		{"`--decide balanced`", mercer.Recipe{Decide: "balanced"}},
		{"`--method logistic --kernel linear`", mercer.Recipe{Method: "logistic", Kernel: "linear"}},
	}
}

// kind is a generated set of two classes: positives are a share of the rows.
type kind struct {
	name      string
	columns   int
	positives float64
	row       func(x []float64, positive bool, rng *rand.Rand)
}

func kinds() []kind {
	return []kind{
		{"shifted normal", 10, 0.015, func(x []float64, positive bool, rng *rand.Rand) { shifted(x, positive, 4, 1.2, rng) }},
		{"shifted normal", 10, 0.16, func(x []float64, positive bool, rng *rand.Rand) { shifted(x, positive, 4, 1.2, rng) }},
		{"shell around the others", 4, 0.015, shell},
	}
}

// shifted is a normal row, the mean of whose first columns is moved for positives.
func shifted(x []float64, positive bool, columns int, by float64, rng *rand.Rand) {
	for j := range x {
		x[j] = rng.NormFloat64()
		if positive && j < columns {
			x[j] += by
		}
	}
}

// shell is a normal row, of positives with a length of about 3.5, so that no linear function tells them.
func shell(x []float64, positive bool, rng *rand.Rand) {
	norm := 0.0
	for j := range x {
		x[j] = rng.NormFloat64()
		norm += x[j] * x[j]
	}
	if positive {
		length := (3.5 + 0.5*rng.NormFloat64()) / math.Sqrt(norm)
		for j := range x {
			x[j] *= length
		}
	}
}

func (k kind) draw(n int, rng *rand.Rand) *data.Set {
	x, answers := mat.NewDense(n, k.columns, nil), make(data.Answers, n)
	for i := range n {
		positive := rng.Float64() < k.positives
		k.row(x.RawRowView(i), positive, rng)
		answers[i] = "no"
		if positive {
			answers[i] = "yes"
		}
	}
	return &data.Set{Rows: data.Rows{Dense: x}, Answers: answers, LabelName: "y", Source: k.name}
}

// fresh is the number of rows of the test.
const fresh = 20000

// line prints the mean over the draws.
func line(w io.Writer, k kind, r recipe, rows, seeds int) error {
	ctx := context.Background()
	var auc, wrong, recall, took float64
	machine := ""
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		set, test := k.draw(rows, rng), k.draw(fresh, rng)
		start := time.Now()
		m, res, err := mercer.Fit(ctx, mercer.Input{Set: set}, r.Recipe, mercer.Options{})
		if err != nil {
			return err
		}
		took += time.Since(start).Seconds() / float64(seeds)
		machine = res.Method + ", " + res.Kernel
		met, _, err := mercer.Evaluate(ctx, m, test.Rows, test.Answers)
		if err != nil {
			return err
		}
		found, err := recalls(ctx, m, test)
		if err != nil {
			return err
		}
		auc, wrong = auc+met["auc"]/float64(seeds), wrong+100*met["error"]/float64(seeds)
		recall += 100 * found / float64(seeds)
	}
	_, err := fmt.Fprintf(w, "| %s | %g | %s | %.4f | %.2f | %.2f | %.1f | %s "+
		"|\n", k.name, 100*k.positives, r.name, auc, wrong, recall, took, machine)
	return err
}

// recalls is the mean recall of the classes.
func recalls(ctx context.Context, m interface {
	Predict(context.Context, data.Rows) (*mat.Dense, error)
	Decide(*mat.Dense) []int
}, test *data.Set) (float64, error) {
	out, err := m.Predict(ctx, test.Rows)
	if err != nil {
		return 0, err
	}
	want := make([]int, len(test.Answers))
	for i, a := range test.Answers {
		if a == "yes" {
			want[i] = 1
		}
	}
	_, recall, _ := metric.PerClass(metric.Confusion(m.Decide(out), want, 2))
	return (recall[0] + recall[1]) / 2, nil
}
