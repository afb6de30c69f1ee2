package method

// linearID is the id of the linear machine of the squared hinge.
const linearID = "linear-svm"

// linearSVM is the linear support vector machine for sparse rows.
func linearSVM() Method {
	return inColumns(linearID, "squared-hinge", Method{
		Title:   "linear support vector machine for sparse rows",
		Formula: "minimise 1/2 (w'w + b^2) + C sum_i max(0, 1 - y_i (x_i'w + b))^2",
		About: "l2-svm for text and other sparse rows, up to millions; the offset is the weight of a constant feature; any " +
			"kernel that has " +
			"features: linear, ard-linear, chi2-map, clusters, components, and sums of them",
		LIBSVM: "LIBLINEAR -s 2 -B 1", SciKit: "svm.LinearSVC(dual=False)",
		Example: "mercer fit breast-cancer --method linear-svm",
		For:     classes,
	})
}
