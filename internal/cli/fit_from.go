package cli

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/fit"
)

// asked is the recipe of the flags, or that of the model to go on from.
func (c *fitCmd) asked(e *env) (mercer.Recipe, error) {
	if c.From == "" {
		return c.recipe(e.ctx)
	}
	if given := c.decided(); given != "" {
		return mercer.Recipe{}, usage("--from %s with %s: the model has its own; leave one of them out", c.From, given)
	}
	var err error
	if c.earlier, err = e.loadModel(c.From); err != nil {
		return mercer.Recipe{}, err
	}
	if c.earlier.Front != nil {
		return mercer.Recipe{}, &fault{file: c.From, what: "is a front, which is made anew; use mercer pareto"}
	}
	r, err := mercer.From(c.earlier)
	if err != nil {
		return r, &fault{file: c.From, what: err.Error()}
	}
	if len(r.Views) > 0 {
		return r, &fault{file: c.From, what: "is a model of several views, which --from does not go on from; fit anew with its " +
			"--view flags"}
	}
	if err := fit.Check(r); err != nil {
		return r, &fault{file: c.From, what: "its description of its fit cannot be followed: " + err.Error() + "; fit anew"}
	}
	if c.Seed != nil {
		r.Seed = *c.Seed
	}
	if c.CV != nil {
		r.CV = *c.CV
	}
	for to, value := range map[*string]string{&r.ClassWeight: c.ClassWeight, &r.Decide: c.Decide} {
		if value != "" {
			*to = value
		}
	}
	if err := fit.Check(r); err != nil {
		return r, err
	}
	return r, nil
}

// decided names the first flag of what a model has decided already.
func (c *fitCmd) decided() string {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"--method", c.Method != ""}, {"--kernel", len(c.Kernel) > 0}, {"--set", len(c.Set) > 0}, {"--tune", c.Tune != ""},
		{"--search", c.Search != ""}, {"--budget", c.Budget != nil}, {"--effort", c.Effort != ""}, {"--basis", c.Basis != ""},
		{"--trace", c.Trace != ""}, {"--tol", c.Tol != nil}, {"--offset", c.Offset != ""}, {"--groups", c.Groups != ""},
		{"--multiclass", c.Multiclass != ""}, {"--recipe", c.Recipe != ""}, {"--scale", c.Scale != ""}, {"--task", c.Task != ""},
		{"--view", len(c.View) > 0}, {"--drop", len(c.Drop) > 0}, {"--features", len(c.Features) > 0}, {"--columns", c.Columns != ""},
		{"--ngrams", c.NGrams != nil}, {"--min-documents", c.MinDocuments != nil},
	} {
		if f.given {
			return f.name
		}
	}
	return ""
}

// sayForgotten warns where most rows that a model keeps are not among those to learn from: it goes on from its choices,
// not from its rows.
func (c *fitCmd) sayForgotten(e *env, in *mercer.Input) {
	if c.earlier == nil {
		return
	}
	_, kept, err := c.earlier.Centres()
	if err != nil || kept.IsSparse() != in.Set.Rows.IsSparse() || kept.Dim() != in.Set.Rows.Dim() {
		return
	}
	known := map[uint64]bool{}
	for lo := 0; lo < in.Set.Rows.Len(); lo += apply.BatchRows {
		some := make([]int, min(apply.BatchRows, in.Set.Rows.Len()-lo))
		for q := range some {
			some[q] = lo + q
		}
		scaled := c.earlier.Scaling.Apply(in.Set.Rows.Select(some))
		for i := range some {
			known[fingerprint(scaled, i)] = true
		}
	}
	missing := 0
	for i := range kept.Len() {
		if !known[fingerprint(kept, i)] {
			missing++
		}
	}
	if 2*missing > kept.Len() {
		e.warn(c.talk, fmt.Sprintf("%d of the %d rows that %s keeps are not in %s, and what they taught is not learned again; "+
			"give a file that holds them too", missing, kept.Len(), c.From, in.Set.Source))
	}
}

// fingerprint is equal for rows that are equal bit by bit, as those of a file are that are scaled alike.
func fingerprint(rows data.Rows, i int) uint64 {
	h := fnv.New64a()
	var one [8]byte
	add := func(v float64) {
		binary.LittleEndian.PutUint64(one[:], math.Float64bits(v+0)) // minus zero is zero
		_, _ = h.Write(one[:])                                       // a hash takes everything
	}
	if rows.Dense != nil {
		for _, v := range rows.Dense.RawRowView(i) {
			add(v)
		}
		return h.Sum64()
	}
	s := rows.Sparse
	for q := s.Start[i]; q < s.Start[i+1]; q++ {
		if v := s.Value[q]; v != 0 {
			add(float64(s.Index[q]))
			add(v)
		}
	}
	return h.Sum64()
}
