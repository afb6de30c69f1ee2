package method

// linearLogistic is linear logistic regression for sparse rows.
func linearLogistic() Method {
	return inColumns("linear-logistic", "logistic", Method{
		Title:   "linear logistic regression for sparse rows",
		Formula: "minimise 1/2 (w'w + b^2) + C sum_i log(1 + exp(-y_i (x_i'w + b)))",
		About: "logistic for text and other sparse rows, up to millions; outputs are log-odds; the offset is the weight of a " +
			"constant feature; " +
			"kernels are those of linear-svm",
		LIBSVM: "LIBLINEAR -s 0 -B 1", SciKit: "linear_model.LogisticRegression(C), whose offset is not penalised",
		Example: "mercer fit wine --method linear-logistic",
		For:     classes,
	})
}
