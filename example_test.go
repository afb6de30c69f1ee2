package mercer_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// plants are twelve plants of two kinds, of which six have been named: an empty cell in the
// column of the label means that nobody has looked.
const plants = `height,width,kind
1.0,2.1,moss
1.2,1.9,moss
0.9,2.3,moss
1.1,2.2,
1.3,2.0,
0.8,1.8,
5.1,6.0,fern
4.9,5.8,fern
5.2,6.3,fern
5.0,6.1,
4.8,5.9,
5.3,6.2,
`

// orders are twelve orders of clothes and what became of them.
const orders = `size,colour,price,outcome
S,red,20,kept
M,red,25,kept
L,red,22,kept
S,green,30,kept
M,green,28,kept
L,red,24,kept
S,blue,70,returned
M,blue,80,returned
L,blue,75,returned
L,grey,90,returned
M,grey,85,returned
S,blue,78,returned
`

// newOrders are two more.
const newOrders = `size,colour,price
M,red,23
L,blue,79
`

// posts are short documents, of which four have been read by somebody.
const posts = `body,topic
"A late goal, and the team won the match",sport
"The coach praised the team",sport
"The judge heard the appeal",law
"The court told the jury of the law",law
"One more goal for the team of the league",
"An appeal to a higher court",
`

// A table with words, dates and missing cells is learned from as it is: Open decides what each column holds, and the model keeps it for
// the tables to come.
func Example_tableOfWords() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "mercer")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	known, open := filepath.Join(folder, "known.csv"), filepath.Join(folder, "open.csv")
	for path, text := range map[string]string{known: orders, open: newOrders} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			log.Panic(err)
		}
	}

	recipe := mercer.Recipe{Method: "rls"}
	in, _, err := mercer.Open(ctx, mercer.Files{Data: known}, &recipe)
	if err != nil {
		log.Panic(err)
	}
	m, res, err := mercer.Fit(ctx, *in, recipe, mercer.Options{})
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(res.Rows.Labelled, "rows, classes", res.Classes)

	rows, _, err := mercer.OpenFor(ctx, m, open, read.Options{})
	if err != nil {
		log.Panic(err)
	}
	classes, err := m.Classify(ctx, rows.Rows)
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(classes)

	// Output:
	// 12 rows, classes [kept returned]
	// [kept returned]
}

// Words of documents are features as others are: read.Options.Text names the column that they stand in, and the
// model keeps the list of words.
func Example_text() {
	ctx := context.Background()
	set, _, err := read.CSV(ctx, strings.NewReader(posts), "posts.csv", read.Options{Text: &data.Text{Column: "body"}})
	if err != nil {
		log.Fatal(err)
	}
	recipe := mercer.Recipe{Method: "l2-svm", Kernel: "linear", Tune: "none"}
	m, res, err := mercer.Fit(ctx, mercer.Input{Set: set}, recipe, mercer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(m.Features), "words, of", m.Features[:3], "and others;", res.Scaling)

	rows, unknown, of, err := mercer.Documents(ctx, m, []string{"Which team scored the goal?", "The law of the land"})
	if err != nil {
		log.Fatal(err)
	}
	out, err := m.Predict(ctx, rows)
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range m.Decide(out) {
		fmt.Println(m.Classes[k])
	}
	fmt.Println(unknown, "of", of, "words are not in the list")
	// Output:
	// 24 words, of [an and appeal] and others; words of text weighted by TF-IDF, rows scaled to length 1
	// sport
	// law
	// 3 of 10 words are not in the list
}

