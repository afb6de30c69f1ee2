package mercer

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/mobj"
	"github.com/mercer-ml/mercer/model"
)

// machineFront makes the front of support vector machines over a grid of kernels and of C.
func (j *job) machineFront(ctx context.Context) (*front, error) {
	p := j.problem
	grid := mobj.Machines{Problem: p, Learner: j.machine("hinge"), Measure: mobj.Measure(j.recipe.Set["complexity"]), Floor: j.set.one("floor")}
	var params []map[string]any
	var err error
	if grid.Kernels, grid.Factors, params, err = j.grid(); err != nil {
		return nil, err
	}
	grid.Strengths = j.set.params["C"]
	if grid.Strengths == nil {
		// Kokshenev 2010, table 5.2, has C from 2^-5 to 2^25 in half octaves on most sets; beyond 2^15 machines on scaled features no longer change.
		for e := -5; e <= 15; e += 2 {
			grid.Strengths = append(grid.Strengths, math.Exp2(float64(e)))
		}
	}
	grid.Strengths = slices.Clone(grid.Strengths)
	slices.Sort(grid.Strengths)
	if j.options.Progress != nil {
		grid.Progress = func(done, total int) {
			j.options.Progress(Progress{Stage: "training kernels", Done: done, Total: total})
		}
	}
	m, err := grid.Run(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%s: %w", j.in.Set.Source, err)
		}
		return nil, err
	}
	f := &front{parts: kernelParts(m, params), rows: len(p.Labelled), trained: m.Trained, partial: m.Partial}
	labelled := p.Rows.Select(p.Labelled)
	place := map[int]int{}
	for i, row := range p.Labelled {
		place[row] = i
	}
	low := 0
	for k := range m.Members {
		t := &m.Members[k]
		one := frontMember{Member: mobj.Member{SSE: t.Risk * float64(f.rows), Complexity: t.Complexity, DF: float64(t.Support()), Errors: t.Errors}, risk: t.Risk,
			params: map[string]any{"C": t.Strength}, part: model.Part{Offset: t.Machine.Offset}}
		for name, v := range params[t.Kernel] {
			one.params[name] = v
		}
		if t.Rank < t.Order {
			one.params["rank"] = t.Rank
			low++
		}
		if len(t.Machine.Rows) > 0 {
			e := model.Expansion{Kernel: grid.Kernels[t.Kernel], Centres: labelled, Coef: t.Machine.Coef}
			for _, row := range t.Machine.Rows {
				e.Rows = append(e.Rows, place[row])
			}
			one.part.Functions = []model.Function{e}
		}
		f.members = append(f.members, one)
	}
	if m.Limited > 0 {
		f.warnings = append(f.warnings, fmt.Sprintf("%d machines were ended by a limit and left out; smaller C or scaled features help", m.Limited))
	}
	if low > 0 && low < len(f.members) {
		f.warnings = append(f.warnings, fmt.Sprintf("%d members have kernels of deficient rank: where they stand among the others is decided by the eigenvalue floor (--set floor=)", low))
	}
	f.leftOut = func(ctx context.Context, folds [][]int) ([]float64, string, error) {
		loss, err := grid.Validate(ctx, m, folds)
		f.trained += len(folds) * len(m.Members)
		return loss, "share of errors", err
	}
	return f, nil
}

// kernelParts are the fronts of single kernels, named by their parameters.
func kernelParts(m *mobj.MachineFront, params []map[string]any) (list []FrontPart) {
	for k, p := range m.Parts {
		if len(p.Risk) == 0 {
			continue
		}
		name := fmt.Sprintf("kernel %d", k+1)
		if len(params[k]) > 0 {
			var words []string
			for _, key := range slices.Sorted(maps.Keys(params[k])) {
				words = append(words, fmt.Sprintf("%s %.4v", key, params[k][key]))
			}
			name = strings.Join(words, ", ")
		}
		list = append(list, FrontPart{Name: name, Risk: p.Risk, Complexity: p.Complexity})
	}
	return list
}

