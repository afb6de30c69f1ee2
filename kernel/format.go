package kernel

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Format writes a kernel as the specification that Parse reads; zero parameters
// are left out, so that a recipe formats as it was typed. features are the names
// of the columns, nil for the names that the kernel carries. Parse cannot read
// back the matrix of a Precomputed, sums and products of one term, columns of
// columns and kernels of other packages (their Go type is written).
func Format(k Kernel, features []string) string {
	switch k := k.(type) {
	case Scaled:
		return number(k.Weight) + "*" + inside(k.Base, features, 2)
	case Normalised:
		return "normalised(" + Format(k.Base, features) + ")"
	case Columns:
		return inside(k.Base, features, 3) + "[" + k.list(features) + "]"
	case Sum:
		return join(k.Terms, "+", features, 1)
	case Product:
		return join(k.Terms, "*", features, 2)
	}
	name, fields, _ := known(k)
	var given []string
	add := func(f field, values ...float64) {
		list := make([]string, len(values))
		for c, v := range values {
			list[c] = number(v)
		}
		given = append(given, f.name+"="+strings.Join(list, ":"))
	}
	for _, f := range fields {
		switch v := f.value.(type) {
		case *float64:
			if *v != f.usual {
				add(f, *v)
			}
		case *int:
			if *v != 0 {
				add(f, float64(*v))
			}
		case *[]float64:
			if len(*v) > 0 {
				add(f, *v...)
			}
		}
	}
	if given == nil {
		return name
	}
	return name + "(" + strings.Join(given, ",") + ")"
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func join(terms []Kernel, op string, features []string, level int) string {
	s := make([]string, len(terms))
	for t, k := range terms {
		s[t] = inside(k, features, level)
	}
	return strings.Join(s, op)
}

// inside formats k, in parentheses if it binds no tighter than level: 0 sum, 1
// product ... A term of a sum (level 1) may be a product, a factor (2) may be
// scaled, the base of columns (3) may be neither.
func inside(k Kernel, features []string, level int) string {
	own := 4
	switch k.(type) {
	case Sum:
		own = 0
	case Product:
		own = 1
	case Scaled:
		own = 2
	case Columns:
		own = 3
	}
	s := Format(k, features)
	if own < level || own == 3 && level == 3 {
		return "(" + s + ")"
	}
	return s
}

// list writes the columns, runs of three and more as ranges.
func (k Columns) list(features []string) string {
	if features == nil && len(k.Names) > 0 {
		names := make([]string, len(k.Columns))
		for q, name := range k.Names {
			names[q] = quoteColumn(name)
		}
		return strings.Join(names, ",")
	}
	return k.runs(func(q int) string { return columnName(k.Columns[q], features) })
}

// bare are the names that need no quotes in a column list.
var bare = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN_](\.?[\pL\pN_ /()%:-])*$`) })

func columnName(c int, features []string) string {
	if c < len(features) {
		return quoteColumn(features[c])
	}
	return fmt.Sprint(c + 1)
}

func quoteColumn(name string) string {
	if bare().MatchString(name) && strings.TrimSpace(name) == name {
		return name
	}
	return strconv.Quote(name)
}
