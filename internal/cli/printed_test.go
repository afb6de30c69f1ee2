package cli

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"
)

// printed are commands whose text for people is kept in testdata/printed, with the files they write: every
// table, and the lines before it.
var printed = map[string]string{
	"fit-two-classes":   "fit two-moons --labels-per-class 3 --test test.csv",
	"fit-three-classes": "fit iris --labels-per-class 3",
	"fit-regression":    "fit sinc --labels 25 --budget 12",
	"fit-digits":        "fit digits --labels-per-class 2 --method rls",
	"fit-splits":        "fit iris --splits splits.csv",
	"fit-balance":       "fit two-moons --labels-per-class 3 --set balance=0.4 --budget 6",
	"fit-ard":           "fit iris --labels 60 --method rls --kernel ard-gaussian --search gradient --budget 40",
	"fit-select":        "fit wine --labels 60 --method rls --kernel ard-gaussian --search gradient --budget 30 --set select=0.2",
	"fit-groups":        "fit wine --labels 60 --method rls --groups auto --search gradient --budget 20",
	"fit-svm":           "fit iris --labels 60 --method svm --tune none -o model.mercer",
	"fit-logistic":      "fit wine --method logistic --kernel linear --scale standard --tune none",
	"fit-per-class":     "fit iris --labels 60 --method l2-svm --tune kfold:5 --search gradient --set per_class=yes --budget 10",
	"fit-svr":           "fit sinc --labels 40 --method svr --tune none",
	"fit-one-class":     "fit wine --method one-class --set nu=0.05",
	"fit-views":         "fit iris --labels-per-class 5 --method lap-rls --view sepal=1..2 --view petal=3..4 --budget 12",
	"fit-combined":      "fit iris --labels-per-class 8 --method c-lap-rls --set neighbours=3,8 --budget 10",
	"fit-lap-svm":       "fit two-moons --labels-per-class 3 --method lap-svm --set neighbours=6 --budget 6",
	"fit-lds":           "fit two-moons --labels-per-class 3 --method lds --set neighbours=6 --tune none",
	"fit-da-s3vm":       "fit two-moons:n=100 --labels-per-class 3 --method da-s3vm --set sigma=0.3 --tune none",
	"fit-lgc":           "fit iris --labels-per-class 5 --method lgc",
	"fit-cg":            "fit two-moons --labels-per-class 3 --method lap-rls --set solver=cg --tune none",
	"fit-folds":         "fit breast-cancer --labels 90 --method l2-svm --tune kfold:5 --search random --budget 3",
	"pareto":            "pareto sinc --labels 30 --set joint=no",
	"pareto-classes":    "pareto iris --labels 15 --method mobj-rbf --decision bic",
	"pareto-machines":   "pareto breast-cancer --labels 40 --method mobj-svm --set C=0.5,2,8 --set sigma=2,4",
	"pareto-grn":        "pareto sinc --labels 30 --method grn --decision aic",
	"evaluate":          "evaluate two.mercer test.csv",
	"evaluate-three":    "evaluate three.mercer iris",
	"evaluate-numbers":  "evaluate sinc.mercer sinc:n=40,seed=9",
	"predict":           "predict three.mercer few.csv --probability",
	"predict-json":      "predict three.mercer few.csv --probability --json",
	"predict-member":    "predict front.mercer test.csv --member 2",
	"cluster":           "cluster iris -o out.csv",
	"cluster-k":         "cluster two-moons --clusters 2 --split k-means --set weights=heat --test test.csv -o out.csv",
	"cluster-median":    "cluster wine --clusters 2 --split median --neighbours 5 -o out.csv",
	"embed":             "embed iris --dim 3 -o out.csv",
	"embed-kernel":      "embed iris --kernel gaussian --set gamma_a=1e-3 --set rank=40 --test few.csv -o out.csv",
	"export":            "export svm.mercer --format libsvm -o out.model",
	"export-two":        "export two.mercer --format libsvm -o out.model",
	"convert":           "convert few.csv -o out.svm",
	"data":              "data",
	"data-generator":    "data two-moons:n=12 --noise 0.1 --set labelled=2",
	"methods":           "methods",
	"methods-loss":      "methods quartic --plot",
	"reproduce":         "reproduce becker-f3.2",
	"reproduce-list":    "reproduce",
	"page-two":          "fit two-moons --labels-per-class 3 --budget 6 --report page --quiet",
	"page-search":       "fit two-moons:n=60 --labels 30 --method rls --search gradient --report page --quiet",
	"page-numbers":      "fit sinc --labels 30 --method rls --report page --quiet",
	"page-splits":       "fit iris --splits splits.csv --method rls --report page --quiet",
	"page-front":        "pareto sinc --labels 30 --set joint=no --report page --quiet",
	"page-classes":      "pareto iris --labels 30 --method mobj-svm --set C=1,4,16 --report page --quiet",
	"page-experiment":   "reproduce becker-f3.1 --report page --quiet",
}

// passing are the parts of a text that depend on the machine, its processors and the moment.
var passing = regexp.MustCompile(
	`(about|less than) [0-9.]+ (s|min|h|days|rows a second)\b|[0-9.]+ (s|ms|[KMG]iB)\b|residual [^,\s]+|` +
		`; (pure Go|Go)[^;\n]*|` +
		`mercer (version )?\(devel\)|mercer [0-9a-f]{12}|20\d\d-\d\d-\d\d[^<\n]*|data:image/[a-z+]+;base64,[A-Za-z0-9+/=]+|` +
		`objective [^,\s]+|\((tuning|front) [^)]*\)`,
)

