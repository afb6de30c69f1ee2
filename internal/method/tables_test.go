package method

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/propagate"
	"github.com/mercer-ml/mercer/internal/task"
)

// TestGraphTables: tables are counted by how the power of the Laplacian is factored, with the degree that the request has: that
// of the literature is even where nothing is tuned, one that is searched may be odd.
func TestGraphTables(t *testing.T) {
	for text, want := range map[string]float64{
		"lap-rls --tune none": 2, "lap-rls": 4, "lap-rls degree=2": 2, "lap-rls degree=3": 4, "lap-rls degree=1 --tune none": 4,
		"lap-rls degree=4 --tune none": 2, "lap-rls degree=1.5": 5, "lap-rls degree=2,4 --search grid": 4,
		"c-lap-rls --tune none": 3.5, "c-lap-rls": 6, "lap-rls combine=yes": 6, "lap-rls combine=yes --tune none": 3.5,
	} {
		if got := graphTables(request(t, text)); got != want {
			t.Errorf("%s: %g tables, want %g", text, got, want)
		}
	}
}

// request is a recipe that is read, see asked.
func request(t *testing.T, text string) task.Request {
	t.Helper()
	_, r, err := Read(asked(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLinearViewsWithoutTables: views of more rows than a table takes are learned in passes over the rows where kernels are
// linear and the loss is smooth, and nothing that was asked for needs the table.
func TestLinearViewsWithoutTables(t *testing.T) {
	const views = " --view a=1..2 --view b=3..4"
	s := task.Size{Labelled: 50, Features: 4, Outputs: 2, One: data.Rows{Dense: mat.NewDense(1, 4, nil)}}
	for _, c := range []struct {
		text string
		rows int
		want bool
	}{
		{"co-rls --kernel linear", viewTableRows + 1, true},
		{"co-rls --kernel linear", viewTableRows, false},
		{"co-rls", viewTableRows + 1, false},
		{"co-rls --kernel gaussian", viewTableRows + 1, false},
		{"co-rls --kernel linear --search random", viewTableRows + 1, false},
		{"co-svm --kernel linear", viewTableRows + 1, false},
		{"co-svm --kernel linear loss=squared-hinge", viewTableRows + 1, true},
		{"co-svm --kernel linear loss=hinge", viewTableRows + 1, false},
		{"co-rls --kernel linear center=orth", viewTableRows + 1, false},
		{"co-rls --kernel linear loss_on=sum", viewTableRows + 1, false},
	} {
		m, r, err := Read(asked(t, c.text+views))
		if err != nil {
			t.Fatal(err)
		}
		s.Rows, s.Stored = c.rows, float64(4*c.rows)
		if got := m.Form(s, r).Name == "columns"; got != c.want {
			t.Errorf("%s of %d rows: %s", c.text, c.rows, m.Form(s, r).Name)
		}
	}
}

// TestFactoredGraphs: methods that spread labels are forecast with the factor of a system, and the one before, up to the last row for
// which systems are factored; one row more has neither.
func TestFactoredGraphs(t *testing.T) {
	for id, last := range map[string]int{
		"harmonic": propagate.DirectRows, "lgc": propagate.DirectRows, "graph-reg": propagate.DirectPowers,
		"graph-reg degree=1": propagate.DirectRows,
	} {
		m, r, err := Read(asked(t, id+" neighbours=5"))
		if err != nil {
			t.Fatal(err)
		}
		bytes := func(rows int) float64 {
			s := task.Size{Rows: rows, Labelled: 20, Features: 2, Outputs: 2, Stored: float64(2 * rows)}
			return m.Form(s, r).Bytes(s, r)
		}
		n := float64(last)
		squares, drop := 8*(2*n*n+2*64*n), bytes(last)-bytes(last+1)
		if drop < 0.9*squares || drop > squares || bytes(last-1) >= bytes(last) || bytes(last+1) >= bytes(last+2) {
			t.Errorf("%s: %g bytes fewer of %d rows than of %d, want nearly %g", id, drop, last+1, last, squares)
		}
	}
}

// TestWorkOfLinearViews: of more than 3000 rows a machine of linear views is forecast with two systems of sixty steps, each four passes
// of eight bytes over the entries; a choice has six trainings for each of four strengths and three couplings.
func TestWorkOfLinearViews(t *testing.T) {
	for text, trainings := range map[string]float64{" --tune none": 1, "": 4 * 3 * 6} {
		m, r, err := Read(asked(t, "co-rls --kernel linear --view a=1..2 --view b=3..4"+text))
		if err != nil {
			t.Fatal(err)
		}
		s := task.Size{Rows: 3000, Labelled: 50, Features: 4, Outputs: 2, Stored: 12000, One: data.Rows{Dense: mat.NewDense(1, 4, nil)}}
		if f := m.Form(s, r); f.Name == "columns" {
			t.Errorf("%q: 3000 rows by %s", text, f.Name)
		}
		s.Rows, s.Stored = 3001, 12004
		f, want := m.Form(s, r), sizeOf(s).rowWork()
		want = want.Plus(Work{Passes: 8 * 4 * s.Stored * 2 * 60 * trainings})
		if got := f.Work(s, r); f.Name != "columns" || got != want {
			t.Errorf("%q: by %s, %v, want %v", text, f.Name, got, want)
		}
	}
}

// TestDualsOfFewVariables: a dual of up to 1024 variables is forecast with three tables of them, of more with parts of tables in single
// precision, of which not all is collected in time: 3.4.
func TestDualsOfFewVariables(t *testing.T) {
	m, r, err := Read(asked(t, "tsvm --tune none"))
	if err != nil {
		t.Fatal(err)
	}
	bytes := func(rows int) float64 {
		s := task.Size{Rows: rows, Labelled: 20, Features: 2, Outputs: 2, Stored: float64(2 * rows), Processors: 1}
		return m.Form(s, r).Bytes(s, r)
	}
	usual, jump, squares := bytes(1024)-bytes(1023), bytes(1025)-bytes(1024), 0.4*8*1024*1024
	if jump < squares+usual/2 || jump > squares+2*usual || usual > squares/10 {
		t.Errorf("the 1024th row takes %g bytes, the next %g, want %g more", usual, jump, squares)
	}
}
