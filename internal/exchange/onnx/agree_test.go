package onnx_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/calibrate"
	"github.com/mercer-ml/mercer/internal/exchange/onnx"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// evaluated are the outputs of a model's graph, as those of a runtime.
func evaluated(t *testing.T, p problem) map[string]json.RawMessage {
	t.Helper()
	var file bytes.Buffer
	if err := onnx.Write(&file, p.m); err != nil {
		t.Fatal(err)
	}
	in := map[string]onnx.Tensor{}
	for name, v := range p.inputs {
		one := onnx.Tensor{Dims: v.Dims}
		for _, cell := range v.Data.([]any) {
			switch cell := cell.(type) {
			case string:
				one.Words = append(one.Words, cell)
			case float64:
				one.Numbers = append(one.Numbers, cell)
			case int:
				one.Numbers = append(one.Numbers, float64(cell))
			case int64:
				one.Numbers = append(one.Numbers, float64(cell))
			default:
				one.Numbers = append(one.Numbers, math.NaN())
			}
		}
		in[name] = one
	}
	out, err := onnx.Evaluate(file.Bytes(), in)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]json.RawMessage{}
	for name, v := range out {
		text, err := json.Marshal(map[string]any{"Data": v.Numbers})
		if v.Words != nil {
			text, err = json.Marshal(map[string]any{"Data": v.Words})
		}
		if err != nil {
			t.Fatal(name, err)
		}
		answers[name] = text
	}
	return answers
}

// TestGraphsAgree: the graph of every kernel and every kind of model answers as predict does, by the definitions of its operators.
func TestGraphsAgree(t *testing.T) {
	for _, p := range append(problems(t), further(t)...) {
		t.Run(p.name, func(t *testing.T) { p.compare(t, evaluated(t, p)) })
	}
}

