package training_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply/training"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/result"
)

// inFolder makes files in a folder of the test's own, and works there.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// shown is a set in a line: its columns and rows, with their answers, and ~ before sparse ones.
func shown(set *data.Set) string {
	words := []string{strings.Join(set.Features, ",")}
	for i, a := range set.Answers {
		var cells []string
		if s := set.Rows.Sparse; s != nil {
			cells = append(cells, "~")
			for _, v := range s.SelectRows([]int{i}).ToDense().RawRowView(0) {
				cells = append(cells, strconv.FormatFloat(v, 'g', 4, 64))
			}
		} else {
			for _, v := range set.Rows.Dense.RawRowView(i) {
				cells = append(cells, strconv.FormatFloat(v, 'g', 4, 64))
			}
		}
		words = append(words, strings.Join(cells, " ")+" "+a)
	}
	if set.Weight != nil || set.Group != nil {
		words = append(words, fmt.Sprint(set.Weight, set.Group))
	}
	return strings.Join(words, "|")
}

// seen is an input, a line for each part that it has.
func seen(in *result.Input, warnings []read.Warning) string {
	lines := []string{shown(in.Set)}
	if in.Hidden != nil {
		lines = append(lines, "hidden "+strings.Join(in.Hidden, ","))
	}
	if in.Test != nil {
		lines = append(lines, "test "+shown(in.Test))
	}
	for _, w := range warnings {
		lines = append(lines, fmt.Sprint("warning ", w))
	}
	return strings.Join(lines, "\n")
}

