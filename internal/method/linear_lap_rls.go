package method

// linearLapRLS is Laplacian regularised least squares for sparse rows.
func linearLapRLS() Method {
	return linearLaplacian("linear-lap-rls", "square", "linear-rls", Method{
		Title: "linear Laplacian regularised least squares for sparse rows",
		Formula: lines("minimise 1/l sum_i (y_i - f(x_i))^2 + gamma_a (w'w + b^2) + gamma_i/(l+u)^2 f'Rf,   f(x) = x'w + b",
			"of numbers b^2 is left out, and h'Rh of h(x) = x'w stands in the place of f'Rf"),
		About: "lap-rls for text and other sparse rows: the function is linear, and smooth along a graph of all rows; the offset is " +
			"the weight " +
			"of a constant feature, and of numbers it is not penalised; kernels are those of linear-svm",
		Example: "mercer fit iris --labels-per-class 5 --method linear-lap-rls --tune none",
	})
}
