package read

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/test/failtest"
)

// TestAnswersOfBooks: answers are read as a column of features would be: with points between thousands where other columns, or a flag,
// have decimal commas, and below zero as books have it.
func TestAnswersOfBooks(t *testing.T) {
	german := func(i int) string { return fmt.Sprintf("%d.%03d", i+1, i*37%1000) }
	for name, c := range map[string]struct {
		head   string
		row    func(i int) string
		o      Options
		answer string // of row 3
		say    string
	}{
		"beside commas": {"a;y", func(i int) string {
			return fmt.Sprintf("0,%d7;%s", i%10, []string{german(i), fmt.Sprint(600 + i)}[i/10%2])
		}, Options{}, "4111", `"1.000"`},
		"as asked": {"a;y", func(i int) string { return fmt.Sprintf("%d;%s", i*i%17, german(i)) },
			Options{Dialect: Dialect{Decimal: "comma"}}, "4111", `"1.000"`},
		"of few values": {"a;y", func(i int) string { return fmt.Sprintf("0,%d7;%s", i%10, german(i%12)) }, Options{}, "4111", `"1.000"`},
		"points":        {"a;y", func(i int) string { return fmt.Sprintf("%d;%s", i*i%17, german(i)) }, Options{}, "4.111", ""},
		"points beside commas": {"a;y", func(i int) string {
			return fmt.Sprintf("0,%d7;%s", i%10, []string{german(i), "684.25"}[i/10%2])
		}, Options{}, "4.111", ""},
		"whole": {"a;y", func(i int) string { return fmt.Sprintf("0,%d7;%d", i%10, i*i) }, Options{}, "9", ""},
		"brackets": {"a,y", func(i int) string { return fmt.Sprintf("%d,%s", i*i%17, []string{"(%d.50)", "%d.25"}[i%2]) },
			Options{}, "", `"(0.50)"`},
		"minus behind": {"a,y", func(i int) string { return fmt.Sprintf("%d,%s", i*i%17, []string{"%d.50", "%d.25-"}[i%2]) },
			Options{}, "-3.25", `"1.25-"`},
	} {
		c.o.Prepare = true
		text := c.head + "\n" + rowsOf(40, func(i int) string {
			return strings.Replace(c.row(i), "%d", fmt.Sprint(i), 1)
		})
		s, said, err := wholeOf(t, text, c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.answer == "" {
			c.answer = "3.25"
		}
		guess := fmt.Sprint(said)
		if s.Answers[3] != c.answer || strings.Contains(guess, "are amounts") != (c.say != "") || !strings.Contains(guess, c.say) {
			t.Errorf("%s: %q, %v", name, s.Answers, said)
		}
	}
}

// TestAnswersForModels: answers of new rows are spelled as their features are, whatever the rows had that a model was learned from. One
// that can be two numbers is refused where it is asked for.
func TestAnswersForModels(t *testing.T) {
	table := func(decimal string) *data.Table {
		return data.NewTable([]data.Column{{Name: "a", Kind: data.KindNumber}, {Name: "b", Kind: data.KindNumber, Decimal: decimal},
			{Name: "y", Kind: data.KindLabel, Decimal: decimal, Amounts: true}})
	}
	const refused = `standard input:2:3: column "y": "4.873" can be a number of thousands or have another decimal mark than those learned ` +
		`from, and no other cell says which; write it without marks of thousands, or say --decimal point or --decimal comma`
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{"a;b;y\n2.437;0,5;4.873\n", Options{Table: table(",")}, "[2437 0.5] [4873]"},
		{"a;b;y\n2.437;0,5;4.873\n", Options{Table: table("")}, "[2437 0.5] [4873]"},
		{"a,b,y\n\"2,437\",0.5,\"4,873\"\n", Options{Table: table(",")}, "[2437 0.5] [4873]"},
		{"a,b,y\n\"2,437\",0.5,\"4,873\"\n", Options{Table: table("")}, "[2437 0.5] [4873]"},
		{"a;b;y\n2;0,5;4873,25\n", Options{Table: table(",")}, "[2 0.5] [4873.25]"},
		{"a;b;y\n2437;1;4.873\n", Options{Table: table(",")}, refused},
		{"a;b;y\n2437;1;4.873\n", Options{Table: table(","), LabelOptional: true}, "[2437 1] [4.873]"},
		{"a;b;y\n2437;1;4.873\n", Options{Table: table(","), Dialect: Dialect{Decimal: "comma"}}, "[2437 1] [4873]"},
		{"a;b;y\n2437;1;4.873\n", Options{Table: table(","), Dialect: Dialect{Decimal: "point"}}, "[2437 1] [4.873]"},
		{"a;b;y\n2;1;4,873\n", Options{Table: table("")}, "[2 1] [4.873]"}, // decimal between semicolons
		{"a;b;y\n2.437;0,5;4.873\n", Options{Want: []string{"a", "b"}, Label: "y"}, "[2437 0.5] [4873]"},
		{"a;b;y\n2.437;0,5;12,5\n", Options{Want: []string{"a", "b"}, Label: "y"}, "[2437 0.5] [12.5]"},
		{"a;b;y\n2;0.5;4,873\n", Options{Want: []string{"a", "b"}, Label: "y"}, "[2 0.5] [4,873]"}, // no number, so it is refused later
		{"a;b;y\n2;0.5;12,5\n", Options{Want: []string{"a", "b"}, Label: "y"}, "[2 0.5] [12.5]"},
	} {
		s, _, err := wholeOf(t, c.text, c.o)
		if c.want == refused {
			failtest.Refused(t, err, refused)
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := fmt.Sprint(s.Rows.Dense.RawMatrix().Data, s.Answers); got != c.want {
			t.Errorf("%q of %+v: %s, want %s", c.text, c.o.Table, got, c.want)
		}
	}
	_, _, err := wholeOf(t, "a;b;y\n2.43;0,5;1\n2,5;0,5;1\n", Options{Table: table(","), Dialect: Dialect{Decimal: "comma"}})
	failtest.Refused(t, err, `standard input:2:1: column "a": "2.43" is no number with a decimal comma, as others of the file; correct it, `+
		`or leave it empty`)
}

// TestWeightsOfBooks: weights are read as a column of features would be, to learn and beside a model.
func TestWeightsOfBooks(t *testing.T) {
	text := func(weight func(i int) string) string {
		return "a;w;y\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf("0,%d7;%s;%s", i*i%10, weight(i), []string{"u", "v"}[i%2])
		})
	}
	tenth := func(i int) string { return fmt.Sprintf("0,%d", i+1) }
	thousands := func(i int) string { return fmt.Sprintf("%d", 994+i) }
	grouped := func(i int) string { return strings.Replace(thousands(i), "10", "1.0", 1) }
	table := data.NewTable([]data.Column{{Name: "a", Kind: data.KindNumber, Decimal: ","}, {Name: "y", Kind: data.KindLabel}})
	for name, c := range map[string]struct {
		weight func(i int) string
		o      Options
		want   float64 // of row 7
	}{
		"commas": {tenth, Options{Prepare: true}, 0.8}, "points between thousands": {grouped, Options{Prepare: true}, 1001},
		"as asked": {grouped, Options{Prepare: true, Dialect: Dialect{Decimal: "comma"}}, 1001},
		"whole":    {thousands, Options{Prepare: true}, 1001}, "for a model": {grouped, Options{Table: table}, 1001},
		"for one of numbers": {grouped, Options{Want: []string{"a"}, Label: "y"}, 1001},
	} {
		c.o.Weight = "w"
		s, _, err := wholeOf(t, text(c.weight), c.o)
		if err != nil || s.Weight[7] != c.want {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	_, _, err := wholeOf(t, text(func(int) string { return "0,x" }), Options{Prepare: true, Weight: "w"})
	failtest.Refused(t, err, `standard input:2:2: column "w": the weight "0,x" is no number from 0 to 1e+100; correct it`)
	s, _, err := wholeOf(t, text(grouped), Options{Prepare: true, Order: "w"})
	if err != nil || s.Order[7] != 1001 {
		t.Errorf("an order by points between thousands: %v, %v", s, err)
	}
}

// TestMarksOfSemicolons: points stand between thousands beside columns that the rule of semicolons reads with decimal commas, unless some
// column has points for sure, or it is said.
func TestMarksOfSemicolons(t *testing.T) {
	text := func(row string) string {
		return "a;c;d;y\n" + rowsOf(20, func(i int) string {
			return fmt.Sprintf(row, 1+i%9, 100+i*7%800, 1+i*i%7, 110+i*i, []string{"u", "v"}[i%2])
		})
	}
	for row, c := range map[string]struct {
		o    Options
		want string // of the first row
	}{
		"%d,%d;%d.%d;5;%s":   {Options{}, "[1.1 1110 5]"},
		"%d,%d;%d.%d;5.5;%s": {Options{}, "[1100 1.11 5.5]"},
		"%d,%d;%d.%d;7;%s":   {Options{Dialect: Dialect{Decimal: "point"}}, "[1100 1.11 7]"},
	} {
		c.o.Prepare, c.o.Given = true, []data.Column{{Name: "d", Kind: data.KindNumber}}
		s, _, err := wholeOf(t, text(row), c.o)
		if err != nil || fmt.Sprint(s.Rows.Dense.RawRowView(0)) != c.want {
			t.Errorf("%s: %v, %v", row, s, err)
		}
	}
}

// TestOneReading: the numbers of a file are the same for the model that is learned from it, whatever marks its columns have; so are the
// answers.
func TestOneReading(t *testing.T) {
	word := func(i int) string { return []string{"u", "v"}[i%2] }
	for name, c := range map[string]struct {
		text  string
		o     Options
		first string // numbers of the first row, and its answer
	}{
		"thousands beside points": {"rate;price;y\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%d.5;%d,%03d;%d", i*7%19, 1+i%9, 137+i*17, 1000+i)
		}), Options{}, "[0.5 1137] 1000"},
		"thousands beside points of labels": {"x;z;y\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%d;%d,%03d;%d.25", i*i%11, 15+i%9, 137+i*17, 1000+i)
		}), Options{}, "[0 15137] 1000.25"},
		"labels of thousands beside points": {"x;w;y\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%d.5;%s;%d,%03d", i*i%11, word(i), 12+i%9, 137+i*17)
		}), Options{}, "[0.5 1 0] 12137"},
		"semicolons alone": {"x;w;y\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%d,%03d;%d;%s", 1+i%9, 137+i*17, i*i%11, word(i))
		}), Options{}, "[1.137 0] u"},
		"both marks": {"price;lat;y\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%d,5;%d.%04d;%s", i*7%19, 47+i%9, 137+i*17, word(i))
		}), Options{}, "[0.5 47.0137] u"},
		"commas of labels": {"x\tz\ty\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%d.5\t%d.25\t%d,5", i*i%11, i*i%7, i)
		}), Options{}, "[0.5 0.25] 0.5"},
		"exponents": {"x;w;y\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%d,%03de+04;%s;%d", 1+i%9, 137+i*17, word(i), i%2)
		}), Options{}, "[11370 1 0] 0"},
		"millions": {"x;w;y\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%d,%03d Mio.;%s;%d", 1+i%9, 137+i*17, word(i), i%2)
		}), Options{}, "[1.137e+06 1 0] 0"},
		"labels of thousands in letters": {"x,w,y\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%d.5,%s,%d.%dk", i*i%11, word(i), 100+i*29, i%9+1)
		}), Options{}, "[0.5 1 0] 100100"},
		"as it is said": {"a,b,y\n" + rowsOf(30, func(i int) string {
			return fmt.Sprintf("%d.%02d,%d.%03d,%d.5", i*7%31, 10+i, 1+i%9, 137+i*17, i*11%23)
		}), Options{Dialect: Dialect{Decimal: "comma"}}, "[0.1 1137] 0.5"},
	} {
		c.o.Prepare = true
		learned, _, err := wholeOf(t, c.text, c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprint(learned.Rows.Dense.RawRowView(0), " ", learned.Answers[0]); got != c.first {
			t.Errorf("%s: %s, want %s", name, got, c.first)
		}
		c.o.Prepare, c.o.Table, c.o.Label = false, learned.Table, "y"
		again, _, err := wholeOf(t, c.text, c.o)
		if err != nil {
			t.Errorf("%s: for the model: %v", name, err)
			continue
		}
		for i := range learned.Answers {
			if a, b := fmt.Sprint(learned.Rows.Dense.RawRowView(i), learned.Answers[i]), fmt.Sprint(again.Rows.Dense.RawRowView(i),
				again.Answers[i]); a != b {
				t.Errorf("%s: row %d is %s to learn from and %s for the model", name, i, a, b)
				break
			}
		}
	}
}

