package data

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/testdata"
)

// Every entry must be what the list says, and generators reproducible.
func TestListIsTrue(t *testing.T) {
	for _, e := range List() {
		s, err := Builtin(e.Name)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		named := len(s.Features) == e.Features || s.Rows.IsSparse() && s.Features == nil
		if s.Rows.Len() != e.Rows || s.Rows.Dim() != e.Features || !named || len(s.Answers) != e.Rows {
			t.Errorf(
				"%s: %d x %d, %d names, %d answers; listed %d x %d",
				e.Name,
				s.Rows.Len(),
				s.Rows.Dim(),
				len(s.Features),
				len(s.Answers),
				e.Rows,
				e.Features,
			)
		}
		if err := s.Rows.Check(); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		l, err := Interpret(s.Answers, s.LabelName, LabelOptions{})
		if err != nil || len(l.Classes) != e.Classes || (l.Task == Regression) != (e.Classes == 0) {
			t.Errorf("%s: %v %v %v; listed %d classes", e.Name, l.Task, l.Classes, err, e.Classes)
		}
		again, _ := Builtin(e.Name)
		if again.Rows.Len() > 0 && !slices.Equal(rowOf(again.Rows, e.Rows-1), rowOf(s.Rows, e.Rows-1)) {
			t.Errorf("%s differs from call to call", e.Name)
		}
	}
}

// rowOf is row i in dense form.
func rowOf(r Rows, i int) []float64 {
	row := make([]float64, r.Dim())
	r.copyRow(row, i)
	return row
}

// The embedded sets against the copies among the real data.
func TestBuiltinEqualsFiles(t *testing.T) {
	for name, file := range map[string]string{"digits": "digits.csv.gz", "iris": "iris.csv", "wine": "wine.csv",
		"breast-cancer": "wdbc.csv"} {
		t.Run(name, func(t *testing.T) {
			s, err := Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(testdata.Open(t, file))
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(f)
			if strings.HasSuffix(file, ".gz") {
				z, err := gzip.NewReader(f)
				if err != nil {
					t.Fatal(err)
				}
				lines = bufio.NewScanner(z)
			}
			lines.Scan()
			if want := strings.Join(s.Features, ",") + ",label"; lines.Text() != want {
				t.Errorf("header %q, want %q", lines.Text(), want)
			}
			i := 0
			for ; lines.Scan(); i++ {
				fields := strings.Split(lines.Text(), ",")
				for j, v := range s.Rows.Dense.RawRowView(i) {
					if x, _ := strconv.ParseFloat(fields[j], 64); x != v {
						t.Fatalf("row %d, column %d: %v in the file, %v built in", i, j, x, v)
					}
				}
				label := fields[len(fields)-1]
				if name == "breast-cancer" { // the file codes malignant 1, benign -1
					label = map[string]string{"1": "0", "-1": "1"}[label]
				}
				if label != s.Answers[i] {
					t.Fatalf("row %d: label %q in the file, %q built in", i, label, s.Answers[i])
				}
			}
			if i != s.Rows.Len() {
				t.Fatalf("%d rows in the file, %d built in", i, s.Rows.Len())
			}
		})
	}
}

func TestFormulas(t *testing.T) {
	row := func(spec string, i int) []float64 {
		t.Helper()
		s, err := Builtin(spec)
		if err != nil {
			t.Fatal(err)
		}
		return s.Rows.Dense.RawRowView(i)
	}
	const phi = 0.6180339887498949
	a, b := 1+0.3*(phi-0.5), 1+0.3*(phi+0.5-1-0.5) // i = 0: frac(phi), frac(phi + 1/2)
	at := math.Pi * 0.5 / 100
	for _, c := range []struct {
		spec string
		i    int
		want [2]float64
	}{
		{"moons-det", 0, [2]float64{a * math.Cos(at), a * math.Sin(at)}},
		{"moons-det", 100, [2]float64{1 - b*math.Cos(at), 0.5 - b*math.Sin(at)}},
		{"circles-det", 0, [2]float64{1, 0}},
		{"circles-det", 150, [2]float64{2, 0}},
		{"circles-det:n=8", 5, [2]float64{0, 2}},
		{"moons-even", 99, [2]float64{-1, 0}},
		{"moons-even", 100, [2]float64{0, 0.5}},
		{"circles-even", 25, [2]float64{0, 1}},
		{"circles-even", 150, [2]float64{-0.5, 0}},
		{"two-spirals", 8, [2]float64{6.5 * 96 / 104, 0}},
		{"two-spirals", 97 + 16, [2]float64{0, 6.5 * 88 / 104}},
	} {
		if got := row(c.spec, c.i); math.Hypot(got[0]-c.want[0], got[1]-c.want[1]) > 1e-14 {
			t.Errorf("%s row %d: %v, want %v", c.spec, c.i, got, c.want)
		}
	}
}

