package methodtest

import (
	"context"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/model"
)

// Answer is what a recipe gave on a set, for checks of random recipes outside this package (tools/lab/metamorphic).
type Answer struct {
	Model *model.Model
	// Printed is the result, or the front, and the predictions on all rows, to the bit, without times and memory.
	Printed string
	// Objective of the machine that was trained, and whether one machine made the answer; 0 and false of fronts.
	Objective float64
	Single    bool
	// Stopped says that the context ended before the tuning did, so the answer is the best so far.
	Stopped bool
}

// Ask fits the recipe, by mercer.Pareto where the method has a front. Methods of views get two halves of the columns where
// the recipe names no views. The error is that of the fit; one of encoding/json says that a number is not finite.
func Ask(ctx context.Context, in mercer.Input, r mercer.Recipe) (Answer, error) {
	f, err := fit(ctx, in, r, mercer.Options{})
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Model: f.model, Stopped: f.stopped() || ctx.Err() != nil}
	if f.result != nil && f.result.Certificate != nil {
		a.Objective, a.Single = f.result.Certificate.Objective, len(f.result.Members) == 0
	}
	a.Printed, err = f.printed(ctx, in)
	return a, err
}

// Plain is the recipe of a method as it is, with a limit where it would take long.
func Plain(m method.Method) mercer.Recipe { return plainRecipe(m) }

// With is the recipe with settings added by key: names of --set, and flags with their dashes.
func With(r mercer.Recipe, settings map[string]string) mercer.Recipe { return with(r, settings) }

// Tried lists the values that the conformance suite tries of a setting, by its key.
func Tried(key string) (values []string) {
	for _, p := range probes()[key] {
		values = append(values, p.value)
	}
	return values
}
