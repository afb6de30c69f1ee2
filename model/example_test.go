package model_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// A model is a value that anyone may make, not a fit alone: here f(x) = 2 k(x, 0) - 1.
func ExampleModel_Write() {
	centre := data.Rows{Dense: mat.NewDense(1, 1, []float64{0})}
	m := &model.Model{
		Method: "by hand", Task: data.Regression, Label: "y", Columns: 1, Features: []string{"x"},
		Scaling: data.Scaling{Kind: data.ScaleNone},
		Parts: model.Single(
			[]kernel.Expansion{{Kernel: kernel.Gaussian{Sigma: 1}, Centres: centre, Coef: mat.NewDense(1, 1, []float64{2})}},
			[]float64{-1},
		),
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		log.Fatal(err)
	}
	again, err := model.Read(context.Background(), &file)
	if err != nil {
		log.Fatal(err)
	}
	out, err := again.Predict(context.Background(), data.Rows{Dense: mat.NewDense(2, 1, []float64{0, 1})})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("f(0) = %.3f, f(1) = %.3f\n", out.At(0, 0), out.At(1, 0))
	// Output:
	// f(0) = 1.000, f(1) = 0.213
}
