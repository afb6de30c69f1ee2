package cli

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Kinds of workers that --environment-type names.
const (
	inProcess = "LOOPBACK"
	processes = "PROCESS"
	container = "DOCKER"
	external  = "EXTERNAL"
)

// checkEnvironment refuses workers that cannot be started, for which Prism would wait for ever, or fail without a line for people.
// Programs and addresses of other runners are those of their machines, and not looked for.
func checkEnvironment(ctx context.Context, flags map[string]string) error {
	kind, config, own := strings.ToUpper(flags["environment_type"]), flags["environment_config"], flags["endpoint"] == ""
	switch {
	case kind == "" && config != "":
		return usage("--environment-config %s: say for which kind of worker, as --environment-type %s", config, processes)
	case kind != "" && !slices.Contains([]string{inProcess, processes, container, external}, kind):
		return usage("--environment-type %s: choose %s, %s, %s or %s", flags["environment_type"], inProcess, processes, container, external)
	case kind == processes:
		var program struct {
			Command string `json:"command"`
		}
		if err := json.Unmarshal([]byte(config), &program); err != nil || program.Command == "" {
			return usage(`--environment-type %s: say which program, as --environment-config '{"command":"/usr/local/bin/mercer-beam"}'`, processes)
		}
		if _, err := exec.LookPath(program.Command); own && err != nil {
			return usage("--environment-config %s: no program can be run by this name; give the path of mercer-beam", config)
		}
	case kind == external && config == "":
		return usage("--environment-type %s: give the address of the workers, as --environment-config localhost:50000", external)
	case kind == external && own:
		return reachable(ctx, "--environment-config", config, "no pool of workers", "start it there")
	}
	return nil
}

// temporaryFolder is the variable by which programs are told where to put temporary files.
const temporaryFolder = "TMPDIR"

// leaveNothing has temporary files of this process put into a folder that is removed after the work, until back is called: Beam 2.77.0
// leaves one behind with every pipeline that runs in its caller.
func leaveNothing(folder string) (back func()) {
	before, was := os.LookupEnv(temporaryFolder)
	if os.Setenv(temporaryFolder, folder) != nil {
		return func() {} // an empty file is left behind
	}
	return func() {
		if was {
			_ = os.Setenv(temporaryFolder, before) // it was set so before
		} else {
			_ = os.Unsetenv(temporaryFolder)
		}
	}
}
