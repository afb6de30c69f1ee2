package pipeline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"

	// The runners that --runner names, and what workers need.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" //nolint:misspell // a path of Beam
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
)

// Worker becomes a worker and does not return, if the arguments after the program's name are those by which a runner starts
// one. Beam's own boot program hands over --worker; a runner that starts processes itself gives --id and --provision_endpoint,
// where Prism serves everything else too.
func Worker(args []string) error {
	is := func(name string) func(string) bool {
		return func(a string) bool { return a == name || strings.HasPrefix(a, name+"=") }
	}
	boot := slices.IndexFunc(args, is("--provision_endpoint"))
	if boot < 0 && !slices.ContainsFunc(args, is("--worker")) {
		return nil
	}
	if boot >= 0 && !slices.ContainsFunc(args, is("--worker")) {
		_, endpoint, _ := strings.Cut(args[boot], "=")
		args = slices.Delete(slices.Clone(args), boot, boot+1)
		for i, a := range args {
			args[i] = strings.ReplaceAll(a, "'", "")
		}
		args = append(args, "--worker=true", "--control_endpoint="+endpoint, "--logging_endpoint="+endpoint)
		if err := errors.Join(hush(), unmeasured()); err != nil {
			return err
		}
	}
	Quiet()
	if err := flag.CommandLine.Parse(args); err != nil {
		return err
	}
	beam.Init() // ends the process
	return nil
}

// Start makes Beam ready in the caller's process, with values of Beam's flags by name. It is called once, before Run.
func Start(flags map[string]string) error {
	Quiet()
	if _, given := flags["experiments"]; !given {
		if err := flag.Set("experiments", unsplit); err != nil { // which runners but Prism pass over
			return err
		}
	}
	for name, value := range flags {
		if flag.Lookup(name) == nil {
			return fmt.Errorf("--beam %s=%s: Beam has no such flag", name, value)
		}
		if err := flag.Set(name, value); err != nil {
			return fmt.Errorf("--beam %s=%s: %w", name, value, err)
		}
	}
	if !flag.Parsed() {
		if err := flag.CommandLine.Parse(nil); err != nil {
			return err
		}
	}
	beam.Init() // sets loggers of its own
	Quiet()
	return nil
}

// Quiet silences Beam, whose errors are returned too.
func Quiet() {
	log.SetLogger(silent{})
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
}

// hush makes what Beam prints in a worker go nowhere, because Prism gives workers the outputs of the caller. What the
// runtime of Go says of a crash still comes through.
func hush() error {
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err == nil {
		os.Stdout, os.Stderr = nowhere, nowhere
	}
	return err
}

// unmeasured makes a worker report no metrics, which nobody reads. Prism 2.77.0 takes the short names that workers have for metrics
// to mean the same in all processes of a job, and fails where they do not.
func unmeasured() error {
	const name = "mercer-unmeasured"
	hooks.RegisterHook(name, func([]string) hooks.Hook {
		return hooks.Hook{Resp: func(_ context.Context, _ *fnpb.InstructionRequest, resp *fnpb.InstructionResponse) error {
			if r := resp.GetProcessBundle(); r != nil {
				r.MonitoringData, r.MonitoringInfos = nil, nil
			}
			if r := resp.GetProcessBundleProgress(); r != nil {
				r.MonitoringData, r.MonitoringInfos = nil, nil
			}
			return nil
		}}
	})
	hooks.DisableHook(harness.DefaultRemoteLoggingHook)
	if err := hooks.EnableHook(name); err != nil {
		return err
	}
	hooks.SerializeHooksToOptions() // from where a worker that begins takes them
	return nil
}

// silent is a logger that says nothing.
type silent struct{}

// Log implements Beam's Logger.
func (silent) Log(context.Context, log.Severity, int, string) {}
