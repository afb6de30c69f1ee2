package method

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/choose"
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/design"
	"github.com/mercer-ml/mercer/internal/learner/mobj"
	"github.com/mercer-ml/mercer/internal/method/cost"
	"github.com/mercer-ml/mercer/internal/setting"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/result"
	"github.com/mercer-ml/mercer/search"
)

var (
	measures = setting.Setting{Name: "complexity", Words: measureWords(), Default: string(mobj.QRef), About: "the second objective"}
	floor    = setting.Setting{Name: "floor", Range: setting.Positive(), Default: "1e-12",
		About: "relative eigenvalue floor of q-ref and q-ref-sv; rank counts the eigenvalues above it"}
	strongest = setting.Setting{Name: task.C.Name, Range: setting.Positive(), Many: true, Default: "2^-5 to 2^15",
		About: "strengths to make the front over; sigma may be a list of widths too, nine about the median distance by default; --kernel " +
			"polynomial: degrees 1 to 10 with C 2^-2p"}
)

// powers are the degrees of a polynomial kernel.
var powers = setting.Setting{Name: task.Degree.Name, Range: setting.From(1), Many: true, Default: "1 to 10",
	About: "degrees of --kernel polynomial to make the front over"}

func measureWords() []string {
	var words []string
	for _, m := range mobj.Measures() {
		words = append(words, string(m))
	}
	return words
}

// mobjSVM is the front of support vector machines.
func mobjSVM() Method {
	k := machine{id: svmID, losses: hinges()}
	return frontMethod(MachineFront, Method{
		ID: "mobj-svm", Title: "multi-objective support vector machines",
		Formula: lines(
			"nondominated in (mean hinge, Q) among svm over kernels and C",
			"q-ref: sum_i alpha_i^2/d_i, d = diag(G^-2);   q-ref-sv: the same with G of the support rows;   q-norm: alpha'SGS alpha, S = "+
				"diag(sqrt k(x_i,x_i));   q-rkhs: alpha'G alpha",
		),
		About: "cross-validation of the members alone, a fraction of a grid search's; q-ref, q-ref-sv and q-norm do not change with the " +
			"scale of a kernel, q-rkhs does; --set sigma=A,B,... lists the widths that are tried",
		Cost: "one training a kernel and C, one eigendecomposition of the rows' matrix a kernel (q-ref) or of the support " +
			"rows' a machine " +
			"(q-ref-sv), T trainings a member",
		Source:  cite.Kokshenev + ", chapter 5, eqs 5.9, 5.33 as corrected",
		LIBSVM:  "svm-train on the grid",
		SciKit:  "GridSearchCV(SVC) is the usual search",
		Example: "mercer pareto iris --method mobj-svm",
		For:     classes,
		Rules:   []rule{powersNeedPolynomial},
		Settings: inPairs(
			[]setting.Setting{
				strongest,
				powers,
				measures,
				floor,
				tolerance("1e-3", ofDual),
				task.Scheme,
				task.Weight,
				task.Offset,
				task.Groups,
			},
		),
		Forms: []Form{{
			Name:  "grid",
			Cache: k.kernelRows,
			Bytes: func(s task.Size, r task.Request) float64 {
				l := float64(s.Labelled)
				return k.learnerBytes(s, r) + 8*10*l*l
			},
			Work:    k.machineFrontWork,
			Produce: machineFront,
		}},
	})
}

// machineFrontWork is nine kernels with eleven strengths, and folds of their members.
func (k machine) machineFrontWork(s task.Size, r task.Request) Work {
	z := sizeOf(s)
	each := cost.Gram(z.l, z.l/4, z.d).Plus(Work{Passes: 16 * z.l * z.l})
	return cost.Eigen(z.l).Times(9).Plus(each.Times(9 * 11 * 5 * float64(k.outputs(s, r))))
}

