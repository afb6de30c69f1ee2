package mercer

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/read"
)

// fields are the structs whose fields a caller may fill in: texts of the program name flags, and those of this package name these fields
// in their place. Of a field that several have the first one's is named. A flag that is no field stays.
type fields []reflect.Type

// fitting are those of Fit, Pareto, FitSplits and Check.
func fitting() fields {
	return fields{
		reflect.TypeFor[Recipe](), reflect.TypeFor[Options](), reflect.TypeFor[Files](), reflect.TypeFor[read.Options](),
		reflect.TypeFor[read.Dialect](), reflect.TypeFor[data.Text](),
	}
}

// reading are those of Open and OpenFor.
func reading() fields {
	return fields{
		reflect.TypeFor[Files](), reflect.TypeFor[read.Options](), reflect.TypeFor[read.Dialect](), reflect.TypeFor[data.Text](),
		reflect.TypeFor[Recipe](), reflect.TypeFor[Options](),
	}
}

var flags = regexp.MustCompile(`--[a-z][a-z-]*[a-z]`)

// text names fields where s names flags.
func (of fields) text(s string) string { return flags.ReplaceAllStringFunc(s, of.field) }

// texts are those of a list, which itself stays as it is.
func (of fields) texts(list []string) []string {
	list = slices.Clone(list)
	for i, s := range list {
		list[i] = of.text(s)
	}
	return list
}

// result is one whose texts name fields; nil for nil.
func (of fields) result(res *Result) *Result {
	if res != nil {
		res.Warnings, res.Guesses = of.texts(res.Warnings), of.texts(res.Guesses)
	}
	return res
}

// warnings are those of the readers.
func (of fields) warnings(list []read.Warning) []read.Warning {
	for i := range list {
		list[i].What = of.text(list[i].What)
	}
	return list
}

// fault is an error with such a text, and the error itself in all else; nil for nil.
func (of fields) fault(err error) error {
	if err == nil || !strings.Contains(err.Error(), "--") {
		return err
	}
	return inFields{err, of}
}

// inFields is such an error.
type inFields struct {
	error
	of fields
}

func (e inFields) Unwrap() error { return e.error }

func (e inFields) Error() string { return e.of.text(e.error.Error()) }

// field is the name of the field that a flag is of: the same without hyphens, whatever the case, but for a few.
func (of fields) field(flag string) string {
	switch flag {
	case "--pick": // an argument of Pareto
		return "pick"
	case "--missing":
		return "read.Options.Marks"
	case "--columns":
		return "read.Options.Given"
	}
	word := strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "")
	longer := map[string]string{"tol": "tolerance", "view": "views", "memory": "memorylimit"}[word]
	for _, kind := range of {
		f, ok := kind.FieldByNameFunc(func(name string) bool {
			return strings.EqualFold(name, word) || strings.EqualFold(name, longer)
		})
		if ok {
			return strings.TrimPrefix(strings.TrimPrefix(kind.String(), "result."), "mercer.") + "." + f.Name
		}
	}
	return flag
}