// TestOpen: further files have the columns of the first by name or number, in its form; what is missing counts as its medians; labels
// that are not kept are hidden.
func TestOpen(t *testing.T) {
	inFolder(t, map[string]string{
		"rows.csv": "a,b,y\n1,2,k\n3,9,l\n5,6,k\n8,8,l\n", "other.csv": "y,b,a\nl,20,10\n", "gap.csv": "a,b,y\n,7,k\n",
		"words.csv": "a,w,y\n1,no,k\n3,yes,l\n5,yes,k\n", "swapped.csv": "w,y,a\nyes,l,\n",
		"rows.svm": "1 1:1 3:2\n-1 2:5\n", "wide.svm": "1 4:7\n", "four.svm": "1 4:7\n-1 1:7\n", "narrow.svm": "-1 1:6\n",
		"two.svm":   "k 1:6\n",
		"dense.csv": "5,4,3,2,-1\n", "p.csv": "p\n6\n7\n8\n9\n", "keep.txt": "0 3\n", "numbers.csv": "x,y\n3,4\n5,6.5\n",
		"texts.csv": "t,y\nred cat,k\nred dog,l\nred cat,k\n", "more.csv": "y,t\nl,dog dog bird\n",
		"plain.csv":   "a,b,y\n1,9,k\n3,8,l\n",
		"weights.csv": "a,g,v,b,y\n1,x,2,9,k\n3,z,3,8,l\n", "label.csv": "label,b,a\nk,4,3\nl,6,5\n",
	})
	text := read.Options{Text: &data.Text{Column: "t"}}
	of := &model.Model{Columns: 2, Features: []string{"b", "a"}, Label: "y"}
	parted := &model.Model{Columns: 1, Features: []string{"a"}, Label: "y", Table: data.NewTable([]data.Column{
		{Name: "a", Kind: data.KindNumber}, {Name: "g", Kind: data.KindGroup}, {Name: "v", Kind: data.KindWeight},
		{Name: "b", Kind: data.KindIgnored}, {Name: "y", Kind: data.KindLabel}}), Result: []byte(`{"estimate":{"from":"forward hold-out"}}`)}
	const unordered = "\nwarning %s: the model was judged by rows later than those learned from, and does not keep which column had their " +
		"order: these have none (--order names it)"
	for _, c := range []struct {
		name   string
		files  training.Files
		recipe result.Recipe
		want   string
	}{
		{"rows alone", training.Files{Data: "rows.csv"}, result.Recipe{}, "a,b|1 2 k|3 9 l|5 6 k|8 8 l"},
		{"columns by their names", training.Files{Data: "rows.csv", Unlabelled: "other.csv", Test: "other.csv"},
			result.Recipe{}, "a,b|1 2 k|3 9 l|5 6 k|8 8 l|10 20 \ntest a,b|10 20 l"},
		{"the label by name", training.Files{Data: "rows.csv", Test: "other.csv", Read: read.Options{Label: "a"}},
			result.Recipe{}, "b,y=k,y=l|2 1 0 1|9 0 1 3|6 1 0 5|8 0 1 8\ntest b,y=k,y=l|20 0 1 10"},
		{"medians", training.Files{Data: "rows.csv", Unlabelled: "gap.csv", Test: "gap.csv"},
			result.Recipe{}, "a,b|1 2 k|3 9 l|5 6 k|8 8 l|4 7 \ntest a,b|4 7 k\n" +
				"warning gap.csv: column \"a\": no value in 1 row, though all that were learned from have one; there it counts as the median, " +
				"4\n" +
				"warning gap.csv: column \"a\": no value in 1 row, though all that were learned from have one; there it counts as the median, " +
				"4"},
		{"words", training.Files{Data: "words.csv", Unlabelled: "swapped.csv", Test: "swapped.csv"},
			result.Recipe{}, "a,w|1 0 k|3 1 l|5 1 k|3 1 \ntest a,w|3 1 l\n" +
				"warning swapped.csv: column \"a\": no value in 1 row, though all that were learned from have one; there it counts as the " +
				"median\n" +
				"warning swapped.csv: column \"a\": no value in 1 row, though all that were learned from have one; there it counts as the " +
				"median"},
		{"sparse", training.Files{Data: "rows.svm", Unlabelled: "wide.svm", Test: "narrow.svm"},
			result.Recipe{}, "|~ 1 0 2 0 1|~ 0 5 0 0 -1|~ 0 0 0 7 \ntest |~ 6 0 0 0 -1"},
		{"sparse, and wider test", training.Files{Data: "rows.svm", Test: "wide.svm"},
			result.Recipe{}, "|~ 1 0 2 1|~ 0 5 0 -1\ntest |~ 0 0 0 1\n" +
				"warning wide.svm: ignored: 1 value with an index above 3, which the model does not know"},
		{"sparse with dense", training.Files{Data: "rows.svm", Unlabelled: "dense.csv"},
			result.Recipe{}, "|~ 1 0 2 0 1|~ 0 5 0 0 -1|~ 5 4 3 2 \n" +
				"warning dense.csv:1: no header line; columns are named x0 to x3, the last is the label"},
		{"sparse with dense test", training.Files{Data: "four.svm", Unlabelled: "narrow.svm", Test: "dense.csv"},
			result.Recipe{}, "|~ 0 0 0 7 1|~ 7 0 0 0 -1|~ 6 0 0 0 \ntest x0,x1,x2,x3|~ 5 4 3 2 -1\n" +
				"warning dense.csv:1: no header line; columns are named x0 to x3, the last is the label"},
		{"dense with sparse", training.Files{Data: "rows.csv", Unlabelled: "two.svm", Test: "two.svm"},
			result.Recipe{}, "a,b|1 2 k|3 9 l|5 6 k|8 8 l|6 0 \ntest |6 0 k"},
		{"texts", training.Files{Data: "texts.csv", Unlabelled: "more.csv", Test: "more.csv", Read: text},
			result.Recipe{}, "cat,dog,red|~ 1 0 1 k|~ 0 1 1 l|~ 1 0 1 k|~ 0 2 0 \ntest cat,dog,red|~ 0 2 0 l\n" +
				"warning more.csv: 33.3 % of the words, 1 of 3, are not in the list that was learned and count for nothing\n" +
				"warning more.csv: 33.3 % of the words, 1 of 3, are not in the list that was learned and count for nothing"},
		{"kept by number", training.Files{Data: "rows.csv", Unlabelled: "other.csv", LabelledRows: "keep.txt"},
			result.Recipe{}, "a,b|1 2 k|3 9 |5 6 |8 8 l|10 20 \nhidden ,l,k,,"},
		{"kept by the draw", training.Files{Data: "rows.csv", Labels: 3, Seed: 1},
			result.Recipe{}, "a,b|1 2 k|3 9 l|5 6 k|8 8 \nhidden ,,,l"},
		{"kept by another draw", training.Files{Data: "rows.csv", Labels: 3, Seed: 2},
			result.Recipe{}, "a,b|1 2 k|3 9 |5 6 k|8 8 l\nhidden ,l,,"},
		{"kept of each class", training.Files{Data: "rows.csv", LabelsPerClass: 1, Seed: 1},
			result.Recipe{}, "a,b|1 2 k|3 9 l|5 6 |8 8 \nhidden ,,k,l"},
		{"kept of each class, by another draw", training.Files{Data: "rows.csv", LabelsPerClass: 1, Seed: 2},
			result.Recipe{}, "a,b|1 2 k|3 9 |5 6 |8 8 l\nhidden ,l,k,"},
		{"one of a regression", training.Files{Data: "numbers.csv", Labels: 1, Seed: 1},
			result.Recipe{Task: "regression"}, "x|3 4|5 \nhidden ,6.5"},
		{"views", training.Files{Data: "rows.csv", Views: []string{"a=a..a", "p=p.csv"}},
			result.Recipe{}, "a,b,p.p|1 2 6 k|3 9 7 l|5 6 8 k|8 8 9 l\nview a 1..1\nview p 3..3"},
		{"gaps with views", training.Files{Data: "rows.csv", Unlabelled: "gap.csv", Views: []string{"a=a..a", "b=b..b"}},
			result.Recipe{}, "a,b|1 2 k|3 9 l|5 6 k|8 8 l|NaN 7 \nview a 1..1\nview b 2..2"},
		{"gaps with views of the recipe", training.Files{Data: "gap.csv", Unlabelled: "gap.csv"},
			result.Recipe{Method: "one-class", Views: []result.View{{Name: "a", First: 1, Last: 1}}}, "a,b|NaN 7 k|NaN 7 \nview a 1..1"},
		{"one class without labels", training.Files{Data: "p.csv"}, result.Recipe{Method: "one-class"}, "p|6 |7 |8 |9 "},
		{"one class with labels", training.Files{Data: "label.csv"}, result.Recipe{Method: "one-class"}, "b,a|4 3 k|6 5 l"},
		{"columns of a model", training.Files{Data: "weights.csv", Columns: of, Read: read.Options{Weight: "v", Group: "g"}},
			result.Recipe{}, "b,a|9 1 k|8 3 l|[2 3] [x z]"},
		{"weights and groups of a model", training.Files{Data: "weights.csv", Columns: parted, Read: read.Options{ID: "b"}},
			result.Recipe{}, "a|1 k|3 l|[2 3] [x z]" + fmt.Sprintf(unordered, "weights.csv")},
		{"weights and groups that are not there", training.Files{Data: "plain.csv", Columns: parted}, result.Recipe{}, "a|1 k|3 l\n" +
			"warning plain.csv: no column \"v\", which had the weights of the rows that the model was learned from: all rows weigh the " +
			"same (--weight names another)\n" +
			"warning plain.csv: no column \"g\", which had the groups of the rows that the model was learned from: every row is on its own " +
			"(--group names another)" + fmt.Sprintf(unordered, "plain.csv")},
		{"an order beside a model", training.Files{Data: "weights.csv", Columns: parted, Read: read.Options{Order: "b", Weight: "a"}},
			result.Recipe{}, "a|1 k|3 l|[1 3] []\nwarning weights.csv: the groups of column \"g\", which the model was learned with, have " +
				"no part beside --order"},
		{"columns of a model, another label", training.Files{Data: "weights.csv", Columns: of, Read: read.Options{Label: "g"}},
			result.Recipe{}, "b,a|9 1 x|8 3 z\nwarning weights.csv:1: the model ignores 2 columns that it does not know"},
		{"columns of a sparse model", training.Files{Data: "rows.svm", Columns: &model.Model{Columns: 2, Label: "q", Sparse: true}},
			result.Recipe{}, "|~ 1 0 2 1|~ 0 5 0 -1"},
	} {
		in, warnings, err := c.files.Open(t.Context(), &c.recipe)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := seen(in, warnings) + views(c.recipe); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if o := c.files.Read; c.files.Columns == parted && ((in.Set.Order != nil) != (o.Order != "") || in.Set.Table.ID() != o.ID ||
			in.Set.Table.Column(data.KindWeight).Name != "v") {
			t.Errorf("%s: %v, %+v", c.name, in.Set.Order, in.Set.Table)
		}
	}
}

