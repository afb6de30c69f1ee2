package dual

import (
	"fmt"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/test/testdata"
	"github.com/mercer-ml/mercer/kernel"
)

// realSet is a two-class problem made of a data file: the classes listed against
// the rest.
type realSet struct {
	file     string
	classes  string // one character or number each, separated by blanks
	c, gamma float64
	scaled   bool // columns to [0, 1]
}

var realSets = []realSet{
	{"usps_train.csv.gz", "0 1 2 3 4", 1, 0.01, true},
	{"fashion_mnist_5000.csv.gz", "0 1 2 3 4", 10, 0.01, true},
	{"a9a.svm.gz", "1 +1", 1, 0.03, false},
	{"covtype_20k.csv.gz", "1 2 3", 10, 4, true},
	{"letter.csv.gz", "0 1 2 3 4 5 6 7 8 9 10 11 12", 10, 2, true},
}

func (e realSet) open(t testing.TB) (kernel.Gram, []float64) {
	t.Helper()
	s, _, err := read.Open(t.Context(), testdata.Open(t, e.file), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := s.Rows
	if e.scaled {
		scaling, _, err := data.FitScaling(data.ScaleMinMax, rows)
		if err != nil {
			t.Fatal(err)
		}
		rows = scaling.Apply(rows)
	}
	first := map[string]bool{}
	var name string
	for rest := e.classes; rest != ""; {
		n, _ := fmt.Sscan(rest, &name)
		if n == 0 {
			break
		}
		first[name] = true
		rest = rest[min(len(name)+1, len(rest)):]
	}
	y := make([]float64, rows.Len())
	for i, a := range s.Answers {
		y[i] = -1
		if first[a] {
			y[i] = 1
		}
	}
	g, err := kernel.Gaussian{Sigma: 1 / math.Sqrt(2*e.gamma)}.Bind(t.Context(), rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g, y
}

// BenchmarkSVC trains on the real sets at LIBSVM's default tolerance and reports
// steps, working sets and kernel values computed (in units of the whole matrix).
func BenchmarkSVC(b *testing.B) {
	for _, e := range realSets {
		b.Run(e.file, func(b *testing.B) {
			g, y := e.open(b)
			p := SVC(nil, y, constant(len(y), e.c))
			var s *Solution
			for b.Loop() {
				var err error
				if s, err = Solve(b.Context(), kernel.NewSingle(g), p, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			if s.Status != Optimal {
				b.Fatal(s.Status)
			}
			n := float64(len(y))
			b.ReportMetric(float64(s.Iterations), "steps")
			b.ReportMetric(float64(s.Sets), "sets")
			b.ReportMetric(float64(s.RowsRead), "rows")
			b.ReportMetric(float64(s.Entries)/(n*n), "matrices")
			b.ReportMetric(s.Objective, "objective")
		})
	}
}

// BenchmarkSmall is what tuning does thousands of times.
func BenchmarkSmall(b *testing.B) {
	for _, l := range []int{10, 50, 200, 500, 1000} {
		b.Run(fmt.Sprint(l), func(b *testing.B) {
			x, y := blobs(source(l), l)
			k := gaussian(x, 0.5)
			p := SVC(nil, y, constant(l, 1))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Solve(b.Context(), k, p, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
