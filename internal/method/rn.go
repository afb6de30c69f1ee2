package method

import (
	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/task"
)

// rn is the regularisation network: rls in the network's convention.
func rn() Method {
	k := machine{id: "rn", total: true}
	m := k.method(Method{
		Title:   "regularisation network",
		Formula: "minimise sum_i (y_i - f(x_i))^2 + lambda ||f||^2;   (G + lambda I) alpha = y - b",
		About:   "rls in the network's convention: lambda weighs the sum of squares, and the offset is free",
		Cost:    "as rls",
		Source:  cite.Kokshenev + ", eqs 2.14 to 2.18; Poggio & Girosi 1990",
		Example: "mercer fit breast-cancer --labels 100 --method rn",
	})
	total := task.Lambda
	total.About = "weight of ||f||^2 against the sum of squares: l times that of rls"
	m.Settings = k.settings(total)
	m.Coding.Offset = true
	return m
}
