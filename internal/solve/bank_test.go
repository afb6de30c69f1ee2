package solve

import (
	"context"
	"math"
)

// problem is a test function in a box with its known minimum.
type problem struct {
	name      string
	f         func(x, g []float64) float64 // g nil: value only
	x, lo, hi []float64
	min       float64
	at        []float64 // nil: not unique or not known
}

func fill(n int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// bank holds problems of three collections: More, Garbow and Hillstrom,
// "Testing unconstrained optimization software", ACM TOMS 7 (1981), by their
// numbers "MGH"; Hock and Schittkowski, "Test examples for nonlinear
// programming codes" (1981), by "HS"; and quadratics whose solutions follow
// from the first-order conditions.
func bank() []problem {
	inf := math.Inf(1)
	rosenbrock := func(x, g []float64) float64 {
		a, b := x[1]-x[0]*x[0], 1-x[0]
		if g != nil {
			g[0], g[1] = -400*a*x[0]-2*b, 200*a
		}
		return 100*a*a + b*b
	}
	separable := func(x, g []float64) float64 {
		s := 0.0
		for i := range x {
			c, d := float64(i+1), x[i]-0.3*float64(i)+0.5
			s += c * d * d
			if g != nil {
				g[i] = 2 * c * d
			}
		}
		return s
	}
	return []problem{
		{"separable quadratic", separable, fill(5, 4), fill(5, -5), fill(5, 5), 0, []float64{-0.5, -0.2, 0.1, 0.4, 0.7}},
		{
			"separable quadratic, active bounds",
			separable,
			fill(5, 0.3),
			fill(5, 0),
			fill(5, 0.5),
			1*0.25 + 2*0.04 + 5*0.04,
			[]float64{0, 0, 0.1, 0.4, 0.5},
		},
		{"Rosenbrock (MGH 1)", rosenbrock, []float64{-1.2, 1}, []float64{-inf, -inf}, []float64{inf, inf}, 0, []float64{1, 1}},
		{"Rosenbrock in a box (HS 1)", rosenbrock, []float64{-2, 1}, []float64{-10, -1.5}, []float64{10, 10}, 0, []float64{1, 1}},
		{
			"Rosenbrock, active bound (HS 3-like)",
			rosenbrock,
			[]float64{-1.2, 1},
			[]float64{-2, -2},
			[]float64{0.5, 2},
			0.25,
			[]float64{0.5, 0.25},
		},
		{"HS 4", func(x, g []float64) float64 { // (x1+1)^3/3 + x2 on x1 >= 1, x2 >= 0
			if g != nil {
				g[0], g[1] = (x[0]+1)*(x[0]+1), 1
			}
			return math.Pow(x[0]+1, 3)/3 + x[1]
		}, []float64{1.125, 0.125}, []float64{1, 0}, []float64{inf, inf}, 8. / 3, []float64{1, 0}},
		{"HS 5", func(x, g []float64) float64 { // sin(x1+x2) + (x1-x2)^2 - 1.5 x1 + 2.5 x2 + 1
			if g != nil {
				c, d := math.Cos(x[0]+x[1]), 2*(x[0]-x[1])
				g[0], g[1] = c+d-1.5, c-d+2.5
			}
			return math.Sin(x[0]+x[1]) + (x[0]-x[1])*(x[0]-x[1]) - 1.5*x[0] + 2.5*x[1] + 1
		}, []float64{0, 0}, []float64{-1.5, -3}, []float64{4, 3}, -math.Sqrt(3)/2 - math.Pi/3,
			[]float64{-math.Pi/3 + 0.5, -math.Pi/3 - 0.5}},
		{"HS 38 (Wood)", func(x, g []float64) float64 {
			a, b := x[1]-x[0]*x[0], x[3]-x[2]*x[2]
			p, q := x[1]-1, x[3]-1
			if g != nil {
				g[0], g[2] = -400*a*x[0]-2*(1-x[0]), -360*b*x[2]-2*(1-x[2])
				g[1], g[3] = 200*a+20.2*p+19.8*q, 180*b+20.2*q+19.8*p
			}
			return 100*a*a + (1-x[0])*(1-x[0]) + 90*b*b + (1-x[2])*(1-x[2]) + 10.1*(p*p+q*q) + 19.8*p*q
		}, []float64{-3, -1, -3, -1}, fill(4, -10), fill(4, 10), 0, fill(4, 1)},
		{"HS 110", func(x, g []float64) float64 {
			s, prod := 0.0, 1.0
			for _, v := range x {
				s += math.Pow(math.Log(v-2), 2) + math.Pow(math.Log(10-v), 2)
				prod *= v
			}
			p := math.Pow(prod, 0.2)
			for i, v := range x {
				if g != nil {
					g[i] = 2*math.Log(v-2)/(v-2) - 2*math.Log(10-v)/(10-v) - 0.2*p/v
				}
			}
			return s - p
		}, fill(10, 9), fill(10, 2.001), fill(10, 9.999), -45.77846971, fill(10, 9.35025655)},
		{"Powell singular (MGH 13)", func(x, g []float64) float64 {
			a, b, c, d := x[0]+10*x[1], x[2]-x[3], x[1]-2*x[2], x[0]-x[3]
			if g != nil {
				g[0], g[1] = 2*a+40*d*d*d, 20*a+4*c*c*c
				g[2], g[3] = 10*b-8*c*c*c, -10*b-40*d*d*d
			}
			return a*a + 5*b*b + math.Pow(c, 4) + 10*math.Pow(d, 4)
		}, []float64{3, -1, 0, 1}, fill(4, -inf), fill(4, inf), 0, nil},
		{"Extended Rosenbrock (MGH 21), 20 variables", func(x, g []float64) float64 {
			s := 0.0
			for i := 0; i < len(x); i += 2 {
				if g != nil {
					s += rosenbrock(x[i:i+2], g[i:i+2])
				} else {
					s += rosenbrock(x[i:i+2], nil)
				}
			}
			return s
		}, append([]float64{-1.2, 1}, fill(18, 0.5)...), fill(20, -5), fill(20, 5), 0, fill(20, 1)},
		{"Brown badly scaled (MGH 4)", func(x, g []float64) float64 {
			a, b, c := x[0]-1e6, x[1]-2e-6, x[0]*x[1]-2
			if g != nil {
				g[0], g[1] = 2*a+2*c*x[1], 2*b+2*c*x[0]
			}
			return a*a + b*b + c*c
		}, []float64{1, 1}, fill(2, -inf), fill(2, inf), 0, []float64{1e6, 2e-6}},
		{"coupled quadratic, half the bounds active", func(x, g []float64) float64 {
			// 1/2 x'Tx - 1'x, T = tridiag(-1, 2, -1), with the odd variables at
			// most 0.1: then x_even = (1 + 0.1 + 0.1)/2, at the last (1 + 0.1)/2.
			s := 0.0
			for i := range x {
				v := 2 * x[i]
				if i > 0 {
					v -= x[i-1]
				}
				if i+1 < len(x) {
					v -= x[i+1]
				}
				s += 0.5*x[i]*v - x[i]
				if g != nil {
					g[i] = v - 1
				}
			}
			return s
		}, fill(6, 0), fill(6, -1), []float64{0.1, 9, 0.1, 9, 0.1, 9}, 3*0.01 - 0.3 - 0.36*2 - 0.55*0.55,
			[]float64{0.1, 0.6, 0.1, 0.6, 0.1, 0.55}},
	}
}

// watched wraps p.f: it counts, and calls outside when x leaves the box.
func watched(p problem, count *int, outside func(x []float64)) Func {
	return func(_ context.Context, x, g []float64) (float64, error) {
		*count++
		for i := range x {
			if x[i] < p.lo[i] || x[i] > p.hi[i] || math.IsNaN(x[i]) {
				outside(append([]float64(nil), x...))
			}
		}
		return p.f(x, g), nil
	}
}
