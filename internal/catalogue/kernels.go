package catalogue

import (
	"slices"

	"github.com/mercer-ml/mercer/internal/cite"
)

func kernels() []Entry {
	plain := []Entry{
		gaussian(), ardGaussian(), linear(), polynomial(), laplacian(), sigmoid(),
		expChi2(), addChi2(), constant(), chi2Map(), ardLinear(), clusters(), components(),
	}
	return slices.Concat(plain, composed(), []Entry{precomputed()})
}

// width is the parameter of kernels of the distance.
func width() Parameter {
	return Parameter{
		"sigma",
		"> 0",
		"tuned, from the median distance of the rows",
		"width, in the units of the features (scaled ones if they are scaled)",
	}
}

// factor is that of kernels of the inner product.
func factor() Parameter {
	return Parameter{"scale", "> 0", "tuned, from 1 / mean squared norm", "factor of the inner product; --set gamma= is the same"}
}

func gaussian() Entry {
	return Entry{
		Kind: Kernel, ID: "gaussian", Title: "Gaussian (RBF)",
		Formula: "exp(-|x-z|^2 / (2 sigma^2))",
		About:   "the default for dense rows",
		Parameters: []Parameter{
			width(),
			{"gamma", "> 0", "", "LIBSVM's name: gamma = 1/(2 sigma^2); give one of the two"},
		},
		Source: cite.Becker + ", eq. 1.16; " + cite.Sindhwani + ", 1.2",
		LIBSVM: "-t 2 -g gamma", SciKit: "rbf, gamma = 1/(2 sigma^2)",
		Example: "mercer fit digits --labels 40 --set gamma=0.001",
	}
}

func ardGaussian() Entry {
	return Entry{
		Kind: Kernel, ID: "ard-gaussian", Title: "Gaussian with a width for each column",
		Formula: "exp(-sum_k (x_k-z_k)^2 / (2 sigma_k^2))",
		About: "automatic relevance determination: a useless column gets a large width; for the gradient search, which has all widths in " +
			"one pass",
		Parameters: []Parameter{
			{
				"sigma[1], sigma[2], ...",
				"> 0",
				"tuned, from the median distance",
				"width of a column, counted from 1; ard-gaussian(sigma=1:2:3) gives all of them",
			},
		},
		Source:  cite.Becker + ", 2.4.3 for the gradient; MacKay 1994, Neal 1996",
		SciKit:  "gaussian_process.kernels.RBF(length_scale = sigma), anisotropic",
		Example: "mercer fit wine --method rls --kernel ard-gaussian --search gradient",
	}
}

func linear() Entry {
	return Entry{
		Kind: Kernel, ID: "linear", Title: "linear",
		Formula: "<x, z>",
		About:   "tried by auto beside the default; the default of the other methods for sparse rows",
		Source:  cite.Becker + ", 1.2.2; " + cite.Rosasco + ", 3.1",
		LIBSVM:  "-t 0", SciKit: "linear",
		Example: "mercer fit text.svm.gz --kernel linear",
	}
}

func polynomial() Entry {
	return Entry{
		Kind: Kernel, ID: "polynomial", Title: "polynomial",
		Formula: "(scale <x, z> + offset)^degree",
		About:   "degree is fixed, scale and offset are tuned; write polynomial(degree=2) for another degree",
		Parameters: []Parameter{
			{"degree", "whole, >= 1", "3", "in the specification; --set degree is the power of the Laplacian"},
			factor(),
			{"offset", ">= 0", "tuned, from 1", "additive constant; --set coef0= is the same"},
		},
		Source: cite.Becker + ", 1.2.2; " + cite.Sindhwani + ", 1.2",
		LIBSVM: "-t 1 -d degree -g scale -r offset", SciKit: "poly, gamma = scale, coef0 = offset",
		Example: "mercer fit iris --kernel 'polynomial(degree=2)'",
	}
}

func laplacian() Entry {
	return Entry{
		Kind: Kernel, ID: "laplacian", Title: "Laplacian (exponential)",
		Formula:    "exp(-|x-z| / sigma), Euclidean norm",
		About:      "rougher functions than the Gaussian: the Matern kernel of smoothness 1/2",
		Parameters: []Parameter{width()},
		Source:     "Matern 1960; scikit-learn's kernel of the same name takes the sum of absolute differences instead",
		SciKit:     "gaussian_process.kernels.Matern(length_scale = sigma, nu = 0.5)",
		Example:    "mercer fit sinc --kernel laplacian",
	}
}

