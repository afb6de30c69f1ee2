package mercer_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/slowtest"
)

// labelled returns a generated set all of whose rows keep their labels.
func labelled(t *testing.T, spec string) mercer.Input {
	t.Helper()
	set, err := data.Builtin(spec)
	if err != nil {
		t.Fatal(err)
	}
	return mercer.Input{Set: set}
}

// More than 2000 labels are a race: its winner is a machine of its own method, and the table says how far each came.
func TestManyLabelsAreARace(t *testing.T) {
	slowtest.Only(t, "it is a race over thousands of rows")
	in := labelled(t, "two-spirals:n=2100,noise=0.1")
	m, r := fitted(t, in, mercer.Recipe{})
	if m.Method != r.Method || m.Method != r.Race[0].Method || len(r.Params) < 2 {
		t.Errorf("method %s of the model, %s of the result, parameters %v", m.Method, r.Method, r.Params)
	}
	if r.Tuning.Evaluations < len(r.Race) || len(r.Race) < 40 {
		t.Errorf("%d evaluations of %d machines", r.Tuning.Evaluations, len(r.Race))
	}
	methods := map[string]bool{}
	for i, one := range r.Race {
		methods[one.Method] = true
		if i > 0 && one.Rows > r.Race[i-1].Rows {
			t.Errorf("the table is not in the order of rows: %d after %d", one.Rows, r.Race[i-1].Rows)
		}
		if (one.Left == "") != (one.Rows == 2100) {
			t.Errorf("a machine judged on %d rows left because %q", one.Rows, one.Left)
		}
	}
	if !methods["l2-svm"] || !methods["svm"] || !methods["rls"] || r.Tuning.Value != r.Race[0].Score || r.Tuning.Score != "error of kfold:3" {
		t.Errorf("methods %v, score %q %v, first of the table %v", methods, r.Tuning.Score, r.Tuning.Value, r.Race[0].Score)
	}
	if e := r.Metrics["labelled"]["error"]; !(e <= 0.01) {
		t.Errorf("error %v of the labelled rows of two spirals", e)
	}
}

// ended is a fit that is interrupted when it has judged so many machines.
func ended(t *testing.T, in mercer.Input, r mercer.Recipe, judged int) *mercer.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, res, err := mercer.Fit(ctx, in, r, mercer.Options{Progress: func(p mercer.Progress) {
		if p.Done == judged {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// A race is between machines on the kernel, and with the width, that the recipe names: five strengths of svm and least squares; in
// the second heat, at whose first machine the race is ended here, two strengths beside the best, which svm is on these rows.
func TestRaceOnTheKernelThatIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	in := labelled(t, "two-moons:n=2100,noise=0.3")
	got := ended(t, in, mercer.Recipe{Kernel: "laplacian", Set: map[string]string{"sigma": "0.2"}}, 7)
	for _, one := range got.Race {
		if one.Kernel != "laplacian(sigma=0.2)" {
			t.Errorf("--kernel laplacian with sigma=0.2: %s raced", one.Kernel)
		}
	}
	if len(got.Race) != 8 || fmt.Sprint(got.Params["sigma"]) != "0.2" {
		t.Errorf("parameters %v, %d machines raced", got.Params, len(got.Race))
	}
	got = ended(t, labelled(t, "two-spirals:n=2100,noise=0.1"), mercer.Recipe{Kernel: "polynomial"}, 7)
	if n := len(got.Race); n != 8 {
		t.Errorf("--kernel polynomial, which has no width: %d machines raced", n)
	}
}

// Numbers race too.
func TestNumbersRace(t *testing.T) {
	slowtest.Only(t, "it is a race over thousands of rows")
	_, r := fitted(t, labelled(t, "sinc:n=2200"), mercer.Recipe{Set: map[string]string{"sigma": "1"}})
	if r.Task != "regression" || !strings.HasPrefix(r.Tuning.Score, "rmse of ") || len(r.Race) == 0 {
		t.Errorf("%s judged by %s, %d machines raced", r.Task, r.Tuning.Score, len(r.Race))
	}
}

// A race may leave rows without labels, from which its machines do not learn; their classes are counted among predictions, and hidden
// answers measured.
func TestRacesBesideUnlabelledRows(t *testing.T) {
	slowtest.Only(t, "it is a race over thousands of rows")
	in := labelled(t, "two-moons:n=2100,noise=0.3")
	in.Hidden = make(data.Answers, 2100)
	for i := range 50 {
		in.Hidden[2*i], in.Set.Answers[2*i] = in.Set.Answers[2*i], ""
	}
	_, r := fitted(t, in, mercer.Recipe{Kernel: "gaussian", Effort: "low"})
	if b := r.Balance; len(r.Race) == 0 || len(b.Unlabelled) != 2 || math.Abs(b.Unlabelled[0]+b.Unlabelled[1]-1) > 1e-12 {
		t.Errorf("%d machines raced, %+v", len(r.Race), b)
	}
	if e := r.Metrics["hidden"]["error"]; !(e < 0.3) {
		t.Errorf("error %v of the hidden rows", e)
	}
}

// An interrupt keeps the best of what was judged, which is said.
func TestInterruptsOfRacesAreSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	cut := ended(t, labelled(t, "sinc:n=2200"), mercer.Recipe{Kernel: "gaussian"}, 2)
	if cut.Task != "regression" || !strings.HasPrefix(cut.Tuning.Score, "rmse of ") || len(cut.Race) == 0 {
		t.Errorf("%s judged by %s, %d machines raced", cut.Task, cut.Tuning.Score, len(cut.Race))
	}
	said := strings.Join(cut.Warnings, "; ")
	if cut.Tuning.Status != "interrupted" || !strings.Contains(said, "learned from 1000 of 2200 labelled rows") {
		t.Errorf("status %s, warnings %s", cut.Tuning.Status, said)
	}
	if cut.Tuning.Evaluations != 2 {
		t.Errorf("%d evaluations before the end", cut.Tuning.Evaluations)
	}
}
