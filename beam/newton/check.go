package newton

import (
	"github.com/mercer-ml/mercer/beam/squares"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/smooth"
	"github.com/mercer-ml/mercer/result"
)

// machine is what a method of mercer fit minimises, and to which relative gradient unless told otherwise.
type machine struct {
	loss      learn.Loss
	penalised bool // the offset, as the weight of a constant feature
	tolerance float64
	switches  bool // it decides unlabelled rows while it learns
}

// of is the machine of a method.
func of(method string) (m machine, ok bool) {
	switch method {
	case "linear-logistic":
		return machine{loss: learn.Logistic(), penalised: true, tolerance: 3e-4}, true
	case "linear-svm":
		return machine{loss: learn.SquaredHinge(), penalised: true, tolerance: 3e-4}, true
	case "logistic":
		return machine{loss: learn.Logistic(), tolerance: 1e-8}, true
	case "l2-svm":
		return machine{loss: learn.SquaredHinge(), tolerance: 1e-8}, true
	case "linear-tsvm":
		return machine{loss: learn.SquaredHinge(), penalised: true, tolerance: 1e-6, switches: true}, true
	}
	return machine{}, false
}

// Has says whether a method's machines are fitted here.
func Has(method string) bool {
	_, ok := of(method)
	return ok
}

// offsetWords is the setting offset=augmented of kernel machines.
var offsetWords = setting.Setting{Name: "offset", Words: []string{task.Augmented}}

// offset is how b is treated.
func (m machine) offset(r result.Recipe, request task.Request) smooth.Offset {
	switch {
	case r.Offset == "no":
		return smooth.None
	case m.penalised || request.Values.Is(offsetWords, task.Augmented):
		return smooth.Augmented
	}
	return smooth.Free
}

// Check completes a recipe of a method that Has, and refuses what is not fitted over shards, with the remedy.
func Check(r result.Recipe) (result.Recipe, task.Request, error) {
	own, scores := []setting.Setting{task.C}, []string{"loo:press", "loo:error", "loo:logloss", "none"}
	m, _ := of(r.Method)
	switch {
	case m.switches:
		own, scores = append(own, unlabelledWeight, positive), []string{"none"}
	case !m.penalised:
		own = append(own, offsetWords)
	}
	r, request, err := squares.Admit(r, own, scores)
	switch {
	case err != nil || !m.switches:
	case !request.Values.Given(task.C):
		err = task.Usage("--method %s: over shards C must be set; add --set C=1, or a value that mercer fit finds on a sample", r.Method)
	case request.Values.Given(unlabelledWeight) && request.Values.Number(unlabelledWeight) == 0:
		err = task.Usage("--set unlabelled_weight=0: no unlabelled row takes part; choose --method linear-svm")
	}
	return r, request, err
}