// further are models beside problems: every plain kernel alone, as a length, and in what is made of kernels; and what calibrations,
// parts and means may be besides.
func further(t *testing.T) []problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	x := random(rng, 10, 4)
	list := []kernel.Kernel{
		kernel.L1Laplacian{Sigma: 1.7}, kernel.ARDL1Laplacian{Sigma: []float64{1, 2, 0.5, 3}},
		kernel.ARDL1Laplacian{Sigma: []float64{0.7, 2}, Group: []int{1, 0, 0, 1}},
		kernel.ARDRational{Sigma: []float64{1, 2, 0.5, 3}, Alpha: 0.7, Power: 1},
		kernel.ARDRational{Sigma: []float64{0.7, 2}, Alpha: 2.5, Power: 2, Group: []int{1, 0, 0, 1}},
		kernel.ARDLinear{C: []float64{0.3, 0.5, 2, 1}}, kernel.Polynomial{Degree: 2, Scale: 0.6, Offset: 0.4},
		kernel.Sigmoid{Scale: 0.3, Offset: 0.2}, kernel.Columns{Base: kernel.Linear{}, Columns: []int{2, 0}},
	}
	for _, name := range kernel.Names() {
		if name == "precomputed" {
			continue // of which nothing is known for new rows
		}
		k, err := kernel.Parse(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, k.Adapt(data.Rows{Dense: random(rng, 40, 4)}))
	}
	var all []problem
	for _, k := range list {
		name := kernel.Format(k, nil)
		for form, of := range map[string]kernel.Kernel{
			"": k, "the length of ": kernel.Normalised{Base: k},
			"a length with ": kernel.Normalised{Base: kernel.Product{Terms: []kernel.Kernel{
				kernel.Sum{Terms: []kernel.Kernel{kernel.Scaled{Base: k, Weight: 0.6}, kernel.Constant{}}},
				kernel.Normalised{Base: kernel.Columns{Base: kernel.Linear{}, Columns: []int{3, 1}}},
			}}},
		} {
			all = append(all, numbers(form+name, plain(rng, 2, of), x))
		}
	}
	zero := mat.DenseCopyOf(x) // a row of zeros has no length
	zero.SetRow(0, make([]float64, 4))
	all = append(all, numbers("length of nothing", plain(rng, 2, kernel.Normalised{Base: kernel.Linear{}}), zero))

	g := kernel.Gaussian{Sigma: 1}
	for name, c := range map[string]calibrate.Isotonic{
		"isotonic of no points": {}, "isotonic of one": {Score: []float64{0.5}, P: []float64{0.8}},
		"isotonic of two": {Score: []float64{-0.5, 0.5}, P: []float64{0.1, 0.8}},
	} {
		m := plain(rng, 2, g)
		m.Calibration = c
		all = append(all, numbers(name, m, x))
	}
	for classes, offsets := range map[int][]float64{2: {0.4, -0.3}, 3: {0.4, -0.3, 0.1}} {
		m := plain(rng, classes, g)
		m.Calibration = calibrate.Shares{Linear: 2, Log: 0.7, Offset: offsets}
		all = append(all, numbers(fmt.Sprint("shares of ", classes), m, x))
	}
	pairs := plain(rng, 3, g) // in the power of nothing, and in that of one
	pairs.Pairs = true
	for _, power := range []float64{0, 1, 0.6} {
		m := *pairs
		m.Calibration = calibrate.Pairs{Classes: 3, Power: power, Pair: []calibrate.Sigmoid{{Slope: 1}, {Slope: 2, Offset: 0.3}, {Slope: 40}}}
		all = append(all, numbers(fmt.Sprint("pairs in the power of ", power), &m, x))
	}

	centres := kernel.Expansion{Kernel: kernel.Gaussian{Sigma: 0.4}, Centres: data.Rows{Dense: random(rng, 9, 4)}, Coef: random(rng, 9, 1)}
	mean := plain(rng, 0, g)
	mean.Parts = model.WeightedMean(centres, false, []float64{3})
	plainMean := plain(rng, 0, g)
	plainMean.Parts = model.WeightedMean(centres, true, nil)
	all = append(all, numbers("mean", mean, centres.Centres.Dense), numbers("mean without an offset", plainMean, x))

	whole := plain(rng, 0, g)
	own := kernel.Expansion{Kernel: g, Centres: data.Rows{Dense: random(rng, 5, 2)}, Coef: random(rng, 5, 1)}
	whole.Parts = append(whole.Parts, model.Single([]kernel.Expansion{own}, []float64{0.5})...)
	whole.Parts[1].Columns = []int{1, 3}
	all = append(all, numbers("a part of all columns", whole, x))
	return append(all, numbers("tf-idf", tfidf(rng), x), marked(t, rng), filled(rng))
}

// tfidf is a model of weighed columns.
func tfidf(rng *rand.Rand) *model.Model {
	m := plain(rng, 2, kernel.Linear{})
	m.Scaling = data.Scaling{Kind: data.ScaleTFIDF, Scale: []float64{0.5, 1, 2, 3}}
	return m
}

// TestAbout: a file says the method, the columns that go in, counted from 1 where they have no name, and the classes of its model.
func TestAbout(t *testing.T) {
	for want, m := range map[string]*model.Model{
		`["1","2","3","4"]`: plain(rand.New(rand.NewPCG(1, 2)), 2, kernel.Linear{}),
		`["p","q","r","s"]`: plain(rand.New(rand.NewPCG(1, 2)), 0, kernel.Linear{}),
	} {
		if m.Classes == nil {
			m.Features = []string{"p", "q", "r", "s"}
		}
		var file bytes.Buffer
		if err := onnx.Write(&file, m); err != nil {
			t.Fatal(err)
		}
		for words, there := range map[string]bool{want: true, "rls": true, `["a","b"]`: m.Classes != nil} {
			if bytes.Contains(file.Bytes(), []byte(words)) != there {
				t.Errorf("%s in the file: %v", words, !there)
			}
		}
	}
}
