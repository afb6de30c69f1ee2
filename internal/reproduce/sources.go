package reproduce

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/method"
)

// A source is one of the five documents: how it is cited, and the tables and figures in it.
type source struct {
	name  string // as cited by Experiment.Source
	cited string // as cited by the declarations
	shown []shown
}

// shown is a table or figure of a source. One that no experiment shows again says why.
type shown struct {
	what   string // "table 4.1"
	about  string
	reason string // "": some experiment runs it
}

// What no experiment runs, and where it is instead.
const (
	drawing  = "a drawing"
	formulas = "formulas: the entries above"
	lossKind = "formulas: `mercer methods`, losses"
	dataSets = "a list of data: [datasets.md](datasets.md)"
)

// sources lists the documents in the order in which they appeared on the same subject.
func sources() []source {
	return []source{
		{"Odone & Rosasco 2014", cite.Rosasco, nil},
		{"Becker 2013", cite.Becker, beckerShown()},
		{"Klatzer 2014", cite.Klatzer, klatzerShown()},
		{"Kokshenev 2010", cite.Kokshenev, []shown{
			{"figure 2.1", "consistency", drawing},
			{"figure 2.2", "structural risk", drawing},
			{"figure 2.3", "an RBF network", drawing},
			{"figure 3.1", "Pareto optimality", drawing},
			{"figure 4.1", "a LASSO path and its front", drawing},
			{"table 4.1", "twin spiral", ""},
			{"figure 4.2", "twin spiral, few points", ""},
			{"figure 4.3", "twin spiral, noise", ""},
			{"figure 4.4", "criteria along the front", ""},
			{"table 4.2", "sinc", ""},
			{"figure 4.5", "fronts of one draw of sinc", "`mercer pareto --report` shows the front of any data, that of sinc included"},
			{"table 4.3", "breast cancer", ""},
			{"figure 4.6", "the front of breast cancer", "`mercer pareto --report` with these data"},
			{"table 4.4", "abalone", ""},
			{"figure 5.1", "reference feature spaces", drawing},
			{"table 5.1", "sets of the experiments", dataSets},
			{"table 5.2", "ranges of hyper-parameters", "settings: those of `kokshenev-t5.3` and `kokshenev-t5.4`"},
			{"table 5.3", "Gaussian machines", ""},
			{"table 5.4", "polynomial machines", ""},
			{"table 5.5", "Friedman's test, Gaussian", ""},
			{"table 5.6", "Friedman's test, polynomial", ""},
		}},
		{"Sindhwani 2007", cite.Sindhwani, sindhwaniShown()},
	}
}

func beckerShown() []shown {
	return []shown{
		{"figure 1.1", "the loss of support vector regression", lossKind},
		{"figure 1.2", "the hinge", lossKind},
		{"figure 1.3", "functions through all points", drawing},
		{"table 2.1", "validation functions", "formulas: `mercer methods`, scores"},
		{"figure 3.1", "two moons, growing weight of the graph", ""},
		{"figure 3.2", "the kernel that the data deform", ""},
		{"figure 4.1", "a gradient search on COIL20", ""},
		{"figure 4.2", "a gradient search on USPST", ""},
		{"figure 4.3", "unlabelled rows of COIL20", ""},
		{"figure 4.4", "unlabelled rows of USPST", ""},
		{"figure 4.5", "two ways to the same machine", ""},
		{"table 4.1", "the grid of the searches", "settings: those of `becker-t4.2`"},
		{"figure 4.6", "searches on COIL20", ""},
		{"figure 4.7", "searches on USPST", ""},
		{"table 4.2", "searches compared", ""},
	}
}