// The class means of g50c lie 2 x 1.6448536 apart; with n = 10^4 the projection
// on their line is known to sd 0.02, and the Bayes classifier errs on 5 +- 0.22 %.
func TestG50c(t *testing.T) {
	s, err := Builtin("g50c:n=10000")
	if err != nil {
		t.Fatal(err)
	}
	wrong, dist := 0, 0.0
	for i, a := range s.Answers {
		var p float64
		for _, v := range s.Rows.Dense.RawRowView(i) {
			p += v / math.Sqrt(50)
		}
		if a == "-1" {
			p = -p
		}
		dist += p / float64(len(s.Answers))
		if p < 0 {
			wrong++
		}
	}
	if math.Abs(dist-1.6448536) > 0.05 || wrong < 400 || wrong > 600 {
		t.Errorf("half distance %v, %d of 10000 wrong", dist, wrong)
	}
}

func TestGeneratorParameters(t *testing.T) {
	s, err := Builtin("two-moons:n=61,noise=0,seed=5,labelled=3")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for i, a := range s.Answers {
		count[a]++
		x, y := s.Rows.Dense.At(i, 0), s.Rows.Dense.At(i, 1)
		if i > 30 {
			x, y = 1-x, 0.5-y
		}
		if math.Abs(math.Hypot(x, y)-1) > 1e-12 || y < -1e-12 {
			t.Fatalf("row %d is on no half circle", i)
		}
	}
	if count["1"] != 3 || count["-1"] != 3 || count[""] != 55 {
		t.Errorf("labels %v", count)
	}
	s, err = Builtin("moons-even:labelled=1")
	if err != nil || s.Answers[50] != "1" || s.Answers[150] != "-1" {
		t.Errorf("middle rows not labelled: %v", err)
	}
	for _, bad := range []string{"nothing", "iris:n=3", "two-moons:n=1", "two-moons:n=2.5", "two-moons:n=", "two-moons:size=4",
		"two-moons:noise=-1",
		"sinc:labelled=2", "two-moons:n=1e99", "two-moons:noise=NaN", "two-moons:n=10,labelled=6", "moons-det:n=10,labelled=6"} {
		if _, err := Builtin(bad); err == nil {
			t.Errorf("%s accepted", bad)
		}
	}
}

// TestDamagedBuiltin: a built-in file that is not there, is not gzipped, holds words or breaks off is an error.
func TestDamagedBuiltin(t *testing.T) {
	e := Entry{Name: "own", Rows: 2, Features: 2, file: "none"}
	if _, err := e.read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	packed := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	whole := packed("1,2,a\n3,4,b\n")
	if s, err := e.parsed(bytes.NewReader(whole)); err != nil || !slices.Equal(s.Answers, Answers{"a", "b"}) || s.Rows.Dense.At(1, 0) != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, c := range []struct {
		text []byte
		want error
	}{{[]byte("1,2,a\n3,4,b\n"), gzip.ErrHeader}, {packed("1,x,a\n3,4,b\n"), strconv.ErrSyntax}, {whole[:len(whole)-8], io.ErrUnexpectedEOF}} {
		if _, err := e.parsed(bytes.NewReader(c.text)); !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.text, err, c.want)
		}
	}
}
