package apply_test

import (
	"context"
	"log"
	"os"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/model"
)

// Rows of CSV are read as a model knows them, by the names of its columns in whatever order they stand, and its answers are
// written as mercer predict writes them: here f = 2 a - b, whose sign decides.
func Example() {
	m := &model.Model{
		Method: "by hand", Task: data.Classification, Classes: []string{"no", "yes"}, Label: "answer",
		Columns: 2, Features: []string{"a", "b"}, Scaling: data.Scaling{Kind: data.ScaleNone},
		Parts: []model.Part{{Functions: []model.Function{model.Linear{Weights: mat.NewDense(2, 1, []float64{2, -1})}}}},
	}
	text := "b,other,a\n1,x,3\n5,y,1\n"
	o := apply.Options(m, read.Options{Format: read.FormatCSV, Stdin: strings.NewReader(text)}, false)
	stream := read.NewStream("-", o, apply.BatchRows)
	answers := apply.NewAnswers(m, false, nil)
	ctx := context.Background()
	for set, err := range stream.Batches(ctx) {
		if err == nil {
			set, err = apply.Suited(m, set)
		}
		if err == nil {
			err = answers.Predict(ctx, set.Rows)
		}
		if err == nil {
			err = answers.CSV(os.Stdout)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// prediction,score
	// yes,5
	// no,-3
}
