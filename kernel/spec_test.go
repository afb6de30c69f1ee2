package kernel_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

func TestParse(t *testing.T) {
	features := []string{"a", "b", "c", "d", "e", "f", "x, y", "2"}
	gaussian := kernel.Gaussian{}
	columns := func(k kernel.Kernel, c ...int) kernel.Kernel {
		out := kernel.Columns{Base: k, Columns: c}
		for _, i := range c {
			out.Names = append(out.Names, features[i])
		}
		return out
	}
	for _, c := range []struct {
		spec string // in the form that Format writes
		want kernel.Kernel
	}{
		{"gaussian", gaussian},
		{"ard-gaussian", kernel.ARDGaussian{}},
		{"linear", kernel.Linear{}},
		{"polynomial", kernel.Polynomial{Offset: 1}},
		{"polynomial(degree=2,offset=0)", kernel.Polynomial{Degree: 2}},
		{"laplacian", kernel.Laplacian{}},
		{"sigmoid", kernel.Sigmoid{}},
		{"exp-chi2", kernel.ExpChi2{}},
		{"exp-chi2(sigma=0.5)", kernel.ExpChi2{Sigma: 0.5}},
		{"add-chi2", kernel.AddChi2{}},
		{"chi2-map", kernel.Chi2Map{}},
		{"chi2-map(harmonics=2,step=0.6)", kernel.Chi2Map{Harmonics: 2, Step: 0.6}},
		{"ard-linear", kernel.ARDLinear{}},
		{"ard-linear(c=2:0.5)", kernel.ARDLinear{C: []float64{2, 0.5}}},
		{"ard-linear(c=3)", kernel.ARDLinear{C: []float64{3}}},
		{"precomputed", kernel.Precomputed{}},
		{"gaussian(sigma=1.5)", kernel.Gaussian{Sigma: 1.5}},
		{"ard-gaussian(sigma=1:0.5)", kernel.ARDGaussian{Sigma: []float64{1, 0.5}}},
		{"ard-gaussian(sigma=3)", kernel.ARDGaussian{Sigma: []float64{3}}},
		{"sigmoid(scale=2,offset=-1)", kernel.Sigmoid{Scale: 2, Offset: -1}},
		{"gaussian+linear", kernel.Sum{Terms: []kernel.Kernel{gaussian, kernel.Linear{}}}},
		{"gaussian[a..c]+gaussian[d..f]", kernel.Sum{Terms: []kernel.Kernel{columns(gaussian, 0, 1, 2), columns(gaussian, 3, 4, 5)}}},
		{"gaussian[a,b]", columns(gaussian, 0, 1)},
		{`gaussian["x, y",2,a]`, columns(gaussian, 6, 7, 0)},
		{"gaussian*linear+0.5*laplacian", kernel.Sum{Terms: []kernel.Kernel{
			kernel.Product{Terms: []kernel.Kernel{gaussian, kernel.Linear{}}},
			kernel.Scaled{Weight: 0.5, Base: kernel.Laplacian{}}}}},
		{"(gaussian+linear)*linear", kernel.Product{Terms: []kernel.Kernel{
			kernel.Sum{Terms: []kernel.Kernel{gaussian, kernel.Linear{}}}, kernel.Linear{}}}},
		{"gaussian+(gaussian+linear)", kernel.Sum{Terms: []kernel.Kernel{
			gaussian, kernel.Sum{Terms: []kernel.Kernel{gaussian, kernel.Linear{}}}}}},
		{"1e+06*(gaussian+linear)", kernel.Scaled{Weight: 1e6, Base: kernel.Sum{Terms: []kernel.Kernel{gaussian, kernel.Linear{}}}}},
		{"2*3*gaussian*linear", kernel.Product{Terms: []kernel.Kernel{
			kernel.Scaled{Weight: 2, Base: kernel.Scaled{Weight: 3, Base: gaussian}}, kernel.Linear{}}}},
		{"normalised(polynomial)", kernel.Normalised{Base: kernel.Polynomial{Offset: 1}}},
		{"(gaussian+linear)[a]", columns(kernel.Sum{Terms: []kernel.Kernel{gaussian, kernel.Linear{}}}, 0)},
		{"(2*gaussian)[a]", columns(kernel.Scaled{Weight: 2, Base: gaussian}, 0)},
		{"2*gaussian[a]", kernel.Scaled{Weight: 2, Base: columns(gaussian, 0)}},
	} {
		got, err := kernel.Parse(c.spec, features)
		if err != nil {
			t.Error(err)
			continue
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s is %+v, expected %+v", c.spec, got, c.want)
		}
		if back := kernel.Format(got, features); back != c.spec {
			t.Errorf("%s is formatted as %s", c.spec, back)
		}
	}
	for spec, want := range map[string]string{ // other spellings
		" gaussian [ a .. c , e ] + linear": "gaussian[a..c,e]+linear",
		"((gaussian))":                      "gaussian",
		"gaussian[a..b]":                    "gaussian[a,b]",
		"gaussian[1]":                       "gaussian[a]",
		"polynomial(offset=1)":              "polynomial",
	} {
		k, err := kernel.Parse(spec, features)
		if err != nil {
			t.Error(err)
		} else if got := kernel.Format(k, features); got != want {
			t.Errorf("%q is formatted as %s, expected %s", spec, got, want)
		}
	}
	k, err := kernel.Parse("gaussian[2..4,9]", nil)
	if want := (kernel.Columns{Base: gaussian, Columns: []int{1, 2, 3, 8}}); err != nil || !reflect.DeepEqual(k, want) {
		t.Errorf("columns by number: %+v, %v", k, err)
	}
}

