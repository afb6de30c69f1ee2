package methodtest

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// objective is what the method says that it is, at the outputs or, of what was balanced or divided after it, at the formula's.
func (w *network) objective(id string, out *mat.Dense) (sum float64) {
	n, c := out.Dims()
	switch id {
	case "harmonic":
		f := mat.NewDense(n, c, nil)
		masses := w.params["masses"]
		w.params["masses"] = "no"
		w.harmonic(f)
		w.params["masses"] = masses
		return quadratic(w.laplacian(false), f)
	case "lgc":
		alpha := w.params["alpha"].(float64)
		f, y := w.spread(alpha)
		f.Scale(1-alpha, f)
		sum = quadratic(w.laplacian(true), f) / 2
		f.Sub(f, y)
		return sum + (1/alpha-1)/2*math.Pow(mat.Norm(f, 2), 2)
	}
	f := mat.DenseCopyOf(out)
	for j := range c {
		for i := range n {
			f.Set(i, j, out.At(i, j)-w.mean[j])
		}
		for q, i := range w.at {
			r := w.y.At(q, j) - out.At(i, j)
			sum += r * r / float64(len(w.at))
		}
	}
	l := w.laplacian(true)
	power := mat.DenseCopyOf(l)
	for range w.params["degree"].(int) - 1 {
		power.Mul(mat.DenseCopyOf(power), l)
	}
	if penalty := w.params["penalty"].(float64); penalty > 0 {
		return sum + penalty*quadratic(power, f)
	}
	return quadratic(power, f)
}

// quadratic is trace f'a f.
func quadratic(a, f *mat.Dense) float64 {
	var af mat.Dense
	af.Mul(a, f)
	af.MulElem(&af, f)
	return mat.Sum(&af)
}
