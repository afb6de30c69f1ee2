package task

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/search/param"
)

// OfKernel says whether a parameter of kernels may be set by the name: gamma and coef0 are LIBSVM's.
func OfKernel(name string) bool {
	return name == "gamma" || name == "coef0" || slices.Contains(kernel.Settable(), name)
}

// ReadKernel understands the settings that are the kernel's: numbers, or several, one a column.
func (r *Request) ReadKernel(name, text string) error {
	if name == "coef0" { // LIBSVM's
		name = "offset"
	}
	var list []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := setting.Number(part)
		if err != nil {
			return err
		}
		if v <= 0 && !strings.HasSuffix(name, "offset") {
			return errNotPositive
		}
		list = append(list, v)
	}
	if r.Kernel == nil {
		r.Kernel = map[string][]float64{}
	}
	if name == "gamma" { // LIBSVM's
		r.Gamma = list
		sigma := make([]float64, len(list))
		for i, v := range list {
			sigma[i] = math.Sqrt(1 / (2 * v))
		}
		name, list = "sigma", sigma
	}
	r.Kernel[name] = list
	return nil
}

var errNotPositive = fmt.Errorf("must be positive")

// Spec is the kernel asked for, or the default: gaussian; linear for sparse
// rows if no width is set and no other kernel is to be tried beside it.
func (r Request) Spec(sparse bool) string {
	switch {
	case r.Recipe.Kernel != "":
		return r.Recipe.Kernel
	case sparse && r.Kernel["sigma"] == nil && (r.Scoring.None || r.Recipe.Method != "" && r.Recipe.Method != "auto"):
		return "linear"
	}
	return "gaussian"
}

// ParseKernel is the kernel of a specification: that of the recipe's own value, if it has one.
func (r Request) ParseKernel(spec string, features []string) (kernel.Kernel, error) {
	if own := r.Recipe.KernelValue; own != nil && spec == r.Recipe.Kernel {
		return own, nil
	}
	return kernel.Parse(spec, features)
}

// KernelSpec is Spec for the task's rows.
func (t *Task) KernelSpec() string { return t.Spec(t.Input.Set.Rows.IsSparse()) }

// kernel parses the kernel, gives it the parameters that are fixed and fills in
// the others from the data.
func (t *Task) kernel() error {
	spec := t.KernelSpec()
	k, err := t.ParseKernel(spec, t.Input.Set.Features)
	if err != nil {
		return Usage("--kernel %s: %v", spec, err)
	}
	if t.Recipe.Groups == "auto" {
		k = kernel.Grouped(k, kernel.DecadeGroups(t.Input.Set.Rows), t.Problem.Rows.Dim(), t.Input.Set.Features)
	}
	k = t.given(ByColumnOfTable(k, t.Input.Set.Table)).Adapt(t.Problem.Rows)
	space := k.Space()
	theta := space.Defaults()
	switch k.(type) {
	case kernel.L1Laplacian, kernel.ARDL1Laplacian:
		if t.Gamma != nil {
			return Usage("--set gamma: it is of the Gaussian's square; of kernel %s give --set sigma=VALUE, 1/gamma of scikit-learn's "+
				"laplacian_kernel", spec)
		}
	}
	for name, list := range t.Request.Kernel {
		if t.Coding.Grid && name == "sigma" && len(list) > 1 {
			continue // the widths of a grid
		}
		at := places(space, name)
		if len(at) == 0 && name == "sigma" && t.Gamma != nil {
			name, list, at = "gamma", t.Gamma, places(space, "scale")
		}
		if len(at) == 0 {
			return Usage(
				"--set %s: neither method %s nor kernel %s has such a parameter; the kernel has %s; %s",
				name,
				t.Coding.Method,
				spec,
				listed(space.Names()),
				t.kernelsWith(name),
			)
		}
		if len(list) > 1 && len(at) == 1 && t.Search() == "grid" {
			continue // the values of a search
		}
		if len(list) > 1 && len(list) != len(at) {
			return Usage("--set %s with %d values: kernel %s has %d; give one, or %d", name, len(list), spec, len(at), len(at))
		}
		for q, i := range at {
			theta[i] = list[q%len(list)]
			t.Fixed = append(t.Fixed, i)
		}
	}
	for _, v := range theta {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf(
				"%s: the features are so large that their squares overflow; use --scale standard, or measure them in larger units",
				t.Input.Set.Source,
			)
		}
	}
	if t.Base, err = k.With(theta); err != nil {
		return Usage("--kernel %s: %v", spec, err)
	}
	return nil
}

