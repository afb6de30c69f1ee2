package search_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search"
	"github.com/mercer-ml/mercer/search/param"
)

// A width for each column of wine and the ridge are found by the gradient of the leave-one-out
// score. The driver owns the budget, so that any search can take the place of this one.
func ExampleDriver_Run() {
	set, err := data.Builtin("wine")
	if err != nil {
		log.Fatal(err)
	}
	scaling, _, err := data.FitScaling(data.ScaleStandard, set.Rows)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		log.Fatal(err)
	}
	rows := scaling.Apply(set.Rows)
	loo := &score.LeaveOut{
		Kernel:    kernel.ARDGaussian{}.Adapt(rows), // equal widths, from the distances of the rows
		Problem:   learn.NewProblem(rows, labels),
		Criterion: score.LogLoss{},
	}
	start, err := loo.Eval(context.Background(), loo.Space().Defaults(), param.ValueOnly)
	if err != nil {
		log.Fatal(err)
	}
	found, err := search.Driver{Budget: 30}.Run(context.Background(), loo, search.Gradient{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(found.Theta), "parameters,", found.Evaluations, "evaluations,", found.Gradients, "with a gradient")
	fmt.Printf("leave-one-out log loss %.2f at the start, less than half after: %v\n", start.F, found.F < start.F/2)
	// Output:
	// 14 parameters, 30 evaluations, 30 with a gradient
	// leave-one-out log loss 0.10 at the start, less than half after: true
}
