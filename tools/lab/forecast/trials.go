package forecast

import (
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer"
)

// list collects trials.
type list []trial

// quick marks the last trial as one of a second or less.
func (l *list) quick() { (*l)[len(*l)-1].Quick = true }

func (l *list) add(rows, labelled, columns, classes int, r mercer.Recipe) {
	if r.Method == "" {
		r.Method = "auto"
	}
	*l = append(*l, trial{Recipe: r, Rows: rows, Labelled: labelled, Columns: columns, Classes: classes})
}

// trials are fits of every method, in every form, at several sizes, and of the sets of the other
// benchmarks if their folder is given.
func trials(dir string) []trial {
	var l list
	if dir != "" {
		l.files(dir)
	}
	l.squares()
	l.graphs()
	l.spreads()
	l.learners()
	l.views()
	l.centres()
	l.fronts()
	return l
}

// files are the sets of the measurements errors and ranks by default, small ones by derivatives, and those of peers.
func (l *list) files(dir string) {
	add := func(file, splits string, labelled int, r mercer.Recipe) {
		t := trial{Recipe: r, File: filepath.Join(dir, file), Labelled: labelled}
		if splits != "" {
			t.Splits = filepath.Join(dir, splits)
		}
		*l = append(*l, t)
	}
	auto := mercer.Recipe{Method: "auto"}
	for _, name := range []string{"coil20 gensplits", "uspst splits", "g50c splits", "ssl_digit1 splits10", "ssl_coil6 splits100",
		"ssl_usps1500 splits100"} {
		file, splits, _ := strings.Cut(name, " ")
		add(file+".csv.gz", file+"."+splits+".csv", 0, auto)
	}
	add("macwin_text1.svm.gz", "macwin_text1.splits.csv", 0, auto)
	for _, file := range []string{"satimage.csv.gz", "letter.csv.gz", "covtype_20k.csv.gz", "a9a.svm.gz", "abalone.csv.gz"} {
		add(file, "", 0, auto) // by a race
	}
	ard := mercer.Recipe{Method: "rls", Kernel: "ard-gaussian", Search: "gradient", Budget: 40}
	for _, file := range []string{"sonar.csv", "wdbc.csv", "spambase.csv.gz", "satimage.csv.gz", "segment.csv.gz", "digits.csv.gz",
		"usps_train.csv.gz", "pima_diabetes.csv", "australian.csv", "heart_statlog.csv"} {
		labelled := 1000
		switch file {
		case "sonar.csv", "wdbc.csv", "pima_diabetes.csv", "australian.csv", "heart_statlog.csv":
			labelled = 0 // they have fewer rows
		}
		add(file, "", labelled, ard)
	}
	for _, p := range []struct{ file, c, gamma string }{
		{"usps_train.csv.gz", "1", "0.01"}, {"fashion_mnist_5000.csv.gz", "10", "0.01"}, {"a9a.svm.gz", "1", "0.03"},
		{"covtype_20k.csv.gz", "10", "4"}, {"letter.csv.gz", "10", "2"},
	} {
		machine := mercer.Recipe{Method: "svm", Kernel: "gaussian", Tune: "none", Set: map[string]string{"C": p.c, "gamma": p.gamma}}
		add(p.file, "", 0, machine)
	}
}

// squares are machines of the square loss without a graph.
func (l *list) squares() {
	for _, id := range []string{"rls", "ls-svm", "rn", "erm"} {
		l.add(1500, 1500, 10, 2, mercer.Recipe{Method: id})
		l.add(30000, 100, 10, 2, mercer.Recipe{Method: id})
		l.quick()
	}
	l.add(20000, 20000, 40, 10, mercer.Recipe{Method: "rls", Kernel: "linear"})
	l.quick()
	l.add(8200, 8200, 10, 2, mercer.Recipe{Method: "rls", Tune: "none"}) // on landmarks
	l.quick()
	l.add(10000, 10000, 10, 3, mercer.Recipe{Method: "rls", Tune: "none"})
	l.add(20000, 20000, 20, 5, mercer.Recipe{Method: "rls"})
	l.add(9000, 9000, 10, 2, mercer.Recipe{Method: "logistic", Set: map[string]string{"sigma": "1"}})
	l.add(8500, 8200, 10, 2, mercer.Recipe{Method: "l2-svm", Tune: "none"})
	l.quick()
	l.add(15000, 12000, 20, 4, mercer.Recipe{Method: "l2-svm", Tune: "none"})
	l.add(2500, 2500, 20, 10, mercer.Recipe{Method: "rls", Tune: "none"})
	l.add(1500, 1500, 10, 2, mercer.Recipe{Method: "rls", Tune: "kfold:5"})
	l.add(1500, 1500, 10, 2, mercer.Recipe{Method: "rls", Search: "gradient", Budget: 10})
	l.add(4000, 300, 10, 2, mercer.Recipe{Method: "rls", Search: "gradient", Budget: 10})
	l.quick()
	l.add(1200, 1200, 40, 2, mercer.Recipe{Method: "rls", Kernel: "ard-gaussian", Search: "gradient", Budget: 10})
}

