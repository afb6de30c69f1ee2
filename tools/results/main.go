// Results lists the pages of docs/results that were measured with other code than there is: each page says in its heading the hash of the
// package that it measures, with all that this imports. Write them anew by the commands in their headings.
//
//	go run ./tools/results
//
// It fails where there is such a page.
package main

import (
	"fmt"
	"os"

	"github.com/mercer-ml/mercer/internal/results"
)

func main() {
	root, err := results.Root()
	if err == nil {
		var count int
		if count, err = results.Outdated(os.Stdout, root); err == nil && count > 0 {
			err = fmt.Errorf("%d pages", count)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
}
