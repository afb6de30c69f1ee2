package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int), error](&taker{})
	register.Emitter1[int]()
}

// MostWorkers is the number of bundles that Prism 2.77.0 works on at a time.
const MostWorkers = 8

// unsplit is an experiment of Prism's, by which a bundle stays whole: lanes need no parts of each other's bundles, because they
// take elements one by one, and a process then works on one element at a time.
const unsplit = "prism_disable_sdf_split"

// Workers are processes of this program on this machine. Prism starts one for each environment of a pipeline, so that a pipeline
// for several has as many environments, which differ by their names: the elements that a lane takes are worked on in the
// environment of the lane, all else in that of the first.
type Workers struct {
	count  int
	config string // of the environments
	jobs   jobpb.JobServiceClient
}

// NewWorkers makes a Prism ready for so many processes, 1 to MostWorkers, which every Run starts and ends. The processors of this
// process are shared out to them: each has GOMAXPROCS divided by their number, and one at least.
func NewWorkers(ctx context.Context, count int) (*Workers, error) {
	if count < 1 || count > MostWorkers {
		return nil, fmt.Errorf("%d worker processes: give 1 to %d, which is how many bundles Prism works on at a time", count, MostWorkers)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	jobs, err := prism.CreateJobServer(ctx, prism.Options{})
	if err != nil {
		return nil, err
	}
	threads := max(1, runtime.GOMAXPROCS(0)/count)
	config, err := json.Marshal(map[string]any{"command": program, "env": map[string]string{"GOMAXPROCS": strconv.Itoa(threads)}})
	return &Workers{count: count, config: string(config), jobs: jobs}, err
}

// laneScope begins the names of the transforms that belong to a lane.
const laneScope = "lane "

// run executes a pipeline of so many lanes. When the context ends the job is cancelled, by which Prism kills its processes.
func (w *Workers) run(ctx context.Context, p *beam.Pipeline, lanes int) error {
	edges, _, err := p.Build()
	if err != nil {
		return err
	}
	environment, err := w.environment(ctx)
	if err != nil {
		return err
	}
	whole, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	if err != nil {
		return err
	}
	if err := w.spread(ctx, whole, lanes); err != nil {
		return err
	}
	options := &runnerlib.JobOptions{Name: "mercer-beam", Experiments: []string{unsplit}}
	id, _, token, err := runnerlib.Prepare(ctx, w.jobs, whole, options)
	if err != nil {
		return err
	}
	job, err := runnerlib.Submit(ctx, w.jobs, id, token)
	if err != nil {
		return err
	}
	err = runnerlib.WaitForCompletion(ctx, w.jobs, job)
	if ctx.Err() != nil {
		w.cancel(ctx, job)
		return ctx.Err()
	}
	return err
}

// environment is that of one process. It depends on no file: the process is this program, which is there.
func (w *Workers) environment(ctx context.Context) (*pipepb.Environment, error) {
	e, err := graphx.CreateEnvironment(ctx, graphx.URNEnvProcess, func(context.Context) string { return w.config })
	if err == nil {
		e.Dependencies = nil
	}
	return e, err
}

// spread gives every lane but the first an environment of its own.
func (w *Workers) spread(ctx context.Context, p *pipepb.Pipeline, lanes int) error {
	environments := p.GetComponents().GetEnvironments()
	for k := 1; k < lanes; k++ {
		var err error
		if environments[laneScope+strconv.Itoa(k)], err = w.environment(ctx); err != nil {
			return err
		}
	}
	for _, t := range p.GetComponents().GetTransforms() {
		lane, _, _ := strings.Cut(t.GetUniqueName(), "/")
		if _, own := environments[lane]; own && t.GetEnvironmentId() != "" {
			t.EnvironmentId = lane
		}
	}
	return nil
}

// cancelTime is how long Prism may take to end a job.
const cancelTime = 10 * time.Second

// cancel ends a job, whose processes must not go on beside those of the next try.
func (w *Workers) cancel(ctx context.Context, job string) {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer end()
	if _, err := w.jobs.Cancel(ctx, &jobpb.CancelJobRequest{JobId: job}); err == nil {
		_ = runnerlib.WaitForCompletion(ctx, w.jobs, job) // that it was cancelled is no news
	}
}

// taker passes on the elements that its lane takes. Every lane is offered all elements, and has those at which it comes first:
// the first to make a file named after the element writes its number there. A lane that finds its own number is at a
// bundle that is done again, and takes the element again; one that finds another's, or none yet, leaves it.
type taker struct {
	Folder string
	Lane   int
}

// ProcessElement implements a DoFn.
func (t *taker) ProcessElement(_ context.Context, element int, emit func(int)) error {
	path, own := filepath.Join(t.Folder, strconv.Itoa(element)), strconv.Itoa(t.Lane)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, fs.ErrExist) {
		var text []byte
		if text, err = os.ReadFile(path); err == nil && string(text) == own {
			emit(element)
		}
		return err
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(own)
	if err = errors.Join(err, f.Close()); err == nil {
		emit(element)
	}
	return err
}
