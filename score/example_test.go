package score_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/graph"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// The warped kernel is a kernel like any other: the same score judges a supervised machine and
// one that uses the unlabelled rows.
func ExampleLeaveOut() {
	set, err := data.Builtin("two-moons:n=200,labelled=5")
	if err != nil {
		log.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		log.Fatal(err)
	}
	problem := learn.NewProblem(set.Rows, labels)
	base := kernel.Gaussian{Sigma: 0.5}
	warped := manifold.Warp{Base: base, Norm: manifold.Graph{Recipe: graph.Recipe{Neighbours: 8, Degree: 2}}, Ratio: 1000}
	for _, k := range []kernel.Kernel{base, warped} {
		loo := &score.LeaveOut{Kernel: k, Problem: problem, Criterion: score.LogLoss{}}
		theta := loo.Space().Defaults()
		theta[len(theta)-1] = 1e-3 // lambda is the last parameter
		v, err := loo.Eval(context.Background(), theta, param.WithGradient)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("log loss %.3f, derivatives by %v\n", v.F, loo.Space().Names())
	}
	// Output:
	// log loss 0.606, derivatives by [sigma lambda]
	// log loss 0.422, derivatives by [sigma ratio lambda]
}

// Averaged turns the weights that publications print into those of the machine, and back.
func ExampleAveraged() {
	terms := score.Averaged{Labelled: 40, Scale: 1.0 / (1440 * 1440)} // 40 labels of 1440 rows
	gammaA, gammaI := 1e-6, 0.01
	ridge, ratio := terms.Ridge(gammaA), terms.Ratio(gammaI, gammaA)
	fmt.Printf("ridge %.1e, ratio %.3g\n", ridge, ratio)
	fmt.Printf("gamma_A %.0e, gamma_I %.2g\n", terms.Weight(ridge), terms.Intrinsic(ratio, gammaA))
	// Output:
	// ridge 4.0e-05, ratio 0.00482
	// gamma_A 1e-06, gamma_I 0.01
}
