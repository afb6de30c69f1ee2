package data_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// row is a row of either form.
func row(rows data.Rows, i int) []float64 {
	if one := rows.Select([]int{i}); one.IsSparse() {
		return one.Sparse.ToDense().RawRowView(0)
	}
	return rows.Dense.RawRowView(i)
}

// TestAnswersAreUnderstoodAsTheyWere: what lists of answers are taken for, by themselves and as a task.
func TestAnswersAreUnderstoodAsTheyWere(t *testing.T) {
	many := func(n int, f func(i int) string) (list data.Answers) {
		for i := range n {
			list = append(list, f(i))
		}
		return list
	}
	var p pathtest.Path
	for name, answers := range map[string]data.Answers{
		"words":            {"b", "a", "", "b", "A"},
		"two numbers":      {"1", "-1", "1.0", ""},
		"codes":            {"01", "1", "02", "2"},
		"fractions":        {"0.5", "1.5", "2.25", "0.5", "9"},
		"few whole":        many(60, func(i int) string { return fmt.Sprint(i % 7) }),
		"twenty whole":     many(60, func(i int) string { return fmt.Sprint(i % 20) }),
		"thirty whole":     many(90, func(i int) string { return fmt.Sprint(i % 30) }),
		"all differ":       many(50, func(i int) string { return fmt.Sprint(3 * i) }),
		"fifty fractions":  many(100, func(i int) string { return fmt.Sprint(float64(i*i%50) / 7) }),
		"steps":            many(100, func(i int) string { return fmt.Sprint(10 * (i % 12)) }),
		"humps":            many(120, func(i int) string { return fmt.Sprint(math.Round(50 + 12*math.Sin(float64(i*i)))) }),
		"counts":           many(120, func(i int) string { return fmt.Sprint(i * i % 13) }),
		"years":            many(80, func(i int) string { return fmt.Sprint(1990 + i*7%25) }),
		"numbers and text": {"1", "2", "three", "1", ""},
		"marks":            {"NA", "?", "x", "nan", "null", "None", "y"},
		"one class":        {"x", "", "x"},
		"none":             {"", ""},
		"nothing":          {},
		"truth":            {"true", "FALSE", "True", "false"},
		"exponents":        {"1e3", "1000", "1e400", "2"},
		"infinite":         {"inf", "1", "2.5"},
		"quoted":           {"'a'", "\"a\"", " a ", "a"},
		"cents":            many(70, func(i int) string { return fmt.Sprintf("%.2f", float64(i*37%97)/4) }),
		"large":            many(40, func(i int) string { return fmt.Sprint(100000 + i%3) }),
		"words of a kind":  many(60, func(i int) string { return fmt.Sprint("item", i%30) }),
	} {
		for _, task := range []data.Task{data.TaskAuto, data.Classification, data.Regression} {
			l, err := data.Interpret(answers, "y", data.LabelOptions{Task: task})
			what := fmt.Sprintf("%s, %v", name, task)
			if err != nil {
				p.Add(what, err.Error())
				continue
			}
			p.Add(
				what,
				l.Task,
				l.Decided,
				fmt.Sprint(l.Classes),
				fmt.Sprint(l.Class[:min(9, len(l.Class))]),
				l.Value[:min(5, len(l.Value))],
				fmt.Sprint(l.Counts()),
			)
		}
	}
	p.Sort()
	p.Compare(t, "answers")
}

// TestDrawsAreAsTheyWere: folds, held-out rows and labels that are drawn.
func TestDrawsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	for name, answers := range map[string]string{
		"two classes": "a b a b a b a b a a a a", "rare": "a a a a a a a b", "three": "c a b c a b c a b a a . . a",
		"numbers": "1.5 2.5 3.25 4 5 6.5 7",
	} {
		raw := data.Answers(strings.Fields(answers))
		for i, v := range raw {
			if v == "." {
				raw[i] = ""
			}
		}
		l, err := data.Interpret(raw, "y", data.LabelOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range [][]string{nil, {"u", "u", "v", "", "v", "w", "w", "", "x", "x", "y", "y", "z", "z"}} {
			if l.Group = nil; group != nil {
				l.Group = group[:l.Len()]
			}
			for seed := range uint64(3) {
				for _, k := range []int{1, 2, 3, 5, 50} {
					part, err := data.Folds(l, k, seed)
					p.Add(
						fmt.Sprintf("%s, %d groups, %d folds, seed %d", name, l.Groups(), k, seed),
						fmt.Sprint(part.Fold, part.Short, err),
						strings.Join(part.Warnings(), "; "),
					)
				}
				for _, share := range []float64{0, 0.01, 0.3, 0.5, 0.99} {
					part, err := data.HoldOut(l, share, seed)
					p.Add(
						fmt.Sprintf("%s, %d groups, share %g, seed %d", name, l.Groups(), share, seed),
						fmt.Sprint(part.Fold, part.Short, err),
						strings.Join(part.Warnings(), "; "),
					)
				}
				for _, n := range []int{0, 1, 2, 4, 30} {
					each, err := data.DrawPerClass(l, n, seed)
					total, failed := data.DrawTotal(l, n, seed)
					p.Add(
						fmt.Sprintf("%s, %d groups, %d drawn, seed %d", name, l.Groups(), n, seed),
						fmt.Sprint(each, err, total, failed),
					)
				}
			}
		}
	}
	p.Sort()
	p.Compare(t, "draws")
}

