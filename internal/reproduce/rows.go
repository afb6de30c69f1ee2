package reproduce

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// dataset is a set of a source.
type dataset struct {
	name, file string // no file: built in
	n, d       int    // rows and columns that it must have; 0: any number
}

const anotherSet = "this is not the set that docs/datasets.md describes"

// open reads a set.
func (l *lab) open(ctx context.Context, d dataset) *data.Set {
	if d.file == "" {
		return must(data.Builtin(d.name))
	}
	if l.dataDir == "" {
		fail("%s needs %s; say where it is with --data DIR", l.id, d.file)
	}
	name := filepath.Join(l.dataDir, d.file)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		fail("%s needs %s, which is not in %s; give its folder with --data DIR", l.id, d.file, l.dataDir)
	}
	set, _ := must2(read.Open(ctx, name, read.Options{}))
	n, cols := set.Rows.Len(), set.Rows.Dim()
	switch {
	case d.n > 0 && n != d.n:
		fail("%s: %d rows in place of %d; %s", d.file, n, d.n, anotherSet)
	case d.d > 0 && cols != d.d:
		fail("%s: %d features in place of %d; %s", d.file, cols, d.d, anotherSet)
	case len(set.Answers) != n:
		fail("%s: %d of %d rows have a class; %s", d.file, len(set.Answers), n, anotherSet)
	}
	return set
}

// classesOf are the answers of a set as classes.
func classesOf(set *data.Set) data.Labels {
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		fail("%s: %w", set.Name, err)
	}
	return labels
}

// known are the classes of some rows; the others have no label.
func known(classes []string, truth, labelled []int) data.Labels {
	labels := data.Labels{Task: data.Classification, Classes: classes, Class: slices.Repeat([]int{data.Unlabelled}, len(truth))}
	for _, i := range labelled {
		labels.Class[i] = truth[i]
	}
	return labels
}

// labelsOf are targets -1 and 1 as classes.
func labelsOf(y []float64) data.Labels {
	labels := data.Labels{Task: data.Classification, Classes: twoClasses(), Class: make([]int, len(y))}
	for i, v := range y {
		if v > 0 {
			labels.Class[i] = 1
		}
	}
	return labels
}

// twoClasses are the names of the classes 0 and 1.
func twoClasses() []string { return []string{"-1", "1"} }

// classified is a set with a class a row.
type classified struct {
	x       data.Rows
	columns []string // names
	class   []int
}

// classified reads a set whose classes are whole numbers.
func (l *lab) classified(ctx context.Context, d dataset) *classified {
	set := l.open(ctx, d)
	c := &classified{x: set.Rows, columns: set.Features}
	for i, a := range set.Answers {
		k, err := strconv.Atoi(data.ClassName(a))
		if err != nil {
			fail("%s: row %d has class %q, not a whole number; %s", d.file, i+1, a, anotherSet)
		}
		c.class = append(c.class, k)
	}
	return c
}

// selected are some rows of the set, numbered anew.
func (c *classified) selected(rows []int) *classified {
	s := &classified{x: c.x.Select(rows), columns: c.columns, class: indices.Of(c.class, rows)}
	s.x.ID = nil
	return s
}

// span scales every column to lo..hi over all rows, as svm-scale does.
func (c *classified) span(lo, hi float64) {
	s, _ := must2(data.FitScaling(data.ScaleMinMax, c.x))
	c.x = s.Apply(c.x)
	c.x.Dense.Apply(func(_, _ int, v float64) float64 { return lo + (hi-lo)*v }, c.x.Dense)
}

// against says which rows are of the class.
func (c *classified) against(class int) []bool {
	is := make([]bool, len(c.class))
	for i, k := range c.class {
		is[i] = k == class
	}
	return is
}

