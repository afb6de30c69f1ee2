package method

// All lists every method, in the order in which they are described.
func All() []Method {
	return []Method{
		auto(), regularisedLeastSquares(), lsSVM(), erm(), lapRLS(), cLapRLS(),
		supportVectorMachine(), l2SVM(), logistic(), svr(), oneClass(), lapSVM(), lapLogistic(), lapSVR(),
		annealing(), branchAndBound(), switching(), concaveConvex(), gradientTSVM(), continuation(), lowDensity(), graphDensity(),
		sparseLapRLS(), linearSVM(), linearLogistic(), linearRLS(), linearLapRLS(), linearLapSVM(), linearTSVM(), linearAnnealing(),
		coRLS(), coSVM(), coLogistic(), coLapRLS(), coLapSVM(),
		labelPropagation(), labelSpreading(), graphRegularisation(), spectralTransducer(),
		mobjRBF(), mobjSVM(), mobjGRN(), grn(), rn(), nadarayaWatson(), rofs(),
	}
}
