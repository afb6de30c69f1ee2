package task

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// inductive is what follows the name of a score of rows that do not train.
var inductive = param.Meaning{
	Name: ":inductive", Range: "given or not", Default: "not",
	About: "the rows of a fold leave the graph too, as in kfold:5:inductive, and are predicted as new ones: the score for rows to " +
		"come, where " +
		"the other is for the unlabelled rows of the file; trains again for every fold, so without gradient and with --search " +
		"nelder-mead, random or grid; without a graph both are the same",
}

// scores lists every score in words, with what its name means to --tune; nil: the name has a number or a word in it, which ParseScoring
// reads, or --tune refuses it. A new one is a row here.
var scores = []struct {
	means *Scoring
	param.Words
}{
	{&Scoring{}, param.Words{
		ID: "auto", Title: "the score for the task",
		About: "loo:logloss for classification, loo:press for regression; kfold:5 for classification by methods without a closed form, of more " +
			"than 60 labelled rows (of some methods 10); none for one class",
		Source: "docs/automatic-choice.md",
	}},
	{&Scoring{Criterion: score.LogLoss{}}, param.Words{
		ID: "loo:logloss", Title: "leave-one-out log loss, calibrated",
		Formula: "min over t of -1/l sum_i log softmax(t o_i)[y_i],   o_i the output at row i without its label",
		About: "the temperature t is fitted on the left-out outputs and becomes that of the model's probabilities, so the score does not " +
			"depend on how far outputs are shrunk; it has a gradient, by the envelope theorem; the left-out row stays, unlabelled",
		Cost:    "as loo:press",
		Source:  "closed-form leave-out of loo:press under the log loss; Platt 1999 for the calibration",
		Example: "mercer fit digits --labels 40 --tune loo:logloss",
	}},
	{&Scoring{Criterion: score.Press{}}, param.Words{
		ID: "loo:press", Title: "leave-one-out sum of squares (PRESS)",
		Formula: "1/2 sum_i r_i^2,   r_i = y_i - o_i = alpha_i / ((K + l lambda I)^-1)_ii,   K warped for lap-rls",
		About: "exact and in closed form: equal to l refits with the label of a row left out; it has a gradient in every parameter; it " +
			"punishes outputs that are small but rightly ordered",
		Cost:   "none beyond the fit; gradient n^2 l for all parameters together",
		Source: cite.Becker + ", eqs 2.8, 2.13-2.19 (eq. 2.7 has the wrong denominator; eqs 4.1-4.7 are replaced by the exact ones)",
		SciKit: "RidgeCV (gcv_mode) for linear rls",
	}},
	{&Scoring{Criterion: score.Error{}}, param.Words{
		ID: "loo:error", Title: "leave-one-out error",
		Formula: "share of labelled rows whose class o_i gets wrong",
		About:   "no gradient: steps of 1/l, so many settings tie when labels are few",
		Cost:    "as loo:press",
		Source:  cite.Becker + ", 2.2.5, table 2.1",
	}},
	{nil, param.Words{
		ID: "kfold:K", Title: "K-fold cross-validation",
		Formula: "r_B = ((K + l lambda I)^-1_BB)^-1 alpha_B for each fold B",
		About: "folds of labelled rows alone, the classes spread evenly; unlabelled rows always train and are never judged; in " +
			"closed form",
		Parameters: []param.Meaning{{Name: "K", Range: "2 to labelled rows", Default: "5", About: "number of folds"}, inductive},
		Cost:       "one factorisation for each fold beside the fit",
		Source: cite.Becker + ", 2.2.4, eq. 2.6 with its normalisation corrected; " + cite.Klatzer + ", 2.3 and 3.1.4; " +
			cite.Kokshenev + ", 2.5.3; Pahikkala et al. 2006 for the closed form",
		LIBSVM: "-v K", SciKit: "GridSearchCV(cv = StratifiedKFold(K))",
		Example: "mercer fit iris --tune kfold:5",
	}},
	{nil, param.Words{
		ID: "holdout:SHARE", Title: "hold-out",
		About: "one random share of the labelled rows is judged, the others train; cheap to understand and of large variance",
		Parameters: []param.Meaning{
			{Name: "SHARE", Range: "0 to 1, exclusive", Default: "0.2", About: "share of the labelled rows that is judged"}, inductive,
		},
		Source:  cite.Becker + ", 2.2.3; " + cite.Klatzer + ", 2.1",
		SciKit:  "train_test_split(test_size = SHARE)",
		Example: "mercer fit breast-cancer --tune holdout:0.2",
	}},
	{&Scoring{Penalty: "cp"}, param.Words{
		ID: "cp", Title: "Mallows' Cp",
		Formula: "||y - f||^2/l + 2 s^2 tr(H)/l",
		About: "training error and a price on degrees of freedom; s^2 is the residual variance of the base kernel's fit at the " +
			"ridge that " +
			"gcv likes best; for the square loss",
		Cost: "none beyond the fit; it has a gradient", Source: cite.Becker + ", 2.2.2, eqs 2.4 and 2.5 (2.3 is garbled)",
	}},
	{&Scoring{Penalty: "aic"}, param.Words{
		ID: "aic", Title: "Akaike's criterion",
		About: "cp, by its other name", Source: cite.Becker + ", 2.2.2",
	}},
	{&Scoring{Penalty: "bic"}, param.Words{
		ID: "bic", Title: "Bayesian information criterion, or minimum description length",
		Formula: "||y - f||^2/l + s^2 ln(l) tr(H)/l", About: "as cp, with a higher price", Source: cite.Becker + ", 2.2.2; Schwarz 1978",
	}},
	{&Scoring{Criterion: score.SmoothError{}}, param.Words{
		ID: "loo:smooth-error", Title: "smooth leave-one-out error",
		Formula: "1/l sum_i (1 - s_i),   s_i = 1/(1 + exp(-10 y_i o_i))",
		About:   "the error rate with its steps smoothed, for two classes; it has a gradient", Source: cite.Becker + ", eq. 2.1, table 2.1",
	}},
	{&Scoring{Criterion: score.SmoothWeighted{}}, param.Words{
		ID: "loo:smooth-wer", Title: "smooth weighted leave-one-out error",
		Formula: "(sum_+ (1 - s_i) + eta sum_- (1 - s_i))/(n_+ + eta n_-),   eta = n_+/n_-",
		About:   "both classes count alike, however few rows one has; two classes",
		Source:  cite.Becker + ", table 2.1, the denominator corrected",
	}},
	{&Scoring{Criterion: score.SmoothF{}}, param.Words{
		ID: "loo:smooth-f", Title: "one minus the smooth leave-one-out F measure",
		Formula: "1 - 2 t/(n_+ + t + f),   t = sum_+ s_i,  f = sum_- (1 - s_i)",
		About:   "for finding the rows of the second class; two classes", Source: cite.Becker + ", table 2.1",
	}},
	{&Scoring{GCV: true}, param.Words{
		ID: "gcv", Title: "generalised cross-validation",
		Formula: "l |y - f|^2 / (l - tr H)^2",
		About:   "leave-one-out with all leverages replaced by their mean; it has a gradient",
		Cost:    "as loo:press",
		Source:  "Golub, Heath & Wahba 1979; " + cite.Becker + ", 2.2.2-2.2.3 for its kin (Cp, AIC, BIC)",
	}},
	{&Scoring{None: true}, param.Words{
		ID: "none", Title: "no tuning",
		About:   "what --set fixes is taken as it is, the rest has its default",
		Source:  cite.Becker + ", 4.3.4 (\"literature values\")",
		Example: "mercer fit iris --method rls --tune none --set gamma=0.5 --set lambda=0.001",
	}},
	{nil, param.Words{
		ID: "press-system", Title: "the source's leave-one-out, for reproduction only",
		Formula: "1/2 sum_i (alpha_i / (C^-1)_ii)^2,   C = J K + a I + g R K",
		About: "not a prediction error: it is the residual of one equation when a term of the expansion is dropped; equal to loo:press " +
			"when gamma_i = 0; known to mercer reproduce alone, --tune refuses it",
		Source: cite.Becker + ", eqs 2.15-2.17 with C of eq. 4.3",
	}},
	{nil, param.Words{
		ID: "bound:NAME", Title: "bound of the leave-one-out error",
		Formula: "sv                 share of rows with a_i > 0\n" +
			"jaakkola-haussler  share with y_i f(x_i) <= a_i k(x_i, x_i)   (no offset)\n" +
			"xi-alpha           share with xi_i + 2 a_i R_D^2 >= 1,   R_D^2 = max k - min k\n" +
			"span               share with y_i f(x_i) <= a_i S_i^2,   S_i the distance of x_i from the span of the other support " +
			"vectors\nradius-margin      4 (R^2 + 1/C) (||f||^2 + 2 C sum_i loss_i)/l,   R the radius of the smallest ball around the rows",
		About: "for svm, l2-svm and lap-svm with the hinge or the squared hinge; a_i are the dual coefficients; one training in " +
			"place of one " +
			"a fold; " +
			"span is no bound but an estimate, as a rule the nearest, and gives probabilities; radius-margin has a gradient (--search " +
			"gradient), with 1/(2 C) for the squared hinge",
		Parameters: []param.Meaning{{Name: "NAME", Range: "sv, jaakkola-haussler, xi-alpha, span, radius-margin", About: "which bound"}},
		Cost: "sv, jaakkola-haussler: none beyond the fit; xi-alpha: a kernel matrix; span: (free support vectors)^3; radius-margin: a " +
			"quadratic programme of the rows",
		Source: "Vapnik 1995; Jaakkola & Haussler 1999; Joachims 2000; Vapnik & Chapelle 2000; Chapelle, Vapnik, Bousquet & " +
			"Mukherjee 2002; " +
			"Chung et al. 2003; " +
			cite.Becker + ", 2.2.5 names leave-one-out bounds of support vector machines",
		Example: "mercer fit breast-cancer --method svm --tune bound:span",
	}},
}

// Scores describes the scores in words. A part of a name in capitals stands for a number or a word.
func Scores() []param.Words {
	list := make([]param.Words, len(scores))
	for i, s := range scores {
		list[i] = s.Words
	}
	return list
}