// shares draws disjoint lists of rows of the given sizes at random, in which the classes
// have, to rounding, the parts that they have of all rows.
func (c *classified) shares(rng *rand.Rand, sizes ...int) [][]int {
	byClass := map[int][]int{}
	for i, k := range c.class {
		byClass[k] = append(byClass[k], i)
	}
	// Every row has a place in (0, 1) within its class; rows in the order of their
	// places are a mixture of the classes in equal proportions wherever it is cut.
	type placed struct {
		at  float64
		row int
	}
	var all []placed
	for _, k := range slices.Sorted(maps.Keys(byClass)) {
		rows := byClass[k]
		for q, p := range rng.Perm(len(rows)) {
			all = append(all, placed{(float64(q) + rng.Float64()) / float64(len(rows)), rows[p]})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	lists := make([][]int, len(sizes))
	for s, n := range sizes {
		for _, p := range all[:n] {
			lists[s] = append(lists[s], p.row)
		}
		all = all[n:]
	}
	return lists
}

// stream is the random numbers of a run.
func (l *lab) stream(run int) *rand.Rand { return rand.New(rand.NewPCG(l.seed, uint64(run))) }

// uniform draws n numbers from lo to hi.
func uniform(rng *rand.Rand, lo, hi float64, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = lo + (hi-lo)*rng.Float64()
	}
	return v
}

// drawAtLeast draws n rows: `each` of every class, the rest uniformly.
func drawAtLeast(class []int, classes, n, each int, rng *rand.Rand) []int {
	perm := rng.Perm(len(class))
	taken := make([]int, classes)
	var drawn, rest []int
	for _, i := range perm {
		if k := class[i]; taken[k] < each {
			taken[k]++
			drawn = append(drawn, i)
		} else {
			rest = append(rest, i)
		}
	}
	if more := n - len(drawn); more < 0 || more > len(rest) {
		fail("%d labels of %d rows in %d classes, at least %d of each", n, len(class), classes, each)
	}
	drawn = append(drawn, rest[:n-len(drawn)]...)
	slices.Sort(drawn)
	return drawn
}

// leastOf is the number up to n of which a value is least, the first of equal ones; -1 where none is a number below infinity.
func leastOf(n int, value func(i int) float64) int {
	best, least := -1, math.Inf(1)
	for i := range n {
		if v := value(i); v < least {
			best, least = i, v
		}
	}
	return best
}

// wrongOf is the share of rows that are decided otherwise than they are, in percent.
func wrongOf(decided, class []int) float64 {
	wrong := 0
	for i, k := range decided {
		if k != class[i] {
			wrong++
		}
	}
	return 100 * float64(wrong) / float64(len(class))
}

// sign is 1 or -1.
func sign(positive bool) float64 {
	if positive {
		return 1
	}
	return -1
}

// signs are those of all rows.
func signs(positive []bool) []float64 {
	y := make([]float64, len(positive))
	for i, is := range positive {
		y[i] = sign(is)
	}
	return y
}

// indicator is 1 or 0.
func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// trained is a machine of a learner whose own parameter is given, on a kernel that is bound to the rows of a problem.
func trained(ctx context.Context, g kernel.Gram, learner learn.Learner, p *learn.Problem, own float64) *learn.Machine {
	return must(must(learner.Bind(ctx, g, p)).Train(ctx, nil, []float64{own}, nil))
}

// predicted are the outputs of a machine on rows never seen.
func predicted(ctx context.Context, g kernel.Gram, m *learn.Machine, rows data.Rows, outputs int) *mat.Dense {
	out := mat.NewDense(rows.Len(), outputs, nil)
	check(m.Predict(ctx, out, g, rows))
	return out
}

// evaluated are those on all rows that the kernel is bound to.
func evaluated(ctx context.Context, g kernel.Gram, m *learn.Machine, outputs int) *mat.Dense {
	out := mat.NewDense(g.Len(), outputs, nil)
	check(m.Evaluate(ctx, out, g, nil))
	return out
}

// tableOf are the values of a bound kernel between all of its rows.
func tableOf(g kernel.Gram) *mat.Dense {
	k := mat.NewDense(g.Len(), g.Len(), nil)
	g.Block(k, nil, nil)
	return k
}

// medianWidth is the median distance of rows.
func medianWidth(rows data.Rows) float64 {
	return kernel.Gaussian{}.Adapt(rows).(kernel.Gaussian).Sigma
}