func TestParseFaults(t *testing.T) {
	for spec, want := range map[string]string{
		"":                                    "name is missing",
		"rbf":                                 `unknown kernel "rbf"; it is called gaussian here`,
		"gaussian+":                           "name is missing",
		"gaussian linear":                     "unexpected",
		"gaussian[a":                          "missing at the end",
		"gaussian[g]":                         `no feature "g"; there are a, b, c`,
		"gaussian[c..a]":                      "reverse",
		"gaussian[a,a]":                       "twice",
		"gaussian[a][b]":                      "unexpected",
		"(gaussian[a]+linear)[b]":             "columns of columns",
		"gaussian[4]":                         "no feature",
		"gaussian(sigma=0.5":                  "missing at the end",
		"gaussian(sigma=wide)":                "not a number",
		"gaussian(sigma=-1)":                  "must be positive",
		"gaussian(sigma=1:2)":                 "cannot unmarshal",
		"gaussian(degree=2)":                  "fields that it does not have",
		"gaussian(type=2)":                    "parameter's name",
		"polynomial(degree=1.5)":              "cannot unmarshal",
		"exp-chi2(sigma=-1)":                  "must be positive",
		"add-chi2(sigma=1)":                   "fields that it does not have",
		"ard-linear(c=1:-2)":                  "c[2] is -2",
		"linear(c=1)":                         "fields that it does not have",
		"chi2-map(harmonics=-1)":              "harmonics is -1",
		"2gaussian":                           "missing before",
		"rbg":                                 "known are gaussian, ard-gaussian",
		"tanh":                                "it is called sigmoid here",
		"(gaussian":                           "is missing at the end",
		"(rbf)":                               "unknown kernel",
		"normalised(rbf)":                     "unknown kernel",
		"gaussian(sigma 1)":                   "\"=\" is missing before",
		"gaussian(sigma=1,2)":                 "parameter's name",
		"gaussian(sigma=":                     "\")\" is missing at the end",
		`gaussian["a]`:                        "closing quote",
		"gaussian[a..z]":                      `no feature "z"`,
		"gaussian[0]":                         `no feature "0"`,
		"1e999*gaussian":                      "out of range",
		strings.Repeat("(", 100) + "gaussian": "inside each other",
		strings.Repeat("2*", 100) + "linear":  "inside each other",
	} {
		if k, err := kernel.Parse(spec, []string{"a", "b", "c"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, error %v, expected ...%s...", spec, k, err, want)
		}
	}
	long := "1048577 columns in one range; the limit is 1048576"
	if _, err := kernel.Parse("gaussian[1..1048577]", nil); err == nil || !strings.Contains(err.Error(), long) {
		t.Errorf("a range that is too long: error %v", err)
	}
	many := strings.Split("a b c d e f g h i j k l", " ")
	ten := "there are a, b, c, d, e, f, g, h, i, j and 2 more"
	if _, err := kernel.Parse("gaussian[z]", many); err == nil || !strings.HasSuffix(err.Error(), ten) {
		t.Errorf("a name of none of twelve: error %v", err)
	}
	if _, err := kernel.Parse("gaussian[a]", nil); err == nil || !strings.Contains(err.Error(), "have no names") {
		t.Errorf("a name where there are none: error %v", err)
	}
}

func TestUnmarshalFaults(t *testing.T) {
	for text, want := range map[string]string{
		``:                                        "EOF",
		`null`:                                    "unknown type",
		`{"type":"rbf"}`:                          `unknown type "rbf"; known are gaussian`,
		`{"type":"gaussian","degree":2}`:          "fields that it does not have",
		`{"type":"gaussian","gamma":2}`:           "unknown field",
		`{"type":"gaussian","sigma":-2}`:          "must be positive",
		`{"type":"gaussian"} x`:                   "text after",
		`{"type":"gaussian","sigma":[1]}`:         "cannot unmarshal",
		`{"type":"scaled","weight":1}`:            "no base kernel",
		`{"type":3}`:                              "cannot unmarshal",
		`{"type":"other.Kernel"}`:                 "a type of another package",
		`{"type":"sum","terms":[{"type":"x"}]}`:   `unknown type "x"`,
		`{"type":"sum","terms":3}`:                "cannot unmarshal",
		`{"type":"sum"}`:                          "no terms",
		`{"type":"precomputed","matrix":[[1,2]]}`: "row 0 of the matrix has 2 values",
		strings.Repeat(`{"type":"normalised","base":`, 40) + `{"type":"linear"}` + strings.Repeat("}", 40): "inside each other",
	} {
		if k, err := kernel.Unmarshal([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, error %v, expected ...%s...", text, k, err, want)
		}
	}
}

// What can be read can be written and read again, and neither reader panics.
func FuzzUnmarshal(f *testing.F) {
	for _, k := range kernels() {
		b, err := kernel.Marshal(k)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := kernel.Unmarshal([]byte(text))
		if err != nil {
			return
		}
		b, err := kernel.Marshal(k)
		if err != nil {
			t.Fatalf("%s was read but cannot be written: %v", text, err)
		}
		again, err := kernel.Unmarshal(b)
		if err != nil {
			t.Fatalf("%s was written as %s: %v", text, b, err)
		}
		if c, err := kernel.Marshal(again); err != nil || string(c) != string(b) {
			t.Fatalf("%s, then %s (%v)", b, c, err)
		}
		k.Space()
	})
}

// A specification that is understood formats to one with the same meaning.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"gaussian[a..c]+0.5*linear[3]", `(gaussian*linear)["x, y"]`, "normalised(polynomial(degree=2))",
		"ard-gaussian(sigma=1:2)", "exp-chi2[a]+ard-linear(c=1:2)*chi2-map(harmonics=2)"} {
		f.Add(s)
	}
	features := []string{"a", "b", "c", "x, y", "1", ".."}
	f.Fuzz(func(t *testing.T, spec string) {
		k, err := kernel.Parse(spec, features)
		if err != nil {
			return
		}
		text := kernel.Format(k, features)
		again, err := kernel.Parse(text, features)
		if err != nil || !reflect.DeepEqual(k, again) {
			t.Fatalf("%q is %+v, formatted %q is %+v, %v", spec, k, text, again, err)
		}
	})
}

// A normalised kernel stands in parentheses.
func TestNormalisedOpens(t *testing.T) {
	for _, text := range []string{"normalised gaussian)", "normalised", "normalised gaussian"} {
		if k, err := kernel.Parse(text, nil); err == nil || !strings.Contains(err.Error(), "(") {
			t.Errorf("%s is read as %v, %v", text, k, err)
		}
	}
}

// TestCanonical: names of other programs, and columns that happen to have them.
func TestCanonical(t *testing.T) {
	for spec, want := range map[string]string{
		"rbf": "gaussian", "poly(degree=2)": "polynomial(degree=2)", "0.5*rbf+poly": "0.5*gaussian+polynomial",
		"gaussian[rbf..poly]": "gaussian[rbf..poly]", "ard-gaussian": "ard-gaussian", "polynomial": "polynomial", "": "",
	} {
		if got := kernel.Canonical(spec); got != want {
			t.Errorf("%q: %q, want %q", spec, got, want)
		}
	}
}