// gridded says whether a parameter may be a list of values to make a front over.
func (r Recipe) gridded(name string) bool {
	m, _ := methodOf(r.Method)
	return m.front && (name == "C" || name == "lambda" || name == "sigma")
}

// checkFront reports what methods that choose from a front cannot be combined with.
func (r Recipe) checkFront(complain func(format string, args ...any)) {
	m, _ := methodOf(r.Method)
	if r.Decision != "" {
		if _, _, err := parseDecision(r.Decision); err != nil {
			complain("%v", err)
		}
		if !m.front && m.id != "" {
			complain("--decision %s: method %s makes no front; choose --method %s", r.Decision, m.id, strings.Join(fronts(), ", "))
		}
	}
	for name, of := range map[string]string{"complexity": "mobj-svm mobj-grn", "floor": "mobj-svm", "joint": "mobj-rbf", "order": "mobj-rbf", "max_q": "mobj-rbf"} {
		if r.Set[name] != "" && !slices.Contains(strings.Fields(of), m.id) {
			complain("--set %s: it is for --method %s", name, strings.ReplaceAll(of, " ", " or "))
		}
	}
	if !m.front {
		return
	}
	if r.Tune != "" && r.Tune != "auto" || r.Search != "" && r.Search != "auto" {
		complain("--tune or --search with --method %s: the front is made whole, and --decision says how a member is chosen", m.id)
	}
	if m.id != "mobj-svm" && r.Kernel != "" && r.Kernel != "gaussian" {
		complain("--kernel %s with --method %s: its units are Gaussian; choose --method mobj-svm", r.Kernel, m.id)
	}
	if m.id == "mobj-grn" {
		switch mobj.Measure(r.Set["complexity"]) {
		case mobj.QRKHS:
			complain("--set complexity=q-rkhs with --method mobj-grn: it does not compare widths; choose q-ref or q-norm, or --method grn")
		case mobj.QRefSV:
			complain("--set complexity=q-ref-sv with --method mobj-grn: every row has a coefficient; choose q-ref, which is the same there")
		}
	}
}

// grid lists the kernels of the front, the factors of their strengths and their parameters.
func (j *job) grid() (kernels []kernel.Kernel, factors []float64, params []map[string]any, err error) {
	if p, ok := j.base.(kernel.Polynomial); ok && !strings.Contains(j.recipe.Kernel, "degree") {
		// (s <x,z> + 1)^p, p = 1 to 10, with C = C' 2^-2p (Kokshenev 2010, section 5.6.2, with s = 1
		// on columns scaled to [-1, 1]; here s is the kernel's own).
		if p.Offset == 0 && len(j.fixed) == 0 && !strings.Contains(j.recipe.Kernel, "offset") {
			p.Offset = 1
		}
		for p.Degree = 1; p.Degree <= 10; p.Degree++ {
			kernels = append(kernels, p)
			factors = append(factors, math.Exp2(-2*float64(p.Degree)))
			params = append(params, map[string]any{"degree": p.Degree})
		}
		return kernels, factors, params, nil
	}
	space := j.base.Space()
	width := -1 // the width that the values are of; others keep their ratio to it
	for i, d := range space {
		if auto.IsWidth(d.Name) && !slices.Contains(j.fixed, i) {
			width = i
		}
	}
	if width < 0 {
		return []kernel.Kernel{j.base}, nil, []map[string]any{{}}, nil
	}
	values := j.set.params["sigma"]
	if len(values) < 2 {
		values = nil
		// Six octaves about the median distance: beyond them a Gaussian kernel is the identity
		// or, after centring, linear.
		for e := -3.0; e <= 3; e += 0.75 {
			values = append(values, math.Exp2(e)*space[width].Default)
		}
	}
	for _, v := range values {
		theta := space.Defaults()
		for i, d := range space {
			if auto.IsWidth(d.Name) {
				theta[i] *= v / space[width].Default
			}
		}
		k, err := j.base.With(theta)
		if err != nil {
			return nil, nil, nil, err
		}
		kernels = append(kernels, k)
		params = append(params, map[string]any{space[width].Name: v})
	}
	return kernels, factors, params, nil
}