// TestMarksForModels: rows for a model of columns with different marks have those, or one mark, or are refused.
func TestMarksForModels(t *testing.T) {
	table := data.NewTable([]data.Column{{Name: "price", Kind: data.KindNumber, Decimal: ","},
		{Name: "lat", Kind: data.KindNumber, Decimal: "."}, {Name: "y", Kind: data.KindLabel, Decimal: ","}})
	const refused = `column "lat": "54,583" can be a number of thousands or have another decimal mark than those learned from, and no other ` +
		`cell says which; write it without marks of thousands, or say --decimal point or --decimal comma`
	for _, c := range []struct{ text, decimal, want string }{
		{"price;lat\n7,5;47.125\n", "", "[7.5 47.125]"},
		{"price,lat\n7.5,47.125\n", "", "[7.5 47.125]"},   // points alone
		{"price;lat\n7;47.1254\n", "", "[7 47.1254]"},     // as learned, though no price shows it
		{"price;lat\n7,5;47,1254\n", "", "[7.5 47.1254]"}, // commas alone
		{"price;lat\n7.5;47,1254\n", "", "[7.5 47.1254]"}, // each by itself
		{"price;lat\n94,69;54,583\n", "comma", "[94.69 54.583]"},
		{"price;lat\n94,69;54,583\n", "point", "[94.69 54583]"},
		{"price;lat\n94,69;54,583\n", "", refused},
	} {
		s, _, err := wholeOf(t, c.text, Options{Table: table, LabelOptional: true, Dialect: Dialect{Decimal: c.decimal}})
		if c.want == refused {
			failtest.Refused(t, err, "standard input:2:2: "+refused)
			continue
		}
		if err != nil || fmt.Sprint(s.Rows.Dense.RawRowView(0)) != c.want {
			t.Errorf("%q, %s: %v, %v, want %s", c.text, c.decimal, s, err, c.want)
		}
	}
}

