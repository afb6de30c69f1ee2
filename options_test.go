package mercer

import (
	"context"
	"slices"
	"testing"
)

// A grid evaluates the product of the values given, and otherwise as many points as asked.
func TestGridOfValues(t *testing.T) {
	in := few(t, "iris", 5)
	for name, c := range map[string]struct {
		set    map[string]string
		lambda []float64 // tried
		points int
	}{
		"values": {map[string]string{"lambda": "0.001,0.1", "sigma": "0.5,1,2"}, []float64{0.001, 0.1}, 6},
		"one":    {map[string]string{"lambda": "0.01", "sigma": "0.5,1,2"}, []float64{0.01}, 3},
		"points": {map[string]string{"points": "21", "lambda": "0.01"}, []float64{0.01}, 21},
	} {
		var tried []float64
		heard := 0
		o := Options{Listen: Listener{Evaluation: func(e Evaluation) {
			heard++
			if v := e.Theta[e.Space.Index("lambda")]; !slices.Contains(tried, v) {
				tried = append(tried, v)
			}
		}}}
		if _, _, err := Fit(context.Background(), in, Recipe{Method: "rls", Search: "grid", Set: c.set}, o); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if heard != c.points || !slices.Equal(tried, c.lambda) {
			t.Errorf("%s: %d points, lambda %v; want %d, %v", name, heard, tried, c.points, c.lambda)
		}
	}
}

// Weights of graphs that are set stay, tuned or not, and one graph's weight of one is that graph.
func TestFixedWeightsOfGraphs(t *testing.T) {
	in := few(t, "wine", 5)
	for _, tune := range []string{"", "none"} {
		_, res, err := Fit(context.Background(), in, Recipe{
			Method: "c-lap-rls", Tune: tune, Scale: "standard", Budget: map[string]int{"": 20}[tune],
			Set: map[string]string{"neighbours": "4,8", "degree": "1", "mu": "0.25,0.75"}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if mu := res.Params["mu"].([]float64); !slices.Equal(mu, []float64{0.25, 0.75}) {
			t.Errorf("--tune %s: weights %v", tune, mu)
		}
	}
	if _, _, err := Fit(context.Background(), in, Recipe{Method: "c-lap-rls", Set: map[string]string{"neighbours": "4,8", "mu": "1"}},
		Options{}); err == nil {
		t.Error("one weight of four graphs is accepted")
	}
}

// A graph of all edges up to a length beyond every distance is the full graph.
func TestGraphsByLength(t *testing.T) {
	in := few(t, "iris", 5)
	errors := map[string]float64{}
	for kind, set := range map[string]map[string]string{
		"full":  {"graph": "full"},
		"long":  {"graph": "epsilon", "epsilon_graph": "100"},
		"short": {"graph": "epsilon", "epsilon_graph": "0.7"},
	} {
		set["weights"], set["width"], set["sigma"], set["gamma_a"], set["gamma_i"] = "heat", "0.5", "1", "1e-4", "10"
		_, res, err := Fit(context.Background(), in, Recipe{Method: "lap-rls", Tune: "none", Set: set}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		errors[kind] = res.Metrics["hidden"]["log_loss"] + res.Certificate.Objective
	}
	if d := errors["full"] - errors["long"]; d > 1e-9 || d < -1e-9 {
		t.Errorf("full and long edges differ: %v", errors)
	}
	if errors["short"] == errors["full"] {
		t.Errorf("short and all edges do not differ: %v", errors)
	}
}
