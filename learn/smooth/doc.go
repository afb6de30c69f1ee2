// Package smooth fits machines whose loss is convex with a Lipschitz derivative, in
// the primal, by Newton's method: squared hinge, Huber hinge, logistic, squared
// epsilon-insensitive, square, and any other learn.Loss that is Smooth.
//
//	minimise over f in H (and b):  1/2 ||f||^2 + sum_i c_i V(y_i, f(x_i) + b)
//
//	kernel form  f = sum_i beta_i k(x_i, .),  ||f||^2 = beta'K beta      (newton.go)
//	linear form  f(x) = w'x,                  ||f||^2 = w'w              (linear_newton.go)
//
// c_i = C Weight_i is LIBSVM's scale. The averaged objective (1/n) sum V + lambda ||f||^2
// of the lecture and of Becker and Sindhwani has C = 1/(2 n lambda); the ridge of package
// rls, (K + ridge I) beta = y, is the square loss with C = 1/(2 ridge).
//
// Optimality, in the form that all algorithms here use: beta = -c V'(y, f), elementwise,
// and sum beta = 0 with a free offset. It fixes beta even where K is singular, and its
// violation r = beta + c V' is the gradient in H, f(x) -> sum_i r_i k(x_i, .); since the
// objective is strongly convex with modulus 1, the objective is within 1/2 r'K r of the
// minimum, which is also the duality gap (certificate.go).
//
// Offsets (Odone and Rosasco 2014, section 3.7): None; Free, where b costs nothing; and
// Augmented, where a constant feature joins x and b^2/2 the norm, so that K becomes K + 11'.
//
// Change here how such machines are trained; a new loss is made in package learn and
// needs nothing here.
package smooth
