package reproduce

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
)

// The three cars of COIL20, by the labels of our file, and what the source says of them.
var threeCars = []string{"3", "6", "19"}

const (
	carsWidth  = 3000 // of grey values 0 to 255
	carsGrey   = 255  // of our files, whose grey values are shares of it
	carsGamma  = 0.01
	carsLabels = 2 // a class
)

// sindhwaniT32 is the comparison on three classes of images.
func sindhwaniT32(ctx context.Context, l *lab) error {
	set, err := l.cars(ctx)
	if err != nil {
		return err
	}
	all, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{Task: data.Classification})
	if err != nil {
		return err
	}
	q := minima{sigma: carsWidth / float64(carsGrey), gamma: carsGamma, laplacian: 7.5, printed: map[string][2]float64{
		"grad-S3VM": {60.6, 267.4}, "cS3VM": {60.6, 235}, "CCCP": {47.5, 588.3}, "SVMlight": {55.3, 341.6}, "DA": {48.2, 611},
		branchBound: {0, 110.7},
	}}
	err = q.report(ctx, l, func(run int) (*toy, error) {
		labelled, err := drawAtLeast(all.Class, len(threeCars), carsLabels*len(threeCars), carsLabels, l.stream(run))
		if err != nil {
			return nil, err
		}
		return labelToy(set, labelled)
	})
	return err
}

// cars are the images of the cars.
func (l *lab) cars(ctx context.Context) (*data.Set, error) {
	set, err := l.open(ctx, dataset{name: collections[1].name, file: collections[1].file})
	if err != nil {
		return nil, err
	}
	var rows []int
	for i, a := range set.Answers {
		for _, car := range threeCars {
			if a == car {
				rows = append(rows, i)
			}
		}
	}
	rows = thinned(ctx, "images of cars", 6, rows)
	cars := set.Select(rows)
	cars.Rows = data.Rows{Dense: mat.DenseCopyOf(cars.Rows.Dense)} // numbers are those of the cars
	return cars, nil
}

// thinned are the rows of a set: in a rehearsal one of every so many.
func thinned(ctx context.Context, what string, every int, rows []int) []int {
	if !declare(ctx, what, len(rows)) {
		return rows
	}
	var few []int
	for q := 0; q < len(rows); q += every {
		few = append(few, rows[q])
	}
	return few
}
