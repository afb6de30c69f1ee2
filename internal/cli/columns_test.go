package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// dirty is a table of ids, words, dates, units and missing cells, from one row to another.
func dirty(from, to int) string {
	var b strings.Builder
	b.WriteString("id,town,since,height,member,kind\n")
	for i := from; i < to; i++ {
		height := fmt.Sprintf("%.1f cm", 150+float64(i*7%40)+10*float64(i%2))
		if i%8 == 5 {
			height = ""
		}
		fmt.Fprintf(&b, "%d,%s,201%d-0%d-11,%s,%s,%s\n", 100+i, []string{"Ulm", "Bonn", "Köln"}[(i%2+i/5)%3], i%10, 1+i%9, height,
			[]string{"yes", "no"}[i*5%7%2], []string{"tall", "small"}[i%2])
	}
	return b.String()
}

// TestSpreadsheet: an export as offices have them, with a line that tells the delimiter, decimal commas, dates without zeros, a label
// in the middle, empty rows, columns and totals, is learned from at once, what was left out is said, and new rows are predicted.
func TestSpreadsheet(t *testing.T) {
	var b strings.Builder
	b.WriteString("sep=;\r\nKunde;Umsatz;Seit;Label;Größe;\r\n")
	for i := range 40 {
		kind, size := "Privat", "klein"
		if i%3 == 0 {
			kind, size = "Firma", "groß"
		}
		fmt.Fprintf(&b, "%d;%d,%02d €;%d.%d.2021 %d:05;%s;%s;\r\n", 1000+i, 100+i*17%90+100*len(size), i%10, 13+i%15, 1+i%12, i%24, kind,
			size)
	}
	folderWith(t, map[string]string{"kunden.csv": b.String() + ";;;;;\r\nSumme;9.999,00 €;;;;\r\n"})
	fit := done(t, "fit", "kunden.csv", "-o", "k.mercer")
	for _, said := range []string{
		`kunden.csv:44: the last row begins with "Summe": it has the totals and is left out`, "left out: 1 row without any value",
		"date: Seit", `column "Label": 2 classes`, "40 rows (40 labelled)",
	} {
		if !strings.Contains(fit.stderr, said) {
			t.Errorf("%q is not said: %s", said, fit.stderr)
		}
	}
	if p := done(t, "predict", "k.mercer", "kunden.csv"); strings.Count(p.stdout, "\n") != 43 {
		t.Errorf("every row has a prediction: %s %s", p.stdout, p.stderr)
	}
}

// TestTableVerbs: what fit decides of columns is done alike for rows to come: the metrics of --test are those of evaluate,
// and the description that data prints makes the same model.
func TestTableVerbs(t *testing.T) {
	folderWith(t, map[string]string{"rows.csv": dirty(0, 60), "new.csv": dirty(60, 90), "more.csv": dirty(90, 120),
		"odd.csv": strings.Replace(dirty(60, 90), "Köln", "Rom", 1)})
	fit := done(t, "fit", "rows.csv", "--method", "rls", "--id", "id", "--test", "new.csv", "--unlabelled", "more.csv", "--json", "-o",
		"a.mercer")
	if !strings.Contains(fit.stderr, "columns: with missing cells: height") || !strings.Contains(fit.stderr, "category: town (3)") {
		t.Errorf("what is done with columns is not said: %s", fit.stderr)
	}
	_, after, _ := strings.Cut(fit.stdout, `"test":{`)
	test, _, _ := strings.Cut(after, "}")
	if e := done(t, "evaluate", "a.mercer", "new.csv", "--json"); test == "" || !strings.Contains(e.stdout, test[:strings.Index(test+",",
		",")]) {
		t.Errorf("evaluate says %s, fit --test %s", e.stdout, test)
	}
	p := done(t, "predict", "a.mercer", "new.csv")
	if !strings.HasPrefix(p.stdout, "id,prediction,score\n160,") {
		t.Errorf("the id is not carried: %.60s", p.stdout)
	}
	const unknown = `"town": 1 row with words that were not learned from, such as "Rom"`
	if p := done(t, "predict", "a.mercer", "odd.csv"); !strings.Contains(p.stderr, unknown) {
		t.Errorf("a new word is not said: %s", p.stderr)
	}
	columns := done(t, "data", "rows.csv", "--id", "id", "--json").stdout
	if err := os.WriteFile("columns.json", []byte(columns), 0o600); err != nil {
		t.Fatal(err)
	}
	done(t, "fit", "rows.csv", "--method", "rls", "--columns", "columns.json", "-o", "b.mercer")
	done(t, "fit", "rows.csv", "--method", "rls", "--id", "id", "-o", "c.mercer")
	b, errB := os.ReadFile("b.mercer")
	c, errC := os.ReadFile("c.mercer")
	if errB != nil || errC != nil || string(b) != string(c) {
		t.Error("the description makes another model")
	}
	if d := done(t, "data", "rows.csv").stdout; !strings.Contains(d, "counts the rows from 100 to "+
		"159") || !strings.Contains(d, "numbers from 150 to 1") {
		t.Error(d)
	}
}

