package learntest

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/internal/test/stoptest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Stopped checks that all that a learner does ends with the error of its context, or a machine that says it was
// cancelled, wherever it is stopped: binding, training on all rows and on some, from a start too, the folds it
// shares and its derivatives, as it has them. Of functions in after, see stoptest.Everywhere.
func Stopped(t *testing.T, l learn.Learner, k kernel.Kernel, p *learn.Problem, theta []float64, after ...string) {
	t.Helper()
	labelled := len(p.Labelled)
	folds := [][]int{{0, 1}, {2, labelled - 1}}
	some := learn.Others(labelled, folds[0])
	bind := func(ctx context.Context) (learn.Trainer, error) {
		g, err := k.Bind(context.Background(), p.Rows, nil)
		if err != nil {
			return nil, err
		}
		return l.Bind(ctx, g, p)
	}
	train := func(rows []int) func(context.Context) error {
		return func(ctx context.Context) error {
			tr, err := bind(ctx)
			if err != nil {
				return err
			}
			m, err := tr.Train(ctx, rows, theta, nil)
			if err != nil {
				return err
			}
			again, err := tr.Train(ctx, rows, theta, m)
			if err != nil {
				return err
			}
			return said(m, again)
		}
	}
	t.Run("all rows", func(t *testing.T) { stoptest.Everywhere(t, train(nil), after...) })
	t.Run("some rows", func(t *testing.T) { stoptest.Everywhere(t, train(some), after...) })
	tr, err := bind(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := tr.(learn.Folder); ok {
		t.Run("folds", func(t *testing.T) {
			stoptest.Everywhere(t, func(ctx context.Context) error {
				_, machines, ok, err := f.Folds(ctx, folds, theta, nil)
				if err != nil {
					return err
				}
				if !ok {
					return ctx.Err() // training fold after fold is as good
				}
				return said(machines...)
			}, after...)
		})
	}
	if s, ok := tr.(learn.Sensitive); ok {
		t.Run("derivatives", func(t *testing.T) {
			m, err := s.Train(t.Context(), some, theta, nil)
			if err != nil {
				t.Fatal(err)
			}
			bar := mat.NewDense(2, p.Outputs(), nil)
			bar.Set(0, 0, 1)
			stoptest.Everywhere(t, func(ctx context.Context) error {
				_, _, _, err := s.Pull(ctx, m, some, theta, folds[0], bar)
				return err
			}, after...)
		})
	}
}

// said is the error of a context if a machine says that it was cancelled: dual solvers tell it so.
func said(machines ...*learn.Machine) error {
	for _, m := range machines {
		if strings.Contains(m.Certificate.Limited, "cancelled") {
			return context.Canceled
		}
	}
	return nil
}
