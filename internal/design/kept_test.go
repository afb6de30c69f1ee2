package design_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/fittest"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/result"
)

// TestDesignsAreAsTheyWere: what the candidates of designs come to, where all rows are labelled and where few are.
func TestDesignsAreAsTheyWere(t *testing.T) {
	fittest.Keep(t, "designs", fittest.Cases(
		t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 4, Recipes: []string{
			"auto", "auto --effort low", "auto --budget 3", "lap-rls", "lap-rls degree=1", "lap-rls neighbours=4,8 --budget 9",
			"lap-rls gamma_a=1e-3",
			"lap-rls gamma_a=1e-3 gamma_i=0.1", "lap-rls gamma_i=0.1", "lap-svm --budget 5", "lap-logistic --budget 4", "rls lambda=0.01",
			"rls sigma=0.5", "svm", "svm C=1,10", "svm sigma=0.5", "l2-svm", "logistic", "rls --kernel linear", "svm --kernel linear",
			"rls --tune gcv",
			"lap-rls --tune gcv", "ls-svm", "erm", "rls --offset yes", "linear-svm", "linear-rls", "linear-logistic",
		}},
		fittest.On{
			Spec:    "iris",
			Each:    6,
			Recipes: []string{"auto", "lap-rls --budget 6", "svm", "rls", "auto --view a=1..2 --view b=3..4 --budget 12", "linear-svm"},
		},
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Recipes: []string{"auto", "rls", "svm"}},
		fittest.On{Spec: "sinc:n=40", Recipes: []string{"auto", "rls", "svr", "linear-rls", "svr epsilon=0.1"}},
	))
}

// TestRacesAreAsTheyWere: who enters every round of races, how each does and why it leaves, done here and by a crew.
func TestRacesAreAsTheyWere(t *testing.T) {
	numbers := func() *learn.Problem {
		p := clouds(260, 5)
		l := data.Labels{Task: data.Regression}
		for i := range p.Rows.Len() {
			x := p.Rows.Dense.RawRowView(i)
			l.Value = append(l.Value, x[0]*x[0]-x[1])
		}
		return learn.NewProblem(p.Rows, l)
	}
	entrants := func(p *learn.Problem) []*design.Entrant {
		list := field()
		if p.Class == nil {
			list = nil
			for _, c := range []float64{0.1, 10} {
				list = append(
					list,
					&design.Entrant{Method: "svr", Kernel: kernel.Gaussian{Sigma: 2}, Learner: svm.Regressor{}, Theta: []float64{c, 0.1}},
				)
			}
		} else {
			list = append(list, &design.Entrant{Method: "l2-svm", Kernel: kernel.Gaussian{Sigma: 1},
				Learner: smooth.Learner{Loss: learn.SquaredHinge()}, Theta: []float64{1}})
		}
		for _, sigma := range []float64{0.5, 3} {
			list = append(
				list,
				&design.Entrant{Method: "rls", Kernel: kernel.Gaussian{Sigma: sigma}, Theta: []float64{1}, Offset: sigma > 1},
			)
		}
		return append(list, &design.Entrant{Method: "rls", Kernel: kernel.Linear{}, Theta: []float64{1}, Offset: true})
	}
	var p pathtest.Path
	for name, c := range map[string]struct {
		problem func() *learn.Problem
		race    design.Race
	}{
		"clouds":   {func() *learn.Problem { return clouds(240, 3) }, design.Race{First: 60}},
		"board":    {func() *learn.Problem { return board(300, 3) }, design.Race{First: 50, Widths: []float64{0.5, 2}}},
		"numbers":  {numbers, design.Race{First: 40, Widths: []float64{0.7, 1.4}}},
		"a sample": {func() *learn.Problem { return clouds(300, 6) }, design.Race{First: 40, Last: 150}},
		"on landmarks": {func() *learn.Problem { return clouds(240, 8) },
			design.Race{First: 80, Exact: 90, Landmarks: design.Landmarks{Most: 30, Flops: 1e9}}},
		"beyond a part": {func() *learn.Problem { return clouds(400, 9) },
			design.Race{First: 50, Last: 120, Exact: 100, Landmarks: design.Landmarks{Most: 40, Flops: 1e9}}},
	} {
		for _, crew := range []result.Crew{nil, here{}} {
			r := c.race
			r.Problem, r.Seed, r.Crew = c.problem(), 4, crew
			list := entrants(r.Problem)
			told := 0
			r.Progress = func(int, int, float64) { told++ }
			w, err := r.Run(context.Background(), list)
			if err != nil {
				p.Add(name, err.Error())
				continue
			}
			what := name
			if crew != nil {
				what += " by a crew"
			}
			p.Add(
				what,
				w.Method,
				kernel.Format(w.Kernel, nil),
				w.Theta,
				w.Trained,
				w.Judged,
				string(w.Status),
				told,
				len(w.Folds),
				len(w.Folds[0]),
			)
			p.Add("  machine", w.Machine.Objective, w.Machine.Lambda, w.Machine.Score, w.Machine.LeftOut.RawRowView(w.Folds[0][0]))
			for _, e := range w.Field {
				p.Add("  "+e.Method+" "+kernel.Format(e.Kernel, nil), e.Theta, e.Rows, e.Score, e.Loss, e.Left)
			}
		}
	}
	p.Sort()
	p.Compare(t, "races")
}

