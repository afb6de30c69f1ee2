package cli

import (
	"slices"
	"strings"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/setting"
)

// kernelFlags takes apart what was given as --kernel: one for all, and others, NAME=SPEC, for views.
func kernelFlags(list []string) (one string, views map[string]string, err error) {
	for _, text := range list {
		name, spec, ok := strings.Cut(text, "=")
		switch {
		case !ok || strings.ContainsAny(name, "(["):
			if one != "" {
				return "", nil, usage("--kernel %s and --kernel %s: give one, or NAME=SPEC for each view", one, text)
			}
			one = text
		case name == "" || spec == "" || views[name] != "":
			return "", nil, usage("--kernel %s: give each view one kernel, as in --kernel words=linear", text)
		default:
			if views == nil {
				views = map[string]string{}
			}
			views[name] = spec
		}
	}
	return one, views, nil
}

// withKernels gives the views the kernels that were named for them.
func (c *teaching) withKernels(r *mercer.Recipe) error {
	for name, spec := range c.kernels {
		at := slices.IndexFunc(r.Views, func(v mercer.View) bool { return v.Name == name })
		if at < 0 {
			return usage("--kernel %s=%s: there is no view %s; name one of --view, or give --kernel %s for all", name, spec, name, spec)
		}
		if m, ok := method.Find(r.Method); ok && !m.Supports(nil).Views {
			return usage("--kernel %s=%s: method %s has one kernel for all views; give --kernel %s, or choose --method %s",
				name, spec, m.ID, spec, setting.Or(method.IDs(func(m method.Method) bool { return m.Supports(nil).Views })))
		}
		r.Views[at].Kernel = spec
	}
	return nil
}