func sigmoid() Entry {
	return Entry{
		Kind: Kernel, ID: "sigmoid", Title: "sigmoid",
		Formula: "tanh(scale <x, z> + offset)",
		About: "not positive definite in general: least squares are solved as they are, a machine in the dual may be one of several " +
			"solutions, and the fit says so",
		Parameters: []Parameter{
			factor(),
			{"offset", "any", "tuned, from 0", "additive constant; --set coef0= is the same"},
		},
		Source: cite.Becker + ", eq. 1.17",
		LIBSVM: "-t 3 -g scale -r offset", SciKit: "sigmoid, gamma = scale, coef0 = offset",
		Example: "mercer fit iris --kernel sigmoid",
	}
}

func expChi2() Entry {
	return Entry{
		Kind: Kernel, ID: "exp-chi2", Title: "exponential chi-square",
		Formula: "exp(-sum_k (x_k-z_k)^2/(x_k+z_k) / (2 sigma^2)),  0/0 = 0",
		About:   "for histograms, counts and other features that are not negative; leave them unscaled or use --scale minmax",
		Parameters: []Parameter{
			{"sigma", "> 0", "tuned, from the median distance of the rows", "width, in the units of the square root of the features"},
			{"gamma", "> 0", "", "the sources' name: gamma = 1/(2 sigma^2); give one of the two"},
		},
		Source:  cite.Klatzer + ", eq. 6.1",
		SciKit:  "metrics.pairwise.chi2_kernel, gamma = 1/(2 sigma^2)",
		Example: "mercer fit digits --kernel exp-chi2 --scale none --labels 40",
	}
}

func addChi2() Entry {
	return Entry{
		Kind: Kernel, ID: "add-chi2", Title: "additive chi-square",
		Formula: "sum_k 2 x_k z_k / (x_k + z_k),  0/0 = 0",
		About:   "for features that are not negative; leave them unscaled or use --scale minmax",
		Source:  cite.Klatzer + ", eq. 6.2; Vedaldi & Zisserman 2012",
		SciKit:  "metrics.pairwise.additive_chi2_kernel = 2 k(x,z) - |x|_1 - |z|_1",
		Example: "mercer fit digits --kernel add-chi2 --scale none --labels 40",
	}
}

func constant() Entry {
	return Entry{
		Kind: Kernel, ID: "constant", Title: "constant",
		Formula: "1",
		About:   "in a sum, an offset with a penalty of its own: weight w makes it b^2/(2 w)",
		Source:  cite.Klatzer + ", section 2.4",
		Example: "mercer fit iris --method logistic --kernel \"ard-linear+10*constant\" --offset no",
	}
}

func chi2Map() Entry {
	return Entry{
		Kind: Kernel, ID: "chi2-map", Title: "additive chi-square by an explicit map",
		Formula: "<phi(x), phi(z)>, for each feature x > 0: sqrt(x L), and for j = 1..n\n" +
			"sqrt(2 x L sech(pi j L)) times cos(j L log x) and sin(j L log x)",
		About: "approximates add-chi2 to 0.057, 0.015, 0.013 on (0, 1] for n = 1, 2, 3; in the library Map makes rows for linear machines",
		Parameters: []Parameter{
			{"harmonics", "1 to 64", "1", "n, in the specification: chi2-map(harmonics=2)"},
			{"step", "> 0", "0.8, 0.5, 0.4 for n = 1, 2, 3", "L, in the specification"},
		},
		Source:  "Vedaldi & Zisserman 2012; " + cite.Klatzer + ", chapter 6",
		SciKit:  "kernel_approximation.AdditiveChi2Sampler(sample_steps = n+1) before a linear machine",
		Example: "mercer fit digits --kernel 'chi2-map(harmonics=2)' --scale none --labels 40",
	}
}