// TestScalingsAreAsTheyWere: every scaling of rows of every kind, and its way back.
func TestScalingsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	dense := mat.NewDense(5, 4, []float64{1, 0, 5, 100, 2, 0, 5, 250, 0, 3, 5, 10, 4, 1, 5, 0, 2, 0, 5, 40})
	signed := mat.DenseCopyOf(dense)
	signed.Set(1, 0, -2)
	for name, rows := range map[string]data.Rows{
		"counts": {Dense: dense}, "signed": {Dense: signed}, "sparse counts": {Sparse: data.CSRFromDense(dense)},
		"sparse signed": {Sparse: data.CSRFromDense(signed)}, "alike": {Dense: mat.NewDense(3, 2, []float64{1, 2, 2, 1, 3, 0})},
		"zeros": {Dense: mat.NewDense(3, 2, nil)}, "missing": {Dense: mat.NewDense(2, 2, []float64{1, math.NaN(), 3, 4})},
	} {
		p.Add(name+", uneven", data.Uneven(rows))
		for _, kind := range []string{"", "auto", "none", "standard", "minmax", "unit", "tfidf", "other"} {
			s, reason, err := data.FitScaling(kind, rows)
			if err != nil {
				p.Add(name+", "+kind, err.Error())
				continue
			}
			p.Add(name+", "+kind, s.Kind, s.Shift, s.Scale, s.Constant, reason, fmt.Sprint(s.Refuses(rows)))
			out := s.Apply(rows)
			back := s.Undo(out)
			for i := range min(rows.Len(), 2) {
				p.Add("  scaled and back", row(out, i), row(back, i))
			}
		}
	}
	p.Sort()
	p.Compare(t, "scalings")
}

// TestBuiltinSetsAreAsTheyWere: the first rows of every set, by its defaults and other parameters.
func TestBuiltinSetsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	specs := []string{
		"two-moons:n=7,noise=0.2,seed=3",
		"two-moons:labelled=2,n=9",
		"two-spirals:n=8,noise=0.1",
		"sinc:n=9,noise=0.3",
		"nothing",
		"iris:n=3",
		"two-moons:n=0",
		"two-moons:noise=x",
	}
	for _, e := range data.List() {
		specs = append(specs, e.Name)
		for _, q := range e.Params() {
			specs = append(specs, fmt.Sprintf("%s:%s=3", e.Name, q))
		}
	}
	for _, spec := range specs {
		s, err := data.Builtin(spec)
		if err != nil {
			p.Add(spec, err.Error())
			continue
		}
		n := s.Rows.Len()
		p.Add(spec, n, s.Rows.Dim(), s.LabelName, fmt.Sprint(s.Features[:min(5, len(s.Features))]))
		for q := range min(n, 4) {
			i := q * n / 4
			v := row(s.Rows, i)
			p.Add(fmt.Sprintf("  row %d", i), v[:min(6, len(v))], s.Answers[i])
		}
	}
	p.Compare(t, "sets")
}

