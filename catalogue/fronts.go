package catalogue

const kokshenev = "Kokshenev 2010 (thesis, UFMG)"

// fronts are the methods of risk against complexity, and what they are compared with.
func fronts() []Entry {
	decision := Parameter{"--decision", "cv, cv:K, validation, validation:K, aic, bic, gcv, aic-log, bic-log, aic-cls, bic-cls, cls-4.34, vc-bound, knee, knee-log, lcurve", "cv",
		"how one member is chosen; validation:K holds one part in K out once (3); information criteria are for squared errors, -cls for classes, cls-4.34 is the printed (wrong) formula; ties to the simpler member"}
	widths := Parameter{"sigma", "> 0, one or several", "d5/3 to 3 d95", "range of widths, or one; percentiles of the distances between rows"}
	return []Entry{
		{
			Kind: Method, ID: "mobj-rbf", Title: "multi-objective RBF networks",
			Formula: "minimise (SSE, Q) over f(x) = sum_j alpha_j exp(-|x - c_j|^2/(2 sigma_j^2)) + b,   Q = sum_j |alpha_j|/sigma_j^q\n" +
				"joint: one LASSO path over all centres and widths, columns sigma^q k; joint=no: a path a width and the envelope of the fronts",
			About:      "the whole front of risk against smoothness, of which a decision chooses one network: weights, widths, centres and their number",
			Cost:       "rows x candidate units a step of the path; joint with 30 widths up to about 2000 rows, else one width a network",
			Parameters: []Parameter{decision, widths, {"joint", "yes, no", "yes where the columns fit in 1 GiB", "widths mixed in one network"}, {"order", "> 0", "2", "q of the complexity"}, {"max_q", "> 0", "from the targets", "complexity up to which the front goes"}},
			Source:     kokshenev + ", chapter 4, eqs 4.8 and 4.16 to 4.25 as corrected; the joint path is ours",
			SciKit:     "lars_path(method='lasso') on the centred design of one width",
			Example:    "mercer pareto breast-cancer --labels 100",
		},
		{
			Kind: Method, ID: "mobj-svm", Title: "multi-objective support vector machines",
			Formula: "nondominated in (mean hinge, Q) among svm over kernels and C\n" +
				"q-ref: sum_i alpha_i^2/d_i, d = diag(G^-2);   q-ref-sv: the same with G of the support rows;   q-norm: alpha'SGS alpha, S = diag(sqrt k(x_i,x_i));   q-rkhs: alpha'G alpha",
			About: "cross-validation of the members alone, a fraction of a grid search's; q-ref, q-ref-sv and q-norm do not change with the scale of a kernel, q-rkhs does",
			Cost:  "one training a kernel and C, one eigendecomposition of the rows' matrix a kernel (q-ref) or of the support rows' a machine (q-ref-sv), T trainings a member",
			Parameters: []Parameter{decision, {"complexity", "q-ref, q-ref-sv, q-norm, q-rkhs", "q-ref", "the second objective"}, {"floor", "> 0", "1e-12", "relative eigenvalue floor of q-ref and q-ref-sv; rank counts the eigenvalues above it"},
				{"C", "a list", "2^-5 to 2^15", "strengths"}, {"sigma", "a list", "nine about the median distance", "widths; --kernel polynomial: degrees 1 to 10 with C 2^-2p"}},
			Source:  kokshenev + ", chapter 5, eqs 5.9, 5.33 as corrected",
			LIBSVM:  "svm-train on the grid",
			SciKit:  "GridSearchCV(SVC) is the usual search",
			Example: "mercer pareto iris --method mobj-svm",
		},
		{
			Kind: Method, ID: "mobj-grn", Title: "generalised networks with comparable complexity",
			Formula:    "minimise SSE + lambda alpha'P alpha,   P = diag(1/d) (q-ref) or G_nu (q-norm); nondominated in (SSE, alpha'P alpha) over widths and lambdas",
			About:      "all centres as units; Pareto optimal for each width",
			Cost:       "one singular value decomposition a width",
			Parameters: []Parameter{decision, widths, {"lambda", "a list", "10^-8 to 10^2", "weights of the complexity"}, {"complexity", "q-ref, q-norm", "q-ref", "the second objective"}},
			Source:     kokshenev + ", section 5.5.1",
			Example:    "mercer pareto breast-cancer --labels 100 --method mobj-grn --decision bic",
		},
		{
			Kind: Method, ID: "grn", Title: "generalised regularisation network",
			Formula: "alpha = (H'H + lambda G_0)^-1 H'y,   G_0 the kernel matrix of the centres",
			About:   "a regularisation network whose centres need not be the rows", Cost: "one singular value decomposition a width",
			Parameters: []Parameter{decision, widths, {"lambda", "a list", "10^-8 to 10^2", "weight of alpha'G_0 alpha"}},
			Source:     kokshenev + ", eqs 2.19 to 2.21", Example: "mercer fit breast-cancer --labels 100 --method grn",
		},
		{
			Kind: Method, ID: "rn", Title: "regularisation network",
			Formula: "minimise sum_i (y_i - f(x_i))^2 + lambda ||f||^2;   (G + lambda I) alpha = y - b",
			About:   "rls in the network's convention: lambda weighs the sum of squares, and the offset is free", Cost: "as rls",
			Parameters: []Parameter{{"lambda", "> 0", tuned, "l times that of rls"}},
			Source:     kokshenev + ", eqs 2.14 to 2.18; Poggio & Girosi 1990", SciKit: "KernelRidge(alpha = lambda) on centred targets",
			Example: "mercer fit breast-cancer --labels 100 --method rn",
		},
		{
			Kind: Method, ID: "nadaraya-watson", Title: "weighted mean of the targets",
			Formula: "f(x) = sum_i y_i k(x, x_i) / sum_i k(x, x_i)",
			About:   "needs no training; the width by leave-one-out; far from all rows f is the nearest one's target", Cost: "rows x columns a prediction",
			Parameters: []Parameter{{"sigma", "> 0", tuned, "width"}},
			Source:     kokshenev + ", eq. 2.13; Nadaraya 1964, Watson 1964", Example: "mercer fit iris --method nadaraya-watson",
		},
		{
			Kind: Method, ID: "rofs", Title: "regularised orthogonal forward selection",
			Formula:    "units one by one by the largest (y'h)^2/(lambda + h'h), h orthogonal to those chosen, until generalised cross-validation rises",
			About:      "the network that mobj-rbf is compared with",
			Cost:       "rows x units x candidates a width and lambda",
			Parameters: []Parameter{widths, {"lambda", "a list", "10^-8 to 10^2", "weight of the squared coefficients"}},
			Source:     kokshenev + ", section 4.5.2; Orr 1999", Example: "mercer fit breast-cancer --labels 100 --method rofs",
		},
	}
}
