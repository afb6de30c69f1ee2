package reproduce

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// trained is a machine of a learner whose own parameter is given, on a kernel that is bound to the rows of a problem.
func trained(ctx context.Context, g kernel.Gram, learner learn.Learner, p *learn.Problem, own float64) *learn.Machine {
	return must(must(learner.Bind(ctx, g, p)).Train(ctx, nil, []float64{own}, nil))
}

// predicted are the outputs of a machine on rows never seen.
func predicted(ctx context.Context, g kernel.Gram, m *learn.Machine, rows data.Rows, outputs int) *mat.Dense {
	out := mat.NewDense(rows.Len(), outputs, nil)
	check(m.Predict(ctx, out, g, rows))
	return out
}

// evaluated are those on all rows that the kernel is bound to.
func evaluated(ctx context.Context, g kernel.Gram, m *learn.Machine, outputs int) *mat.Dense {
	out := mat.NewDense(g.Len(), outputs, nil)
	check(m.Evaluate(ctx, out, g, nil))
	return out
}

// tableOf are the values of a bound kernel between all of its rows.
func tableOf(g kernel.Gram) *mat.Dense {
	k := mat.NewDense(g.Len(), g.Len(), nil)
	g.Block(k, nil, nil)
	return k
}

// medianWidth is the median distance of rows.
func medianWidth(rows data.Rows) float64 {
	return kernel.Gaussian{}.Adapt(rows).(kernel.Gaussian).Sigma
}
