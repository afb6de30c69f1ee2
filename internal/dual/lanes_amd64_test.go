//go:build !noasm

package dual

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/vec"
)

// The assembly gives the bits of its plain twin, for rows of both precisions.
func TestLanes(t *testing.T) {
	if !vec.AVX2 {
		t.Skip("skipped: no AVX2")
	}
	t.Run("single", func(t *testing.T) { testLanes(t, pairUpdateAVX2, pairGainAVX2, coordinateAVX2) })
	t.Run("double", func(t *testing.T) { testLanes(t, pairUpdateDoubleAVX2, pairGainDoubleAVX2, coordinateDoubleAVX2) })
}

func testLanes[E element](t *testing.T,
	update func(out *lanes, f, up, low *float64, ki, kj *E, n int, d float64),
	gain func(out *lanes, f, low, diag *float64, ki *E, n int, fi, kii float64),
	single func(out *lanes, f, up, low, diag *float64, k *E, n int, d float64),
) {
	r := source(12)
	for range 300 {
		n := 8 * (1 + r.IntN(12))
		draw := func() []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(r.IntN(5)) - 2 // ties
				if r.IntN(2) == 0 {
					v[i] = r.NormFloat64()
				}
			}
			return v
		}
		mask := func(inf float64) []float64 {
			v := make([]float64, n)
			for i := range v {
				if r.IntN(3) == 0 {
					v[i] = inf
				}
			}
			return v
		}
		row := func() []E {
			v := make([]E, n)
			for i := range v {
				v[i] = E(r.NormFloat64())
			}
			return v
		}
		f, up, low, diag, ki, kj, d := draw(), mask(math.Inf(-1)), mask(math.Inf(1)), draw(), row(), row(), r.NormFloat64()
		for i := range diag {
			diag[i] = math.Abs(diag[i]) + 0.1
		}
		g := append([]float64(nil), f...)
		same := func(what string, a, b *lanes, worst bool) {
			t.Helper()
			if a.best != b.best || a.arg != b.arg || worst && a.worst != b.worst {
				t.Fatalf("%s: %v, plain %v", what, a, b)
			}
			near(t, what, f, g, 0)
		}
		var a, b lanes
		update(&a, &f[0], &up[0], &low[0], &ki[0], &kj[0], n, d)
		b = pairUpdatePlain(g, up, low, ki, kj, d)
		same("update", &a, &b, true)
		a = lanes{}
		gain(&a, &f[0], &low[0], &diag[0], &ki[0], n, 1.5, 2)
		b = pairGainPlain(g, low, diag, ki, 1.5, 2)
		same("gain", &a, &b, false)
		a = lanes{}
		single(&a, &f[0], &up[0], &low[0], &diag[0], &ki[0], n, d)
		b = coordinatePlain(g, up, low, diag, ki, d)
		same("coordinate", &a, &b, true)

		cut := f[:n-r.IntN(8)]
		addRows(cut, &[4][]E{ki, kj, row(), ki}, &[4]float64{1, d, 0, -1})
		for i := range cut {
			want := g[i] + float64(ki[i]) + d*float64(kj[i]) - float64(ki[i])
			if math.Abs(cut[i]-want) > 1e-14*(1+math.Abs(d)) {
				t.Fatalf("row %d of %d: %g, expected %g", i, len(cut), cut[i], want)
			}
		}
	}
}
