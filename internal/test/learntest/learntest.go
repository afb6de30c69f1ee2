// Package learntest makes small problems for tests.
//
// A problem that the tests of several packages need is made here.
package learntest

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// Clusters draws n points of the given classes around distinct centres; every
// third row is labelled, so that labelled and unlabelled rows are mixed.
func Clusters(n, d, classes int, seed uint64) *learn.Problem {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := mat.NewDense(n, d, nil)
	labels := data.Labels{Task: data.Classification, Class: make([]int, n)}
	for c := range classes {
		labels.Classes = append(labels.Classes, string(rune('a'+c)))
	}
	for i := range n {
		c := rng.IntN(classes)
		if i < 3*classes {
			c = i / 3 // every class is among the labelled rows
		}
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+float64((c+j)%classes))
		}
		labels.Class[i] = data.Unlabelled
		if i%3 == 0 {
			labels.Class[i] = c
		}
	}
	return learn.NewProblem(data.Rows{Dense: x}, labels)
}
