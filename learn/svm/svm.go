// Package svm has support vector machines as learners: of classes, of values, of one class. Each of their outputs is a dual problem,
// a quadratic programme over a box with or without an equality constraint, and every machine comes with its certificate: LIBSVM's
// violation, and the duality gap. With an indefinite kernel the problem has several solutions, from which a small violation tells
// none but says that the machine is one to first order; the gap then bounds nothing.
//
// Sources: Chang and Lin, "LIBSVM", ACM TIST 2 (2011), and those of internal/dual, which solves.
package svm

import (
	"context"

	"github.com/mercer-ml/mercer/internal/dual"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/search/param"
)

// Classifier is C-SVC as a learner, or nu-SVC. Its parameter is C, or nu.
type Classifier struct {
	Nu       float64 // 0: C-SVC
	NoOffset bool
	Options  Options
}

// Regressor is epsilon-SVR as a learner, or nu-SVR. Its parameters are C, and
// epsilon or nu.
type Regressor struct {
	Nu       float64 // 0: epsilon-SVR
	Absolute bool    // the absolute loss: epsilon is 0
	Epsilon  float64 // 0: free, from 0.1 of the targets' spread
	NoOffset bool
	Options  Options
}

// Detector is the one-class machine as a learner: it trains on rows of target +1
// alone. Its parameter is nu.
type Detector struct {
	Nu      float64 // 0: 0.1
	Options Options
}

// Options say how exactly the dual is solved. The zero value is the default.
type Options struct {
	// Tolerance is the violation at which to stop, LIBSVM's -e; default 1e-3, of a Regressor whose targets have a spread below 1
	// so much of that.
	Tolerance float64
	// Cache is the size of the store of kernel rows in bytes, default 200 MB. At
	// least the working set is held.
	Cache int64
	// MaxIterations limits the steps of one pair (or, without an offset, one
	// variable), default max(10^7, 100 variables).
	MaxIterations int
}

func (o Options) dual() dual.Options {
	return dual.Options{Tolerance: o.Tolerance, Cache: o.Cache, MaxIterations: o.MaxIterations}
}

var (
	_ learn.Learner = Classifier{}
	_ learn.Learner = Regressor{}
	_ learn.Learner = Detector{}
)

func (c Classifier) dual() dual.Classifier {
	return dual.Classifier{Nu: c.Nu, NoOffset: c.NoOffset, Options: c.Options.dual()}
}

// Space is C (learn.Strength), or nu fixed.
func (c Classifier) Space(diagonal, spread float64) param.Space {
	return c.dual().Space(diagonal, spread)
}

// Bind prepares kernel rows in single precision.
func (c Classifier) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	return c.dual().Bind(ctx, g, p)
}

func (r Regressor) dual() dual.Regressor {
	return dual.Regressor{Nu: r.Nu, Absolute: r.Absolute, Epsilon: r.Epsilon, NoOffset: r.NoOffset, Options: r.Options.dual()}
}

// Space is C, and epsilon (learn.Tube) or nu fixed.
func (r Regressor) Space(diagonal, spread float64) param.Space {
	return r.dual().Space(diagonal, spread)
}

// Bind prepares kernel rows in single precision.
func (r Regressor) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	return r.dual().Bind(ctx, g, p)
}

func (d Detector) dual() dual.Detector { return dual.Detector{Nu: d.Nu, Options: d.Options.dual()} }

// Space is nu fixed.
func (d Detector) Space(diagonal, spread float64) param.Space {
	return d.dual().Space(diagonal, spread)
}

// Bind prepares kernel rows in single precision.
func (d Detector) Bind(ctx context.Context, g kernel.Gram, p *learn.Problem) (learn.Trainer, error) {
	return d.dual().Bind(ctx, g, p)
}

// Bound names a bound or estimate of the leave-one-out error, see score.Bounded. The zero value is none.
type Bound int

// The bounds: the share of support vectors, Jaakkola and Haussler's, Joachims' xi-alpha, the span of the support vectors, and the
// radius of the rows over the margin, which is smooth.
const (
	SupportVectors   = Bound(dual.SupportVectors)
	JaakkolaHaussler = Bound(dual.JaakkolaHaussler)
	XiAlpha          = Bound(dual.XiAlpha)
	Span             = Bound(dual.Span)
	RadiusMargin     = Bound(dual.RadiusMargin)
)

// Bounds lists the bounds.
func Bounds() []Bound { return []Bound{SupportVectors, JaakkolaHaussler, XiAlpha, Span, RadiusMargin} }

func (b Bound) String() string { return dual.Bound(b).String() }