// graphs are machines with a graph of all rows.
func (l *list) graphs() {
	l.add(1000, 50, 10, 2, mercer.Recipe{})
	l.add(2000, 50, 10, 5, mercer.Recipe{})
	l.add(2000, 2000, 10, 2, mercer.Recipe{})
	l.add(3000, 3000, 10, 3, mercer.Recipe{})
	l.add(9000, 50, 10, 2, mercer.Recipe{Budget: 9})
	l.add(9000, 2500, 10, 2, mercer.Recipe{Budget: 8})

	lap := func(r mercer.Recipe) mercer.Recipe {
		r.Method = "lap-rls"
		return r
	}
	l.add(1000, 50, 10, 2, lap(mercer.Recipe{}))
	l.add(2000, 1000, 10, 2, lap(mercer.Recipe{Budget: 6}))
	l.add(1500, 1500, 10, 2, lap(mercer.Recipe{Tune: "none"}))
	l.add(2000, 50, 10, 2, lap(mercer.Recipe{Tune: "none"}))
	l.quick()
	l.add(2000, 50, 10, 2, lap(mercer.Recipe{Tune: "none", Set: map[string]string{"degree": "1"}}))
	l.quick()
	l.add(2000, 50, 10, 2, lap(mercer.Recipe{Search: "gradient", Budget: 6}))
	l.add(2000, 50, 10, 2, lap(mercer.Recipe{Search: "gradient", Budget: 6, Set: map[string]string{"degree": "2"}}))
	l.add(1000, 100, 10, 2, lap(mercer.Recipe{Search: "random", Tune: "kfold:5:inductive", Budget: 3}))
	l.add(1500, 50, 10, 2, lap(mercer.Recipe{Set: map[string]string{"degree": "real"}, Budget: 6}))
	l.add(1500, 50, 10, 2, lap(mercer.Recipe{Set: map[string]string{"semigroup": "1"}, Tune: "none"}))
	l.add(5000, 50, 10, 2, lap(mercer.Recipe{Tune: "none", Set: map[string]string{"solver": "cg"}}))
	l.quick()
	l.add(20000, 50, 10, 2, lap(mercer.Recipe{Tune: "none", Set: map[string]string{"solver": "cg"}}))
	l.add(9000, 50, 10, 2, lap(mercer.Recipe{Budget: 3}))
	l.add(9000, 2500, 10, 2, lap(mercer.Recipe{Budget: 3}))
	l.add(1500, 50, 10, 2, mercer.Recipe{Method: "c-lap-rls", Budget: 6})
	l.add(1500, 50, 10, 2, mercer.Recipe{Method: "c-lap-rls", Tune: "none"})
	l.quick()
	l.add(1500, 100, 10, 3, mercer.Recipe{Method: "lap-svm", Budget: 4})
	l.add(2000, 100, 10, 2, mercer.Recipe{Method: "lap-svm", Tune: "none"})
	l.quick()
	for _, loss := range []string{"squared-hinge", "hinge"} {
		l.add(800, 60, 10, 2, mercer.Recipe{Method: "da-s3vm", Budget: 1, Set: map[string]string{"loss": loss}})
		l.add(1500, 100, 10, 2, mercer.Recipe{Method: "da-s3vm", Tune: "none", Set: map[string]string{"loss": loss}})
		l.quick()
	}
	for _, id := range []string{"tsvm", "cccp-tsvm", "grad-tsvm", "cs3vm", "lds", "graph-density"} {
		l.add(1200, 100, 10, 2, mercer.Recipe{Method: id, Tune: "none"})
	}
	for _, id := range []string{"linear-tsvm", "linear-da"} {
		l.add(20000, 100, 50, 2, mercer.Recipe{Method: id, Tune: "none"})
		l.quick()
	}
	for _, id := range []string{"linear-svm", "linear-logistic", "linear-rls"} {
		l.add(28000, 28000, 50, 2, mercer.Recipe{Method: id})
		l.quick()
		l.add(40000, 40000, 50, 2, mercer.Recipe{Method: id})
	}
	for _, id := range []string{"linear-lap-rls", "linear-lap-svm"} {
		l.add(5000, 100, 20, 2, mercer.Recipe{Method: id})
	}
	l.add(200, 10, 10, 2, mercer.Recipe{Method: "s3vm-bnb", Tune: "none", Set: map[string]string{"nodes": "2000"}})
	l.add(1500, 100, 10, 2, mercer.Recipe{Method: "lap-logistic", Budget: 4})
	l.add(1500, 100, 10, 0, mercer.Recipe{Method: "lap-svr", Budget: 4})
}