// TestClassesInAnyOrder: the order of the rows of a file does not change the classes, and codes keep their spelling.
func TestClassesInAnyOrder(t *testing.T) {
	head, list := "a,b,label\n", []string{}
	for i := range 40 {
		list = append(list, fmt.Sprintf("%d,%d,%s\n", i*i%23+20*(i%2), i*7%11, []string{"0012", "003"}[i%2]))
	}
	back := make([]string, len(list))
	for i := range list {
		back[i] = list[len(list)-1-i]
	}
	folderWith(t, map[string]string{"a.csv": head + strings.Join(list, ""), "b.csv": head + strings.Join(back, "")})
	var said []string
	for _, name := range []string{"a", "b"} {
		done(t, "fit", name+".csv", "--method", "rls", "--tune", "none", "--set", "sigma=9", "--set", "lambda=0.1", "-o", name+".mercer")
		said = append(said, done(t, "predict", name+".mercer", "a.csv").stdout)
	}
	classes := func(s string) (list []string) {
		for _, line := range strings.Split(s, "\n") {
			class, _, _ := strings.Cut(line, ",")
			list = append(list, class)
		}
		return list
	}
	if a, b := fmt.Sprint(classes(said[0])), fmt.Sprint(classes(said[1])); a != b || !strings.Contains(a, "0012") || !strings.Contains(a,
		"003") {
		t.Errorf("%s\n%s", a, b)
	}
}

// TestRowWeights: a row of weight 2 counts as two rows do.
func TestRowWeights(t *testing.T) {
	weighted, repeated := "w,a,b,label\n", "a,b,label\n"
	for i := range 40 {
		row := fmt.Sprintf("%d.5,%d,%d\n", i*i%23+3*(i%2), i*7%11, i%2)
		w := 1 + i*5%3%2
		weighted += fmt.Sprint(w, ",", row)
		repeated += strings.Repeat(row, w)
	}
	folderWith(t, map[string]string{"w.csv": weighted, "r.csv": repeated})
	sum := 0
	for i := range 40 {
		sum += 1 + i*5%3%2
	}
	for _, with := range [][2]string{
		{fmt.Sprintf("--method logistic --tol 1e-10 --set C=%g", float64(sum)/40), "--method logistic --tol 1e-10 --set C=1"},
		{"--method rls --set lambda=0.01", "--method rls --set lambda=0.01"},
		{"--method ls-svm --set lambda=0.01", "--method ls-svm --set lambda=0.01"},
	} {
		var said [2]string
		for k, c := range []string{"w.csv --weight w " + with[0], "r.csv " + with[1]} {
			done(t, strings.Fields("fit "+c+" --tune none --scale none --set sigma=9 -o m.mercer")...)
			for _, line := range strings.Split(done(t, "predict", "m.mercer", "r.csv").stdout, "\n")[1:] {
				_, score, _ := strings.Cut(line, ",")
				said[k] += fmt.Sprintf("%.6s ", score)
			}
		}
		if said[0] != said[1] {
			t.Errorf("%s\n%s\n%s", with[0], said[0], said[1])
		}
	}
	if r := run(t, "", "fit", "w.csv", "--weight", "w", "--method", "lgc"); r.code != exitUsage || !strings.Contains(r.stderr,
		"choose auto") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}

