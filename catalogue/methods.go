package catalogue

// The sources, by the words that entries cite them with.
const (
	becker    = "Becker 2013 (dissertation, Unicamp)"
	sindhwani = "Sindhwani 2007 (thesis, Chicago)"
	rosasco   = "Odone & Rosasco 2014 (MLCC, lecture 3)"
)

func methods() []Entry {
	lambda := Parameter{"lambda", "> 0", tuned, "weight of ||f||^2 against the loss averaged over the labelled rows; the matrix gets l lambda on its diagonal"}
	return []Entry{
		{
			Kind: Method, ID: "auto", Title: "the method nobody has to choose",
			About: "fits supervised and semi-supervised candidates, compares them by one leave-one-out score and keeps the better; " +
				"never a semi-supervised model whose score is worse than its supervised baseline's",
			Source:  "compares rls with lap-rls; what was tried, with numbers, is in docs/automatic-choice.md",
			Example: "mercer fit digits --labels-per-class 2",
		},
		{
			Kind: Method, ID: "rls", Title: "regularised least squares",
			Formula: "minimise 1/l sum_i (y_i - f(x_i))^2 + lambda ||f||^2\n" +
				"(K + l lambda I) alpha = y,   f(x) = sum_i alpha_i k(x, x_i)",
			About: "supervised; classification by targets -1 and +1, one output a class for more than two; the offset, where " +
				"asked for, is not penalised; unlabelled rows play no part",
			Cost:       "O(l^3) for one kernel, then O(l^2) a lambda with its leave-one-out; l^2 numbers",
			Parameters: []Parameter{lambda, offset()},
			Source:     becker + ", 1.3, eqs 1.27-1.29; " + sindhwani + ", 1.2.4, eq. 1.10; " + rosasco + ", 3.4",
			SciKit:     "KernelRidge(alpha = l lambda)",
			Example:    "mercer fit wine --method rls",
		},
		{
			Kind: Method, ID: "ls-svm", Title: "least-squares support vector machine",
			Formula: "[K + l lambda I  1] [alpha]   [y]\n" +
				"[      1'       0] [  b  ] = [0],   f(x) = sum_i alpha_i k(x, x_i) + b",
			About:      "rls with an offset that is not penalised",
			Cost:       "as rls",
			Parameters: []Parameter{lambda},
			Source:     becker + ", 4.3.1 and appendix B; Suykens & Vandewalle 1999",
			SciKit:     "KernelRidge(alpha = l lambda) has no free offset",
			Example:    "mercer fit breast-cancer --method ls-svm --labels 40",
		},
		{
			Kind: Method, ID: "lap-rls", Title: "Laplacian regularised least squares",
			Formula: "minimise 1/l sum_i (y_i - f(x_i))^2 + gamma_a ||f||^2 + gamma_i/(l+u)^2 f'Rf\n" +
				"(J K + a I + g R K) alpha = J y,   a = l gamma_a,  g = l gamma_i/(l+u)^2,  R = L^degree\n" +
				"solved as rls with the kernel warped by M = (g/a) R: k(x,z) - k_x'(I + M K)^-1 M k_z",
			About: "semi-supervised: the function is smooth along a graph of all rows, labelled or not; gamma_i = 0 is rls; " +
				"new rows are predicted as by any kernel machine",
			Cost: "graph n^2 d, one factorisation n^3 for each kernel and graph, n^2 l for the gradient; about 3 n^2 numbers",
			Parameters: append([]Parameter{
				{"gamma_a", "> 0", tuned, "ambient weight, of ||f||^2 (lambda of rls)"},
				{"gamma_i", ">= 0", tuned, "intrinsic weight, of f'Rf"},
				{"intrinsic_scale", "inv_n2, none", "inv_n2", "the convention of gamma_i: over (l+u)^2 (" + sindhwani + ", 2.3), or as it stands (2.9)"},
			}, graphParameters()...),
			Source: sindhwani + ", 2.3.1, eq. 2.12; warped kernel 2.4-2.5, eq. 2.22; " + becker +
				", 3.3, eq. 3.19 as corrected, 3.2.2 for the kernel; Belkin, Niyogi & Sindhwani 2006",
			SciKit:  "none; KernelRidge(alpha = a, kernel=\"precomputed\") on the warped kernel is the same machine",
			Example: "mercer fit two-moons:labelled=1 --method lap-rls --set neighbours=6",
		},
		{
			Kind: Method, ID: "c-lap-rls", Title: "Laplacian regularised least squares with combined Laplacians",
			Formula: "lap-rls with R = sum_j mu_j R_j/c_j,   mu_j >= 0, sum mu_j = 1,   c_j = trace(R_j)/n\n" +
				"mu, gamma_a, gamma_i and the kernel by the gradient of the leave-one-out score, mu = softmax(z)",
			About: "learns how much each graph counts: one for each combination of the neighbours, degrees, Laplacians, weights, " +
				"metrics and widths that are given as lists, by every view and by all columns; lap-svm, lap-logistic and lap-svr have it by --set combine=yes",
			Cost: "as lap-rls, and for each evaluation the products of every Laplacian with K",
			Parameters: append([]Parameter{
				{"mu", "simplex", tuned, "weights of the graphs"},
				{"gamma_a", "> 0", tuned, "ambient weight, of ||f||^2"},
				{"gamma_i", ">= 0", tuned, "intrinsic weight, of f'Rf"},
				{"neighbours, degree, ...", "lists", "4,8,16,50; 1,2", "graphs to combine, as --set neighbours=2,10,50 --set degree=1,2,5"},
			}, graphParameters()[2:]...),
			Source:  becker + ", 4.2, eqs 4.4-4.6; leave-one-out as corrected; " + sindhwani + ", table 2.7 for joint Laplacians of views",
			SciKit:  "none",
			Example: "mercer fit digits --labels 40 --method c-lap-rls --set neighbours=2,10,50 --set degree=1,2,5",
		},
	}
}