// here is a crew that does every piece when it is asked for.
type here struct{}

func (here) Apart() bool { return false }

func (here) Begin(_ context.Context, _ string, _ int, do result.Piece) (result.Piece, error) {
	return do, nil
}

// apart is here, but that it says that pieces know nothing of each other.
type apart struct{ here }

func (apart) Apart() bool { return true }

// TestFitsByCrews: a fit whose pieces are done by a crew, and travel as bytes, is the fit, to the last bit.
func TestFitsByCrews(t *testing.T) {
	for _, c := range fittest.Cases(t,
		fittest.On{Spec: "two-moons:n=40,noise=0.3", Each: 4, Recipes: []string{
			"auto", "lap-rls", "lap-rls --budget 5", "lap-svm --budget 4", "svm", "rls --basis 6", "lap-rls gamma_a=1e-3", "l2-svm",
			"linear-svm", "rls --tune gcv",
			"svm C=1e-300", "rls --kernel polynomial lambda=1e-300",
		}},
		fittest.On{Spec: "iris", Each: 5, Recipes: []string{"auto --budget 9", "svm", "rls --cv 2"}},
		fittest.On{Spec: "sinc:n=24", Recipes: []string{"auto", "svr"}},
	) {
		var files [3]string
		for i, crew := range []result.Crew{nil, here{}, apart{}} {
			m, _, err := mercer.Fit(t.Context(), c.In, c.Recipe, mercer.Options{Share: crew})
			if err != nil {
				files[i] = err.Error()
				continue
			}
			m.Result = nil
			var file bytes.Buffer
			if err := m.Write(&file); err != nil {
				t.Fatal(err)
			}
			files[i] = file.String()
		}
		if files[0] != files[1] || files[0] != files[2] {
			t.Errorf(
				"%s: %d, %d and %d bytes, and not the same: %.100q %.100q",
				c.Name,
				len(files[0]),
				len(files[1]),
				len(files[2]),
				files[0],
				files[2],
			)
		}
	}
}

// TestPlansAreAsTheyWere: the candidates of designs of every kind, in their order.
func TestPlansAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	for _, base := range []kernel.Kernel{kernel.Gaussian{Sigma: 1}, kernel.Linear{}, kernel.Laplacian{Sigma: 2}} {
		for _, rows := range []int{5, 12, 60, 3000} {
			for _, d := range []design.Design{
				{Linear: true}, {FixedWidth: true}, {Linear: true, Mutual: true}, {Ratio: 1}, {Linear: true, Landmarks: true},
				{Sparse: true, Linear: true},
			} {
				d.Rows, d.Base = rows, base
				p.Add(
					fmt.Sprintf(
						"%s, %d rows, %+v",
						kernel.Format(base, nil),
						rows,
						[]bool{d.Linear, d.FixedWidth, d.Mutual, d.Landmarks, d.Sparse},
					),
					d.Longest(),
				)
				for _, c := range append(d.Supervised("rls"), d.Graphs("lap-rls")...) {
					p.Add("  "+c.Name, c.Method, c.Width, c.Linear, c.Ratio, c.Prior)
				}
			}
		}
	}
	p.Compare(t, "plans")
}

// TestFitsStopWhereTheyAsk: a fit that is stopped at any place says so, or keeps the best so far.
func TestFitsStopWhereTheyAsk(t *testing.T) {
	fittest.Stopped(t, fittest.Cases(t,
		fittest.On{Spec: "sinc:n=30", Recipes: []string{"svr --budget 3", "rls", "auto --budget 4", "linear-rls"}},
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 6, Recipes: []string{
			"lap-logistic --budget 2", "linear-svm", "logistic --budget 2", "rls --tune gcv", "lap-rls --tune gcv --budget 3", "ls-svm",
			"rls --basis 5", "svm --basis 5 --tune none",
		}},
		fittest.On{Spec: "two-moons:n=30,noise=0.3", Each: 4, Recipes: []string{
			"auto --budget 12", "lap-rls --budget 6", "svm", "lap-svm --budget 3",
		}},
		fittest.On{Spec: "iris", Each: 4, Recipes: []string{
			"rls", "svm --budget 3",
		}},
	))
}