// token is a number of a text, or what looks like one: a colour, a name.
var token = regexp.MustCompile(`#[0-9a-fA-F]+|[A-Za-z_][A-Za-z_0-9]*|[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)

// text is a text taken apart: its words, with a mark for each number, and the numbers.
type text struct {
	Words   string
	Numbers []float64
}

func apart(s string) text {
	var t text
	t.Words = token.ReplaceAllStringFunc(passing.ReplaceAllString(s, "~"), func(word string) string {
		v, err := strconv.ParseFloat(word, 64)
		if word[0] == '#' || word[0] >= 'A' || err != nil {
			return word
		}
		t.Numbers = append(t.Numbers, v)
		return "%"
	})
	return t
}

// digest is what is kept of a picture or a page: its words by their sum, and moments of its numbers.
type digest struct {
	Words               string
	Numbers, Negative   int
	Sum, Square, Places float64
}

func (t text) digest() digest {
	sum := sha256.Sum256([]byte(t.Words))
	d := digest{Words: fmt.Sprintf("x%x", sum[:6]), Numbers: len(t.Numbers)}
	for i, v := range t.Numbers {
		if v < 0 {
			d.Negative++
		}
		d.Sum += math.Abs(v)
		d.Square += v * v
		d.Places += math.Abs(v) * float64(1+i%7)
	}
	return d
}

// leaves is what a command prints, as it stands, and its files: short ones as they stand, pages and pictures
// as digests.
func leaves(t *testing.T, command string, before []string) (string, map[string]digest) {
	t.Helper()
	r := run(t, "", strings.Fields(command)...)
	if r.code != exitDone {
		t.Fatalf("mercer %s: exit %d: %s", command, r.code, r.stderr)
	}
	var b strings.Builder
	b.WriteString(r.stderr + r.stdout)
	pages := map[string]digest{}
	names, _ := filepath.Glob("*") // a pattern without a fault
	pictures, _ := filepath.Glob("page/*")
	for _, name := range append(names, pictures...) {
		content, err := os.ReadFile(name)
		if slices.Contains(before, name) || err != nil || strings.HasSuffix(name, ".mercer") || strings.HasSuffix(name, ".png") {
			continue
		}
		if strings.HasPrefix(name, "page/") {
			pages[name] = apart(string(content)).digest()
		} else {
			b.WriteString("== " + name + "\n" + string(content))
		}
	}
	return b.String(), pages
}

// TestPrinted: what people are shown changes only where something is mended, and the files are then
// written anew with -update.
func TestPrinted(t *testing.T) {
	if testing.Short() {
		t.Skip("some ten seconds of fits")
	}
	folder, err := filepath.Abs(filepath.Join("testdata", "printed"))
	if err != nil {
		t.Fatal(err)
	}
	folderWith(t, map[string]string{"splits.csv": "split,labelled_rows\n0,0 1 50 51 100 101\n1,20 21 70 71 120 121\n"})
	test := done(t, "data", "two-moons:n=40,seed=8").stdout
	iris := strings.SplitAfter(done(t, "data", "iris").stdout, "\n")
	for name, content := range map[string]string{"test.csv": test, "few.csv": iris[0] + iris[3] + iris[60] + iris[77] + iris[120] +
		iris[133]} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ok(t, "fit", "two-moons", "--labels", "90", "--method", "svm", "--tune", "none", "-o", "two.mercer")
	ok(t, "fit", "iris", "--labels", "30", "--method", "rls", "-o", "three.mercer")
	ok(t, "fit", "iris", "--labels", "90", "--method", "svm", "--tune", "none", "-o", "svm.mercer")
	ok(t, "fit", "sinc", "--labels", "30", "--method", "rls", "-o", "sinc.mercer")
	ok(t, "pareto", "two-moons", "--labels", "30", "--method", "mobj-svm", "--set", "C=1,4", "--set", "sigma=0.3,0.6", "-o", "front.mercer")
	before, _ := filepath.Glob("*")
	for _, name := range slices.Sorted(maps.Keys(printed)) {
		t.Run(name, func(t *testing.T) {
			shown, pages := leaves(t, printed[name], before)
			now, _ := filepath.Glob("*")
			for _, file := range now {
				if !slices.Contains(before, file) {
					if err := os.RemoveAll(file); err != nil {
						t.Fatal(err)
					}
				}
			}
			path := filepath.Join(folder, name+".txt")
			if len(pages) > 0 {
				text, err := json.MarshalIndent(pages, "", "\t")
				if err != nil {
					t.Fatal(err)
				}
				shown += string(text) + "\n"
			}
			shown = passing.ReplaceAllString(shown, "~")
			kept.Text(t, path, shown, sameNumbers)
		})
	}
}

// sameNumbers compares two lines, numbers as far as engines of linear algebra agree.
func sameNumbers(was, now string) bool {
	x, y := apart(was), apart(now)
	if x.Words != y.Words || len(x.Numbers) != len(y.Numbers) {
		return false
	}
	for k, v := range x.Numbers {
		if !(math.Abs(v-y.Numbers[k]) <= 5e-3*math.Abs(v)+1e-6) {
			return false
		}
	}
	return true
}
