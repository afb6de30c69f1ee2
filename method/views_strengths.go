package method

import (
	"github.com/mercer-ml/mercer/param"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/task"
)

// viewGrid refuses several values of both weights: the machine has their ratio, of which there would be one for each pair.
func viewGrid(r task.Request) string {
	return unless(
		len(r.Values.Numbers(task.GammaA)) > 1 && r.Values.Given(task.GammaI),
		"--set gamma_a=%s with gamma_i: the machine has their ratio; give one gamma_a, or leave gamma_i out",
		r.Values.Text(task.GammaA),
	)
}

// jointValues are the weights that are set, as values of the parameters that a machine with a joint graph is searched in: its
// own strength, and the ratio of the weights.
func (k machine) jointValues(t *task.Task) map[string][]float64 {
	list := map[string][]float64{}
	if !k.joint {
		return list
	}
	terms, gammaA := t.Terms(), t.Values.Numbers(task.GammaA)
	for _, a := range gammaA {
		if k.closed() {
			list[task.Lambda.Name] = append(list[task.Lambda.Name], a)
		} else {
			list[task.C.Name] = append(list[task.C.Name], score.Strength(terms.Ridge(a)))
		}
	}
	for _, i := range t.Values.Numbers(task.GammaI) {
		list["ratio"] = append(list["ratio"], terms.Ratio(i, gammaA[0])) // gamma_i is not given alone
	}
	return list
}

// fixJoint fixes what is set of the weights.
func (k machine) fixJoint(t *task.Task, space param.Space) (param.Space, error) {
	for name, v := range k.jointValues(t) {
		if len(v) != 1 || space.Index(name) < 0 {
			continue // several are those of a grid; without a graph there is no ratio
		}
		var err error
		if space, err = space.Set(name, v[0], true); err != nil {
			return nil, task.Usage("%v", err)
		}
	}
	return space, nil
}
