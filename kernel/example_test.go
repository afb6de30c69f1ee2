package kernel_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// A kernel that is typed may leave its parameters out. Adapt takes them from the rows.
func ExampleParse() {
	set, err := data.Builtin("iris")
	if err != nil {
		log.Fatal(err)
	}
	k, err := kernel.Parse("gaussian[1..2]+0.5*polynomial(degree=2)[3,4]", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(kernel.Format(k, nil))
	for _, d := range k.Adapt(set.Rows).Space() {
		fmt.Printf("%s %.3g\n", d.Name, d.Default)
	}
	// Output:
	// gaussian[1,2]+0.5*polynomial(degree=2)[3,4]
	// sigma[1,2] 1.1
	// weight[3,4] 0.5
	// scale[3,4] 0.052
	// offset[3,4] 1
}

// A kernel is a recipe; bound to rows it computes blocks of their Gram matrix.
func ExampleKernel() {
	rows := data.Rows{Dense: mat.NewDense(3, 1, []float64{0, 1, 2})}
	g, err := kernel.Gaussian{Sigma: 1}.Bind(context.Background(), rows, nil)
	if err != nil {
		log.Fatal(err)
	}
	k := mat.NewDense(g.Len(), g.Len(), nil)
	g.Block(k, nil, nil) // nil: all rows
	fmt.Printf("%.4f\n", mat.Formatted(k))
	// Output:
	// ⎡1.0000  0.6065  0.1353⎤
	// ⎢0.6065  1.0000  0.6065⎥
	// ⎣0.1353  0.6065  1.0000⎦
}