func offset() Parameter {
	return Parameter{"--offset", "auto, yes, no", "auto", "a constant that is not penalised; auto: for regression and ls-svm only"}
}

func graphParameters() []Parameter {
	return []Parameter{
		{"neighbours", "1 to rows-1", "tuned", "nearest rows each row is joined with"},
		{"degree", "whole, >= 1; a decimal fraction; real", "tuned", "power of the Laplacian; real: learned as a real number, by eigenvectors of up to 5000 rows"},
		{"semigroup", "> 0, real", "", "R = exp(t L), the heat semigroup, in the place of a power; real: t is learned"},
		{"metric", "euclidean, cosine", "euclidean, of sparse rows cosine", "distance between rows; of sparse rows the cosine joins only those that have a column in common"},
		{"weights", "binary, heat, cosine, self-tuned", "self-tuned", "of an edge of length d: 1; exp(-d^2/tau); max(0, cos); exp(-d^2/(w s_i s_j)), s_i the distance to the 7th neighbour"},
		{"width", "> 0", "tuned (self-tuned), 2 (mean edge length)^2 (heat)", "w of weights=self-tuned, tau of weights=heat"},
		{"symmetry", "union, mutual, mean", "union", "which one-sided neighbours count"},
		{"laplacian", "normalised, combinatorial", "normalised", "I - D^-1/2 W D^-1/2, or D - W"},
		{"within", "yes, no", "no", "yes: edges inside classes alone, every row labelled (" + sindhwani + ", 2.8.2, eq. 2.29); lap-rls, lap-svm, lap-logistic, 10 neighbours and degree 2 " +
			"unless set. The graph then knows the class of a row whose label is left out, so that leave-one-out and kfold flatter: it takes --tune kfold:K:inductive, whose folds leave the graph"},
	}
}