// spreads are methods that spread labels over a graph.
func (l *list) spreads() {
	for _, id := range []string{"harmonic", "lgc", "graph-reg", "sgt"} {
		l.add(1500, 50, 10, 5, mercer.Recipe{Method: id})
		l.quick()
		l.add(10000, 50, 10, 3, mercer.Recipe{Method: id})
		l.add(5000, 1000, 10, 3, mercer.Recipe{Method: id})
	}
	for _, id := range []string{"harmonic", "lgc", "graph-reg"} {
		l.add(100000, 50, 10, 3, mercer.Recipe{Method: id})
	}
	for _, id := range []string{"harmonic", "lgc", "graph-reg", "sgt"} {
		l.add(10000, 5000, 10, 3, mercer.Recipe{Method: id})
	}
	l.add(1500, 50, 10, 0, mercer.Recipe{Method: "graph-reg"})
	l.quick()
}

// views are machines of two views, and linear ones without tables.
func (l *list) views() {
	halves := []mercer.View{{Name: "a", First: 1, Last: 5}, {Name: "b", First: 6, Last: 10}}
	for _, id := range []string{"co-rls", "co-lap-rls"} {
		l.add(1000, 50, 10, 2, mercer.Recipe{Method: id, Views: halves})
	}
	for _, id := range []string{"co-rls", "co-svm", "co-logistic", "co-lap-rls", "co-lap-svm", "co-train"} {
		l.add(1500, 100, 10, 2, mercer.Recipe{Method: id, Views: halves, Tune: "none"})
		l.quick()
	}
	// As many rows as take more than the process has at hand already, which drew them.
	l.add(60000, 100, 10, 2, mercer.Recipe{Method: "co-rls", Kernel: "linear", Views: halves, Tune: "none"})
	l.quick()
	l.add(60000, 100, 10, 2, mercer.Recipe{Method: "co-logistic", Kernel: "linear", Views: halves, Tune: "none"})
}

// centres are machines of few centres, which are chosen for them.
func (l *list) centres() {
	for _, id := range []string{"rls", "ls-svm", "rn", "svm", "l2-svm", "logistic", "svr"} {
		l.add(4000, 4000, 10, 2, mercer.Recipe{Method: id, Basis: "100", Tune: "none"})
	}
	for _, id := range []string{"lap-rls", "lap-svm", "lap-logistic", "lap-svr", "sparse-lap-rls"} {
		l.add(4000, 100, 10, 2, mercer.Recipe{Method: id, Basis: "100", Tune: "none"})
	}
	l.add(1500, 100, 10, 2, mercer.Recipe{Method: "auto", Basis: "50"})
}

// learners are machines of other losses without a graph.
func (l *list) learners() {
	l.add(1500, 1500, 10, 3, mercer.Recipe{Method: "svm", Tune: "kfold:5", Budget: 2})
	// Machines in the dual take as much of the kernel as they need: those that are hard, all that is forecast.
	l.add(12000, 12000, 10, 2, mercer.Recipe{Method: "svm", Tune: "none", Set: map[string]string{"C": "1000", "sigma": "1"}})
	for _, id := range []string{"l2-svm", "logistic"} {
		l.add(1500, 1500, 10, 2, mercer.Recipe{Method: id, Tune: "kfold:5", Budget: 2})
		l.add(3000, 3000, 10, 5, mercer.Recipe{Method: id, Tune: "none"})
		l.add(20000, 20000, 50, 3, mercer.Recipe{Method: id, Kernel: "linear", Tune: "none"})
		l.quick()
		l.add(30000, 30000, 50, 5, mercer.Recipe{Method: id, Kernel: "linear", Tune: "none"})
	}
	l.add(30000, 30000, 50, 2, mercer.Recipe{Method: "l2-svm", Kernel: "linear", Tune: "kfold:5", Budget: 2})
	l.add(1500, 1500, 10, 2, mercer.Recipe{Method: "l2-svm", Tune: "kfold:5", Search: "gradient", Budget: 4})
	l.add(1500, 1500, 10, 0, mercer.Recipe{Method: "svr", Tune: "kfold:5", Budget: 2})
	hard := map[string]string{"C": "100", "epsilon": "0.01", "sigma": "1"}
	l.add(6000, 6000, 10, 0, mercer.Recipe{Method: "svr", Tune: "none", Set: hard})
	l.add(9000, 9000, 10, 2, mercer.Recipe{Method: "one-class", Set: map[string]string{"nu": "0.9", "sigma": "0.5"}})
	l.quick()
}

// fronts are networks and fronts of machines.
func (l *list) fronts() {
	for _, id := range []string{"mobj-rbf", "mobj-grn", "grn", "rofs"} {
		l.add(400, 400, 10, 2, mercer.Recipe{Method: id, Decision: "gcv"})
		l.add(600, 600, 10, 2, mercer.Recipe{Method: id, Decision: "gcv"})
		l.add(30000, 100, 10, 2, mercer.Recipe{Method: id})
	}
	l.add(400, 400, 10, 2, mercer.Recipe{Method: "mobj-rbf"})
	l.add(800, 800, 10, 3, mercer.Recipe{Method: "mobj-svm", Decision: "knee"})
	l.add(30000, 100, 10, 2, mercer.Recipe{Method: "mobj-svm"})
	l.add(3000, 3000, 10, 2, mercer.Recipe{Method: "nadaraya-watson"})
	l.add(30000, 100, 10, 2, mercer.Recipe{Method: "nadaraya-watson"})
	l.quick()
}
