package kernel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/brief"
)

// Specifications are kernels as people type them:
//
//	spec    = product { "+" product }
//	product = factor { "*" factor }
//	factor  = number "*" factor | primary [ "[" columns "]" ]
//	primary = NAME [ "(" key "=" value { "," key "=" value } ")" ]
//	        | "normalised(" spec ")" | "(" spec ")"
//	columns = column [ ".." column ] { "," column [ ".." column ] }
//
// NAME is one of Names. A value is a number, or numbers joined by ":". A column
// is a feature's name, in double quotes if it holds any of , ] " or .., or else
// its number counted from 1 as in LIBSVM files.

// Parse reads a specification such as "gaussian", "gaussian+linear",
// "gaussian[a..c]+laplacian[d]", "0.5*polynomial(degree=2)". features are the
// names of the columns (nil if they have none). What is not given is zero, to be
// taken from the rows by Adapt, but the offset of a polynomial, which is 1.
func Parse(spec string, features []string) (Kernel, error) {
	p := &parser{rest: spec, features: features}
	k, err := p.sum(maxDepth)
	if err == nil && p.peek() != 0 {
		err = fmt.Errorf("unexpected %q", p.rest)
	}
	if err == nil {
		err = check(k, described)
	}
	if err != nil {
		return nil, fmt.Errorf("kernel %q: %w", spec, err)
	}
	return k, nil
}

type parser struct {
	rest     string
	features []string
}

// peek skips spaces and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	p.rest = strings.TrimLeft(p.rest, " \t")
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *parser) expect(c byte) error {
	if !p.accept(c) {
		if p.rest == "" {
			return fmt.Errorf("%q is missing at the end", string(c))
		}
		return fmt.Errorf("%q is missing before %q", string(c), p.rest)
	}
	return nil
}

func (p *parser) sum(depth int) (Kernel, error) {
	terms, err := p.list('+', func() (Kernel, error) {
		factors, err := p.list('*', func() (Kernel, error) { return p.factor(depth) })
		if err != nil || len(factors) == 1 {
			return one(factors), err
		}
		return Product{Terms: factors}, nil
	})
	if err != nil || len(terms) == 1 {
		return one(terms), err
	}
	return Sum{Terms: terms}, nil
}

func one(list []Kernel) Kernel {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func (p *parser) list(separator byte, item func() (Kernel, error)) ([]Kernel, error) {
	var list []Kernel
	for {
		k, err := item()
		if err != nil {
			return nil, err
		}
		if list = append(list, k); !p.accept(separator) {
			return list, nil
		}
	}
}

var (
	numberStart = regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?`)
	nameStart   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*`)
)

func (p *parser) factor(depth int) (Kernel, error) {
	if depth == 0 {
		return nil, fmt.Errorf("more than %d kernels inside each other", maxDepth)
	}
	p.peek()
	if n := numberStart.FindString(p.rest); n != "" {
		p.rest = p.rest[len(n):]
		w, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return nil, fmt.Errorf("weight %s is out of range", n)
		}
		if err := p.expect('*'); err != nil {
			return nil, err
		}
		base, err := p.factor(depth - 1)
		return Scaled{Weight: w, Base: base}, err
	}
	k, err := p.primary(depth)
	if err != nil || !p.accept('[') {
		return k, err
	}
	if hasColumns(k) {
		return nil, fmt.Errorf("columns of columns; list them once")
	}
	return p.columns(k)
}

func (p *parser) primary(depth int) (Kernel, error) {
	if p.accept('(') {
		k, err := p.sum(depth - 1)
		if err != nil {
			return nil, err
		}
		return k, p.expect(')')
	}
	name := nameStart.FindString(p.rest)
	p.rest = p.rest[len(name):]
	if name == "normalised" {
		if err := p.expect('('); err != nil {
			return nil, err
		}
		k, err := p.sum(depth - 1)
		if err != nil {
			return nil, err
		}
		return Normalised{Base: k}, p.expect(')')
	}
	if !slices.Contains(Names(), name) {
		if name == "" {
			return nil, fmt.Errorf("a kernel's name is missing before %q; known are %s", p.rest, strings.Join(Names(), ", "))
		}
		if ours, ok := elsewhere[name]; ok {
			return nil, fmt.Errorf("unknown kernel %q; it is called %s here", name, ours)
		}
		return nil, fmt.Errorf("unknown kernel %q%s; known are %s", name, brief.Suggest(name, Names()), strings.Join(Names(), ", "))
	}
	given := map[string]any{"type": name}
	fields, _ := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.ID == name })].fresh()
	for _, f := range fields {
		if f.usual != 0 {
			given[f.name] = f.usual
		}
	}
	if p.accept('(') {
		if err := p.arguments(given, fields); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	b, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	return own(nil).unmarshal(b, 1)
}

