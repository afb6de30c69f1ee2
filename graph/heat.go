package graph

// The width tau of heat weights w = exp(-d^2/tau) as a parameter of R = L^p:
//
//	dw/dtau  = w d^2/tau^2
//	dL/dtau  = diag(dW 1) - dW                                     combinatorial
//	dL/dtau  = -(dS W S + S dW S + S W dS), S = D^-1/2, dS = -1/2 D^-3/2 diag(dW 1)   normalised
//	dR/dtau  = sum_{k<p} L^k dL L^(p-1-k)
//
// and of several graphs together (JointOperator) the means of their L and dL,
// so that <U V', dR> = sum_k <(L^k U)(L^(p-1-k) V)', dL>: 2 (p-1) sparse products
// and p sweeps over the edges. The pattern of the graph does not depend on tau.
// Time O(p nnz r), memory (p + 2) n r, U and V n x r.

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/parallel"
	"github.com/mercer-ml/mercer/search/param"
	"gonum.org/v1/gonum/mat"
)

// Tunable is an Operator that can be moved to other values of its parameters.
type Tunable interface {
	Operator
	// With returns the operator at theta, in the order of Space; values that make
	// no operator are an error that names them.
	With(theta []float64) (Operator, error)
}

// heatPower is L^p of a graph with heat weights, or of the mean L of several; its parameter
// "width" is tau of exp(-d^2/tau), within a factor 1024 of 2 (mean edge length)^2, that of the
// first graph.
type heatPower struct {
	power  Power
	graphs []*Graph
	tau    float64
	dl     *data.CSR // dL/dtau
}

func newHeatPower(gs []*Graph, tau float64) *heatPower {
	l, dl := make([]*data.CSR, len(gs)), make([]*data.CSR, len(gs))
	for q, g := range gs {
		l[q], dl[q] = g.heated(tau)
	}
	o := &heatPower{graphs: gs, tau: tau, dl: data.MeanCSR(dl)}
	o.power.L, o.power.P = data.MeanCSR(l), gs[0].Recipe.Degree
	return o
}

// heated returns L and dL/dtau at tau.
func (g *Graph) heated(tau float64) (l, dl *data.CSR) {
	w := make([]float64, len(g.dist2))
	dw := make([]float64, len(w))
	for p, d2 := range g.dist2 {
		w[p] = math.Exp(-d2 / tau)
		if g.share != nil {
			w[p] *= g.share[p]
		}
		dw[p] = w[p] * (d2 / tau) / tau
	}
	return laplacian(g.W, w, g.Recipe.Laplacian), laplacianTangent(g.W, w, dw, g.Recipe.Laplacian)
}

// laplacianTangent is the derivative of laplacian(w, weight, kind) along dw.
func laplacianTangent(w *data.CSR, weight, dw []float64, kind Laplacian) *data.CSR {
	if kind == Combinatorial {
		return laplacian(w, dw, kind) // linear in the weights
	}
	deg, ddeg := degrees(w, weight), degrees(w, dw)
	root := inverseRoots(deg)
	rate := make([]float64, len(deg)) // d(log deg)
	for i, r := range root {
		if r > 0 {
			rate[i] = ddeg[i] / deg[i]
		}
	}
	t := &data.CSR{R: w.R, C: w.C, Start: w.Start, Index: w.Index, Value: make([]float64, len(weight))}
	for i := range w.R {
		for p := w.Start[i]; p < w.Start[i+1]; p++ {
			j := w.Index[p]
			t.Value[p] = -(dw[p] - 0.5*weight[p]*(rate[i]+rate[j])) * (root[i] * root[j])
		}
	}
	return t
}

// Len is n.
func (o *heatPower) Len() int { return o.power.Len() }

// MulTo stores L^p x in dst.
func (o *heatPower) MulTo(dst, x *mat.Dense) { o.power.MulTo(dst, x) }

// Trace is the trace of L^p.
func (o *heatPower) Trace() float64 { return o.power.Trace() }

// Space is the width.
func (o *heatPower) Space() param.Space {
	base := o.graphs[0].defaultWidth()
	return param.Space{{Name: "width", Kind: param.Log, Lo: min(o.tau, base/1024), Hi: max(o.tau, base*1024), Default: o.tau}}
}

// With returns the operator at another width.
func (o *heatPower) With(theta []float64) (Operator, error) {
	if len(theta) != 1 {
		panic(fmt.Sprintf("graph: %d parameters given for the heat width", len(theta)))
	}
	if tau := theta[0]; !(tau > 0) || math.IsInf(tau, 1) {
		return nil, fmt.Errorf("graph: width %g must be positive and finite", tau)
	}
	return newHeatPower(o.graphs, theta[0]), nil
}

// Pull adds <U V', dR/dtau> to grad.
func (o *heatPower) Pull(grad []float64, u, v *mat.Dense) {
	checkPull(o, o.Space(), grad, u, v)
	p := o.power.P
	right := o.krylov(v, p) // L^k V
	left := u
	for k := range p {
		grad[0] += pairing(left, o.dl, right[p-1-k])
		if k == p-1 {
			break
		}
		next := o.power.scratch.get(u.Dims())
		o.power.L.MulTo(next, left)
		if k > 0 {
			o.power.scratch.put(left)
		}
		left = next
	}
	if p > 1 {
		o.power.scratch.put(left)
	}
	for _, m := range right[1:] {
		o.power.scratch.put(m)
	}
}

// krylov returns x, Lx, ..., L^(p-1) x; all but the first are from the pool.
func (o *heatPower) krylov(x *mat.Dense, p int) []*mat.Dense {
	seq := append(make([]*mat.Dense, 0, p), x)
	for range p - 1 {
		next := o.power.scratch.get(x.Dims())
		o.power.L.MulTo(next, seq[len(seq)-1])
		seq = append(seq, next)
	}
	return seq
}

// pairing is <U V', A> = sum over the entries of A of A_ij u_i'v_j, summed by
// fixed blocks of rows.
func pairing(u *mat.Dense, a *data.CSR, v *mat.Dense) float64 {
	const grain = 128
	part := make([]float64, (a.R+grain-1)/grain)
	parallel.Pieces(a.R, grain, func(lo, hi int) {
		sum := 0.0
		for i := lo; i < hi; i++ {
			ui := u.RawRowView(i)
			idx, val := a.Row(i)
			for p, j := range idx {
				vj := v.RawRowView(int(j))
				dot := 0.0
				for c, x := range ui {
					dot += x * vj[c]
				}
				sum += val[p] * dot
			}
		}
		part[lo/grain] = sum
	})
	total := 0.0
	for _, s := range part {
		total += s
	}
	return total
}