// views says where the views of a recipe stand, a line each.
func views(r result.Recipe) string {
	text := ""
	for _, v := range r.Views {
		text += fmt.Sprintf("\nview %s %d..%d", v.Name, v.First, v.Last)
	}
	return text
}

// TestLikelyLabels: a last column of dates, or of words of which most rows have one of their own, is refused where ten rows or more have
// labels, half of all at least, and the task is not said; the column that is likely meant is named.
func TestLikelyLabels(t *testing.T) {
	// table has rows of a number, two columns of words, and the answers, of which the rest are blank.
	table := func(rows int, answers func(i int) string) string {
		var b strings.Builder
		b.WriteString("n,three,two,last\n")
		for i := range rows {
			fmt.Fprintf(&b, "%d,%c,%c,%s\n", i*i%7, 'a'+i%3, 'p'+i%2, answers(i))
		}
		return b.String()
	}
	date := func(i int) string { return fmt.Sprintf("2024-03-%02d", i+1) }
	word := func(different int) func(i int) string {
		return func(i int) string { return "w" + strings.Repeat("x", i%different) }
	}
	some := func(n int, f func(int) string) func(i int) string {
		return func(i int) string {
			if i < n {
				return f(i)
			}
			return ""
		}
	}
	but := func(f func(int) string, other string) func(i int) string {
		return func(i int) string {
			if i == 3 {
				return other
			}
			return f(i)
		}
	}
	const dates = `column "last": has dates, which are no labels`
	for _, c := range []struct {
		name    string
		text    string
		label   string
		task    string
		refused string
	}{
		{"nine dates", table(9, date), "", "", ""},
		{"ten dates", table(10, date), "", "", dates},
		{"auto", table(10, date), "", "auto", dates},
		{"the task is said", table(10, date), "", "classification", ""},
		{"the label is said", table(10, date), "last", "", ""},
		{"half have dates", table(20, some(10, date)), "", "", dates},
		{"less than half", table(21, some(10, date)), "", "", ""},
		{"a word among the dates", table(12, but(date, "w")), "", "", ""},
		{"five words in ten", table(10, word(5)), "", "", ""},
		{"six in ten", table(10, word(6)), "", "", `column "last": has 6 different labels in 10 rows`},
		{"named words", table(12, word(7)), "last", "", `column "last": has 7 different labels in 12 rows`},
		{"a date among the words", table(12, but(word(7), date(1))), "", "", ""},
		{"nine words", table(9, word(9)), "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, map[string]string{"rows.csv": c.text})
			files := training.Files{Data: "rows.csv", Read: read.Options{Label: c.label}}
			_, _, err := files.Open(t.Context(), &result.Recipe{Task: c.task})
			if c.refused == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			failtest.Refused(t, err, "rows.csv: "+c.refused+
				"; name the column of the labels with --label, as --label two, or say --task classification")
		})
	}
	text := "n,last\n" // and without columns of words none is named
	for i := range 10 {
		text += fmt.Sprintf("%d,w%s\n", i*i%7, strings.Repeat("x", i))
	}
	inFolder(t, map[string]string{"rows.csv": text})
	_, _, err := training.Files{Data: "rows.csv"}.Open(t.Context(), &result.Recipe{})
	failtest.Refused(t, err,
		`rows.csv: column "last": has 10 different labels in 10 rows; name the column of the labels with --label, or say `+
			`--task classification`)
}