// TestTablesAreAsTheyWere: what columns of every kind become.
func TestTablesAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"numbers":  "a,b,label\n1,2,x\n3,4,y\n",
		"words":    "town,size,label\nUlm,big,x\nBonn,small,y\nUlm,,x\nKiel,big,y\nUlm,small,x\n",
		"dates":    "when,v,label\n2024-01-05,1,x\n2024-03-09,2,y\n2023-12-31,3,x\n2024-02-29,4,y\n",
		"units":    "price,weight,label\n\"$1,200.50\",3 kg,x\n$7.25,4 kg,y\n$8,5 kg,x\n",
		"amounts":  "price;weight;label\n1.200,50;3 kg;x\n900,25;4 kg;y\n1.000,00;5 kg;x\n",
		"yes-no":   "ok,v,label\nyes,1,x\nno,2,y\nyes,3,x\n,4,y\n",
		"missing":  "a,b,label\n1,,x\n,4,y\n3,5,x\nNA,6,y\n",
		"ids":      "id,v,label\n1,5,x\n2,7,y\n3,5,x\n4,6,y\n5,1,x\n",
		"ordered":  "grade,v,label\nlow,5,x\nhigh,7,y\nmedium,5,x\nlow,6,y\nhigh,1,x\n",
		"constant": "a,b,label\n1,7,x\n2,7,y\n3,7,x\n",
		"codes":    "zip,v,label\n01234,5,x\n00501,7,y\n99999,5,x\n01234,2,y\n",
	} {
		if err := os.WriteFile("f.csv", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, warnings, err := read.Open(t.Context(), "f.csv", read.Options{Prepare: true, Missing: true, Describe: true})
		if err != nil {
			p.Add(name, err.Error())
			continue
		}
		p.Add(name, fmt.Sprint(warnings), fmt.Sprint(s.Features), fmt.Sprint(s.Answers))
		p.Object("  "+name, s.Table, 9)
		for i := range s.Rows.Len() {
			p.Add(fmt.Sprintf("  %s, row %d", name, i), row(s.Rows, i))
		}
		if s.Table != nil {
			features, measured := s.Table.Features()
			p.Add("  "+name+", table", fmt.Sprint(features, measured, s.Table.Numeric(), s.Table.Check()), s.Table.ID())
			scaling, reason, err := s.FitScaling("auto")
			p.Add("  "+name+", scaling", scaling.Kind, scaling.Shift, scaling.Scale, reason, fmt.Sprint(err))
		}
	}
	p.Sort()
	t.Chdir(here)
	p.Compare(t, "tables")
}

// TestSetsTogether: rows of a second set stand below those of the first, without answers, names and groups beside theirs and weights
// of 1; rows that are chosen keep all they have.
func TestSetsTogether(t *testing.T) {
	a, err := data.Builtin("two-moons:n=4")
	if err != nil {
		t.Fatal(err)
	}
	b, err := data.Builtin("two-moons:n=3,seed=2")
	if err != nil {
		t.Fatal(err)
	}
	a.Weight, a.ID, a.Lines = []float64{1, 2, 3, 4}, []string{"p", "q", "r", "s"}, []int{2, 3, 4, 5}
	b.Group = []string{"g", "", "h"}
	both, err := a.WithUnlabelled(b)
	if err != nil {
		t.Fatal(err)
	}
	picked := both.Select([]int{6, 0, 3})
	var p pathtest.Path
	for name, s := range map[string]*data.Set{"together": both, "picked": picked} {
		p.Add(
			name,
			s.Rows.Len(),
			fmt.Sprintf("%q", s.Answers),
			fmt.Sprintf("%q", s.ID),
			fmt.Sprintf("%q", s.Group),
			fmt.Sprint(s.Lines),
			s.Weight,
		)
		for i := range s.Rows.Len() {
			p.Add("  row", row(s.Rows, i))
		}
	}
	if _, err := a.WithUnlabelled(&data.Set{Rows: data.Rows{Dense: mat.NewDense(1, 3, nil)}, Source: "wide"}); err != nil {
		p.Add("wide", err.Error())
	}
	p.Sort()
	p.Compare(t, "together")
}

// TestWordsAreAsTheyWere: what single words and numbers are.
func TestWordsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	for _, w := range []string{"1", "01", "1.0", "-0", "+3", "1e5", "0x10", "1_000", "1,5", "", " ", "?", "NA", "na", "N/A", "nan",
		"null", "None", "none", "x", "x ", "\"x\"",
		"inf", "-Infinity", "1e999", "007", "0", "00", "0.10", ".5", "5.", "١", "1 000", "½", "TRUE"} {
		v, ok := data.Number(w)
		p.Add(fmt.Sprintf("%q", w), fmt.Sprint(v), ok, data.IsCode(w), data.IsUnlabelled(w), fmt.Sprintf("%q", data.ClassName(w)))
	}
	p.Add("in case alone", fmt.Sprint(data.InCaseAlone([]string{"a", "A", "b", "c", "C", "B", "d"})))
	index := data.ClassIndex([]string{"1", "x", "2.5", "X"})
	for _, w := range []string{"1", "1.0", "x", "X", "2.50", "new", ""} {
		n, name := index(w)
		p.Add("class "+w, n, name)
	}
	p.Compare(t, "words")
}

// TestLargestWeight: a row may weigh 1e100, and no more.
func TestLargestWeight(t *testing.T) {
	for weight, fits := range map[string]bool{"1e100": true, "1.5e100": false} {
		set, _, err := read.Open(t.Context(), "-", read.Options{
			Format: read.FormatCSV, Weight: "w", Stdin: strings.NewReader("a,w,label\n1," + weight + ",x\n2,1,y\n"),
		})
		if (err == nil) != fits || fits && set.Weight[0] != 1e100 {
			t.Errorf("a weight of %s: %v", weight, err)
		}
	}
}