// TestMissingCellsOfNumbers: a model of a table of numbers alone counts missing cells of new rows as the medians of training, and
// says so; other faults of a cell stay faults.
func TestMissingCellsOfNumbers(t *testing.T) {
	rows, filled := "a,b,label\n", "a,b\n2,4\n2,7\n"
	for _, r := range []string{"1,4,x", "2,9,y", "2,3,x", "5,8,y", "1,2,x", "6,9,y"} {
		rows += r + "\n"
	}
	folderWith(t, map[string]string{
		"n.csv": rows, "new.csv": "a,b\n?,4\n2,4\n,7\n", "same.csv": filled + "2,4\n",
		"bad.csv": "a,b\n1,word\n",
	})
	if r := run(t, "", "fit", "n.csv", "--method", "rls", "--tune", "none", "-o", "m.mercer"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	got := run(t, "", "predict", "m.mercer", "new.csv")
	if got.code != 0 || !strings.Contains(got.stderr,
		`column "a": no value in 2 rows, though all that were learned from have one; there it counts as the median, 2`) {
		t.Errorf("%d %s", got.code, got.stderr)
	}
	lines := strings.Split(got.stdout, "\n")
	want := strings.Split(done(t, "predict", "m.mercer", "same.csv").stdout, "\n")
	if lines[1] != want[1] || lines[2] != want[1] || lines[3] != want[2] {
		t.Errorf("%v, want those of %v", lines, want)
	}
	r := run(t, "", "predict", "m.mercer", "bad.csv")
	if r.code != exitData || !strings.Contains(r.stderr, `bad.csv:2:2: column "b": "word" is no number`) {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}

// TestConstantColumnsAreNamed: also those of a table of numbers alone.
func TestConstantColumnsAreNamed(t *testing.T) {
	folderWith(t, map[string]string{"n.csv": "a,b,label\n1,7,x\n4,7,y\n2,7,x\n5,7,y\n", "o.csv": "a,b,label\n1,7,x\n4,6,y\n2,7,x\n5,7,y\n"})
	const says = "columns with one value in all rows, which tell no rows apart: b"
	for name, want := range map[string]bool{"n.csv": true, "o.csv": false} {
		if r := run(t, "", "fit", name, "--method", "rls"); r.code != 0 || strings.Contains(r.stderr, says) != want {
			t.Errorf("%s: %d %s", name, r.code, r.stderr)
		}
	}
}

// Missing cells of further rows count as the medians of the rows that were learned from, and that is said.
func TestMissingCellsOfFurtherRows(t *testing.T) {
	folderWith(t, map[string]string{
		"rows.csv": "a,b,label\n1,2,x\n2,3,y\n3,4,x\n4,5,y\n1.5,2,x\n3,6,y\n",
		"more.csv": "a,b\n1,\n,3\n",
		"test.csv": "a,b,label\n1,,x\nNA,3,y\n",
	})
	for _, args := range []string{"--test test.csv", "--unlabelled more.csv"} {
		r := run(t, "", strings.Fields("fit rows.csv --method rls "+args)...)
		if r.code != exitDone || !strings.Contains(r.stderr, "there it counts as the median, 2.5") {
			t.Errorf("%s: exit %d: %s", args, r.code, r.stderr)
		}
	}
}
