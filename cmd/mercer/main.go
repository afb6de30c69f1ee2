// Command mercer learns from few labels and many unlabelled rows; see mercer -h.
package main

import "github.com/mercer-ml/mercer/internal/cli"

func main() {
	cli.Program{}.Run()
}
