package fit

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// DataTask is the task that a recipe asks for, in its field Task or by naming a method that has
// no other task.
func DataTask(r result.Recipe) data.Task {
	var kind data.Task
	if r.Task != "" {
		_ = kind.UnmarshalText([]byte(r.Task)) // method.Read reports a wrong word
	}
	if m, _ := method.Find(r.Method); kind == data.TaskAuto && m.For == data.Regression {
		kind = m.For
	}
	return kind
}

// Interpret understands the visible answers of a set as a fit with this recipe does.
func Interpret(set *data.Set, r result.Recipe) (data.Labels, error) {
	if set == nil {
		return data.Labels{}, checkSet(nil)
	}
	m, _ := method.Find(r.Method)
	return task.Interpret(set, withTask(r, m), m.Coding.OneClass)
}

// withTask sets the task of the recipe to regression if its method learns nothing else. A method
// for classes alone does not turn numbers into classes: checkTask refuses them.
func withTask(r result.Recipe, m method.Method) result.Recipe {
	if (r.Task == "" || r.Task == "auto") && m.For == data.Regression {
		r.Task = m.For.String()
	}
	return r
}
