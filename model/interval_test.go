package model_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// regression is a model with the errors of n rows left out.
func regression(t *testing.T, n int) *model.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 1))
	errs := make([]float64, n)
	for i := range errs {
		errs[i] = rng.ExpFloat64() - 1
	}
	r, err := model.NewResiduals(errs)
	if err != nil {
		t.Fatal(err)
	}
	e := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 1}, Centres: form(normal(4, 3, 1), false), Coef: normal(4, 1, 2)}
	return &model.Model{
		Method: "rls", Task: data.Regression, Label: "y", Columns: 3, Scaling: data.Scaling{Kind: data.ScaleNone}, Residuals: &r,
		Parts: model.Single([]kernel.Expansion{e}, nil),
	}
}

// A file keeps the errors, so that it gives the intervals that its model did at every level.
func TestIntervalsOfAFile(t *testing.T) {
	m := regression(t, 1000)
	raw := encode(t, m)
	back, err := read(t, raw)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m.Residuals, back.Residuals) || !bytes.Equal(raw, encode(t, back)) {
		t.Errorf("%+v became %+v", m.Residuals, back.Residuals)
	}
	for level := 0.01; level < 0.995; level += 0.01 {
		lower, upper, err := m.Interval(level)
		l, u, errBack := back.Interval(level)
		if lower != l || upper != u || err != nil || errBack != nil || !(lower < upper) {
			t.Fatalf("level %g: %g .. %g and %g .. %g (%v, %v)", level, lower, upper, l, u, err, errBack)
		}
	}
}

// A model without errors, or of classes, or of too few rows has no interval and says what to do.
func TestNoInterval(t *testing.T) {
	old, err := model.Load(t.Context(), filepath.Join("testdata", "v1-linear-regression.mercer"))
	if err != nil {
		t.Fatal(err)
	}
	for want, m := range map[string]*model.Model{
		"fit it anew": old, "ask for --probability": sample(false), "need 19 rows left out": regression(t, 7),
	} {
		if _, _, err := m.Interval(0.9); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, _, err := regression(t, 7).Interval(0.7); err != nil {
		t.Errorf("level 0.7 of 7 rows: %v", err)
	}
}

// Errors that are none, or are those of a classification, are refused when they are read.
func TestDamagedResiduals(t *testing.T) {
	const parts = `"columns":1,"centres":[],"parts":[{"functions":[],"offset":[1]}]}`
	for residuals, want := range map[string]string{
		`{"rows":3,"ranks":[1,2,3],"values":[1,2,3]}`:     "",
		`{"rows":3,"ranks":[1,2,3],"values":[1,2,1]}`:     "residuals",
		`{"rows":3,"ranks":[1,3],"values":[1,2,3]}`:       "residuals",
		`{"rows":1000000000,"ranks":[1],"values":[1]}`:    "residuals",
		`{"rows":-1,"ranks":[],"values":[]}`:              "residuals",
		`{"rows":4,"ranks":[1,2,3],"values":[1,2,3]}`:     "residuals",
		`{"rows":3,"ranks":[1,2,3],"values":[1,2,1e999]}`: "header",
	} {
		_, err := read(t, file(t, 3, common+`"residuals":`+residuals+`,`+parts))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", residuals, err)
		}
	}
	two := strings.Replace(common, `"regression"`, `"classification","classes":["a","b"]`, 1)
	_, err := read(t, file(t, 3, two+`"residuals":{"rows":2,"ranks":[1,2],"values":[1,2]},`+parts))
	if err == nil || !strings.Contains(err.Error(), "residuals of a classification") {
		t.Errorf("residuals of classes: %v", err)
	}
}
