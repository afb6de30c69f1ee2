package method

import (
	"slices"
	"sync"
)

// The list is made once, at the first call of All: a fit asks for it many times.
var (
	making sync.Once
	made   []Method
)

// All lists every method, in the order in which they are described. What the methods point to is shared, and read only.
func All() []Method {
	return slices.Clone(everyMethod())
}

// everyMethod is what All copies, read only.
func everyMethod() []Method {
	making.Do(func() { made = every() })
	return made
}

// every makes the list of All.
func every() []Method {
	return []Method{
		auto(), regularisedLeastSquares(), lsSVM(), erm(), lapRLS(), cLapRLS(),
		supportVectorMachine(), l2SVM(), logistic(), svr(), oneClass(), lapSVM(), lapLogistic(), lapSVR(),
		annealing(), branchAndBound(), switching(), concaveConvex(), gradientTSVM(), continuation(), lowDensity(), graphDensity(),
		sparseLapRLS(), linearSVM(), linearLogistic(), linearRLS(), linearLapRLS(), linearLapSVM(), linearTSVM(), linearAnnealing(),
		coRLS(), coSVM(), coLogistic(), coLapRLS(), coLapSVM(), coTraining(),
		labelPropagation(), labelSpreading(), graphRegularisation(), spectralTransducer(),
		mobjRBF(), mobjSVM(), mobjGRN(), grn(), rn(), nadarayaWatson(), rofs(),
	}
}
