package method

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/test/kept"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
)

// TestForms: which form every method takes at which size, and what it is forecast to cost, as
// testdata/forms.txt keeps it.
func TestForms(t *testing.T) {
	var ids []string
	for _, m := range All() {
		ids = append(ids, m.ID)
	}
	formsOf(t, "forms", ids, []string{"", "--tune none", "--search random", "exact=true", "solver=cg --tune none",
		"--multiclass one-vs-rest", "--groups auto", "neighbours=3,6", "--basis 50", "--basis 50 choose=lasso", "--basis 50 choose=leverage"},
		[]task.Size{
			{Rows: 150, Labelled: 20, Features: 4, Outputs: 3, Stored: 600},
			{Rows: 3000, Labelled: 3000, Features: 50, Outputs: 2, Stored: 150000},
			{Rows: 8000, Labelled: 100, Features: 10, Outputs: 2, Stored: 80000},
			{Rows: 8001, Labelled: 100, Features: 10, Outputs: 2, Stored: 80010},
			{Rows: 20000, Labelled: 2001, Features: 10, Outputs: 10, Stored: 200000},
			{Rows: 100000, Labelled: 90000, Features: 300, Outputs: 2, Stored: 1e6, Sparse: true, Cache: 1 << 28},
		})
}

// TestFormsOfRequests is the same of what may be asked of some methods: kernels, scores, searches, losses, efforts and limits.
func TestFormsOfRequests(t *testing.T) {
	formsOf(t, "requests",
		[]string{"auto", "rls", "svm", "l2-svm", "svr", "logistic", "lap-rls", "lap-svm", "da-s3vm", "linear-svm", "linear-lap-rls", "mobj-svm",
			"tsvm", "cs3vm", "s3vm-bnb", "linear-tsvm", "lap-svr", "sparse-lap-rls"},
		[]string{"--kernel linear", "--kernel ard-gaussian --search gradient", "--kernel ard-l1-laplacian --budget 7 --search gradient",
			"--kernel tfidf", "--kernel cosine --tune none", "--kernel gaussian+linear", "--kernel laplacian exact=true",
			"--tune kfold:5 --search grid",
			"--tune gcv", "--tune holdout:0.3 --budget 12",
			"--search gradient --budget 30", "--effort low", "--effort high", "--effort low --budget 9",
			"select=0.2 --kernel ard-gaussian --search gradient", "loss=squared-hinge", "loss=logistic --tune none", "--basis auto", "--offset no",
			"--class-weight balanced", "degree=1,2 weights=heat", "per_class=yes --search random"},
		[]task.Size{
			{Rows: 90, Labelled: 60, Features: 7, Outputs: 2, Pair: 60, Stored: 630, Processors: 1},
			{Rows: 2000, Labelled: 2000, Features: 20, Outputs: 1, Task: data.Regression, Stored: 40000, Processors: 2},
			{Rows: 2001, Labelled: 2001, Features: 20, Outputs: 4, Pair: 1500, Stored: 40020, Processors: 2, Words: true},
			{Rows: 400, Labelled: 400, Features: 9, Outputs: 2, Pair: 400, Stored: 3600, Processors: 2, Grouped: true},
			{Rows: 300, Labelled: 300, Features: 9, Outputs: 2, Pair: 300, Stored: 2700, Processors: 4, Ordered: true},
			{Rows: 50000, Labelled: 40000, Features: 5000, Outputs: 3, Pair: 30000, Stored: 4e6, Sparse: true, Processors: 2, Cache: 1 << 20},
		})
}

// formsOf compares the forms and the forecast costs of methods with those that were kept, for requests that they do not refuse.
func formsOf(t *testing.T, name string, methods, requests []string, sizes []task.Size) {
	t.Helper()
	var b strings.Builder
	for _, s := range sizes {
		s.One = data.Rows{Dense: mat.NewDense(1, s.Features, nil)}
		if s.Sparse {
			s.One = data.Rows{Sparse: &data.CSR{R: 1, C: s.Features, Start: []int{0, 0}}}
		}
		fmt.Fprintf(&b, "%v, %d outputs\n", s, s.Outputs)
		for _, id := range methods {
			m, _ := Find(id)
			for _, text := range requests {
				_, r, err := Read(asked(t, m.ID+" "+text))
				if err != nil {
					continue
				}
				f := m.Form(s, r)
				fmt.Fprintf(&b, "  %s %s: %s, %.6g bytes, work %.4g", m.ID, text, f.Name, f.Bytes(s, r), f.Work(s, r))
				if f.Cache != nil {
					fmt.Fprintf(&b, ", %d of cache", f.Cache(s, r))
				}
				if f.Sample != nil {
					fmt.Fprintf(&b, ", sample of %d", f.Sample(r))
				}
				b.WriteString("\n")
			}
		}
	}
	kept.Text(t, "testdata/"+name+".txt", b.String())
}