// ByColumnOfTable gives a kernel with a width, or a weight, for each feature one for each column of the table, whose words are several.
func ByColumnOfTable(k kernel.Kernel, table *data.Table) kernel.Kernel {
	if table == nil {
		return k
	}
	switch own := k.(type) {
	case kernel.ARDL1Laplacian:
		if own.Group == nil && len(own.Sigma) == 0 {
			own.Group, own.Names = groupsOf(table)
			return own
		}
	case kernel.ARDRational:
		if own.Group == nil && len(own.Sigma) == 0 {
			own.Group, own.Names = groupsOf(table)
			return own
		}
	case kernel.ANOVA:
		if own.Group == nil && len(own.Weight) == 0 {
			own.Group, own.Names = groupsOf(table)
			return own
		}
	}
	return k
}

// groupsOf are the numbers of the column of each feature of a table, among those that have features, and their names.
func groupsOf(table *data.Table) (group []int, names []string) {
	for i := range table.Columns {
		c := &table.Columns[i]
		features := c.Features()
		if len(features) == 0 {
			continue
		}
		for range features {
			group = append(group, len(names))
		}
		names = append(names, c.Name)
	}
	return group, names
}

// kernelsWith is what to do where a kernel lacks a parameter: which others have it.
func (t *Task) kernelsWith(name string) string {
	var with []string
	for _, spec := range append(kernel.Names(), "2*gaussian+linear") {
		k, err := kernel.Parse(spec, t.Input.Set.Features)
		if err == nil && len(places(k.Adapt(t.Problem.Rows).Space(), name)) > 0 {
			with = append(with, spec)
		}
	}
	if len(with) == 0 {
		return "leave it out"
	}
	return "leave it out, or choose --kernel " + setting.Or(with)
}

// listed joins names, "none" if there are none.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// given returns the kernel with its parameters where all of them are set, so that Adapt
// need not look at the rows.
func (t *Task) given(k kernel.Kernel) kernel.Kernel {
	space := k.Space()
	theta := make([]float64, len(space))
	for i, d := range space {
		if len(t.Request.Kernel[d.Name]) != 1 {
			return k
		}
		theta[i] = t.Request.Kernel[d.Name][0]
	}
	if with, err := k.With(theta); err == nil {
		return with
	}
	return k
}

// GivenKernel is the kernel of the request where all its parameters are set, each to one value, for whoever cannot look at all rows
// to find the others.
func (r Request) GivenKernel(sparse bool, features []string) (kernel.Kernel, error) {
	spec := r.Spec(sparse)
	k, err := r.ParseKernel(spec, features)
	if err != nil {
		return nil, Usage("--kernel %s: %v", spec, err)
	}
	space := k.Space()
	theta := space.Defaults()
	var missing []string
	used := map[string]bool{}
	for i, d := range space {
		name := d.Name
		list := r.Kernel[name]
		if list == nil && name == "scale" && r.Gamma != nil && space.Index("sigma") < 0 {
			name, list = "sigma", r.Gamma // as ReadKernel has stored it
		}
		used[name] = true
		switch {
		case list == nil:
			missing = append(missing, "--set "+name+"=VALUE")
		case len(list) > 1:
			return nil, Usage("--set %s with %d values: give one", name, len(list))
		default:
			theta[i] = list[0]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Kernel)) {
		if !used[name] {
			return nil, Usage("--set %s: kernel %s has no such parameter; it has %s", name, spec, listed(space.Names()))
		}
	}
	if missing != nil {
		return nil, Usage("--kernel %s: its parameters must be set here; add %s", spec, strings.Join(missing, " "))
	}
	if k, err = k.With(theta); err != nil {
		return nil, Usage("--kernel %s: %v", spec, err)
	}
	return k, nil
}

// places lists the dimensions a name stands for: the one of that name, or all of
// a list (sigma for sigma[1], sigma[2], ...).
func places(space param.Space, name string) []int {
	if i := space.Index(name); i >= 0 {
		return []int{i}
	}
	var at []int
	for i, d := range space {
		if strings.HasPrefix(d.Name, name+"[") {
			at = append(at, i)
		}
	}
	return at
}