func klatzerShown() []shown {
	return []shown{
		{"figure 1.1", "a margin", drawing},
		{"figure 1.2", "a soft margin", drawing},
		{"figure 1.3", "losses", lossKind},
		{"figure 1.4", "a machine and its support vectors", drawing},
		{"figure 1.5", "a map to features", drawing},
		{"figure 1.6", "the idea of a kernel", drawing},
		{"figure 2.1", "the two levels of bi-level learning", drawing},
		{"figure 2.2", "the error over c on Iris", ""},
		{"figure 2.3", "smooth hinges", lossKind},
		{"figure 2.4", "first derivatives of smooth hinges", lossKind},
		{"figure 2.5", "second derivatives of smooth hinges", lossKind},
		{"table 2.1", "smooth hinges and derivatives", lossKind},
		{"table 5.1", "widths of the smooth hinge", ""},
		{"figure 5.1", "smooth hinges of several widths", lossKind},
		{"figure 5.2", "searches for the best c", ""},
		{"table 5.2", "trainings until c has a given precision", ""},
		{"figure 5.3", "the data of fourclass", ""},
		{"figure 5.4", "paths of searches over (c, gamma), logarithmic loss", ""},
		{"figure 5.5", "paths of searches over (c, gamma), quartic loss", ""},
		{"table 5.3", "searches over (c, gamma)", ""},
		{"table 5.4", "trainings until c and gamma have a given precision", ""},
		{"figure 5.6", "half moons, gamma 0.49", ""},
		{"figure 5.7", "half moons, gamma 1", ""},
		{"figure 5.8", "half moons, gamma 2", ""},
		{"figure 5.9", "one gamma for each feature of Seeds", ""},
		{"table 5.5", "one gamma for each feature of Seeds", ""},
		{"figure 5.10", "one gamma for each feature of Heart", ""},
		{"table 5.6", "machines on Heart", ""},
		{"figure 5.11", "one c for each feature of Heart", ""},
		{"table 5.7", "several kernels on Parkinsons", ""},
		{"figure 5.12", "another outer loss", ""},
		{"figure 6.1", "kernels on Caltech 5", ""},
		{"figure 6.2", "searches on Caltech 10", ""},
		{"figure 6.3", "linear machines on Graz02", ""},
		{"figure 6.4", "searches on Graz02", ""},
		{"figure 6.5", "one kernel for each class of MNIST", ""},
	}
}

func sindhwaniShown() []shown {
	return []shown{
		{"figure 1.1", "examples", drawing},
		{"figure 1.2", "generalisation", drawing},
		{"figure 1.3", "examples on a manifold", drawing},
		{"figure 1.4", "distances along a manifold", drawing},
		{"figure 1.5", "losses", lossKind},
		{"table 1.1", "losses", lossKind},
		{"figure 1.6", "a manifold", drawing},
		{"figure 1.7", "the graph of a manifold", drawing},
		{"figure 1.8", "clusters", drawing},
		{"figure 1.9", "a curve", drawing},
		{"figure 1.10", "blobs", drawing},
		{"table 2.1", "manifold regularisation", formulas},
		{"figure 2.1", "two circles", ""},
		{"figure 2.2", "the Gaussian kernel on two circles", ""},
		{"figure 2.3", "the warped kernel on two circles", ""},
		{"table 2.2", "relatives of manifold regularisation", formulas},
		{"figure 2.4", "two moons, growing weight of the graph", ""},
		{"figure 2.5", "two moons, the best machines", ""},
		{"figure 2.6", "Isolet", ""},
		{"figure 2.7", "Isolet, unseen rows", ""},
		{"table 2.3", "Isolet, all letters", ""},
		{"table 2.4", "WebKB", ""},
		{"figure 2.8", "WebKB by numbers of rows", ""},
		{"table 2.5", "sets of the experiments", dataSets},
		{"table 2.6", "unlabelled rows of five sets", ""},
		{"table 2.7", "WebKB in three views", ""},
		{"table 2.8", "WebKB, unseen rows", ""},
		{"table 2.9", "unseen rows of four sets", ""},
		{"figure 2.9", "unseen against unlabelled", ""},
		{"figure 2.10", "clusters of two moons", ""},
		{"figure 2.11", "clusters of two spirals", ""},
		{"figure 3.1", "effective losses", ""},
		{"figure 3.2", "a tree of branch and bound", drawing},
		{"table 3.1", "two moons, global minima", ""},
		{"figure 3.3", "the three cars", "pictures of the data of `sindhwani-t3.2`"},
		{"table 3.2", "three cars, global minima", ""},
		{"table 3.3", "the annealing algorithm", "an algorithm: `da-s3vm`"},
		{"figure 3.4", "annealed losses", ""},
		{"figure 3.5", "losses of other machines", ""},
		{"figure 3.6", "moons and circles", ""},
		{"table 3.4", "how often all rows are right", ""},
		{"table 3.5", "sets of the experiments", ""},
		{"table 3.6", "machines that decide labels", ""},
		{"table 3.7", "what annealing is worth", ""},
		{"figure 4.1", "views as a graph", drawing},
		{"figure 4.2", "moons and lines, co-regularised", ""},
		{"figure 4.3", "moons and lines, on graphs", ""},
		{"table 4.1", "WebKB in two views", ""},
		{"table 4.2", "WebKB in two views, unseen rows", ""},
		{"table 5.1", "sets of the experiments", ""},
		{"table 5.2", "tuned hyper-parameters", ""},
		{"table 5.3", "choices of a basis", ""},
		{"table 5.4", "the sigmoid", ""},
		{"table 5.5", "greedy and slack", ""},
		{"figure 5.1", "errors by the number of basis functions", ""},
		{"figure 5.2", "a letter T and two parallel strokes", ""},
		{"figure 5.3", "the decoupled machine", "an algorithm: `sparse-lap-rls --set repair=decoupled`"},
		{"table 6.1", "sets of the experiments", ""},
		{"figure 6.1", "objectives", ""},
		{"table 6.2", "objectives, 800 000 rows", ""},
		{"table 6.3", "objectives, 5 million rows", "KDD 99 is not among our data; `sindhwani-t6.2` is of the same kind"},
		{"figure 6.2", "errors", ""},
		{"figure 6.3", "what unlabelled rows are worth", ""},
		{"table 6.4", "errors, 800 000 rows", ""},
		{"table 6.5", "errors, 5 million rows", "KDD 99 is not among our data; `sindhwani-t6.4` is of the same kind"},
		{"figure 6.4", "times", ""},
		{"table 6.6", "times, 800 000 rows", ""},
		{"table 6.7", "times, 5 million rows", "KDD 99 is not among our data; `sindhwani-t6.6` is of the same kind"},
	}
}

