package method

import (
	"slices"

	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/score"
	"github.com/mercer-ml/mercer/search/param"
)

// viewGrid refuses several values of both weights: the machine has their ratio, of which there would be one for each pair. Zero, which is
// no graph, is none of several.
func viewGrid(r task.Request) string {
	if list := r.Values.Numbers(task.GammaI); len(list) > 1 && slices.Contains(list, 0) {
		return "--set gamma_i=" + r.Values.Text(task.GammaI) +
			": 0 is no graph, and a grid has one in all its points; give 0 by itself, or leave it out"
	}
	return when(
		len(r.Values.Numbers(task.GammaA)) > 1 && r.Values.Given(task.GammaI),
		"--set gamma_a=%s with gamma_i: the machine has their ratio; give one gamma_a, or leave gamma_i out",
		r.Values.Text(task.GammaA),
	)
}

// jointValues are the weights that are set, as values of the parameters that a machine with a joint graph is searched in: its
// own strength, and the ratio of the weights.
func (k machine) jointValues(t *task.Task) map[string][]float64 {
	list := map[string][]float64{}
	if k.family != Joint {
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

// fixJoint fixes what is set of the weights, beyond the bounds of a search too: these are of other parameters than were set.
func (k machine) fixJoint(t *task.Task, space param.Space) (param.Space, error) {
	for name, v := range k.jointValues(t) {
		at := space.Index(name)
		if at < 0 {
			continue // without a graph there is no ratio
		}
		space = slices.Clone(space)
		space[at].Lo, space[at].Hi = min(space[at].Lo, slices.Min(v)), max(space[at].Hi, slices.Max(v))
		if len(v) != 1 {
			continue // those of a grid
		}
		var err error
		if space, err = space.Set(name, v[0], true); err != nil {
			return nil, task.Usage("%v", err)
		}
	}
	return space, nil
}