// TestRefusals: what does not go together, or cannot be read or understood, is refused, and a fault of labels says of which set it is.
func TestRefusals(t *testing.T) {
	inFolder(t, map[string]string{
		"rows.csv": "a,b,y\n1,2,k\n3,9,l\n5,6,k\n8,8,l\n", "short.csv": "p\n6\n", "far.txt": "0 7\n",
		"numbers.csv": "a,y\n1,2.5\n2,3.5\n3,4.5\n", "word.csv": "a,y\n1,dear\n", "none.csv": "a,y\n1,\n",
		"other.csv": "a,y\n1,k\n", "mixed.csv": "a,y\n1,2.5\n2,3.5\n3,dear\n", "keep.txt": "0 1\n",
		"minus.csv": "a,label\n1,-1\n2,-1\n",
	})
	for _, c := range []struct {
		files  training.Files
		recipe result.Recipe
		set    string
		want   string
	}{
		{training.Files{}, result.Recipe{}, "usage", "an empty name; name a file, or a set that mercer data lists"},
		{training.Files{Data: "rows.csv", Views: []string{"v"}},
			result.Recipe{}, "usage", "--view v: write NAME=FIRST..LAST, two columns, NAME=PREFIX* or NAME=FILE, as in --view " +
				"words=1..300"},
		{training.Files{Data: "rows.csv", Labels: -1},
			result.Recipe{}, "usage", "--labels -1, --labels-per-class 0: must be at least 1"},
		{training.Files{Data: "rows.csv", Labels: 1, LabelsPerClass: -1},
			result.Recipe{}, "usage", "--labels 1, --labels-per-class -1: must be at least 1"},
		{training.Files{Data: "rows.csv", Labels: 1, LabelsPerClass: 1},
			result.Recipe{}, "usage", "--labelled-rows, --labels and --labels-per-class each say which labels are kept; give " +
				"one of them"},
		{training.Files{Data: "rows.csv", LabelledRows: "far.txt", Labels: 1},
			result.Recipe{}, "usage", "--labelled-rows, --labels and --labels-per-class each say which labels are kept; give " +
				"one of them"},
		{training.Files{Data: "rows.csv", LabelledRows: "far.txt", LabelsPerClass: 1},
			result.Recipe{}, "usage", "--labelled-rows, --labels and --labels-per-class each say which labels are kept; give " +
				"one of them"},
		{training.Files{Data: "rows.csv", Views: []string{"v=short.csv"}, Test: "rows.csv"},
			result.Recipe{}, "usage", "--view NAME=FILE with --unlabelled or --test: those files have no such columns; join " +
				"the columns of each into one file and give --view NAME=FIRST..LAST"},
		{training.Files{Data: "rows.csv", Views: []string{"v=short.csv"}, Unlabelled: "rows.csv"},
			result.Recipe{}, "usage", "--view NAME=FILE with --unlabelled or --test: those files have no such columns; join " +
				"the columns of each into one file and give --view NAME=FIRST..LAST"},
		{training.Files{Data: "rows.csv", Views: []string{"v=short.csv"}},
			result.Recipe{}, "", "short.csv: 1 rows, rows.csv has 4; a view has one row for each, in the same order"},
		{training.Files{Data: "rows.csv", LabelledRows: "far.txt"},
			result.Recipe{}, "", "far.txt:1:3: row 7 of a set of 4; rows count from 0 to 3, the header left out"},
		{training.Files{Data: "rows.csv", Labels: 5},
			result.Recipe{}, "rows.csv", "5 labels asked for, 4 rows are labelled; use 1 to 4"},
		{training.Files{Data: "rows.csv", LabelsPerClass: 3},
			result.Recipe{}, "rows.csv", `class "k" has fewer labels (2) than the 3 a class that were asked for; ask for 2 at ` +
				`most`},
		{training.Files{Data: "rows.csv", Labels: 2},
			result.Recipe{Task: "regression"}, "rows.csv", `label "k" is no number, so this is no regression; correct it, or ` +
				`use --task classification`},
		{training.Files{Data: "rows.csv", Labels: 1},
			result.Recipe{}, "usage", "--labels 1: one label is of one class; keep 2 at least"},
		{training.Files{Data: "rows.csv", Unlabelled: "other.csv"},
			result.Recipe{}, "", `other.csv:1: no column "b", which the model needs; columns are a, y; add it, or use a file ` +
				`with the columns of the training data`},
		{training.Files{Data: "rows.csv", Test: "other.csv"},
			result.Recipe{}, "", `other.csv:1: no column "b", which the model needs; columns are a, y; add it, or use a file ` +
				`with the columns of the training data`},
		{training.Files{Data: "rows.csv", Test: "absent.csv"},
			result.Recipe{}, "", "absent.csv: no such file or directory; check the name and its permissions"},
		{training.Files{Data: "rows.csv"},
			result.Recipe{Task: "regression"}, "rows.csv", `label "k" is no number, so this is no regression; correct it, or ` +
				`use --task classification`},
		{training.Files{Data: "mixed.csv", LabelledRows: "keep.txt"},
			result.Recipe{Task: "regression"}, "mixed.csv", `label "dear" is no number, but the task is regression; correct or ` +
				`blank it`},
		{training.Files{Data: "none.csv"},
			result.Recipe{}, "none.csv", `no row of column "y" has a label; label some rows, or name another column with --label`},
		{training.Files{Data: "numbers.csv", Test: "word.csv"},
			result.Recipe{}, "word.csv", `label "dear" is no number, but the task is regression; correct or blank it`},
		{training.Files{Data: "minus.csv"},
			result.Recipe{Method: "one-class"}, "minus.csv", "every row is labelled -1, which one-class leaves out; blank the " +
				"labels of the rows to learn from"},
	} {
		_, _, err := c.files.Open(t.Context(), &c.recipe)
		failtest.Refused(t, err, c.want)
		var set *result.SetError
		var usage *result.UsageError
		is := ""
		if errors.As(err, &set) {
			is = set.Set.Source
		} else if errors.As(err, &usage) {
			is = "usage"
		}
		if is != c.set {
			t.Errorf("%v is of %q, expected of %q", err, is, c.set)
		}
	}
}

