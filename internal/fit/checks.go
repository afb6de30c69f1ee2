package fit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// checkSet refuses a set that cannot be learned from at all: none, one without rows, or one whose parts are of different lengths.
func checkSet(set *data.Set) error {
	switch {
	case set == nil:
		return errors.New("the input has no set of rows; read one by read.Open, or take one by data.Builtin")
	case set.Rows.Dense == nil && set.Rows.Sparse == nil, set.Rows.Len() == 0:
		return fmt.Errorf("%s: the set has no rows; give rows to learn from", set.Source)
	case set.Answers != nil && len(set.Answers) != set.Rows.Len():
		return fmt.Errorf("%s: %d answers of %d rows; give one for each row, empty where none is known", set.Source, len(set.Answers),
			set.Rows.Len())
	}
	for _, part := range []struct {
		name   string
		length int
		absent bool
	}{
		{"weights", len(set.Weight), set.Weight == nil}, {"groups", len(set.Group), set.Group == nil},
		{"places in the order", len(set.Order), set.Order == nil},
	} {
		if !part.absent && part.length != set.Rows.Len() {
			return fmt.Errorf("%s: %d %s of %d rows; give one for each row", set.Source, part.length, part.name, set.Rows.Len())
		}
	}
	return nil
}

// checkBeside refuses hidden answers and a test set that do not fit to their rows.
func checkBeside(in result.Input) error {
	if n := in.Set.Rows.Len(); in.Hidden != nil && len(in.Hidden) != n {
		return fmt.Errorf("%s: %d hidden answers of %d rows; give one for each row, empty where none is hidden", in.Set.Source,
			len(in.Hidden), n)
	}
	if t := in.Test; t != nil && t.Answers != nil && len(t.Answers) != t.Rows.Len() {
		return fmt.Errorf("%s: %d answers of %d test rows; give one for each row, empty where none is known", t.Source, len(t.Answers),
			t.Rows.Len())
	}
	return nil
}

// named gives sets without a source one for the messages that name it, as those of a program's own arrays have none.
func named(in result.Input) result.Input {
	for _, set := range []**data.Set{&in.Set, &in.Test} {
		if *set != nil && (*set).Source == "" {
			copied := **set
			copied.Source = "the input"
			*set = &copied
		}
	}
	return in
}

// checkCandidates refuses candidates by name where nothing has one.
func checkCandidates(s *choose.Candidates, r result.Recipe) error {
	if r.Candidates == nil || slices.ContainsFunc(s.Members, func(c *choose.Candidate) bool { return c.Name != "" }) {
		return nil
	}
	return task.Usage("candidates in the recipe, of which --method %s, searched as it is here, compares none; leave them out", r.Method)
}

// checkTask refuses labels that the method is not for.
func checkTask(m method.Method, in result.Input, r result.Recipe) error {
	labels, err := Interpret(in.Set, r)
	if err != nil || m.For == data.TaskAuto || m.For == labels.Task {
		return err
	}
	others := method.IDs(func(o method.Method) bool {
		return o.For == labels.Task && o.Supports(nil).Front == m.Supports(nil).Front && o.Supports(nil).Graph == m.Supports(nil).Graph
	})
	if len(others) == 0 {
		others = method.IDs(func(o method.Method) bool {
			return o.For == data.TaskAuto && o.Supports(nil).Front == m.Supports(nil).Front
		})
	}
	return task.Usage(
		"--method %s is for %v and %s is a %v; choose --method %s, or --task %v",
		m.ID,
		m.For,
		in.Set.Source,
		labels.Task,
		others[0],
		m.For,
	)
}

// checkWeights refuses weights of rows that the losses of the method do not have.
func checkWeights(m method.Method, in result.Input) error {
	if in.Set.Weight == nil {
		return nil
	}
	if m.Weighs() {
		return checkUnlabelledWeights(m, in)
	}
	front := m.Supports(nil).Front
	weighs := method.IDs(func(o method.Method) bool { return o.Weighs() && o.Supports(nil).Front == front })
	return task.Usage("--weight: method %s gives all rows the same weight; choose %s", m.ID, setting.Or(weighs))
}

// checkUnlabelledWeights refuses weights of rows without a label that are not all the same, for methods that learn from these rows
// too: they have no loss that could be weighed.
func checkUnlabelledWeights(m method.Method, in result.Input) error {
	if in.Set.Answers == nil || !m.LearnsFromUnlabelled() {
		return nil
	}
	first := -1
	for i, a := range in.Set.Answers {
		switch {
		case !data.IsUnlabelled(a):
		case first < 0:
			first = i
		case in.Set.Weight[i] != in.Set.Weight[first]:
			return &data.LabelError{Row: i, What: fmt.Sprintf("the weight of a row without a label is %g, that of another %g, "+
				"and method %s "+
				"learns from these rows without weights", in.Set.Weight[i], in.Set.Weight[first], m.ID),
				Remedy: "give rows without a label one weight, or choose --method svm or rls, which learn from labelled rows alone"}
		}
	}
	return nil
}
