package cli

import (
	"fmt"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/shrink"
	"github.com/mercer-ml/mercer/result"
)

// shrinkCmd is mercer shrink.
type shrinkCmd struct {
	Model  string `arg:"" help:"A file that mercer fit -o wrote."`
	Basis  int    `required:"" help:"Centres of the smaller model at most." placeholder:"N"`
	Data   string `required:"" help:"Rows on which both models are to agree, as those of the fit; labels are not needed." placeholder:"DATA"`
	Output string `short:"o" required:"" help:"The smaller model." placeholder:"OUT"`
	Seed   uint64 `help:"Seed of what is drawn at random." default:"1" placeholder:"N"`

	source  `group:"Data:"`
	talk    `group:"Running:"`
	threads `group:"Running:"`
}

// Help shows examples.
func (shrinkCmd) Help() string {
	return `The smaller model is a sum over at most N of the rows of DATA, chosen one by one, with coefficients that bring its
outputs as near to the model's as they can on these rows; of a classifier, rows near the border count for more. Scaling, classes,
offset and the curve of probabilities stay as they are. What has changed on the rows is printed; where they have labels, so are
the measures of both models.

Examples:

    mercer fit digits --method rls -o digits.mercer; mercer shrink digits.mercer --basis 200 --data digits -o small.mercer
    mercer shrink rows.mercer --basis 50 --data rows.csv -o small.mercer --json`
}

// shrunk is what shrink --json prints.
type shrunk struct {
	*result.Shrunk
	Output string        `json:"model"`
	Was    mercer.Metric `json:"metrics_before,omitempty"`
	Is     mercer.Metric `json:"metrics_after,omitempty"`
}

// Run shrinks.
func (c *shrinkCmd) Run(e *env) error {
	if err := c.threads.use(); err != nil {
		return err
	}
	if c.Basis < 1 {
		return usage("--basis %d: must be at least 1", c.Basis)
	}
	if err := writable("-o", c.Output, append(c.files(), c.Model, c.Data)...); err != nil {
		return err
	}
	m, err := e.loadModel(c.Model)
	if err != nil {
		return err
	}
	if err := shrink.Possible(m, c.Basis); err != nil {
		return &fault{file: c.Model, what: err.Error()}
	}
	set, err := e.openFor(m, c.Data, c.source, false, c.talk)
	if err != nil {
		return err
	}
	small, change, err := mercer.Shrink(e.ctx, m, set.Rows, c.Basis, c.Seed)
	if err != nil {
		return named(err, c.Model, set)
	}
	if err := e.save(small, c.Output); err != nil {
		return err
	}
	out := shrunk{Shrunk: change, Output: c.Output}
	if len(set.Answers) > 0 {
		was, rows, err := mercer.Evaluate(e.ctx, m, set.Rows, set.Answers)
		if err != nil {
			return named(err, c.Data, set)
		}
		if rows > 0 {
			is, _, err := mercer.Evaluate(e.ctx, small, set.Rows, set.Answers)
			if err != nil {
				return named(err, c.Data, set)
			}
			out.Was, out.Is = was.Finite(), is.Finite()
		}
	}
	if c.JSON {
		return e.printJSON(out)
	}
	err = e.show(out.String())
	return err
}

// String is the table for people.
func (r shrunk) String() string {
	var s sheet
	s.text(fmt.Sprintf("%d centres became %d", r.Before, r.After))
	grid := [][]string{
		{"largest change of an output", fmt.Sprintf("%.3g", r.Largest)},
		{"mean change", fmt.Sprintf("%.3g of outputs of %.3g", r.Mean, r.Size)},
	}
	if r.Decisions != nil {
		share := 100 * float64(*r.Decisions) / float64(r.Rows)
		grid = append(grid, []string{"decided otherwise", fmt.Sprintf("%d of %s, %.2g %%", *r.Decisions, brief.Count(r.Rows, "row"), share)})
	}
	for _, name := range measures {
		if v, ok := r.Was[name]; ok {
			grid = append(grid, []string{name, measure(name, v) + " before, " + measure(name, r.Is[name]) + " now"})
		}
	}
	s.grid(grid)
	return s.String()
}
