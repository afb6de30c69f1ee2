package mercer

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/score"
)

// price is what Cp, AIC or BIC charge for a degree of freedom: twice the variance of the noise, or
// ln l times. The variance is that of the residuals of a fit with little bias: the base kernel as it
// is, with the ridge that generalised cross-validation likes best.
func (j *job) price(ctx context.Context) (float64, error) {
	s := score.LeaveOut{Kernel: j.base, Problem: j.problem, Criterion: score.Press{}, GCV: true, Offset: j.offset}
	_, path, err := s.Bind(ctx, j.base.Space().Defaults())
	if err != nil {
		return 0, err
	}
	best, noise := math.Inf(1), 0.0
	for e := -24; e <= 4; e++ { // half decades of the ridge, for kernels of order one
		f, err := path.At(math.Pow(10, float64(e)/2))
		if err != nil {
			return 0, err
		}
		if v, _, _ := f.GCV(false); v < best {
			best, noise = v, f.Noise()
		}
	}
	if !(noise > 0) {
		return 0, fmt.Errorf("%s: --tune %s: the noise cannot be estimated, the labelled rows are fitted exactly; choose loo:press", j.in.Set.Source, j.tune.name)
	}
	if j.tune.penalty == "bic" {
		return math.Log(float64(len(j.problem.Labelled))) * noise, nil
	}
	return 2 * noise, nil
}

// priced finishes scores that depend on the labels: what a degree of freedom costs, what an
// error of each class weighs.
func (j *job) priced() error {
	if j.tune.penalty != "" {
		if j.method.losses != nil || j.method.front || j.method.id == smoother {
			return &UsageError{[]string{fmt.Sprintf("--tune %s is for the square loss; with --method %s choose kfold:K, holdout:SHARE or loo:logloss", j.tune.name, j.method.id)}}
		}
		if j.landmarks() != nil {
			return fmt.Errorf("%s: --tune %s: not for machines reduced to landmarks; choose loo:press, or --set exact=true", j.in.Set.Source, j.tune.name)
		}
		var err error
		j.charge, err = j.price(context.Background())
		return err
	}
	two := len(j.problem.Classes) == 2
	switch c := j.tune.criterion.(type) {
	case score.SmoothWeighted:
		if two && c.Eta == 0 { // balanced: n_+/n_- for a negative
			var n [2]float64
			for _, k := range j.problem.Class {
				n[k]++
			}
			j.tune.criterion = score.SmoothWeighted{Eta: n[1] / n[0]}
		}
	case score.SmoothF, score.SmoothError:
	default:
		return nil
	}
	if !two {
		return fmt.Errorf("%s: --tune %s is for two classes, there are %d; choose loo:logloss", j.in.Set.Source, j.tune.name, len(j.problem.Classes))
	}
	return nil
}
