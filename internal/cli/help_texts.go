package cli

// helpTexts are those of flags and arguments that are too long for a struct tag, by verb and field.
func helpTexts() map[string]string {
	return map[string]string{
		"cluster_data": "A file (.csv, .svm, .libsvm, .svmlight, each also .gz), a folder of documents, - for standard input, or a " +
			"built-in set; labels are compared with the clusters and used for nothing else.",
		"cluster_split": "Two clusters by the sign of a function, by its median (equal sizes, but that rows of equal value " +
			"stay together, as those of a component do) or by k-means.",
		"data_name": "A built-in set or generator, with parameters as two-moons:n=400,noise=0.2; without it all are " +
			"listed.",
		"embed_data": "A file (.csv, .svm, .libsvm, .svmlight, each also .gz), a folder of documents, - for standard input, or a " +
			"built-in set; labels are not looked at.",
		"serve_listen": "Address and port; port 0 takes a free one (default: 127.0.0.1:8080).",
		"serve_token": "Answer only requests with this token; better given in the variable MERCER_TOKEN, as lists of " +
			"processes show flags.",
		"unlabelleddata_test":   "Rows that are placed after learning and seen by no graph; what is written is theirs.",
		"unlabelleddata_search": "How neighbours are found: auto (exact up to 50000 rows), exact or approximate.",
		"unlabelleddata_kernel": "Functions of a kernel space in place of values on the rows: gaussian, polynomial ...; see mercer " +
			"methods. Default gaussian with --test, else none.",
		"unlabelleddata_set": "Of the graph: graph (knn, epsilon, full), epsilon_graph (the longest edge), metric, weights, width, " +
			"symmetry, laplacian; with a kernel: gamma_a (its norm beside the graph's, default 1e-4), degree, " +
			"rank, sigma or gamma; repeatable.",
		"unlabelleddata_limit": "Stop after this time: the eigenvectors found until then are used (90s, 10m).",
		"exports":              "libsvm,liblinear,svmlin,onnx,sklearn",
		"export_format": "libsvm: a model that svm-predict reads; liblinear: one for LIBLINEAR's predict; svmlin: a weight a line, the " +
			"offset last; onnx: a graph of operators; sklearn: a Python script.",
		"export_output": "The file to write; what the model does to features before goes beside it, to OUT.range, for " +
			"svm-scale -r.",
		"label_data": "A file (.csv, .svm, .libsvm, .svmlight, each also .gz), a folder of documents, or a built-in set. A " +
			"file without a " +
			"column of labels gets one, called label.",
		"label_classes": "Classes to choose from, in the order of the page (default: those of the labels that are there); the page takes " +
			"further ones.",
		"label_log":      "Keep the answers here (default DATA.labels.jsonl); where it is there already, go on after them.",
		"label_labelled": "At the end, write the rows with their labels here (default DATA.labelled.csv).",
		"label_image": "Show rows as pictures: WIDTHxHEIGHT where features are their pixels, row by row, or the column of CSV that " +
			"names their files, which is then no feature.",
		"label_folder": "Folder that the names in --image COLUMN are relative to (default: that of DATA). Files outside it are not shown.",
		"teaching_data": "A file (.csv, .svm, .libsvm, .svmlight, each also .gz), a folder of documents, - for standard input, or a " +
			"built-in set.",
		"teaching_labelledrows": "Keep the labels of these rows (numbers from 0) and hide the others.",
		"fit_splits":            "Run every split of a CSV file split,labelled_rows.",
		"fit_kernel": "gaussian, linear, gaussian+linear, gaussian[a..c] ...; tuning begins at its numbers; NAME=SPEC is that of one view; see " +
			"mercer methods.",
		"fit_set": "Fix a hyper-parameter or option: sigma, gamma, lambda, C, gamma_a, gamma_i, neighbours ...; " +
			"repeatable.",
		"fit_tune": "auto, loo:logloss, loo:press, loo:error, kfold:5, holdout:0.2, kfold:5:inductive, gcv or none.",
		"fit_basis": "Centres of the model at most; auto: the fewest that decide nearly as the full model. " +
			"--set choose= says how they are chosen.",
		"fit_from": "Go on from a model: its columns, method and choices, learned anew from DATA, which holds the rows of before too.",
		"fit_decide": "Decide classes by probabilities of rows left out: default, balanced (as if all classes were equally common), " +
			"cost=CLASS=COST,... (what a mistaken row of a class costs, else 1), rate=CLASS=SHARE (of rows decided for one of two " +
			"classes); predict and evaluate do likewise.",
		"fit_cv": "Repeat the whole fit for K outer folds, for an unbiased estimate of the error (nested cross-validation).",
		"fit_trace": "Keep what the fit has computed in FILE, each model that is compared or each evaluation of a search, and go on " +
			"from there if the file exists, as after an interrupt.",
		"fit_tol": "Tolerance at which a solver stops (default: the method's own, of svm and svr LIBSVM's 1e-3; mercer methods " +
			"METHOD says " +
			"what it is of).",
		"fit_groups": "auto: a kernel for each group of columns of like size, with its own width and weight.",
		"fit_cache": "Bytes of kernel rows that svm, svr and one-class keep at most; it changes the time, results only by rounding " +
			"(default 200Mi).",
		"bounded_interval": "Add columns lower and upper, between which a share LEVEL of new answers of a regression lies, such " +
			"as 0.9.",
		"pareto_kernel": "Of mobj-svm: gaussian (default), polynomial, linear ...; see mercer methods.",
		"explain_row":   "Row of DATA, from 0, the header not counted; several: --row 3,8 or 0..99, or --row twice.",
		"pareto_set": "A parameter or a list of values to make the front over: sigma, gamma, C, lambda; " +
			"complexity=q-ref|q-ref-sv|q-norm|q-rkhs, joint=no, order, max_q, floor; repeatable.",
		"predict_data": "A file, a folder of documents, - for standard input, or a built-in set; columns are matched by " +
			"name, a label column is not needed.",
		"scale": "auto, none, standard, minmax, unit (rows of length 1) or tfidf (counts of words weighted by how few rows " +
			"have them, then length 1; auto does so for text).",
		"source_format": "Format of the file, csv, libsvm, arff or jsonl, where neither its ending nor its first lines tell.",
		"source_label": "Column of the labels (default: label or target, else the last; cluster, embed and label: label, target " +
			"or class, else a last one of words).",
		"source_text": "Column of CSV that is text, of which the words are the features: runs of two letters or digits or more, in " +
			"lower case. A folder needs no flag: its sub-folders are classes, its files documents.",
		"source_view": "A view: NAME=FIRST..LAST or NAME=PREFIX*, columns of the data, or NAME=FILE, further columns of the " +
			"same rows; repeatable. Methods called co-... have a function for each view, which a row may lack; models " +
			"with a graph join the graphs of all views.",
	}
}
