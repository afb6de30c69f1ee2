package fit

import (
	"errors"
	"reflect"
	"regexp"
	"strings"

	files "github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/result"
)

// InFields returns err with a text for those who write Go: fields of Recipe, Options and read.Options stand in it where err names flags of
// the program. A flag that is no field stays. It returns nil for nil.
func InFields(err error) error {
	if err == nil || !strings.Contains(err.Error(), "--") {
		return err
	}
	return inFields{err}
}

// InFlags returns the error that InFields was given, or err itself.
func InFlags(err error) error {
	var e inFields
	if errors.As(err, &e) {
		return e.error
	}
	return err
}

// inFields is such an error; it is the error itself but for its text.
type inFields struct{ error }

func (e inFields) Unwrap() error { return e.error }

var flags = regexp.MustCompile(`--[a-z][a-z-]*[a-z]`)

func (e inFields) Error() string { return flags.ReplaceAllStringFunc(e.error.Error(), field) }

// field is the name of the field that a flag is of: the same without hyphens, whatever the case; the flag itself if there is none.
func field(flag string) string {
	word := strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "")
	switch word {
	case "tol":
		word = "tolerance"
	case "view":
		word = "views"
	}
	for _, of := range []struct {
		name string
		kind reflect.Type
	}{{"Recipe", reflect.TypeFor[result.Recipe]()}, {"Options", reflect.TypeFor[result.Options]()},
		{"read.Options", reflect.TypeFor[files.Options]()}, {"read.Dialect", reflect.TypeFor[files.Dialect]()}} {
		if f, ok := of.kind.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, word) }); ok {
			return of.name + "." + f.Name
		}
	}
	return flag
}