// TestUnlabelledMarks: the mark of rows without a label is found as it is spelled and by its number, and one that no label has is told.
func TestUnlabelledMarks(t *testing.T) {
	commas := "a;b;y\n" + rowsOf(12, func(i int) string { return fmt.Sprintf("%d,5;%d;%s", i, i*i%7, []string{"-9,0", "1,5", "2,5"}[i%3]) })
	money := "a,b,y\n" + rowsOf(40, func(i int) string { return fmt.Sprintf("%d.5,%d,$%d", i, i*i%7, i%4*(i+15)) })
	for _, c := range []struct {
		text, mark string
		rows       int // without a label
	}{
		{commas, "-9,0", 4}, {commas, "-9", 4}, {commas, "-9.0", 4}, {commas, "-8", 0}, {money, "$0", 10}, {money, "0", 10}, {money, "$1", 0},
	} {
		s, said, err := wholeOf(t, c.text, Options{Prepare: true, UnlabelledMark: c.mark})
		if err != nil {
			t.Errorf("%s: %v", c.mark, err)
			continue
		}
		n := 0
		for _, a := range s.Answers {
			if a == "" {
				n++
			}
		}
		told := slices.ContainsFunc(said, func(w Warning) bool { return strings.Contains(w.What, "no label is ") })
		if n != c.rows || told != (n == 0) {
			t.Errorf("%s: %d rows without a label, want %d; %v", c.mark, n, c.rows, said)
		}
	}
}
