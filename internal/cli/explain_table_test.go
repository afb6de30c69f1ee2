package cli

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/explain"
)

// explanations have all that a table of a row can show, little of it, and what stands in the place of what is not there.
func explanations() []explained {
	number := func(v float64) *float64 { return &v }
	whole := func(v int) *int { return &v }
	six := [][2]string{{"a", "1"}, {"b", "2"}, {"c", "red"}, {"d", "4"}, {"e", "5"}, {"f", "6"}}
	full := explained{Row: 3, Line: 5, ID: "p7", Lower: number(0.5), Upper: number(2.5), Explanation: &explain.Explanation{
		Prediction: "spam", Scores: map[string]float64{"spam": 0.75, "ham": -0.25, "eggs": 0.75, "tea": -1},
		Probability: map[string]float64{"spam": 0.625, "ham": 0.25, "eggs": 0.125}, Views: map[string]float64{"one": 0.5, "two": 1},
		Output: explain.Output{Name: "score", For: "spam", Against: "ham", Value: 0.75},
		Nearest: []explain.Neighbour{
			{Row: whole(9), Distance: 0.125, Label: "spam", Prediction: "spam", Cells: six, More: 3},
			{Kept: whole(2), Distance: 12345.678, Prediction: "ham", Cells: six[:2]},
		},
		Influence: explain.Influence{Of: 2, Positive: 1.5, Negative: -0.75, Weights: 0.25, Offset: -0.25, Rows: []explain.Share{
			{Share: 1.25, Row: whole(9), Alike: 3, Label: "spam", Cells: six, More: 1},
			{Share: -0.5, Kept: 4, View: "two", Alike: 1, Cells: six[:4]}, {Share: 0, Kept: 1, Cells: six[:1], More: 2},
		}},
		Features: explain.Features{Reference: "median", AtReference: number(0.125), List: []explain.Feature{
			{Name: "a", Value: 1.0, Reference: 2.5, Effect: number(-0.5), Becomes: "ham", Contribution: number(0.25), Slope: number(1e-9)},
			{Name: "c", Value: "red", Reference: "blue", Effect: number(0.25)}, {Name: "d", Value: 1234567.0, Effect: number(0)},
			{Name: "beyond the first", Value: 4.0},
		}},
	}}
	bare := explained{Explanation: &explain.Explanation{
		Prediction: 2.125, Output: explain.Output{Name: "prediction", Value: 2.125}, WithoutNearest: "it keeps no rows",
		Features: explain.Features{
			Without: "too many columns", WithoutSlope: "no kernel has one", List: []explain.Feature{{Name: "a", Value: 1.0}},
		},
	}}
	near := *full.Explanation
	near.Output = explain.Output{Name: "score", For: "spam", Value: 0.02}
	near.Influence.Weights, near.Influence.Offset, near.Features.Without = 0, 0, "of a pair"
	far := near
	far.Output.Value = 0.0225 // the shares are a hundred times as much
	return []explained{full, bare, {Row: 1, Explanation: &near}, {Row: 2, Explanation: &far}}
}

// TestExplanationsAreKept: every line that a table of a row can have, of made-up explanations.
func TestExplanationsAreKept(t *testing.T) {
	var b strings.Builder
	for _, x := range explanations() {
		for _, top := range []int{3, 2} {
			var s sheet
			s.explanation(x, top)
			b.WriteString(s.String() + "\n")
		}
	}
	keptText(t, keptFolder(t), "explanations.txt", b.String())
}

// TestSharesThatCancel: rows pull both ways where their shares are together more than a hundred times the output.
func TestSharesThatCancel(t *testing.T) {
	in := explain.Influence{Of: 1, Positive: 1.5, Negative: -0.75, Rows: []explain.Share{{Share: 1.5, Kept: 1}}}
	for value, cancel := range map[float64]bool{0.0225: false, 0.0224: true, -0.0225: false, -0.0224: true, 0: true} {
		var s sheet
		s.influence(explained{Explanation: &explain.Explanation{Output: explain.Output{Value: value}, Influence: in}})
		if strings.Contains(s.String(), "nearly cancel") != cancel {
			t.Errorf("of an output of %g:\n%s", value, s.String())
		}
	}
}
