package data

import (
	"bufio"
	"compress/gzip"
	"context"
	"embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

//go:embed builtin/*.gz
var builtinFiles embed.FS

// Entry describes a built-in set, or a generator at its default parameters.
type Entry struct {
	Name, About             string
	Rows, Features, Classes int    // Classes 0 = regression
	file, names             string // of a built-in set: its file, its features (default x0, x1, ...)
	header                  bool
	parameters              []param // of a generator
	generate                func(ctx context.Context, v values) (*Set, error)
}

// param is a parameter of a generator.
type param struct {
	name, about        string
	usual, least, most float64
	whole              bool
}

// Params are the names of the parameters of a generator.
func (e Entry) Params() []string {
	var names []string
	for _, p := range e.parameters {
		names = append(names, p.name)
	}
	return names
}

// List returns the built-in sets, then the generators.
func List() []Entry {
	return append([]Entry{
		{Name: "digits", About: "8x8 images of handwritten digits (UCI)", Rows: 1797, Features: 64, Classes: 10, file: "digits"},
		{Name: "iris", About: "sepals and petals of three irises (UCI)", Rows: 150, Features: 4, Classes: 3, file: "iris", header: true,
			names: "sepal_length sepal_width petal_length petal_width"},
		{
			Name:     "wine",
			About:    "chemistry of wines of three growers (UCI)",
			Rows:     178,
			Features: 13,
			Classes:  3,
			file:     "wine_data",
			header:   true,
			names: "alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids nonflavanoid_phenols " +
				"proanthocyanins color_intensity hue od280_od315_of_diluted_wines proline",
		},
		{
			Name:     "breast-cancer",
			About:    "cell nuclei, 0 malignant, 1 benign (UCI, Wisconsin)",
			Rows:     569,
			Features: 30,
			Classes:  2,
			file:     "breast_cancer",
			header:   true,
			names:    nuclei("mean_") + " " + nuclei("") + " " + nuclei("worst_"),
		},
	}, append(generators(), textEntries()...)...)
}

// nuclei names the ten measurements of cell nuclei; "" stands for their errors.
func nuclei(prefix string) string {
	names := strings.Fields("radius texture perimeter area smoothness compactness concavity concave_points symmetry fractal_dimension")
	for i, n := range names {
		if names[i] = prefix + n; prefix == "" {
			names[i] = n + "_error"
		}
	}
	return strings.Join(names, " ")
}

// IsBuiltin says whether spec names a built-in set or generator, whether or not
// its parameters are right.
func IsBuiltin(spec string) bool {
	_, ok := lookup(spec)
	return ok
}

func lookup(spec string) (Entry, bool) {
	name, _, _ := strings.Cut(spec, ":")
	for _, e := range List() {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// Builtin returns the set or generator of that name. A generator takes
// parameters after a colon: "two-moons:n=400,noise=0.2,seed=3".
func Builtin(spec string) (*Set, error) { return BuiltinWithin(context.Background(), spec) }

// BuiltinWithin is Builtin within a context: soon after that has ended, its error is returned.
func BuiltinWithin(ctx context.Context, spec string) (*Set, error) {
	e, ok := lookup(spec)
	if !ok {
		var names []string
		for _, e := range List() {
			names = append(names, e.Name)
		}
		return nil, fmt.Errorf("no built-in set %q; one of %s", spec, strings.Join(names, ", "))
	}
	_, params, _ := strings.Cut(spec, ":")
	if e.generate == nil {
		if params != "" {
			return nil, fmt.Errorf("%s takes no parameters; drop %q", e.Name, ":"+params)
		}
		return e.read()
	}
	v, err := e.parse(params)
	if err != nil {
		return nil, err
	}
	s, err := e.generate(ctx, v)
	if err != nil {
		return nil, err
	}
	s.Name, s.Source = e.Name, spec
	return s, nil
}

// parse reads name=value pairs, separated by commas, over the defaults.
func (e Entry) parse(params string) (values, error) {
	v := make(values)
	for _, p := range e.parameters {
		v[p.name] = p.usual
	}
	if params == "" {
		return v, nil
	}
	for pair := range strings.SplitSeq(params, ",") {
		name, text, _ := strings.Cut(pair, "=")
		if _, ok := v[name]; !ok {
			return nil, fmt.Errorf("%s has no parameter %q; it takes %s", e.Name, name, strings.Join(e.Params(), ", "))
		}
		for _, p := range e.parameters {
			if p.name != name {
				continue
			}
			x, ok := Number(text)
			if !ok || x < p.least || x > p.most || p.whole && x != float64(int64(x)) {
				kind := "a number"
				if p.whole {
					kind = "a whole number"
				}
				return nil, fmt.Errorf("%s: %s is %q; give %s from %g to %g", e.Name, name, text, kind, p.least, p.most)
			}
			v[name] = x
		}
	}
	return v, nil
}

// read parses the embedded file.
func (e Entry) read() (*Set, error) {
	f, err := builtinFiles.Open("builtin/" + e.file + ".csv.gz")
	if err != nil {
		return nil, err
	}
	return e.parsed(f)
}

// parsed reads gzipped lines: comma-separated numbers, the label last.
func (e Entry) parsed(f io.Reader) (*Set, error) {
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	if e.header {
		lines.Scan()
	}
	s := &Set{Name: e.Name, Source: e.Name, LabelName: "label", Features: strings.Fields(e.names)}
	if len(s.Features) == 0 {
		s.Features = numbered(e.Features)
	}
	x := make([]float64, 0, e.Rows*e.Features)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ",")
		for _, text := range fields[:e.Features] {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, err
			}
			x = append(x, v)
		}
		s.Answers = append(s.Answers, fields[e.Features])
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	s.Rows.Dense = mat.NewDense(e.Rows, e.Features, x)
	return s, nil
}

// numbered returns the names x0, x1, ... of d columns.
func numbered(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = "x" + strconv.Itoa(j)
	}
	return names
}