// arguments reads key=value pairs up to the closing parenthesis.
func (p *parser) arguments(given map[string]any, fields []field) error {
	for {
		p.peek()
		key := nameStart.FindString(p.rest)
		p.rest = p.rest[len(key):]
		if key == "" || key == "type" {
			return fmt.Errorf("a parameter's name is missing before %q", p.rest)
		}
		if err := p.expect('='); err != nil {
			return err
		}
		var values []float64
		for {
			end := strings.IndexAny(p.rest, ":,)")
			if end < 0 {
				return fmt.Errorf("%q is missing at the end", ")")
			}
			v, err := strconv.ParseFloat(strings.TrimSpace(p.rest[:end]), 64)
			if err != nil {
				return fmt.Errorf("%s: %q is not a number", key, p.rest[:end])
			}
			values = append(values, v)
			p.rest = p.rest[end:]
			if !p.accept(':') {
				break
			}
		}
		several := slices.ContainsFunc(fields, func(f field) bool {
			_, list := f.value.(*[]float64)
			return list && f.name == key
		})
		if given[key] = values; len(values) == 1 && !several {
			given[key] = values[0]
		}
		if p.accept(')') {
			return nil
		}
		if err := p.expect(','); err != nil {
			return err
		}
	}
}

// columns reads a column list up to the closing bracket.
func (p *parser) columns(base Kernel) (Kernel, error) {
	k := Columns{Base: base}
	for {
		first, err := p.column()
		if err != nil {
			return nil, err
		}
		last := first
		if p.peek(); strings.HasPrefix(p.rest, "..") {
			p.rest = p.rest[2:]
			if last, err = p.column(); err != nil {
				return nil, err
			}
			if last < first {
				return nil, fmt.Errorf("columns %s..%s are in reverse order", p.name(first), p.name(last))
			}
			if last-first >= 1<<20 { // a slip of the pen, not a million features by hand
				return nil, fmt.Errorf("%d columns in one range; the limit is %d", last-first+1, 1<<20)
			}
		}
		for c := first; c <= last; c++ {
			k.Columns = append(k.Columns, c)
			if p.features != nil {
				k.Names = append(k.Names, p.features[c])
			}
		}
		if p.accept(']') {
			break
		}
		if err := p.expect(','); err != nil {
			return nil, err
		}
	}
	sorted := slices.Clone(k.Columns)
	slices.Sort(sorted)
	for a := 1; a < len(sorted); a++ {
		if sorted[a] == sorted[a-1] {
			return nil, fmt.Errorf("column %s is listed twice", p.name(sorted[a]))
		}
	}
	return k, nil
}

func (p *parser) name(c int) string { return columnName(c, p.features) }

// column reads one column and returns its number from 0.
func (p *parser) column() (int, error) {
	var name string
	if p.peek() == '"' {
		quoted, err := strconv.QuotedPrefix(p.rest)
		if err != nil {
			return 0, fmt.Errorf("the closing quote is missing in %s", p.rest)
		}
		p.rest = p.rest[len(quoted):]
		if name, err = strconv.Unquote(quoted); err != nil {
			return 0, err
		}
	} else {
		end := strings.IndexAny(p.rest, ",]")
		if end < 0 {
			return 0, fmt.Errorf("%q is missing at the end", "]")
		}
		if dots := strings.Index(p.rest[:end], ".."); dots >= 0 {
			end = dots
		}
		name = strings.TrimSpace(p.rest[:end])
		p.rest = p.rest[end:]
	}
	if c := slices.Index(p.features, name); c >= 0 {
		return c, nil
	}
	c, err := strconv.Atoi(name)
	if err != nil || c < 1 || c > 1<<31-1 || p.features != nil && c > len(p.features) {
		if p.features == nil {
			return 0, fmt.Errorf("column %q is no number; the columns have no names, count them from 1", name)
		}
		shown := p.features[:min(10, len(p.features))] // enough to see what names look like
		more := ""
		if len(shown) < len(p.features) {
			more = fmt.Sprintf(" and %d more", len(p.features)-len(shown))
		}
		return 0, fmt.Errorf("no feature %q; there are %s%s", name, strings.Join(shown, ", "), more)
	}
	return c - 1, nil
}

func hasColumns(k Kernel) bool {
	_, columns := k.(Columns)
	return columns || slices.ContainsFunc(parts(k), hasColumns)
}

// elsewhere is what LIBSVM and scikit-learn call some kernels.
var elsewhere = map[string]string{
	"rbf":           "gaussian",
	"RBF":           "gaussian",
	"poly":          "polynomial",
	"chi2":          "exp-chi2",
	"additive_chi2": "add-chi2",
	"tanh":          "sigmoid",
}

// otherNames are names that other programs give to kernels.
var otherNames = regexp.MustCompile(`"[^"]*"|\[[^\]]*\]|\b(rbf|poly)\b`)

// Canonical is a specification in which kernels have the names of this program: rbf is gaussian, and poly polynomial.
// Names of columns, which stand in brackets, are left alone.
func Canonical(spec string) string {
	return otherNames.ReplaceAllStringFunc(spec, func(name string) string {
		switch name {
		case "rbf":
			return "gaussian"
		case "poly":
			return "polynomial"
		}
		return name
	})
}