var (
	shownNumbers = regexp.MustCompile(`(tables?|figs?\.?|figures?) (\d+\.\d+(?:(?:, | and | to )\d+\.\d+)*)`)
	oneNumber    = regexp.MustCompile(`(, | and | to )?(\d+)\.(\d+)`)
)

// shows lists the tables and figures that an experiment names as its source, in the words of shown.
func (x Experiment) shows() []string {
	var list []string
	for _, m := range shownNumbers.FindAllStringSubmatch(x.Source, -1) {
		kind := "figure"
		if strings.HasPrefix(m[1], "table") {
			kind = "table"
		}
		var chapter, last int
		for _, n := range oneNumber.FindAllStringSubmatch(m[2], -1) {
			c, _ := strconv.Atoi(n[2]) // digits, as matched
			k, _ := strconv.Atoi(n[3])
			first := k
			if n[1] == " to " && c == chapter {
				first = last + 1
			}
			for i := first; i <= k; i++ {
				list = append(list, fmt.Sprintf("%s %d.%d", kind, c, i))
			}
			chapter, last = c, k
		}
	}
	return list
}

// Sources writes, as Markdown, what of the five documents is where: the methods, kernels, scores, searches and losses that are
// declared to come from them, and all of their tables and figures with the experiments that show them again.
func Sources(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# What of the sources is where

    mercer reproduce --sources > docs/sources.md

Mercer implements five documents on learning in reproducing kernel Hilbert spaces. The first table of each lists what the program has of
it: ` + "`mercer methods ID`" + ` explains an entry. The second lists its tables and figures:
` + "`mercer reproduce ID --data DIR`" + ` runs the experiment that shows one again.

The last column of a first table says where the source has the entry. A number alone is that of a section; the column is empty where
no single place defines it. "As corrected" says that a formula there is misprinted or wrong, and that the program computes the right one;
[notation.md](notation.md#where-the-sources-err) lists what matters. "A drawing" illustrates the text and has no data behind it.
`)
	for _, s := range sources() {
		fmt.Fprintf(&b, "\n## %s\n\n| kind | id | name | where in the source |\n|---|---|---|---|\n", s.cited)
		for _, e := range method.Entries() {
			if at, ok := s.cites(e.Source); ok {
				fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", e.Kind, e.ID, e.Title, at)
			}
		}
		if len(s.shown) == 0 {
			b.WriteString("\nIt has no tables and figures; `mercer reproduce lecture-fit` runs its machines.\n")
			continue
		}
		b.WriteString("\n| table or figure | what it shows | shown again by |\n|---|---|---|\n")
		for _, x := range s.shown {
			by := x.reason
			if by == "" {
				by = strings.Join(s.experiments(x.what), ", ")
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", x.what, x.about, by)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cites returns where in the source a declaration has its part from.
func (s source) cites(declared string) (at string, ok bool) {
	var places []string
	for part := range strings.SplitSeq(declared, "; ") {
		if _, rest, found := strings.Cut(part, s.cited); found {
			ok = true
			if rest = strings.Trim(rest, " ,."); rest != "" {
				if strings.Count(rest, "(") > strings.Count(rest, ")") { // the bracket ends behind a semicolon
					rest += ")"
				}
				places = append(places, rest)
			}
		}
	}
	return strings.Join(places, "; "), ok
}

// experiments are the ids that show a table or figure again.
func (s source) experiments(what string) []string {
	var ids []string
	for _, x := range List() {
		if strings.HasPrefix(x.Source, s.name) && slices.Contains(x.shows(), what) {
			ids = append(ids, "`"+x.ID+"`")
		}
	}
	return ids
}
