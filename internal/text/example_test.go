package text_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/text"
)

// Words become columns; what a later document has beside them is counted.
func ExampleLearn() {
	ctx := context.Background()
	set, err := text.Learn(ctx, []string{"The cat sat.", "A dog sat, the dog!"}, data.Text{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.Features)
	fmt.Println(set.Rows.Sparse.ToDense().RawRowView(1))
	words, err := text.NewVocabulary(set.Features, *set.Text)
	if err != nil {
		log.Fatal(err)
	}
	rows, unknown, err := words.Count(ctx, []string{"a bird sat"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows.Sparse.ToDense().RawRowView(0), unknown.Words, "of", unknown.Of)
	// Output:
	// [cat dog sat the]
	// [0 2 1 1]
	// [0 0 1 0] 1 of 2
}
