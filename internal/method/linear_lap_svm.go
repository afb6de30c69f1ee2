package method

// linearLapSVM is the Laplacian support vector machine for sparse rows.
func linearLapSVM() Method {
	return linearLaplacian("linear-lap-svm", "squared-hinge", linearID, Method{
		Title:   "linear Laplacian support vector machine for sparse rows",
		Formula: "minimise 1/l sum_i max(0, 1 - y_i f(x_i))^2 + gamma_a (w'w + b^2) + gamma_i/(l+u)^2 f'Rf,   f(x) = x'w + b",
		About: "lap-svm with the squared hinge for text and other sparse rows: the function is linear, and smooth along a graph " +
			"of all rows; " +
			"the offset is the weight of a constant feature; kernels are those of linear-svm",
		Example: "mercer fit iris --labels-per-class 5 --method linear-lap-svm --tune none",
		For:     classes,
	})
}
