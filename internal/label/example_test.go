package label_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/label"
)

// A person who knows the answers is asked twenty times about 400 rows of two moons.
func Example() {
	set, err := data.Builtin("two-moons:n=400")
	if err != nil {
		fmt.Println(err)
		return
	}
	features, err := label.Recipe{Seed: 1}.Fit(context.Background(), set.Rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := label.Begin(features, label.Start{Classes: []string{"-1", "1"}}, label.Chooser{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 20 {
		question := session.Question()
		if err := session.Answer(question, label.Reply{Label: set.Answers[question.Row]}); err != nil {
			fmt.Println(err)
			return
		}
	}
	state := session.State()
	wrong := 0 // of few: which ones depends on rounding
	for i, k := range state.Decided {
		if state.Classes[k].Name != set.Answers[i] {
			wrong++
		}
	}
	fmt.Printf("%d labels, %d checks; more than 98 %% of the rows right: %v\n", state.Answered, state.Error.Checks, 50*wrong < state.Rows)
	// Output: 20 labels, 4 checks; more than 98 % of the rows right: true
}
