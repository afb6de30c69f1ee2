package method

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	host "github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
	"gonum.org/v1/gonum/mat"
)

// TestCountedWork: the counts of tasks.
func TestCountedWork(t *testing.T) {
	for name, c := range map[string]struct{ got, want Work }{
		"neighbours":           {size{n: 10, d: 2}.graphWork(), Work{Products: 400, Passes: 1600}},
		"what rows take":       {size{n: 2}.rowWork(), Work{Passes: 40e3}},
		"two classes, one":     {Work{Values: size{c: 2}.machines()}, Work{Values: 1}},
		"three classes, three": {Work{Values: size{c: 3}.machines()}, Work{Values: 3}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// TestWorkOfRequests: what a request asks for twice takes longer, and what is fixed is not tried.
func TestWorkOfRequests(t *testing.T) {
	s := task.Size{Rows: 1000, Labelled: 400, Features: 10, Outputs: 3, Stored: 1e4, One: data.Rows{Dense: mat.NewDense(1, 10, nil)}}
	total := func(text string) float64 {
		m, r, err := Read(asked(t, text))
		if err != nil {
			t.Fatal(err)
		}
		r = r.Scored(m.Coding, s.Task, s.Labelled)
		return m.Form(s, r).Work(s, r).Time(host.Speed{Products: 5e10, Values: 1e9, Passes: 1e10}).Seconds()
	}
	for _, c := range [][2]string{ // the first takes less
		{"rls --tune none", "rls"},
		{"rls", "rls --tune kfold:5"},
		{"rls sigma=2", "rls"},
		{"rls lambda=1", "rls"},
		{"rls --search gradient --budget 5", "rls --search gradient --budget 20"},
		{"rls --search random --budget 20", "rls --search gradient --budget 20"},
		{"lap-rls --budget 3", "lap-rls"},
		{"lap-rls neighbours=5", "lap-rls"},
		{"lap-rls gamma_i=0", "lap-rls"},
		{"lap-rls gamma_i=0", "lap-rls gamma_i=0.01"},
		{"lap-rls degree=2 --search random --budget 9", "lap-rls degree=1 --search random --budget 9"},
		{"lap-rls --search random --budget 9", "lap-rls degree=real --search random --budget 9"},
		{"lap-rls --search random --tune kfold:5 --budget 9", "lap-rls --search random --tune kfold:5:inductive --budget 9"},
		{"rls", "auto"},
		{"logistic --tune none", "logistic"},
		{"logistic --tune kfold:3", "logistic --tune kfold:9"},
		{"svm --tune none", "svm --tune none C=100"},
		{"da-s3vm --tune none", "da-s3vm C=1"},
		{"da-s3vm C=1", "da-s3vm"},
		{"da-s3vm --tune kfold:3", "da-s3vm --tune kfold:9"},
		{"da-s3vm --tune none", "da-s3vm --tune none loss=hinge"},
		{"da-s3vm unlabelled_weight=0", "da-s3vm"},
		{"grad-tsvm --tune none", "grad-tsvm --tune none share_of=decisions"},
		{"lds C=1", "cs3vm C=1"},
		{"lds --tune none", "lds"},
		{"graph-density sigma=1", "graph-density"},
		{"mobj-rbf --decision gcv", "mobj-rbf"},
		{"grn --decision gcv", "grn"},
		{"nadaraya-watson sigma=1", "nadaraya-watson"},
	} {
		if a, b := total(c[0]), total(c[1]); !(a < b) || a <= 0 {
			t.Errorf("%s takes %g s, %s %g", c[0], a, c[1], b)
		}
	}
	s.Rows = 10 * exactRows // landmarks of the graph, with a path of ridges for each width
	if a, b := total("lap-rls gamma_a=0.001"), total("lap-rls"); !(a < b) {
		t.Errorf("of %d rows gamma_a=0.001 takes %g s, a choice of it %g", s.Rows, a, b)
	}
	if n := evaluations(task.Request{Recipe: result.Recipe{Budget: 7}, Values: setting.Values{}}); n != 7 {
		t.Errorf("%g evaluations of a budget of 7", n)
	}
}