// read.Open reads a file by its name in the same way; text is read here so that the example
// needs no file.
func Example() {
	set, _, err := read.CSV(context.Background(), strings.NewReader(plants), "plants.csv", read.Options{Label: "kind"})
	if err != nil {
		log.Fatal(err)
	}
	m, res, err := mercer.Fit(context.Background(), mercer.Input{Set: set}, mercer.Recipe{}, mercer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Rows.Labelled, "labelled,", res.Rows.Unlabelled, "unlabelled, classes", m.Classes)

	// New rows need the columns of the model, and no label.
	rows, _, err := read.CSV(
		context.Background(),
		strings.NewReader("height,width\n1.4,2.2\n4.7,5.5\n"),
		"new.csv",
		read.Options{Want: m.Features, LabelOptional: true},
	)
	if err != nil {
		log.Fatal(err)
	}
	out, err := m.Predict(context.Background(), rows.Rows)
	if err != nil {
		log.Fatal(err)
	}
	for i, class := range m.Decide(out) {
		fmt.Println("row", i, "is", m.Classes[class])
	}
	// Output:
	// 6 labelled, 6 unlabelled, classes [fern moss]
	// row 0 is moss
	// row 1 is fern
}

// The most probable class of a row is always the class that Decide gives.
func ExampleFit_probabilities() {
	set, err := data.Builtin("iris")
	if err != nil {
		log.Fatal(err)
	}
	m, _, err := mercer.Fit(context.Background(), mercer.Input{Set: set}, mercer.Recipe{Method: "rls"}, mercer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	out, err := m.Predict(context.Background(), set.Rows.Select([]int{0, 60, 120}))
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Probabilities(out)
	if err != nil {
		log.Fatal(err)
	}
	for i, class := range m.Decide(out) {
		fmt.Printf("class %s, with probability over 0.9: %v\n", m.Classes[class], p.At(i, class) > 0.9)
	}
	// Output:
	// class 0, with probability over 0.9: true
	// class 1, with probability over 0.9: true
	// class 2, with probability over 0.9: true
}

// A parameter that Recipe.Set names is kept as it is. With Tune "none" the others are at their
// defaults and nothing is searched for.
func ExampleFit_knownParameters() {
	set, err := data.Builtin("iris")
	if err != nil {
		log.Fatal(err)
	}
	recipe := mercer.Recipe{Method: "svm", Set: map[string]string{"C": "10", "gamma": "0.5"}, Tune: "none", Scale: "none"}
	_, res, err := mercer.Fit(context.Background(), mercer.Input{Set: set}, recipe, mercer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf(
		"C %g, sigma %g, %d support vectors, error %.4f\n",
		res.Params["C"],
		res.Params["sigma"],
		res.Support,
		res.Metrics["labelled"]["error"],
	)
	// Output:
	// C 10, sigma 1, 31 support vectors, error 0.0200
}

// An experiment on a set whose labels are all known keeps a few of them. The others are hidden
// from the fit, which uses them for the metrics called "hidden" and for nothing else.
func ExampleFit_hiddenLabels() {
	set, err := data.Builtin("digits")
	if err != nil {
		log.Fatal(err)
	}
	set = set.Select(until(600))
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		log.Fatal(err)
	}
	keep, err := data.DrawPerClass(labels, 3, 1)
	if err != nil {
		log.Fatal(err)
	}
	in := mercer.Input{Set: set}
	set.Answers, in.Hidden = data.Hide(set.Answers, keep)
	_, res, err := mercer.Fit(context.Background(), in, mercer.Recipe{Method: "lap-rls"}, mercer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d labels: hidden error %.1f %%, of the supervised machine %.1f %%\n", res.Rows.Labelled,
		100*res.Metrics["hidden"]["error"], 100*res.Baseline.Metrics["hidden"]["error"])
	// Output:
	// 30 labels: hidden error 7.2 %, of the supervised machine 19.5 %
}

// until lists the numbers below n.
func until(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// Every split is a list of the rows that keep their labels; the result is a mean over them.
func ExampleFitSplits() {
	set, err := data.Builtin("two-moons:n=120,labelled=60")
	if err != nil {
		log.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		log.Fatal(err)
	}
	var splits [][]int
	for seed := range uint64(4) {
		keep, err := data.DrawPerClass(labels, 4, seed)
		if err != nil {
			log.Fatal(err)
		}
		splits = append(splits, keep)
	}
	res, err := mercer.FitSplits(context.Background(), set, splits, mercer.Recipe{Method: "lap-rls"}, mercer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d splits, mean hidden error %.1f %%, supervised %.1f %%\n", res.Splits.Count,
		100*res.Splits.Hidden["error_mean"], 100*res.Splits.Baseline.Hidden["error_mean"])
	// Output:
	// 4 splits, mean hidden error 7.4 %, supervised 18.8 %
}

// A front holds every network that no other one beats in both risk and complexity. The decision
// chooses one of them; the model keeps all, and Member makes a model of any.
func ExamplePareto() {
	set, err := data.Builtin("sinc:n=60")
	if err != nil {
		log.Fatal(err)
	}
	recipe := mercer.Recipe{Method: "mobj-rbf", Set: map[string]string{"sigma": "1,2,4"}, Decision: "bic"}
	m, res, err := mercer.Pareto(context.Background(), mercer.Input{Set: set}, recipe, mercer.Options{}, 0)
	if err != nil {
		log.Fatal(err)
	}
	chosen := res.Front[res.Chosen()]
	fmt.Println("more than ten members:", len(res.Front) > 10, "- chosen by", res.Decision)
	fmt.Printf("the chosen one has %d units, the simplest %d\n", chosen.Support, res.Front[0].Support)
	simplest, err := m.Member(0)
	if err != nil {
		log.Fatal(err)
	}
	out, err := simplest.Predict(context.Background(), set.Rows.Select([]int{0}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the simplest answers %.2f\n", out.At(0, 0))
	// Output:
	// more than ten members: true - chosen by bic
	// the chosen one has 8 units, the simplest 0
	// the simplest answers 0.14
}

func ExampleLoad() {
	set, err := data.Builtin("iris")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	m, _, err := mercer.Fit(
		ctx,
		mercer.Input{Set: set},
		mercer.Recipe{Method: "rls", Set: map[string]string{"sigma": "1"}},
		mercer.Options{},
	)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(dir, "iris.mercer")
	if err := m.Save(file); err != nil {
		log.Fatal(err)
	}
	again, err := mercer.Load(ctx, file)
	if err != nil {
		log.Fatal(err)
	}
	metrics, rows, err := mercer.Evaluate(context.Background(), again, set.Rows, set.Answers)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, %d rows, error %.3f\n", again.Method, rows, metrics["error"])
	// Output:
	// rls, 150 rows, error 0.013
}

// A kernel is typed as a specification: here one Gaussian for the two columns of the sepals, one
// for those of the petals, and a linear kernel over all. Every part has its own parameters, all
// of which the search by gradients moves.
func ExampleFit_kernelSum() {
	set, err := data.Builtin("iris")
	if err != nil {
		log.Fatal(err)
	}
	recipe := mercer.Recipe{Method: "rls", Kernel: "gaussian[1..2]+gaussian[3..4]+linear", Search: "gradient", Budget: 40}
	_, res, err := mercer.Fit(context.Background(), mercer.Input{Set: set}, recipe, mercer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Kernel)
	for _, name := range slices.Sorted(maps.Keys(res.Params)) {
		fmt.Println(" ", name)
	}
	// Output:
	// gaussian[1..2]+gaussian[3..4]+linear
	//   lambda
	//   sigma[petal_length,petal_width]
	//   sigma[sepal_length,sepal_width]
}

// Check finds every mistake of a recipe before any data are read, and says the remedy of each.
func ExampleCheck() {
	err := mercer.Check(mercer.Recipe{Method: "rls", Set: map[string]string{"masses": "no", "lambda": "-1"}, Search: "gradients"})
	var usage *mercer.UsageError
	if errors.As(err, &usage) {
		for _, problem := range usage.Problems {
			fmt.Println(problem)
		}
	}
	// Output:
	// --search gradients: choose auto, gradient, grid, random, nelder-mead, rprop or sqp
	// --set lambda=-1: must be positive
	// --set masses: method rls has no such setting; it is of harmonic
}
