package task

import (
	"slices"
	"strings"
	"testing"
)

// TestDecisionsByName: costs and a rate by the names of classes are those of the classes, wherever they stand in the order.
func TestDecisionsByName(t *testing.T) {
	for _, c := range []struct {
		text    string
		classes []string
		costs   []float64
		rate    float64
	}{
		{"cost=fraud=20", []string{"fraud", "ok"}, []float64{20, 1}, 0},
		{"cost=fraud=20", []string{"clean", "fraud"}, []float64{1, 20}, 0},
		{"cost=b=2,c=0.5", []string{"a", "b", "c"}, []float64{1, 2, 0.5}, 0},
		{"cost=1=9", []string{"0", "1"}, []float64{1, 9}, 0},
		{"cost=1:9", []string{"0", "1"}, []float64{1, 9}, 0},
		{"cost=a=b=3", []string{"a=b", "c"}, []float64{3, 1}, 0},
		{`cost="a,b"=3,c=2`, []string{"a,b", "c"}, []float64{3, 2}, 0},
		{`cost="say ""a"""=3`, []string{"b", `say "a"`}, []float64{1, 3}, 0},
		{"rate=fraud=0.25", []string{"fraud", "ok"}, nil, 0.75},
		{"rate=fraud=0.25", []string{"clean", "fraud"}, nil, 0.25},
		{"rate=0.25", []string{"fraud", "ok"}, nil, 0.25},
		{"balanced", []string{"fraud", "ok"}, nil, 0},
	} {
		asked, err := ParseThreshold(c.text)
		if err == nil {
			asked, err = asked.Of(c.classes)
		}
		if err != nil || !slices.Equal(asked.Costs, c.costs) || asked.Rate != c.rate {
			t.Errorf("%s of %q: %+v, %v", c.text, c.classes, asked, err)
		}
	}
	for _, c := range []struct {
		text    string
		classes []string
		says    string
	}{
		{"cost=nosuch=2", []string{"a", "b"}, "no labelled row has class nosuch; the classes are a, b"},
		{"rate=nosuch=0.2", []string{"a", "b"}, "the classes are a, b"},
		{"rate=a=0.2", []string{"a", "b", "c"}, "a rate is for two classes, there are 3 (a, b, c)"},
		{"rate=a=1", []string{"a", "b"}, "between 0 and 1"},
		{"rate=a=0.2,b=0.8", []string{"a", "b"}, "of one class"},
		{"cost=a=-1", []string{"a", "b"}, "must be a positive number"},
		{"cost=a=1,a=2", []string{"a", "b"}, "given twice"},
		{"cost=a=", []string{"a", "b"}, "must be a positive number"},
		{`cost="a=1`, []string{"a", "b"}, "in quotes"},
		{"cost=1:2:3", []string{"a", "b"}, "3 costs and 2 classes"},
		{"cost=5", []string{"a", "b"}, "name the class"},
	} {
		asked, err := ParseThreshold(c.text)
		if err == nil {
			_, err = asked.Of(c.classes)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s of %q: %v, want %q", c.text, c.classes, err, c.says)
		}
	}
}

// TestClassWeightMessages: the value that is wrong stands before the class it was given for.
func TestClassWeightMessages(t *testing.T) {
	for text, want := range map[string]string{
		"yes=x":       `weight "x" of class yes must be a positive number`,
		"a=1,no=-2":   `weight "-2" of class no must be a positive number`,
		"a=1,a=2":     "class a is given twice; keep one",
		"yes":         "write balanced or LABEL=WEIGHT,..., as in yes=2,no=0.5; a label with a comma in quotes",
		`"a,b"=0`:     `weight "0" of class a,b must be a positive number`,
		"balanced":    "",
		`"a,b"=2,c=1`: "",
	} {
		got := ""
		if err := checkClassWeight(text); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
