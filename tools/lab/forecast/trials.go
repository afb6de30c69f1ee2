package forecast

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer"
)

//go:embed files.txt
var onFiles string

//go:embed drawn.txt
var onDrawnRows string

// trials are fits of every method, in every form, at several sizes, and of the sets of other measurements if their folder is given.
func trials(dir string) ([]trial, error) {
	var list []trial
	add := func(text string, number int, read func(t *trial, fields []string) error) error {
		for line := range strings.Lines(text) {
			fields := strings.Fields(line)
			if len(fields) == 0 || fields[0] == "#" {
				continue
			}
			var t trial
			if t.Quick = fields[0] == "quick"; t.Quick {
				fields = fields[1:]
			}
			err := read(&t, fields)
			if err == nil {
				t.Recipe, err = recipe(fields[number:])
			}
			if err != nil {
				return fmt.Errorf("%q: %w", line, err)
			}
			list = append(list, t)
		}
		return nil
	}
	if dir != "" {
		err := add(onFiles, 3, func(t *trial, fields []string) (err error) {
			t.File = filepath.Join(dir, fields[0])
			if fields[1] != "-" {
				t.Splits = filepath.Join(dir, fields[1])
			}
			t.Labelled, err = strconv.Atoi(fields[2])
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	err := add(onDrawnRows, 4, func(t *trial, fields []string) error {
		_, err := fmt.Sscan(strings.Join(fields[:4], " "), &t.Rows, &t.Labelled, &t.Columns, &t.Classes)
		return err
	})
	return list, err
}

// recipe reads a method and flags as they are on the command line.
func recipe(fields []string) (mercer.Recipe, error) {
	r := mercer.Recipe{Method: fields[0]}
	for i := 1; i < len(fields); i++ {
		flag := fields[i]
		if flag == "--halves" {
			r.Views = []mercer.View{{Name: "a", First: 1, Last: 5}, {Name: "b", First: 6, Last: 10}}
			continue
		}
		if i++; i == len(fields) {
			return r, fmt.Errorf("%s has no value", flag)
		}
		value := fields[i]
		switch flag {
		case "--kernel":
			r.Kernel = value
		case "--tune":
			r.Tune = value
		case "--search":
			r.Search = value
		case "--decision":
			r.Decision = value
		case "--basis":
			r.Basis = value
		case "--budget":
			var err error
			if r.Budget, err = strconv.Atoi(value); err != nil {
				return r, err
			}
		case "--set":
			name, text, _ := strings.Cut(value, "=")
			if r.Set == nil {
				r.Set = map[string]string{}
			}
			r.Set[name] = text
		default:
			return r, fmt.Errorf("there is no flag %s", flag)
		}
	}
	return r, nil
}