// TestLarge: tables are made up to their number of rows, for all labelled rows, and where they are asked for.
func TestLarge(t *testing.T) {
	yes := setting.Values{exact.Key(): {Text: "true", Words: []string{"true"}}}
	for _, c := range []struct {
		s    task.Size
		v    setting.Values
		want bool
	}{
		{task.Size{Rows: 8000, Labelled: 10}, nil, false}, {task.Size{Rows: 8001, Labelled: 10}, nil, true},
		{task.Size{Rows: 9000, Labelled: 9000}, nil, false}, {task.Size{Rows: 9000, Labelled: 10}, yes, false},
	} {
		if got := large(c.s, task.Request{Values: c.v}); got != c.want {
			t.Errorf("%v: %v", c.s, got)
		}
	}
	for rows, want := range map[int]int{100: 500, 2500: 500, 4000: 800, 5000: 1000, 1e6: 1000} {
		if got := landmarkCount(rows); got != want {
			t.Errorf("%d landmarks of %d rows, want %d", got, rows, want)
		}
	}
	for bytes, want := range map[int64]string{1: "1 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 1 << 20: "1 MiB",
		5 << 30: "5 GiB"} {
		if got := brief.Bytes(bytes); got != want {
			t.Errorf("%d bytes are %q, want %q", bytes, got, want)
		}
	}
}

// TestReducedToLandmarks: machines without a graph are reduced to landmarks where their labelled rows are too many for a table, and no
// search, loss or request needs the whole of it.
func TestReducedToLandmarks(t *testing.T) {
	s := task.Size{Features: 10, Outputs: 2, One: data.Rows{Dense: mat.NewDense(1, 10, nil)}}
	for _, c := range []struct {
		text string
		rows int
		want string
	}{
		{"rls", exactRows, "tables"},
		{"rls", exactRows + 1, "landmarks"},
		{"rls exact=true", exactRows + 1, "tables"},
		{"rls --search gradient", exactRows + 1, "tables"},
		{"rls --kernel linear", exactRows + 1, "columns"},
		{"l2-svm", exactRows + 1, "landmarks"},
		{"l2-svm exact=true", exactRows + 1, "tables"},
		{"l2-svm --search gradient", exactRows + 1, "landmarks"},
		{"svm", exactRows + 1, "tables"},
		{"svm loss=squared-hinge", exactRows + 1, "landmarks"},
	} {
		m, r, err := Read(asked(t, c.text))
		if err != nil {
			t.Fatal(err)
		}
		s.Rows, s.Labelled = c.rows, c.rows
		if got := m.Form(s, r).Name; got != c.want {
			t.Errorf("%s of %d rows: %s, want %s", c.text, c.rows, got, c.want)
		}
	}
}

// TestSamplesAreTold: who has more rows than tables are made for is told how many are learned from, and what all would take: 16 n^2 bytes.
func TestSamplesAreTold(t *testing.T) {
	m, r, err := Read(asked(t, "lap-rls"))
	if err != nil {
		t.Fatal(err)
	}
	s := task.Size{Rows: 1 << 14, Labelled: 100, Features: 10, Outputs: 2, Stored: 163840, One: data.Rows{Dense: mat.NewDense(1, 10, nil)}}
	f := m.Form(s, r)
	if f.Name != "sample" {
		t.Fatal(f.Name)
	}
	const want = "16384 rows: machines with a graph learn from the labelled ones and a sample, 4000 in all, and decide the others as new " +
		"rows; --set exact=true takes all, with tables of 4 GiB"
	if got := f.Says(s, r); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