// TestStopped: each of the files is read with the context.
func TestStopped(t *testing.T) {
	inFolder(t, map[string]string{"rows.csv": "a,y\n1,k\n3,l\n", "p.csv": "p\n6\n7\n", "keep.txt": "0 1\n"})
	for _, files := range []training.Files{
		{Data: "rows.csv", Unlabelled: "rows.csv", Test: "rows.csv", LabelledRows: "keep.txt"},
		{Data: "rows.csv", Views: []string{"p=p.csv"}},
	} {
		looks := 0
		for ended := true; ended; looks++ {
			ctx := stoptest.After(t.Context(), looks)
			_, _, err := files.Open(ctx, &result.Recipe{})
			if ended = ctx.Ended(); ended && !errors.Is(err, context.Canceled) || !ended && err != nil {
				t.Errorf("stopped after %d looks: %v", looks, err)
			}
		}
		if looks < 5 {
			t.Errorf("the context was asked %d times", looks)
		}
	}
}

// TestLabelsThatAreNone: a column of labels that the rows do not have, one that the model goes on from has as a feature, and rows to test
// with that have no label, are refused.
func TestLabelsThatAreNone(t *testing.T) {
	inFolder(t, map[string]string{
		"rows.svm": "1 1:1 3:2\n-1 2:5\n", "plain.csv": "a,b,y\n1,9,k\n3,8,l\n", "blank.csv": "a,b,y\n1,2,\n3,4,?\n",
	})
	of := &model.Model{Columns: 2, Features: []string{"b", "a"}, Label: "y"}
	for _, c := range []struct {
		files training.Files
		want  string
	}{
		{training.Files{Data: "rows.svm", Read: read.Options{Label: "q"}}, `rows.svm: no column "q", as columns have no names: the label ` +
			"is the first number of a row; leave out --label, or give CSV"},
		{training.Files{Data: "plain.csv", Columns: of, Read: read.Options{Label: "a"}}, `plain.csv: column "a": --label names it, and ` +
			"the model has it as a feature; name the column of the labels, or fit anew"},
		{training.Files{Data: "plain.csv", Test: "blank.csv"}, "blank.csv: no row has a label, so that nothing can be measured; give the " +
			"rows their labels, or leave out --test and answer them with mercer predict"},
	} {
		_, _, err := c.files.Open(t.Context(), &result.Recipe{})
		failtest.Refused(t, err, c.want)
	}
}
