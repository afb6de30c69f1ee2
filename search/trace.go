package search

// A trace is JSON lines, one evaluation a line:
//
//	{"n":1,"theta":[0.5,10],"f":1.25,"grad_asked":true,"grad":[0.1,0],"seconds":0.03}
//
// Numbers are written with as many digits as make them exact; "+Inf", "-Inf"
// and "NaN" are strings. A run resumes by replaying its trace.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/internal/journal"
)

// Record is one evaluation.
type Record struct {
	N         int       // 1 for the first of the run
	Theta     []float64 // natural units
	F         float64   // +Inf: infeasible
	GradAsked bool
	Grad      []float64 // nil if not asked or not known
	Noise     float64   // of F, see param.Value
	Exact     bool      // the evaluation of the answer at the end of a run; no search saw it
	Seconds   float64   // of the evaluation; 0 when replayed
	Replayed  bool      // answered from an earlier evaluation
}

// number is a float64 that JSON can hold whatever its value.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	f := float64(v)
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		s = `"` + s + `"`
	}
	return []byte(s), nil
}

func (v *number) UnmarshalJSON(b []byte) error {
	s := string(b)
	switch s {
	case `"+Inf"`, `"-Inf"`, `"NaN"`:
		s = s[1 : len(s)-1]
	case "null":
		return errors.New("null is not a number")
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("%s is not a number", b)
	}
	*v = number(f)
	return nil
}

type recordJSON struct {
	N         int      `json:"n"`
	Theta     []number `json:"theta"`
	F         *number  `json:"f"`
	GradAsked bool     `json:"grad_asked,omitempty"`
	Grad      []number `json:"grad,omitempty"`
	Noise     number   `json:"noise,omitempty"`
	Exact     bool     `json:"exact,omitempty"`
	Seconds   number   `json:"seconds"`
	Replayed  bool     `json:"replayed,omitempty"`
}

func numbers(v []float64) []number {
	if v == nil {
		return nil
	}
	n := make([]number, len(v))
	for i := range v {
		n[i] = number(v[i])
	}
	return n
}

func plain(n []number) []float64 {
	if n == nil {
		return nil
	}
	v := make([]float64, len(n))
	for i := range n {
		v[i] = float64(n[i])
	}
	return v
}

// MarshalJSON writes the record as a line of a trace.
func (r Record) MarshalJSON() ([]byte, error) {
	f := number(r.F)
	return json.Marshal(
		recordJSON{r.N, numbers(r.Theta), &f, r.GradAsked, numbers(r.Grad), number(r.Noise), r.Exact, number(r.Seconds), r.Replayed},
	)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Record) UnmarshalJSON(b []byte) error {
	var j recordJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	switch {
	case len(j.Theta) == 0:
		return errors.New("no theta")
	case j.F == nil:
		return errors.New("no f")
	case j.Grad != nil && len(j.Grad) != len(j.Theta):
		return fmt.Errorf("%d values of theta, %d of its gradient", len(j.Theta), len(j.Grad))
	case j.Grad != nil && !j.GradAsked:
		return errors.New("a gradient that was not asked for")
	}
	for i, v := range j.Theta {
		if math.IsInf(float64(v), 0) || math.IsNaN(float64(v)) {
			return fmt.Errorf("value %d of theta is not finite", i+1)
		}
	}
	*r = Record{j.N, plain(j.Theta), float64(*j.F), j.GradAsked, plain(j.Grad), float64(j.Noise), j.Exact, float64(j.Seconds), j.Replayed}
	return nil
}

// readTrace reads a trace for Driver.Replay, whose first line has the number given. Blank lines are skipped. A last
// line without its newline that does not parse is what an interrupted program
// leaves, and is ignored; any other fault is a *journal.Error with the line's number.
func readTrace(r io.Reader, line int) ([]Record, error) {
	in := bufio.NewReader(r)
	var trace []Record
	for ; ; line++ {
		b, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("trace line %d: %w", line, err)
		}
		last := err == io.EOF
		if len(bytes.TrimSpace(b)) > 0 {
			var rec Record
			switch err := json.Unmarshal(b, &rec); {
			case err != nil && last:
				return trace, nil
			case err != nil:
				return nil, &journal.Error{Line: line, What: err.Error()}
			case len(trace) > 0 && len(rec.Theta) != len(trace[0].Theta):
				return nil, &journal.Error{
					Line: line,
					What: fmt.Sprintf("%d values of theta, %d on the lines before", len(rec.Theta), len(trace[0].Theta)),
				}
			}
			trace = append(trace, rec)
		}
		if last {
			return trace, nil
		}
	}
}
