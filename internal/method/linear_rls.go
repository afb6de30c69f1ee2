package method

// linearRLS is linear least squares with a penalty for sparse rows.
func linearRLS() Method {
	return inColumns("linear-rls", "square", Method{
		Title:   "linear regularised least squares for sparse rows",
		Formula: "minimise 1/2 (w'w + b^2) + C sum_i (y_i - x_i'w - b)^2; of numbers b^2 is left out",
		About: "rls for text and other sparse rows, up to millions, of classes or numbers; lambda of rls is 1/(2 l C); the offset is the " +
			"weight of a constant feature, and of numbers it is not penalised; kernels are those of linear-svm",
		SciKit:  "linear_model.Ridge(alpha = 1/(2 C)), of numbers; of classes its offset is not penalised",
		Example: "mercer fit wine --method linear-rls",
	})
}
