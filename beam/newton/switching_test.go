package newton

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/shard/shardtest"
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/data/read"
)

// clouds are two classes of rows so far apart, one in so many with a label, and a share of the second.
func clouds(n, d int, apart, second float64, labelled int) shardtest.Table {
	r := rand.New(rand.NewPCG(11, uint64(n)))
	t := shardtest.Table{Ending: ".csv"}
	for j := range d {
		t.Header += fmt.Sprintf("x%d,", j)
	}
	t.Header += "label"
	for i := range n {
		class := 0
		if r.Float64() < second {
			class = 1
		}
		row := ""
		for j := range d {
			x := r.NormFloat64()
			if j < 2 {
				x += apart * (float64(class) - 0.5)
			}
			row += fmt.Sprintf("%g,", x)
		}
		if i%labelled == 0 {
			row += []string{"no", "yes"}[class]
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// tsvm is the transductive machine at a tight tolerance.
func tsvm(c string) mercer.Recipe {
	r := tuned(with("linear-tsvm", "C", c), "none")
	r.Tolerance = 1e-10
	return r
}

// Where classes are clusters the machine is that of mercer on one file, labels and all.
func TestSwitchingOfClusters(t *testing.T) {
	weighted := tsvm("1")
	weighted.Set["unlabelled_weight"] = "0.5"
	asked := tsvm("1")
	asked.Set["positive"] = "0.3"
	for name, c := range map[string]struct {
		table  shardtest.Table
		recipe mercer.Recipe
	}{
		"another share":  {clouds(600, 4, 5, 0.5, 10), asked},
		"even":           {clouds(600, 4, 5, 0.5, 10), tsvm("1")},
		"uneven":         {clouds(900, 3, 6, 0.3, 9), tsvm("0.2")},
		"weighted":       {clouds(600, 4, 5, 0.5, 10), weighted},
		"without offset": {clouds(600, 4, 5, 0.5, 10), scaled(tsvm("1"), "none", "no")},
	} {
		t.Run(name, func(t *testing.T) {
			whole, shards := c.table.Written(t)
			passes := 0
			got, res := fitted(t, here{files: shards, fan: 8, passes: &passes}, c.recipe)
			set, _, err := read.Open(context.Background(), whole, read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, told, err := mercer.Fit(context.Background(), mercer.Input{Set: set}, c.recipe, mercer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			a, errA := got.Predict(context.Background(), set.Rows)
			b, errB := want.Predict(context.Background(), set.Rows)
			if errA != nil || errB != nil || !mat.EqualApprox(a, b, 1e-7) {
				t.Error("predictions differ", errA, errB)
			}
			near(t, "objective", res.Certificate.Objective, told.Certificate.Objective, 1e-8)
			if res.Support != told.Support || res.Rows != told.Rows {
				t.Errorf("support %d, rows %+v, of one file %d, %+v", res.Support, res.Rows, told.Support, told.Rows)
			}
			for k, v := range told.Balance.Unlabelled {
				near(t, "balance", res.Balance.Unlabelled[k], v, 1e-9)
				near(t, "asked", res.Balance.Asked[k], told.Balance.Asked[k], 1e-9)
			}
			for k, v := range told.Balance.AskedError {
				near(t, "its error", res.Balance.AskedError[k], v, 1e-9)
			}
			t.Logf("%d passes, %d steps", passes, res.Certificate.Steps)
		})
	}
}

// Where classes overlap labels may come out otherwise, but the objective is near that of mercer, which has several minima too, and the
// labels have the share that was asked for.
func TestSwitchingOfOverlap(t *testing.T) {
	for _, apart := range []float64{1, 2, 3} {
		whole, shards := clouds(2000, 6, apart, 0.4, 20).Written(t)
		passes := 0
		_, res := fitted(t, here{files: shards, fan: 8, passes: &passes}, tsvm("1"))
		set, _, err := read.Open(context.Background(), whole, read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, told, err := mercer.Fit(context.Background(), mercer.Input{Set: set}, tsvm("1"), mercer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "objective", res.Certificate.Objective, told.Certificate.Objective, 1e-8)
		t.Logf("%g apart: objective %g, of one file %g; %d passes", apart, res.Certificate.Objective, told.Certificate.Objective, passes)
	}
}

// What the transductive machine does not have over shards is refused.
func TestSwitchingRefuses(t *testing.T) {
	free := tsvm("1")
	delete(free.Set, "C")
	share := tsvm("1")
	share.Set["positive"] = "0.4,0.3,0.3"
	slow := tsvm("1")
	slow.Set["switches"] = "5"
	nothing := tsvm("1")
	nothing.Set["unlabelled_weight"] = "0"
	some := clouds(200, 3, 4, 0.5, 5)
	for name, c := range map[string]struct {
		table  shardtest.Table
		recipe mercer.Recipe
		want   string
	}{
		"no C":          {some, free, "add --set C=1"},
		"folds":         {some, tuned(tsvm("1"), "kfold:5"), "choose none"},
		"another share": {some, share, "has 3 shares"},
		"few exchanges": {some, slow, "only C, unlabelled_weight, positive"},
		"no weight":     {some, nothing, "choose --method linear-svm"},
		"all labelled":  {clouds(200, 3, 4, 0.5, 1), tsvm("1"), "no row is unlabelled"},
		"three classes": {shardtest.Generated(200, shardtest.Kind(3, 0.5)), tsvm("1"), "for two classes"},
	} {
		_, files := c.table.Written(t)
		surveyed, err := shard.Survey(context.Background(), files, shard.Options{})
		if err != nil {
			t.Fatal(err)
		}
		passes := 0
		_, _, err = Fit(context.Background(), surveyed, shard.Options{}, c.recipe, here{files: files, fan: 8, passes: &passes})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A split has as many numbers above it as are asked for, but for those within a 1024th of it.
func TestSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{1, 2, 50, 20000} {
		var o, part squares.Order
		var list []float64
		for i := range n {
			v := r.NormFloat64()
			list = append(list, v)
			if i%2 == 0 {
				o.Add(v)
			} else {
				part.Add(v)
			}
		}
		o.Join(&part)
		slices.Sort(list)
		for _, above := range []int{0, 1, n / 3, n / 2, n - 1, n} {
			split := o.Split(above)
			got := 0
			near := 0
			for _, v := range list {
				if v > split {
					got++
				}
				if math.Abs(v-split) < math.Abs(split)/1000 {
					near++
				}
			}
			if off := max(got-above, above-got); off > max(0, near-1) {
				t.Errorf("%d of %d above %g, want %d; %d are near", got, n, split, above, near)
			}
		}
	}
}
