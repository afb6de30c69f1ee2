package apply_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
)

// TestPredictionsAreAsTheyWere: the tables of answers for files that suit a model and for others, batch by batch.
func TestPredictionsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"numbers.csv": "a,b,label\n1,2,x\n2,1,y\n3,4,x\n4,3,y\n1,3,x\n3,1,y\n2,4,x\n4,2,y\n",
		"words.csv":   "key,town,size,label\nk1,Ulm,3,1.5\nk2,Bonn,4,2.5\nk3,Ulm,5,3.25\nk4,Kiel,6,4\nk5,Ulm,2,1.75\nk6,Kiel,3,2.25\n",
		"counts.svm":  "1 1:2 3:1\n2 2:1\n1 1:3 3:2\n2 2:4 4:1\n1 1:1\n2 2:2\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := read.Options{Prepare: true}
		if name == "words.csv" {
			o.ID = "key"
		}
		set, _, err := read.Open(t.Context(), name, o)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := mercer.Fit(t.Context(), mercer.Input{Set: set}, mercer.Recipe{Method: "rls"}, mercer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range []string{
			"a,b\n1,2\n3,3\n", "b,a,more\n2,1,9\n", "a,b,label\n1,2,x\n", "a\n1\n", "a,b\n1,x\n", "a,b\n1,\n", "1,2\n3,4\n", "",
			"key,town,size\nn1,Ulm,3\nn2,Oslo,9\n", "town,size\nUlm,3\n", "size,town\nx,Ulm\n",
			"1:2 3:1\n0 2:3\n", "1 1:1 9:4\n", "x y\n",
		} {
			file := fmt.Sprint("rows", i, ".csv")
			if strings.Contains(text, ":") {
				file = fmt.Sprint("rows", i, ".svm")
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s, %q", name, text)
			options := apply.Options(m, read.Options{}, false)
			p.Add(what, fmt.Sprint(options.Want, options.Dim, options.Format, options.Label, options.Missing, options.ID))
			rows, warnings, err := read.Open(t.Context(), file, options)
			if err != nil {
				p.Add("  is refused", err.Error())
				continue
			}
			suited, err := apply.Suited(m, rows)
			if err != nil {
				p.Add("  does not suit", err.Error())
				continue
			}
			p.Add("  is read", fmt.Sprint(warnings), suited.Rows.IsSparse(),
				fmt.Sprint(apply.Named(m, suited, "key"), apply.Named(m, suited, "")))
			for _, probability := range []bool{false, true} {
				if probability && !m.HasProbabilities() {
					continue
				}
				a := apply.NewAnswers(m, probability, nil)
				a.ID, a.IDs = "key", suited.ID
				if suited.ID == nil {
					a.ID = ""
				}
				for range 2 {
					if err := a.Predict(t.Context(), suited.Rows); err != nil {
						t.Fatal(err)
					}
					var csv bytes.Buffer
					err := a.CSV(&csv)
					names := []string{}
					for _, c := range a.Columns() {
						names = append(names, c.Name)
						if c.Words != nil {
							p.Add("  column", c.Name, fmt.Sprint(c.Words))
						} else {
							p.Add("  column", c.Name, c.Numbers)
						}
					}
					p.Add("  rows", a.Rows, strings.Count(csv.String(), "\n"), fmt.Sprint(err, names))
				}
				stopped, cancel := context.WithCancel(t.Context())
				cancel()
				if err := apply.NewAnswers(m, probability, nil).Predict(stopped, suited.Rows); !errors.Is(err, context.Canceled) {
					t.Errorf("%s: stopped, the error is %v", what, err)
				}
				joined := apply.NewAnswers(m, probability, nil)
				if err := errors.Join(joined.Append(a), joined.Append(a)); err != nil {
					t.Error(err)
				}
				p.Object("  joined", joined.Object(), 6)
				both := apply.NewAnswers(m, probability, []float64{-1, 2})
				if err := both.Predict(t.Context(), suited.Rows); err != nil {
					t.Fatal(err)
				}
				if _, err := json.Marshal(both.Object()); err != nil {
					t.Fatal(err)
				}
				p.Object("  object", both.Object(), 3)
			}
		}
	}
	p.Sort()
	t.Chdir(here)
	p.Compare(t, "predictions")
}