// machineFront makes the front of support vector machines over a grid of kernels and of C.
func machineFront(ctx context.Context, t *task.Task) (*choose.Candidates, error) {
	p := t.Problem
	hinge := machine{id: svmID, losses: hinges()}
	grid := mobj.Machines{
		Problem: p,
		Learner: hinge.solver(t),
		Measure: mobj.Measure(t.Values.Word(measures)),
		Floor:   t.Values.Number(floor),
	}
	var err error
	if grid.Grid, err = kernelGrid(t); err != nil {
		return nil, err
	}
	grid.Strengths = t.Values.Numbers(task.C)
	if grid.Strengths == nil {
		// Kokshenev 2010, table 5.2, has C from 2^-5 to 2^25 in half octaves on most sets; beyond 2^15 machines on
		// scaled features no longer change.
		for e := -5; e <= 15; e += 2 {
			grid.Strengths = append(grid.Strengths, math.Exp2(float64(e)))
		}
	}
	grid.Strengths = slices.Clone(grid.Strengths)
	slices.Sort(grid.Strengths)
	grid.Progress = func(done, total int) { t.Progressed("training kernels", done, total, 0) }
	m, err := grid.Run(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%s: %w", t.Input.Set.Source, err)
		}
		return nil, err
	}
	f := &choose.Tradeoff{Parts: kernelParts(grid.Grid, m), Centres: p.Rows.Select(p.Labelled), Rows: t.Labelled(), Outputs: p.Outputs(),
		Trained: m.Trained, Partial: m.Partial}
	candidates := &choose.Candidates{Problem: p, Front: f, Tuning: result.Tuning{Search: "front", Status: string(search.Complete)}}
	place := map[int]int{}
	for i, row := range p.Labelled {
		place[row] = i
	}
	low := 0
	for k := range m.Members {
		v := &m.Members[k]
		one := machinePoint(v, grid.Grid, place, f.Rows)
		if v.Rank < v.Order {
			one.Params["rank"] = v.Rank
			low++
		}
		f.Points = append(f.Points, one)
	}
	if m.Limited > 0 {
		t.Warn("%d machines were ended by a limit and left out; smaller C or scaled features help", m.Limited)
	}
	if low > 0 && low < len(f.Points) {
		t.Warn("%d members have kernels of deficient rank: where they stand among the others is decided by the eigenvalue floor (--set "+
			"floor=)", low)
	}
	f.Border = func(point int) string { return grid.Border(&m.Members[point]) }
	f.LeftOut = func(ctx context.Context, folds [][]int) ([]float64, string, error) {
		loss, err := grid.Validate(ctx, m, folds)
		f.Trained += len(folds) * len(m.Members)
		return loss, "share of errors", err
	}
	candidates.Tuning.Evaluations = len(f.Points)
	return candidates, nil
}

// machinePoint is a member as a point of the front: place is that of a labelled row among the centres.
func machinePoint(v *mobj.Trained, grid mobj.Grid, place map[int]int, rows int) choose.Point {
	one := choose.Point{
		Risk:       v.Risk,
		SSE:        v.Risk * float64(rows),
		Complexity: v.Complexity,
		DF:         float64(v.Support()),
		Errors:     v.Errors,
		Params:     map[string]any{task.C.Name: v.Strength},
		Offset:     v.Machine.Offset,
	}
	for name, value := range grid.Params[v.Kernel] {
		one.Params[name] = value
	}
	if len(v.Machine.Rows) > 0 {
		term := choose.Term{Kernel: grid.Kernels[v.Kernel], Coef: v.Machine.Coef}
		for _, row := range v.Machine.Rows {
			term.Rows = append(term.Rows, place[row])
		}
		one.Terms = []choose.Term{term}
	}
	return one
}

// kernelGrid is the kernels of the front: the degrees of a polynomial whose degree is not given in
// its specification, or the widths that are free.
func kernelGrid(t *task.Task) (mobj.Grid, error) {
	if p, ok := t.Base.(kernel.Polynomial); ok && !strings.Contains(t.Recipe.Kernel, "degree") {
		// (s <x,z> + 1)^p, p = 1 to 10, with C = C' 2^-2p (Kokshenev 2010, section 5.6.2, with s = 1
		// on columns scaled to [-1, 1]; here s is the kernel's own).
		if p.Offset == 0 && len(t.Fixed) == 0 && !strings.Contains(t.Recipe.Kernel, "offset") {
			p.Offset = 1
		}
		var list []int
		for _, v := range t.Values.Numbers(powers) {
			list = append(list, int(v))
		}
		return mobj.Degrees(p, list)
	}
	var moving []int
	for i, d := range t.Base.Space() {
		if design.IsWidth(d.Name) && !slices.Contains(t.Fixed, i) {
			moving = append(moving, i)
		}
	}
	values := t.Request.Kernel["sigma"]
	if len(values) < 2 {
		values = nil
	}
	return mobj.Widths(t.Base, moving, values)
}

// powersNeedPolynomial refuses degrees of other kernels.
func powersNeedPolynomial(r task.Request) string {
	return when(r.Values.Given(powers) && r.Recipe.Kernel != "polynomial",
		"--set degree=%s: it is for polynomials whose degree is free; add --kernel polynomial", r.Values.Text(powers))
}

// kernelParts are the fronts of single kernels.
func kernelParts(g mobj.Grid, m *mobj.MachineFront) (list []result.FrontPart) {
	for k, p := range m.Parts {
		if len(p.Risk) > 0 {
			list = append(list, result.FrontPart{Name: g.Name(k), Risk: p.Risk, Complexity: p.Complexity})
		}
	}
	return list
}