func ardLinear() Entry {
	return Entry{
		Kind: Kernel, ID: "ard-linear", Title: "linear with a penalty for each column",
		Formula: "sum_k x_k z_k / c_k",
		About: "a linear machine with the regulariser sum_k c_k w_k^2: a useless column gets a large penalty; for the gradient search, " +
			"which has all of them in one pass",
		Parameters: []Parameter{
			{"c[1], c[2], ...", "> 0", "tuned, from 1", "penalty of a column, counted from 1; ard-linear(c=1:2:3) gives all of them"},
		},
		Source:  cite.Klatzer + ", 2.4, with the derivative that is missing there",
		SciKit:  "linear_model.ARDRegression has the same prior",
		Example: "mercer fit wine --method rls --kernel ard-linear --search gradient",
	}
}

func clusters() Entry {
	return Entry{
		Kind: Kernel, ID: "clusters", Title: "posteriors of clusters",
		Formula: "sum_k P_k(x) P_k(z),  P_k(x) = s_k N(x; m_k, v I) / sum_j s_j N(x; m_j, v I)",
		About: "rows are alike if they are of the same clusters of all rows, labelled or not; tried by auto where the rows form two to " +
			"ten round clusters; their number is that of the least BIC",
		Source:  "Chapelle, Weston & Schoelkopf 2003, with the posteriors of a mixture of Gaussians",
		SciKit:  "mixture.GaussianMixture(covariance_type = spherical).predict_proba before a linear machine",
		Example: "mercer fit g50c:labelled=25 --method rls --kernel clusters",
	}
}

func components() Entry {
	return Entry{
		Kind: Kernel, ID: "components", Title: "principal components above the noise",
		Formula: "a(x)'a(z)/s^2 + 1,  a(x) the scores of x, s^2 their mean squared length",
		About: "the directions in which all rows, labelled or not, vary more than noise does, at most ten; tried by auto where the other " +
			"directions are alike",
		Source:  "Marchenko & Pastur 1967 for the noise, John 1971 for its likeness",
		SciKit:  "decomposition.PCA before a linear machine",
		Example: "mercer fit g50c:labelled=25 --method rls --kernel components",
	}
}

// composed are the kernels made of kernels.
func composed() []Entry {
	return []Entry{
		{
			Kind: Kernel, ID: "sum", Title: "sum of kernels",
			Formula: "KERNEL+KERNEL, NUMBER*KERNEL+...",
			About: "each term has its own parameters, all tuned together: 1.sigma, 2.sigma, or sigma[a..c] of a term on columns; " +
				"a term with a number has a weight that is tuned too (multiple kernel learning)",
			Source:  cite.Becker + ", eqs 2.22-2.23; " + cite.Klatzer + ", 3.2",
			SciKit:  "gaussian_process.kernels.Sum",
			Example: "mercer fit wine --kernel gaussian+linear",
		},
		{
			Kind: Kernel, ID: "product", Title: "product of kernels",
			Formula: "KERNEL*KERNEL",
			About:   "both terms must find two rows alike",
			Source:  "Aronszajn 1950",
			SciKit:  "gaussian_process.kernels.Product",
			Example: "mercer fit iris --kernel 'gaussian[1..2]*gaussian[3..4]'",
		},
		{
			Kind: Kernel, ID: "columns", Title: "kernel on some columns",
			Formula: "KERNEL[FIRST..LAST], KERNEL[a,b,c]",
			About:   "columns by their names, else by number from 1; in a sum its parameters are called sigma[FIRST..LAST]",
			Source:  cite.Becker + ", eq. 2.22: each kernel may read its own features",
			Example: "mercer fit iris --kernel 'gaussian[sepal_length..sepal_width]+linear[petal_length]'",
		},
		{
			Kind: Kernel, ID: "normalised", Title: "normalised kernel",
			Formula: "normalised(KERNEL): k(x,z) / sqrt(k(x,x) k(z,z))",
			About:   "every row gets length 1 in the feature space; for text with the linear kernel it is the cosine",
			Source:  "Shawe-Taylor & Cristianini 2004, 5.1",
			Example: "mercer fit text.svm.gz --kernel 'normalised(linear)'",
		},
	}
}

func precomputed() Entry {
	return Entry{
		Kind: Kernel, ID: "precomputed", Title: "given as a matrix, library only",
		Formula: "K[i, j] of numbered rows",
		About:   "for strings, trees, graphs and whatever else has a kernel of its own; the program refuses it",
		Source:  cite.Becker + ", 1.2.2 names such kernels",
		LIBSVM:  "-t 4", SciKit: "precomputed",
	}
}
