package mercer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/auto"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/loss"
	"github.com/mercer-ml/mercer/manifold"
	"github.com/mercer-ml/mercer/smooth"
)

// byGradients says whether the job asks for a Laplacian machine trained over all
// rows by conjugate gradients (--set solver=cg), which keeps no n x n table.
func (r Recipe) byGradients() bool { return r.Set["solver"] == "cg" }

// solvers are the words of --set solver=.
var solvers = []string{"cg", "gradient", "fista", "fista-restart"}

// accelerated are those of them that are solvers of smooth.Learner.
var accelerated = map[string]smooth.Solver{"fista": smooth.ByFISTA, "fista-restart": smooth.ByFISTARestart}

// gramBytes is what conjugate gradients may keep of the Gram matrix: its lower triangle
// in single precision up to 32 000 rows; beyond, panels are computed anew at every step.
const gramBytes = 2 << 30

// checkSolver reports what --set solver=cg cannot be combined with.
func (r Recipe) checkSolver(complain func(format string, args ...any)) {
	m, _ := methodOf(r.Method)
	if r.Set["solver"] == "gradient" && (m.semi || !smoothLoss(m, r.Set["loss"]) || r.Kernel != "linear") {
		complain("--set solver=gradient: it is for machines with smooth losses in the features themselves; add --kernel linear and choose --method logistic or l2-svm")
	}
	if s := r.Set["solver"]; accelerated[s] != smooth.ByNewton && !smoothLoss(m, r.Set["loss"]) {
		complain("--set solver=%s: it is for machines with smooth losses: l2-svm, logistic, lap-logistic, svm and lap-svm with loss=quartic, modlog, huber-hinge or squared-hinge, svr with loss=squared-epsilon", s)
	}
	if !r.byGradients() {
		return
	}
	if !m.semi || m.losses != nil && !smoothLoss(m, primalLoss(m, r)) {
		complain("--set solver=cg: it is for lap-rls, lap-logistic, lap-svm (by the squared or the Huber hinge) and lap-svr with loss=squared-epsilon")
	}
	if r.Tune != "none" {
		complain("--set solver=cg: it trains one machine; add --tune none and --set sigma, neighbours, gamma_a and gamma_i as known from a smaller sample")
	}
}

// primalLoss is the loss that conjugate gradients train with: the one asked for, or
// the method's first smooth one.
func primalLoss(m method, r Recipe) string {
	if name := r.Set["loss"]; name != "" {
		return name
	}
	smooth := slices.Clone(m.losses)
	slices.Reverse(smooth) // squared-hinge before huber-hinge: the published machine
	for _, name := range smooth {
		if smoothLoss(m, name) {
			return name
		}
	}
	return "square"
}

// gradients trains the machine by conjugate gradients with the values set, or those
// of --tune none.
func (j *job) gradients(ctx context.Context) (*auto.Choice, *Tuning, error) {
	p := j.problem
	t := j.task(j.method.id) // lambda, ratio and graph, filled in by literature
	lambda := t.Lambda
	if t.LambdaOf != nil {
		lambda = t.LambdaOf(t.Ratio)
	}
	v, err := loss.Parse(primalLoss(j.method, j.recipe))
	if err != nil {
		return nil, nil, err
	}
	if tube, ok := v.(loss.SquaredEpsilon); ok {
		tube.Eps = learn.Tube(j.set.one("epsilon"), p.Spread()).Default
		v = tube
	}
	gram, err := j.base.Bind(ctx, p.Rows, nil)
	if err != nil {
		return nil, nil, err
	}
	work := new(kernel.Work)
	norm, err := manifold.Graph{Recipe: t.Graph}.Bind(ctx, p.Rows, work)
	if err != nil {
		return nil, nil, err
	}
	product, err := manifold.NewProduct(ctx, gram, gramBytes)
	if err != nil {
		return nil, nil, err
	}
	gammaA := lambda / float64(len(p.Labelled))
	machine := manifold.Primal{Loss: v, Ambient: gammaA, Intrinsic: gammaA * t.Ratio, Bias: j.offset}
	res, err := machine.CG(ctx, product, norm, p.Labelled, p.Y, manifold.PrimalCG{})
	interrupted := err != nil && ctx.Err() != nil && res != nil
	if err != nil && !interrupted {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, fmt.Errorf("%s: %w", j.in.Set.Source, err)
	}
	status := auto.Complete
	if interrupted {
		if status = auto.Interrupted; errors.Is(ctx.Err(), context.DeadlineExceeded) {
			status = auto.TimeLimit
		}
	}
	m := &auto.Machine{
		Kernel: manifold.Warp{Base: j.base, Norm: manifold.Graph{Recipe: t.Graph}, Ratio: t.Ratio},
		Lambda: lambda, Outputs: res.F, Expansions: []kernel.Expansion{res.Expansion(j.base, p.Rows)},
	}
	if learner := j.learner(); learner != nil {
		m.Theta = learner.Space(1, p.Spread()).Defaults()
	}
	if machine.Bias {
		m.B = res.B
	}
	for q := range res.Status {
		m.Join(learn.Certificate{Objective: res.Objective[q], Residual: res.Gradient[q], Gap: res.Gap[q] / max(res.Objective[q], 0x1p-1022), Steps: res.Iterations[q]})
		if res.Status[q] == manifold.PrimalLimited {
			m.Limited = "conjugate gradients " + res.Status[q].String() + "; the machine is not exact"
		}
	}
	c := auto.Alone(m)
	c.Status = status
	return c, &Tuning{Score: "none", Evaluations: 1, Search: "auto", Status: string(status)}, nil
}
