package method_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
	"github.com/mercer-ml/mercer/result"
)

// Everything that can be fixed of a method stands in its declaration.
func ExampleFind() {
	m, ok := method.Find("logistic")
	if !ok {
		return
	}
	fmt.Println(m.Title)
	for _, s := range m.All() {
		if s.Name == "C" || s.Name == "class-weight" {
			fmt.Printf("%s: %s\n", s, s.Accepts())
		}
	}
	// Output:
	// kernel logistic regression
	// --set C: > 0; one or several
	// --class-weight: balanced, LABEL=W,...
}

// A recipe is read by the declarations of its method: text becomes typed values.
func ExampleRead() {
	m, request, err := method.Read(result.Recipe{Method: "lap-rls", Set: map[string]string{"neighbours": "5", "sigma": "2"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.ID, request.Values.Numbers(task.Neighbours), request.Kernel["sigma"])
	_, _, err = method.Read(result.Recipe{Method: "svm", Set: map[string]string{"lambda": "0.1"}})
	fmt.Println(err)
	// Output:
	// lap-rls [5] [2]
	// --set lambda: method svm has no such setting; it has C = 1/(2 lambda l), l the number of labelled rows
}
