package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/mercer-ml/mercer/internal/blas"
)

// released is the version of a program that tools/release built, whose linker sets it. Go itself knows the version of what
// `go install PATH@VERSION` builds, and of a checkout.
var released string

// versionCmd is mercer version.
type versionCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help shows examples.
func (versionCmd) Help() string {
	return `Examples:

    mercer version
    mercer version --json`
}

// Run prints versions.
func (c *versionCmd) Run(e *env) error {
	v := built()
	if c.JSON {
		return e.printJSON(v)
	}
	text := "mercer " + v.Version
	if v.Revision != "" {
		text += " " + v.Revision
	}
	_, err := fmt.Fprintf(e.stdout, "%s\n%s %s\nBLAS: %s\n", text, v.Go, v.System, v.BLAS)
	return err
}

// build says what program this is.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
	BLAS     string `json:"blas"`
}

func built() build {
	b := build{Version: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, BLAS: blas.Name()}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Revision = s.Value
			}
		}
	}
	if released != "" {
		b.Version = released
	}
	return b
}
