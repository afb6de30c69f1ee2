package task

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// ofClass is a number of a class that is named.
type ofClass struct {
	class string
	value float64
}

// parseOfClasses reads CLASS=NUMBER,..., of positive numbers. A class whose name holds a comma, or begins with a quote, stands in quotes,
// of which those inside are doubled, as in CSV.
func parseOfClasses(text, what string) (list []ofClass, err error) {
	seen := map[string]bool{}
	for rest, more := text, true; more; {
		var one ofClass
		var value string
		if one.class, value, rest, more, err = nextOfClass(rest); err != nil {
			return nil, err
		}
		if one.value, err = strconv.ParseFloat(value, 64); err != nil || !(one.value > 0) || math.IsInf(one.value, 0) {
			return nil, fmt.Errorf("%s %q of class %s must be a positive number", what, value, one.class)
		}
		name := data.ClassName(one.class)
		if seen[name] {
			return nil, fmt.Errorf("class %s is given twice; keep one", one.class)
		}
		seen[name] = true
		list = append(list, one)
	}
	return list, nil
}

var errOfClasses = errors.New("write CLASS=NUMBER,..., as in yes=2,no=0.5; a class with a comma in quotes")

// nextOfClass cuts the first CLASS=NUMBER off; more says whether a comma follows it.
func nextOfClass(text string) (class, value, rest string, more bool, err error) {
	part := text
	if strings.HasPrefix(text, `"`) {
		end := 1
		for end < len(text) && (text[end] != '"' || strings.HasPrefix(text[end:], `""`)) {
			if text[end] == '"' {
				end++
			}
			end++
		}
		if end >= len(text) || !strings.HasPrefix(text[end+1:], "=") {
			return "", "", "", false, errOfClasses
		}
		class = strings.ReplaceAll(text[1:end], `""`, `"`)
		value, rest, more = strings.Cut(text[end+2:], ",")
	} else {
		part, rest, more = strings.Cut(text, ",")
		at := strings.LastIndexByte(part, '=')
		if at < 0 {
			return "", "", "", false, errOfClasses
		}
		class, value = part[:at], part[at+1:]
	}
	if data.IsUnlabelled(class) {
		return "", "", "", false, errOfClasses
	}
	return class, value, rest, more, nil
}

// numberOfClasses is the number of each class, or the usual one. A class that is not there is an error that names those that are.
func numberOfClasses(list []ofClass, classes []string, usual float64) ([]float64, error) {
	numbers := make([]float64, len(classes))
	for k := range numbers {
		numbers[k] = usual
	}
	index := data.ClassIndex(classes)
	for _, one := range list {
		k, _ := index(one.class)
		if k < 0 {
			return nil, fmt.Errorf("no labelled row has class %s; the classes are %s", one.class, strings.Join(classes, ", "))
		}
		numbers[k] = one.value
	}
	return numbers, nil
}
