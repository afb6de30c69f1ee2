package onnx

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// problem is a set of rows and how a model of them is fitted.
type problem struct {
	name   string
	set    string                    // built in, or
	made   func(*rand.Rand) []string // lines of CSV
	sparse bool                      // as LIBSVM text
	shrink int                       // to so many centres, 0: not
	flags  []string
}

// problems are models of every kernel and of every kind.
var problems = append(kernels(), []problem{
	{name: "linear logistic regression", set: "digits", flags: flags("--method linear-logistic --labels-per-class 20")},
	{name: "regression", set: "sinc", flags: flags("--method svr")},
	{name: "regression with scaled columns", set: "sinc", flags: flags("--method rls --scale standard")},
	{name: "mean of many of two classes", set: "two-moons", flags: flags("--labels-per-class 5")},
	{name: "mean of many of ten classes", set: "digits", flags: flags("--labels-per-class 2")},
	{name: "pairs of classes", set: "digits", flags: flags("--method svm --labels-per-class 20 --tune kfold:5")},
	{name: "along a graph", set: "digits", flags: flags("--method lap-svm --labels-per-class 5 --tune none")},
	{name: "weighted mean", set: "wine", flags: flags("--method nadaraya-watson")},
	{name: "answers of known rows", set: "two-moons", flags: flags("--method harmonic --labels-per-class 5")},
	{name: "decided by cost", set: "breast-cancer", flags: flags("--method rls --labels-per-class 30 --decide cost=1:5")},
	{name: "decided as if classes were equally common", set: "wine", flags: flags("--method svm --tune kfold:5 --decide balanced")},
	{name: "one class", set: "breast-cancer", flags: flags("--method one-class")},
	{name: "member of a front", set: "breast-cancer", flags: flags("--method mobj-rbf --labels-per-class 40")},
	{name: "few centres", set: "digits", flags: flags("--method rls --labels-per-class 20 --basis 60 --tune none")},
	{name: "shrunk", set: "digits", shrink: 50, flags: flags("--method svm --labels-per-class 20 --tune none")},
	{name: "rows of length one", set: "wine", flags: flags("--method rls --scale unit")},
	{name: "two views", set: "moons-lines", flags: views},
	{name: "two views, of which rows lack one", made: lackingViews, flags: views},
	{name: "cells are missing", made: missing, flags: flags("--method rls")},
	{name: "a column of dates", made: dates, flags: flags("--method rls --kernel gaussian")},
	{name: "columns of words", made: words, flags: flags("--method svm --tune kfold:5")},
	{name: "sparse rows of weighed words", set: "zipf:n=600,words=800", sparse: true, flags: flags("--method linear-svm --scale tfidf")},
	{name: "sparse rows with a Gaussian kernel", set: "two-topics", sparse: true, flags: flags("--method rls --kernel gaussian")},
}...)

func flags(text string) []string { return strings.Fields(text) }

var views = flags("--method co-rls --labels-per-class 10 --view moons=moon_x..moon_y --view lines=line_x..line_y")

// kernels are machines on the digits with every kernel that new rows can be put into.
func kernels() []problem {
	var list []problem
	for _, spec := range []string{
		"gaussian", "ard-gaussian", "laplacian", "linear", "ard-linear", "polynomial(degree=3)", "exp-chi2", "add-chi2", "chi2-map",
		"clusters", "components", "gaussian+linear+constant", "gaussian*polynomial(degree=2)", "normalised(polynomial(degree=2))",
		"gaussian[x0..x31]+laplacian[x32..x63]",
	} {
		with := append(flags("--method rls --labels-per-class 15 --tune none --kernel"), spec)
		list = append(list, problem{name: spec, set: "digits", flags: with})
	}
	return append(list, problem{name: "sigmoid", set: "wine", flags: flags("--method svm --kernel sigmoid(scale=0.01) --scale standard")})
}

// lackingViews are rows of two classes in two views of two columns; every fourth lacks one of both.
func lackingViews(rng *rand.Rand) []string {
	lines := []string{"moon_x,moon_y,line_x,line_y,label"}
	for i := range 180 {
		side := float64(i % 2)
		row := fmt.Sprintf("%.4f,%.4f,%.4f,%.4f,%d",
			2*side+rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), 2*side+rng.NormFloat64(), i%2)
		cells := strings.Split(row, ",")
		switch rng.IntN(8) {
		case 0:
			cells[0], cells[1] = "", ""
		case 1:
			cells[2], cells[3] = "", ""
		}
		lines = append(lines, strings.Join(cells, ","))
	}
	return lines
}

// missing are rows of numbers a tenth of which is missing.
func missing(rng *rand.Rand) []string {
	lines := []string{"a,b,c,label"}
	for range 180 {
		v := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		var cells []string
		for _, x := range v {
			cell := fmt.Sprintf("%.4f", x)
			if rng.IntN(10) == 0 {
				cell = ""
			}
			cells = append(cells, cell)
		}
		lines = append(lines, strings.Join(append(cells, map[bool]string{true: "in", false: "out"}[v[0]+v[1]*v[1] > 0.8]), ","))
	}
	return lines
}

// dates are rows of a number and a date with its time, which says the class by its season and by its hour.
func dates(rng *rand.Rand) []string {
	lines := []string{"at,size,label"}
	for range 180 {
		at := time.Date(2019, 1, 1, 0, rng.IntN(6*365*24*60), 0, 0, time.UTC)
		class := map[bool]string{true: "yes", false: "no"}[(at.YearDay() < 150) != (at.Hour() < 8)]
		cell := at.Format("2006-01-02 15:04")
		if rng.IntN(15) == 0 {
			cell = ""
		}
		lines = append(lines, fmt.Sprintf("%s,%.4f,%s", cell, rng.NormFloat64(), class))
	}
	return lines
}

// words are rows of numbers and words, both with missing ones; one word in thirty is of its own.
func words(rng *rand.Rand) []string {
	lines := []string{"size,colour,old,grade,label"}
	for i := range 180 {
		size, colour := rng.NormFloat64(), []string{"red", "green", "blue", ""}[rng.IntN(4)]
		class := map[bool]string{true: "a", false: "b"}[size > 0 != (colour == "red")]
		cell := fmt.Sprintf("%.4f", size)
		if rng.IntN(12) == 0 {
			cell = ""
		}
		if rng.IntN(30) == 0 {
			colour = fmt.Sprint("odd ", i)
		}
		old, grade := []string{"no", "yes"}[rng.IntN(2)], []string{"low", "middle", "high"}[rng.IntN(3)]
		lines = append(lines, strings.Join([]string{cell, colour, old, grade, class}, ","))
	}
	return lines
}
